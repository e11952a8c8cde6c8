//! A network as plain data, with JSON input and output.

mod closures;
mod condition_value;
mod delay_column;
mod endpoint;
mod event;
mod files;
mod function;
mod indices;
mod json;
mod link;
mod neuron_file;
mod pairs;
mod pathway;
mod positions;
mod protocol;
mod quantity;
mod recording;
mod regular;
#[cfg(feature = "schema")]
mod schema;
mod selected;
mod set;
mod silence;
mod source;
mod statistic;
mod steps;
mod stop;
mod surrogate;
mod synapse_state_file;
mod third;
mod validate;
mod winners;

pub use delay_column::DelayColumn;
pub use endpoint::Endpoint;
pub use event::CustomEvent;
pub use files::{FileContent, ReadSeek};
pub use function::CustomFunction;
pub use indices::Indices;
pub use json::parse as parse_json;
pub use link::Link;
pub use neuron_file::{NeuronFile, TextCodes};
pub use pairs::{EdgeFile, Pairs};
pub use pathway::{Delays, Pathways};
pub use positions::Positions;
pub use protocol::{Change, DueChange, Notice};
pub use quantity::Quantity;
pub use recording::{Aggregate, Recording};
pub use regular::RunRegularly;
#[cfg(feature = "schema")]
pub use schema::json_schema_of;
pub use source::{Source, SourceKind};
pub use statistic::{RangeEnd, Statistic};
pub use steps::{between_steps, nearest_step, run_steps, whole};
pub use stop::{Comparison, StopCondition};
pub use surrogate::SurrogateChoice;
pub use synapse_state_file::SynapseStateFile;
pub use third::Third;
pub use winners::{WinnerRule, Winners};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use spikelet_lang::End;

use crate::{Connector, Error, Rule};

/// The version of the JSON format that this crate reads and writes.
pub const FORMAT: u32 = 1;

/// A network with everything needed to run it: time step, seed, populations, projections and recordings.
///
/// The order of populations and projections is the order of execution. It also numbers the neurons: those of the first population come
/// first, those of the sources after all populations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Version of the format; currently 1.
    #[serde(default = "format")]
    pub format: u32,
    /// A short name, for tables and file names.
    pub name: String,
    /// A description of the network in one or two sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Time step in ms.
    pub dt_ms: f64,
    /// Duration of a run, in ms of biological time.
    pub duration_ms: f64,
    /// Seed of connectivity, initial values and noise.
    #[serde(default = "seed")]
    pub seed: u64,
    /// Functions that equations can call, beside those of the language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<CustomFunction>,
    /// The neurons.
    #[serde(default)]
    pub populations: Vec<Population>,
    /// External sources of spikes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// The synapses.
    #[serde(default)]
    pub projections: Vec<Projection>,
    /// State variables to record.
    #[serde(default)]
    pub recordings: Vec<Recording>,
    /// Statistics of synaptic variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statistics: Vec<Statistic>,
    /// Values that change during the run, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Conditions that end a run. The run ends after the first step at whose end any of them is true: `spikes > 10000`, `spikes(E) >= 500`,
    /// `rate(E, 50 ms) > 100 Hz` (the mean over the neurons of `E` and over the last 50 ms), or `rate(50 ms) < 0.1 Hz`. Without a name all
    /// spikes count, including those of sources. A rate is compared as "below" only after a full window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

