//! Options of brains.

use crate::Mode;

/// Options of a brain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrainOptions {
    /// Probability of a synapse between any two neurons.
    pub p: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// How synapses are represented.
    pub mode: Mode,
    /// The largest weight.
    pub w_max: f64,
    /// Number of CPU threads. It does not change the winners.
    pub threads: usize,
    /// Memory that areas and synapses may use, in bytes.
    pub memory: u64,
}

impl Default for BrainOptions {
    /// p = 0.05, seed 1, lazy, weights of at most 10,000, one thread, 2 GiB.
    fn default() -> BrainOptions {
        BrainOptions { p: 0.05, seed: 1, mode: Mode::Lazy, w_max: 10_000.0, threads: 1, memory: 2 << 30 }
    }
}
