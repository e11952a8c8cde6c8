//! Division of a network among ranks, and scores of a division before anything runs.
//!
//! A [`Problem`] has what is known of a network without drawing a synapse: the load and the memory of each neuron, positions, and the
//! expected synapses of a sample of neurons. A [`Method`] divides it into a [`Partition`], and a [`Score`] says what the partition costs:
//!
//! ```
//! use spikelet_network::catalogue;
//! use spikelet_partition::{Method, Problem, Rates};
//!
//! # fn main() -> Result<(), spikelet_network::Error> {
//! let network = catalogue::network("waves", 1.0)?;
//! let problem = Problem::new(&network, Rates::expected(&network))?;
//! let blocks = problem.score(&problem.divide(4, Method::Blocks)?);
//! let bisected = problem.score(&problem.divide(4, Method::Bisection)?);
//! assert!(bisected.cut < blocks.cut);
//! # Ok(()) }
//! ```
//!
//! The methods are our own: coupe 0.1.0 on crates.io has 66 dependencies, among them two versions of ndarray and a random generator without
//! support for wasm32-unknown-unknown, knows no periodic space, and adds floating-point numbers in the order of its threads. Everything
//! here is serial and gives the same partition on every machine. The crate does no I/O and reads no clock.

mod blocks;
mod cells;
mod choice;
mod divide;
mod file;
mod graph;
mod groups;
mod kmeans;
mod load;
mod method;
mod problem;
mod rates;
mod rcb;
mod sample;
mod score;
mod svg;

pub use choice::{Candidate, best, choose};
pub use file::{from_json, to_json};
pub use method::{Axis, Choice, Method};
pub use problem::Problem;
pub use rates::{NOMINAL_HZ, Rates};
pub use score::Score;
pub use spikelet_rows::Partition;
pub use svg::svg;
