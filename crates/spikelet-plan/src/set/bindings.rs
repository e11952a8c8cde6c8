//! What depends on each value that can be set, so that setting a value evaluates its dependants and nothing else.
//!
//! A [`ParameterBinding`] is derived from the texts of a population or projection when the plan is built. A value may be an expression of
//! others, or a list: everything that depends on it by these texts is evaluated, and the scales of ports to which its synapses add. If the
//! connectivity, or values that differ between single synapses, depend on a value, the plan is [built again](Plan::revised), which is also
//! what the tests compare the bindings with.

mod given;
mod integers;
mod neurons;
mod rescale;
mod synapses;
mod weights;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use spikelet_lang::model::SynapseModel;
use spikelet_lang::program::{ConstantRule, EvaluationContext, Rules};
use spikelet_lang::term::{Symbol, Term};
use spikelet_network::{Error, Network, Quantity};

use crate::layout::arrays::{ArrayId, Arrays};
use crate::neurons::population::CheckedPopulation;
use crate::values::NamedValues;
use crate::{Plan, PopulationPlan, ProjectionPlan};
pub use given::NeuronValues;
pub(crate) use synapses::SynapseValues;

/// The dependants of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterBinding {
    /// The dependent arrays: constants, derived numbers, its own.
    pub arrays: Vec<ArrayId>,
    /// Whether values that depend on time alone are among them.
    pub clocks: bool,
    /// Whether initial values of neurons are among them.
    pub initial: bool,
    /// Whether the plan must be built again.
    pub anew: bool,
    of: ParameterOwner,
}

/// The object of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ParameterOwner {
    Population(usize),
    Projection(usize),
}

/// The bindings of a plan, with what evaluates them: models, and values.
#[derive(Clone, Default)]
pub(crate) struct Bindings {
    pub(crate) neurons: Vec<Arc<CheckedPopulation>>,
    synapses: Vec<Arc<SynapseValues>>,
    table: Arc<IndexMap<String, ParameterBinding>>,
}

/// Two plans are equal if their execution is the same.
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
    /// Those of populations, including sources, and of projections that are drawn.
    pub(crate) fn new(
        neurons: &[CheckedPopulation],
        synapses: Vec<SynapseValues>,
        populations: &[PopulationPlan],
        projections: &[Arc<ProjectionPlan>],
        arrays: &Arrays,
    ) -> Bindings {
        let mut bindings = Bindings {
            neurons: neurons.iter().cloned().map(Arc::new).collect(),
            synapses: synapses.into_iter().map(Arc::new).collect(),
            table: Arc::default(),
        };
        let parts = BindingTargets { populations, projections, arrays };
        (0..neurons.len()).for_each(|index| bindings.bind(ParameterOwner::Population(index), &parts));
        (0..projections.len()).for_each(|index| bindings.bind(ParameterOwner::Projection(index), &parts));
        bindings
    }

    /// Records the current dependants of the values of an object.
    fn bind(&mut self, of: ParameterOwner, parts: &BindingTargets<'_>) {
        let table = Arc::make_mut(&mut self.table);
        match of {
            ParameterOwner::Population(index) => {
                let (neurons, plan) = (&self.neurons[index], &parts.populations[index]);
                // The events of a population, `A.high`, have no values of their own.
                for name in neurons.settable().filter(|_| !plan.name.contains('.')) {
                    let mut binding = neurons.binding(plan, index, name, parts.arrays);
                    let fed: IndexSet<String> = neurons.dependents_of(name).into_iter().flatten().collect();
                    for (projection, of) in self.synapses.iter().enumerate().filter(|(_, of)| of.reads(index, &fed)) {
                        of.add_to(&mut binding, &parts.projections[projection], projection, (index, &fed), parts.arrays);
                    }
                    binding.anew |= self.synapses.iter().any(|of| of.starts_from(index, &fed, &neurons.values));
                    table.insert(format!("{}.{name}", plan.name), binding);
                }
            }
            ParameterOwner::Projection(index) => {
                let (synapses, plan) = (&self.synapses[index], &parts.projections[index]);
                for name in synapses.settable() {
                    table.insert(format!("{}.{name}", plan.name), synapses.binding(plan, index, name, parts.arrays));
                }
            }
        }
    }

    /// The values of a projection: those that are the same for all synapses, and of the others the minimum and maximum.
    pub(crate) fn values(&self, projection: usize) -> NamedValues {
        self.synapses[projection].values.clone()
    }

    /// The model of a projection.
    pub(crate) fn synapse_model(&self, projection: usize) -> &SynapseModel {
        &self.synapses[projection].model
    }

    /// As [`Plan::trace_after`], for a time step in ms.
    pub(crate) fn trace_after(&self, projection: usize, name: &str, dt: f64) -> Option<impl Fn(f64, f64) -> f64> {
        let synapses = self.synapses[projection].clone();
        let variable = synapses.model.variable(name)?;
        let term = synapses.model.after_event(variable)?;
        Some(move |value: f64, steps: f64| {
            let symbol = |symbol: Symbol| match symbol {
                Symbol::Variable(of) if of == variable => value,
                Symbol::SinceEvent => steps,
                // Its equation has constants, and parameters that are the same for all synapses.
                other => synapses.common_value(other).unwrap_or(f64::NAN),
            };
            EvaluationContext { dt, symbol: &symbol, lookup: &|_, _| f64::NAN }.evaluate(&term)
        })
    }

    /// The value that all synapses of a projection have for a constant or a variable.
    pub(crate) fn common_synapse_value(&self, projection: usize, symbol: Symbol) -> Option<f64> {
        self.synapses[projection].common_value(symbol)
    }
}

