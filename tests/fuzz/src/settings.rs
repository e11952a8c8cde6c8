//! What is typed: a line each, tried as a value of a path, a change, a condition, a sweep, and the name of an endpoint.

use super::{accepted, survives, text};
use spikelet::{Change, Endpoint, Network, Sweep};

const NETWORK: &str = include_str!("../../networks/everything.json");

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let mut network = Network::from_json(NETWORK).expect("it is in the repository");
    for line in text.lines() {
        if let Some((path, value)) = line.split_once('=') {
            accepted(network.set(path.trim(), value.trim()));
        }
        if let Some(change) = accepted(line.parse::<Change>()) {
            accepted(network.add_change(change));
        }
        accepted(network.add_stop(line));
        accepted(line.parse::<Endpoint>());
        accepted(line.parse::<Sweep>());
    }
    survives(&network);
}
