//! What is wrong with a network, one by one, and where.

use spikelet::diagnostic::{self, Span};
use spikelet::{BuildOptions, Error, Network};

use super::memory;
use crate::protocol::Diagnostic;

/// All that can be found before synapses are drawn; where nothing is wrong, what is hardly meant.
pub(super) fn diagnostics(json: &str) -> Vec<Diagnostic> {
    let options = BuildOptions { memory: Some(memory::room()), ..BuildOptions::default() };
    diagnostic::check(json, options).into_iter().map(told).collect()
}

/// What an error says is wrong with a network, which is that one, if it is known.
pub(super) fn of_error(error: &Error, network: Option<&Network>) -> Vec<Diagnostic> {
    error.diagnostics(network).into_iter().map(told).collect()
}

fn told(found: diagnostic::Diagnostic) -> Diagnostic {
    let diagnostic::Diagnostic { code, is_error, path, span, message, help } = found;
    // A place in the JSON is told where that is the text that is meant.
    let span = span.filter(|span| !span.in_json || path.is_empty());
    let number = |of: fn(&Span) -> Option<usize>| span.as_ref().and_then(of).map(|number| number as u32);
    let (line, column, width) = (number(|span| Some(span.line)), number(|span| span.column), number(|span| span.width));
    Diagnostic { code: code.to_owned(), is_error, message, help, path, line, column, width }
}
