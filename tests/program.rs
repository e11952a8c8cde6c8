//! Programs that tests start beside themselves.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program with all that it starts in turn; they end with this value, however the test ends.
pub(crate) struct Program(Child);

impl Program {
    /// # Errors
    /// There is no such program.
    pub(crate) fn start(command: &mut Command) -> std::io::Result<Program> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Program)
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Starts a server, and waits until it listens at a port.
    pub(crate) fn serve(mut command: Command, port: u16) -> Program {
        let server = Program::start(&mut command).unwrap();
        let started = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed().as_secs() < 60, "{command:?} does not listen");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = Command::new("kill").args(["--", &format!("-{}", self.0.id())]).status();
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
