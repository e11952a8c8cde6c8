//! What the user says: a network as plain data, JSON in and out.

mod endpoint;
mod json;
mod quantity;
mod set;
mod validate;

pub use endpoint::Endpoint;
pub use quantity::Quantity;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::connect::Rule;
use crate::{Connector, Error};

/// The version of the JSON format that this crate reads and writes.
pub const FORMAT: u32 = 1;

/// A network with what is needed to run it: time step, seed, populations, projections and what to record.
///
/// The order of populations and projections is the order of execution, and numbers neurons: those of the first
/// population come first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Version of the format; [`FORMAT`] where the file does not say.
    #[serde(default = "format")]
    pub format: u32,
    /// A short name, for tables and file names.
    pub name: String,
    /// What the network is, in a sentence or two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Time step in ms.
    pub dt_ms: f64,
    /// How long a run lasts, in ms of biological time.
    pub duration_ms: f64,
    /// Seed of connectivity, initial values and noise.
    #[serde(default = "seed")]
    pub seed: u64,
    /// The neurons.
    pub populations: Vec<Population>,
    /// The synapses.
    #[serde(default)]
    pub projections: Vec<Projection>,
    /// State variables to sample.
    #[serde(default)]
    pub recordings: Vec<Recording>,
}

/// Neurons of one kind: either of a library `model`, or with their own `equations`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Population {
    /// Unique among populations and projections.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
    /// Name of a model in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Differential equations, subexpressions and parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equations: Option<String>,
    /// Statements that advance the state by one step, in place of differential equations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    /// Condition of a spike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
    /// Statements that run after a spike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<String>,
    /// A time (`"5*ms"`, or an expression of that dimension) or a condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refractory: Option<String>,
    /// Integration method of `equations`; the best that fits where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Values of parameters and constants, set in this order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub parameters: IndexMap<String, Quantity>,
    /// Values of state variables before the first step, set in this order after the parameters; others start at 0.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub initial: IndexMap<String, Quantity>,
}

/// Synapses from one population to another: joined by a `connect` rule, or as a list of `pairs`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// Unique among populations and projections. Where a file gives none, it becomes `pre_post`.
    #[serde(default)]
    pub name: String,
    /// Where the spikes come from.
    pub pre: Endpoint,
    /// Where they act.
    pub post: Endpoint,
    /// Rule that joins neurons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<Connector>,
    /// `[pre, post]`, one synapse each, as indices in the populations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
    /// Variables of a synapse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equations: Option<String>,
    /// Statements that run when a spike of the pre neuron arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_pre: Option<String>,
    /// Values of parameters and constants, set in this order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub parameters: IndexMap<String, Quantity>,
    /// Values of synaptic variables before the first step, set in this order; others start at 0.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub initial: IndexMap<String, Quantity>,
    /// Delay of `on_pre` (a number is in ms): one for all, or a list in the order of `pairs`.
    #[serde(default)]
    pub delay_ms: Quantity,
}

/// A state variable to sample at every step, before the update of that step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Name of a population or projection.
    pub object: String,
    /// Name of the variable.
    pub var: String,
    /// Which neurons or synapses.
    pub indices: Vec<u32>,
    /// Unit of the recorded values; that of the variable inside the simulator where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

fn format() -> u32 {
    FORMAT
}

fn seed() -> u64 {
    1
}

/// No neurons yet; 1000 ms in steps of 0.1 ms, seed 1.
impl Default for Network {
    fn default() -> Network {
        Network {
            format: FORMAT,
            name: String::new(),
            description: String::new(),
            dt_ms: 0.1,
            duration_ms: 1000.0,
            seed: seed(),
            populations: Vec::new(),
            projections: Vec::new(),
            recordings: Vec::new(),
        }
    }
}

impl Network {
    /// Reads a network and checks it.
    ///
    /// # Errors
    /// Malformed JSON (line, column), an unknown key (path, suggestion), a value of the wrong type (path, line), and
    /// all that [`Network::validate`] finds.
    pub fn from_json(text: &str) -> Result<Network, Error> {
        let mut network: Network = json::parse(text, "")?;
        network.name_projections();
        network.validate()?;
        Ok(network)
    }

    /// The network as JSON; [`Network::from_json`] reads it back to the same bits.
    pub fn to_json(&self) -> String {
        // The types hold nothing that JSON cannot (non-finite numbers become null, which validation refuses).
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Number of neurons in all populations.
    pub fn neurons(&self) -> u64 {
        self.populations.iter().map(|p| u64::from(p.size)).sum()
    }

    /// The population of that name.
    pub fn population(&self, name: &str) -> Option<&Population> {
        self.populations.iter().find(|p| p.name == name)
    }

    /// Names nameless projections `pre_post`, and `pre_post_2`, … where that is taken.
    fn name_projections(&mut self) {
        for index in 0..self.projections.len() {
            if self.projections[index].name.is_empty() {
                let Projection { pre, post, .. } = &self.projections[index];
                let stem = format!("{}_{}", pre.population, post.population);
                let taken = |name: &str| self.projections.iter().any(|p| p.name == name) || self.population(name).is_some();
                let numbered = (2..).map(|n| format!("{stem}_{n}"));
                let name = std::iter::once(stem.clone()).chain(numbered).find(|name| !taken(name));
                self.projections[index].name = name.unwrap_or(stem);
            }
        }
    }
}

impl Projection {
    /// How its neurons are joined; the empty list where neither a rule nor pairs are given.
    pub fn rule(&self) -> Rule<'_> {
        match &self.connect {
            Some(connector) => Rule::Connector(connector),
            None => Rule::Pairs(self.pairs.as_deref().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests;
