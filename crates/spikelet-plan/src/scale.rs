//! Weights and events in the fixed point of their ports.

pub(super) mod bounds;
pub(super) mod scales;
pub(super) mod summary;
pub(super) mod synapses;
