//! The table of all arrays that a device keeps for a plan: what is read, written, kept in snapshots and given names walks it.

use std::ops::Index;
use std::sync::Arc;

use spikelet_lang::model::Role;
use spikelet_lang::program::Register;
use spikelet_lang::{Dimension, End};

use super::population::CheckedPopulation;
use super::{Plan, PopulationPlan, ProjectionPlan, Ring, StatePlan, StatisticPlan};
use crate::{Error, PartialHistogram};

/// The number of an array in the [table](Arrays) of a plan. Plans that [share their rows](Plan::shares_rows_with) have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(u32);

/// What the 32 bits of a word say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// A number.
    F32,
    /// A whole number.
    I32,
    /// A bit each of 32 neurons, the lowest first.
    Bits,
}

/// Who has the values of an array. It decides where the array lies, how it is cut among threads, and how a device finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Neurons, one word each: the arrays of the program, then the step of each neuron's last spike.
    Neurons {
        /// Index of the population.
        population: usize,
    },
    /// A ring, slot by slot, a lane for each neuron, and as many again for what is left over where events have two scales: an array for
    /// each port. Its unit is that of [`ArrayEntry::SCALES`].
    RingColumns {
        /// Index of the population.
        population: usize,
    },
    /// Which neurons fired in the last [`Plan::memory_steps`] steps: as many words for step s as hold a population, in place s modulo
    /// the number of steps.
    Memory {
        /// Index of the population.
        population: usize,
    },
    /// A population as a whole: [`ArrayEntry::CONSTANTS`] and [`ArrayEntry::SCALES`].
    Population {
        /// Index of the population.
        population: usize,
    },
    /// Synapses with a state, one word each in the order of the rows: the arrays of [`StatePlan::arrays`](super::StatePlan::arrays).
    Synapses {
        /// Index of the projection.
        projection: usize,
    },
    /// What an event adds where synapses have no state, in units of its port: one word, or one for each synapse, for each of the
    /// [writes](ProjectionPlan::writes). Where weights are kept as f16, what is written is rounded to one.
    Events {
        /// Index of the projection.
        projection: usize,
    },
    /// Neurons at one end of a projection, one word each, which they keep for its synapses: the traces of
    /// [`StatePlan::traces`](super::StatePlan::traces).
    Traces {
        /// Index of the projection.
        projection: usize,
        /// Which end.
        end: End,
    },
    /// A projection as a whole: [`ArrayEntry::CONSTANTS`].
    Projection {
        /// Index of the projection.
        projection: usize,
    },
    /// Nobody: one of [`Plan::statistics`], reduced from another array when it is read. The words are those of a [`Tally`].
    Statistic,
}

/// What becomes of the values of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayKind {
    /// A variable that the equations declare, and steps change.
    Variable,
    /// A parameter that the equations declare: no step changes it.
    Parameter,
    /// What moves besides: input under way, spikes that are remembered, low words.
    State,
    /// What follows from values that are set.
    Derived,
    /// What is worked out when it is read, and cannot be written.
    Reduced,
}

/// An array that a device keeps, of 32-bit words.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayEntry {
    /// Its name: `E.v`, or `E, last spikes` of what has no name in the equations.
    pub path: String,
    /// What its words say.
    pub dtype: Dtype,
    /// How many words it has.
    pub length: usize,
    /// The inner unit of its values, where they have one.
    pub unit: String,
    /// Who has its values.
    pub owner: Owner,
    /// Its place among the arrays of the owner.
    pub index: usize,
    /// What becomes of its values.
    pub kind: ArrayKind,
}

impl ArrayEntry {
    /// Place of the constants of a population or projection.
    pub const CONSTANTS: usize = 0;
    /// Place of the fixed-point scales of a population's ports, two each: what a unit is worth, and one of what is left over.
    pub const SCALES: usize = 1;

    /// Its own name: `v` of `E.v`.
    pub fn name(&self) -> &str {
        self.path.split_once('.').map_or(&self.path, |(_, name)| name)
    }

