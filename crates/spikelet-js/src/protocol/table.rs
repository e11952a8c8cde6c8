//! What can be looked up without a network: devices, models, built-in networks.

use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::info::DeviceProperty;

/// What a network could run on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Devices {
    /// The GPU that the browser gives, if any.
    pub gpu: Option<Device>,
    /// Why there is none.
    pub no_gpu_because: Option<String>,
    /// Most CPU threads that a network may have.
    pub threads: u32,
    /// Why there is only one, where that is so.
    pub one_thread_because: Option<String>,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// Its own name.
    pub name: String,
    /// Whether a CPU does its work.
    pub software: bool,
    /// What is known of it, in words.
    pub facts: Vec<DeviceProperty>,
}

/// A model of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// What a network calls it.
    pub name: String,
    /// What a menu calls it.
    pub title: String,
    /// What it does, in a sentence or two.
    pub about: String,
    /// Where it was published.
    pub citation: String,
    /// What it is a model of.
    pub kind: ModelKind,
    /// In the order to show them.
    pub parameters: Vec<ModelParameter>,
    /// What moves.
    pub variables: Vec<ModelVariable>,
    /// Named sets of values, in the order to show them.
    pub presets: Vec<ModelPreset>,
}

/// What a model is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum ModelKind {
    /// A neuron.
    Neuron,
    /// A source of spikes.
    Source,
    /// A synapse.
    Synapse,
}

/// A parameter of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelParameter {
    /// Its name.
    pub symbol: String,
    /// What it means.
    pub about: String,
    /// The unit of the numbers below; empty for plain numbers.
    pub unit: String,
    /// Its value unless a network gives another; none where that is no single number.
    pub value: Option<f64>,
    /// The same as text, as a network would write it.
    pub text: String,
    /// The least sensible value.
    pub min: f64,
    /// The greatest sensible value.
    pub max: f64,
}

/// Something that moves in a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelVariable {
    /// Its name.
    pub symbol: String,
    /// Unit of its values; empty for plain numbers.
    pub unit: String,
}

/// Values for some parameters of a model: a firing pattern, a type of cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelPreset {
    /// What a network calls it.
    pub name: String,
    /// What it shows.
    pub about: String,
}

/// A built-in network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct CatalogueEntry {
    /// What it is called.
    pub name: String,
    /// A short title.
    pub title: String,
    /// What it is and what it shows, in a few sentences.
    pub about: String,
    /// The papers it comes from.
    pub citation: String,
    /// What a scale other than 1, the published size, does to it.
    pub scaling: String,
    /// A scale at which it is built and runs in a moment.
    pub small: f64,
}
