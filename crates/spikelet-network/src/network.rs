//! What the user says: a network as plain data, JSON in and out.

mod endpoint;
mod files;
mod indices;
mod json;
mod pairs;
mod pathway;
mod positions;
mod protocol;
mod quantity;
#[cfg(feature = "schema")]
mod schema;
mod set;
mod source;
mod statistic;
mod stop;
mod synapse_state_file;
mod validate;

pub use endpoint::Endpoint;
pub use files::FileContent;
pub use indices::Indices;
pub use pairs::{EdgeFile, Pairs};
pub use pathway::{Delays, Pathways};
pub use positions::Positions;
pub use protocol::{Change, DueChange, Notice, between_steps, nearest_step, whole};
pub use quantity::Quantity;
pub use source::{Source, SourceKind};
pub use statistic::{RangeEnd, Statistic};
pub use stop::{Comparison, StopCondition};
pub use synapse_state_file::SynapseStateFile;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use spikelet_lang::End;

use crate::{Connector, Error, Rule};

/// The version of the JSON format that this crate reads and writes.
pub const FORMAT: u32 = 1;

/// A network with what is needed to run it: time step, seed, populations, projections and what to record.
///
/// The order of populations and projections is the order of execution, and numbers neurons: those of the first
/// population come first, those of the sources after those of all populations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Version of the format, 1 so far.
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
    #[serde(default)]
    pub populations: Vec<Population>,
    /// Where spikes come from that no neuron fires.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// The synapses.
    #[serde(default)]
    pub projections: Vec<Projection>,
    /// State variables to sample.
    #[serde(default)]
    pub recordings: Vec<Recording>,
    /// Variables of synapses to sum up now and then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statistics: Vec<Statistic>,
    /// Values that change while the network runs, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Conditions that end a run, each by itself, at the end of the first step for which it holds: `spikes > 10000`,
    /// `spikes(E) >= 500`, `rate(E, 50 ms) > 100 Hz` (the mean over the neurons of `E` and over the latest 50 ms), or
    /// `rate(50 ms) < 0.1 Hz`. Without a name all spikes count, those of sources too, as in the report. A rate can be below
    /// its limit once the window has passed in full.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

/// Neurons of one kind: of a library `model`, with their own `equations`, or both: the equations are then added to the model's,
/// and a line that defines a name the model has replaces the model's line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Population {
    /// Unique among populations, sources and projections.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
    /// Name of a model in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of one of its presets: values that stand in place of its defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
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
    /// Where its neurons lie, for rules and values that look at distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Positions>,
}

/// Synapses from a population or source to a population: joined by a `connect` rule, or as a list of `pairs`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// Unique among populations, sources and projections. Where a file gives none, it becomes `pre_post`.
    #[serde(default)]
    pub name: String,
    /// Where the spikes come from.
    pub pre: Endpoint,
    /// Where they act.
    pub post: Endpoint,
    /// Rule that joins neurons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<Connector>,
    /// `[pre, post]`, one synapse each, as indices in the populations; or a file of them, `{"file": "edges.csv"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
    /// Most synapses that a pre neuron keeps: of more, so many are drawn with equal probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_outdegree: Option<u32>,
    /// Most synapses that a post neuron keeps, likewise; applied after `max_outdegree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_indegree: Option<u32>,
    /// Whether its synapses are kept in memory; the plan decides where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// How its weights are kept, where they are kept one for each synapse; as `i32` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// Name of a synapse model in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of one of its presets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Variables of a synapse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equations: Option<String>,
    /// Statements that run when a spike of the pre neuron arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_pre: Option<Pathways>,
    /// Statements that run when a spike of the post neuron arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_post: Option<Pathways>,
    /// Integration method of `equations`; the best that fits where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Values of parameters and constants, set in this order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub parameters: IndexMap<String, Quantity>,
    /// Values of synaptic variables before the first step, set in this order; others start at 0.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub initial: IndexMap<String, Quantity>,
    /// A file of values that the same synapses had at the end of another run, `{"file": "weights.npz"}`: they stand in place of values
    /// given otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<SynapseStateFile>,
    /// Delay of `on_pre` (a number is in ms): one for all, or a list in the order of `pairs`, or an object with one of these for
    /// each pathway.
    #[serde(default)]
    pub delay_ms: Delays,
    /// Delay of `on_post`, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_post_ms: Option<Delays>,
}

