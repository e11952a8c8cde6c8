//! The end of xtask ends all processes that it has started: commands run in their own process groups, and signals are passed to them.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Process groups that run.
static GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn groups() -> MutexGuard<'static, Vec<u32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a command that ends when xtask does.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    // Held while it starts, so that no signal comes between.
    let mut groups = groups();
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // It asks for a password on the terminal, which only the group in front may read.
        if command.get_program() == "sudo" {
            return command.spawn();
        }
        command.process_group(0);
    }
    let child = command.spawn()?;
    groups.push(child.id());
    Ok(child)
}

/// Ends a child, with all that it has started.
///
/// # Errors
/// An error of the system.
pub(crate) fn kill(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
    // Not all have a group of their own.
    child.kill()
}

/// A child that has been waited for: its number may be another's now.
pub(crate) fn ended(child: &Child) {
    groups().retain(|group| *group != child.id());
}

/// From here on SIGINT, SIGTERM and SIGHUP end this process and all that it has started, with 128 + the signal's number.
///
/// # Errors
/// An error of the system.
#[cfg(unix)]
pub(crate) fn pass_signals_on() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Kept, so that nothing new starts.
            let groups = groups();
            for group in groups.iter() {
                let _ = Command::new("kill").args(["-TERM", "--", &format!("-{group}")]).status();
            }
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// A console ends all that runs in it by itself.
#[cfg(not(unix))]
pub(crate) fn pass_signals_on() -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_a_group_of_its_own_until_it_ends() {
        let mut command = Command::new("sleep");
        let mut child = start(command.arg("60")).expect("sleep");
        assert!(groups().contains(&child.id()));
        let killed = Command::new("kill").args(["-TERM", "--", &format!("-{}", child.id())]).status().expect("kill");
        assert!(killed.success(), "there is no such group");
        assert!(!child.wait().expect("it ends").success());
        ended(&child);
        assert!(!groups().contains(&child.id()));
    }
}
