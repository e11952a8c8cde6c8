//! Recorded variables.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::statistic::every_steps;
use super::{Indices, Network, json};
use crate::Error;

/// A variable that is recorded at the start of steps, before their update: the values of some neurons or synapses, or their mean or sum.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Name of a population or projection.
    pub object: String,
    /// Name of the variable or subexpression.
    pub var: String,
    /// The neurons or synapses. Synapses are numbered by their index in `pairs`, or with a rule in the order of presynaptic and then of
    /// postsynaptic neurons.
    pub indices: Indices,
    /// Records one value instead of one per neuron: their mean or their sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce: Option<Aggregate>,
    /// Interval in ms from step 0 on, a whole number of steps; default: every step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<f64>,
    /// Unit of the recorded values; default: the inner unit of the variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// One value for several neurons. Devices sum in f32 in blocks of 256 neurons in an order that does not depend on them, and the sums of the
/// blocks are added in f64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// The sum divided by the number of neurons.
    Mean,
    /// The sum.
    Sum,
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aggregate::Mean => "mean",
            Aggregate::Sum => "sum",
        })
    }
}

impl Recording {
    /// Reads a list of recordings, as in `recordings` of a network.
    ///
    /// # Errors
    /// As [`Network::from_json`].
    pub fn list_from_json(text: &str) -> Result<Vec<Recording>, Error> {
        json::parse(text, "recordings")
    }

    /// Interval in steps; `None` if it is not a whole number of steps.
    pub fn every_steps(&self, dt_ms: f64) -> Option<u32> {
        self.every_ms.map_or(Some(1), |every_ms| every_steps(every_ms, dt_ms))
    }
}

impl Network {
    pub(super) fn check_recording(&self, path: &str, recording: &Recording) -> Result<(), Error> {
        let at = |key: &str| format!("{path}.{key}");
        let population = self.population(&recording.object).map(|population| population.size as usize);
        let projection = self.projections.iter().find(|p| p.name == recording.object);
        if self.source(&recording.object).is_some() {
            let (expected, way_out) = ("a source has no variables", "remove the recording: spikes are always recorded");
            return Err(Error::invalid(at("object"), format!("{:?}", recording.object), expected, way_out));
        }
        if population.is_none() && projection.is_none() {
            let projections = self.projections.iter().map(|p| p.name.as_str());
            let known = self.populations.iter().map(|p| p.name.as_str()).chain(projections);
            return Err(Error::unknown_name(&at("object"), "population or projection", &recording.object, known));
        }
        if let (Some(every_ms), None) = (recording.every_ms, recording.every_steps(self.dt_ms)) {
            let expected = format!("it must be a whole number of steps of {} ms, 1 or more", self.dt_ms);
            return Err(Error::invalid(at("every_ms"), every_ms, expected, "for example 1, or remove it"));
        }
        if let Some(reduction) = recording.reduce {
            if population.is_none() {
                let expected = "it combines the values of neurons, and this is a projection";
                let way_out = "use one of the `statistics` for synapses, or record some of them";
                return Err(Error::invalid(at("reduce"), format!("\"{reduction}\""), expected, way_out));
            }
            if recording.indices.is_empty() {
                let expected = format!("a {reduction} needs at least one neuron");
                return Err(Error::invalid(at("indices"), "empty", expected, "for example \"all\""));
            }
        }
        if let Indices::Selected { condition, .. } = &recording.indices {
            return self.with_table(&at("indices"), &recording.object, condition).map(|_| ());
        }
        let what = if population.is_some() { "neurons" } else { "synapses" };
        // The number of synapses of a rule is known only after they are drawn.
        let pairs = || Some(projection?.pairs.as_ref().filter(|pairs| pairs.unread().is_none())?.len());
        let Some(count) = population.or_else(pairs) else { return Ok(()) };
        let expected = match count {
            0 => format!("{} has no {what}", recording.object),
            _ => format!("{} has {what} 0 to {}", recording.object, count - 1),
        };
        match &recording.indices {
            Indices::List(list) => match list.iter().position(|index| *index as usize >= count) {
                None => Ok(()),
                Some(place) => {
                    Err(Error::invalid(format!("{path}.indices[{place}]"), list[place], expected, "record one of those"))
                }
            },
            Indices::Slice(slice) if slice.end as usize > count => Err(Error::invalid(
                at("indices"),
                format!("{:?}", recording.indices.to_string()),
                expected,
                "record some of those",
            )),
            _ => Ok(()),
        }
    }
}
