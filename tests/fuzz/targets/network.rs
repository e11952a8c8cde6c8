//! Networks as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikelet::Network;
use spikelet_fuzz::{accepted, survives, text};

fuzz_target!(|bytes: &[u8]| {
    let Some(text) = text(bytes) else { return };
    if let Some(network) = accepted(Network::from_json(text)) {
        survives(&network);
    }
});
