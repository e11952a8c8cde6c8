//! The table of all arrays of a plan on a device. Reading, writing, snapshots and names use this table.

use std::collections::HashMap;
use std::ops::Index;
use std::sync::Arc;

use spikelet_lang::model::Role;
use spikelet_lang::program::Register;
use spikelet_lang::{Dimension, End};
use spikelet_network::Error;
use spikelet_rows::PartialHistogram;

use crate::neurons::population::CheckedPopulation;
use crate::{PerSynapse, Plan, PopulationPlan, ProjectionPlan, Ring, StatePlan, StatisticPlan};

/// The index of an array in the [table](Arrays) of a plan. It is the same in plans that [share their rows](Plan::shares_rows_with).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(u32);

impl ArrayId {
    /// Its place in the table.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// The type of 32-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// A floating-point number.
    F32,
    /// An integer.
    I32,
    /// One bit per neuron of 32, the lowest first.
    Bits,
}

/// The owner of an array. It determines the location of the array, its distribution to threads, and how a device finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Neurons, one word each: the arrays of the program, then the step of each neuron's last spike.
    Neurons {
        /// Index of the population.
        population: usize,
    },
    /// A delay buffer, slot by slot, one lane per neuron, and as many again for remainders if events have two scales: one array per port.
    /// Its unit is that of [`ArrayEntry::SCALES`].
    RingColumns {
        /// Index of the population.
        population: usize,
    },
    /// The spike history of the last [`Plan::memory_steps`] steps: the words of a population for step s, at s modulo the number of steps.
    Memory {
        /// Index of the population.
        population: usize,
    },
    /// A population as a whole: [`ArrayEntry::CONSTANTS`] and [`ArrayEntry::SCALES`].
    Population {
        /// Index of the population.
        population: usize,
    },
    /// Synapses with state, one word each in the order of the rows: the arrays of [`StatePlan::arrays`](crate::StatePlan::arrays).
    Synapses {
        /// Index of the projection.
        projection: usize,
    },
    /// Increments by synapses without state, in units of their port: one word, or one per synapse, for each of the
    /// [writes](ProjectionPlan::writes). With f16 weights, written values are rounded.
    Events {
        /// Index of the projection.
        projection: usize,
    },
    /// Neurons of one side of a projection, one word each, stored for its synapses: the traces of
    /// [`StatePlan::traces`](crate::StatePlan::traces).
    Traces {
        /// Index of the projection.
        projection: usize,
        /// The side.
        end: End,
    },
    /// A projection as a whole: [`ArrayEntry::CONSTANTS`].
    Projection {
        /// Index of the projection.
        projection: usize,
    },
    /// No owner: one of [`Plan::statistics`], computed from another array when it is read. The words are those of a [`PartialHistogram`](spikelet_rows::PartialHistogram).
    Statistic,
}

impl Owner {
    /// The projection whose synapses have these values, be they stored per synapse or, for all synapses of a neuron, once in the neuron.
    pub fn of_synapses(self) -> Option<usize> {
        match self {
            Owner::Synapses { projection } | Owner::Traces { projection, .. } => Some(projection),
            _ => None,
        }
    }
}

/// How the values of an array change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayKind {
    /// A variable of the equations, changed by steps.
    Variable,
    /// A parameter of the equations, not changed by steps.
    Parameter,
    /// Other dynamic state: pending input, spike history, lower words.
    State,
    /// Derived from values that are set.
    Derived,
    /// Computed when it is read; cannot be written.
    Reduced,
}

/// An array of a device, of 32-bit words.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayEntry {
    /// Its name: `E.v`, or `E, last spikes` if it has no name in the equations.
    pub path: String,
    /// The type of its words.
    pub dtype: Dtype,
    /// Number of words.
    pub length: usize,
    /// The inner unit of its values, if they have one.
    pub unit: String,
    /// Its owner.
    pub owner: Owner,
    /// Its index among the arrays of the owner.
    pub index: usize,
    /// How its values change.
    pub kind: ArrayKind,
}

