//! A host that serves a folder as the plainest of them do: no header but the type and length of a file.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is served, for as long as the process lives.
pub(crate) struct Host {
    pub(crate) url: String,
}

/// Files, by the end of their path, that are served with another content than they have.
type Replaced = Vec<(&'static str, String)>;

impl Host {
    /// Serves a folder at a free port of the loopback.
    pub(crate) fn start(folder: PathBuf, replaced: Replaced) -> std::io::Result<Host> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/", listener.local_addr()?);
        let served = Arc::new((folder, replaced));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                // A browser that goes away in the middle of a file is no failure of the test.
                std::thread::spawn(move || answer(&stream, &served.0, &served.1));
            }
        });
        Ok(Host { url })
    }
}

/// Answers one request.
fn answer(mut stream: &TcpStream, folder: &Path, replaced: &Replaced) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or("/").split(['?', '#']).next().unwrap_or("/").trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let own = replaced.iter().find(|(file, _)| name.ends_with(file)).map(|(_, content)| content.as_bytes().to_vec());
    let content = own.or_else(|| std::fs::read(inside(folder, name)?).ok());
    let (status, content) = content.map_or(("404 Not Found", Vec::new()), |content| ("200 OK", content));
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let length = content.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(&content)
}

/// A file of the folder, never one beside it.
fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    (!name.split('/').any(|part| part == "..")).then(|| folder.join(name))
}