    /// Whether the equations give it a name, with a value for each neuron or synapse.
    pub fn is_named(&self) -> bool {
        matches!(self.kind, ArrayKind::Variable | ArrayKind::Parameter)
    }

    /// Whether it is a parameter: no step changes it.
    pub fn is_parameter(&self) -> bool {
        self.kind == ArrayKind::Parameter
    }

    /// Whether it is part of what goes on from one step to the next; all else follows from the network and its values.
    pub fn moves(&self) -> bool {
        matches!(self.kind, ArrayKind::Variable | ArrayKind::Parameter | ArrayKind::State)
    }

    /// Refuses to write what can only be read, and another number of words than the array has.
    ///
    /// # Errors
    /// Which of the two, with both numbers.
    pub fn check_write(&self, words: usize) -> Result<(), Error> {
        if self.kind == ArrayKind::Reduced {
            return Err(Error::Backend("a statistic is read-only; write the array that it summarises".into()));
        }
        if words == self.length {
            return Ok(());
        }
        let ArrayEntry { path, length, .. } = self;
        Err(Error::Backend(format!("`{path}` has {length} words, but {words} were given; give all of them")))
    }
}

/// All arrays that a device keeps for a plan: those of populations first, then those of projections, then statistics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arrays {
    entries: Vec<ArrayEntry>,
}

impl Arrays {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ArrayId, &ArrayEntry)> {
        (0..).map(ArrayId).zip(&self.entries)
    }

    /// The array of a number.
    ///
    /// # Errors
    /// There is none: it is a number of another plan.
    pub fn get(&self, id: ArrayId) -> Result<&ArrayEntry, Error> {
        let found = self.entries.get(id.0 as usize);
        found.ok_or_else(|| {
            let (number, count) = (id.0, self.entries.len());
            Error::Backend(format!("there is no array {number}, the plan has {count}; look it up by its path in this plan"))
        })
    }

    /// The array of a path.
    pub fn find(&self, path: &str) -> Option<ArrayId> {
        self.iter().find(|(_, entry)| entry.path == path).map(|(id, _)| id)
    }

    /// The array at a place among those of an owner.
    pub fn of(&self, owner: Owner, index: usize) -> Option<ArrayId> {
        self.iter().find(|(_, entry)| entry.owner == owner && entry.index == index).map(|(id, _)| id)
    }

    /// What moves: all that a snapshot keeps.
    pub fn moving(&self) -> impl Iterator<Item = (ArrayId, &ArrayEntry)> {
        self.iter().filter(|(_, entry)| entry.moves())
    }

    /// What has a value for each neuron or synapse, and a name.
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
    /// All arrays that a device keeps.
    pub fn arrays(&self) -> &Arrays {
        &self.arrays
    }

    /// The array of a path: `E.v`.
    pub fn array(&self, path: &str) -> Option<ArrayId> {
        self.arrays.find(path)
    }

    /// The words of an array at the start, as they follow from the network: of what moves by spikes alone, none.
    pub(crate) fn initial_words(&self, entry: &ArrayEntry) -> Vec<u32> {
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect();
        let spread = |values: &[f32]| match values {
            [value] => vec![value.to_bits(); entry.length],
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

    /// Whether an array that follows from values, and no step changes, is another one in this plan than in `other`, of the same network.
    pub(crate) fn differs(&self, other: &Plan, entry: &ArrayEntry) -> bool {
        if !matches!(entry.kind, ArrayKind::Derived | ArrayKind::Parameter) {
            return false;
        }
        match entry.owner {
            Owner::Neurons { population } => {
                self.populations[population].initial[entry.index] != other.populations[population].initial[entry.index]
            }
            Owner::Population { population } if entry.index == ArrayEntry::SCALES => {
                self.populations[population].ports != other.populations[population].ports
            }
            Owner::Population { population } => self.populations[population].constants != other.populations[population].constants,
            Owner::Synapses { projection } => {
                let [own, other] =
                    [self, other].map(|plan| plan.state(projection).map(|state| &state.arrays[entry.index].initial));
                let is_shared = own.zip(other).is_some_and(|(own, other)| Arc::ptr_eq(own, other));
                !is_shared && own != other
            }
            Owner::Projection { projection } => {
                let [own, other] = [self, other].map(|plan| plan.state(projection).map(|state| &state.constants));
                own != other
            }
            Owner::Events { projection } => {
                let [own, other] = [self, other].map(|plan| plan.projections[projection].writes().nth(entry.index));
                own.map(|(_, write)| &write.weights) != other.map(|(_, write)| &write.weights)
            }
            Owner::RingColumns { .. } | Owner::Memory { .. } | Owner::Traces { .. } | Owner::Statistic => false,
        }
    }

    fn state(&self, projection: usize) -> Option<&StatePlan> {
        self.projections[projection].state.as_ref()
    }
}

/// What the table is made of.
pub(super) struct ArraySources<'a> {
    /// Populations that the network names; sources follow, whose variables have no names.
    pub(super) named: usize,
    pub(super) neurons: &'a [CheckedPopulation],
    pub(super) populations: &'a [PopulationPlan],
    pub(super) projections: &'a [Arc<ProjectionPlan>],
    pub(super) statistics: &'a [StatisticPlan],
    pub(super) ring: Ring,
    pub(super) memory_steps: u32,
    /// What a name of a population or projection measures.
    pub(super) dimension: &'a dyn Fn(&str, &str) -> Option<Dimension>,
}

