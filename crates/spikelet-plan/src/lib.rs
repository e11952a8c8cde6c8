//! A network flattened into arrays: all sizes of a backend are determined here.
//!
//! A plan is made in stages, each of which uses itself and earlier ones:
//!
//! | modules | |
//! |---|---|
//! | `values` | quantities become numbers: one for all elements, or one for each |
//! | `neurons` | populations and sources: texts, checked models, programs |
//! | `pairs` | who may be connected with whom: conditions, probabilities, expressions of pairs |
//! | `check` | projections with checked models, linked variables, changes |
//! | `draw` | rows, delays and values of synapses |
//! | `scale` | bounds of events, and the fixed point of each port |
//! | `layout` | what devices store and record: [arrays](Arrays), [channels](Channel), [statistics](StatisticPlan) |
//! | [`schedule`] | the order of a step, as data |
//! | `set` | what depends on a value that is set: [bindings](ParameterBinding), and plans with other values |
//! | `build`, `assemble`, `part` | the [`Builder`], which runs them |
//!
//! What runs a plan is a [`Backend`], on one rank or on several ([`Exchange`]). [`judge`] has the errors of a network while it is edited,
//! [`phase_plane`] the plane of two of its variables.

mod assemble;
pub mod backend;
mod build;
mod check;
mod diagnose;
mod draw;
mod exchange;
mod fit;
pub mod judge;
mod layout;
mod learned;
mod neurons;
mod notices;
mod options;
mod pairs;
mod part;
pub mod phase_plane;
mod pool;
mod scale;
pub mod schedule;
mod set;
mod task;
pub mod time;
mod values;

use std::sync::Arc;

use spikelet_lang::gradient::Surrogate;
use spikelet_lang::own::OwnFunctions;
use spikelet_network::{Error, Network, SurrogateChoice};
use spikelet_rows::{OwnNeurons, Part};

pub use backend::{Activity, Backend, Epoch, Measurement, Precision, Spike, Trial};
pub use build::{Builder, Progress};
pub use check::changes::check_meant;
pub use diagnose::diagnose;
pub use draw::expected::{NeuronPositions, expected_synapses, positions};
pub use draw::memory::{Estimate, ProjectionEstimate, bytes_per_synapse};
pub use draw::projection::{
    Degrees, DrawnValue, EdgePlan, MinWeight, MinWeightOf, PathwayPlan, PerSynapse, ProjectionPlan, ThirdNeurons, WeightSizes,
    WritePlan,
};
pub use draw::state::{Array, ArrivalPlan, ExactState, PortAddition, RegisterSource, StatePlan, SumPart, SumPlan, TracePlan};
pub use exchange::{Exchange, Message, Purpose, Reduction, Tag};
pub use layout::arrays::{ArrayEntry, ArrayId, ArrayKind, Arrays, Dtype, Owner};
pub use layout::edge_table::{EdgeColumn, EdgePart, EdgeTable};
pub use layout::recordings::greatest_common_divisor;
pub use layout::sampling::{Channel, NOT_SAMPLED, SampleRows, SampleSource, Sampling, sum};
pub use layout::statistics::StatisticPlan;
pub use learned::{SynapseList, pairs_of};
pub use neurons::clocks::Clocks;
pub use neurons::exact::ExactPopulation;
pub use neurons::population_plan::PopulationPlan;
pub use neurons::port::{Port, Ring};
pub use notices::{ModelNotices, of_models};
pub use options::BuildOptions;
pub use pairs::learned::check_same;
pub use pool::{Pool, ThreadSlot};
pub use scale::summary::PartSummary;
use schedule::Schedule;
pub use schedule::sleep::SleepRule;
use set::bindings::Bindings;
pub use set::bindings::{BoundPlan, NeuronValues, ParameterBinding};
pub use set::revise::{Revision, ScaledWrite};
pub use task::Task;

/// Maximum length of an epoch: spikes are read from the device at least this often.
const MAX_EPOCH_STEPS: u32 = 256;
/// The same with synaptic state: all spikes of an epoch are stored for the synapses.
const MAX_EPOCH_STEPS_WITH_STATE: u32 = 16;

/// A network flattened into arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The time step in ms.
    pub dt_ms: f64,
    /// Key of all random numbers.
    pub seed: u64,
    /// The populations.
    pub populations: Vec<PopulationPlan>,
    /// The projections.
    pub projections: Vec<Arc<ProjectionPlan>>,
    /// The delay buffers of all ports.
    pub ring: Ring,
    /// Number of steps that neurons can run without spikes of each other through synapses without state: the shortest delay + 1. Synapses
    /// with state are processed step by step: see [`Plan::schedule`].
    pub epoch_steps: u32,
    /// The recorded channels.
    pub channels: Vec<Channel>,
    /// What devices sample for them.
    pub sampling: Sampling,
    /// The statistics of synaptic variables, in the order of the network.
    pub statistics: Vec<StatisticPlan>,
    /// Number of clocks of all populations and projections: the length of a row of [`Plan::clocks`].
    pub clock_columns: u32,
    /// Number of steps in the spike history for synapses with state: their longest delay + 1, and the length of an epoch, which is cleared
    /// in advance; 0 if there are none.
    pub memory_steps: u32,
    /// Whether the values of all synapses are also there in f64, before rounding: see [`BuildOptions::exact`].
    pub exact: bool,
    /// Functions of one's own that its programs call.
    pub functions: OwnFunctions,
    part: Arc<Part>,
    arrays: Arc<Arrays>,
    schedule: Arc<Schedule>,
    bindings: Bindings,
}

