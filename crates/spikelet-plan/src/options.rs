//! Options of the build.

use std::num::NonZeroUsize;

use spikelet_network::{Storage, Weights};

/// Options of the build. Spikes do not depend on any option except `weights`.
#[derive(Debug, Clone, Copy)]
pub struct BuildOptions {
    /// Threads that draw synapses. The system starts them; for wasm, where it cannot, see
    /// [`Builder::with_pool`](super::Builder::with_pool).
    pub threads: NonZeroUsize,
    /// Bytes available to the plan. Projections without a storage setting become procedural, the largest first, until the rest fits.
    pub memory: Option<u64>,
    /// Storage of synapses if the network does not set it, as far as their rules allow.
    pub storage: Option<Storage>,
    /// Format of weights if the network does not set it. The plans differ: f16 rounds stored weights.
    pub weights: Option<Weights>,
    /// Whether the plan also has the values of synapses in f64, before they are rounded, for the backend in f64. They need 8 bytes
    /// per synapse and value, which are not part of the estimated memory.
    pub exact: bool,
}

/// One thread, and unlimited memory.
impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions { threads: NonZeroUsize::MIN, memory: None, storage: None, weights: None, exact: false }
    }
}
