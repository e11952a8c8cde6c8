//! Connectivity.
//!
//! A [`Connector`](spikelet_network::Connector) is the rule of the user, and a [`Draw`](spikelet_network::connectors::Draw) the kind of rows that it draws. Where
//! possible these become a [`ProceduralRows`]: the row of any neuron can be drawn independently from counters, at any time. Others are drawn row by
//! row, or as a whole. The result never depends on the number of threads or shards: each draw has its own coordinates (projection, neuron,
//! block).

mod bit_set;
mod connectivity;
mod distance;
mod edge_batch;
mod edge_sorter;
mod edge_source;
mod expected;
mod generated;
mod index_generator;
mod permutation;
mod preparation;
mod procedural_rows;
mod row_by_row;
mod row_distribution;
mod row_generator;
mod row_sorter;
mod rows;
mod space;
mod total;
mod words;

pub use expected::{ExpectedSynapses, Occurrence, Product};
pub use procedural_rows::{Edge, Footprint, ProceduralRows, RowDistribution};
pub use rows::{Rows, grouped};
pub use words::Words;

pub use connectivity::{Connectivity, PairPredicate, PairValue};
pub use index_generator::{GeneratorAmount, GeneratorValues, IndexGenerator};
pub use preparation::Preparation;
pub use row_generator::RowGenerator;
pub use space::Space;

/// Whether something of probability `p` happens: by 32 random bits and, where these are the first ones of the probability, by 32 more.
fn happens(p: f64, bits: u32, more: impl FnOnce() -> u32) -> bool {
    // `as` saturates: what is not below 1 always happens.
    let threshold = (p * 18_446_744_073_709_551_616.0) as u64;
    let first = (threshold >> 32) as u32;
    bits < first || bits == first && more() < threshold as u32 || threshold == u64::MAX
}

/// A probability as the threshold for 32 random bits, as devices have it for the neighbours on a grid; the largest number means 1.
fn threshold(p: f64) -> u32 {
    // `as` saturates: values that round to 2³² mean 1.
    libm::round(p * 4_294_967_296.0) as u32
}

/// Whether 32 random bits are below the threshold.
fn comes_true(bits: u32, threshold: u32) -> bool {
    bits < threshold || threshold == u32::MAX
}

#[cfg(test)]
mod tests;