impl Plan {
    /// Flattens a network: checks its models, draws its connectivity and initial values, chooses the fixed-point scales.
    ///
    /// # Errors
    /// Any error of the network, with its place; see [`Error`].
    pub fn new(network: &Network) -> Result<Plan, Error> {
        Builder::new(network, BuildOptions::default())?.finish()
    }

    /// Whether all devices can run it: functions without an expression need a GPU.
    ///
    /// # Errors
    /// The first function without one.
    pub fn check_functions(&self) -> Result<(), Error> {
        let Some(name) = self.functions.without_value() else { return Ok(()) };
        let expected = "it is in WGSL alone, which only GPUs run";
        let way_out = "add its `value`, an expression of the arguments, or use a GPU";
        Err(Error::invalid("functions", format!("`{name}`"), expected, way_out))
    }

    /// The neurons of this rank; all of them if there are no other ranks. Values and rows of neurons and of synapses are those of own neurons;
    /// numbers of neurons, sizes and the table of arrays are those of the whole network.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The neurons of a population that belong to this rank.
    pub fn own(&self, population: usize) -> &OwnNeurons {
        self.part.own(population)
    }

    /// A surrogate of the threshold of a population: the declared one, or that of a training.
    ///
    /// # Errors
    /// As [`SurrogateChoice::surrogate`].
    pub fn surrogate(&self, population: usize, choice: &SurrogateChoice) -> Result<Surrogate, Error> {
        let neurons = &self.bindings.neurons[population];
        choice.surrogate(&neurons.path, &neurons.model)
    }

    /// The values of all clocks in a step, those of the populations first.
    pub fn clocks(&self, step: u32) -> Vec<f32> {
        let mut row = Vec::with_capacity(self.clock_columns as usize);
        let of_projections = self.projections.iter().filter_map(|projection| projection.state.as_ref());
        let clocks =
            self.populations.iter().map(|population| &population.clocks).chain(of_projections.map(|state| &state.clocks));
        clocks.for_each(|clocks| clocks.append_values(step, self.dt_ms, &mut row));
        row
    }

    /// Whether both can run in parallel as [trials](crate::Trial): everything drawn is the same, and so is the code of a step. Values
    /// shared by a whole population or projection may differ, and so may initial states.
    pub fn shares_rows_with(&self, other: &Plan) -> bool {
        // Trials that differ only in their noise have the same plan.
        if std::ptr::eq(self, other) {
            return true;
        }
        let populations = || self.populations.iter().zip(&other.populations);
        let projections = || self.projections.iter().zip(&other.projections);
        let same_weights = |one: &WritePlan, other: &WritePlan| match (&one.weights, &other.weights) {
            (PerSynapse::Shared(_), PerSynapse::Shared(_)) => true,
            (one, other) => one == other,
        };
        self.dt_ms == other.dt_ms
            && self.ring == other.ring
            && (&self.channels, &self.sampling) == (&other.channels, &other.sampling)
            && self.statistics == other.statistics
            && (self.epoch_steps, self.clock_columns, self.memory_steps)
                == (other.epoch_steps, other.clock_columns, other.memory_steps)
            && self.populations.len() == other.populations.len()
            && populations().all(|(one, other)| {
                (one.size, &one.program, one.clocks.tables.len()) == (other.size, &other.program, other.clocks.tables.len())
                    && (one.winners, one.group) == (other.winners, other.group)
            })
            && self.projections.len() == other.projections.len()
            && projections().all(|(one, other)| {
                let delays = one.pathways.iter().map(|pathway| &pathway.delay).eq(other.pathways.iter().map(|p| &p.delay));
                let programs = one.state.as_ref().map(|state| &state.program) == other.state.as_ref().map(|state| &state.program);
                let writes = one.writes().zip(other.writes()).all(|((_, one), (_, other))| same_weights(one, other));
                one.edges.is_the_same(&other.edges) && one.third == other.third && delays && programs && writes
            })
    }

    /// Number of neurons.
    pub fn neurons(&self) -> u32 {
        self.populations.iter().map(|population| population.size).sum()
    }

    /// Number of synapses.
    pub fn synapses(&self) -> u64 {
        self.projections.iter().map(|projection| projection.synapses()).sum()
    }

    /// Number of events of a spike of each neuron, by the neuron's number.
    pub fn out_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.neurons() as usize];
        for projection in &self.projections {
            let first = self.populations[projection.pre].first + projection.pre_slice.start;
            let own = degrees[first as usize..].iter_mut();
            own.zip(&projection.degrees.outgoing).for_each(|(sum, degree)| *sum += degree);
        }
        degrees
    }

    /// Population and index in it of a neuron.
    pub fn locate(&self, neuron: u32) -> (usize, u32) {
        let population = self.populations.partition_point(|population| population.first <= neuron) - 1;
        (population, neuron - self.populations[population].first)
    }
}

fn too_large(network: &Network) -> Error {
    let expected = "a network can have at most 4294967295 neurons, counted once for each port";
    Error::invalid("populations", format!("{} neurons", network.neurons()), expected, "make it smaller")
}

#[cfg(test)]
mod tests;