/// Neurons of one kind: with a library `model`, with `equations`, or both. With both, the equations are added to the model, and a line that
/// defines a name of the model replaces its line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Population {
    /// Unique among populations, sources and projections.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
    /// Name of a library model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of one of its presets: values that replace the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Differential equations, subexpressions and parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equations: Option<String>,
    /// Statements that advance the state by one step, instead of differential equations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    /// Condition for a spike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
    /// Lets only some of the neurons above threshold fire, such as the 100 with the largest input:
    /// `{"k": 100, "of": "input"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winners: Option<Winners>,
    /// The derivative of the threshold in training: a name, `"superspike"`, or an object. Simulations do not use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surrogate: Option<SurrogateChoice>,
    /// Statements executed after a spike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<String>,
    /// A time (`"5*ms"`, or an expression of that dimension) or a condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refractory: Option<String>,
    /// Statements that run at regular times: `[{"every_ms": 10, "statements": "v += 1*mV"}]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_regularly: Vec<RunRegularly>,
    /// Events beside the spike, by their names: `{"low": {"condition": "v < -70*mV", "statements": "w += 1*nA"}}`. `G.low` can be `pre` of
    /// projections.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub events: IndexMap<String, CustomEvent>,
    /// Integration method of `equations`; default: the first suitable one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Values of parameters and constants, evaluated in this order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub parameters: IndexMap<String, Quantity>,
    /// Values of state variables before the first step, evaluated in this order after the parameters; default 0.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub initial: IndexMap<String, Quantity>,
    /// The source of each variable that is declared as `(linked)`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub linked: IndexMap<String, Link>,
    /// A table of the neurons: their identifiers, types and whatever else is known of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neurons: Option<NeuronFile>,
    /// Positions of the neurons, for rules and values that depend on distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Positions>,
    /// The unit in which events that add to a variable are summed, in inner units: a power of two, such as 0.000244140625. Default: the
    /// finest one with which the largest input fits.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub units: IndexMap<String, f64>,
}

/// Synapses from a population or source to a population: with a rule (`connect`), or as a list of `pairs`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// Unique among populations, sources and projections. Default: `pre_post`.
    #[serde(default)]
    pub name: String,
    /// The presynaptic population or source.
    pub pre: Endpoint,
    /// The postsynaptic population.
    pub post: Endpoint,
    /// The connection rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<Connector>,
    /// A third neuron for each synapse, such as an astrocyte: `{"population": "astrocytes", "index": "j//10"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub third: Option<Third>,
    /// `[pre, post]`, one synapse each, as indices in the populations; or a file, `{"file": "edges.csv"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
    /// Number of synapses of each pair that the rule connects, each with its own weight and delay: 1 or more, or an expression of the pair
    /// such as `"1 + i % 3"`. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synapses_per_pair: Option<Quantity>,
    /// Maximum number of synapses from a presynaptic neuron: if there are more, this number is drawn with equal probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_outdegree: Option<u32>,
    /// Maximum number of synapses onto a postsynaptic neuron, drawn in the same way; applied after `max_outdegree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_indegree: Option<u32>,
    /// Whether its synapses are stored in memory; default: chosen when the network is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// The format of weights that are stored one per synapse; default `i32`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// Name of a synapse model of the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of one of its presets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Equations of the synapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equations: Option<String>,
    /// Statements executed when a presynaptic spike arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_pre: Option<Pathways>,
    /// Statements executed when a postsynaptic spike arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_post: Option<Pathways>,
    /// Statements executed when a spike of the third neuron arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_third: Option<Pathways>,
    /// Statements that run at regular times: `[{"every_ms": 1000, "statements": "w = clip(w, 0, wmax)"}]`. They change variables of the
    /// synapses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_regularly: Vec<RunRegularly>,
    /// Integration method of `equations`; default: the first suitable one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Values of parameters and constants, evaluated in this order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub parameters: IndexMap<String, Quantity>,
    /// Values of synaptic variables before the first step, evaluated in this order; default 0.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub initial: IndexMap<String, Quantity>,
    /// A file with values of the same synapses at the end of another run, `{"file": "weights.npz"}`: they override all other values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<SynapseStateFile>,
    /// Delay of `on_pre` (a number is in ms): one for all, a list in the order of `pairs`, or an object with one of these for each pathway.
    #[serde(default)]
    pub delay_ms: Delays,
    /// Delay of `on_post`, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_post_ms: Option<Delays>,
    /// Delay of `on_third`, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_third_ms: Option<Delays>,
    /// The place of pathways among all that are executed in the same step, by name (`pre`, `post` and `third` if there is one text): those
    /// with a smaller number first; default 0. Of equal numbers all `on_pre` are first, then all `on_post`, in the order of the projections.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub order: IndexMap<String, i32>,
}

/// The storage of the synapses of a projection. Spikes do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// In memory: 4 bytes per synapse, and 4 more if weights differ, or 2.
    Stored,
    /// Procedural: the synapses of a neuron are drawn again from the same counters at every spike.
    Procedural,
}

