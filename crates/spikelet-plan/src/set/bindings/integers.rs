//! Whole numbers that an f32 cannot hold.

use spikelet_lang::model::Variable;
use spikelet_network::Error;

use crate::Plan;
use crate::values::NamedValues;

/// An f32 holds all whole numbers up to this one.
const LARGEST: f64 = 16_777_216.0;

impl Plan {
    /// Rejects values of `integer` variables that would be rounded in f32 (rule 8.2).
    pub fn check_integers(&self) -> Result<(), Error> {
        let populations = self.bindings.neurons.iter().map(|of| (&of.path, &of.model.variables, &of.values));
        let projections = self.bindings.synapses.iter().map(|of| (&of.path, &of.model.variables, &of.values));
        populations.chain(projections).try_for_each(|(path, variables, values)| check(path, variables, values))
    }
}

fn check(path: &str, variables: &[Variable], values: &NamedValues) -> Result<(), Error> {
    for variable in variables.iter().filter(|variable| variable.integer) {
        let numbers = values.0.get(&variable.name).map(|(_, values)| values.numbers()).unwrap_or_default();
        if let Some(number) = numbers.iter().find(|number| number.abs() > LARGEST) {
            let expected = format!("in f32 integers are whole numbers up to {LARGEST}");
            return Err(Error::invalid(format!("{path}, `{}`", variable.name), number, expected, "use a smaller one, or f64"));
        }
    }
    Ok(())
}
