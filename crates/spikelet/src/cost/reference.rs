//! The networks with which a machine is measured.

use crate::{Error, Network, Storage};

/// Number of presynaptic neurons of [`events`].
pub const SENDERS: u32 = 10_000;

/// Neurons without spikes: their updates are the unit of [`MachineCosts::update_ns`](super::MachineCosts::update_ns).
///
/// # Errors
/// There are no neurons.
pub fn updates(neurons: u32) -> Result<Network, Error> {
    network(neurons, 1, 1, 0.0, Storage::Stored)
}

/// Neurons with a synapse from each of `outdegree / neurons` of the [`SENDERS`], which fire at `rate_hz`. Their events are too small to have
/// an effect.
///
/// # Errors
/// There are no neurons.
pub fn events(neurons: u32, outdegree: u32, rate_hz: f64, storage: Storage) -> Result<Network, Error> {
    network(neurons, SENDERS, outdegree, rate_hz, storage)
}

fn network(neurons: u32, senders: u32, outdegree: u32, rate_hz: f64, storage: Storage) -> Result<Network, Error> {
    let storage = if storage == Storage::Stored { "stored" } else { "procedural" };
    Network::from_json(&format!(
        r#"{{"name": "machine", "dt_ms": 0.1, "duration_ms": 1000,
            "populations": [{{"name": "n", "size": {neurons}, "model": "lif_exp"}}],
            "sources": [{{"type": "poisson", "name": "senders", "size": {senders}, "rate": "{rate_hz} Hz"}}],
            "projections": [{{"pre": "senders", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": {outdegree}}},
                              "on_pre": "ge_post += 1e-6*mV", "delay_ms": 1.5, "storage": "{storage}"}}]}}"#
    ))
}
