//! Values of populations.

use std::collections::HashSet;

use spikelet_lang::model::Role;
use spikelet_lang::program::Given;
use spikelet_lang::term::Symbol;

use super::{Feeds, Object, ParameterBinding};
use crate::plan::arrays::{ArrayEntry, Arrays, Owner};
use crate::plan::clocks::Clocks;
use crate::plan::population::{Neurons, check_time_constants, derived};
use crate::plan::values::{Named, Values};
use crate::plan::{PopulationPlan, rates};
use crate::{Network, Quantity};

impl Neurons {
    /// Names whose value is the same for all neurons, and which no step changes.
    pub(super) fn settable(&self) -> impl Iterator<Item = &str> {
        let is_constant = |name: &str| match self.model.variable(name).map(|at| &self.model.variables[at]) {
            Some(variable) => variable.role == Role::Declared && variable.constant && !variable.written,
            None => self.model.constants.iter().any(|constant| constant.name == name),
        };
        let names = self.values.0.iter().filter(|(_, (_, values))| values.is_uniform()).map(|(name, _)| name.as_str());
        names.filter(move |name| is_constant(name) && !self.initial.contains_key(*name))
    }

    /// Whether a symbol is that of a name.
    fn is_called(&self, symbol: Symbol, name: &str) -> bool {
        match symbol {
            Symbol::Variable(variable) => self.model.variables[variable].name == name,
            Symbol::Constant(constant) => self.model.constants[constant].name == name,
            _ => false,
        }
    }

    /// What a name feeds.
    pub(super) fn binding(&self, plan: &PopulationPlan, population: usize, name: &str, arrays: &Arrays) -> ParameterBinding {
        let is_it = |symbol: Symbol| self.is_called(symbol, name);
        let feeds = Feeds { rules: &plan.program.rules, is_it: &is_it };
        let owner = Owner::Neurons { population };
        let constants = arrays.of(Owner::Population { population }, ArrayEntry::CONSTANTS).filter(|_| feeds.constants());
        let own = plan.program.variable(name).and_then(|array| arrays.of(owner, array));
        let derived = feeds.derived().filter_map(|place| arrays.of(owner, plan.program.first_derived() + place));
        let mentions = |quantity: &Quantity, name: &str| quantity.expression().is_some_and(|of| of.mentions(name));
        let initial = self.initial.values().any(|quantity| mentions(quantity, name));
        // What stands in its own initial value is another one by now.
        let of_itself = || self.initial.iter().any(|(name, quantity)| mentions(quantity, name));
        let anew = self.given.iter().any(|(other, quantity)| other != name && mentions(quantity, name)) || initial && of_itself();
        let arrays = constants.into_iter().chain(own).chain(derived).collect();
        ParameterBinding { arrays, clocks: feeds.clocks(), initial, anew, of: Object::Population(population) }
    }

    /// The neurons with another value of a name, where it is a plain one and all that is checked still holds.
    pub(super) fn with(
        &self,
        name: &str,
        quantity: &Quantity,
        network: &Network,
        index: usize,
        initial: bool,
    ) -> Option<Neurons> {
        let value = self.values.plain(name, quantity, self.model.variable(name).is_some(), &self.elements)?;
        let mut neurons = self.clone();
        neurons.values.0.get_mut(name)?.1 = Values::Uniform(value);
        if initial {
            neurons.set_initial().ok()?;
        }
        check_time_constants(&self.path, &self.model.time_constants(), &neurons.values, "neuron").ok()?;
        neurons.check_reset(&network.populations[index]).ok()?;
        neurons.check_refractory(&network.populations[index]).ok()?;
        rates::check(&neurons, network, index).ok()?;
        Some(neurons)
    }

    /// The population with the value that a name has by now.
    pub(super) fn evaluated(
        &self,
        old: &PopulationPlan,
        name: &str,
        binding: &ParameterBinding,
        dt: f64,
    ) -> Option<PopulationPlan> {
        let kept: HashSet<&str> = old.in_two_words().collect();
        if self.slow(dt).iter().any(|name| !kept.contains(name.as_str())) {
            return None;
        }
        let mut plan = old.clone();
        let program = &old.program;
        let starts = Clocks::starts(self.model.tables.values());
        let value = |symbol, neuron: usize| self.value(symbol, neuron);
        let lookup = |table: usize, index: f64| f64::from(self.tables[starts[table] + index as usize]);
        let given = Given { dt, symbol: &|symbol| value(symbol, 0), lookup: &lookup };
        plan.constants = program.rules.constants(&given).ok()?;
        if binding.clocks {
            plan.clocks = Clocks::new(&program.rules, &|symbol| value(symbol, 0), self.tables.clone(), starts.clone());
        }
        for (array, variable) in program.variables[..program.first_derived()].iter().enumerate() {
            if binding.initial || variable == name {
                plan.initial[array] = self.start(variable);
            }
        }
        let is_it = |symbol: Symbol| self.is_called(symbol, name);
        if (Feeds { rules: &program.rules, is_it: &is_it }).derived().next().is_some() {
            let derived = derived(&program.rules, self.size(), dt, &value, &lookup).ok()?;
            plan.initial.splice(program.first_derived().., derived);
        }
        Some(plan)
    }
}

impl Named {
    /// The value that a quantity gives to a name that has one already, where it is the same for all and needs no other name.
    pub(super) fn plain(
        &self,
        name: &str,
        quantity: &Quantity,
        is_declared: bool,
        elements: &dyn crate::plan::values::Elements,
    ) -> Option<f64> {
        let (dimension, _) = self.0.get(name)?;
        let needs_others = quantity.expression().is_some_and(|of| self.0.keys().any(|other| of.mentions(other)));
        // Without a unit it would be of another dimension.
        let is_bare = matches!(quantity, Quantity::Number(_)) && !is_declared && !dimension.is_none();
        if needs_others || is_bare {
            return None;
        }
        let mut alone = Named::default();
        alone.set(name, quantity, Some(*dimension), elements, 0).ok()?;
        match alone.0.swap_remove(name)? {
            (_, Values::Uniform(value)) => Some(value),
            _ => None,
        }
    }
}
