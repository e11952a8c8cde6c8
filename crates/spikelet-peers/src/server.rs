//! The host of one page: it hands out the package, gives the page a job when it asks for one, and takes what came of it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};

use spikelet_host::{Content, Headers, Request, serve};

const PAGE: &str = include_str!("../page/index.html");
const SCRIPT: &str = include_str!("../page/bench.js");

/// The server; its threads end with the program.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// Jobs for the page, as JSON.
    pub(crate) jobs: Sender<String>,
    /// What came of them, as JSON.
    pub(crate) results: Receiver<String>,
}

impl Server {
    /// Serves the package in `engine`; the page is cross-origin `isolated`, so that its Workers may share memory, or not.
    ///
    /// # Errors
    /// There is no free port.
    pub(crate) fn start(engine: &Path, isolated: bool) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let (jobs, waiting) = mpsc::channel::<String>();
        let (done, results) = mpsc::channel();
        let (engine, waiting) = (engine.to_owned(), Mutex::new(waiting));
        let headers = if isolated { Headers::Isolating } else { Headers::Plain };
        serve(listener, headers, move |Request { method, path, body, .. }| match (method.as_str(), path.as_str()) {
            ("GET", "") => Some(Content::new("text/html", PAGE)),
            ("GET", "bench.js") => Some(Content::new("text/javascript", SCRIPT)),
            // Waits until there is a job. Where there will be none, the answer is that there is no such thing.
            ("GET", "job") => Some(Content::new("application/json", waiting.lock().ok()?.recv().ok()?)),
            ("POST", "result") => {
                // The receiver is dropped if the measurement was cancelled.
                let _ = done.send(String::from_utf8_lossy(body).into_owned());
                Some(Content::new("text/plain", ""))
            }
            ("GET", path) => Content::file(&engine, path.strip_prefix("engine/")?),
            _ => None,
        });
        Ok(Server { port, jobs, results })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

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
        let job = ask(server.port, "GET /job HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
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
        for (path, status) in [
            ("/engine/../src/main.rs", 400),
            ("/engine/../page/bench.js", 400),
            ("/engine//etc/passwd", 404),
            ("/engine/none.js", 404),
            ("/other", 404),
        ] {
            let answer = ask(server.port, &format!("GET {path} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        }
    }
}
