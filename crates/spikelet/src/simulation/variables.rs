//! Variables by name, read and set during a run.

use std::ops::Range;

use indexmap::IndexSet;

use super::Simulation;
use crate::{ArrayEntry, ArrayId, Endpoint, Error, Owner, SynapseList};

impl Simulation {
    /// The values of a variable in all neurons or synapses (`E.v`), or in some of them (`E.v[3]`, `E.v[0:100]`), at
    /// [`Simulation::device_step`] in a trial by its index in [`Simulation::runs`]; in its [unit](ArrayEntry::unit). Synapses are in the
    /// order of recordings. Event-driven variables have their values after the last event of their synapse.
    ///
    /// # Errors
    /// An unknown variable, or indices out of range; as [`Simulation::read_trial`].
    pub async fn values(&mut self, trial: usize, path: &str) -> Result<Vec<f64>, Error> {
        let (array, entry, range) = self.find(path)?;
        let values = self.read_values(trial, array).await?;
        if let Owner::Traces { projection, end } = entry.owner {
            let of_synapses = self.traces_of_synapses(trial, (projection, end), entry.name(), &values).await?;
            return Ok(range.map(|synapse| of_synapses[synapse as usize]).collect());
        }
        let places = self.places(&entry).await?;
        Ok(range.map(|element| values[places.of(element) as usize]).collect())
    }

    /// Sets a variable in all trials: one value for all neurons or synapses of `path`, or one for each. The values apply from
    /// [`Simulation::device_step`] on. State variables return to their initial values at the next reset; parameters keep their values, as
    /// with [`Simulation::set`].
    ///
    /// # Errors
    /// As [`Simulation::values`]; a wrong number of values, or one that is not finite; or a value that cannot change during a run. Nothing
    /// has changed then.
    pub async fn set_values(&mut self, path: &str, values: &[f64]) -> Result<(), Error> {
        let (array, entry, range) = self.find(path)?;
        let (whole, is_parameter) = (&entry.path, entry.is_parameter());
        let count = range.len();
        check_values(path, values, count)?;
        let cut_off = self.is_integer(&entry);
        let given = |place: u32| {
            let value = if values.len() == 1 { values[0] } else { values[(place - range.start) as usize] };
            if cut_off { value.trunc() } else { value }
        };
        match entry.owner {
            Owner::Neurons { .. } if is_parameter => {
                // Its dependants are computed again.
                let mut all = self.values(0, whole).await?;
                range.clone().for_each(|neuron| all[neuron as usize] = given(neuron));
                let list: Vec<String> = all.iter().map(f64::to_string).collect();
                return self.set(whole, &format!("[{}]", list.join(", "))).await;
            }
            Owner::Traces { .. } if values.len() > 1 || whole.len() < path.len() => {
                let expected = "it is stored per neuron, for all of its synapses";
                return Err(Error::invalid(path, "set for some synapses", expected, format!("set {whole} to one value")));
            }
            Owner::Synapses { projection } if is_parameter => {
                let state = self.plan().projections[projection].state.as_ref();
                if state.is_some_and(|state| !state.program.rules.derived.is_empty()) {
                    let expected = "other values were computed from it during the build";
                    return Err(Error::invalid(
                        path,
                        "set",
                        expected,
                        format!("change `{}` in the network, and build it again", entry.name()),
                    ));
                }
            }
            _ => {}
        }
        let places = self.places(&entry).await?;
        for trial in 0..self.runs.len() {
            let mut all = self.read_values(trial, array).await?;
            match entry.owner {
                Owner::Traces { .. } => all.fill(given(range.start)),
                _ => range.clone().for_each(|element| all[places.of(element) as usize] = given(element)),
            }
            self.write_values(trial, array, &all).await?;
        }
        Ok(())
    }

    /// The values of an array at the end of the last step, in inner units, in the precision of the device.
    pub(super) async fn read_values(&mut self, trial: usize, array: ArrayId) -> Result<Vec<f64>, Error> {
        self.complete_step().await?;
        self.check_in_step(trial)?;
        if let Some(values) = self.backend.read_exact(trial, array)? {
            return Ok(values);
        }
        let words = self.backend.read(trial, array).await?;
        Ok(words.into_iter().map(|word| f64::from(f32::from_bits(word))).collect())
    }

    /// Replaces the values of an array.
    pub(super) async fn write_values(&mut self, trial: usize, array: ArrayId, values: &[f64]) -> Result<(), Error> {
        self.complete_step().await?;
        self.check_in_step(trial)?;
        if self.backend.write_exact(trial, array, values)? {
            self.log_values(trial, array, values);
            return Ok(());
        }
        let words: Vec<u32> = values.iter().map(|value| (*value as f32).to_bits()).collect();
        self.write_trial(trial, array, &words).await
    }

