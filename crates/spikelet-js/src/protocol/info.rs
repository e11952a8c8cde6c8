//! The open network: its parts and its device.

use js_sys::BigInt;
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

/// The open network.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Info {
    /// The parts of the network.
    pub network: Summary,
    /// Number of neurons, including sources.
    pub neurons: u32,
    /// Number of synapses.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub synapses: u64,
    /// Time step in ms.
    pub dt_ms: f64,
    /// Duration of a run according to the network, in ms.
    pub duration_ms: f64,
    /// The seed of the build.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "bigint"))]
    pub seed: BigInt,
    /// Number of parallel trials.
    pub trials: u32,
    /// The device, and why it was chosen.
    pub backend: BackendSummary,
    /// Times of the build.
    pub build: BuildSeconds,
    /// Its memory: the buffers of the GPU, or the arrays of the plan.
    pub buffers: Vec<Buffer>,
    /// The recordings: the columns of the samples.
    pub channels: Vec<Channel>,
    /// Steps from one row of samples to the next, the first of which is of step 0.
    pub sample_every: u32,
    /// Statistics of synaptic variables; `statistic` in results is an index into this list.
    pub statistics: Vec<Statistic>,
    /// Whether synapses have state, which can be saved.
    pub has_weights: bool,
}

impl Info {
    /// Bytes of all buffers.
    pub fn memory_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }
}

/// Wall times of the build, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct BuildSeconds {
    /// The total.
    pub total: f64,
    /// Waiting for the GPU to open.
    pub device: f64,
    /// Drawing the network.
    pub plan: f64,
    /// Filling the memory of the device and compiling kernels.
    pub load: f64,
}

/// Memory of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Buffer {
    /// Its content, such as `state` or `rows 1`.
    pub name: String,
    /// Its size.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    #[serde(with = "super::large")]
    pub bytes: u64,
}

/// The parts of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The network's name.
    pub name: String,
    /// Its description; can be empty.
    pub description: String,
    /// In the order of the network, which is the order of neuron numbers.
    pub populations: Vec<PopulationSummary>,
    /// In the order of the network.
    pub projections: Vec<ProjectionSummary>,
}

/// A population of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PopulationSummary {
    /// Its name.
    pub name: String,
    /// Whether it is a source: its neurons only emit spikes, at random or at given times.
    pub source: bool,
    /// Number of neurons.
    pub size: u32,
    /// Global number of its first neuron.
    pub first: u32,
    /// Number of coordinates of a neuron's position; 0 without positions.
    pub dimensions: u32,
    /// Parameters that can be changed during the run.
    pub parameters: Vec<Parameter>,
    /// Variables that can be read.
    pub variables: Vec<Variable>,
}

/// A projection of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ProjectionSummary {
    /// Its name.
    pub name: String,
    /// The presynaptic population (or slice).
    pub pre: String,
    /// The postsynaptic population (or slice).
    pub post: String,
    /// Number of synapses.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub synapses: u64,
    /// Whether its synapses are plastic; its parameter `plasticity` enables or disables this.
    pub learns: bool,
    /// Parameters that can be changed during the run.
    pub parameters: Vec<Parameter>,
    /// Variables that can be read.
    pub variables: Vec<Variable>,
}

/// A parameter that can be changed during the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// Its path for `set`: `E.taum`.
    pub path: String,
    /// Its name: `taum`.
    pub symbol: String,
    /// Description in one line; can be empty.
    pub about: String,
    /// The unit of the numbers below; empty for a pure number.
    pub unit: String,
    /// Its current value.
    pub value: f64,
    /// The lower end of its usual range.
    pub min: f64,
    /// The upper end of its usual range.
    pub max: f64,
}

/// A variable of each neuron or synapse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Its path for `get`: `E.v`.
    pub path: String,
    /// Its name: `v`.
    pub symbol: String,
    /// Unit of its values; empty for pure numbers.
    pub unit: String,
}

/// The device of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct BackendSummary {
    /// The kind of device.
    pub kind: BackendKind,
    /// The name of the device.
    pub name: String,
    /// CPU threads in use; 0 on a GPU.
    pub threads: u32,
    /// The reason for this device.
    pub reason: String,
    /// Facts about a GPU; for a CPU its threads, with the reason if there is only one, and whether neuron models are compiled.
    pub facts: Vec<DeviceProperty>,
}

/// A kind of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum BackendKind {
    /// WebGPU.
    Gpu,
    /// CPU threads.
    Cpu,
}

/// A fact about a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct DeviceProperty {
    /// Its label, such as `Driver`.
    pub what: String,
    /// Its value.
    pub much: String,
}

/// A recorded variable of one neuron or synapse, or the mean or sum of several neurons: one column of the samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Label such as `E.v[3]` or `mean(E.v)`.
    pub label: String,
    /// The name of the variable: `v`.
    pub variable: String,
    /// Unit of its values; empty for a pure number.
    pub unit: String,
    /// Global number of the neuron; none for a mean or sum.
    pub neuron: Option<u32>,
    /// Interval of its samples in ms.
    pub every_ms: f64,
}

/// A variable of the synapses of a projection with statistics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Statistic {
    /// Label such as `EE.w`.
    pub label: String,
    /// Unit of its values; empty for a pure number.
    pub unit: String,
    /// Limits of the bins of its histogram, one more than bins; empty without histogram.
    pub ends: Vec<f64>,
}
