//! Synapses with a state: programs, arrays, and what ties them to the neurons at both ends.

use std::sync::Arc;

use spikelet_lang::model::End;
use spikelet_lang::program::Register;
use spikelet_lang::{SynapseProgram, of_low_word};

use super::Port;
use super::clocks::Clocks;
use crate::{Error, ring};

/// What fills a lane of a synapse program before a code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterSource {
    /// An array of the synapses, by index of [`StatePlan::arrays`].
    Own(usize),
    /// A trace of the neuron at one end, by index of [`StatePlan::traces`].
    Trace(usize),
    /// An array of the presynaptic population.
    Pre(usize),
    /// An array of the postsynaptic population.
    Post(usize),
    /// Steps since the last spike of the postsynaptic neuron, 0 in the step in which it fires, at most 2²⁴.
    PostSinceSpike,
    /// The index of the presynaptic neuron.
    PreIndex,
    /// The index of the postsynaptic neuron.
    PostIndex,
    /// Nothing: a code leaves a result there.
    Output,
}

/// An array of the synapses of a projection.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Its lane in the program.
    pub register: usize,
    /// Initial values: one for all synapses, or one each.
    pub initial: Arc<Vec<f32>>,
}

impl Array {
    /// The initial value in a synapse.
    pub fn initial(&self, synapse: usize) -> f32 {
        if self.initial.len() == 1 { self.initial[0] } else { self.initial[synapse] }
    }
}

/// A trace: a variable of synapses that the neuron at one end keeps for all of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePlan {
    /// Its lane in the program.
    pub register: usize,
    /// Which neurons keep it: all of the population at this end.
    pub end: End,
    /// The initial value of all.
    pub initial: f32,
}

/// A result that is added to a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortAddition {
    /// Its lane.
    pub register: usize,
    /// The port of the postsynaptic population.
    pub port: usize,
    /// Most units of the port that it may come to.
    pub limit: i32,
}

impl PortAddition {
    /// The most units of a port that events with a bound may come to; where there is none, as many as the port has room for.
    pub(super) fn limit_by(bound: Option<f64>, port: &Port) -> i32 {
        bound.map_or(port.limit, |bound| ring::quantise(bound, port.shift))
    }
}

/// What the arrival of a spike does to synapses with a state.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrivalPlan {
    /// What is added to ports of the postsynaptic population.
    pub adds: Vec<PortAddition>,
    /// Lane of each result, and the array of the postsynaptic population that it replaces. A pathway that has any runs event
    /// after event.
    pub writes: Vec<(usize, usize)>,
}

/// Synapses with a state.
#[derive(Debug, Clone, PartialEq)]
pub struct StatePlan {
    /// Their code.
    pub program: SynapseProgram,
    /// What fills each lane.
    pub registers: Vec<RegisterSource>,
    /// Arrays kept for each synapse.
    pub arrays: Vec<Array>,
    /// Arrays kept for each neuron at one end.
    pub traces: Vec<TracePlan>,
    /// Values of the program's constants.
    pub constants: Vec<f32>,
    /// The program's clocks.
    pub clocks: Clocks,
    /// Place of their values in a row of [`Plan::clocks`](super::Plan::clocks).
    pub first_clock: u32,
    /// For each summed variable the array of the postsynaptic population, and whether it is the first projection that sums to it.
    pub summed: Vec<(usize, bool)>,
    /// Unit of each variable that events add to, by port of the postsynaptic population.
    pub units: std::collections::HashMap<usize, String>,
    /// Whether they learn, unless their `plasticity` is 0.
    pub learns: bool,
    /// What the pathways do, in the order of the program's.
    pub arrivals: Vec<ArrivalPlan>,
}

impl StatePlan {
    /// The failure of an event that is too large for its port.
    pub fn too_large(&self, projection: &str, port: usize, of: &super::Port, value: f32) -> Error {
        let unit = self.units.get(&port).cloned().unwrap_or_default();
        let limits = self.arrivals.iter().flat_map(|arrival| &arrival.adds).filter(|add| add.port == port).map(|add| add.limit);
        let limit = limits.max().unwrap_or(of.limit) as f32 * of.units()[0];
        Error::EventTooLarge { projection: projection.into(), value, limit, unit }
    }

    /// The array called `name`.
    pub fn array(&self, name: &str) -> Option<usize> {
        self.arrays.iter().position(|array| matches!(&self.program.registers[array.register], Register::Own(own) if own == name))
    }

    /// The trace called `name`.
    pub fn trace(&self, name: &str) -> Option<usize> {
        self.traces
            .iter()
            .position(|trace| matches!(&self.program.registers[trace.register], Register::Trace(_, own) if own == name))
    }

    /// The variables that its synapses keep, each with its array: those that change, and others that differ between synapses.
    pub fn variables(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_observed = |lane: usize| self.program.hold.stores.iter().any(|(stored, _)| *stored == lane);
        self.arrays.iter().enumerate().filter_map(move |(array, of)| match &self.program.registers[of.register] {
            Register::Own(name) if !name.starts_with("__") && !is_observed(of.register) => Some((array, name.as_str())),
            _ => None,
        })
    }

    /// The variables that neurons keep for their synapses, each with its trace.
    pub fn traces(&self) -> impl Iterator<Item = (usize, &str)> {
        self.traces.iter().enumerate().filter_map(|(trace, of)| match &self.program.registers[of.register] {
            Register::Trace(_, name) if !name.starts_with("__") => Some((trace, name.as_str())),
            _ => None,
        })
    }

    /// Whether an array changes while the network runs.
    pub fn changes(&self, array: usize) -> bool {
        let codes = self.program.pathways.iter().map(|pathway| &pathway.code).chain([&self.program.update]);
        codes.flat_map(|code| &code.stores).any(|(lane, _)| *lane == self.arrays[array].register)
    }

    /// Whether its synapses read the presynaptic neuron.
    pub fn reads_pre(&self) -> bool {
        self.registers.iter().any(|lane| matches!(lane, RegisterSource::Pre(_)))
    }

    /// The variables that its synapses, or neurons for them, keep in two words.
    pub(crate) fn in_two_words(&self) -> impl Iterator<Item = &str> {
        self.program.registers.iter().filter_map(|lane| match lane {
            Register::Own(name) | Register::Trace(_, name) => of_low_word(name),
            _ => None,
        })
    }
}
