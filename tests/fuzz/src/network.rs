//! Networks as JSON.

use super::{accepted, survives, text};
use spikelet::Network;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(network) = accepted(Network::from_json(text)) {
        survives(&network);
    }
}
