//! A small HTTP server for one page: it hands out files, gives the page a job when it asks for one, and takes what came of it.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

const PAGE: &str = include_str!("../page/index.html");
const SCRIPT: &str = include_str!("../page/bench.js");

/// Nothing that a page tells is longer.
const LONGEST: usize = 1 << 20;

/// The server; its threads end with the program.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// Jobs for the page, as JSON.
    pub(crate) jobs: Sender<String>,
    /// What came of them, as JSON.
    pub(crate) results: Receiver<String>,
}

/// What all connections share.
struct Shared {
    engine: PathBuf,
    /// Whether the page is to be cross-origin isolated, so that its Workers may share memory.
    isolated: bool,
    jobs: Mutex<Receiver<String>>,
    results: Sender<String>,
}

impl Server {
    /// # Errors
    /// There is no free port.
    pub(crate) fn start(engine: &Path, isolated: bool) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let (jobs, waiting) = mpsc::channel();
        let (done, results) = mpsc::channel();
        let shared = Arc::new(Shared { engine: engine.to_owned(), isolated, jobs: Mutex::new(waiting), results: done });
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                // A browser that hangs up is no trouble of ours: the result that is missing tells.
                thread::spawn(move || shared.answer(stream).ok());
            }
        });
        Ok(Server { port, jobs, results })
    }
}

impl Shared {
    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        let (method, path, body) = read(&stream)?;
        let found = match (method.as_str(), path.as_str()) {
            ("GET", "/") => Some(("text/html", PAGE.into())),
            ("GET", "/bench.js") => Some(("text/javascript", SCRIPT.into())),
            // Waits until there is a job. Where there will be none, the answer is that there is no such thing.
            ("GET", "/job") => {
                let job = self.jobs.lock().ok().and_then(|jobs| jobs.recv().ok());
                job.map(|job| ("application/json", job.into_bytes()))
            }
            ("POST", "/result") => {
                // Nobody listens any more where the measurement was given up.
                let _ = self.results.send(String::from_utf8_lossy(&body).into_owned());
                Some(("text/plain", Vec::new()))
            }
            ("GET", path) => path.strip_prefix("/engine/").and_then(|path| self.file(path)),
            _ => None,
        };
        self.write(stream, found)
    }

    /// A file of the engine, or of a folder in it.
    fn file(&self, path: &str) -> Option<(&'static str, Vec<u8>)> {
        let path = Path::new(path);
        if path.components().any(|component| !matches!(component, Component::Normal(_))) {
            return None;
        }
        let kind = match path.extension()?.to_str()? {
            "js" => "text/javascript",
            "wasm" => "application/wasm",
            _ => return None,
        };
        Some((kind, fs::read(self.engine.join(path)).ok()?))
    }

    fn write(&self, mut stream: TcpStream, found: Option<(&str, Vec<u8>)>) -> io::Result<()> {
        let (status, kind, body) = match found {
            Some((kind, body)) => ("200 OK", kind, body),
            None => ("404 Not Found", "text/plain", Vec::new()),
        };
        write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n", body.len())?;
        if self.isolated {
            write!(stream, "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n")?;
        }
        write!(stream, "\r\n")?;
        stream.write_all(&body)?;
        stream.flush()
    }
}

/// Method, path without its query, and body of a request.
fn read(stream: &TcpStream) -> io::Result<(String, String, Vec<u8>)> {
    let mut reader = BufReader::new(stream.take(LONGEST as u64));
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length.min(LONGEST)];
    reader.read_exact(&mut body)?;
    Ok((method, path, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_page_gets_jobs_and_tells_results() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let server = Server::start(&folder, true).unwrap();
        server.jobs.send("{\"seed\":1}".to_owned()).unwrap();
        let job = ask(server.port, "GET /job HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(job.starts_with("HTTP/1.1 200") && job.ends_with("{\"seed\":1}"), "{job}");
        assert!(job.contains("Cross-Origin-Embedder-Policy: require-corp"), "{job}");
        ask(server.port, "POST /result HTTP/1.1\r\ncontent-length: 4\r\n\r\ndone");
        assert_eq!(server.results.recv().unwrap(), "done");
        assert!(ask(server.port, "GET /?x HTTP/1.1\r\n\r\n").ends_with(PAGE));
    }

    #[test]
    fn only_files_of_the_engine_are_handed_out() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let server = Server::start(&folder, false).unwrap();
        let script = ask(server.port, "GET /engine/bench.js HTTP/1.1\r\n\r\n");
        assert!(script.ends_with(SCRIPT) && !script.contains("Cross-Origin"));
        for path in ["/engine/../src/main.rs", "/engine/../page/bench.js", "/engine//etc/passwd", "/engine/none.js", "/other"] {
            let answer = ask(server.port, &format!("GET {path} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        }
    }
}
