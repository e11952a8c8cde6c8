//! Input from outside of the network, which changes many times per second.

use super::Simulation;
use super::variables::check_values;
use crate::{Error, Owner};

impl Simulation {
    /// Gives a variable of all or some neurons the values of a live source, in all trials: one for all, or one for each. In contrast to
    /// [`Simulation::set_values`], a parameter does not keep them after a reset, the network with its values stays the same, and nothing
    /// else is computed again. The values apply from [`Simulation::device_step`] on.
    ///
    /// # Errors
    /// As [`Simulation::set_values`]; or a variable of synapses, or a parameter from which other values were computed. Nothing has changed
    /// then.
    pub async fn feed(&mut self, path: &str, values: &[f64]) -> Result<(), Error> {
        let (array, entry, range) = self.find(path)?;
        let Owner::Neurons { population } = entry.owner else {
            let expected = "a live source changes variables of neurons";
            return Err(Error::invalid(path, "a variable of synapses", expected, "set it instead"));
        };
        if entry.is_parameter() {
            let is_alone = match self.plan().binding(&entry.path) {
                Some(binding) => !binding.anew && !binding.clocks && !binding.initial && binding.arrays == [array],
                None => self.plan().populations[population].program.rules.derived.is_empty(),
            };
            if !is_alone {
                let expected = "other values are computed from it, which a live source cannot change as often";
                return Err(Error::invalid(
                    path,
                    "a parameter",
                    expected,
                    "use a variable that only the equations read, or set it",
                ));
            }
        }
        check_values(path, values, range.len())?;
        for trial in 0..self.runs.len() {
            let mut all = match range.len() == entry.length {
                true => vec![0.0; entry.length],
                false => self.read_values(trial, array).await?,
            };
            for (place, neuron) in range.clone().enumerate() {
                all[neuron as usize] = if values.len() == 1 { values[0] } else { values[place] };
            }
            self.write_values(trial, array, &all).await?;
        }
        Ok(())
    }
}
