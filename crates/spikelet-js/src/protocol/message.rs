//! What the engine says.

use js_sys::{Array, Uint8Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::failure::{Diagnostic, Failure};
use super::info::Info;
use super::judgement::Judgement;
use super::results::{Batch, Memory, RunResult, StatisticValues, Value};
use super::table::{CatalogueEntry, Devices, Model};

/// What the engine says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    /// What was asked for.
    Answer {
        /// `Request::id`.
        id: u32,
        /// The answer.
        reply: Reply,
    },
    /// Why what was asked for cannot be done; nothing has changed.
    Error {
        /// `Request::id`.
        id: u32,
        /// Why.
        failure: Failure,
    },
    /// Something happened.
    Event(Event),
}

impl Message {
    /// The buffers to transfer with this message: `postMessage(message, transfer)` moves them.
    pub fn transfer(&self) -> Array {
        match self {
            Message::Answer { reply: Reply::Value(value), .. } => Array::of1(&value.values.buffer()),
            Message::Answer { reply: Reply::Bytes { content }, .. } => Array::of1(&content.buffer()),
            Message::Event(Event::Batch(batch)) => {
                Array::of3(&batch.spike_neurons.buffer(), &batch.spike_steps.buffer(), &batch.samples.buffer())
            }
            Message::Event(Event::Measured(measured)) => {
                Array::of3(&measured.steps.buffer(), &measured.moments.buffer(), &measured.counts.buffer())
            }
            _ => Array::new(),
        }
    }
}

/// An answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Reply {
    /// It is done.
    Done,
    /// What the open network is.
    Info(Box<Info>),
    /// A run has ended.
    RunResult(RunResult),
    /// A value.
    Value(Value),
    /// A text.
    Text(String),
    /// A file.
    Bytes {
        /// All of it.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// What it takes.
    Memory(Memory),
    /// What a network could run on.
    Devices(Devices),
    /// What is wrong with a network; nothing where it could run.
    Diagnostics(Vec<Diagnostic>),
    /// The same of one that is edited.
    Judgement(Box<Judgement>),
    /// The library.
    Models(Vec<Model>),
    /// The built-in networks, in the order to show them.
    Networks(Vec<CatalogueEntry>),
}

/// Something that happens without being asked for, or on the way to an answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The engine is up and takes commands.
    Ready,
    /// The network is being built; again and again until it is there.
    Building(Building),
    /// The network was built anew, or runs elsewhere now: what it is from here on.
    Info(Box<Info>),
    /// What happened in the latest steps.
    Batch(Batch),
    /// What a statistic came to in the steps of the batch before.
    Measured(StatisticValues),
    /// The network now runs or pauses, or was put to another time.
    State(State),
    /// A parameter has a new value: it was set, a change of the network's own came due, or a reset undid such a change.
    Changed(Changed),
    /// Something to know, which stops nothing.
    Notice(Notice),
    /// A run broke off; only a reset leads on.
    Failed(Failure),
    /// The engine is gone, and nothing will be answered any more.
    Stopped(Failure),
}

/// How far a network is that is being built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Building {
    /// What is being done, in a few words.
    pub stage: String,
    /// How far it is, from 0 to 1.
    pub done: f64,
    /// Synapses drawn so far.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub synapses: u64,
}

/// Whether the network runs, and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// Whether it runs.
    pub running: bool,
    /// Where it stands, in ms of biological time.
    pub time_ms: f64,
    /// Whether it was just put to this time, by a reset or a snapshot: what came before is another run.
    pub moved: bool,
    /// The condition of the network that ended the run, as it was written: only a reset leads on.
    pub stopped: Option<String>,
}

/// A new value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The `path` of the parameter.
    pub path: String,
    /// The new value, in the `unit` of the parameter; NaN for what is no single number.
    pub value: f64,
    /// The first step that sees it.
    pub step: u32,
    /// Whether it is a change of the network's own, or the undoing of one, rather than set from outside.
    pub scheduled: bool,
}

/// What is to be known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// What it is about.
    pub code: NoticeCode,
    /// One sentence or two: what is so, why, and what could be done.
    pub message: String,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// There is one CPU thread, such as where the page is not cross-origin isolated.
    OneThread,
    /// There is no GPU for it, and it runs on the CPU.
    NoGpu,
    /// The device was lost, and the run goes on on another one: nothing is missing, and nothing comes twice.
    DeviceLost,
    /// There is no room to keep the synapses of a projection, which are drawn anew at every spike.
    SynapsesNotKept,
    /// Something in the network is allowed but hardly meant.
    Network,
}
