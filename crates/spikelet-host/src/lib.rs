//! A small HTTP server: files of a folder with their types, and whatever else a closure answers. For one machine's own pages: the page
//! while one works on it, pages under test, and pages that measure.

mod request;

use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use request::Problem;
pub use request::Request;

/// A browser that opens a connection in advance, and asks for nothing, is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which headers go with every answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// None besides type and length, as the plainest of hosts do.
    Plain,
    /// Those that make a page cross-origin isolated, so that its Workers may share memory.
    Isolating,
    /// The same, and pages of any origin may use the files.
    Open,
}

impl Headers {
    fn lines(self) -> &'static str {
        match self {
            Headers::Plain => "",
            Headers::Isolating => {
                "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n\
                 Cross-Origin-Resource-Policy: same-origin\r\n"
            }
            Headers::Open => {
                "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n\
                 Cross-Origin-Resource-Policy: cross-origin\r\nAccess-Control-Allow-Origin: *\r\n"
            }
        }
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    kind: &'static str,
    bytes: Vec<u8>,
    /// By which a browser knows what it has already (an `ETag`).
    tag: Option<String>,
    /// How the bytes are compressed, where the answer depends on what the browser accepts.
    encoding: Option<&'static str>,
}

/// Files that are compressed already: the end of their names, after that of the file itself, and the encoding; the smallest first.
pub const COMPRESSED: [(&str, &str); 2] = [("br", "br"), ("gz", "gzip")];

impl Content {
    /// Bytes of a type, such as `text/html`, that no browser keeps.
    pub fn new(kind: &'static str, bytes: impl Into<Vec<u8>>) -> Content {
        Content { kind, bytes: bytes.into(), tag: None, encoding: None }
    }

    /// A file of a folder, never one beside it: `index.html` where `path` is empty or ends with `/`.
    #[must_use]
    pub fn file(folder: &Path, path: &str) -> Option<Content> {
        let index = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
        let path = format!("{path}{index}");
        if Path::new(&path).components().any(|component| !matches!(component, Component::Normal(_))) {
            return None;
        }
        let file = folder.join(&path);
        let bytes = fs::read(&file).ok()?;
        let changed = fs::metadata(&file).and_then(|found| found.modified()).ok()?.duration_since(UNIX_EPOCH).ok()?;
        let tag = Some(format!("\"{:x}-{:x}\"", changed.as_nanos(), bytes.len()));
        Some(Content { kind: kind(&path), bytes, tag, encoding: None })
    }

    /// The same, compressed as the browser accepts it if the folder has such a file beside it, such as `a.js.br`.
    #[must_use]
    pub fn compressed_file(folder: &Path, request: &Request) -> Option<Content> {
        let plain = Content::file(folder, &request.path)?;
        let path = if request.path.is_empty() || request.path.ends_with('/') {
            format!("{}index.html", request.path)
        } else {
            request.path.clone()
        };
        let found = COMPRESSED.iter().filter(|(_, encoding)| request.accepts(encoding)).find_map(|(end, encoding)| {
            let content = Content::file(folder, &format!("{path}.{end}"))?;
            Some(Content { kind: plain.kind, encoding: Some(encoding), ..content })
        });
        found.or(Some(plain))
    }
}

/// The type of a file, by the end of its name.
#[must_use]
pub fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "ts" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Answers whatever arrives at `listener`, each request in a thread of its own, for as long as the process lives; where `answer`
/// gives nothing, with 404.
pub fn serve(listener: TcpListener, headers: Headers, answer: impl Fn(&Request) -> Option<Content> + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            // A browser that hangs up in the middle of a file is no trouble of ours.
            thread::spawn(move || reply(&stream, headers, &*answer).ok());
        }
    });
}

fn reply(stream: &TcpStream, headers: Headers, answer: &impl Fn(&Request) -> Option<Content>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let request = match Request::read(BufReader::new(stream.take(request::LONGEST))) {
        Ok(request) => request,
        Err(Problem::Connection(error)) => return Err(error),
        Err(Problem::Broken(why)) => return send(stream, headers, "400 Bad Request", text(format!("{why}\n")), true),
        Err(Problem::Foreign(host)) => {
            let why = format!("this server answers to 127.0.0.1 and localhost, not to {host:?}\n");
            return send(stream, headers, "403 Forbidden", text(why), true);
        }
    };
    let has_body = request.method != "HEAD";
    match answer(&request) {
        Some(content) if content.tag.is_some() && content.tag == request.known => {
            send(stream, headers, "304 Not Modified", content, false)
        }
        Some(content) => send(stream, headers, "200 OK", content, has_body),
        None => send(stream, headers, "404 Not Found", text(format!("there is no {}\n", request.path)), has_body),
    }
}

fn text(text: String) -> Content {
    Content::new("text/plain; charset=utf-8", text)
}

