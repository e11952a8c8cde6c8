//! Synapses with state: programs, arrays, and their connection with the neurons of both sides.

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::model::End;
use spikelet_lang::program::Register;
use spikelet_lang::{SynapseProgram, half, of_low_word};
use spikelet_network::Error;
use spikelet_rows::ring;

use crate::Port;
use crate::neurons::clocks::Clocks;

/// The source of a register of a synapse program before a code is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterSource {
    /// An array of the synapses, by index of [`StatePlan::arrays`].
    Own(usize),
    /// A trace of the neuron of one side, by index of [`StatePlan::traces`].
    Trace(usize),
    /// An array of the presynaptic population.
    Pre(usize),
    /// An array of the postsynaptic population.
    Post(usize),
    /// An array of the population of the third neuron.
    Third(usize),
    /// Steps since the last spike of the postsynaptic neuron, 0 in the step in which it fires, at most 2²⁴.
    PostSinceSpike,
    /// The index of the presynaptic neuron.
    PreIndex,
    /// The index of the postsynaptic neuron.
    PostIndex,
    /// The index of the third neuron.
    ThirdIndex,
    /// None: a code stores a result there.
    Output,
}

/// An array of the synapses of a projection.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Its register in the program.
    pub register: usize,
    /// Initial values: one for all synapses, or one per synapse.
    pub initial: Arc<Vec<f32>>,
    /// Whether its values are those of an f16; on GPUs they take two bytes.
    pub half: bool,
}

impl Array {
    /// An array with these initial values, rounded to its format.
    pub(crate) fn new(register: usize, half: bool, initial: Vec<f32>) -> Array {
        let mut array = Array { register, initial: Arc::default(), half };
        array.set_initial(initial);
        array
    }

    /// Replaces the initial values.
    pub(crate) fn set_initial(&mut self, mut values: Vec<f32>) {
        if self.half {
            values.iter_mut().for_each(|value| *value = half::round(*value));
        }
        self.initial = Arc::new(values);
    }

    /// The initial value of a synapse.
    pub fn initial(&self, synapse: usize) -> f32 {
        if self.initial.len() == 1 { self.initial[0] } else { self.initial[synapse] }
    }

    /// A word as it is stored.
    pub fn stored(&self, word: u32) -> u32 {
        if self.half { half::round(f32::from_bits(word)).to_bits() } else { word }
    }
}

/// A trace: a variable of synapses that the neuron of one side stores for all of its synapses.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePlan {
    /// Its register in the program.
    pub register: usize,
    /// The neurons that store it: all of the population of this side.
    pub end: End,
    /// The common initial value.
    pub initial: f32,
}

/// A result that is added to a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortAddition {
    /// Its register.
    pub register: usize,
    /// The port of the postsynaptic population.
    pub port: usize,
    /// Maximum number of units of the port.
    pub limit: i32,
}

impl PortAddition {
    /// The maximum number of units of bounded events; for unbounded ones, the maximum of the port.
    pub(crate) fn limit_by(bound: Option<f64>, port: &Port) -> i32 {
        bound.map_or(port.limit, |bound| ring::quantise(bound, port.shift))
    }
}

/// The effect of a spike on synapses with state.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrivalPlan {
    /// Results that are added to ports of the postsynaptic population.
    pub adds: Vec<PortAddition>,
    /// Lane of each other result, and the array of the postsynaptic population that it replaces. A pathway with such results is executed
    /// event by event.
    pub writes: Vec<(usize, usize)>,
}

/// A summed variable of neurons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumPlan {
    /// Which neurons: the postsynaptic or the third ones.
    pub end: End,
    /// The array of their population.
    pub array: usize,
    /// The neurons that get it, in ascending order: the slice of the projection. All others keep their value.
    pub parts: Vec<SumPart>,
}

/// Neurons that get a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumPart {
    /// Their range in the population.
    pub neurons: Range<u32>,
    /// Whether earlier projections sum onto them, too: the sum is then added to theirs.
    pub adds: bool,
}

impl SumPlan {
    /// The parts of a slice, of which these have sums already.
    pub(crate) fn parts_of(slice: &Range<u32>, earlier: &[Range<u32>]) -> Vec<SumPart> {
        let ends = earlier.iter().flat_map(|of| [of.start, of.end]).filter(|at| slice.contains(at));
        let mut bounds: Vec<u32> = ends.chain([slice.start, slice.end]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let adds = |first: u32| earlier.iter().any(|range| range.contains(&first));
        bounds.windows(2).map(|of| SumPart { neurons: of[0]..of[1], adds: adds(of[0]) }).collect()
    }

    /// Whether it is added to earlier sums anywhere.
    pub fn adds(&self) -> bool {
        self.parts.iter().any(|part| part.adds)
    }
}

/// Values of synapses with state in f64.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactState {
    /// Values of the program's constants.
    pub constants: Vec<f64>,
    /// Initial values of each of [`StatePlan::arrays`]: one for all synapses, or one per synapse. Lower words are 0, and stamps are steps.
    pub arrays: Vec<Arc<Vec<f64>>>,
    /// The common initial value of each of [`StatePlan::traces`], likewise.
    pub traces: Vec<f64>,
}

