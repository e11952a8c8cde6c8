//! Events during a run: values that change at given times, and conditions that end the run.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use spikelet_lang::{Dimension, quantity};

use super::set::quantity as given;
use super::{Network, Quantity, Source, SourceKind, StopCondition, between_steps, json, nearest_step, whole};
use crate::Error;

/// Values that change at a time, as by `Simulation::set`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Time in ms of biological time: the step that begins at this time is the first with the new values. A time between two steps is
    /// rounded to the nearest.
    pub at_ms: f64,
    /// New values by their paths (`E.I`, `EE.we`), set in this order. A number is in inner units.
    #[serde(deserialize_with = "json::ordered")]
    pub set: IndexMap<String, Quantity>,
}

/// A valid but possibly unintended value in a network, as a sentence with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// JSON path.
    pub path: String,
    sentence: String,
}

impl Notice {
    /// What to report about the value at the path.
    pub fn new(path: String, sentence: String) -> Notice {
        Notice { path, sentence }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// One value of a [`Change`] with its step.
#[derive(Debug, Clone, PartialEq)]
pub struct DueChange {
    /// The step before which it is set.
    pub step: u32,
    /// The index of its change: the values of one change are set together.
    pub change: usize,
    /// Its path in the file: `changes[1].set["E.I"]`; empty if it is from elsewhere.
    pub place: String,
    /// The path that is set.
    pub path: String,
    /// The value, as [`Network::set`] reads it.
    pub value: String,
}

impl DueChange {
    /// An error that was found while it was made, at its place.
    pub fn located(&self, error: Error) -> Error {
        if self.place.is_empty() { error } else { error.within(&self.place, &self.path) }
    }
}

/// A change of one value as a line: `500 ms: E.I = 200 pA`. A plain number before the colon is a time in ms.
impl FromStr for Change {
    type Err = Error;

    fn from_str(line: &str) -> Result<Change, Error> {
        let wrong = |expected: &str| {
            let way_out = "for example 500 ms: E.I = 200 pA";
            Error::invalid("the change", format!("{line:?}"), expected, way_out)
        };
        let assigned = line.split_once(':').and_then(|(time, rest)| Some((time.trim(), rest.split_once('=')?)));
        let Some((time, (path, value))) = assigned.filter(|(_, (path, _))| !path.trim().is_empty()) else {
            return Err(wrong("a change has the form time, `:`, path, `=`, value"));
        };
        let (at_ms, dimension) =
            quantity::constant("the change", time).map_err(|diagnostic| Error::model("the change", vec![diagnostic]))?;
        if dimension != Dimension::TIME && dimension != Dimension::NONE {
            return Err(wrong(&format!("a change needs a time, and {time} is {dimension}")));
        }
        let path = path.trim();
        Ok(Change { at_ms, set: [(path.to_owned(), given(path, value.trim())?)].into_iter().collect() })
    }
}

impl Change {
    /// Each of its values as a line, which [`Change::from_str`] reads.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.set.iter().map(|(path, value)| format!("{} ms: {path} = {}", self.at_ms, value.to_setting()))
    }

    /// The step before which it is applied.
    fn step(&self, dt_ms: f64) -> f64 {
        nearest_step(self.at_ms / dt_ms)
    }
}

impl Network {
    /// Number of steps of a run of `duration_ms`: the nearest whole number, and of half a step the next one.
    pub fn steps(&self) -> f64 {
        nearest_step(self.duration_ms / self.dt_ms)
    }

    /// The same, of a run that is possible.
    ///
    /// # Errors
    /// There are more than 2³¹ − 1.
    pub fn checked_steps(&self) -> Result<u32, Error> {
        let (steps, most) = (self.steps(), i32::MAX);
        if steps > f64::from(most) {
            let expected = format!("these are {steps} steps of {} ms, and a run has at most {most}", self.dt_ms);
            return Err(Error::invalid("duration_ms", self.duration_ms, expected, "use a shorter time or a longer step"));
        }
        Ok(steps as u32)
    }

    /// Adds a change.
    ///
    /// # Errors
    /// The errors of [`Network::validate`]; the network is not changed then.
    pub fn add_change(&mut self, change: Change) -> Result<(), Error> {
        let mut changed = self.clone();
        let paths: Vec<String> = change.set.keys().cloned().collect();
        changed.changes.push(change);
        changed.validate()?;
        changed.add_silenced_for(paths.iter().map(String::as_str))?;
        changed.spread_changed()?;
        *self = changed;
        Ok(())
    }

