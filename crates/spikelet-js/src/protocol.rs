//! What the package's scripts and the engine say to each other.
//!
//! A message is a plain JavaScript object, written and read by serde on both sides, so this file is the whole contract: the test
//! `types` makes `ts/raw.ts` of it, against which the scripts are compiled. Arrays that grow with the network are JavaScript
//! typed arrays; their buffers are *transferred* ([`Message::transfer`]), never copied a second time.
//!
//! An engine holds one network, which [`Command::Create`] builds. Each [`Ask`] with a number is answered by one [`Message`] of
//! that number; what happens besides is told as [`Event`]s.

mod table;

use js_sys::{Array, BigInt, Float32Array, Float64Array, Uint8Array, Uint32Array};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
#[cfg(feature = "typescript")]
use ts_rs::TS;
use wasm_bindgen::JsValue;

pub use table::{Catalogued, Device, Devices, Model, ModelKind, ModelParameter, ModelPreset, ModelVariable};

/// A command, and the number under which it is answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    /// Unique among those asked; none where nobody waits for an answer.
    pub ask: Option<u32>,
    /// What is asked.
    pub command: Command,
}

/// What is asked of the engine. All but `Create`, `Devices`, `Check`, `Models`, `Networks` and `LoseDevice` are about the network that is open.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Builds a network, paused at t = 0. [`Event::Building`] tells how far it is. Answered by [`Reply::Info`].
    Create(Box<Create>),
    /// Runs, which [`Event::Batch`]es tell of. Answered by [`Reply::Ran`], once the run ends for whatever reason.
    Run {
        /// For how long, in ms of biological time; until something else ends it where there is none.
        ms: Option<f64>,
        /// Until this holds, at the end of a step: a condition as in the `stop` of a network, `rate(E, 50 ms) > 100 Hz`. It hears of
        /// this run alone: spikes count from its start, and a rate can be below its limit once its window has passed since. So at
        /// least one step is run. Of several trials, it ends all as soon as it holds in one.
        until: Option<String>,
    },
    /// Ends the run after the batch under way. Answered by [`Reply::Done`].
    Pause,
    /// Back to t = 0 with the parameters as they are now, but for the network's own changes, which are undone and come again in
    /// their time. Ends a run. A network whose run broke off is built anew, perhaps on another device. Answered by [`Reply::Done`].
    Reset,
    /// Changes a parameter or a variable in all trials, at once, also while running. A parameter keeps its value over resets; a state goes
    /// on from it. Answered by [`Reply::Value`], its new value.
    Set {
        /// Where: `E.taum`, of a population or projection, or, of single neurons, `E.v[3]` or `E.v[0:100]`.
        path: String,
        /// A quantity with its unit, such as `15 ms`.
        text: Option<String>,
        /// Instead of a text: numbers in the unit that [`Command::Get`] gives, one for all or one for each.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Float64Array | undefined"))]
        values: JsValue,
    },
    /// Asks for a parameter, or for a variable of all neurons or synapses, as it is now: of a network that is paused, at the time that it
    /// stands at; of one that runs on a GPU, at the end of what the GPU has begun. Event-driven variables are those after the last
    /// event of their synapse. Answered by [`Reply::Value`].
    Get {
        /// As in [`Command::Set`].
        path: String,
        /// In which trial.
        trial: u32,
    },
    /// Replaces what is recorded, from the next step on. Answered by [`Reply::Info`].
    Record {
        /// The `recordings` of a network, as JSON.
        json: String,
    },
    /// Asks for the network as JSON, with everything that was set so far. Answered by [`Reply::Text`].
    Network,
    /// Asks for what its synapses have learnt so far, a NumPy archive. Answered by [`Reply::Bytes`].
    SaveWeights {
        /// In which trial.
        trial: u32,
    },
    /// Gives its synapses what they have learnt in another run, at once, also while running, up to the next reset. Answered by
    /// [`Reply::Done`]; where the file is not of these synapses it is refused, and nothing has changed.
    TakeWeights {
        /// In which trial.
        trial: u32,
        /// What the file is called.
        file: String,
        /// All of it.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// Asks for all that moves, as bytes (docs/snapshot.md). Answered by [`Reply::Bytes`].
    Snapshot,
    /// Goes on from a snapshot of the same network. Ends a run. Answered by [`Reply::Info`].
    Restore {
        /// All of it.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// Asks what it takes. Answered by [`Reply::Memory`].
    Memory,
    /// Asks what it could run on. Answered by [`Reply::Devices`].
    Devices,
    /// Asks what is wrong with a network. Answered by [`Reply::Diagnostics`].
    Check {
        /// The network as JSON.
        json: String,
    },
    /// Asks for the models of the library. Answered by [`Reply::Models`].
    Models,
    /// Asks for the built-in networks. Answered by [`Reply::Networks`].
    Networks,
    /// Destroys the GPU, if one is open, as a driver that fails would: to try what a page does then. Answered by [`Reply::Done`].
    LoseDevice,
    /// Says that a batch was taken in. The engine stays at most [`BATCHES_IN_FLIGHT`] batches ahead.
    Taken {
        /// [`Batch::number`] of the batch; all earlier ones are taken too.
        batch: u32,
    },
}

/// How many batches the engine posts before it waits for [`Command::Taken`]: a slow page slows the simulation and
/// never piles up memory.
pub const BATCHES_IN_FLIGHT: u32 = 2;

/// What is to be built.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Create {
    /// Where the network comes from.
    pub source: Source,
    /// What stands in the files that it names.
    pub files: Vec<NamedFile>,
    /// On which device.
    pub backend: BackendChoice,
    /// At most so many CPU threads; as many as the network gains from where there is none.
    pub threads: Option<u32>,
    /// Seed of connectivity, initial values and noise, instead of the network's own.
    #[cfg_attr(feature = "typescript", ts(type = "number | bigint | null"))]
    pub seed: Option<u64>,
    /// How many trials run side by side; they differ in their noise.
    pub trials: u32,
}

