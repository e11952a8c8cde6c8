//! All errors in a network, with their places.

use spikelet::diagnostic;
use spikelet::{BuildOptions, Error, Network};

use super::memory;
use crate::judge::to_protocol;
use crate::protocol::Diagnostic;

/// All errors that can be found before synapses are drawn; if there are none, the notices.
pub(super) fn diagnostics(json: &str) -> Vec<Diagnostic> {
    let options = BuildOptions { memory: Some(memory::room()), ..BuildOptions::default() };
    diagnostic::check(json, options).into_iter().map(to_protocol).collect()
}

/// The diagnostics of an error, for the given network if it is known.
pub(super) fn of_error(error: &Error, network: Option<&Network>) -> Vec<Diagnostic> {
    error.diagnostics(network).into_iter().map(to_protocol).collect()
}
