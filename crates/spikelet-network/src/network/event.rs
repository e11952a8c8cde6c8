//! Events of neurons beside the spike.

use serde::{Deserialize, Serialize};

use super::{Network, Population};
use crate::Error;

/// An event of neurons beside the spike: `{"condition": "v < -70*mV", "statements": "w += 1*nA"}`. Its name is true in the neurons in the step
/// after the one at whose end the condition was true.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CustomEvent {
    /// The condition, tested after the update of each step, where the threshold is tested; also while the neuron is refractory.
    pub condition: String,
    /// Statements that are executed in the neurons of the event at the start of the next step, after resets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statements: Option<String>,
    /// Whether the events are recorded, as spikes of `G.low`, although no projection starts from it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub record: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Network {
    /// The population and the name of an event that is named as `G.low`, if there is one.
    pub fn event(&self, name: &str) -> Option<(&Population, &str)> {
        let (population, event) = name.split_once('.')?;
        let population = self.population(population)?;
        population.events.get_key_value(event).map(|(event, _)| (population, event.as_str()))
    }

    /// The events that have neurons: those that a projection starts from, and those that are recorded; each with the index of its population.
    /// Their neurons follow those of all populations and sources.
    pub fn events_with_neurons(&self) -> impl Iterator<Item = (usize, &str)> {
        self.populations.iter().enumerate().flat_map(move |(index, population)| {
            let is_pre = |event: &str| {
                let is_it = |name: &str| name.split_once('.') == Some((population.name.as_str(), event));
                self.projections.iter().any(|projection| is_it(&projection.pre.population))
            };
            let events = population.events_by_name().into_iter().filter(move |(name, event)| event.record || is_pre(name));
            events.map(move |(name, _)| (index, name.as_str()))
        })
    }
}

impl Population {
    /// Its events in the order in which they are executed and numbered: that of their names, whatever the order of the keys is.
    pub fn events_by_name(&self) -> Vec<(&String, &CustomEvent)> {
        let mut events: Vec<_> = self.events.iter().collect();
        events.sort_unstable_by_key(|(name, _)| *name);
        events
    }

    /// Checks everything of its events that does not need the equations.
    pub(super) fn check_events(&self, path: &str) -> Result<(), Error> {
        for (name, event) in &self.events {
            let place = format!("{path}.events.{name}");
            let is_name = name.starts_with(|c: char| c.is_alphabetic()) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !is_name {
                let expected = "the name of an event is a name of the equations";
                return Err(Error::invalid(place, format!("{name:?}"), expected, "for example \"low\""));
            }
            if event.condition.trim().is_empty() {
                let expected = "an event needs a condition";
                return Err(Error::invalid(format!("{place}.condition"), "empty", expected, "for example \"v < -70*mV\""));
            }
            for (key, values) in [("parameters", &self.parameters), ("initial", &self.initial)] {
                if let Some(value) = values.get(name) {
                    let expected = "it is an event, whose condition decides when it is true";
                    return Err(Error::invalid(
                        format!("{path}.{key}.{name}"),
                        value,
                        expected,
                        "remove it, or rename one of the two",
                    ));
                }
            }
        }
        Ok(())
    }
}
