//! The results of a check for an editor.

use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::failure::Diagnostic;
use super::info::Buffer;

/// A network that is being edited, and the population in the editor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The network as JSON, as far as it is written.
    pub json: String,
    /// Index of the edited population.
    pub population: Option<u32>,
    /// Its parameters whose values were edited after its equations: these are checked against the equations; the equations are checked
    /// against the other parameters.
    pub typed: Vec<String>,
}

/// Errors of an edited network, and what can be derived from it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// Errors in the equations and values of the edited population. Errors do not hide each other.
    pub population: Vec<Judged>,
    /// Errors in the whole network.
    pub network: Vec<Judged>,
    /// Names in the texts of the population that have no value.
    pub missing: Vec<Missing>,
    /// The integration method of its equations; null if it cannot be determined, or if there is nothing to integrate.
    pub method: Option<String>,
    /// The size of the network; null if it cannot be determined.
    pub estimate: Option<Estimate>,
}

/// An error with its line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Judged {
    /// The error.
    pub diagnostic: Diagnostic,
    /// The line, if it has a position in a text.
    pub excerpt: Option<String>,
    /// Whether the only error is an undefined name.
    pub undefined_name: bool,
}

/// A name without a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The name.
    pub name: String,
    /// A unit of its dimension, `1` for a pure number; null if the dimension does not follow from the texts.
    pub unit: Option<String>,
}

/// The expected size of a network, before it is built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Neurons, sources included.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub neurons: u64,
    /// Number of parallel trials.
    pub trials: u32,
    /// Total bytes of all trials on the CPU.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    #[serde(with = "super::large")]
    pub bytes: u64,
    /// Bytes that each further trial needs of them.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    #[serde(with = "super::large")]
    pub trial_bytes: u64,
    /// Bytes that a network may use; null if they are not known.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub available_bytes: Option<u64>,
    /// Maximum number of parallel trials on the CPU; null if it is not known.
    pub max_trials: Option<u32>,
    /// The arrays of the CPU for one trial; empty if the network has errors, so that only the total is known approximately.
    pub buffers: Vec<Buffer>,
    /// The same on the GPU, if one is open.
    pub gpu: Option<GpuEstimate>,
    /// Bytes of recorded values per second of biological time, of all trials.
    pub sample_bytes_per_second: f64,
    /// The projections, in their order.
    pub projections: Vec<ProjectionEstimate>,
}

/// The expected size of a network on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct GpuEstimate {
    /// The name of the GPU.
    pub name: String,
    /// Total bytes of all trials; null if it does not fit.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    #[serde(with = "super::large::option")]
    pub bytes: Option<u64>,
    /// The buffers of all trials.
    pub buffers: Vec<Buffer>,
    /// Why it does not fit.
    pub refusal: Option<String>,
}

/// The size of a projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ProjectionEstimate {
    /// Its name.
    pub name: String,
    /// Expected number of synapses; the mean if the rule is random.
    pub synapses: f64,
    /// Whether they are stored; otherwise they are drawn at each spike.
    pub stored: bool,
    /// Bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    #[serde(with = "super::large")]
    pub bytes: u64,
}
