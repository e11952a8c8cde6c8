//! Why a command ends without success.

use std::path::Path;
use std::process::ExitCode;

use crate::interrupt::Signal;
use crate::terminal;

/// A sentence for the user, and whose fault it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something about the network or the arguments: exit code 2.
    #[error("{0}")]
    Input(String),
    /// Something during the run: exit code 1.
    #[error("{0}")]
    Run(String),
    /// A signal ended it: exit code 128 and the signal's number.
    #[error("interrupted by {0} {1}")]
    Interrupted(Signal, String),
    /// Nobody reads what it prints: exit code 1.
    #[error("the output is read no further")]
    Unread,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(_) => ExitCode::from(2),
            Failure::Run(_) | Failure::Unread => ExitCode::FAILURE,
            Failure::Interrupted(signal, _) => ExitCode::from(signal.exit_code()),
        }
    }

    /// Tells the user.
    pub(crate) fn say(&self) {
        match self {
            Failure::Unread => {}
            Failure::Interrupted(..) => terminal::say(self),
            Failure::Input(_) | Failure::Run(_) => terminal::say(&format_args!("error: {self}")),
        }
    }

    /// The same, said of a file.
    pub(crate) fn of_file(path: &Path, error: &spikelet::Error) -> Failure {
        let sentence = format!("{}: {error}", path.display());
        if error.is_bad_input() { Failure::Input(sentence) } else { Failure::Run(sentence) }
    }
}

impl From<spikelet::Error> for Failure {
    fn from(error: spikelet::Error) -> Failure {
        if error.is_bad_input() { Failure::Input(error.to_string()) } else { Failure::Run(error.to_string()) }
    }
}
