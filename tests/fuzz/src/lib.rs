//! What fuzz targets have in common: properties of errors, and runs of small networks.
//!
//! A target gives any bytes to the public function that reads such files. It must return a value or an error: no panic, no abort, no hang, and
//! memory in proportion to its input. What is accepted passes the next stage by the same rules.
//!
//! Each module is a target: `targets/` has its program, and `tests/corpora.rs` gives it the inputs of the repository.

pub mod csv;
pub mod equations;
pub mod hdf5;
pub mod judge;
pub mod matrix_market;
pub mod network;
pub mod neuroml;
pub mod nir;
pub mod npz;
pub mod samples;
pub mod settings;
pub mod snapshot;
pub mod sonata;
pub mod training;
pub mod world;

use std::hash::Hasher;

use fnv::FnvHasher;
use spikelet::edges::{Bounds, EdgeList};
use spikelet::{BuildOptions, Builder, Cpu, Error, Network, Simulation};

/// The largest network that is run: its neurons, its expected synapses, and its memory in bytes.
const NEURONS: u64 = 2_000;
const SYNAPSES: f64 = 20_000.0;
const MEMORY: u64 = 64 << 20;

/// Gives the value, or checks that the error is a sentence for users.
pub fn accepted<T>(result: Result<T, Error>) -> Option<T> {
    result.map_err(|error| explained(&error)).ok()
}

/// Checks that an error is a sentence for users, and that its diagnostics are, too.
pub fn explained(error: &Error) {
    assert!(error.to_string().chars().any(char::is_alphabetic), "an error says nothing: {error:?}");
    for diagnostic in error.diagnostics(None) {
        assert!(!diagnostic.message.trim().is_empty(), "a diagnostic says nothing: {diagnostic:?}");
    }
}

/// The text of some bytes, if they are UTF-8.
pub fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Writes a network, reads it again, and runs it for three steps if it is small.
pub fn survives(network: &Network) {
    let json = network.to_json();
    let again = Network::from_json(&json).unwrap_or_else(|error| panic!("its own JSON is rejected: {error}\n{json}"));
    assert_eq!(again.to_json(), json, "the JSON differs after it was read");
    run(network);
}

/// Whether a network has few neurons.
pub fn is_small(network: &Network) -> bool {
    network.neurons() <= NEURONS
}

/// Begins to build a network if it is small.
fn builder(network: &Network) -> Option<Builder<'_>> {
    let options = BuildOptions { memory: Some(MEMORY), ..BuildOptions::default() };
    let builder = accepted(Builder::new(network, options))?;
    let synapses: f64 = builder.estimate().projections.iter().map(|projection| projection.synapses).sum();
    // Not a number is not small.
    (synapses <= SYNAPSES).then_some(builder)
}

/// Runs a network for three steps if it is small.
pub fn run(network: &Network) {
    if !is_small(network) {
        return;
    }
    let Some(plan) = builder(network).and_then(|builder| accepted(builder.finish())) else { return };
    pollster::block_on(async {
        let simulation = Simulation::with_plan(network, plan.into(), Box::new(Cpu::new(1))).await;
        if let Some(mut simulation) = accepted(simulation) {
            accepted(simulation.advance(3).await);
        }
    });
}

/// Checks that edges are between the neurons that they may connect, and that all columns have their length.
pub fn consistent(edges: &EdgeList, bounds: &Bounds) {
    assert!(edges.pairs.iter().all(|[pre, post]| bounds.pre.contains(pre) && bounds.post.contains(post)), "{edges:?}");
    assert!(edges.columns.iter().all(|column| column.values.len() == edges.pairs.len()), "{edges:?}");
}

/// FNV-1a with 64 bits, as in snapshots and checkpoints.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    hash.finish()
}
