//! How a plan is built.

use std::num::NonZeroUsize;

use crate::network::{Storage, Weights};

/// How a plan is built. Every spike of it is the same with any options but `weights`.
#[derive(Debug, Clone, Copy)]
pub struct BuildOptions {
    /// Threads that draw synapses. The system starts them; in wasm, where it cannot, see [`Builder::with_pool`](super::Builder::with_pool).
    pub threads: NonZeroUsize,
    /// Bytes that the plan may take. Projections that do not say how they are stored become procedural, the largest first, until the
    /// rest fits.
    pub memory: Option<u64>,
    /// How synapses are kept where the network does not say, as far as their rules allow.
    pub storage: Option<Storage>,
    /// How weights are kept where the network does not say. Not all plans are then the same: f16 rounds weights that are kept.
    pub weights: Option<Weights>,
}

/// One thread, and as much memory as it takes.
impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions { threads: NonZeroUsize::MIN, memory: None, storage: None, weights: None }
    }
}
