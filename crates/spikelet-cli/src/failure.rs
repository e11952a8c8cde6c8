//! Errors of commands.

use std::any::Any;
use std::path::Path;
use std::process::ExitCode;

use spikelet::Error;

use crate::mistakes::InputError;
use crate::signal::Signal;

/// A message for the user, and its exit code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Invalid arguments: exit code 2.
    #[error("{0}")]
    Input(String),
    /// Errors in the network, as text and as a list: exit code 2.
    #[error("{0}")]
    Network(String, Vec<InputError>),
    /// A sentence without a parse, of which the results tell: exit code 2.
    #[error("{0}")]
    Sentence(String),
    /// An error during the run: exit code 1.
    #[error("{0}")]
    Run(String),
    /// A file that cannot be written during the run, which therefore ends: exit code 1.
    #[error("{0}")]
    Output(String),
    /// Interrupted by a signal: exit code 128 plus the number of the signal.
    #[error("interrupted by {0} {1}")]
    Interrupted(Signal, String),
    /// The reader of the output closed it: exit code 1.
    #[error("the reader of the output has closed it")]
    Unread,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// The exit code as a number.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Input(_) | Failure::Network(..) | Failure::Sentence(_) => 2,
            Failure::Run(_) | Failure::Output(_) | Failure::Unread => 1,
            Failure::Interrupted(signal, _) => signal.exit_code(),
        }
    }

    /// An error of a network, with its file.
    pub(crate) fn of_file(path: &Path, error: &Error) -> Failure {
        Failure::of_all(Some(path), std::slice::from_ref(error))
    }

    /// All errors in a network, at least one.
    pub(crate) fn of_all(path: Option<&Path>, errors: &[Error]) -> Failure {
        let place = path.map_or(String::new(), |path| format!("{}: ", path.display()));
        let text = errors.iter().map(|error| format!("{place}{error}")).collect::<Vec<_>>().join("\n");
        if !errors.iter().any(Error::is_bad_input) {
            return Failure::Run(text);
        }
        Failure::Network(text, errors.iter().flat_map(|error| InputError::of_error(error, path)).collect())
    }
}

/// What a panic says.
pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::of_all(None, &[error])
    }
}