/// The targets of bindings.
struct BindingTargets<'a> {
    populations: &'a [PopulationPlan],
    projections: &'a [Arc<ProjectionPlan>],
    arrays: &'a Arrays,
}

/// A plan with another value.
#[derive(Clone)]
pub struct BoundPlan {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The arrays in which it may differ; all, if it was built again.
    pub arrays: Option<Vec<ArrayId>>,
    /// Whether a device needs more than these arrays.
    pub revises: bool,
}

impl Plan {
    /// What a trace of a projection with this value has become some steps later, before the next event. `None` if it is not event-driven.
    pub fn trace_after(&self, projection: usize, name: &str) -> Option<impl Fn(f64, f64) -> f64> {
        self.bindings.trace_after(projection, name, self.dt_ms)
    }

    /// The dependants of a value, by its path; `None` if it always requires a rebuild.
    pub fn binding(&self, path: &str) -> Option<&ParameterBinding> {
        self.bindings.table.get(path)
    }

    /// The plan with the value that `network` has at a path: its [dependants](ParameterBinding) are evaluated, or, if that is not
    /// sufficient, the plan is built again.
    ///
    /// # Errors
    /// A new value is invalid, or changes the code of a step.
    pub fn with_value(&self, network: &Network, path: &str) -> Result<BoundPlan, Error> {
        self.with_all(network, &[path])
    }

    /// The same with the values at several paths.
    ///
    /// # Errors
    /// A new value is invalid, or changes the code of a step.
    pub fn with_all(&self, network: &Network, paths: &[&str]) -> Result<BoundPlan, Error> {
        match self.all_bound(network, paths) {
            Some(bound) => Ok(bound),
            None => Ok(BoundPlan { plan: Arc::new(self.revised(network, paths)?), arrays: None, revises: true }),
        }
    }

    /// Each value is evaluated with all others, in the order of their objects and names: that of `paths` has no meaning, not even for scales.
    fn all_bound(&self, network: &Network, paths: &[&str]) -> Option<BoundPlan> {
        let mut paths = paths.to_vec();
        paths.sort_by_cached_key(|path| {
            let (object, name) = path.split_once('.').unwrap_or((path, ""));
            (network.objects().position(|of| of == object), name)
        });
        let (first, others) = paths.split_first()?;
        others.iter().try_fold(self.bound(network, first, ScaleEffect::Kept)?, |before, path| {
            let bound = before.plan.bound(network, path, ScaleEffect::Kept)?;
            let arrays = before.arrays.zip(bound.arrays).map(|(before, arrays)| [before, arrays].concat());
            Some(BoundPlan { plan: bound.plan, arrays, revises: before.revises || bound.revises })
        })
    }

    /// The plan as by [`Plan::revised`] or [`Plan::varied`], evaluating only dependants of the value. `None` if the plan must be built
    /// again, which also reports errors of the value.
    pub(crate) fn bound(&self, network: &Network, path: &str, scaling: ScaleEffect) -> Option<BoundPlan> {
        let binding = self.binding(path).filter(|binding| !binding.anew)?;
        let (_, name) = path.split_once('.')?;
        let mut plan = self.clone();
        let rescaled = match binding.of {
            ParameterOwner::Population(index) => {
                plan.set_neurons(index, name, network, scaling)?;
                false
            }
            ParameterOwner::Projection(index) => plan.set_synapses(index, name, network, scaling)?,
        };
        if self.has_names(binding.of, name) || plan.has_names(binding.of, name) {
            let parts = BindingTargets { populations: &plan.populations, projections: &plan.projections, arrays: &plan.arrays };
            plan.bindings.bind(binding.of, &parts);
        }
        let now = plan.binding(path)?;
        let (arrays, clocks) = (now.arrays.clone(), binding.clocks || now.clocks);
        // Other scales affect everything that adds to the same ports.
        Some(BoundPlan { arrays: (!rescaled).then_some(arrays), revises: clocks || rescaled, plan: Arc::new(plan) })
    }