    /// Sets the values of one change together, so that their order has no meaning.
    ///
    /// # Errors
    /// As [`Network::set`], at the place of the value.
    pub fn make_change(&mut self, values: &[DueChange]) -> Result<(), Error> {
        values.iter().try_for_each(|due| self.assign(&due.path, due.value.trim()).map_err(|error| due.located(error)))?;
        values.iter().try_for_each(|due| self.validate_value(&due.path).map_err(|error| due.located(error)))
    }

    /// Adds a condition that ends a run, such as `rate(E, 50 ms) > 100 Hz`.
    ///
    /// # Errors
    /// The errors of [`Network::validate`]; the network is not changed then.
    pub fn add_stop(&mut self, condition: &str) -> Result<(), Error> {
        self.stop.push(condition.to_owned());
        self.validate().inspect_err(|_| drop(self.stop.pop()))
    }

    /// All changes in the order of time; those of one time in the order of the file.
    pub fn schedule(&self) -> Vec<DueChange> {
        let mut order: Vec<usize> = (0..self.changes.len()).collect();
        order.sort_by(|a, b| self.changes[*a].at_ms.total_cmp(&self.changes[*b].at_ms));
        let dues = order.into_iter().flat_map(|index| {
            let change = &self.changes[index];
            change.set.iter().map(move |(path, value)| DueChange {
                step: change.step(self.dt_ms) as u32,
                change: index,
                place: place(index, path),
                path: path.clone(),
                value: value.to_setting(),
            })
        });
        dues.collect()
    }

    /// The conditions that end a run.
    ///
    /// # Errors
    /// The first invalid one, with its place, column and what was expected.
    pub fn stop_conditions(&self) -> Result<Vec<StopCondition>, Error> {
        let read = |(index, text): (usize, &String)| self.condition(&format!("stop[{index}]"), text);
        self.stop.iter().enumerate().map(read).collect()
    }

    /// Reads a condition whose place is `place`.
    ///
    /// # Errors
    /// It is invalid: place, column and what was expected.
    pub fn condition(&self, place: &str, text: &str) -> Result<StopCondition, Error> {
        let populations = self.populations.iter().map(|population| population.name.as_str());
        // A poisson_input has no neurons to count.
        let sources = self.sources.iter().filter(|source| source.size() > 0).map(|source| source.name.as_str());
        let names: Vec<&str> = populations.chain(sources).collect();
        StopCondition::parse(text, self.dt_ms, &names).map_err(|diagnostic| Error::model(place, vec![diagnostic]))
    }

    /// Times that are rounded to a step, and changes after the end of the run.
    pub fn notices_of_times(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        let mut add = |path: String, sentence: String| notices.push(Notice { path, sentence });
        let (steps, dt_ms) = (self.steps(), self.dt_ms);
        if between_steps(self.duration_ms, dt_ms) {
            let (given, rounded) = (self.duration_ms, whole(steps * dt_ms));
            let sentence =
                format!("duration_ms is {given} ms, which is not a multiple of dt_ms, {dt_ms}: the run ends at {rounded} ms");
            add("duration_ms".to_owned(), sentence);
        }
        for (index, change) in self.changes.iter().enumerate() {
            let (path, step) = (format!("changes[{index}].at_ms"), change.step(dt_ms));
            if between_steps(change.at_ms, dt_ms) {
                let rounded = whole(step * dt_ms);
                let sentence = format!(
                    "is {} ms, which is not a multiple of dt_ms, {dt_ms}: the change happens at {rounded} ms",
                    change.at_ms
                );
                add(path.clone(), format!("{path} {sentence}"));
            }
            if step >= steps {
                let sentence =
                    format!("is {} ms, but the run ends at {} ms: the change never happens", change.at_ms, self.duration_ms);
                add(path.clone(), format!("{path} {sentence}"));
            }
        }
        for (index, condition) in self.stop_conditions().into_iter().flatten().enumerate() {
            if let Some(window_ms) = condition.window_ms.filter(|window| between_steps(*window, dt_ms)) {
                let (path, rounded) = (format!("stop[{index}]"), whole(f64::from(condition.window_steps(dt_ms)) * dt_ms));
                let sentence = format!(
                    "the window of {path} is {window_ms} ms, which is not a multiple of dt_ms, {dt_ms}: it is rounded \
                             to {rounded} ms"
                );
                add(path, sentence);
            }
        }
        for (index, projection) in self.projections.iter().enumerate() {
            if let Some(delay) = projection.delay_ms.constants().find(|delay| between_steps(*delay, dt_ms)) {
                let (path, rounded) = (format!("projections[{index}].delay_ms"), whole(nearest_step(delay / dt_ms) * dt_ms));
                let sentence = format!(
                    "{path} is {delay} ms, which is not a multiple of dt_ms, {dt_ms}: it is rounded to \
                                        {rounded} ms"
                );
                add(path, sentence);
            }
        }
        notices
    }

