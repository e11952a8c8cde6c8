//! What the package's scripts and the engine say to each other.
//!
//! A message is a plain JavaScript object, written and read by serde on both sides, so this module is the whole contract: the test
//! `types` makes `ts/raw.ts` of it, against which the scripts are compiled. Arrays that grow with the network are JavaScript
//! typed arrays; their buffers are *transferred* ([`Message::transfer`]), never copied a second time.
//!
//! An engine holds one network, which [`Command::Create`] builds. Each [`Ask`] with a number is answered by one [`Message`] of
//! that number; what happens besides is told as [`Event`]s.

mod failure;
mod info;
mod judgement;
mod message;
mod request;
mod results;
mod table;

use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

pub use failure::{Code, Diagnostic, Failure};
pub use info::{
    BackendKind, BackendSummary, Buffer, BuildSeconds, Channel, DeviceProperty, Info, Parameter, PopulationSummary,
    ProjectionSummary, Statistic, Summary, Variable,
};
pub use judgement::{Estimate, Judged, Judgement, Missing, ProjectionEstimate, Question};
pub use message::{Building, Changed, Event, Message, Notice, NoticeCode, Reply, State};
pub use request::{BATCHES_IN_FLIGHT, BackendChoice, Command, Create, NamedFile, Request, Source};
pub use results::{Batch, Memory, RunResult, StatisticValues, StopReason, Value};
pub use table::{CatalogueEntry, Device, Devices, Model, ModelKind, ModelParameter, ModelPreset, ModelVariable};

/// A message as the JavaScript object that goes through `postMessage`.
///
/// # Errors
/// When a number cannot be told in JavaScript, such as a count beyond 2^53.
pub fn to_js(message: &impl Serialize) -> Result<JsValue, String> {
    // What is not there is `null`, as the types say.
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// The reverse of [`to_js`].
///
/// # Errors
/// When the object is not such a message; the sentence says where it differs.
pub fn from_js<T: DeserializeOwned>(message: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(message).map_err(|error| error.to_string())
}

#[cfg(feature = "typescript")]
pub mod typescript;
