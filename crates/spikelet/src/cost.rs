//! A model of what a network costs on many ranks: time and memory, from its expected numbers of synapses and spikes, without building it.
//!
//! A [`Load`] is what the network demands, a [`MachineCosts`] what the ranks can do, and a [`Prediction`] follows from both. `docs/scaling.md`
//! describes the model, and compares it with measurements.

mod expected;
mod load;
mod machine;
mod memory;
mod predict;
pub mod reference;

pub use expected::ExpectedMemory;
pub use load::{Load, PopulationLoad, ProjectionLoad};
pub use machine::MachineCosts;
pub use predict::{ASSUMPTIONS, Prediction};
