//! Tables that need no network: devices, models, built-in networks.

use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::info::DeviceProperty;

/// The available devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Devices {
    /// The GPU that the browser provides, if any.
    pub gpu: Option<Device>,
    /// Why there is none.
    pub no_gpu_because: Option<String>,
    /// Maximum number of CPU threads of a network.
    pub threads: u32,
    /// Why there is only one, if so.
    pub one_thread_because: Option<String>,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Whether it is a software device.
    pub software: bool,
    /// Facts about it, as text.
    pub facts: Vec<DeviceProperty>,
    /// Its limits that are relevant to networks.
    pub limits: Vec<AdapterLimit>,
    /// Its features that are relevant to networks.
    pub features: Vec<AdapterFeature>,
}

/// A limit of an adapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct AdapterLimit {
    /// Its name in WebGPU.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The value of the adapter.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub available: u64,
    /// The value that is requested for networks.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub requested: u64,
}

/// A feature that an adapter may have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct AdapterFeature {
    /// Its name in WebGPU.
    pub name: String,
    /// Whether the adapter has it.
    pub available: bool,
    /// Whether it is requested for networks.
    pub requested: bool,
}

/// A library model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Its name in networks.
    pub name: String,
    /// Its title in menus.
    pub title: String,
    /// What it does, in one or two sentences.
    pub about: String,
    /// Its publication.
    pub citation: String,
    /// The kind of model.
    pub kind: ModelKind,
    /// In the order of menus.
    pub parameters: Vec<ModelParameter>,
    /// Its variables.
    pub variables: Vec<ModelVariable>,
    /// Named sets of values, in the order of menus.
    pub presets: Vec<ModelPreset>,
}

/// The kind of a model.
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
    /// Its meaning.
    pub about: String,
    /// The unit of the numbers below; empty for pure numbers.
    pub unit: String,
    /// Its default; null if it is not a single number.
    pub value: Option<f64>,
    /// The same as text in the syntax of networks.
    pub text: String,
    /// The lower end of its usual range.
    pub min: f64,
    /// The upper end of its usual range.
    pub max: f64,
}

/// A variable of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelVariable {
    /// Its name.
    pub symbol: String,
    /// Unit of its values; empty for pure numbers.
    pub unit: String,
}

/// Values of some parameters of a model: a firing pattern, a cell type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelPreset {
    /// Its name in networks.
    pub name: String,
    /// Its description.
    pub about: String,
}

/// A built-in network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct CatalogueEntry {
    /// Its name.
    pub name: String,
    /// A short title.
    pub title: String,
    /// What it is and what it shows, in a few sentences.
    pub about: String,
    /// Its publications.
    pub citation: String,
    /// The effect of a scale other than 1, the published size.
    pub scaling: String,
    /// A scale at which it builds and runs quickly.
    pub small: f64,
}
