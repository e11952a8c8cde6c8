//! Values in f64, before they are rounded: for the backend in double precision. Those of neurons are evaluated here when they are needed;
//! those of synapses are part of the plan ([`BuildOptions::exact`](crate::BuildOptions::exact)).

use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::SynapseModel;
use spikelet_lang::program::{EvaluationContext, Propagators, Rules};
use spikelet_lang::term::{Symbol, Term, is_rest};
use spikelet_lang::{NeuronModel, Program, of_low_word};

use super::clocks::Clocks;
use super::population::CheckedPopulation;
use crate::Plan;
use crate::values::Values;

/// The values of a population in f64, before rounding.
pub struct ExactPopulation {
    /// Values of the program's constants.
    pub constants: Vec<f64>,
    /// Initial values of the program's arrays: one for all neurons, or one per neuron. Lower words are 0.
    pub initial: Vec<Vec<f64>>,
    /// Entries of its tables, one table after the other.
    pub tables: Vec<f64>,
}

impl Plan {
    /// The checked model of a population.
    pub fn model(&self, population: usize) -> &NeuronModel {
        &self.bindings.neurons[population].model
    }

    /// The value of a term of this model in a neuron, in f64. Variables have their initial values; what changes with time, and draws, are
    /// NaN.
    pub fn exact_term(&self, population: usize, term: &Term, neuron: usize) -> f64 {
        let neurons = &self.bindings.neurons[population];
        evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(Symbol::Dt) => self.dt_ms,
            Leaf::Symbol(Symbol::Time) | Leaf::Random(..) | Leaf::Gamma(..) | Leaf::Lookup(..) => f64::NAN,
            Leaf::Symbol(symbol) => neurons.value(symbol, neuron),
        })
    }

    /// The checked model of the synapses of a projection.
    pub fn synapse_model(&self, projection: usize) -> &SynapseModel {
        self.bindings.synapse_model(projection)
    }

    /// The value that all synapses of a projection have for a symbol of their model; `None` if it differs between them.
    pub fn common_synapse_value(&self, projection: usize, symbol: Symbol) -> Option<f64> {
        match symbol {
            Symbol::Dt => Some(self.dt_ms),
            symbol => self.bindings.common_synapse_value(projection, symbol),
        }
    }

    /// The values of a population in f64.
    pub fn exact_population(&self, population: usize) -> ExactPopulation {
        exact_values(&self.bindings.neurons[population], &self.populations[population].program, self.dt_ms)
    }

    /// The values of the clocks of a population in a step, in f64; `tables` are those of its [`ExactPopulation`].
    pub fn exact_clocks(&self, population: usize, tables: &[f64], step: u32) -> Vec<f64> {
        let of = &self.populations[population].clocks;
        if of.is_empty() {
            return Vec::new();
        }
        let starts = Clocks::starts(self.bindings.neurons[population].model.tables.values());
        clocks(of.terms(), step, self.dt_ms, &|table, index| tables[starts[table] + index as usize])
    }

    /// The same for the synapses of a projection.
    pub fn exact_synapse_clocks(&self, projection: usize, step: u32) -> Vec<f64> {
        let state = self.projections[projection].state.as_ref();
        state.map_or_else(Vec::new, |state| clocks(state.clocks.terms(), step, self.dt_ms, &|_, _| f64::NAN))
    }
}

/// The values of a population with this program in f64.
pub(crate) fn exact_values(neurons: &CheckedPopulation, program: &Program, dt: f64) -> ExactPopulation {
    let starts = Clocks::starts(neurons.model.tables.values());
    let value = |symbol: Symbol, neuron: usize| neurons.value(symbol, neuron);
    let lookup = |table: usize, index: f64| neurons.tables[starts[table] + index as usize];
    let given = EvaluationContext { dt, symbol: &|symbol| value(symbol, 0), lookup: &lookup };
    let constants = program.rules.unrounded(&program.rules.constants, &given, &mut Propagators::default()).collect();
    let start = |name: &String| match neurons.values.0.get(name) {
        Some((_, values)) if of_low_word(name).is_none() => Values::numbers(values).to_vec(),
        _ => vec![0.0],
    };
    let mut initial: Vec<Vec<f64>> = program.variables[..program.first_derived()].iter().map(start).collect();
    initial.extend(unrounded(&program.rules, neurons.size(), dt, &value, &lookup));
    ExactPopulation { constants, initial, tables: neurons.tables.clone() }
}

fn clocks(terms: &[Term], step: u32, dt: f64, lookup: &dyn Fn(usize, f64) -> f64) -> Vec<f64> {
    let value = |term: &Term| {
        evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(Symbol::Time) => f64::from(step) * dt,
            Leaf::Symbol(Symbol::Dt) => dt,
            Leaf::Lookup(table, index) => lookup(table, index),
            Leaf::Symbol(_) | Leaf::Random(..) | Leaf::Gamma(..) => f64::NAN,
        })
    };
    terms.iter().map(|term| if is_rest(term) { 0.0 } else { value(term) }).collect()
}

/// Values of the derived numbers, one array each.
pub(crate) fn unrounded(
    rules: &Rules,
    count: usize,
    dt: f64,
    value: &dyn Fn(Symbol, usize) -> f64,
    lookup: &dyn Fn(usize, f64) -> f64,
) -> Vec<Vec<f64>> {
    let mut known = Propagators::default();
    let mut derived = vec![Vec::with_capacity(count); rules.derived.len()];
    for k in 0..if derived.is_empty() { 0 } else { count } {
        let given = EvaluationContext { dt, symbol: &|symbol| value(symbol, k), lookup };
        let values = rules.unrounded(&rules.derived, &given, &mut known);
        derived.iter_mut().zip(values).for_each(|(values, value)| values.push(value));
    }
    derived
}