/// How the synapses of a projection are kept. Spikes do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// In memory: 4 bytes a synapse, and 4 more where weights differ, or 2.
    Stored,
    /// Not at all: the synapses of a neuron are drawn again whenever it fires, from the same counters.
    Procedural,
}

/// How weights are kept that differ between the synapses of a projection, where these are kept in memory and have no state. Input is
/// summed in whole numbers either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// In units of the sums they are added to: 4 bytes each.
    I32,
    /// Rounded once more, to the eleven significant bits of an f16: 2 bytes each.
    F16,
}

/// A state variable to sample at every step, before the update of that step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Name of a population or projection.
    pub object: String,
    /// Name of the variable.
    pub var: String,
    /// Which neurons, or which synapses: by their place in `pairs`, or where a rule joins them in the order of pre neurons and for
    /// each of them of post neurons.
    pub indices: Indices,
    /// Unit of the recorded values; that of the variable inside the simulator where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

impl Recording {
    /// Reads a list of them, as the `recordings` of a network.
    ///
    /// # Errors
    /// As [`Network::from_json`].
    pub fn list_from_json(text: &str) -> Result<Vec<Recording>, Error> {
        json::parse(text, "recordings")
    }
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
            sources: Vec::new(),
            projections: Vec::new(),
            recordings: Vec::new(),
            statistics: Vec::new(),
            changes: Vec::new(),
            stop: Vec::new(),
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
        let network = Network::from_json_unchecked(text)?;
        network.validate()?;
        Ok(network)
    }

    /// Reads a network that may not hold together: `diagnose` of the simulator says where.
    ///
    /// # Errors
    /// As [`Network::from_json`], but for what [`Network::validate`] finds.
    pub fn from_json_unchecked(text: &str) -> Result<Network, Error> {
        let mut network: Network = json::parse(text, "")?;
        network.name_projections();
        Ok(network)
    }

    /// The network as JSON; [`Network::from_json`] reads it back to the same bits. Of [files](Network::resolve) it holds the names.
    pub fn to_json(&self) -> String {
        let from_files = self.projections.iter().any(|projection| matches!(projection.pairs, Some(Pairs::File(_))));
        let without = from_files.then(|| self.without_columns());
        // The types hold nothing that JSON cannot (non-finite numbers become null, which validation refuses).
        serde_json::to_string_pretty(without.as_ref().unwrap_or(self)).unwrap_or_default()
    }

    /// Number of neurons in all populations and sources.
    pub fn neurons(&self) -> u64 {
        let sizes = self.populations.iter().map(|p| p.size).chain(self.sources.iter().map(Source::size));
        sizes.map(u64::from).sum()
    }

    /// The population of that name.
    pub fn population(&self, name: &str) -> Option<&Population> {
        self.populations.iter().find(|p| p.name == name)
    }

    /// The source of that name.
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.sources.iter().find(|s| s.name == name)
    }

    /// Names nameless projections `pre_post`, and `pre_post_2`, … where that is taken.
    pub fn name_projections(&mut self) {
        for index in 0..self.projections.len() {
            if self.projections[index].name.is_empty() {
                let Projection { pre, post, .. } = &self.projections[index];
                let stem = format!("{}_{}", pre.population, post.population);
                let taken = |name: &str| self.objects().any(|object| object == name);
                let numbered = (2..).map(|n| format!("{stem}_{n}"));
                let name = std::iter::once(stem.clone()).chain(numbered).find(|name| !taken(name));
                self.projections[index].name = name.unwrap_or(stem);
            }
        }
    }
}

impl Projection {
    /// Names and statements of the pathways for spikes of the neurons at one end, as far as the projection gives them itself.
    pub fn pathways(&self, end: End) -> impl Iterator<Item = (&str, &str)> {
        let (pathways, single) = match end {
            End::Pre => (&self.on_pre, Pathways::SINGLE),
            End::Post => (&self.on_post, "post"),
        };
        pathways.iter().flat_map(move |all| {
            let name = move |name| if all.single().is_some() { single } else { name };
            all.iter().map(move |(named, text)| (name(named), text))
        })
    }

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
