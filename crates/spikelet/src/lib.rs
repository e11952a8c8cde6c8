//! Spikelet: a simulator of spiking neural networks.
//!
//! A [`Network`] is the description by the user: plain data, with JSON input and output. A [`Plan`] is the network flattened into arrays. A
//! [`Backend`] runs a plan, an [`Epoch`] at a time, and returns spikes; [`Cpu`] is the reference backend, and [`Double`] shows its rounding errors. A [`Simulation`] combines the
//! three, and a [`Recorder`] summarises the results:
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
//! | modules | |
//! |---|---|
//! | `simulation`, `snapshot` | a network that runs, with values that are set; its complete state as bytes |
//! | `compare`, `record`, `spike_statistics` | the same network in f32 and in f64; summaries and statistics of spikes |
//! | `driver` | the loop of a run in a program: the length of batches, work ahead, checkpoints, a lost device, a condition |
//! | `cost`, `notices`, `point` | what a network demands of ranks; what may be a mistake; points of a sweep |
//!
//! Below it are crates that this one re-exports: [`spikelet_cpu`] (the backends on CPUs), [`spikelet_plan`] (the network as arrays, in stages),
//! [`spikelet_rows`] (connectivity, random numbers), `spikelet_network` (plain data) and [`lang`] (equations).
//!
//! The same network with the same seed gives the same spikes, bit by bit, on every CPU, native or wasm, with any number of threads. The
//! crate does no I/O and reads no clock.

pub mod compare;
pub mod cost;
pub mod diagnostic;
mod driver;
mod notices;
mod point;
mod record;
mod simulation;
mod snapshot;
mod spike_statistics;

pub use compare::Compare;
pub use driver::{Batch, Checkpoints, DeviceLoss, Driver, Host, Next, Pacing, Replacement, RunEnd};
pub use notices::notices;
pub use point::Point;
pub use record::{PopulationSummary, Recorder, spike_hash};
pub use simulation::{Changed, Simulation, Stopped, SynapseQuery, SynapseSample, TrialRun, UntilCondition, Variant};
pub use snapshot::Snapshot;
pub use spike_statistics::{
    Correlogram, PairwiseCorrelation, PopulationStatistics, PowerSpectrum, RateCourse, SpikeStatistics, SpikeStatisticsOptions,
    SpikeSummary,
};
#[doc(inline)]
pub use spikelet_cpu::{
    Cpu, CpuProfile, Double, ExactSamples, NotANumber, Operation, OperationTimes, Played, RankLink, RankTiming, Ranked, Routes,
    Select, Sleep, draws, inhibited, refilled, sum_of_winners, together,
};
pub use spikelet_lang as lang;
pub(crate) use spikelet_network as network;
pub use spikelet_network::{
    Aggregate, Change, Connector, CustomEvent, CustomFunction, DelayColumn, Delays, Diagnostic, EdgeFile, Endpoint, Error,
    FORMAT, FileContent, Indices, Link, Network, NeuronFile, NeuronTable, Notice, Pairs, Pathways, Population, Positions,
    Projection, Quantity, RULES, ReadSeek, Recording, Rule, RuleEntry, RunRegularly, Source, SourceKind, Statistic, Storage,
    SurrogateChoice, Sweep, SynapseState, SynapseStateFile, Third, Weights, WinnerRule, Winners, World, catalogue, connectors,
    edges, grouped, human, npz, selection, texts, worlds,
};
#[doc(inline)]
pub use spikelet_plan::{
    Activity, Array, ArrayEntry, ArrayId, ArrayKind, Arrays, ArrivalPlan, Backend, BuildOptions, Builder, Channel, Clocks,
    Degrees, DrawnValue, Dtype, EdgeColumn, EdgePart, EdgePlan, EdgeTable, Epoch, Estimate, ExactPopulation, ExactState,
    Exchange, Measurement, Message, MinWeight, MinWeightOf, NeuronPositions, NeuronValues, Owner, ParameterBinding, PartSummary,
    PathwayPlan, PerSynapse, Plan, Pool, PopulationPlan, Port, PortAddition, Precision, Progress, ProjectionEstimate,
    ProjectionPlan, Purpose, Reduction, RegisterSource, Ring, SampleRows, SampleSource, Sampling, Spike, StatePlan,
    StatisticPlan, SumPart, SumPlan, SynapseList, Tag, Task, ThirdNeurons, ThreadSlot, TracePlan, Trial, WeightSizes, WritePlan,
    backend, bytes_per_synapse, diagnose, expected_synapses, judge, phase_plane, positions, schedule, time,
};
#[doc(inline)]
pub use spikelet_rows::{
    Assignment, Distribution, Edge, ExpectedSynapses, Footprint, Moments, Occurrence, OwnNeurons, Part, PartialHistogram,
    Partition, ProceduralRows, Product, RowDistribution, Rows, Words, half, ring, rng,
};

#[cfg(test)]
mod tests;
