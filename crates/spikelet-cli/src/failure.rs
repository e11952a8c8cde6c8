//! Why a command ends without success.

use std::path::Path;
use std::process::ExitCode;

/// A sentence for the user, and whose fault it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something about the network or the arguments: exit code 2.
    #[error("{0}")]
    Input(String),
    /// Something during the run: exit code 1.
    #[error("{0}")]
    Run(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(_) => ExitCode::from(2),
            Failure::Run(_) => ExitCode::FAILURE,
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
