//! What a page and the engine say to each other.
//!
//! A message is a plain JavaScript object `{ type, body }`, written and read by serde on both sides, so this file is the
//! whole contract. Arrays that grow with the network are JavaScript typed arrays; their buffers are *transferred*
//! ([`Event::transfer`]), never copied a second time.
//!
//! Every message about a network carries the `id` that the page gave it in [`Command::Open`]. A page that has opened
//! another network since then drops what still arrives for the old one.

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

/// What the page asks of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum Command {
    /// Builds a network and makes it the open one, paused at t = 0. Answered by [`Event::Opened`]; if it fails, by
    /// [`Event::Failed`], and the network that was open stays as it was, running or not.
    Open {
        /// The page's number for this network, unique among those it opens.
        id: u32,
        /// Where the network comes from.
        source: Source,
        /// Which device should run it.
        backend: BackendChoice,
        /// Seed of connectivity and initial values; `None` keeps the network's own.
        seed: Option<u64>,
    },
    /// Gives up a network that is being built. Answered by [`Event::Cancelled`], and the network that was open stays; nothing happens
    /// if the network is open already.
    Cancel {
        /// Which network.
        id: u32,
    },
    /// Runs until paused, or until a condition of the network ends the run. Answered by [`Event::State`], then a stream of
    /// [`Event::Batch`], with an [`Event::Changed`] after the batch in which a change of the network's own came due.
    Play {
        /// Which network.
        id: u32,
    },
    /// Stops between two batches. Answered by [`Event::State`].
    Pause {
        /// Which network.
        id: u32,
    },
    /// Back to t = 0 with the parameters as they are now, but for the network's own changes, which are undone and come again in
    /// their time; goes on running if it was. Answered by [`Event::State`]. A network
    /// whose run broke off is built anew, perhaps on another device, and so answered by [`Event::Opened`].
    Reset {
        /// Which network.
        id: u32,
    },
    /// Changes a parameter, at once, also while running. Answered by [`Event::Changed`] or [`Event::Failed`].
    Set {
        /// Which network.
        id: u32,
        /// Where: `population.parameter` or `projection.parameter`, as in [`Parameter::path`].
        path: String,
        /// A quantity with its unit, such as `15 ms`.
        value: String,
    },
    /// Asks for the network as JSON, with everything that was set so far. Answered by [`Event::Exported`].
    Export {
        /// Which network.
        id: u32,
    },
    /// Asks for what its synapses have learnt so far, as a file. Answered by [`Event::Weights`] or [`Event::Failed`].
    SaveWeights {
        /// Which network.
        id: u32,
    },
    /// Gives its synapses what they have learnt in another run, at once, also while running, up to the next reset. Answered by
    /// [`Event::TookWeights`]; where the file is not of these synapses by [`Event::Failed`], and nothing has changed.
    TakeWeights {
        /// Which network.
        id: u32,
        /// What the file is called.
        file: String,
        /// All of it.
        #[serde(with = "bytes")]
        content: Vec<u8>,
    },
    /// Destroys the GPU that the network runs on, as a driver that fails would: to try what a page does then. What follows is what
    /// follows then, an [`Event::Moved`] once the network is to run. Nothing happens on the CPU.
    LoseDevice {
        /// Which network.
        id: u32,
    },
    /// Says that a batch was taken in. The engine stays at most [`BATCHES_IN_FLIGHT`] batches ahead of the page.
    Taken {
        /// Which network.
        id: u32,
        /// [`Batch::number`] of the batch; all earlier ones are taken too.
        batch: u32,
    },
}

impl Command {
    /// The network that the command is about.
    pub fn id(&self) -> u32 {
        match self {
            Command::Open { id, .. }
            | Command::Cancel { id }
            | Command::Play { id }
            | Command::Pause { id }
            | Command::Reset { id }
            | Command::Set { id, .. }
            | Command::Export { id }
            | Command::SaveWeights { id }
            | Command::TakeWeights { id, .. }
            | Command::LoseDevice { id }
            | Command::Taken { id, .. } => *id,
        }
    }
}

/// How many batches the engine posts before it waits for [`Command::Taken`]: a slow page slows the simulation and
/// never piles up memory.
pub const BATCHES_IN_FLIGHT: u32 = 2;

