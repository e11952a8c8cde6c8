//! What is wrong with the input, one by one, as machines read it.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use spikelet::{Error, lang};

use crate::terminal::screenful;

/// A mistake. The keys of its JSON are part of the command line's interface.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Mistake {
    /// The sentence that a user reads.
    message: String,
    /// The sort of mistake, where it has a name.
    kind: Option<String>,
    /// The file with the network.
    file: Option<String>,
    /// JSON path of what is wrong; of a text in an object, the path of that text. Empty for the whole network.
    path: Option<String>,
    /// 1-based, in the file where the mistake is one of JSON, else in the text at the path.
    line: Option<usize>,
    column: Option<usize>,
}

impl Mistake {
    /// Something about the arguments.
    pub(crate) fn of_arguments(message: &str) -> Mistake {
        Mistake { message: message.to_owned(), kind: None, file: None, path: None, line: None, column: None }
    }

    /// All that an error says.
    pub(crate) fn of_error(error: &Error, file: Option<&Path>) -> Vec<Mistake> {
        let file = file.map(|file| file.display().to_string());
        if let Error::Model { path, diagnostics } = error {
            return diagnostics.iter().map(|found| Mistake { file: file.clone(), ..Mistake::of_text(path, found) }).collect();
        }
        let (line, column) = error.position().map_or((None, None), |(line, column)| (Some(line), column));
        let (message, kind) = (screenful(&error.to_string()), error.kind().map(str::to_owned));
        vec![Mistake { message, kind, file, path: error.path().map(screenful), line, column }]
    }

    fn of_text(object: &str, found: &lang::Diagnostic) -> Mistake {
        let path = match found.place.as_str() {
            // What has no key of its own is the object itself.
            place if place == "condition" || object.ends_with(&format!(".{place}")) => object.to_owned(),
            place if object.is_empty() => place.to_owned(),
            place => format!("{object}.{place}"),
        };
        let message = found.help.as_ref().map_or_else(|| found.message.clone(), |help| format!("{} {help}", found.message));
        Mistake {
            message: screenful(&message),
            kind: Some(found.kind.name().to_owned()),
            file: None,
            path: Some(path),
            line: Some(found.line),
            column: Some(found.column),
        }
    }
}

/// The object that `--json` prints instead of a result.
pub(crate) fn object(mistakes: &[Mistake]) -> Value {
    json!({"completed": false, "mistakes": mistakes})
}
