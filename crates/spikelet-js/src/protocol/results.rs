//! The results of a run and of requests.

use js_sys::{Float32Array, Float64Array, Uint32Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::info::Buffer;

/// The last steps of one trial of a running network.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Number of the batch from 1, for `Command::Taken`. The batches of all trials for the same steps have the same number.
    pub number: u32,
    /// Index of the trial; trials are in order.
    pub trial: u32,
    /// First step of the batch.
    pub first_step: u32,
    /// Number of steps.
    pub steps: u32,
    /// Biological time at its end, in ms.
    pub time_ms: f64,
    /// Wall time divided by biological time over the last half second of running; below 1 is faster than real time.
    pub real_time_factor: f64,
    /// Global neuron number of each spike, in the order of steps.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub spike_neurons: Uint32Array,
    /// Step of each spike.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub spike_steps: Uint32Array,
    /// Values by rows: one row per step, one column per channel.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float32Array"))]
    pub samples: Float32Array,
}

/// The values of a statistic in a batch: one entry, or row, per time at which it was taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct StatisticValues {
    /// Index of the trial.
    pub trial: u32,
    /// Index of the statistic in `statistics` of the network.
    pub statistic: u32,
    /// The steps at whose start the statistic was taken.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub steps: Uint32Array,
    /// Rows of mean, standard deviation, minimum and maximum.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub moments: Float64Array,
    /// Rows of counts: not finite, below the range, above it, then the bins.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub counts: Uint32Array,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// The current time, in ms of biological time.
    pub time_ms: f64,
    /// Steps of this run.
    pub steps: u32,
    /// The reason of the end.
    pub because: StopReason,
    /// The condition that was true.
    pub condition: Option<String>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// Its duration is over.
    Time,
    /// The condition of the run is true; the next run continues from here.
    Condition,
    /// A stop condition of the network is true; only a reset is possible.
    Stopped,
    /// It was paused.
    Paused,
    /// Its time was set by a reset or a snapshot.
    Moved,
}

/// A parameter or a variable.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Value {
    /// Unit of the numbers; empty for pure numbers.
    pub unit: String,
    /// One value for all, or one per neuron or synapse, in their order.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub values: Float64Array,
}

/// The memory of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    /// On its device: the buffers of the GPU, or the arrays of the plan.
    pub buffers: Vec<Buffer>,
    /// Bytes of the engine's WebAssembly memory, which never shrinks.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub engine_bytes: u64,
    /// Used bytes of it.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub used_bytes: u64,
    /// Its maximum in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    #[serde(rename = "mostBytes")]
    pub max_bytes: u64,
}
