//! Populations: texts, checked models, programs and values; here the checks of a whole one.

pub(super) mod clocks;
pub(super) mod ends;
pub(crate) mod exact;
pub(super) mod population;
pub(super) mod population_plan;
pub(super) mod port;
pub(super) mod rates;
pub(super) mod sources;
pub(super) mod texts;

use std::collections::HashSet;

use spikelet_lang::model::Refractory;
use spikelet_lang::term::{Symbol, Term};
use spikelet_lang::{host, library};

use population::CheckedPopulation;
use sources::LoweredNetwork;
use spikelet_network::{Error, Population};

/// Checks every population.
pub(crate) fn check(network: &LoweredNetwork<'_>) -> Result<Vec<CheckedPopulation>, Error> {
    (0..network.populations.len()).map(|index| check_one(network, index)).collect()
}

/// Checks one population.
pub(crate) fn check_one(network: &LoweredNetwork<'_>, index: usize) -> Result<CheckedPopulation, Error> {
    let (neurons, population) = (CheckedPopulation::new(network, index)?, &network.populations[index]);
    // Given spikes depend on nothing.
    if network.spikes[index].is_none() {
        neurons.check_reset(population)?;
        neurons.check_refractory(population)?;
        rates::check(&neurons, network.network(), index)?;
    }
    Ok(neurons)
}

impl CheckedPopulation {
    /// Rejects a threshold that is certainly still true after the reset: the neuron would fire in every step.
    pub(crate) fn check_reset(&self, population: &Population) -> Result<(), Error> {
        // Neurons that are compared do not fire merely because they are above threshold.
        let decides = self.model.score.is_none() && !self.model.reset.is_empty();
        let Some(threshold) = self.model.threshold.as_ref().filter(|_| decides) else { return Ok(()) };
        // Variables whose value after the reset depends on parameters alone.
        let mut known: HashSet<usize> =
            (0..self.model.variables.len()).filter(|variable| !self.model.variables[*variable].written).collect();
        let follows = |term: &Term, known: &HashSet<usize>| {
            !term.any(|symbol| match symbol {
                None | Some(Symbol::NotRefractory | Symbol::SinceSpike | Symbol::Time) => true,
                Some(Symbol::Variable(variable)) => !known.contains(&variable),
                Some(_) => false,
            })
        };
        for (variable, value) in &self.model.reset {
            if follows(value, &known) {
                known.insert(*variable);
            } else {
                known.remove(variable);
            }
        }
        if !follows(threshold, &known) {
            return Ok(());
        }
        // Neurons have the same values of everything that it depends on.
        let each = |name: &String| !self.values.0[name].1.is_uniform();
        let is_each = |symbol: Option<Symbol>| match symbol {
            // Assignments of the reset depend on other values.
            Some(Symbol::Variable(variable)) => {
                let variable = &self.model.variables[variable];
                !variable.written && self.differs(&variable.name)
            }
            Some(Symbol::Constant(constant)) => self.differs(&self.model.constants[constant].name),
            Some(Symbol::Dt | Symbol::Size) => false,
            _ => true,
        };
        let mut terms = self.model.reset.iter().map(|(_, value)| value).chain([threshold]);
        let differs = self.values.0.keys().any(each) && terms.any(|term| term.any(is_each));
        for neuron in 0..self.size() {
            let value = |name: &String| self.values.0.get(name).map_or(0.0, |(_, values)| values.at(neuron));
            let mut state: Vec<f64> = self.model.variables.iter().map(|variable| value(&variable.name)).collect();
            let evaluate = |term: &Term, state: &[f64]| {
                host::evaluate(term, &mut |leaf| match leaf {
                    host::Leaf::Symbol(Symbol::Variable(variable)) => state[variable],
                    host::Leaf::Symbol(symbol) => self.value(symbol, neuron),
                    host::Leaf::Random(..) | host::Leaf::Gamma(..) | host::Leaf::Lookup(..) => f64::NAN,
                })
            };
            for (variable, value) in &self.model.reset {
                state[*variable] = evaluate(value, &state);
            }
            if evaluate(threshold, &state) != 0.0 {
                let after: Vec<String> = self
                    .model
                    .variables
                    .iter()
                    .enumerate()
                    .filter(|(variable, _)| threshold.mentions(*variable))
                    .map(|(variable, declared)| {
                        format!("{} = {} {}", declared.name, state[variable], declared.dimension.inner_unit())
                    })
                    .collect();
                let expected = format!(
                    "it is still true after the reset ({}) in neuron {neuron}, which would fire in every possible step",
                    after.join(", ")
                );
                let text = threshold_text(population);
                return Err(Error::invalid(
                    format!("{}.threshold", self.path),
                    format!("`{text}`"),
                    expected,
                    "use a reset value that does not satisfy the threshold",
                ));
            }
            if !differs {
                break;
            }
        }
        Ok(())
    }

    /// Rejects a refractory time below 0, if it depends on parameters alone.
    pub(crate) fn check_refractory(&self, population: &Population) -> Result<(), Error> {
        let Some(Refractory::Time(time)) = &self.model.refractory else { return Ok(()) };
        let follows = !time.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => self.model.variables[variable].written,
            Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size | Symbol::Index) => false,
            _ => true,
        });
        if !follows {
            return Ok(());
        }
        let at = |neuron: usize| {
            host::evaluate(time, &mut |leaf| match leaf {
                host::Leaf::Symbol(symbol) => self.value(symbol, neuron),
                host::Leaf::Random(..) | host::Leaf::Gamma(..) | host::Leaf::Lookup(..) => f64::NAN,
            })
        };
        let Some(below) = self.places(time).map(at).find(|time| *time < 0.0) else { return Ok(()) };
        let of_library = || population.model.as_ref().and_then(|name| library(name).ok()?.text().ok()?.refractory);
        let text = population.refractory.clone().or_else(of_library).unwrap_or_default();
        let expected = format!("it is {below} ms, and a refractory time must be 0 or more");
        let way_out = "use 0 ms or remove it for no refractory time";
        Err(Error::invalid(format!("{}.refractory", self.path), format!("`{text}`"), expected, way_out))
    }
}

fn threshold_text(population: &Population) -> String {
    let of_library = || population.model.as_ref().and_then(|name| library(name).ok()?.text().ok()?.threshold);
    population.threshold.clone().or_else(of_library).unwrap_or_default()
}