/// Where a network comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
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

/// Which device the page asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendChoice {
    /// The GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The GPU, or a failure that says why not.
    Gpu,
    /// The CPU.
    Cpu,
}

/// What the engine tells the page.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum Event {
    /// The engine is up and takes commands.
    Ready {
        /// The built-in networks, in the order to show them.
        catalogue: Vec<CatalogueEntry>,
    },
    /// A network is being built; again and again until it is there.
    Building {
        /// Which network.
        id: u32,
        /// What is being done, in a few words.
        stage: String,
        /// How far it is, from 0 to 1.
        done: f64,
        /// Synapses drawn so far.
        synapses: u64,
    },
    /// A network is no longer being built, as was asked for.
    Cancelled {
        /// Which network.
        id: u32,
    },
    /// A network is open, paused at t = 0.
    Opened(Box<Opened>),
    /// What happened in the latest steps.
    Batch(Batch),
    /// What a statistic came to in the steps of the batch before.
    Measured(Measured),
    /// The network now runs or pauses, was reset, or has come to its end.
    State {
        /// Which network.
        id: u32,
        /// Whether it runs.
        playing: bool,
        /// Where it stands, in ms of biological time.
        time_ms: f64,
        /// Whether it was just put back to t = 0: what came before is another run.
        reset: bool,
        /// The condition of the network that ended the run, as it was written: only [`Command::Reset`] leads on.
        stopped: Option<String>,
    },
    /// A parameter has a new value: it was set, a change of the network's own came due, or a reset undid such a change.
    Changed {
        /// Which network.
        id: u32,
        /// [`Parameter::path`].
        path: String,
        /// The new value in [`Parameter::unit`].
        value: f64,
        /// The first step that sees it.
        step: u32,
        /// Whether it is a change of the network's own, or the undoing of one, rather than the answer to [`Command::Set`].
        scheduled: bool,
    },
    /// The device of the open network was lost, and the run goes on on another one: nothing is missing, and nothing comes twice.
    Moved(Box<Moved>),
    /// The open network as JSON.
    Exported {
        /// Which network.
        id: u32,
        /// The whole text.
        json: String,
    },
    /// What the synapses of the open network have learnt.
    Weights {
        /// Which network.
        id: u32,
        /// A NumPy archive.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        content: Uint8Array,
    },
    /// Its synapses have the values of a file from now on.
    TookWeights {
        /// Which network.
        id: u32,
        /// What the file is called.
        file: String,
    },
    /// A command could not be done, or a run broke off.
    Failed {
        /// Which network; of an `Open`, the one that did not open. `None` when the engine itself failed.
        id: Option<u32>,
        /// One sentence: what is wrong, with its values, and the way out.
        message: String,
        /// The parameter that a refused [`Command::Set`] named; it keeps its value.
        path: Option<String>,
        /// Whether the engine is gone and a new Worker must be started.
        fatal: bool,
    },
}

/// One line of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogueEntry {
    /// What [`Source::Catalogue`] calls it.
    pub name: String,
    /// A short title.
    pub title: String,
    /// A sentence or two on what it shows.
    pub about: String,
    /// The papers it comes from.
    pub citation: String,
}

/// A network that has just been opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The number from [`Command::Open`].
    pub id: u32,
    /// What the network consists of.
    pub network: Summary,
    /// All neurons, sources included.
    pub neurons: u32,
    /// All synapses.
    pub synapses: u64,
    /// Length of a step in ms.
    pub dt_ms: f64,
    /// The seed it was built with.
    pub seed: u64,
    /// Who runs it, and why.
    pub backend: BackendSummary,
    /// What building it took.
    pub build: BuildSeconds,
    /// What it takes where it runs: the buffers of the GPU, or the arrays of the plan.
    pub buffers: Vec<Buffer>,
    /// The columns of [`Batch::samples`].
    pub channels: Vec<Channel>,
    /// What is summed up over synapses; [`Measured::statistic`] counts in this list.
    pub statistics: Vec<Statistic>,
    /// Whether synapses have a state, which [`Command::SaveWeights`] asks for.
    pub has_weights: bool,
}

