//! What is wrong with the input, one by one, as machines read it.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use spikelet::{Diagnostic, Error};

use crate::text::screenful;

/// A mistake. The keys of its JSON are part of the command line's interface.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct InputError {
    /// What is wrong.
    message: String,
    /// The way out, if there is a good guess.
    help: Option<String>,
    /// The sort of mistake; none of what is wrong with the arguments.
    kind: Option<&'static str>,
    /// The file with the network.
    file: Option<String>,
    /// JSON path of what is wrong; of a text in an object, the path of that text. Empty for the whole network.
    path: Option<String>,
    /// 1-based, in the file where the mistake is one of JSON, else in the text at the path.
    line: Option<usize>,
    column: Option<usize>,
}

impl InputError {
    /// Something about the arguments.
    pub(crate) fn of_arguments(message: &str) -> InputError {
        InputError { message: message.to_owned(), help: None, kind: None, file: None, path: None, line: None, column: None }
    }

    /// All that an error says.
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
