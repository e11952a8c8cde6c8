//! `cargo xtask serve`: engine and page, built and served by trunk.

use crate::engine;
use crate::toolchain::{TARGET, Wasm};
use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Result, step};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

/// What serving the page takes.
pub(crate) const NEEDS: &[Need] = &[Need::Compiler, Need::Sources, Need::Bindgen, Need::Node, Need::Trunk];

/// A server that has not answered by then never will: everything is compiled before it starts.
const PATIENCE: Duration = Duration::from_secs(120);

/// Serves the page until it is interrupted; edits to the sources rebuild it.
///
/// # Errors
/// The port is taken, or something cannot be installed or built.
pub(crate) fn serve(workspace: &Workspace, port: u16, yes: bool) -> Result {
    drop(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        format!("port {port} cannot be served ({error}): end what runs there, or choose another with --port")
    })?);
    tools::provide(workspace, NEEDS, yes)?;
    let wasm = Wasm::open(workspace)?;
    build(workspace, &wasm, Path::new("dist"))?;

    Command::new(env::current_exe()?).args(["announce", "--port", &port.to_string()]).spawn()?;
    let mut trunk = trunk(workspace, &wasm, "serve", Path::new("dist"))?;
    trunk.args(["--port", &port.to_string()]);
    become_it(trunk)
}

/// Tells when the page answers. A process of its own, because `serve` turns into trunk; where trunk ends early, it has
/// told why itself.
///
/// # Errors
/// The page does not answer in time.
pub(crate) fn announce(port: u16) -> Result {
    let server = server();
    let alive = || self::server() == server;
    match wait_for(port, alive) {
        Err(problem) if alive() => return Err(problem),
        Err(_) => return Ok(()),
        Ok(()) => {}
    }
    println!("\nSpikelet: {}   (Ctrl-C ends it)", address(port));
    Ok(())
}

/// Builds engine and page into `dist`.
///
/// # Errors
/// A step fails.
pub(crate) fn build(workspace: &Workspace, wasm: &Wasm, dist: &Path) -> Result {
    engine::build(workspace, wasm)?;
    // What trunk would run: done here first, so that trunk needs no network and a compile error is all that is shown.
    let compile = ["build", "--manifest-path", "web/Cargo.toml", "--profile", engine::PROFILE, "--target", TARGET];
    step::run("page: compile", wasm.cargo(workspace, &compile))?;
    step::run("page: trunk build", trunk(workspace, wasm, "build", dist)?)
}

/// The page served for tests, until it is dropped.
pub(crate) struct Page {
    trunk: Child,
    pub(crate) url: String,
}

impl Page {
    /// Serves what `build` has put into `dist`, at a free port, without rebuilds and without the script for them.
    ///
    /// # Errors
    /// It does not start, or does not answer in time.
    pub(crate) fn start(workspace: &Workspace, wasm: &Wasm, dist: &Path) -> Result<Page> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = trunk(workspace, wasm, "serve", dist)?;
        command.args(["--no-autoreload", "true", "--watch", "Trunk.toml", "--port", &port.to_string()]);
        let trunk = command.stdin(Stdio::null()).spawn()?;
        let mut page = Page { trunk, url: address(port) };
        wait_for(port, || matches!(page.trunk.try_wait(), Ok(None)))?;
        Ok(page)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.trunk.kill();
        let _ = self.trunk.wait();
    }
}

/// A trunk command for a release of the page in `dist`.
fn trunk(workspace: &Workspace, wasm: &Wasm, verb: &str, dist: &Path) -> Result<Command> {
    let mut command = Command::new(tools::trunk(workspace)?);
    wasm.settle(workspace, &mut command);
    command.args(["--quiet", "--offline", "true", verb, "--release", "true", "--dist"]).arg(dist);
    // For the hook of Trunk.toml. Trunk stops at a NO_COLOR=1, which is not the `true` it wants.
    command.env("SPIKELET_XTASK", env::current_exe()?).env("TRUNK_SKIP_VERSION_CHECK", "true").env_remove("NO_COLOR");
    Ok(command)
}

/// The process that started this one; another number once that has ended.
#[cfg(unix)]
fn server() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn server() -> u32 {
    0
}

/// Where there is `exec`, xtask turns into the server: whoever ends the one ends the other.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result {
    use std::os::unix::process::CommandExt;
    Err(format!("cannot start trunk: {}", command.exec()).into())
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("trunk ended with {status}").into()) }
}

fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}/")
}

/// Waits until the page answers, as long as `alive`.
fn wait_for(port: u16, mut alive: impl FnMut() -> bool) -> Result {
    let started = Instant::now();
    while started.elapsed() < PATIENCE && alive() {
        if answers(port) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(100));
    }
    Err(format!("nothing answers at {} after {}", address(port), step::seconds(started.elapsed())).into())
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
        assert!(wait_for(port, || false).is_err());
    }
}
