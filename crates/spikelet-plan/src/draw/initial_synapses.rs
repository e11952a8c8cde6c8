//! Synapses with state before the run: their values, and their first events.

use std::collections::BTreeSet;

use spikelet_lang::check::COUNTS;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::{End, NeuronRead, SynapseModel, Target};
use spikelet_lang::slow;
use spikelet_lang::term::{Random, Symbol};
use spikelet_rows::OwnNeurons;

use super::realized::RealizedProjection;
use crate::neurons::population::CheckedPopulation;

/// The variables to which the events of synapses with state add.
pub(crate) fn added(model: &SynapseModel) -> BTreeSet<usize> {
    let statements = model.pathways.iter().filter(|_| !model.is_static()).flat_map(|pathway| &pathway.statements);
    let added = |target: &Target| if let Target::Add(variable) = target { Some(*variable) } else { None };
    statements.filter_map(|write| added(&write.target)).collect()
}

/// Whether synapses read the out-degree of their presynaptic neuron.
pub(crate) fn reads_outgoing(model: &SynapseModel) -> bool {
    model.reads.iter().any(|read| read.name == "N_outgoing")
}

/// Variables of the synapses of a projection that change too slowly for one word.
pub(crate) fn slow(drawn: &RealizedProjection, neurons: (&[CheckedPopulation], &OwnNeurons), dt: f64) -> BTreeSet<String> {
    if drawn.checked.model.is_static() {
        return BTreeSet::new();
    }
    let values = InitialSynapses::new(drawn, neurons, &drawn.degrees.outgoing);
    let symbol = |symbol: Symbol, synapse: usize| values.value(symbol, synapse);
    let elements = slow::InitialState { dt, count: drawn.rows().len(), symbol: &symbol, lookup: &|_, _| f64::NAN };
    drawn.checked.model.slow(&elements).into_iter().collect()
}

/// The synapses of a projection onto own neurons, before the run.
pub(crate) struct InitialSynapses<'a> {
    drawn: &'a RealizedProjection,
    neurons: &'a [CheckedPopulation],
    own: &'a OwnNeurons,
    pre: Vec<u32>,
    /// The out-degree of each neuron of the slice.
    outgoing: &'a [u32],
}

