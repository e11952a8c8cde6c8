//! The errors of requests.

use spikelet::Error;
use spikelet_export::ExportError;
use spikelet_module::Failure;

/// Why a request failed, as the page receives it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionError(Failure);

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
            _ => "invalid_value",
        };
        SessionError(Failure::new(code, error.to_string(), error.path().filter(|path| !path.is_empty())))
    }
}

impl From<ExportError> for SessionError {
    fn from(error: ExportError) -> SessionError {
        match error {
            ExportError::Network(error) => error.into(),
            other => SessionError(Failure::new("invalid_value", other.to_string(), None)),
        }
    }
}
