//! Errors in the input as JSON.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use spikelet::{Diagnostic, Error};

use crate::text::screenful;

/// An error. The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct InputError {
    /// What is wrong.
    message: String,
    /// How to fix it, if known.
    help: Option<String>,
    /// The kind of error; `None` for arguments.
    kind: Option<&'static str>,
    /// The file with the network.
    file: Option<String>,
    /// JSON path of the error; for a text in an object, the path of that text. Empty for the whole network.
    path: Option<String>,
    /// 1-based, in the file if the JSON is malformed, else in the text at the path.
    line: Option<usize>,
    column: Option<usize>,
}

impl InputError {
    /// An error in the arguments.
    pub(crate) fn of_arguments(message: &str) -> InputError {
        InputError { message: message.to_owned(), help: None, kind: None, file: None, path: None, line: None, column: None }
    }

    /// The parts of an error.
    pub(crate) fn of_error(error: &Error, file: Option<&Path>) -> Vec<InputError> {
        let file = file.map(|file| file.display().to_string());
        let mistake = |Diagnostic { code, path, span, message, help, .. }| InputError {
            message: screenful(&message),
            help: help.as_deref().map(screenful),
            kind: Some(code),
            file: file.clone(),
            path: Some(screenful(&path)),
            line: span.as_ref().map(|span| span.line),
            column: span.and_then(|span| span.column),
        };
        error.diagnostics(None).into_iter().map(mistake).collect()
    }
}

/// The object that `--json` prints instead of a result.
pub(crate) fn object(mistakes: &[InputError]) -> Value {
    json!({"completed": false, "mistakes": mistakes})
}