/// A file that a network names.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct NamedFile {
    /// As the network names it.
    pub name: String,
    /// All of it.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
    pub content: Uint8Array,
}

/// Where a network comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "from", rename_all = "camelCase")]
pub enum Source {
    /// A network of the built-in catalogue.
    Catalogue {
        /// Its name, such as `cuba`.
        name: String,
        /// Its size relative to the published one: 1 is as published.
        scale: f64,
    },
    /// A network written as JSON.
    Json {
        /// The whole text.
        text: String,
    },
}

/// Which device is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum BackendChoice {
    /// The GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The GPU, or a failure that says why not.
    Gpu,
    /// The CPU.
    Cpu,
}

/// What the engine says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    /// What was asked for.
    Answer {
        /// [`Ask::ask`].
        ask: u32,
        /// The answer.
        reply: Reply,
    },
    /// Why what was asked for cannot be done; nothing has changed.
    Refusal {
        /// [`Ask::ask`].
        ask: u32,
        /// Why.
        failure: Failure,
    },
    /// Something happened.
    Event(Event),
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
    Ran(Ran),
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
    /// The library.
    Models(Vec<Model>),
    /// The built-in networks, in the order to show them.
    Networks(Vec<Catalogued>),
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
    Measured(Measured),
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

/// Why something cannot be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The sort of failure.
    pub code: Code,
    /// A sentence: what is wrong, with its values, and the way out.
    pub message: String,
    /// Where: a JSON path of the network, or the path that a command named.
    pub path: Option<String>,
    /// What is wrong with a network, one by one.
    pub diagnostics: Vec<Diagnostic>,
}

/// The sort of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The text is no JSON.
    Json,
    /// An object of the network has a key that means nothing there.
    UnknownKey,
    /// A key is missing.
    MissingKey,
    /// A value is not one of those allowed.
    InvalidValue,
    /// A name refers to nothing.
    UnknownName,
    /// The equations of a population or projection do not hold together.
    Equations,
    /// There is no GPU, and one was asked for.
    NoGpu,
    /// A device failed, or cannot do what was asked.
    Device,
    /// A device stopped for good, and the run cannot go on elsewhere.
    DeviceLost,
    /// There is no room.
    OutOfMemory,
    /// What a synapse adds left the range of its numbers.
    EventTooLarge,
    /// The state left the numbers.
    Diverged,
    /// It runs already, and that was asked for while it does.
    Running,
    /// A condition of the network has ended the run; only a reset leads on.
    Ended,
    /// The run broke off; only a reset leads on.
    Broken,
    /// There is no network.
    NoNetwork,
    /// What was sent is no command.
    Protocol,
    /// The engine did not start, or stopped.
    Engine,
}

/// Something that is wrong with a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The sort of mistake: a code of errors, or a finer name such as `dimension_mismatch`.
    pub code: String,
    /// Whether it keeps the network from running; else it is something hardly meant.
    pub is_error: bool,
    /// A sentence: what is wrong, with its values.
    pub message: String,
    /// The way out, where there is a good guess and `message` does not say it.
    pub help: Option<String>,
    /// JSON path of what is wrong, such as `populations[1].equations`; empty where the text is no JSON.
    pub path: String,
    /// 1-based line in the text at `path`, or, where `path` is empty, in the JSON.
    pub line: Option<u32>,
    /// 1-based column in that line, in characters.
    pub column: Option<u32>,
    /// How many characters are meant.
    pub width: Option<u32>,
}

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

/// How a run has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// Where the network stands, in ms of biological time.
    pub time_ms: f64,
    /// Steps of this run.
    pub steps: u32,
    /// Why it ended.
    pub because: Because,
    /// The condition that held, as it was written.
    pub condition: Option<String>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum Because {
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
    pub most_bytes: u64,
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
    pub facts: Vec<Fact>,
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
pub struct Fact {
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

/// What a statistic came to in the steps of a batch: an entry, or a row, for each time that it was taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Measured {
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

/// The latest steps of one trial of a running network.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Counts up by one per batch, from 1; goes into [`Command::Taken`]. The batches of all trials for the same steps have the same.
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
