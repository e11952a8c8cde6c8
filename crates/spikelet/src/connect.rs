//! Who is joined to whom.
//!
//! A [`Connector`](crate::Connector) is what the user says, and a [`Draw`](crate::connectors::Draw) the kind of rows that follows from
//! it. Kinds that allow it become a [`Recipe`]: any neuron's row can be drawn by itself from counters, now or whenever the neuron fires.
//! Others are drawn row by row, or as a whole. In no case does the result depend on how many threads or shards share the work: each draw
//! has coordinates of its own (projection, neuron, block).

mod connectivity;
mod distance;
mod permutation;
mod procedural_rows;
mod row_by_row;
mod row_distribution;
mod row_generator;
mod rows;
mod space;
mod total;

pub use procedural_rows::{Edge, Footprint, ProceduralRows, RowDistribution};
pub use rows::Rows;

pub(crate) use connectivity::{Connectivity, PairPredicate, PairValue};
pub(crate) use row_generator::RowGenerator;
pub(crate) use space::Space;

/// A probability as the 32 random bits below which it comes true; the largest number stands for always.
fn threshold(p: f64) -> u32 {
    // `as` saturates: what rounds to 2³² is always.
    libm::round(p * 4_294_967_296.0) as u32
}

/// Whether 32 random bits make it come true.
fn comes_true(bits: u32, threshold: u32) -> bool {
    bits < threshold || threshold == u32::MAX
}

#[cfg(test)]
mod tests;
