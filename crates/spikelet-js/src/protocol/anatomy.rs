//! Where neurons are, and their synapses.

use js_sys::{Float32Array, Uint32Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

/// The positions of the neurons of a population.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct NeuronPositions {
    /// Number of coordinates of a neuron; 0 if the population has no positions.
    pub dimensions: u32,
    /// Unit of the coordinates.
    pub unit: String,
    /// All coordinates of the first neuron, then those of the next one.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float32Array"))]
    pub coordinates: Float32Array,
    /// Neurons along each axis, if they are on a grid; otherwise empty.
    pub shape: Vec<u32>,
}

/// Synapses of a projection: all that were requested, or an even sample of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct SynapseSample {
    /// Number of all synapses that were requested.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub total: u64,
    /// Presynaptic neuron of each, counted in its population.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub pre: Uint32Array,
    /// Postsynaptic neuron of each, counted in its population.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub post: Uint32Array,
    /// Weight of each; empty if the synapses have no weight.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float32Array"))]
    pub weights: Float32Array,
    /// Delay of each, in ms.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float32Array"))]
    pub delays_ms: Float32Array,
    /// The variable that the weights are values of: of the synapses, `w` if there is one, or, for synapses without variables, the
    /// postsynaptic variable that an event adds to. Empty if there is none.
    pub variable: String,
    /// Unit of the weights; empty for pure numbers.
    pub unit: String,
}
