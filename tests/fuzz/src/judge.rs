//! Networks that are being edited: all their errors at once, for an editor. A network may have any error here.

use super::{accepted, is_small, text};
use spikelet::{Network, judge};

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Some(network) = accepted(Network::from_json_unchecked(text)).filter(is_small) else { return };
    let typed = network.populations.first().into_iter().flat_map(|population| population.parameters.keys().take(1).cloned());
    let judgement = judge::judge(&network, Some(0), &typed.collect::<Vec<String>>());
    for found in judgement.population.iter().chain(&judgement.network) {
        assert!(!found.message.trim().is_empty(), "a diagnostic says nothing: {found:?}");
    }
    // What is found to be valid is valid, and the other way round.
    if let Err(error) = network.validate() {
        assert!(!judgement.network.is_empty(), "the judge does not find this: {error}");
    }
}
