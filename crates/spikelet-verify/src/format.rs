//! The file of a case, key by key. Those that begin with `_` are for people.

use indexmap::IndexMap;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, de};
use spikelet::{Change, CustomFunction, Population, Projection, Recording, Source};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) family: String,
    #[serde(default)]
    pub(crate) what_it_tests: String,
    pub(crate) dt_ms: f64,
    pub(crate) duration_ms: f64,
    #[serde(default)]
    pub(crate) populations: Vec<Population>,
    #[serde(default)]
    pub(crate) sources: Vec<FileSource>,
    #[serde(default)]
    pub(crate) projections: Vec<Projection>,
    #[serde(default)]
    pub(crate) recordings: Vec<Recording>,
    #[serde(default)]
    pub(crate) functions: Vec<CustomFunction>,
    #[serde(default)]
    pub(crate) changes: Vec<Change>,
    #[serde(default, rename = "final")]
    pub(crate) finals: Vec<Final>,
    #[serde(default)]
    pub(crate) measure: Option<Measure>,
    #[serde(default)]
    pub(crate) expected: Option<Expected>,
    #[serde(default)]
    pub(crate) tolerance: Option<Tolerance>,
    #[serde(default)]
    pub(crate) expected_error: Option<ExpectedError>,
    /// Where the case is from.
    #[serde(default, rename = "citation")]
    _citation: IgnoredAny,
    #[serde(default, rename = "note")]
    _note: IgnoredAny,
    #[serde(default, rename = "method_note")]
    _method_note: IgnoredAny,
    #[serde(default, rename = "schedule_notes")]
    _schedule_notes: IgnoredAny,
    /// Results with a smaller time step, for other simulators.
    #[serde(default, rename = "converged")]
    _converged: IgnoredAny,
}

/// A source of a network. Whether its spikes were recorded is of no interest here: ours always are.
pub(crate) struct FileSource(pub(crate) Source);

impl<'de> Deserialize<'de> for FileSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FileSource, D::Error> {
        let mut object = serde_json::Map::deserialize(deserializer)?;
        object.remove("record");
        Source::deserialize(serde_json::Value::Object(object)).map(FileSource).map_err(de::Error::custom)
    }
}

/// A variable whose values at the end are judged, of all neurons or synapses.
#[derive(Deserialize)]
pub(crate) struct Final {
    pub(crate) object: String,
    pub(crate) var: String,
    pub(crate) unit: Option<String>,
}

/// What is measured of a statistical case.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Measure {
    pub(crate) warmup_ms: f64,
    #[serde(default)]
    pub(crate) kind: Option<String>,
    /// Object, first neuron, one past the last neuron.
    #[serde(default)]
    pub(crate) groups: IndexMap<String, (String, u32, u32)>,
    /// Of a case that measures what synapses learn: how many neurons there are that they join, each of which counts as a run.
    #[serde(default)]
    pub(crate) n_post: u32,
}

#[derive(Deserialize)]
pub(crate) struct Expected {
    /// `[neuron, time in ms]` of each object.
    #[serde(default)]
    pub(crate) spikes: IndexMap<String, Vec<(u32, f64)>>,
    #[serde(default)]
    pub(crate) state: IndexMap<String, Trace>,
    #[serde(default)]
    pub(crate) weights: IndexMap<String, Values>,
    #[serde(default)]
    pub(crate) summary: IndexMap<String, Summary>,
}

/// Samples of a channel such as `n.v[3]`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Trace {
    pub(crate) t_ms: Vec<f64>,
    pub(crate) values: Vec<f64>,
    pub(crate) unit: String,
}

/// Values at the end of the run, of a variable such as `plast.w`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Values {
    pub(crate) values: Vec<f64>,
    pub(crate) unit: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Summary {
    pub(crate) mean: f64,
}

#[derive(Deserialize)]
pub(crate) struct Tolerance {
    #[serde(default)]
    pub(crate) spike_steps: Option<u32>,
    #[serde(default)]
    pub(crate) state: IndexMap<String, StateTolerance>,
    #[serde(default)]
    pub(crate) weights: IndexMap<String, ValuesTolerance>,
    #[serde(default)]
    pub(crate) metrics: IndexMap<String, MetricTolerance>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StateTolerance {
    pub(crate) abs: f64,
    pub(crate) abs_if_spikes_shifted: f64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ValuesTolerance {
    pub(crate) abs: f64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct MetricTolerance {
    pub(crate) mean_of_10_within: f64,
    pub(crate) single_trial_within: f64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ExpectedError {
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) must_mention: Vec<String>,
    #[serde(default)]
    pub(crate) line: Option<usize>,
    #[serde(default)]
    pub(crate) column: Option<usize>,
    #[serde(default)]
    pub(crate) note: String,
}
