//! From a rule of connection to rows of synapses, and what is drawn and added up on the way.
//!
//! | modules | |
//! |---|---|
//! | [`connect`] | from a connection rule to rows: drawn from counters, row by row, or sorted from edges |
//! | [`rng`] | random numbers by counters: each draw has its own coordinates |
//! | [`ring`], [`half`] | delay rings in fixed point; weights in two bytes |
//! | [`distribution`] | moments and histograms of the values of synapses, in whole numbers that are added up in any order |
//! | [`partition`] | which neurons belong to which rank |
//!
//! Loops over synapses: the crate is compiled for speed in every profile. It does not know what a plan is.

pub mod connect;
pub mod distribution;
pub mod half;
pub mod partition;
pub mod ring;
pub mod rng;

pub use connect::{Edge, ExpectedSynapses, Footprint, Occurrence, ProceduralRows, Product, RowDistribution, Rows, Words};
pub use distribution::{Distribution, Moments, PartialHistogram};
pub use partition::{Assignment, OwnNeurons, Part, Partition};
