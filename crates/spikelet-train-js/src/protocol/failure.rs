//! The errors of requests.

use serde::Serialize;
use spikelet::Error;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The kind, one of the engine's codes.
    pub code: &'static str,
    /// What is wrong, the value, and how to fix it.
    pub message: String,
    /// The JSON path in the training, or the name of an option.
    pub path: Option<String>,
    /// Always empty: a message has all errors.
    pub diagnostics: [(); 0],
}

impl Failure {
    /// A failure, with its place if it has one.
    pub fn new(code: &'static str, message: impl Into<String>, path: Option<&str>) -> Failure {
        Failure { code, message: message.into(), path: path.map(str::to_owned), diagnostics: [] }
    }

    pub(crate) fn protocol(error: &str) -> Failure {
        Failure::new("protocol", format!("the request is not understood: {error}"), None)
    }

    /// Nothing is open.
    pub(crate) fn no_training() -> Failure {
        Failure::new("no_network", "there is no training yet; open one", None)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
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
        Failure::new(code, error.to_string(), error.path().filter(|path| !path.is_empty()))
    }
}