    /// The variable of a path, all of it (`E.v`) or a part (`E.v[0:100]`).
    ///
    /// # Errors
    /// There is none of that name.
    pub fn variable(&self, path: &str) -> Result<&ArrayEntry, Error> {
        self.named(path).map(|(_, entry)| entry)
    }

    fn named(&self, path: &str) -> Result<(ArrayId, &ArrayEntry), Error> {
        let whole = path.split_once('[').map_or(path, |(name, _)| name);
        let found = self.plan().arrays().named().find(|(_, entry)| entry.path == whole);
        found.ok_or_else(|| self.no_variable(path, whole))
    }

    /// The same, with the selected values.
    pub(super) fn find(&self, path: &str) -> Result<(ArrayId, ArrayEntry, Range<u32>), Error> {
        let (array, entry) = self.named(path)?;
        let name = &entry.path;
        let of_synapses = entry.owner.of_synapses().map(|projection| self.plan().projections[projection].synapses() as u32);
        let count = of_synapses.unwrap_or(entry.length as u32);
        let single = path[name.len()..].strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.trim().parse::<u32>().ok());
        let range = match single {
            Some(index) => index..index.saturating_add(1),
            None => path
                .parse::<Endpoint>()
                .map_err(|_| {
                    let expected = format!("a variable such as {name}, or some of its values, is expected");
                    Error::invalid(path, "no path", expected, format!("for example {name}[3] or {name}[0:10]"))
                })?
                .range(count),
        };
        if range.is_empty() || range.end > count {
            let expected = format!("`{name}` has {count} values, counted from 0");
            return Err(Error::invalid(
                path,
                "a slice out of range",
                expected,
                format!("use indices in range, as in {name}[0:{count}]"),
            ));
        }
        Ok((array, entry.clone(), range))
    }

    /// Whether a variable is a whole number.
    fn is_integer(&self, entry: &ArrayEntry) -> bool {
        let plan = self.plan();
        match entry.owner {
            Owner::Neurons { population } => {
                let model = plan.model(population);
                model.variable(entry.name()).is_some_and(|at| model.variables[at].integer)
            }
            _ => entry.owner.of_synapses().is_some_and(|projection| {
                let model = plan.synapse_model(projection);
                model.variable(entry.name()).is_some_and(|at| model.variables[at].integer)
            }),
        }
    }

    /// Why there is nothing at a path, or nothing with a value per neuron or synapse.
    fn no_variable(&self, path: &str, whole: &str) -> Error {
        let (object, name) = whole.split_once('.').unwrap_or((whole, ""));
        let network = self.network();
        let objects = || network.populations.iter().map(|of| &of.name).chain(network.projections.iter().map(|of| &of.name));
        if !objects().any(|known| known == object) {
            return Error::unknown_name("", "population or projection", object, objects().map(String::as_str));
        }
        let parameters = network.parameter_names(object);
        if parameters.contains(name) {
            let expected = "it has no value per neuron or synapse during the run";
            return Error::invalid(
                path,
                "a parameter",
                expected,
                format!("use the whole value, {whole}, or look it up in the network"),
            );
        }
        let variables = self
            .plan()
            .arrays()
            .named()
            .map(|(_, entry)| entry)
            .filter(|of| of.path.split_once('.').is_some_and(|(of, _)| of == object));
        let mut known: IndexSet<&str> = variables.map(ArrayEntry::name).collect();
        known.extend(parameters.iter().map(String::as_str));
        Error::unknown_name(path, "parameter or variable", name, known)
    }
}

/// Rejects a wrong number of values, and values that are not finite.
pub(super) fn check_values(path: &str, values: &[f64], count: usize) -> Result<(), Error> {
    if values.len() != 1 && values.len() != count {
        let expected = format!("it has {count} values");
        let way_out = "give one value for each, or one for all";
        return Err(Error::invalid(path, format!("{} values", values.len()), expected, way_out));
    }
    match values.iter().find(|value| !(**value as f32).is_finite()) {
        Some(value) => Err(Error::invalid(path, value, "a finite number up to 3.4e38 is expected", "write one")),
        None => Ok(()),
    }
}

/// The location of the value of each neuron or synapse in an array.
struct ElementIndices {
    /// By synapse, if they are not in the array's order.
    listed: Vec<u32>,
}

impl ElementIndices {
    fn of(&self, element: u32) -> u32 {
        self.listed.get(element as usize).copied().unwrap_or(element)
    }
}

impl Simulation {
    async fn places(&mut self, entry: &ArrayEntry) -> Result<ElementIndices, Error> {
        let Owner::Synapses { projection } = entry.owner else {
            return Ok(ElementIndices { listed: Vec::new() });
        };
        let plan = self.runs[0].plan.clone();
        let SynapseList { places, .. } = self.backend.synapses(&plan, projection).await?;
        Ok(ElementIndices { listed: places })
    }
}
