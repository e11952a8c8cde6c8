//! The messages of the engine.

use js_sys::{Array, Uint8Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::anatomy::{NeuronPositions, SynapseSample};
use super::failure::{Diagnostic, Failure};
use super::info::Info;
use super::judgement::{Estimate, Judgement};
use super::phase_plane::PhasePlane;
use super::results::{Batch, Memory, RunResult, StatisticValues, Value};
use super::table::{CatalogueEntry, Devices, Model};

/// A message of the engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    /// The reply to a request.
    Answer {
        /// `Request::id`.
        id: u32,
        /// The reply.
        reply: Reply,
    },
    /// The error of a request; nothing has changed.
    Error {
        /// `Request::id`.
        id: u32,
        /// The error.
        failure: Failure,
    },
    /// An event.
    Event(Event),
}

impl Message {
    /// The buffers to transfer with this message, for `postMessage(message, transfer)`.
    pub fn transfer(&self) -> Array {
        match self {
            Message::Answer { reply: Reply::Value(value), .. } => Array::of1(&value.values.buffer()),
            Message::Answer { reply: Reply::Positions(positions), .. } => Array::of1(&positions.coordinates.buffer()),
            Message::Answer { reply: Reply::Synapses(of), .. } => {
                Array::of4(&of.pre.buffer(), &of.post.buffer(), &of.weights.buffer(), &of.delays_ms.buffer())
            }
            Message::Answer { reply: Reply::Bytes { content }, .. } => Array::of1(&content.buffer()),
            Message::Answer { reply: Reply::PhasePlane(plane), .. } => plane.buffers(),
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

/// A reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Reply {
    /// Success.
    Done,
    /// The description of the open network.
    Info(Box<Info>),
    /// A run has ended.
    RunResult(RunResult),
    /// A value.
    Value(Value),
    /// Positions of neurons.
    Positions(NeuronPositions),
    /// Synapses of a projection.
    Synapses(SynapseSample),
    /// A text.
    Text(String),
    /// A file.
    Bytes {
        /// Its content.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// The memory in use.
    Memory(Memory),
    /// The available devices.
    Devices(Devices),
    /// The errors in a network; empty if it can run.
    Diagnostics(Vec<Diagnostic>),
    /// The check of an edited network.
    Judgement(Box<Judgement>),
    /// The memory that a network would need.
    Estimate(Box<Estimate>),
    /// A phase plane.
    PhasePlane(Box<PhasePlane>),
    /// The library.
    Models(Vec<Model>),
    /// The built-in networks, in the order of the menu.
    Networks(Vec<CatalogueEntry>),
}

/// An event, independent of requests or before a reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The engine has started and accepts commands.
    Ready,
    /// The network is being built; repeated until the build is complete.
    Building(Building),
    /// The network was rebuilt, or its device has changed: the new description.
    Info(Box<Info>),
    /// The results of the last steps.
    Batch(Batch),
    /// The statistics of the preceding batch.
    Measured(StatisticValues),
    /// The network runs, pauses, or its time was set.
    State(State),
    /// A parameter has a new value: it was set, or a change of the network was applied or undone.
    Changed(Changed),
    /// Values were written that `Changed` does not contain.
    Written(ValuesWritten),
    /// A condition that is not an error.
    Notice(Notice),
    /// A run failed; only a reset is possible.
    Failed(Failure),
    /// The engine has ended, and will not answer any more.
    Stopped(Failure),
}

/// The progress of a build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Building {
    /// The current step of the build, in a few words.
    pub stage: String,
    /// Progress from 0 to 1.
    pub done: f64,
    /// Synapses drawn so far.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub synapses: u64,
}

/// Whether the network runs, and its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// Whether it runs.
    pub running: bool,
    /// The time, in ms of biological time.
    pub time_ms: f64,
    /// Whether it was just set to this time by a reset or a snapshot: a new run begins.
    pub moved: bool,
    /// Whether this time is of the same run: what was reported of the time before it remains valid, what was later does not.
    pub rewound: bool,
    /// The stop condition of the network that ended the run: only a reset is possible.
    pub stopped: Option<String>,
}

/// A new value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The `path` of the parameter.
    pub path: String,
    /// The new value, in the `unit` of the parameter; NaN if it is not a single number.
    pub value: f64,
    /// The first step with this value.
    pub step: u32,
    /// Whether the network made or undid this change, rather than the user.
    pub scheduled: bool,
    /// The quantity that was set, with which the change can be repeated; null for a value per neuron or synapse, and for changes of the
    /// network.
    pub text: Option<String>,
}

/// Values that were written: of variables, or of learned weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ValuesWritten {
    /// The path, such as `E.v[3]`, or `weights` and the file: `weights = learned.npz`.
    pub what: String,
    /// The first step with these values.
    pub step: u32,
}

/// A notice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Its kind.
    pub code: NoticeCode,
    /// The condition, its reason, and what can be done.
    pub message: String,
}

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// There is one CPU thread, for example because the page is not cross-origin isolated.
    OneThread,
    /// There is no GPU for the network, and it runs on the CPU.
    NoGpu,
    /// The device was lost, and the run continues on another one; no results are missing or repeated.
    DeviceLost,
    /// There is not enough memory to store the synapses of a projection, which are drawn again at every spike.
    SynapsesNotKept,
    /// A valid but possibly unintended value in the network.
    Network,
}