impl ArrayEntry {
    /// Index of the constants of a population or projection.
    pub const CONSTANTS: usize = 0;
    /// Index of the fixed-point scales of a population's ports, two each: the value of a unit, and of a unit of the remainder.
    pub const SCALES: usize = 1;

    /// Its local name: `v` of `E.v`.
    pub fn name(&self) -> &str {
        self.path.split_once('.').map_or(&self.path, |(_, name)| name)
    }

    /// Whether it has a name in the equations, with a value per neuron or synapse.
    pub fn is_named(&self) -> bool {
        matches!(self.kind, ArrayKind::Variable | ArrayKind::Parameter)
    }

    /// Whether it is a parameter, not changed by steps.
    pub fn is_parameter(&self) -> bool {
        self.kind == ArrayKind::Parameter
    }

    /// Whether it is part of the dynamic state; everything else follows from the network and its values.
    pub fn moves(&self) -> bool {
        matches!(self.kind, ArrayKind::Variable | ArrayKind::Parameter | ArrayKind::State)
    }

    /// Rejects writes to read-only arrays, and a number of words that is not `length`: that of a rank is [`Plan::own_length`].
    ///
    /// # Errors
    /// Which of the two, with both numbers.
    pub fn check_write(&self, words: usize, length: usize) -> Result<(), Error> {
        if self.kind == ArrayKind::Reduced {
            return Err(Error::Backend("a statistic is read-only; write the array that it summarises".into()));
        }
        if words == length {
            return Ok(());
        }
        let path = &self.path;
        Err(Error::Backend(format!("`{path}` has {length} words, but {words} were given; give all of them")))
    }
}

/// All arrays of a plan on a device: those of populations first, then those of projections, then statistics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arrays {
    entries: Vec<ArrayEntry>,
    /// The first one with a path, and the first one with an index of an owner: a plan asks once per array.
    by_path: HashMap<String, ArrayId>,
    by_owner: HashMap<(Owner, usize), ArrayId>,
}

impl Arrays {
    fn new(entries: Vec<ArrayEntry>) -> Arrays {
        let (mut by_path, mut by_owner) = (HashMap::new(), HashMap::new());
        for (id, entry) in (0..).map(ArrayId).zip(&entries) {
            by_path.entry(entry.path.clone()).or_insert(id);
            by_owner.entry((entry.owner, entry.index)).or_insert(id);
        }
        Arrays { entries, by_path, by_owner }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ArrayId, &ArrayEntry)> {
        (0..).map(ArrayId).zip(&self.entries)
    }

    /// The array of a number.
    ///
    /// # Errors
    /// There is none: the index belongs to another plan.
    pub fn get(&self, id: ArrayId) -> Result<&ArrayEntry, Error> {
        let found = self.entries.get(id.0 as usize);
        found.ok_or_else(|| {
            let (number, count) = (id.0, self.entries.len());
            Error::Backend(format!("there is no array {number}, the plan has {count}; look it up by its path in this plan"))
        })
    }

    /// The array of a path.
    pub fn find(&self, path: &str) -> Option<ArrayId> {
        self.by_path.get(path).copied()
    }

    /// The array with this index among those of an owner.
    pub fn of(&self, owner: Owner, index: usize) -> Option<ArrayId> {
        self.by_owner.get(&(owner, index)).copied()
    }

    /// The dynamic arrays, which are stored in snapshots.
    pub fn moving(&self) -> impl Iterator<Item = (ArrayId, &ArrayEntry)> {
        self.iter().filter(|(_, entry)| entry.moves())
    }

    /// Arrays with a name and a value per neuron or synapse.
    pub fn named(&self) -> impl Iterator<Item = (ArrayId, &ArrayEntry)> {
        self.iter().filter(|(_, entry)| entry.is_named())
    }
}

impl Index<ArrayId> for Arrays {
    type Output = ArrayEntry;

    fn index(&self, id: ArrayId) -> &ArrayEntry {
        &self.entries[id.0 as usize]
    }
}

impl Plan {
    /// All arrays of a device.
    pub fn arrays(&self) -> &Arrays {
        &self.arrays
    }

    /// The array of a path: `E.v`.
    pub fn array(&self, path: &str) -> Option<ArrayId> {
        self.arrays.find(path)
    }

