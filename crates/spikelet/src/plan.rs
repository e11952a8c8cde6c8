//! A network flattened into arrays: all sizes of a backend are determined here.

mod arrays;
mod bindings;
mod bounds;
mod build;
mod changes;
mod checked;
mod clocks;
mod diagnose;
mod drawing;
mod edges;
mod event_sample;
pub(crate) mod exact;
mod expected;
mod fit;
mod learned;
mod memory;
mod neurons;
mod notices;
mod options;
mod pairs;
mod part;
mod population;
mod projection;
mod quantities;
mod rates;
mod realized;
mod recordings;
mod revise;
mod sample;
mod scales;
pub mod schedule;
mod sources;
mod state;
mod stateful;
mod statistics;
mod summary;
mod synapses;
mod texts;
mod values;

use std::sync::Arc;

use spikelet_lang::model::NeuronModel;
use spikelet_lang::{PopulationLayout, Program};

use crate::network::WinnerRule;
use crate::{Error, Network, OwnNeurons, Part, Population, ring};

pub use arrays::{ArrayEntry, ArrayId, ArrayKind, Arrays, Dtype, Owner};
pub(crate) use bindings::BoundPlan;
pub use bindings::ParameterBinding;
use bindings::{Bindings, SynapseValues};
use bounds::EventBounds;
pub use build::{Builder, Progress};
pub(crate) use changes::check_meant;
pub use clocks::Clocks;
pub use diagnose::diagnose;
pub use expected::{NeuronPositions, expected_synapses, positions};
pub use memory::{Estimate, ProjectionEstimate, bytes_per_synapse};
pub(crate) use notices::{ModelNotices, of_models};
pub use options::BuildOptions;
use population::CheckedPopulation;
pub use projection::{
    Degrees, DrawnValue, EdgePlan, MinWeight, MinWeightOf, PathwayPlan, PerSynapse, ProjectionPlan, WeightSizes, WritePlan,
};
use realized::RealizedProjection;
pub use recordings::{Channel, SampleSource};
pub(crate) use revise::{Revision, ScaledWrite};
use scales::{FirstEvents, ProjectionInput, Scales, loosen};
use schedule::Schedule;
use sources::LoweredNetwork;
pub use state::{Array, ArrivalPlan, ExactState, PortAddition, RegisterSource, StatePlan, TracePlan};
pub use statistics::StatisticPlan;
pub use summary::PartSummary;
use values::NamedValues;

/// Maximum length of an epoch: spikes are read from the device at least this often.
const MAX_EPOCH_STEPS: u32 = 256;
/// The same with synaptic state: all spikes of an epoch are stored for the synapses.
const MAX_EPOCH_STEPS_WITH_STATE: u32 = 16;

/// A population, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationPlan {
    /// Its name in the network.
    pub name: String,
    /// Number of its first neuron in the network.
    pub first: u32,
    /// Number of neurons.
    pub size: u32,
    /// The code of a step.
    pub program: Program,
    /// Values of the program's constants.
    pub constants: Vec<f32>,
    /// Initial values of the program's arrays: one for all neurons, or one per neuron.
    pub initial: Vec<Vec<f32>>,
    /// The program's ports.
    pub ports: Vec<Port>,
    /// The program's clocks, and its tables.
    pub clocks: Clocks,
    /// Index of the clocks' values in a row of [`Plan::clocks`].
    pub first_clock: u32,
    /// Which of the neurons above threshold fire, if not all do: the array [`Program::score`] has the values that are compared.
    pub winners: Option<WinnerRule>,
    /// The first population of its group: of the populations of a group only the one whose winners have the largest sum fires.
    pub group: Option<usize>,
}

impl PopulationPlan {
    /// The initial value of an array in a neuron.
    pub fn initial(&self, array: usize, neuron: usize) -> f32 {
        let values = &self.initial[array];
        if values.len() == 1 { values[0] } else { values[neuron] }
    }

    /// Which of its ports have remainders.
    pub(crate) fn split_precision(&self) -> Vec<bool> {
        self.ports.iter().map(|port| port.split_precision).collect()
    }

    /// The variables that are stored in two words.
    pub(crate) fn in_two_words(&self) -> impl Iterator<Item = &str> {
        self.program.variables.iter().filter_map(|name| spikelet_lang::of_low_word(name))
    }

    /// The port through which events are added to a variable.
    pub fn port(&self, variable: &str, wide: bool) -> Option<usize> {
        let adds = |port: usize| {
            self.program.variables[self.program.ports[port]] == variable && self.ports[port].split_precision == wide
        };
        (0..self.ports.len()).find(|port| adds(*port))
    }
}

