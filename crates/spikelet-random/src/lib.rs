//! Random networks over combinations of features, and comparisons of runs that should be the same.
//!
//! The simulator says what a network means in several places: for synapses with and without state, for f32 and f64, for whole epochs and
//! single steps, for ranks and threads. [`network()`] makes networks in which features meet that no example has together, and each of
//! [`COMPARISONS`] runs a network in two ways. A [`Campaign`] does this again and again, and makes each network smaller that shows a difference:
//!
//! ```
//! use spikelet_random::{Campaign, Options, comparison};
//!
//! let mut campaign = Campaign::new(Options::default(), 1);
//! let threads = comparison("threads").expect("it is one of the comparisons");
//! for _ in 0..3 {
//!     if let Some((draw, network)) = campaign.draw() {
//!         campaign.compare(threads, &draw, &network);
//!     }
//! }
//! assert!(campaign.differences.is_empty());
//! ```

mod agree;
mod campaign;
mod difference;
mod expression;
mod features;
mod known;
mod perturb;
mod population;
mod projection;
mod protocol;
mod run;
mod setting;
mod shrink;
mod sketch;
mod statement;

pub use agree::{Agreement, COMPARISONS, Comparison, ComparisonResult, comparison};
pub use campaign::{Campaign, Counts, Draw};
pub use difference::{Closeness, Deviation, Difference, first};
pub use features::features;
pub use known::{KNOWN, Known, known};
pub use run::{Pace, Seen, Stuck, run};
pub use shrink::shrink;
pub use sketch::{Options, Sketch, network};