    /// Number of words of an array on a device that simulates the part of this plan: those of own neurons, and of the synapses onto them.
    /// Traces of presynaptic neurons and the spike history are those of all neurons. If there are no other ranks, this is
    /// [`ArrayEntry::length`].
    pub fn own_length(&self, id: ArrayId) -> usize {
        let entry = &self.arrays[id];
        let own = |population: usize| self.own(population).len() as usize;
        match entry.owner {
            Owner::Neurons { population } => own(population),
            Owner::RingColumns { population } => {
                own(population) * self.ring.slots as usize * self.populations[population].ports[entry.index].width() as usize
            }
            Owner::Synapses { projection } => self.projections[projection].rows().len(),
            Owner::Events { projection } => {
                self.projections[projection].writes().nth(entry.index).map_or(0, |(_, write)| write.weights.len())
            }
            Owner::Traces { projection, end: End::Post } => own(self.projections[projection].post),
            Owner::Traces { .. }
            | Owner::Memory { .. }
            | Owner::Population { .. }
            | Owner::Projection { .. }
            | Owner::Statistic => entry.length,
        }
    }

    /// The initial words of an array on a device, as derived from the network; empty for state that only spikes change.
    pub fn initial_words(&self, id: ArrayId) -> Vec<u32> {
        let entry = &self.arrays[id];
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect();
        let spread = |values: &[f32]| match values {
            [value] => vec![value.to_bits(); self.own_length(id)],
            values => bits(values),
        };
        match entry.owner {
            Owner::Neurons { population } => {
                self.populations[population].initial.get(entry.index).map(|values| spread(values)).unwrap_or_default()
            }
            Owner::Population { population } if entry.index == ArrayEntry::SCALES => {
                self.populations[population].ports.iter().flat_map(|port| port.units()).map(f32::to_bits).collect()
            }
            Owner::Population { population } => bits(&self.populations[population].constants),
            Owner::Synapses { projection } => {
                self.state(projection).map(|state| spread(&state.arrays[entry.index].initial)).unwrap_or_default()
            }
            Owner::Traces { projection, .. } => {
                self.state(projection).map(|state| spread(&[state.traces[entry.index].initial])).unwrap_or_default()
            }
            Owner::Projection { projection } => self.state(projection).map(|state| bits(&state.constants)).unwrap_or_default(),
            Owner::Events { projection } => {
                let write = self.projections[projection].writes().nth(entry.index);
                write.map(|(_, write)| write.weights.units().map(|units| units as u32).collect()).unwrap_or_default()
            }
            Owner::RingColumns { .. } | Owner::Memory { .. } | Owner::Statistic => Vec::new(),
        }
    }

    /// Whether a derived array, which no step changes, differs between this plan and `other`, of the same network.
    pub fn differs(&self, other: &Plan, entry: &ArrayEntry) -> bool {
        if !matches!(entry.kind, ArrayKind::Derived | ArrayKind::Parameter) {
            return false;
        }
        // In f64 a value can differ by less than f32 shows, and a weight and its unit by the same factor.
        let is_exact = self.exact && other.exact;
        let states = |projection: usize| self.state(projection).zip(other.state(projection));
        match entry.owner {
            Owner::Neurons { population } => {
                let values = |plan: &Plan| plan.exact_population(population).initial.into_iter().nth(entry.index);
                self.populations[population].initial[entry.index] != other.populations[population].initial[entry.index]
                    || is_exact && values(self) != values(other)
            }
            Owner::Population { population } if entry.index == ArrayEntry::SCALES => {
                self.populations[population].ports != other.populations[population].ports
            }
            Owner::Population { population } => {
                self.populations[population].constants != other.populations[population].constants
                    || is_exact && self.exact_population(population).constants != other.exact_population(population).constants
            }
            Owner::Synapses { projection } => states(projection).is_some_and(|(own, other)| {
                let [values, other_values] = [own, other].map(|state| &state.arrays[entry.index].initial);
                let [exact, other_exact] = [own, other].map(|state| state.exact.as_ref().map(|exact| &exact.arrays[entry.index]));
                !Arc::ptr_eq(values, other_values) && values != other_values || exact != other_exact
            }),
            Owner::Projection { projection } => states(projection).is_some_and(|(own, other)| {
                let [exact, other_exact] = [own, other].map(|state| state.exact.as_ref().map(|exact| &exact.constants));
                own.constants != other.constants || exact != other_exact
            }),
            Owner::Events { projection } => {
                let [own, other] = [self, other].map(|plan| {
                    let write = plan.projections[projection].writes().nth(entry.index);
                    write.map(|(_, write)| (&write.weights, write.exact.as_ref().filter(|_| is_exact)))
                });
                own != other
            }
            Owner::RingColumns { .. } | Owner::Memory { .. } | Owner::Traces { .. } | Owner::Statistic => false,
        }
    }