    /// Applies the current value of a name of a population, and its dependants in the population and in synapses.
    fn set_neurons(&mut self, index: usize, name: &str, network: &Network, scaling: ScaleEffect) -> Option<()> {
        let neurons = self.bindings.neurons[index].with(name, network, index)?;
        let fed = neurons.dependents_of(name);
        let kept = self.populations[index].in_two_words().collect();
        scaling.keeps_precision(&neurons.slow(self.dt_ms), &kept, network)?;
        self.populations[index] = neurons.evaluated(&self.populations[index], &fed, self.dt_ms)?;
        self.bindings.neurons[index] = Arc::new(neurons);
        let fed: IndexSet<String> = fed.into_iter().flatten().collect();
        for projection in 0..self.projections.len() {
            let of = self.bindings.synapses[projection].clone();
            if of.reads(index, &fed) {
                let is_it = |symbol: Symbol| of.is_read(symbol, index, &fed);
                let mut synapses = SynapseValues::clone(&of);
                let evaluated = synapses.evaluated(projection, self, &IndexSet::new(), &is_it, (network, scaling))?;
                self.projections[projection] = Arc::new(evaluated);
            }
        }
        Some(())
    }

    /// The same for a projection. Returns whether scales of ports changed.
    fn set_synapses(&mut self, index: usize, name: &str, network: &Network, scaling: ScaleEffect) -> Option<bool> {
        let before = self.bindings.synapses[index].clone();
        let mut synapses = before.with(name, &network.projections[index], network.dt_ms)?;
        if self.projections[index].state.is_none() {
            let writes = synapses.writes(self.dt_ms)?;
            self.bindings.synapses[index] = Arc::new(synapses);
            return self.rescale(index, Some(&writes), scaling);
        }
        let (named, names) = (synapses.clone(), synapses.dependents_of(name));
        let is_it = |symbol: Symbol| named.is_called(symbol, &names);
        let evaluated = synapses.evaluated(index, self, &names, &is_it, (network, scaling))?;
        let same = synapses.adds_as(&before);
        self.bindings.synapses[index] = Arc::new(synapses);
        self.projections[index] = Arc::new(evaluated);
        if same { Some(false) } else { self.rescale(index, None, scaling) }
    }

    /// Whether the value of a name uses other names: then the dependants change with the value.
    fn has_names(&self, of: ParameterOwner, name: &str) -> bool {
        match of {
            ParameterOwner::Population(index) => self.bindings.neurons[index].has_names(name),
            ParameterOwner::Projection(index) => self.bindings.synapses[index].has_names(name),
        }
    }
}

/// How scales and word counts are treated that a new value would require to be different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScaleEffect {
    /// A running network keeps them if possible.
    Kept,
    /// They are those of a plan built with the value.
    Built,
}

impl ScaleEffect {
    /// Whether variables that are slow now have two words.
    fn keeps_precision(self, slow: &HashSet<String>, kept: &HashSet<&str>, network: &Network) -> Option<()> {
        let has_words = slow.iter().all(|name| kept.contains(name.as_str()));
        // Later changes of the network may make others slow.
        let as_built = || slow.len() == kept.len() && network.schedule().is_empty();
        (has_words && (self == ScaleEffect::Kept || as_built())).then_some(())
    }
}

/// Whether a name occurs in a quantity.
fn mentions(quantity: &Quantity, name: &str) -> bool {
    // A text without the name need not be parsed.
    let (Quantity::Text(text) | Quantity::Expr(text)) = quantity else { return false };
    text.contains(name) && quantity.expression().is_some_and(|of| of.mentions(name))
}

/// A name, and those whose values depend on it.
fn with_dependents<'a>(name: &str, quantities: impl Iterator<Item = (&'a String, &'a Quantity)>) -> IndexSet<String> {
    let quantities: Vec<_> = quantities.collect();
    let mut found = IndexSet::from([name.to_owned()]);
    let mut next = 0;
    while let Some(of) = found.get_index(next).cloned() {
        found.extend(quantities.iter().filter(|(_, quantity)| mentions(quantity, &of)).map(|(name, _)| (*name).clone()));
        next += 1;
    }
    found
}

/// The rules of a program in which a symbol occurs.
struct DependentRules<'a> {
    rules: &'a Rules,
    is_it: &'a dyn Fn(Symbol) -> bool,
}

impl DependentRules<'_> {
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

    /// Indices of the derived numbers.
    fn derived(&self) -> impl Iterator<Item = usize> {
        (0..self.rules.derived.len()).filter(|place| self.rule(&self.rules.derived[*place]))
    }
}

#[cfg(test)]
mod tests;