/// The format of weights that differ between the synapses of a projection, if these are stored and have no state. Input is summed in
/// integers in both formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// Multiples of a unit: 4 bytes each.
    I32,
    /// The same multiples rounded to the eleven significant bits of an f16: 2 bytes each.
    F16,
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
            functions: Vec::new(),
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
    /// Malformed JSON (line, column), an unknown key (path, suggestion), a value of the wrong type (path, line), or an error of
    /// [`Network::validate`].
    pub fn from_json(text: &str) -> Result<Network, Error> {
        let network = Network::from_json_unchecked(text)?;
        network.validate()?;
        Ok(network)
    }

    /// Reads a network that may be invalid: `diagnose` of the simulator finds the errors.
    ///
    /// # Errors
    /// As [`Network::from_json`], except the errors of [`Network::validate`].
    pub fn from_json_unchecked(text: &str) -> Result<Network, Error> {
        let mut network: Network = json::parse(text, "")?;
        network.name_projections();
        Ok(network)
    }

    /// The network as JSON; [`Network::from_json`] reads it back exactly. For [files](Network::resolve) it contains the names.
    pub fn to_json(&self) -> String {
        let without = self.has_contents().then(|| self.without_columns());
        // All types can be represented in JSON (non-finite numbers become null, which validation rejects).
        serde_json::to_string_pretty(without.as_ref().unwrap_or(self)).unwrap_or_default()
    }

    /// Number of neurons in all populations, sources and [events](Network::events_with_neurons).
    pub fn neurons(&self) -> u64 {
        let sizes = self.populations.iter().map(|p| p.size).chain(self.sources.iter().map(Source::size));
        let events = self.events_with_neurons().map(|(population, _)| self.populations[population].size);
        sizes.chain(events).map(u64::from).sum()
    }

    /// The population of that name.
    pub fn population(&self, name: &str) -> Option<&Population> {
        self.populations.iter().find(|p| p.name == name)
    }

    /// The source of that name.
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.sources.iter().find(|s| s.name == name)
    }

    /// Names unnamed projections `pre_post`, and `pre_post_2`, … if that name is used.
    pub fn name_projections(&mut self) {
        for index in 0..self.projections.len() {
            if self.projections[index].name.is_empty() {
                let Projection { pre, post, .. } = &self.projections[index];
                // The point of an event is no part of a name.
                let stem = format!("{}_{}", pre.population, post.population).replace('.', "_");
                let taken = |name: &str| self.objects().any(|object| object == name);
                let numbered = (2..).map(|n| format!("{stem}_{n}"));
                let name = std::iter::once(stem.clone()).chain(numbered).find(|name| !taken(name));
                self.projections[index].name = name.unwrap_or(stem);
            }
        }
    }
}

impl Projection {
    /// Names and statements of the pathways for spikes of one neuron, as far as the projection defines them itself.
    pub fn pathways(&self, end: End) -> impl Iterator<Item = (&str, &str)> {
        let pathways = match end {
            End::Pre => &self.on_pre,
            End::Post => &self.on_post,
            End::Third => &self.on_third,
        };
        pathways.iter().flat_map(move |all| {
            let name = move |name| if all.single().is_some() { end.name() } else { name };
            all.iter().map(move |(named, text)| (name(named), text))
        })
    }

    /// The delays of these pathways, with their key; none if they are not given.
    pub fn delays(&self, end: End) -> (&'static str, Option<&Delays>) {
        match end {
            End::Pre => ("delay_ms", Some(&self.delay_ms)),
            End::Post => ("delay_post_ms", self.delay_post_ms.as_ref()),
            End::Third => ("delay_third_ms", self.delay_third_ms.as_ref()),
        }
    }

    /// The delays of all pathways.
    pub fn all_delays(&self) -> impl Iterator<Item = &Delays> {
        End::ALL.into_iter().filter_map(|end| self.delays(end).1)
    }

    /// The definition of the synapses; the empty list if there are neither a rule nor pairs.
    pub fn rule(&self) -> Rule<'_> {
        match &self.connect {
            Some(connector) => Rule::Connector(connector),
            None => Rule::Pairs(self.pairs.as_deref().unwrap_or_default().into()),
        }
    }
}

#[cfg(test)]
mod tests;