/// The synaptic input to one variable of a population.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Port {
    /// Its offset in a slot of the delay buffer: one lane per neuron from here on.
    pub column: u32,
    /// Sums are in units of 2^-shift.
    pub shift: i32,
    /// Whether events are computed when spikes arrive, so that their size is not known before: each is then stored as whole units and, in
    /// as many additional lanes, a remainder.
    pub split_precision: bool,
    /// Remainders are in units of 2^-this.
    pub fine_shift: i32,
    /// Maximum number of whole units of an event.
    pub limit: i32,
    /// Whether it takes the remainders of the previous port, for weights of very different magnitudes.
    pub rest: bool,
}

impl Port {
    /// Lanes per neuron.
    pub fn width(&self) -> u32 {
        1 + u32::from(self.split_precision)
    }

    /// The value of one unit of the delay buffer, and of one unit of the remainder.
    pub fn units(&self) -> [f32; 2] {
        [ring::unit(self.shift), if self.split_precision { ring::unit(self.fine_shift) } else { 0.0 }]
    }
}

/// The delay buffers of all ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ring {
    /// Number of slots: the longest delay + 1.
    pub slots: u32,
    /// Neurons of all ports.
    pub columns: u32,
}

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
    /// The statistics of synaptic variables, in the order of the network.
    pub statistics: Vec<StatisticPlan>,
    /// Number of clocks of all populations and projections: the length of a row of [`Plan::clocks`].
    pub clock_columns: u32,
    /// Number of steps in the spike history for synapses with state: their longest delay + 1, and the length of an epoch, which is cleared
    /// in advance; 0 if there are none.
    pub memory_steps: u32,
    /// Whether the values of all synapses are also there in f64, before rounding: see [`BuildOptions::exact`].
    pub exact: bool,
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

    /// The plan of checked populations and drawn projections, with the summary of all ranks. Ports have at least the scales of `old`.
    fn assemble(
        network: &LoweredNetwork<'_>,
        neurons: &[CheckedPopulation],
        (mut drawn, summary): (Vec<RealizedProjection>, &PartSummary),
        old: Option<&Plan>,
        exact: bool,
    ) -> Result<Plan, Error> {
        summary.complete(&mut drawn, network.part.is_whole());
        let values: Vec<NamedValues> =
            drawn.iter().enumerate().map(|(index, drawn)| summary.values(index, &drawn.values)).collect();
        let models = drawn.iter().map(|drawn| &drawn.checked.model);
        let mut bounds: Vec<EventBounds> =
            models.zip(&values).map(|(model, values)| EventBounds::of_values(model, values)).collect();
        if let Some(old) = old {
            for ((bounds, drawn), before) in bounds.iter_mut().zip(&drawn).zip(&old.projections) {
                bounds.widen(before, old, &|name| neurons[drawn.checked.post].model.variable(name));
            }
        }
        let of_projections = || drawn.iter().enumerate();
        let first_events: Vec<FirstEvents> = (0..drawn.len()).map(|index| summary.first_events(index)).collect();
        let inputs = of_projections().zip(first_events.iter().zip(&values));
        let inputs: Vec<ProjectionInput<'_>> =
            inputs.map(|((index, drawn), of)| ProjectionInput::new(index, drawn, of)).collect();
        let models: Vec<&NeuronModel> = neurons.iter().map(|neurons| &neurons.model).collect();
        let shifts: Vec<_> = neurons.iter().map(|neurons| &neurons.shifts).collect();
        loosen(&mut bounds, &inputs, &models, &shifts)?;
        let effects = synapses::effects(drawn.iter().map(|drawn| &drawn.checked).zip(&bounds), neurons);
        let scales = Scales { inputs: &inputs, bounds: &bounds, models: &models, shifts: &shifts, old };
        let mut populations = Vec::new();
        let (mut ring, mut shortest) = (Ring { slots: 1, columns: 0 }, MAX_EPOCH_STEPS - 1);
        let mut clock_lanes = 0;
        for (index, (population, (wanted, written))) in network.populations.iter().zip(effects).enumerate() {
            let (of, name) = (&neurons[index], &population.name);
            let (variables, ports) = scales.ports(index, &wanted)?.into_iter().unzip();
            let before = old.map(|old| old.populations[index].in_two_words().map(str::to_owned).collect());
            let layout = PopulationLayout {
                compensated: before
                    .map_or_else(|| changes::slow(network, index), Ok)?
                    .into_iter()
                    .chain(summary.slow(index).cloned())
                    .collect(),
                ports: variables,
                written: written.into_iter().collect(),
                observed: recordings::observed(network, name, |name| of.model.subexpressions.contains_key(name)),
                ..PopulationLayout::default()
            };
            let mut plan = of.plan(network, name, layout, ports)?;
            for port in &mut plan.ports {
                port.column = ring.columns;
                let lanes =
                    network.part.own(index).len().checked_mul(port.width()).and_then(|lanes| ring.columns.checked_add(lanes));
                ring.columns = lanes.ok_or_else(|| too_large(network))?;
            }
            let group = |of: &Population| of.winners.as_ref().and_then(|winners| winners.group.clone());
            plan.group =
                group(population).and_then(|own| network.populations.iter().position(|of| group(of).as_ref() == Some(&own)));
            plan.first_clock = clock_lanes;
            clock_lanes += plan.clocks.len() as u32;
            populations.push(plan);
        }
        drop(inputs);
        let values = of_projections().zip(first_events.into_iter().zip(values));
        let values = values.map(|((index, drawn), of)| SynapseValues::new(index, drawn, of, &network.projections[index]));
        let values: Vec<SynapseValues> = values.collect();
        let mut longest_with_state = None;
        let mut projections: Vec<Arc<ProjectionPlan>> = Vec::new();
        let dimensions: Vec<_> = drawn.iter().map(|drawn| drawn.checked.model.dimensions()).collect();
        for (index, (drawn, bounds)) in drawn.into_iter().zip(&bounds).enumerate() {
            let before = old.and_then(|old| old.projections[index].state.as_ref());
            let mut state = StatePlan::new(network, &drawn, (bounds, summary), neurons, &populations, before, exact)?;
            let delays = summary.delays(index);
            if let Some(state) = &mut state {
                state.first_clock = clock_lanes;
                clock_lanes += state.clocks.len() as u32;
                let longest = delays.iter().map(|delays| delays.end).max().unwrap_or(0);
                longest_with_state = longest_with_state.max(Some(longest));
                shortest = shortest.min(MAX_EPOCH_STEPS_WITH_STATE - 1);
                ring.slots = ring.slots.max(2);
                let before = |post: usize, array: usize| {
                    let states = projections.iter().filter(|other| other.post == post).filter_map(|other| other.state.as_ref());
                    states.flat_map(|state| &state.summed).any(|(summed, _)| *summed == array)
                };
                for (array, first) in &mut state.summed {
                    *first = !before(drawn.checked.post, *array);
                }
            } else if drawn.degrees.synapses > 0 {
                for delays in delays {
                    shortest = shortest.min(delays.start);
                    ring.slots = ring.slots.max(delays.end + 1);
                }
            }
            projections.push(Arc::new(drawn.quantised(neurons, &populations, state, delays)));
        }
        let dimension = |object: &str, name: &str| {
            let neurons = network.find(object).and_then(|index| neurons[index].model.dimension(name));
            neurons.or_else(|| {
                let index = network.projections.iter().position(|projection| projection.name == object)?;
                dimensions[index].get(name).copied()
            })
        };
        let channels = recordings::channels(network, &populations, &projections, (&dimension, summary))?;
        let statistics = statistics::plans(network, &projections, &dimension)?;
        let (dt_ms, seed, epoch_steps) = (network.dt_ms, network.seed, shortest + 1);
        let memory_steps = longest_with_state.map_or(0, |longest| longest + 1 + epoch_steps);
        let parts = arrays::ArraySources {
            named: network.network().populations.len(),
            neurons,
            populations: &populations,
            projections: &projections,
            statistics: &statistics,
            ring,
            memory_steps,
            dimension: &dimension,
        };
        let arrays = Arc::new(parts.table());
        let bindings = Bindings::new(neurons, values, &populations, &projections, &arrays);
        let mut plan = Plan {
            dt_ms,
            seed,
            populations,
            projections,
            ring,
            epoch_steps,
            channels,
            statistics,
            clock_columns: clock_lanes,
            memory_steps,
            exact,
            part: network.part.clone(),
            arrays,
            schedule: Arc::default(),
            bindings,
        };
        plan.schedule = Arc::new(Schedule::new(&plan));
        Ok(plan)
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
            && self.channels == other.channels
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
                one.edges.is_the_same(&other.edges) && delays && programs && writes
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
