//! The errors of requests.

use serde::Serialize;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The kind, one of the engine's codes.
    pub code: &'static str,
    /// What is wrong, the value, and how to fix it.
    pub message: String,
    /// The JSON path, or the name of an option.
    pub path: Option<String>,
    /// Always empty: only errors of networks have them, and a message has all errors.
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
}
