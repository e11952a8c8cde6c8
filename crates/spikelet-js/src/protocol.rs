//! The messages between the package's scripts and the engine.
//!
//! A message is a plain JavaScript object, written and read by serde on both sides, so this module is the complete contract: the test
//! `types` generates `ts/raw.ts` from it, against which the scripts are compiled. Arrays that grow with the network are JavaScript typed
//! arrays; their buffers are *transferred* ([`Message::transfer`]), not copied.
//!
//! An engine has one network, which [`Command::Create`] builds. Each request with a number is answered by one [`Message`] with that number;
//! everything else is reported as [`Event`]s.

mod anatomy;
mod failure;
mod info;
mod judgement;
mod large;
mod message;
mod phase_plane;
mod request;
mod results;
mod table;

use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

pub use anatomy::{NeuronPositions, SynapseSample};
pub use failure::{Code, Diagnostic, Failure};
pub use info::{
    BackendKind, BackendSummary, Buffer, BuildSeconds, Channel, DeviceProperty, Info, Parameter, PopulationSummary,
    ProjectionSummary, Statistic, Summary, Variable,
};
pub use judgement::{Estimate, GpuEstimate, Judged, Judgement, Missing, ProjectionEstimate, Question};
pub use message::{Building, Changed, Event, Message, Notice, NoticeCode, Reply, State, ValuesWritten};
pub use phase_plane::{
    ClampedVariable, Eigenvalue, FixedPoint, FixedPointKind, PhasePlane, PlaneAxis, PlaneLines, PlaneRequest, PlaneRole,
    PlaneVariable,
};
pub use request::{BATCHES_IN_FLIGHT, BackendChoice, Command, Create, EdgeFormat, NamedFile, Request, Source};
pub use results::{Batch, Memory, RunResult, StatisticValues, StopReason, Value};
pub use table::{
    AdapterFeature, AdapterLimit, CatalogueEntry, Device, Devices, Model, ModelKind, ModelParameter, ModelPreset, ModelVariable,
};

/// A message as a JavaScript object for `postMessage`.
///
/// # Errors
/// A number cannot be represented in JavaScript, such as a count beyond 2^53.
pub fn to_js(message: &impl Serialize) -> Result<JsValue, String> {
    // Absent values are `null`, as in the types.
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// The reverse of [`to_js`].
///
/// # Errors
/// The object is not such a message; the error gives the difference.
pub fn from_js<T: DeserializeOwned>(message: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(message).map_err(|error| error.to_string())
}

#[cfg(feature = "typescript")]
pub mod typescript;