/// Synapses with state.
#[derive(Debug, Clone, PartialEq)]
pub struct StatePlan {
    /// Their code.
    pub program: SynapseProgram,
    /// The source of each register.
    pub registers: Vec<RegisterSource>,
    /// Arrays with one value per synapse.
    pub arrays: Vec<Array>,
    /// Arrays with one value per neuron of one side.
    pub traces: Vec<TracePlan>,
    /// Values of the program's constants.
    pub constants: Vec<f32>,
    /// The values before rounding, with [`BuildOptions::exact`](crate::BuildOptions::exact).
    pub exact: Option<ExactState>,
    /// The program's clocks.
    pub clocks: Clocks,
    /// Index of their values in a row of [`Plan::clocks`](crate::Plan::clocks).
    pub first_clock: u32,
    /// The summed variables, in the order of the program.
    pub summed: Vec<SumPlan>,
    /// Unit of each variable to which events add, by port of the postsynaptic population.
    pub units: std::collections::HashMap<usize, String>,
    /// Whether they are not in the file: they copy a linked variable, or add to what is presynaptic in a projection of the file.
    pub generated: bool,
    /// Whether they are plastic, unless their `plasticity` is 0.
    pub learns: bool,
    /// The effects of the pathways, in the order of the program.
    pub arrivals: Vec<ArrivalPlan>,
}

impl StatePlan {
    /// The error of an event that is too large for its port.
    pub fn too_large(&self, projection: &str, port: usize, of: &crate::Port, value: f32) -> Error {
        let unit = self.units.get(&port).cloned().unwrap_or_default();
        let limits = self.arrivals.iter().flat_map(|arrival| &arrival.adds).filter(|add| add.port == port).map(|add| add.limit);
        let limit = limits.max().unwrap_or(of.limit) as f32 * of.units()[0];
        Error::EventTooLarge { projection: projection.into(), value, limit, unit }
    }

    /// The array named `name`.
    pub fn array(&self, name: &str) -> Option<usize> {
        self.arrays.iter().position(|array| matches!(&self.program.registers[array.register], Register::Own(own) if own == name))
    }

    /// The place of an array among those of the same format, f32 or f16.
    pub fn place_of_format(&self, array: usize) -> usize {
        self.arrays[..array].iter().filter(|other| other.half == self.arrays[array].half).count()
    }

    /// The trace named `name`.
    pub fn trace(&self, name: &str) -> Option<usize> {
        self.traces
            .iter()
            .position(|trace| matches!(&self.program.registers[trace.register], Register::Trace(_, own) if own == name))
    }

    /// The variables stored per synapse, each with its array: those that change, and others that differ between synapses.
    pub fn variables(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_observed = |register: usize| self.program.observe.stores.iter().any(|(stored, _)| *stored == register);
        self.arrays.iter().enumerate().filter_map(move |(array, of)| match &self.program.registers[of.register] {
            Register::Own(name) if !name.starts_with("__") && !is_observed(of.register) => Some((array, name.as_str())),
            _ => None,
        })
    }

    /// The variables stored per neuron for its synapses, each with its trace.
    pub fn traces(&self) -> impl Iterator<Item = (usize, &str)> {
        self.traces.iter().enumerate().filter_map(|(trace, of)| match &self.program.registers[of.register] {
            Register::Trace(_, name) if !name.starts_with("__") => Some((trace, name.as_str())),
            _ => None,
        })
    }

    /// Whether an array changes during the run.
    pub fn changes(&self, array: usize) -> bool {
        let regular = self.program.regular.iter().map(|regular| &regular.code);
        let codes = self.program.pathways.iter().map(|pathway| &pathway.code).chain([&self.program.update]).chain(regular);
        codes.flat_map(|code| &code.stores).any(|(register, _)| *register == self.arrays[array].register)
    }

    /// Whether a summed variable of postsynaptic neurons takes the same from all synapses of a presynaptic neuron.
    pub fn sums_neurons(&self, summed: usize) -> bool {
        let (code, end) = (&self.program.summed[summed].1, self.summed[summed].end);
        let of_pre = |source: &RegisterSource| match *source {
            RegisterSource::Trace(trace) => self.traces[trace].end == End::Pre,
            RegisterSource::Pre(_) | RegisterSource::PreIndex | RegisterSource::Output => true,
            _ => false,
        };
        let mut read = self.registers.iter().enumerate().filter(|(register, _)| code.touches(*register));
        end == End::Post && !code.draws() && read.all(|(_, source)| of_pre(source))
    }

    /// Whether its synapses read the presynaptic neuron.
    pub fn reads_pre(&self) -> bool {
        self.registers.iter().any(|register| matches!(register, RegisterSource::Pre(_)))
    }

    /// The variables stored in two words, per synapse or per neuron.
    pub(crate) fn in_two_words(&self) -> impl Iterator<Item = &str> {
        self.program.registers.iter().filter_map(|register| match register {
            Register::Own(name) | Register::Trace(_, name) => of_low_word(name),
            _ => None,
        })
    }
}
