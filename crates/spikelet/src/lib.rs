//! Spikelet: a spiking-neural-network simulator.
//!
//! A [`Network`] is what the user says: plain data, JSON in and out. A [`Plan`] is the network flattened into arrays. A
//! [`Backend`] runs a plan, an [`Epoch`] at a time, and returns spikes; [`Cpu`] is the one that every other is judged by. A
//! [`Simulation`] holds the three together, and a [`Recorder`] sums up what comes out:
//!
//! ```
//! use spikelet::{Cpu, Recorder, Simulation, catalogue};
//!
//! # fn main() -> Result<(), spikelet::Error> { pollster::block_on(async {
//! let network = catalogue::network("cuba", 1.0)?;
//! let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await?;
//! let mut recorder = Recorder::new(simulation.plan());
//! recorder.add(&simulation.advance(100).await?.spikes); // 10 ms
//! println!("{} spikes, hash {}", recorder.spikes(), recorder.spikes_hash());
//! # Ok(()) }) }
//! ```
//!
//! The same network with the same seed gives the same spikes, to the bit, on every CPU, native or wasm, with any number of
//! threads. The crate does no I/O and reads no clock.

pub mod backend;
mod bytes;
pub mod catalogue;
mod connect;
mod cpu;
pub mod diagnostic;
mod distribution;
pub mod edges;
mod error;
pub mod half;
mod learned;
mod network;
mod notices;
pub mod npz;
mod plan;
mod policy;
mod pool;
mod record;
pub mod ring;
pub mod rng;
mod simulation;
mod snapshot;
mod sweep;
pub mod time;

pub use backend::{Activity, Backend, Epoch, Measurement, Spike, Task, Trial};
pub use bytes::human;
pub use connect::{Connector, Edge, Footprint, Law, RULES, Recipe, Rows, Rule, RuleEntry};
pub use cpu::Cpu;
pub use diagnostic::Diagnostic;
pub use distribution::{Distribution, Moments, Tally};
pub use error::Error;
pub use learned::Learned;
pub use network::{
    Change, Delays, EdgeFile, Endpoint, FORMAT, FileContent, Indices, LearnedFile, Network, Notice, Pairs, Pathways, Population,
    Positions, Projection, Quantity, Recording, Source, SourceKind, Statistic, Storage, Weights,
};
pub use plan::schedule;
pub use plan::{
    Addition, Array, ArrayEntry, ArrayId, ArrayKind, Arrays, ArrivalPlan, BuildOptions, Builder, Channel, Clocks, Degrees,
    DrawnValue, Dtype, EdgePlan, Estimate, Least, LeastOf, Origin, Owner, ParameterBinding, PathwayPlan, PerSynapse, Plan,
    PopulationPlan, Port, Progress, ProjectionEstimate, ProjectionPlan, Ring, Sampled, Sizes, StatePlan, StatisticPlan,
    TracePlan, WritePlan,
};
pub use policy::{Loss, Pacing, Recovery, Successor};
pub use pool::{Pool, Seat};
pub use record::{PopulationSummary, Recorder};
pub use simulation::{Changed, Run, Simulation, Stopped, Until, Variant};
pub use snapshot::Snapshot;
pub use spikelet_lang as lang;
pub use sweep::{Point, Sweep};
