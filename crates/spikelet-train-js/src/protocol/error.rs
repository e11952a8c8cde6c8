//! The errors of requests.

use spikelet_module::Failure;
use spikelet_network::Error;

/// Why a request failed, as the page receives it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionError(Failure);

impl SessionError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, path: Option<&str>) -> SessionError {
        SessionError(Failure::new(code, message, path))
    }

    /// Nothing is open.
    pub(crate) fn no_training() -> SessionError {
        SessionError::new("no_network", "there is no training yet; open one", None)
    }
}

impl From<SessionError> for Failure {
    fn from(SessionError(failure): SessionError) -> Failure {
        failure
    }
}

impl From<Error> for SessionError {
    fn from(error: Error) -> SessionError {
        let code = match &error {
            Error::Json { .. } => "json",
            Error::UnknownKey { .. } => "unknown_key",
            Error::MissingKey { .. } => "missing_key",
            Error::UnknownName { .. } => "unknown_name",
            Error::Model { .. } => "equations",
            Error::OutOfMemory { .. } => "out_of_memory",
            Error::Diverged { .. } | Error::LossNotFinite { .. } => "diverged",
            Error::Backend(_) => "device",
            _ => "invalid_value",
        };
        SessionError::new(code, error.to_string(), error.path().filter(|path| !path.is_empty()))
    }
}