    /// Checks times, paths and conditions, as far as possible without the equations.
    pub(super) fn check_protocol(&self) -> Result<(), Error> {
        for (index, change) in self.changes.iter().enumerate() {
            let at = format!("changes[{index}].at_ms");
            if !(change.at_ms.is_finite() && change.at_ms >= 0.0) {
                let expected = "the time of a change must be a finite number of milliseconds, 0 or more";
                return Err(Error::invalid(at, change.at_ms, expected, "for example 500"));
            }
            if change.step(self.dt_ms) > f64::from(i32::MAX) {
                let expected = format!("a run has at most {} steps of {} ms", i32::MAX, self.dt_ms);
                return Err(Error::invalid(at, change.at_ms, expected, "use an earlier time, or a longer time step"));
            }
            if change.set.is_empty() {
                let expected = "a change must set at least one value";
                let way_out = "for example {\"E.I\": \"200 pA\"}, or remove it";
                return Err(Error::invalid(format!("changes[{index}].set"), "empty", expected, way_out));
            }
            for (path, value) in &change.set {
                let place = place(index, path);
                self.check_settable(path).map_err(|error| error.within(&place, path))?;
                if let Some(number) = value.numbers().find(|number| !number.is_finite()) {
                    return Err(Error::invalid(place, number, "a finite number is expected", "write one"));
                }
            }
        }
        self.stop_conditions().map(|_| ())
    }

    /// Rejects a path whose value cannot change during a run.
    fn check_settable(&self, path: &str) -> Result<(), Error> {
        if ["dt_ms", "seed", "duration_ms"].contains(&path) {
            return Err(Error::invalid(path, "set", format!("{path} cannot change during a run"), "remove it"));
        }
        let (object, name) = path.split_once('.').unwrap_or((path, ""));
        if !self.objects().any(|known| known == object) {
            return Err(Error::unknown_name("", "population, source or projection", object, self.objects()));
        }
        if name.is_empty() {
            let expected = "a path consists of an object, a dot and a name";
            return Err(Error::invalid(path, "set", expected, format!("for example {object}.I")));
        }
        Ok(())
    }

    /// Rejects a change of the value at `path` that is impossible during a run, from `self` to `new`: another time step, seed, size or
    /// connectivity.
    ///
    /// # Errors
    /// Which of these the value at `path` would change.
    pub fn check_fixed(&self, new: &Network, path: &str) -> Result<(), Error> {
        let refuse = |what: &str| {
            let expected = format!("{what} cannot change during a run");
            Err(Error::invalid(path, "a new value", expected, "reset it and build it with the new value"))
        };
        if let Some(fixed) = ["dt_ms", "seed"].into_iter().find(|fixed| *fixed == path) {
            return refuse(fixed);
        }
        let object = path.split_once('.').map_or(path, |(object, _)| object);
        let size = |network: &Network| network.population(object).map(|population| population.size);
        let [old, new_source] = [self, new].map(|network| network.source(object));
        if size(self) != size(new) || old.map(Source::size) != new_source.map(Source::size) {
            return refuse("sizes and the code of steps");
        }
        if let Some([SourceKind::Spikes { spike_times_ms: old, .. }, SourceKind::Spikes { spike_times_ms: new, .. }]) =
            old.zip(new_source).map(|(old, new)| [&old.kind, &new.kind])
            && old != new
        {
            return refuse("lists of spikes");
        }
        let projection = |network: &Network| network.projections.iter().position(|projection| projection.name == object);
        let Some([old, new]) = projection(self).map(|index| [&self.projections[index], &new.projections[index]]) else {
            return Ok(());
        };
        let is_rewired = old.connect != new.connect
            || old.synapses_per_pair != new.synapses_per_pair
            || old.third != new.third
            || (old.max_outdegree, old.max_indegree) != (new.max_outdegree, new.max_indegree);
        if is_rewired { refuse("connectivity") } else { Ok(()) }
    }
}

/// The path of a value of a change in the file.
fn place(index: usize, path: &str) -> String {
    format!("changes[{index}].set[{path:?}]")
}
