//! What is wrong with a network, one by one, and where.

use spikelet::diagnostic;
use spikelet::{BuildOptions, Error, Network};

use super::memory;
use crate::judge::to_protocol;
use crate::protocol::Diagnostic;

/// All that can be found before synapses are drawn; where nothing is wrong, what is hardly meant.
pub(super) fn diagnostics(json: &str) -> Vec<Diagnostic> {
    let options = BuildOptions { memory: Some(memory::room()), ..BuildOptions::default() };
    diagnostic::check(json, options).into_iter().map(to_protocol).collect()
}

/// What an error says is wrong with a network, which is that one, if it is known.
pub(super) fn of_error(error: &Error, network: Option<&Network>) -> Vec<Diagnostic> {
    error.diagnostics(network).into_iter().map(to_protocol).collect()
}
