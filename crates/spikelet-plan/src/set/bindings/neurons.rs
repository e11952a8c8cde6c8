//! Values of populations, including sources.

use indexmap::IndexSet;
use spikelet_lang::model::Role;
use spikelet_lang::of_low_word;
use spikelet_lang::program::EvaluationContext;
use spikelet_lang::term::Symbol;
use spikelet_network::{Network, Quantity, SourceKind};

use super::{DependentRules, ParameterBinding, ParameterOwner, mentions, with_dependents};
use crate::PopulationPlan;
use crate::layout::arrays::{ArrayEntry, ArrayId, Arrays, Owner};
use crate::neurons::clocks::Clocks;
use crate::neurons::population::{CheckedPopulation, check_time_constants, derived};
use crate::neurons::rates;
use crate::values::in_order;

impl CheckedPopulation {
    /// Names that can be set.
    pub(super) fn settable(&self) -> impl Iterator<Item = &str> {
        let is_named = |name: &str| match self.model.variable(name).map(|at| &self.model.variables[at]) {
            Some(variable) => variable.role == Role::Declared,
            None => self.model.constants.iter().any(|constant| constant.name == name),
        };
        // A variable without a value of its own starts at zero.
        let is_given = |name: &str| self.parameters.contains(name) || self.initial.contains_key(name) || self.is_state(name);
        self.values.0.keys().map(String::as_str).filter(move |name| is_named(name) && is_given(name))
    }

    /// Whether a symbol belongs to one of these names.
    fn is_called(&self, symbol: Symbol, names: &IndexSet<String>) -> bool {
        match symbol {
            Symbol::Variable(variable) => names.contains(&self.model.variables[variable].name),
            Symbol::Constant(constant) => names.contains(&self.model.constants[constant].name),
            _ => false,
        }
    }

    /// A name, with all those whose values depend on it: of parameters, then of initial values.
    pub(crate) fn dependents_of(&self, name: &str) -> [IndexSet<String>; 2] {
        let mut parameters = with_dependents(name, self.parameters.given.iter());
        let mut initial: IndexSet<String> =
            parameters.iter().flat_map(|name| with_dependents(name, self.initial.iter())).collect();
        initial.retain(|name| self.initial.contains_key(name));
        // An initial value overrides a parameter.
        parameters.retain(|name| !self.initial.contains_key(name));
        [parameters, initial]
    }

    /// The dependants of a name.
    pub(super) fn binding(&self, plan: &PopulationPlan, population: usize, name: &str, arrays: &Arrays) -> ParameterBinding {
        let [mut names, initial] = self.dependents_of(name);
        // Of values at the start only this one: state that began with it by an expression stays as it is (rule 7.2).
        names.insert(name.to_owned());
        let is_it = |symbol: Symbol| self.is_called(symbol, &names);
        let feeds = DependentRules { rules: &plan.program.rules, is_it: &is_it };
        let owner = Owner::Neurons { population };
        let constants = arrays.of(Owner::Population { population }, ArrayEntry::CONSTANTS).filter(|_| feeds.constants());
        let own = names.iter().filter_map(|name| plan.program.variable(name)).filter_map(|array| arrays.of(owner, array));
        let derived = feeds.derived().filter_map(|place| arrays.of(owner, plan.program.first_derived() + place));
        let arrays: Vec<ArrayId> = constants.into_iter().chain(own).chain(derived).collect();
        let (clocks, of) = (feeds.clocks(), ParameterOwner::Population(population));
        ParameterBinding { arrays, clocks, initial: !initial.is_empty(), anew: false, of }
    }

    /// The neurons with the current value of a name, if all checks still pass and their model is unchanged.
    pub(super) fn with(&self, name: &str, network: &Network, index: usize) -> Option<CheckedPopulation> {
        let population = network.populations.get(index);
        let quantity = match population {
            Some(population) => population.initial.get(name).or_else(|| population.parameters.get(name))?,
            None => rate(network, index).filter(|_| name == "rate")?,
        };
        let mut neurons = self.clone();
        if population.is_none_or(|population| !population.initial.contains_key(name)) {
            neurons.parameters.given.insert(name.to_owned(), quantity.clone());
        }
        if let Some(initial) = neurons.initial.get_mut(name) {
            initial.clone_from(quantity);
        }
        let [parameters, initial] = neurons.dependents_of(name);
        neurons.evaluate_parameters(&parameters)?;
        neurons.evaluate_initial(&initial)?;
        check_time_constants(&neurons.path, &neurons.model.time_constants(), &neurons.values, "neuron").ok()?;
        if let Some(population) = population {
            neurons.check_reset(population).ok()?;
            neurons.check_refractory(population).ok()?;
        }
        rates::check(&neurons, network, index).ok()?;
        Some(neurons)
    }

