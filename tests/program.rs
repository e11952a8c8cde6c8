//! Programs that tests start beside themselves.

use std::process::{Child, Command, Stdio};

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
