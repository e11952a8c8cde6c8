//! What a network that is open consists of, and what it runs on.

use js_sys::BigInt;
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

/// A network that is open.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Info {
    /// What the network consists of.
    pub network: Summary,
    /// All neurons, sources included.
    pub neurons: u32,
    /// All synapses.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub synapses: u64,
    /// Length of a step in ms.
    pub dt_ms: f64,
    /// How long the network says that a run lasts, in ms.
    pub duration_ms: f64,
    /// The seed it was built with.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "bigint"))]
    pub seed: BigInt,
    /// How many trials run side by side.
    pub trials: u32,
    /// Who runs it, and why.
    pub backend: BackendSummary,
    /// What building it took.
    pub build: BuildSeconds,
    /// What it takes where it runs: the buffers of the GPU, or the arrays of the plan.
    pub buffers: Vec<Buffer>,
    /// What is recorded: the columns of the samples.
    pub channels: Vec<Channel>,
    /// What is summed up over synapses; `statistic` of what is measured counts in this list.
    pub statistics: Vec<Statistic>,
    /// Whether synapses have a state, which can be saved.
    pub has_weights: bool,
}

impl Info {
    /// Bytes of all buffers.
    pub fn memory_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }
}

/// Wall time from command to ready, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct BuildSeconds {
    /// All of it.
    pub total: f64,
    /// Waiting for the GPU to open.
    pub device: f64,
    /// Drawing the network.
    pub plan: f64,
    /// Filling the device's memory and compiling kernels.
    pub load: f64,
}

/// Memory that is held for a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Buffer {
    /// What is in it, such as `state` or `rows 1`.
    pub name: String,
    /// How large it is.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub bytes: u64,
}

/// What a network consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The network's name.
    pub name: String,
    /// What it says about itself; may be empty.
    pub description: String,
    /// In the network's order: neurons are numbered through in it.
    pub populations: Vec<PopulationSummary>,
    /// In the network's order.
    pub projections: Vec<ProjectionSummary>,
}

/// A population of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PopulationSummary {
    /// Its name.
    pub name: String,
    /// Whether it is a source of the network: its neurons only give spikes, at random or at given times.
    pub source: bool,
    /// How many neurons.
    pub size: u32,
    /// Global number of its first neuron.
    pub first: u32,
    /// What can be changed while it runs.
    pub parameters: Vec<Parameter>,
    /// What moves, and can be read.
    pub variables: Vec<Variable>,
}

/// A projection of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ProjectionSummary {
    /// Its name.
    pub name: String,
    /// The population (or slice) that sends.
    pub pre: String,
    /// The population (or slice) that receives.
    pub post: String,
    /// How many synapses.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub synapses: u64,
    /// Whether its synapses learn; its parameter `plasticity` says whether they do so now.
    pub learns: bool,
    /// What can be changed while it runs.
    pub parameters: Vec<Parameter>,
    /// What moves, and can be read.
    pub variables: Vec<Variable>,
}

/// A parameter that can be changed while the network runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// What `set` calls it: `E.taum`.
    pub path: String,
    /// Its own name: `taum`.
    pub symbol: String,
    /// One line of meaning; may be empty.
    pub about: String,
    /// The unit of the numbers below; empty for a plain number.
    pub unit: String,
    /// Its value now.
    pub value: f64,
    /// The least sensible value.
    pub min: f64,
    /// The greatest sensible value.
    pub max: f64,
}

/// Something that moves, of each neuron or synapse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// What `get` calls it: `E.v`.
    pub path: String,
    /// Its own name: `v`.
    pub symbol: String,
    /// Unit of its values; empty for plain numbers.
    pub unit: String,
}

/// Who runs a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct BackendSummary {
    /// Which sort of device.
    pub kind: BackendKind,
    /// The device's own name.
    pub name: String,
    /// CPU threads in use; 0 on a GPU.
    pub threads: u32,
    /// One sentence: why this one.
    pub reason: String,
    /// What is known of a GPU; of a CPU its threads, with the reason where there is only one.
    pub facts: Vec<DeviceProperty>,
}

/// A sort of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum BackendKind {
    /// WebGPU.
    Gpu,
    /// Threads of the CPU.
    Cpu,
}

/// Something that is known of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct DeviceProperty {
    /// What it is about, such as `Driver`.
    pub what: String,
    /// What is known.
    pub much: String,
}

/// A recorded variable of one neuron or synapse: one column of the samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Such as `E.v[3]`.
    pub label: String,
    /// The variable's name: `v`.
    pub variable: String,
    /// Unit of its values; empty for a plain number.
    pub unit: String,
    /// Global number of the neuron.
    pub neuron: u32,
}

/// A variable that is summed up over the synapses of a projection now and then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Statistic {
    /// Such as `EE.w`.
    pub label: String,
    /// Unit of its values; empty for a plain number.
    pub unit: String,
    /// Ends of the parts of its histogram, one more than parts; none without one.
    pub ends: Vec<f64>,
}
