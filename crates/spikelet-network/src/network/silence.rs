//! Neurons that fire no spikes.

use super::{CustomEvent, Endpoint, Network, Quantity};
use crate::selection::Selection;
use crate::{Error, texts};

/// The parameter of neurons that fire no spikes where it is 1.
pub(super) const SILENCED: &str = "silenced";
/// The event that resets them.
const SILENT_SPIKE: &str = "silent_spike";

impl Network {
    /// Silences the neurons of a population, of a slice, or those that a condition on its table selects: they fire no spikes. They still
    /// integrate, and a silenced neuron above its threshold is reset, but not refractory.
    ///
    /// The population gets the parameter `silenced`, unless it declares it: 0 or 1 for each neuron, which [`Network::set`] and changes set like
    /// any other. Other neurons are as if the silenced ones had no synapses to them.
    ///
    /// # Errors
    /// An unknown population, one without spikes, a slice outside of it, or a condition without a table; nothing is changed then.
    pub fn silence_neurons(&mut self, neurons: &Endpoint) -> Result<(), Error> {
        let place = format!("silencing {neurons}");
        let Some(index) = self.populations.iter().position(|population| population.name == neurons.population) else {
            let known = self.populations.iter().map(|population| population.name.as_str());
            return Err(Error::unknown_name(&place, "population", &neurons.population, known));
        };
        let size = self.populations[index].size;
        let selected: Vec<u32> = match &neurons.condition {
            Some(condition) => {
                let table = self.with_table(&place, &neurons.population, condition)?.neurons.as_ref().and_then(|of| of.table());
                let Some(table) = table else {
                    return Err(Error::invalid(
                        place,
                        "unread",
                        "its table must be read before",
                        "read the files of the network",
                    ));
                };
                Selection::parse(&place, condition)?.neurons(&place, table)?
            }
            None => neurons.range(size).collect(),
        };
        if selected.iter().any(|neuron| *neuron >= size) || selected.is_empty() {
            let expected = format!("{} has neurons 0 to {}", neurons.population, size.saturating_sub(1));
            return Err(Error::invalid(place, neurons, expected, "select some of those"));
        }
        let mut changed = self.clone();
        changed.add_silenced(&neurons.population)?;
        let population = &mut changed.populations[index];
        let mut values = match population.parameters.get(SILENCED) {
            Some(Quantity::Values { values, unit: None }) if values.len() == size as usize => values.clone(),
            Some(Quantity::Number(number)) => vec![*number; size as usize],
            other => {
                let found = other.map_or_else(|| "without a value".to_owned(), ToString::to_string);
                let expected = "silencing adds to a number or to a list with a number for each neuron";
                return Err(Error::invalid(place, found, expected, format!("write `{SILENCED}` so")));
            }
        };
        selected.into_iter().for_each(|neuron| values[neuron as usize] = 1.0);
        if let Some(neurons) = &mut population.neurons {
            neurons.forget(SILENCED);
        }
        population.parameters.insert(SILENCED.to_owned(), Quantity::Values { values, unit: None });
        changed.validate()?;
        *self = changed;
        Ok(())
    }

    /// Lets neurons be silenced by these paths, where they are those of the parameter `silenced` of populations.
    ///
    /// # Errors
    /// A population without spikes.
    pub fn add_silenced_for<'a>(&mut self, paths: impl Iterator<Item = &'a str>) -> Result<(), Error> {
        let of_objects = paths.filter_map(|path| path.split_once('.')).filter(|(_, name)| *name == SILENCED);
        for (object, _) in of_objects {
            if self.population(object).is_some() {
                self.add_silenced(object)?;
            }
        }
        Ok(())
    }

    /// Gives a population the parameter `silenced`, 0 for all neurons, unless it declares it: then its neurons can be silenced by setting it.
    ///
    /// # Errors
    /// An unknown population, or one without spikes.
    pub(super) fn add_silenced(&mut self, name: &str) -> Result<(), Error> {
        let place = format!("silencing {name}");
        let Some(index) = self.populations.iter().position(|population| population.name == name) else {
            let known = self.populations.iter().map(|population| population.name.as_str());
            return Err(Error::unknown_name(&place, "population", name, known));
        };
        if self.parameter_names(name).contains(SILENCED) {
            return Ok(());
        }
        let population = &mut self.populations[index];
        let own = texts::own(population);
        let threshold = own.threshold.filter(|text| !text.trim().is_empty());
        if threshold.is_none() && population.winners.is_none() {
            let expected = format!("{} has no threshold, so its neurons fire no spikes", population.name);
            return Err(Error::invalid(place, &population.name, expected, "silence the neurons that drive it"));
        }
        if let (Some(threshold), Some(statements), None) = (&threshold, &own.reset, &population.winners) {
            if population.events.contains_key(SILENT_SPIKE) {
                let expected =
                    format!("{} has an event `{SILENT_SPIKE}`, the name of that which resets silenced neurons", population.name);
                return Err(Error::invalid(place, &population.name, expected, "rename it"));
            }
            let condition = format!("({threshold}) and {SILENCED} == 1");
            let event = CustomEvent { condition, statements: Some(statements.clone()), record: false };
            population.events.insert(SILENT_SPIKE.to_owned(), event);
        }
        (population.model, population.preset) = (None, None);
        let equations = own.equations.unwrap_or_default();
        population.equations = Some(format!("{equations}\n{SILENCED} : 1").trim_start().to_owned());
        population.threshold = Some(match threshold {
            Some(threshold) => format!("({threshold}) and {SILENCED} == 0"),
            None => format!("{SILENCED} == 0"),
        });
        (population.update, population.reset, population.refractory) = (own.update, own.reset, own.refractory);
        (population.method, population.parameters, population.initial) = (own.method, own.parameters, own.initial);
        // A list, where conditions set it; without a table one number for all, which numbers change during a run.
        let value = match population.neurons {
            Some(_) => Quantity::Values { values: vec![0.0; population.size as usize], unit: None },
            None => Quantity::Number(0.0),
        };
        population.parameters.insert(SILENCED.to_owned(), value);
        Ok(())
    }
}
