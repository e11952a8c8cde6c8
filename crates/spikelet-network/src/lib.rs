//! The description of a spiking neural network: a [`Network`], plain data, with JSON input and output.
//!
//! Populations and projections contain equations as text, or name a library model; a projection has a [`Connector`], the rule that connects
//! its neurons, or a list of synapses. [`Network::validate`] checks everything that does not need the equations. Each [`Error`] contains
//! the value, its place, what was expected and how to fix it:
//!
//! ```
//! use spikelet_network::{Connector, Network};
//!
//! # fn main() -> Result<(), spikelet_network::Error> {
//! let mut network = Network::from_json(
//!     r#"{
//!         "name": "echo", "dt_ms": 0.1, "duration_ms": 200,
//!         "populations": [{"name": "E", "size": 100, "model": "lif_exp"}],
//!         "projections": [{"pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.1}, "on_pre": "ge_post += 1*mV"}]
//!     }"#,
//! )?;
//! network.set("E_E.p", "0.2")?;
//! assert_eq!(network.projections[0].connect, Some(Connector::bernoulli(0.2)));
//!
//! let error = network.set("E_E.p", "2").unwrap_err();
//! assert_eq!(error.path(), Some("projections[0].connect.p"));
//! # Ok(()) }
//! ```
//!
//! The [`catalogue`] contains networks that are ready to run. The crate `spikelet` runs networks and re-exports this crate. This crate does
//! not depend on plans and devices, does no I/O and reads no clock.

pub mod catalogue;
mod columnar;
pub mod connectors;
pub mod diagnostic;
pub mod edges;
mod error;
mod ids;
mod network;
mod neuron_table;
pub mod npz;
mod numbers;
pub mod selection;
mod sweep;
mod synapse_state;
pub mod texts;
pub mod worlds;

pub use connectors::{Connector, RULES, Rule, RuleEntry};
pub use diagnostic::Diagnostic;
pub use error::Error;
pub use ids::Ids;
#[cfg(feature = "schema")]
pub use network::json_schema_of;
pub use network::{
    Aggregate, Change, Comparison, CustomEvent, CustomFunction, DelayColumn, Delays, DueChange, EdgeFile, Endpoint, FORMAT,
    FileContent, Indices, Link, Network, NeuronFile, Notice, Pairs, Pathways, Population, Positions, Projection, Quantity,
    RangeEnd, ReadSeek, Recording, RunRegularly, Source, SourceKind, Statistic, StopCondition, Storage, SurrogateChoice,
    SynapseStateFile, TextCodes, Third, Weights, WinnerRule, Winners, between_steps, nearest_step, parse_json, run_steps, whole,
};
pub use neuron_table::NeuronTable;
pub use numbers::{grouped, human};
pub use sweep::Sweep;
pub use synapse_state::SynapseState;
pub use worlds::World;