fn send(mut stream: &TcpStream, headers: Headers, status: &str, content: Content, has_body: bool) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Type: {}\r\n", content.kind);
    if !status.starts_with("304") {
        head += &format!("Content-Length: {}\r\n", content.bytes.len());
    }
    // What is kept is asked about each time: the file may be a new one.
    head += &match content.tag {
        Some(tag) => format!("Cache-Control: no-cache\r\nETag: {tag}\r\n"),
        None => "Cache-Control: no-store\r\n".to_owned(),
    };
    if let Some(encoding) = content.encoding {
        head += &format!("Content-Encoding: {encoding}\r\nVary: Accept-Encoding\r\n");
    }
    head += headers.lines();
    head += "Connection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    if has_body {
        stream.write_all(&content.bytes)?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn start(headers: Headers) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        serve(listener, headers, |request| match (request.method.as_str(), request.path.as_str()) {
            ("POST", "echo") => Some(Content::new("text/plain", request.body.clone())),
            (_, path) => Content::file(Path::new(env!("CARGO_MANIFEST_DIR")), path),
        });
        port
    }

    fn ask(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    #[test]
    fn files_come_with_type_length_and_isolation() {
        let port = start(Headers::Isolating);
        let answer = ask(port, "GET /Cargo.toml?now#here HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n");
        let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("this crate's own");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with(&text), "{answer}");
        for header in [
            &format!("Content-Length: {}", text.len()),
            "Cross-Origin-Opener-Policy: same-origin",
            "Cross-Origin-Embedder-Policy: require-corp",
            "Cross-Origin-Resource-Policy: same-origin",
            "Cache-Control: no-cache",
        ] {
            assert!(answer.contains(&format!("{header}\r\n")), "{answer} lacks {header}");
        }
        assert_eq!(kind("a/spikelet_bg.wasm"), "application/wasm");
        assert_eq!(kind("index.js"), "text/javascript; charset=utf-8");
        assert_eq!(kind("README"), "application/octet-stream");
    }

    #[test]
    fn a_plain_host_isolates_nothing_and_an_open_one_is_for_all() {
        let answer = ask(start(Headers::Plain), "GET /Cargo.toml HTTP/1.1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200") && !answer.contains("Cross-Origin"), "{answer}");
        let open = ask(start(Headers::Open), "GET /Cargo.toml HTTP/1.1\r\n\r\n");
        assert!(
            open.contains("Access-Control-Allow-Origin: *\r\n") && open.contains("Resource-Policy: cross-origin\r\n"),
            "{open}"
        );
    }

    #[test]
    fn what_the_browser_has_is_not_sent_again() {
        let port = start(Headers::Plain);
        let answer = ask(port, "GET /Cargo.toml HTTP/1.1\r\n\r\n");
        let tag = answer.lines().find_map(|line| line.strip_prefix("ETag: ")).expect("a tag");
        let again = ask(port, &format!("GET /Cargo.toml HTTP/1.1\r\nif-none-match: {tag}\r\n\r\n"));
        assert!(again.starts_with("HTTP/1.1 304") && again.ends_with("\r\n\r\n"), "{again}");
        let other = ask(port, "GET /Cargo.toml HTTP/1.1\r\nIf-None-Match: \"older\"\r\n\r\n");
        assert!(other.starts_with("HTTP/1.1 200"), "{other}");
        let head = ask(port, "HEAD /Cargo.toml HTTP/1.1\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn a_compressed_file_is_sent_to_those_who_accept_it() {
        let folder = std::env::temp_dir().join(format!("spikelet-host-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (name, content) in
            [("index.html", "plain"), ("index.html.br", "as br"), ("index.html.gz", "as gzip"), ("a.js", "script")]
        {
            fs::write(folder.join(name), content).expect("a file");
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let served = folder.clone();
        serve(listener, Headers::Plain, move |request| Content::compressed_file(&served, request));
        for (accepted, content, encoding) in
            [("gzip, br", "as br", Some("br")), ("gzip", "as gzip", Some("gzip")), ("br;q=0", "plain", None)]
        {
            let answer = ask(port, &format!("GET / HTTP/1.1\r\nAccept-Encoding: {accepted}\r\n\r\n"));
            assert!(answer.ends_with(&format!("\r\n\r\n{content}")), "{answer}");
            assert!(answer.contains("Content-Type: text/html"), "{answer}");
            let told = answer.lines().find_map(|line| line.strip_prefix("Content-Encoding: "));
            assert_eq!(told, encoding, "{answer}");
        }
        let script = ask(port, "GET /a.js HTTP/1.1\r\nAccept-Encoding: br\r\n\r\n");
        assert!(script.ends_with("\r\n\r\nscript") && !script.contains("Content-Encoding"), "{script}");
        fs::remove_dir_all(&folder).expect("it goes");
    }

    #[test]
    fn nothing_beside_the_folder_is_handed_out() {
        let port = start(Headers::Plain);
        for (path, status) in [
            ("/../spikelet/Cargo.toml", 400),
            ("/src/../../spikelet/Cargo.toml", 400),
            ("/src/%2e%2e/%2e%2e/spikelet/Cargo.toml", 400),
            ("/%", 400),
            ("//etc/passwd", 404),
            ("/src", 404),
            ("/", 404),
        ] {
            let answer = ask(port, &format!("GET {path} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        }
    }

    /// A page of another host that has its name stand for 127.0.0.1 would otherwise read what is served here ("DNS rebinding").
    #[test]
    fn a_foreign_host_is_answered_with_a_sentence() {
        let port = start(Headers::Open);
        let answer = ask(port, "GET /Cargo.toml HTTP/1.1\r\nHost: evil.example:80\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("not to \"evil.example:80\""), "{answer}");
    }

    #[test]
    fn a_body_arrives_whole() {
        let answer = ask(start(Headers::Plain), "POST /echo HTTP/1.1\r\ncontent-length: 4\r\n\r\ndone");
        assert!(answer.ends_with("\r\n\r\ndone"), "{answer}");
    }
}
