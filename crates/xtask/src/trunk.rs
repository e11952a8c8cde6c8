//! Plain `trunk serve`, for users with trunk, wasm-bindgen and Node, and a test of it.

use crate::toolchain::Wasm;
use crate::workspace::Workspace;
use crate::{Result, board, ending, serve, tools};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Everything was compiled before, except on a machine with another compiler.
const PATIENCE: Duration = Duration::from_secs(1200);

/// A trunk that serves, until it is dropped.
pub(crate) struct Trunk {
    child: Child,
    pub(crate) url: String,
}

impl Trunk {
    /// Waits until it answers.
    ///
    /// # Errors
    /// It does not start, it ends, or it does not answer in time.
    pub(crate) fn start(workspace: &Workspace, wasm: &Wasm, dist: &Path) -> Result<Trunk> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = Command::new(tools::trunk(workspace)?);
        wasm.configure(workspace, &mut command);
        command.args(["serve", "--port", &port.to_string(), "--dist"]).arg(dist).stdin(Stdio::null());
        // Trunk asks for newer versions of itself, and stops at a NO_COLOR=1, which is not the `true` it wants.
        command.env("TRUNK_SKIP_VERSION_CHECK", "true").env_remove("NO_COLOR");
        println!("→ trunk serve");
        let started = Instant::now();
        let mut trunk = Trunk { child: ending::start(&mut command)?, url: serve::address(port) };
        while trunk.child.try_wait()?.is_none() && started.elapsed() < PATIENCE {
            if answers(port) {
                println!("✓ trunk serve responds  {}", board::seconds(started.elapsed()));
                return Ok(trunk);
            }
            thread::sleep(Duration::from_millis(100));
        }
        Err(format!("trunk serve: no response at {} after {}", trunk.url, board::seconds(started.elapsed())).into())
    }
}

impl Drop for Trunk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        ending::ended(&self.child);
    }
}

/// Whether a GET of the page brings a 200.
fn answers(port: u16) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut start = [0; 12];
        stream.read_exact(&mut start)?;
        Ok(start == *b"HTTP/1.1 200")
    };
    ask().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_that_is_there_answers() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let server = thread::spawn(move || {
            for status in ["404 Not Found", "200 OK"] {
                let (mut stream, _) = listener.accept().expect("a caller");
                let mut request = [0; 512];
                let _ = stream.read(&mut request).expect("a request");
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).expect("an answer");
            }
        });
        assert!(!answers(port));
        assert!(answers(port));
        server.join().expect("the server ends");
        assert!(!answers(port));
    }
}