impl<'a> InitialSynapses<'a> {
    pub(crate) fn new(
        drawn: &'a RealizedProjection,
        (neurons, own): (&'a [CheckedPopulation], &'a OwnNeurons),
        outgoing: &'a [u32],
    ) -> InitialSynapses<'a> {
        let mut pre = Vec::with_capacity(drawn.rows().len());
        for (neuron, row) in (drawn.pre_slice.start..).zip(drawn.rows().offsets.windows(2)) {
            pre.resize(row[1] as usize, neuron);
        }
        InitialSynapses { drawn, neurons, own, pre, outgoing }
    }

    /// The place of the postsynaptic neuron of a synapse.
    fn place(&self, synapse: usize) -> u32 {
        if synapse < self.pre.len() { self.drawn.rows().target(synapse) } else { 0 }
    }

    /// The neuron of a synapse on one side.
    fn neuron(&self, end: End, synapse: usize) -> u32 {
        match end {
            End::Pre => self.pre.get(synapse).copied().unwrap_or(0),
            End::Post if synapse < self.pre.len() => self.own.neuron(self.place(synapse)),
            End::Post => 0,
            End::Third => self.drawn.third.as_ref().and_then(|of| of.neurons.get(synapse)).copied().unwrap_or(0),
        }
    }

    pub(crate) fn value(&self, symbol: Symbol, synapse: usize) -> f64 {
        let (drawn, model) = (self.drawn, &self.drawn.checked.model);
        match symbol {
            Symbol::Variable(variable) => {
                drawn.values.0.get(&model.variables[variable].name).map_or(f64::NAN, |(_, of)| of.at(synapse))
            }
            Symbol::Constant(constant) => drawn.values.0[&model.constants[constant].name].1.at(synapse),
            Symbol::Read(read) => match model.reads.get(read) {
                Some(NeuronRead { name, .. }) if COUNTS.contains(&name.as_str()) => self.count(name, synapse),
                Some(NeuronRead { end: End::Pre, name }) => {
                    self.neurons[drawn.checked.pre].at_neuron(name, self.neuron(End::Pre, synapse)).unwrap_or(f64::NAN)
                }
                Some(NeuronRead { end: End::Post, name }) => {
                    self.neurons[drawn.checked.post].at_place(name, self.place(synapse)).unwrap_or(f64::NAN)
                }
                Some(NeuronRead { end: End::Third, name }) if name == "i" => f64::from(self.neuron(End::Third, synapse)),
                Some(NeuronRead { end: End::Third, name }) => {
                    let neurons = drawn.checked.third.map(|third| &self.neurons[third]);
                    neurons.and_then(|of| of.at_neuron(name, self.neuron(End::Third, synapse))).unwrap_or(f64::NAN)
                }
                None => f64::from(self.neuron(if read == model.reads.len() { End::Pre } else { End::Post }, synapse)),
            },
            Symbol::Index => f64::from(self.neuron(End::Pre, synapse)),
            Symbol::PostIndex => f64::from(self.neuron(End::Post, synapse)),
            Symbol::Size => drawn.degrees.synapses as f64,
            _ => f64::NAN,
        }
    }

    /// A number of neurons or synapses.
    pub(crate) fn count(&self, name: &str, synapse: usize) -> f64 {
        let of = |counts: &[u32], at: u32| counts.get(at as usize).copied().unwrap_or(0);
        f64::from(match name {
            "N_pre" => self.neurons[self.drawn.checked.pre].neurons(),
            "N_post" => self.neurons[self.drawn.checked.post].neurons(),
            "N_third" => self.drawn.checked.third.map_or(0, |third| self.neurons[third].neurons()),
            "N_outgoing" => of(self.outgoing, self.neuron(End::Pre, synapse).saturating_sub(self.drawn.pre_slice.start)),
            _ => of(&self.drawn.degrees.incoming, self.place(synapse)),
        })
    }
}

/// The largest increment by the first event of any pathway in a synapse, from the initial values of its names and of its neurons.
pub(crate) fn first_event(
    model: &SynapseModel,
    at_start: &dyn Fn(&str) -> f64,
    read_neuron: &dyn Fn(End, &str) -> f64,
    ends: [usize; 2],
    adds: &dyn Fn(&Target) -> bool,
) -> f64 {
    let mut largest = 0.0_f64;
    for pathway in &model.pathways {
        let mut state: Vec<f64> = model.variables.iter().map(|variable| at_start(&variable.name)).collect();
        for write in &pathway.statements {
            let value = evaluate(&write.value, &mut |leaf| match leaf {
                Leaf::Symbol(Symbol::Variable(variable)) => state[variable],
                Leaf::Symbol(Symbol::Constant(constant)) => at_start(&model.constants[constant].name),
                Leaf::Symbol(Symbol::Read(read)) => {
                    model.reads.get(read).map_or(0.0, |NeuronRead { end, name }| read_neuron(*end, name))
                }
                Leaf::Symbol(Symbol::Index) => ends[0] as f64,
                Leaf::Symbol(Symbol::PostIndex) => ends[1] as f64,
                Leaf::Random(Random::Uniform, _) => 0.5,
                Leaf::Random(Random::Normal, _) => 1.0,
                Leaf::Symbol(_) | Leaf::Lookup(..) | Leaf::Gamma(..) => 0.0,
            });
            match write.target {
                Target::Own(variable) => state[variable] = value,
                Target::Add(_) if adds(&write.target) && value.is_finite() => largest = largest.max(value.abs()),
                Target::Add(_) | Target::Post(_) => {}
            }
        }
    }
    largest
}
