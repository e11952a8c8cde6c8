//! What every value that can be set feeds, so that a value that is set is evaluated with what follows from it, and with nothing else.
//!
//! A [`ParameterBinding`] is made of the texts of a population or projection when the plan is built. Where more follows from a value than
//! constants, clocks, derived numbers and initial values of neurons, the plan is [built anew](Plan::revised) with it, which is also what
//! the tests hold the bindings to.

mod neurons;
mod synapses;
mod weights;

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use spikelet_lang::program::{ConstantRule, Rules};
use spikelet_lang::term::{Symbol, Term};

use super::arrays::{ArrayId, Arrays};
use super::population::Neurons;
use super::values::Named;
use super::{Plan, PopulationPlan, ProjectionPlan};
use crate::{Error, Network};
pub(super) use synapses::SynapseValues;

/// What a value feeds.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterBinding {
    /// The arrays that follow from it: constants, derived numbers, its own.
    pub arrays: Vec<ArrayId>,
    /// Whether numbers do that change with time alone.
    pub clocks: bool,
    /// Whether initial values of neurons do.
    pub initial: bool,
    /// Whether so much follows from it that the plan is built anew.
    pub anew: bool,
    of: Object,
}

/// Whose value it is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Object {
    Population(usize),
    Projection(usize),
}

/// The bindings of a plan, with what evaluates them: models, and values.
#[derive(Clone, Default)]
pub(super) struct Bindings {
    neurons: Vec<Arc<Neurons>>,
    synapses: Vec<Arc<SynapseValues>>,
    table: Arc<IndexMap<String, ParameterBinding>>,
}

/// Two plans are the same where what runs is.
impl PartialEq for Bindings {
    fn eq(&self, _: &Bindings) -> bool {
        true
    }
}

impl fmt::Debug for Bindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bindings").field("table", &self.table).finish_non_exhaustive()
    }
}

impl Bindings {
    /// Those of the first `named` populations, and of projections that are drawn.
    pub(super) fn new(
        named: usize,
        neurons: &[Neurons],
        synapses: Vec<SynapseValues>,
        populations: &[PopulationPlan],
        projections: &[Arc<ProjectionPlan>],
        arrays: &Arrays,
    ) -> Bindings {
        let mut table = IndexMap::new();
        let reads = |population: usize, name: &str| synapses.iter().any(|of| of.reads(population, name));
        for (population, (of, plan)) in neurons.iter().zip(populations).enumerate().take(named) {
            for name in of.settable() {
                let mut binding = of.binding(plan, population, name, arrays);
                binding.anew |= reads(population, name);
                table.insert(format!("{}.{name}", plan.name), binding);
            }
        }
        for (projection, (of, plan)) in synapses.iter().zip(projections).enumerate() {
            for name in of.settable() {
                table.insert(format!("{}.{name}", plan.name), of.binding(plan, projection, name, arrays));
            }
        }
        Bindings {
            neurons: neurons.iter().cloned().map(Arc::new).collect(),
            synapses: synapses.into_iter().map(Arc::new).collect(),
            table: Arc::new(table),
        }
    }
}

impl Bindings {
    /// The values of a projection: those that are the same for all synapses, and of the others the least and the largest.
    pub(super) fn values(&self, projection: usize) -> Named {
        self.synapses[projection].values.clone()
    }
}

/// A plan with another value.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) plan: Arc<Plan>,
    /// The arrays in which it may differ; any, where it was built anew.
    pub(crate) arrays: Option<Vec<ArrayId>>,
    /// Whether a device needs to know more of it than these arrays.
    pub(crate) revises: bool,
}

impl Plan {
    /// What a value that can be set feeds, by its path; nothing of one that the plan is always built anew with.
    pub fn binding(&self, path: &str) -> Option<&ParameterBinding> {
        self.bindings.table.get(path)
    }

    /// The plan with the value that `network` has at a path: what is [bound](ParameterBinding) to it is evaluated, or, where that is not all,
    /// the plan is built anew.
    ///
    /// # Errors
    /// As [`Plan::revised`].
    pub(crate) fn with_value(&self, network: &Network, path: &str) -> Result<Bound, Error> {
        match self.bound(network, path) {
            Some(bound) => Ok(bound),
            None => Ok(Bound { plan: Arc::new(self.revised(network, path)?), arrays: None, revises: true }),
        }
    }

    /// The plan as [`Plan::revised`] makes it, with nothing evaluated that is not bound to the value. Nothing where the plan must be built
    /// anew, which also tells what is wrong with a value.
    pub(super) fn bound(&self, network: &Network, path: &str) -> Option<Bound> {
        let binding = self.binding(path).filter(|binding| !binding.anew)?;
        let (_, name) = path.split_once('.')?;
        let mut plan = self.clone();
        match binding.of {
            Object::Population(index) => {
                let quantity = network.populations[index].parameters.get(name)?;
                let neurons = self.bindings.neurons[index].with(name, quantity, network, index, binding.initial)?;
                plan.populations[index] = neurons.evaluated(&self.populations[index], name, binding, network.dt_ms)?;
                plan.bindings.neurons[index] = Arc::new(neurons);
            }
            Object::Projection(index) => {
                let projection = &network.projections[index];
                let synapses = self.bindings.synapses[index].with(name, projection, network.dt_ms)?;
                let old = &self.projections[index];
                let evaluated = match old.state {
                    Some(_) => synapses.evaluated(old, self, name, &self.bindings.synapses[index])?,
                    None => synapses.weighed(index, self)?,
                };
                plan.projections[index] = Arc::new(evaluated);
                plan.bindings.synapses[index] = Arc::new(synapses);
            }
        }
        Some(Bound { plan: Arc::new(plan), arrays: Some(binding.arrays.clone()), revises: binding.clocks })
    }
}

/// The rules of a program that a symbol stands in.
struct Feeds<'a> {
    rules: &'a Rules,
    is_it: &'a dyn Fn(Symbol) -> bool,
}

impl Feeds<'_> {
    fn term(&self, term: &Term) -> bool {
        term.any(|symbol| symbol.is_some_and(self.is_it))
    }

    fn rule(&self, rule: &ConstantRule) -> bool {
        match rule {
            ConstantRule::Term(term) => self.term(term),
            ConstantRule::Propagator(entry) | ConstantRule::Change(entry) => {
                self.rules.systems[entry.system].matrix.iter().flatten().any(|term| self.term(term))
            }
        }
    }

    fn constants(&self) -> bool {
        self.rules.constants.iter().any(|rule| self.rule(rule))
    }

    fn clocks(&self) -> bool {
        self.rules.clocks.iter().any(|term| self.term(term))
    }

    /// Places of the derived numbers.
    fn derived(&self) -> impl Iterator<Item = usize> {
        (0..self.rules.derived.len()).filter(|place| self.rule(&self.rules.derived[*place]))
    }
}

#[cfg(test)]
mod tests;
