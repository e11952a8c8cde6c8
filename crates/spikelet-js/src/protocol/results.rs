//! What comes of a run, and of questions about it.

use js_sys::{Float32Array, Float64Array, Uint32Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::info::Buffer;

/// The latest steps of one trial of a running network.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Counts up by one per batch, from 1; goes into `Command::Taken`. The batches of all trials for the same steps have the same.
    pub number: u32,
    /// Which trial; they come in their order.
    pub trial: u32,
    /// First step of the batch.
    pub first_step: u32,
    /// How many steps.
    pub steps: u32,
    /// Biological time at its end, in ms.
    pub time_ms: f64,
    /// Wall time ÷ biological time over the last half second of running; below 1 is faster than real time.
    pub real_time_factor: f64,
    /// Global neuron number of each spike, in the order of steps.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub spike_neurons: Uint32Array,
    /// Step of each spike.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub spike_steps: Uint32Array,
    /// Row after row, a row per step, a column per channel.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float32Array"))]
    pub samples: Float32Array,
}

/// What a statistic came to in the steps of a batch: an entry, or a row, for each time that it was taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct StatisticValues {
    /// Which trial.
    pub trial: u32,
    /// Which of the `statistics` of the network.
    pub statistic: u32,
    /// The steps at whose start the state was measured.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub steps: Uint32Array,
    /// Rows of mean, standard deviation, least and largest value.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub moments: Float64Array,
    /// Rows of how many values are no finite numbers, below the range, above it, and in each of its parts.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub counts: Uint32Array,
}

/// How a run has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// Where the network stands, in ms of biological time.
    pub time_ms: f64,
    /// Steps of this run.
    pub steps: u32,
    /// Why it ended.
    pub because: StopReason,
    /// The condition that held, as it was written.
    pub condition: Option<String>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The time that was asked for has passed.
    Time,
    /// The condition that was asked for holds; the next run goes on from here.
    Condition,
    /// A condition of the network's own holds; only a reset leads on.
    Stopped,
    /// It was paused.
    Paused,
    /// It was put to another time, by a reset or a snapshot.
    Moved,
}

/// A parameter or a variable.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Value {
    /// Unit of the numbers; empty for plain numbers.
    pub unit: String,
    /// One for all, or one for each neuron or synapse, in their order.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub values: Float64Array,
}

/// What a network takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    /// Where it runs: the buffers of the GPU, or the arrays of the plan.
    pub buffers: Vec<Buffer>,
    /// Bytes of the engine's WebAssembly memory, which never shrinks.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub engine_bytes: u64,
    /// Bytes of it that are in use.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub used_bytes: u64,
    /// Bytes that it may become large.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub max_bytes: u64,
}