    /// Evaluates parameters as [`Neurons::new`] does; `None` if their kinds would change.
    pub(super) fn evaluate_parameters(&mut self, names: &IndexSet<String>) -> Option<()> {
        for place in in_order(self.parameters.given.iter()).ok()? {
            let (name, quantity) = self.parameters.given.get_index(place)?;
            if !names.contains(name) {
                continue;
            }
            // Values that are known only later, and defaults.
            let is_late = |other: &String| other == name || !self.parameters.contains(other) || self.initial.contains_key(other);
            let needs_late =
                quantity.expression().is_some_and(|of| self.values.0.keys().any(|other| of.mentions(other) && is_late(other)));
            if needs_late || quantity.function_of_time().is_some() || matches!(quantity, Quantity::Timed { .. }) {
                return None;
            }
            let (wanted, draws) = self.parameters.wanted(name);
            let name = name.clone();
            self.give(&name, &quantity.clone(), wanted, draws)?;
        }
        Some(())
    }

    /// The same for initial values.
    pub(super) fn evaluate_initial(&mut self, names: &IndexSet<String>) -> Option<()> {
        for place in in_order(self.initial.iter()).ok()? {
            let (name, quantity) = self.initial.get_index(place)?;
            if !names.contains(name) {
                continue;
            }
            // Its own initial value contains another one now.
            if mentions(quantity, name) {
                return None;
            }
            let (name, quantity) = (name.clone(), quantity.clone());
            let wanted = self.model.variable(&name).map(|at| self.model.variables[at].dimension);
            self.give(&name, &quantity, wanted, self.parameters.draws.of(&name))?;
        }
        Some(())
    }

    fn give(&mut self, name: &str, quantity: &Quantity, wanted: Option<spikelet_lang::Dimension>, draws: u32) -> Option<()> {
        let kind = |neurons: &CheckedPopulation| neurons.values.0.get(name).map(|(dimension, of)| (*dimension, of.is_uniform()));
        let before = kind(self)?;
        self.values.set(name, quantity, wanted, &self.elements, draws).ok()?;
        let variable = self.model.variable(name).map(|at| &self.model.variables[at]);
        // An assigned variable has its own array, for any initial value.
        let may_differ = variable.is_some_and(|variable| variable.written && !variable.shared);
        let (dimension, is_uniform) = kind(self)?;
        (dimension == before.0 && (is_uniform == before.1 || may_differ)).then_some(())
    }

    /// The population with the current values of names: of parameters, and of initial values.
    pub(super) fn evaluated(
        &self,
        old: &PopulationPlan,
        [parameters, initial]: &[IndexSet<String>; 2],
        dt: f64,
    ) -> Option<PopulationPlan> {
        let mut plan = old.clone();
        let program = &old.program;
        let starts = Clocks::starts(self.model.tables.values());
        let value = |symbol, neuron: usize| self.value(symbol, neuron);
        let lookup = |table: usize, index: f64| f64::from(self.tables[starts[table] + index as usize] as f32);
        let given = EvaluationContext { dt, symbol: &|symbol| value(symbol, 0), lookup: &lookup };
        let is_it = |symbol: Symbol| self.is_called(symbol, parameters) || self.is_called(symbol, initial);
        let feeds = DependentRules { rules: &program.rules, is_it: &is_it };
        self.check_columns(&program.rules).ok()?;
        plan.constants = program.rules.constants(&given).ok()?;
        if feeds.clocks() {
            plan.clocks = Clocks::new(&program.rules, &|symbol| value(symbol, 0), self.rounded_tables(), starts.clone());
        }
        for (array, variable) in program.variables[..program.first_derived()].iter().enumerate() {
            let name = of_low_word(variable).unwrap_or(variable);
            if parameters.contains(name) || initial.contains(name) {
                plan.initial[array] = self.start(variable);
            }
        }
        if feeds.derived().next().is_some() {
            let derived = derived(&program.rules, self.size(), dt, &value, &lookup).ok()?;
            plan.initial.splice(program.first_derived().., derived);
        }
        Some(plan)
    }

    /// Whether the value of a name uses other names.
    pub(super) fn has_names(&self, name: &str) -> bool {
        let quantities = [self.parameters.given.get(name), self.initial.get(name)];
        let has_names = |quantity: &Quantity| self.values.0.keys().any(|other| mentions(quantity, other));
        quantities.into_iter().flatten().any(has_names)
    }
}

/// The rate of a source that is a population.
fn rate(network: &Network, population: usize) -> Option<&Quantity> {
    let mut sources = network.sources.iter().filter(|source| !matches!(source.kind, SourceKind::PoissonInput { .. }));
    match &sources.nth(population.checked_sub(network.populations.len())?)?.kind {
        SourceKind::Poisson { rate, .. } => Some(rate),
        _ => None,
    }
}
