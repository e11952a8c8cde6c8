//! A host that serves a folder as the plainest of them do, with no header but the type and length of a file, or as those that make pages
//! cross-origin isolated.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is served, for as long as the process lives.
pub(crate) struct Host {
    pub(crate) url: String,
}

/// Files, by the end of their path, that are served with another content than they have, if they are there at all.
type Replaced = Vec<(&'static str, String)>;

/// Which headers go with every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headers {
    /// None besides type and length.
    Plain,
    /// Those that make a page cross-origin isolated.
    Isolating,
    /// Those, and the one that lets pages of any origin use the files.
    Open,
}

const ISOLATING: &str = "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n";

impl Host {
    /// Serves a folder at a free port of the loopback.
    pub(crate) fn start(folder: PathBuf, replaced: Replaced, headers: Headers) -> std::io::Result<Host> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/", listener.local_addr()?);
        let served = Arc::new((folder, replaced, headers));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                // A browser that goes away in the middle of a file is no failure of the test.
                std::thread::spawn(move || answer(&stream, &served.0, &served.1, served.2));
            }
        });
        Ok(Host { url })
    }
}

/// Answers one request.
fn answer(mut stream: &TcpStream, folder: &Path, replaced: &Replaced, headers: Headers) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or("/").split(['?', '#']).next().unwrap_or("/").trim_start_matches('/');
    let index = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
    let name = &format!("{path}{index}");
    let own = replaced.iter().find(|(file, _)| name.ends_with(file)).map(|(_, content)| content.as_bytes().to_vec());
    let content = own.or_else(|| std::fs::read(inside(folder, name)?).ok());
    let (status, content) = content.map_or(("404 Not Found", Vec::new()), |content| ("200 OK", content));
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let length = content.len();
    let isolating = if headers == Headers::Plain { "" } else { ISOLATING };
    let open = if headers == Headers::Open { "Access-Control-Allow-Origin: *\r\n" } else { "" };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{isolating}{open}Connection: close\r\n\r\n"
    )?;
    stream.write_all(&content)
}

/// A file of the folder, never one beside it.
fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    (!name.split('/').any(|part| part == "..")).then(|| folder.join(name))
}