impl ArraySources<'_> {
    pub(super) fn table(&self) -> Arrays {
        let mut entries = Vec::new();
        (0..self.populations.len()).for_each(|population| self.of_population(population, &mut entries));
        (0..self.projections.len()).for_each(|projection| self.of_projection(projection, &mut entries));
        for (index, of) in self.statistics.iter().enumerate() {
            let (length, owner) = (PartialHistogram::words_of_bins(of.bins()), Owner::Statistic);
            let (path, unit) = (format!("statistics, {}", of.label), of.unit.clone());
            entries.push(ArrayEntry { path, dtype: Dtype::Bits, length, unit, owner, index, kind: ArrayKind::Reduced });
        }
        Arrays { entries }
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
            let (length, owner) = (write.weights.len(), Owner::Events { projection });
            push(format!("{object}, weights {index}"), Dtype::I32, length, unit, owner, index, ArrayKind::Derived);
        }
        let Some(state) = &of.state else { return };
        let owner = Owner::Synapses { projection };
        for (index, array) in state.arrays.iter().enumerate() {
            let is_named = state.variables().any(|(named, _)| named == index);
            let (path, unit, kind) = match &state.program.registers[array.register] {
                Register::Own(name) => {
                    let kind = match (is_named, state.changes(index)) {
                        (true, true) => ArrayKind::Variable,
                        (true, false) => ArrayKind::Parameter,
                        (false, _) => ArrayKind::State,
                    };
                    (format!("{object}.{name}"), unit(name), kind)
                }
                Register::Read(end, name) => (format!("{object}, {name} of {end:?}"), String::new(), ArrayKind::Derived),
                Register::Trace(..) | Register::Output(_) | Register::Derived(_) => {
                    (format!("{object}, derived {index}"), String::new(), ArrayKind::Derived)
                }
            };
            push(path, Dtype::F32, of.rows().len(), unit, owner, index, kind);
        }
        for (index, trace) in state.traces.iter().enumerate() {
            let Register::Trace(end, name) = &state.program.registers[trace.register] else { continue };
            let length = self.populations[of.population(*end)].size as usize;
            let is_named = state.traces().any(|(named, _)| named == index);
            // Neurons at both ends may keep a word of the same inner name.
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
        self.program.codes().into_iter().flat_map(|code| &code.stores).any(|(stored, _)| *stored == array)
    }
}