impl Opened {
    /// Bytes of all buffers.
    pub fn memory_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }
}

/// Wall time from command to ready, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
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

/// A network that goes on on another device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Which network.
    pub id: u32,
    /// One sentence: what happened, and from where it goes on.
    pub message: String,
    /// Who runs it now.
    pub backend: BackendSummary,
    /// What it takes there.
    pub buffers: Vec<Buffer>,
}

/// Memory that is held for a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// What is in it, such as `state` or `rows 1`.
    pub name: String,
    /// How large it is.
    pub bytes: u64,
}

/// What a network consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// A population of a [`Summary`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PopulationSummary {
    /// Its name.
    pub name: String,
    /// How many neurons.
    pub size: u32,
    /// Global number of its first neuron.
    pub first: u32,
    /// What can be changed while it runs.
    pub parameters: Vec<Parameter>,
}

/// A projection of a [`Summary`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectionSummary {
    /// Its name.
    pub name: String,
    /// The population (or slice) that sends.
    pub pre: String,
    /// The population (or slice) that receives.
    pub post: String,
    /// Whether its synapses learn; its parameter `plasticity` says whether they do so now.
    pub learns: bool,
    /// What can be changed while it runs.
    pub parameters: Vec<Parameter>,
}

/// A parameter that can be changed while the network runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// What [`Command::Set`] calls it: `E.taum`.
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

/// Who runs a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackendSummary {
    /// `gpu` or `cpu`.
    pub kind: String,
    /// The device's own name.
    pub name: String,
    /// CPU threads in use; 0 on a GPU.
    pub threads: u32,
    /// One sentence: why this one.
    pub reason: String,
    /// What is known of a GPU; of a CPU its threads, with the reason where there is only one.
    pub facts: Vec<Fact>,
}

/// Something that is known of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about, such as `Driver`.
    pub what: String,
    /// What is known.
    pub much: String,
}

/// A recorded variable of one neuron: one column of [`Batch::samples`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
pub struct Measured {
    /// Which network.
    pub id: u32,
    /// Index in [`Opened::statistics`].
    pub statistic: u32,
    /// The steps at whose start the state was measured.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub steps: Uint32Array,
    /// Rows of mean, standard deviation, least and largest value.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub moments: Float64Array,
    /// Rows of how many values are no finite numbers, below the range, above it, and in each of its parts.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub counts: Uint32Array,
}

/// The latest steps of a running network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Batch {
    /// Which network.
    pub id: u32,
    /// Counts up by one per batch of a network, from 1; goes into [`Command::Taken`].
    pub number: u32,
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
    pub spike_neurons: Uint32Array,
    /// Step of each spike.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub spike_steps: Uint32Array,
    /// Row after row, a row per sampled step, a column per channel.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub samples: Float32Array,
    /// Steps between two rows.
    pub sample_every: u32,
    /// Step of the first row.
    pub first_sample: u32,
}

impl Event {
    /// The buffers to transfer with this event: `postMessage(event, transfer)` moves them.
    pub fn transfer(&self) -> Array {
        match self {
            Event::Batch(batch) => {
                Array::of3(&batch.spike_neurons.buffer(), &batch.spike_steps.buffer(), &batch.samples.buffer())
            }
            Event::Measured(measured) => {
                Array::of3(&measured.steps.buffer(), &measured.moments.buffer(), &measured.counts.buffer())
            }
            Event::Weights { content, .. } => Array::of1(&content.buffer()),
            _ => Array::new(),
        }
    }
}

/// Bytes as a `Uint8Array`.
mod bytes {
    use std::fmt;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a Uint8Array")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(bytes)
            }
        }

        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// A command or an event as the JavaScript object that goes through `postMessage`.
///
/// # Errors
/// When a number cannot be told in JavaScript, such as a seed beyond 2^53.
pub fn to_js(message: &impl Serialize) -> Result<JsValue, String> {
    serde_wasm_bindgen::to_value(message).map_err(|error| error.to_string())
}

/// The reverse of [`to_js`].
///
/// # Errors
/// When the object is not such a message; the sentence says where it differs.
pub fn from_js<T: DeserializeOwned>(message: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(message).map_err(|error| error.to_string())
}