    fn state(&self, projection: usize) -> Option<&StatePlan> {
        self.projections[projection].state.as_ref()
    }
}

/// The sources of the table.
pub(crate) struct ArraySources<'a> {
    /// Populations of the network; sources follow, whose variables have no names.
    pub(crate) named: usize,
    pub(crate) neurons: &'a [CheckedPopulation],
    pub(crate) populations: &'a [PopulationPlan],
    pub(crate) projections: &'a [Arc<ProjectionPlan>],
    pub(crate) statistics: &'a [StatisticPlan],
    pub(crate) ring: Ring,
    pub(crate) memory_steps: u32,
    /// The dimension of a name of a population or projection.
    pub(crate) dimension: &'a dyn Fn(&str, &str) -> Option<Dimension>,
}

impl ArraySources<'_> {
    pub(crate) fn table(&self) -> Arrays {
        let mut entries = Vec::new();
        (0..self.populations.len()).for_each(|population| self.of_population(population, &mut entries));
        (0..self.projections.len()).for_each(|projection| self.of_projection(projection, &mut entries));
        for (index, of) in self.statistics.iter().enumerate() {
            let (length, owner) = (PartialHistogram::words_of_bins(of.bins()), Owner::Statistic);
            let (path, unit) = (format!("statistics, {}", of.label), of.unit.clone());
            entries.push(ArrayEntry { path, dtype: Dtype::Bits, length, unit, owner, index, kind: ArrayKind::Reduced });
        }
        Arrays::new(entries)
    }

    fn unit(&self, object: &str, name: &str) -> String {
        (self.dimension)(object, name).unwrap_or(Dimension::NONE).inner_unit()
    }

    fn of_population(&self, population: usize, entries: &mut Vec<ArrayEntry>) {
        let of = &self.populations[population];
        let (object, size) = (&of.name, of.size as usize);
        let unit = |name: &str| self.unit(object, name);
        let owner = Owner::Neurons { population };
        let mut push = |path, dtype, length, unit, owner, index, kind| {
            entries.push(ArrayEntry { path, dtype, length, unit, owner, index, kind });
        };
        for (index, name) in of.program.variables.iter().enumerate() {
            let kind = self.kind_of_variable(population, index);
            push(format!("{object}.{name}"), Dtype::F32, size, unit(name), owner, index, kind);
        }
        let last = of.program.variables.len();
        push(format!("{object}, last spikes"), Dtype::I32, size, "steps".into(), owner, last, ArrayKind::State);
        for (index, port) in of.ports.iter().enumerate() {
            let length = size * self.ring.slots as usize * port.width() as usize;
            let (owner, unit) = (Owner::RingColumns { population }, unit(&of.program.variables[of.program.ports[index]]));
            push(format!("{object}, ring {index}"), Dtype::I32, length, unit, owner, index, ArrayKind::State);
        }
        if self.memory_steps > 0 {
            let (length, owner) = (self.memory_steps as usize * size.div_ceil(32), Owner::Memory { population });
            push(format!("{object}, remembered spikes"), Dtype::Bits, length, String::new(), owner, 0, ArrayKind::State);
        }
        let (owner, none) = (Owner::Population { population }, String::new);
        let constants = ArrayEntry::CONSTANTS;
        push(format!("{object}, constants"), Dtype::F32, of.constants.len(), none(), owner, constants, ArrayKind::Derived);
        push(format!("{object}, scales"), Dtype::F32, 2 * of.ports.len(), none(), owner, ArrayEntry::SCALES, ArrayKind::Derived);
    }

    fn kind_of_variable(&self, population: usize, array: usize) -> ArrayKind {
        let of = &self.populations[population];
        if array >= of.program.first_derived() {
            return ArrayKind::Derived;
        }
        let (name, model) = (&of.program.variables[array], &self.neurons[population].model);
        let declared = model.variable(name).map(|at| &model.variables[at]);
        match declared.filter(|of| population < self.named && of.role == Role::Declared && !name.starts_with("__")) {
            Some(declared) if !declared.written && !of.is_written(array) => ArrayKind::Parameter,
            Some(_) => ArrayKind::Variable,
            None => ArrayKind::State,
        }
    }

    fn of_projection(&self, projection: usize, entries: &mut Vec<ArrayEntry>) {
        let of = &self.projections[projection];
        let object = &of.name;
        let unit = |name: &str| self.unit(object, name);
        let mut push = |path, dtype, length, unit, owner, index, kind| {
            entries.push(ArrayEntry { path, dtype, length, unit, owner, index, kind });
        };
        let post = &self.populations[of.post].program;
        for (index, (_, write)) in of.writes().enumerate() {
            let unit = self.unit(&self.populations[of.post].name, &post.variables[post.ports[write.port]]);
            let each = matches!(write.weights, PerSynapse::Each(_) | PerSynapse::Half(_));
            let length = if each { of.synapses() as usize } else { write.weights.len() };
            let owner = Owner::Events { projection };
            push(format!("{object}, weights {index}"), Dtype::I32, length, unit, owner, index, ArrayKind::Derived);
        }
        let Some(state) = &of.state else { return };
        let owner = Owner::Synapses { projection };
        for (index, array) in state.arrays.iter().enumerate() {
            let is_named = state.variables().any(|(named, _)| named == index);
            let (path, unit, kind) = match &state.program.registers[array.register] {
                // A recorded trace: its value in each synapse. The name is that of the trace of the neurons.
                Register::Own(name) if state.traces().any(|(_, of)| of == name) => {
                    (format!("{object}.{name}, in each synapse"), unit(name), ArrayKind::State)
                }
                Register::Own(name) => {
                    let kind = match (is_named, state.changes(index)) {
                        (true, true) => ArrayKind::Variable,
                        (true, false) => ArrayKind::Parameter,
                        (false, _) => ArrayKind::State,
                    };
                    (format!("{object}.{name}"), unit(name), kind)
                }
                Register::Read(end, name) => (format!("{object}, {name} of {end:?}"), String::new(), ArrayKind::Derived),
                Register::Trace(..) | Register::Output(..) | Register::Derived(_) => {
                    (format!("{object}, derived {index}"), String::new(), ArrayKind::Derived)
                }
            };
            push(path, Dtype::F32, of.synapses() as usize, unit, owner, index, kind);
        }
        for (index, trace) in state.traces.iter().enumerate() {
            let Register::Trace(end, name) = &state.program.registers[trace.register] else { continue };
            let length = self.populations[of.population(*end)].size as usize;
            let is_named = state.traces().any(|(named, _)| named == index);
            // Neurons of both sides may have a word of the same inner name.
            let (path, kind) = match is_named {
                true => (format!("{object}.{name}"), ArrayKind::Variable),
                false => (format!("{object}.{name}, traces of {end:?}"), ArrayKind::State),
            };
            push(path, Dtype::F32, length, unit(name), Owner::Traces { projection, end: *end }, index, kind);
        }
        let (length, owner, constants) = (state.constants.len(), Owner::Projection { projection }, ArrayEntry::CONSTANTS);
        push(format!("{object}, constants"), Dtype::F32, length, String::new(), owner, constants, ArrayKind::Derived);
    }
}

impl PopulationPlan {
    /// Whether one of its codes stores to an array.
    fn is_written(&self, array: usize) -> bool {
        self.program.codes().flat_map(|code| &code.stores).any(|(stored, _)| *stored == array)
    }
}
