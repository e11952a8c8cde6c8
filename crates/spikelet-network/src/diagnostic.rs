//! The errors and notices of a network, in the form shown by command line, package and page.

use spikelet_lang as lang;
use spikelet_lang::diagnostic::{MAX_QUOTED, shown};

use crate::error::{known_names, way_out};
use crate::network::Notice;
use crate::{Error, Network};

/// An error or a notice about a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind: that of an error in equations as in the conformance corpus, such as `dimension_mismatch`, or that of the [`Error`], such
    /// as `unknown_key`; `notice` if it is not an error.
    pub code: &'static str,
    /// Whether it prevents a run.
    pub is_error: bool,
    /// JSON path, such as `populations[1].equations`; empty for the whole network.
    pub path: String,
    /// The position in a text, if there is one.
    pub span: Option<Span>,
    /// What is wrong, with the value: a sentence shown beside the path.
    pub message: String,
    /// How to fix it, if known.
    pub help: Option<String>,
}

/// A position in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Whether the text is the JSON itself; otherwise it is the text at the path.
    pub in_json: bool,
    /// 1-based line.
    pub line: usize,
    /// 1-based column in that line, in characters, if known.
    pub column: Option<usize>,
    /// Number of marked characters, if known.
    pub width: Option<usize>,
    /// The line; empty if the text is the JSON.
    pub excerpt: String,
}

impl From<&Notice> for Diagnostic {
    fn from(notice: &Notice) -> Diagnostic {
        let (path, message) = (notice.path.clone(), notice.to_string());
        Diagnostic { code: "notice", is_error: false, path, span: None, message, help: None }
    }
}

impl Error {
    /// Converts an error to diagnostics. With the network, if it is known: errors in the lines of a library model then have no position,
    /// because these lines are not in the network.
    pub fn diagnostics(&self, network: Option<&Network>) -> Vec<Diagnostic> {
        if let Error::Model { path, diagnostics } = self {
            let is_own = network.is_none_or(|network| !has_model(network, path));
            return diagnostics.iter().map(|found| Diagnostic::of_text(path, found, is_own)).collect();
        }
        let (message, help) = self.apart();
        let path = match self {
            Error::MissingKey { path, key, .. } => below(path, key),
            _ => self.path().unwrap_or_default().to_owned(),
        };
        let span =
            self.position().map(|(line, column)| Span { in_json: true, line, column, width: None, excerpt: String::new() });
        vec![Diagnostic { code: self.code(), is_error: true, path, span, message, help }]
    }

    /// The kind of error.
    fn code(&self) -> &'static str {
        match self {
            Error::Invalid { kind: Some(kind), .. } => kind,
            Error::Json { .. } => "json",
            Error::UnknownKey { .. } => "unknown_key",
            Error::MissingKey { .. } => "missing_key",
            Error::Invalid { .. } => "invalid_value",
            Error::UnknownName { .. } => "unknown_name",
            Error::Model { .. } => "equations",
            Error::OutOfMemory { .. } => "out_of_memory",
            Error::Backend(_) => "device",
            Error::DeviceLost { .. } => "device_lost",
            Error::EventTooLarge { .. } => "event_too_large",
            Error::NotComparable { .. } => "not_comparable",
            Error::MissingColumn { .. } => "missing_column",
            Error::Diverged { .. } => "diverged",
            Error::LossNotFinite { .. } => "loss_not_finite",
        }
    }

    /// What is wrong, and how to fix it.
    fn apart(&self) -> (String, Option<String>) {
        match self {
            Error::Json { message, .. } => (format!("The JSON is malformed: {message}."), None),
            Error::UnknownKey { key, suggestion, known, .. } => {
                let help = if known.is_empty() {
                    "No other keys are allowed here; remove it.".to_owned()
                } else {
                    sentence(&way_out(suggestion.as_deref(), known, "the valid keys are"))
                };
                (format!("There is no key `{}` here.", quoted(key)), Some(help))
            }
            Error::Invalid { value, expected, way_out, .. } => {
                let message = format!("{} is invalid: {}", quoted(value), shown(expected, MAX_SAID));
                (sentence(&message), Some(sentence(&shown(way_out, MAX_SAID))))
            }
            Error::MissingKey { key, example, .. } => {
                (format!("`{}` is missing.", quoted(key)), Some(format!("Add it, as in {}.", quoted(example))))
            }
            Error::UnknownName { what, name, suggestion, known, .. } => {
                let help = sentence(&known_names(suggestion.as_deref(), known));
                (format!("There is no {} `{}`.", quoted(what), quoted(name)), Some(help))
            }
            other => (sentence(&other.to_string()), None),
        }
    }
}

impl Diagnostic {
    /// Errors in one of the texts of the object at a path; they have positions if the text `is_own`, not from the library.
    fn of_text(object: &str, found: &lang::Diagnostic, is_own: bool) -> Diagnostic {
        let path = match found.place.as_str() {
            // Errors without a key refer to the object itself.
            place if place == "condition" || object.ends_with(&format!(".{place}")) => object.to_owned(),
            place => below(object, place),
        };
        let lang::Diagnostic { line, column, width, excerpt, .. } = found.clone();
        let span = (is_own && !excerpt.is_empty()).then_some(Span {
            in_json: false,
            line,
            column: Some(column),
            width: Some(width),
            excerpt,
        });
        let (code, message, help) = (found.kind.name(), found.message.clone(), found.help.clone());
        Diagnostic { code, is_error: true, path, span, message, help }
    }
}

/// Maximum number of characters of a sentence.
const MAX_SAID: usize = 800;

fn quoted(text: &str) -> String {
    shown(text, MAX_QUOTED)
}

/// The path of a key of the object at a path.
fn below(object: &str, key: &str) -> String {
    if object.is_empty() { key.to_owned() } else { format!("{object}.{key}") }
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let capital: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    if capital.ends_with(['.', '?', '!']) { capital } else { format!("{capital}.") }
}

/// Whether the population or projection at a path has a library model.
fn has_model(network: &Network, path: &str) -> bool {
    let index = |key: &str| path.strip_prefix(key)?.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok();
    let population = || network.populations.get(index("populations")?)?.model.as_ref();
    let projection = || network.projections.get(index("projections")?)?.model.as_ref();
    population().or_else(projection).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_model_of_the_library_are_no_place() {
        let network = Network::from_json(
            r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "a", "size": 3, "model": "lif"}]}"#,
        )
        .unwrap();
        let text = "dv/dt = x/ms : 1";
        let of_text = lang::Diagnostic::new(lang::Kind::UndefinedName, "equations", text, Default::default(), "`x` is nothing.");
        let of = |path: &str, network| {
            let error = Error::Model { path: path.into(), diagnostics: vec![of_text.clone()] };
            error.diagnostics(network).remove(0)
        };
        assert_eq!(of("populations[0]", Some(&network)).span, None);
        assert_eq!(of("populations[0]", None).span.unwrap().excerpt, text);
        // Text in the network itself, such as a value, has positions.
        assert!(of("populations[0].parameters", Some(&network)).span.is_some());
    }
}
