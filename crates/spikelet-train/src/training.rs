//! What is trained, and how: the file of `spikelet train`.

mod set;

use serde::{Deserialize, Serialize};
use spikelet_network::{Error, Network, SurrogateChoice};

use crate::{Data, LossTerm, NetworkReference, Optimiser};

/// A training: JSON with a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Training"))]
#[serde(deny_unknown_fields)]
pub struct Training<N = Network> {
    /// A short name, for tables and files.
    pub name: String,
    /// The network. Its `duration_ms` is that of a sample.
    pub network: N,
    /// The source of the network whose spikes are the input of a sample.
    pub input: String,
    /// The samples. Default: none, for programs that make their own.
    #[serde(default)]
    pub data: Data,
    /// How the gradient is computed.
    pub method: Method,
    /// The surrogate of populations that declare none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surrogate: Option<SurrogateChoice>,
    /// What is trained.
    pub train: Vec<Trained>,
    /// The loss: the sum of these terms.
    pub loss: Vec<LossTerm>,
    /// How parameters follow the gradient.
    pub optimiser: Optimiser,
    /// Samples in a batch.
    pub batch: u32,
    /// Passes over the data.
    pub epochs: u32,
    /// Seed of the order of samples.
    #[serde(default = "seed")]
    pub seed: u64,
    /// How the tape is stored.
    #[serde(default)]
    pub tape: Tape,
}

fn seed() -> u64 {
    1
}

/// Ways to compute a gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Backpropagation through time, with surrogates.
    Bptt,
    /// Exact gradients of spike times (Wunderlich & Pehle 2021, Scientific Reports 11:12829).
    EventProp,
    /// Three factors (Bellec et al. 2020, Nature Communications 11:3625, eq. 1–4), computed as backpropagation through time in which no
    /// adjoint passes through synapses onto neurons that fire, nor through the reset of the potential.
    Eprop,
}

impl Method {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Method::Bptt => "bptt",
            Method::EventProp => "eventprop",
            Method::Eprop => "eprop",
        }
    }
}

/// Something that is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Trained {
    /// The weights of a projection, by its name (`hidden_out`), or a parameter or initial value of a population (`hidden.tau`).
    pub path: String,
    /// Bounds of the values, in inner units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f32; 2]>,
    /// Whether signs stay as they are (Dale's law).
    #[serde(default)]
    pub keep_sign: bool,
    /// Whether all synapses of the projection share one weight.
    #[serde(default)]
    pub tied: bool,
    /// The rate of learning as a multiple of that of the optimiser.
    #[serde(default = "one")]
    pub rate: f32,
}

fn one() -> f32 {
    1.0
}

/// How the tape is stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tape {
    /// Steps of a segment: the state is stored at its start, and what is between is computed again. Default: all steps in one segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<u32>,
    /// Steps through which adjoints pass: at the end of each such window they become 0 (truncated backpropagation). Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Whether the reset has no gradient with respect to the spike that causes it.
    #[serde(default)]
    pub detached_reset: bool,
    /// Bytes that it may take. Default: what is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

impl Training {
    /// Reads a training with its network, in JSON.
    ///
    /// # Errors
    /// The place and what was expected; a network in a file of its own, which [`Training::from_files`] reads.
    pub fn from_json(text: &str) -> Result<Training, Error> {
        Training::from_files(text, |name| {
            let expected = "a network that is written here, because files cannot be read";
            Err(Error::invalid("network.file", name, expected, "write its content as `network`"))
        })
    }

    /// Reads a training in JSON, and its network, if it is in a file of its own, with `network_of`.
    ///
    /// # Errors
    /// The place and what was expected; an error of `network_of`.
    pub fn from_files<E: From<Error>>(text: &str, network_of: impl FnOnce(&str) -> Result<Network, E>) -> Result<Training, E> {
        let read: Training<NetworkReference> = spikelet_network::parse_json(text, "")?;
        let mut network = match &read.network {
            NetworkReference::Given(network) => (**network).clone(),
            NetworkReference::File(name) => network_of(name)?,
        };
        network.name_projections();
        network.validate().map_err(|error| error.within("network", ""))?;
        Ok(read.with_network(network))
    }

    /// The training as JSON; [`Training::from_json`] reads it back exactly.
    pub fn to_json(&self) -> String {
        // All types can be represented in JSON.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The JSON Schema (draft 2020-12) of a training in a file, as text.
    #[cfg(feature = "schema")]
    pub fn json_schema() -> String {
        spikelet_network::json_schema_of::<Training<NetworkReference>>()
    }
}

impl<N> Training<N> {
    /// The same with this network.
    pub fn with_network<M>(self, network: M) -> Training<M> {
        Training {
            name: self.name,
            network,
            input: self.input,
            data: self.data,
            method: self.method,
            surrogate: self.surrogate,
            train: self.train,
            loss: self.loss,
            optimiser: self.optimiser,
            batch: self.batch,
            epochs: self.epochs,
            seed: self.seed,
            tape: self.tape,
        }
    }
}
