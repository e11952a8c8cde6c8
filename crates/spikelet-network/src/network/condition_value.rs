//! Conditions on tables of neurons as values: 1 for the neurons where they hold, and 0 for all others.

use spikelet_lang::quantity::constant;

use super::endpoint::is_condition;
use super::{Network, Population, Quantity};
use crate::selection::Selection;
use crate::{Error, NeuronTable};

/// Whether a text can only be a condition: no equation has quotes.
fn is_quoted(text: &str) -> bool {
    text.contains(['\'', '"'])
}

/// The condition that a value is. Without quotes, as in `n > 3`, it is one if the table has its columns; it is an expression otherwise.
fn condition<'a>(path: &str, value: &'a Quantity, table: &NeuronTable) -> Result<Option<(&'a str, Selection)>, Error> {
    let Quantity::Text(text) = value else { return Ok(None) };
    if is_quoted(text) {
        return Ok(Some((text, Selection::parse(path, text)?)));
    }
    let plain = is_condition(text).then(|| Selection::parse(path, text).ok()).flatten();
    Ok(plain.filter(|of| of.columns().iter().all(|column| table.texts(column).is_ok())).map(|of| (text.as_str(), of)))
}

/// 1 for the neurons of a table where a condition holds.
fn ones(path: &str, text: &str, condition: &Selection, table: &NeuronTable) -> Result<Quantity, Error> {
    let values: Vec<f64> = condition.rows(path, table)?.into_iter().map(f64::from).collect();
    if values.iter().all(|value| *value == 0.0) {
        let expected = format!("no neuron of {} has all of this", table.file());
        return Err(Error::invalid(path, format!("{text:?}"), expected, "correct the condition"));
    }
    Ok(Quantity::Values { values, unit: None })
}

impl Population {
    /// Evaluates the conditions among its values by the table that was read.
    pub(super) fn evaluate_conditions(&mut self, path: &str) -> Result<(), Error> {
        let Some(neurons) = &mut self.neurons else { return Ok(()) };
        let Some(table) = neurons.table.clone() else { return Ok(()) };
        for (key, values) in [("parameters", &mut self.parameters), ("initial", &mut self.initial)] {
            for (name, value) in values {
                let path = format!("{path}.{key}.{name}");
                if let Some((text, of)) = condition(&path, value, &table)? {
                    let found = ones(&path, text, &of, &table)?;
                    neurons.written.insert(name.clone(), std::mem::replace(value, found));
                }
            }
        }
        Ok(())
    }

    /// A value that is set, for each neuron where it is a condition or takes the place of a list. [`Network::to_json`] writes it as it was
    /// given.
    pub(super) fn set_value(&mut self, path: &str, name: &str, given: Quantity) -> Result<(), Error> {
        let size = self.size as usize;
        let has = |value: Option<&Quantity>| value.is_some_and(|value| value.is_column(size));
        let is_list = has(self.initial.get(name).or_else(|| self.parameters.get(name)));
        let mut value = given;
        match &mut self.neurons {
            Some(neurons) => {
                neurons.forget(name);
                let table = neurons.table.clone();
                let found = match (&table, &value) {
                    (Some(_), Quantity::Number(number)) if is_list => {
                        Some(Quantity::Values { values: vec![*number; size], unit: None })
                    }
                    (Some(table), _) => {
                        condition(path, &value, table)?.map(|(text, of)| ones(path, text, &of, table)).transpose()?
                    }
                    (None, _) => None,
                };
                if let Some(found) = found {
                    neurons.written.insert(name.to_owned(), std::mem::replace(&mut value, found));
                }
            }
            None if matches!(&value, Quantity::Text(text) if is_quoted(text) && Selection::parse(path, text).is_ok()) => {
                return Err(needs_table(path, &self.name, &value.to_setting()));
            }
            None => {}
        }
        match self.initial.get_mut(name) {
            Some(initial) => *initial = value,
            None => _ = self.parameters.insert(name.to_owned(), value),
        }
        Ok(())
    }

    /// A number for each condition, for checks before the table is read.
    pub(super) fn with_placeholders(&mut self) {
        self.parameters.values_mut().chain(self.initial.values_mut()).for_each(placeholder);
    }
}

/// The error for a condition on a population without a table.
pub(super) fn needs_table(path: &str, population: &str, condition: &str) -> Error {
    let expected = format!("a condition needs a table of neurons, and `{population}` has none");
    let way_out = "add one to the population, \"neurons\": {\"file\": \"neurons.csv\", \"id\": \"root_id\"}; or use a slice";
    Error::invalid(path, format!("{condition:?}"), expected, way_out)
}

/// A number instead of a condition.
pub(super) fn placeholder(value: &mut Quantity) {
    if matches!(value, Quantity::Text(text) if is_condition(text) && Selection::parse("", text).is_ok()) {
        *value = Quantity::Number(1.0);
    }
}

impl Network {
    /// The population, the name and the table of a value that a change sets by a condition.
    fn of_condition(&self, path: &str, value: &Quantity) -> Result<Option<(usize, String, Quantity)>, Error> {
        let Some((object, name)) = path.split_once('.') else { return Ok(None) };
        let Some(index) = self.populations.iter().position(|population| population.name == object) else { return Ok(None) };
        let Some(table) = self.populations[index].neurons.as_ref().and_then(|neurons| neurons.table()) else { return Ok(None) };
        let found = condition(path, value, table)?.map(|(text, of)| ones(path, text, &of, table)).transpose()?;
        Ok(found.map(|found| (index, name.to_owned(), found)))
    }

    /// Gives each neuron its own value of what changes set by a condition: a single value stays a single value during a run.
    pub(super) fn spread_changed(&mut self) -> Result<(), Error> {
        let mut spread = Vec::new();
        for (index, change) in self.changes.iter().enumerate() {
            for (path, value) in &change.set {
                let found = self.of_condition(path, value);
                spread.extend(found.map_err(|error| error.within(&format!("changes[{index}].set[{path:?}]"), path))?);
            }
        }
        for (index, name, _) in spread {
            let population = &mut self.populations[index];
            let size = population.size as usize;
            let Some(value) = population.parameters.get_mut(&name) else { continue };
            let single = match &*value {
                Quantity::Number(number) => Some(*number),
                Quantity::Text(text) => constant("", text).ok().map(|(number, _)| number),
                _ => None,
            };
            if let (Some(number), Some(neurons)) = (single, &mut population.neurons) {
                let list = Quantity::Values { values: vec![number; size], unit: None };
                neurons.written.insert(name, std::mem::replace(value, list));
            }
        }
        Ok(())
    }

    /// Lists instead of conditions in changes, for a network that needs no table.
    pub(super) fn list_changed(&mut self) {
        let mut changes = std::mem::take(&mut self.changes);
        for (path, value) in changes.iter_mut().flat_map(|change| &mut change.set) {
            if let Ok(Some((.., list))) = self.of_condition(path, value) {
                *value = list;
            }
        }
        self.changes = changes;
    }
}
