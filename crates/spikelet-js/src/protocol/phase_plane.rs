//! The phase plane of a neuron: the request and its answer.

use js_sys::{Array, Float64Array, Uint32Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

/// The phase plane of a neuron. Values are in the units that [`Command::Get`](super::Command::Get) returns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PlaneRequest {
    /// The population.
    pub population: String,
    /// The index of the neuron in it.
    pub neuron: u32,
    /// The variable on the horizontal axis; null for the one that the threshold compares.
    pub x: Option<String>,
    /// The variable on the vertical axis; null for one that is coupled with x. The name of x requests a phase line.
    pub y: Option<String>,
    /// The first and the last value of x; null for an automatic range.
    pub x_range: Option<[f64; 2]>,
    /// The same for y.
    pub y_range: Option<[f64; 2]>,
    /// Values of other variables; default: their initial values.
    pub clamp: Vec<ClampedVariable>,
    /// Number of grid nodes along each axis, from 8 to 256.
    pub resolution: u32,
    /// The time in ms at which functions of time are evaluated; null for the current time.
    pub time_ms: Option<f64>,
}

/// A variable that is on neither axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ClampedVariable {
    /// Its name.
    pub symbol: String,
    /// Its value; null for its steady state: the value at which its own rate is 0.
    pub value: Option<f64>,
}

/// A phase plane, or for a neuron with one variable a phase line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PhasePlane {
    /// The population.
    pub population: String,
    /// The index of the neuron in it.
    pub neuron: u32,
    /// The horizontal axis.
    pub x: PlaneAxis,
    /// The vertical axis; null for a phase line.
    pub y: Option<PlaneAxis>,
    /// All variables that an axis can show.
    pub variables: Vec<PlaneVariable>,
    /// Number of grid nodes along each axis.
    pub resolution: u32,
    /// Rates of x at the nodes, per ms (of a map: per step): rows of increasing y, in each of them increasing x. A phase line has one row.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub x_rates: Float64Array,
    /// The same of y; empty for a phase line.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub y_rates: Float64Array,
    /// Where the rate of x is 0.
    pub x_nullcline: PlaneLines,
    /// Where the rate of y is 0.
    pub y_nullcline: PlaneLines,
    /// The fixed points in the ranges, by increasing x.
    pub fixed_points: Vec<FixedPoint>,
    /// Where the condition of the threshold becomes true.
    pub threshold: PlaneLines,
    /// Where the reset leads.
    pub reset: PlaneLines,
    /// Pairs of a point on the threshold and the point to which the reset takes it.
    pub jumps: PlaneLines,
    /// The time in ms at which functions of time were evaluated.
    pub time_ms: f64,
    /// Whether the model is a map: its rates are changes per step.
    pub is_map: bool,
    /// Whether noise or random input was left out.
    pub has_noise: bool,
    /// Whether the plane depends on the time.
    pub follows_time: bool,
}

impl PhasePlane {
    /// The buffers of its arrays.
    pub(super) fn buffers(&self) -> Array {
        let lines = [&self.x_nullcline, &self.y_nullcline, &self.threshold, &self.reset, &self.jumps];
        let of_lines = lines.into_iter().flat_map(|lines| [lines.points.buffer(), lines.ends.buffer()]);
        [self.x_rates.buffer(), self.y_rates.buffer()].into_iter().chain(of_lines).collect()
    }
}

/// An axis of a phase plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PlaneAxis {
    /// The variable.
    pub symbol: String,
    /// Unit of its values; empty for pure numbers.
    pub unit: String,
    /// The first and the last value.
    pub range: [f64; 2],
}

/// A variable that an axis of a phase plane can show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PlaneVariable {
    /// Its name.
    pub symbol: String,
    /// Unit of its values; empty for pure numbers.
    pub unit: String,
    /// Its role in the plane.
    pub role: PlaneRole,
    /// The value at which it is held; its initial value if it is not held.
    pub value: f64,
    /// The values that the neuron reaches by itself, with some space around them; null if both ranges of the request were given.
    pub range: Option<[f64; 2]>,
    /// Whether it can follow its steady state: its equation is linear in it.
    pub can_be_steady: bool,
}

/// The role of a variable in a phase plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum PlaneRole {
    /// It is on an axis.
    Axis,
    /// It has a fixed value.
    Held,
    /// It has the value at which its own rate is 0.
    Steady,
}

/// Lines of a phase plane.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct PlaneLines {
    /// Values of x and y in turn.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
    pub points: Float64Array,
    /// The number of points up to the end of each line.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint32Array"))]
    pub ends: Uint32Array,
}

/// A fixed point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct FixedPoint {
    /// Its x.
    pub x: f64,
    /// Its y; 0 of a phase line.
    pub y: f64,
    /// Its stability.
    pub kind: FixedPointKind,
    /// The eigenvalues of the linear approximation, per ms; of a map its multipliers, without unit. A phase line has one.
    pub eigenvalues: Vec<Eigenvalue>,
}

/// The stability of a fixed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum FixedPointKind {
    /// Real eigenvalues, stable.
    StableNode,
    /// Real eigenvalues, unstable.
    UnstableNode,
    /// Complex eigenvalues, stable.
    StableFocus,
    /// Complex eigenvalues, unstable.
    UnstableFocus,
    /// One stable and one unstable direction.
    Saddle,
    /// Complex eigenvalues without growth or decay.
    Centre,
    /// An eigenvalue is 0: two fixed points meet.
    Degenerate,
}

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Eigenvalue {
    /// Its real part.
    pub re: f64,
    /// Its imaginary part.
    pub im: f64,
}
