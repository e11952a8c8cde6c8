//! The requests to the engine.

use js_sys::{Float64Array, Uint8Array};
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;
use wasm_bindgen::JsValue;

use super::judgement::Question;
use super::phase_plane::PlaneRequest;

/// A command, and the number of the request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Unique among pending requests; null if no reply is expected.
    pub id: Option<u32>,
    /// The command.
    pub command: Command,
}

/// A command. All except `Create`, `Estimate`, `Devices`, `Check`, `Judge`, `Models`, `Networks` and `LoseDevice` refer to the open network.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Builds a network, paused at t = 0. `Event::Building` reports the progress. Answered by `Reply::Info`.
    Create(Box<Create>),
    /// Runs the network; `Event::Batch`es contain the results. Answered by `Reply::Ran` at the end of the run.
    Run {
        /// Duration in ms of biological time; null for a run without end.
        ms: Option<f64>,
        /// Condition that ends the run at the end of a step, as in `stop` of a network, `rate(E, 50 ms) > 100 Hz`. Spikes count from the
        /// start of this run, and a rate is compared as "below" only after a full window. At least one step is run. Of several trials, the
        /// run ends when it is true in one.
        until: Option<String>,
    },
    /// Ends the run after the current batch. Answered by `Reply::Done`.
    Pause,
    /// Limits the speed of the run and of later ones, at once. Answered by `Reply::Done`.
    SetSpeed {
        /// Biological time per wall time, above 0: 1 is real time; null for no limit.
        speed: Option<f64>,
    },
    /// Returns to t = 0. Parameters keep their values, except changes of the network, which are undone and applied again at their times.
    /// Ends the run. After a failed run the network is rebuilt, if necessary on another device. Answered by `Reply::Done`.
    Reset,
    /// Sets a parameter or a variable in all trials, at once, also during a run. A parameter keeps its value after a reset. Answered by
    /// `Reply::Value`, its new value.
    Set {
        /// The path: `E.taum` of a population or projection, or, for single neurons, `E.v[3]` or `E.v[0:100]`.
        path: String,
        /// A quantity with a unit, such as `15 ms`.
        text: Option<String>,
        /// Instead of text: numbers in the unit that [`Command::Get`] returns, one for all or one for each.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Float64Array | undefined"))]
        values: JsValue,
    },
    /// Reads a parameter, or a variable of all neurons or synapses: of a paused network at its current time; during a run on a GPU, after
    /// the steps that the GPU has begun. Event-driven variables have their values after the last event of their synapse. Answered by
    /// `Reply::Value`.
    Get {
        /// As in [`Command::Set`].
        path: String,
        /// Index of the trial.
        trial: u32,
    },
    /// Gives a variable of all or some neurons the values of a live source: at once, also during a run, in all trials, until the next reset.
    /// There is no `Event::Changed`. Answered by `Reply::Done`.
    Feed {
        /// As in [`Command::Set`], a variable of neurons.
        path: String,
        /// Numbers in the unit that [`Command::Get`] returns, one for all or one for each.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Float64Array"))]
        values: Float64Array,
    },
    /// Returns the positions of the neurons of a population. Answered by `Reply::Positions`.
    Positions {
        /// The name of the population.
        population: String,
    },
    /// Returns synapses of a projection with their current weights. Answered by `Reply::Synapses`.
    Synapses {
        /// The name of the projection.
        projection: String,
        /// Maximum number of synapses; of more, an even sample is returned, which is always the same.
        limit: u32,
        /// Only those from presynaptic neurons from the first to before the second number.
        pre: Option<[u32; 2]>,
        /// The same for postsynaptic neurons.
        post: Option<[u32; 2]>,
        /// Index of the trial.
        trial: u32,
    },
    /// Replaces the recordings from the next step on. Answered by `Reply::Info`.
    Record {
        /// The `recordings` of a network, as JSON.
        json: String,
    },
    /// Returns the network as JSON with all values that were set. Answered by `Reply::Text`.
    Network,
    /// Returns the statistics of the spikes as JSON, the `spike_statistics` of the report of the command line. Answered by `Reply::Text`.
    Statistics {
        /// Index of the trial.
        trial: u32,
    },
    /// Returns the profile of all runs as JSON, the `profile` of the report of the command line. Answered by `Reply::Text`.
    Profile,
    /// Returns the memory that a network would need; nothing is drawn. Answered by `Reply::Estimate`.
    Estimate(Box<Create>),
    /// Returns the current values of its synapses, a NumPy archive. Answered by `Reply::Bytes`.
    SaveWeights {
        /// Index of the trial.
        trial: u32,
    },
    /// Returns all synapses of a projection with the current value of whatever differs between them, as a file that a projection reads
    /// (`pairs`). Answered by `Reply::Bytes`.
    SaveEdges {
        /// The name of the projection.
        projection: String,
        /// The format.
        format: EdgeFormat,
        /// Index of the trial.
        trial: u32,
    },
    /// Loads learned weights of another run, at once, also during a run. They stay until the next reset. Answered by `Reply::Done`; a file
    /// of other synapses is rejected without changes.
    LoadWeights {
        /// Index of the trial.
        trial: u32,
        /// The name of the file.
        file: String,
        /// Its content.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// Returns the complete state as bytes (docs/snapshot.md). Answered by `Reply::Bytes`.
    Snapshot,
    /// Continues from a snapshot of the same network. Ends the run. Answered by `Reply::Info`.
    Restore {
        /// Its content.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
        /// Whether it is of the current run: what was reported of the time before it remains valid.
        rewind: bool,
    },
    /// Returns the phase plane of a neuron, for the present parameters of the first trial. Answered by `Reply::PhasePlane`.
    PhasePlane(Box<PlaneRequest>),
    /// Returns the memory in use. Answered by `Reply::Memory`.
    Memory,
    /// Returns the available devices. Answered by `Reply::Devices`.
    Devices,
    /// Returns the errors in a network. Answered by `Reply::Diagnostics`.
    Check {
        /// The network as JSON.
        json: String,
    },
    /// Checks a network for an editor, with the errors of each field. Answered by `Reply::Judgement`.
    Judge(Question),
    /// Returns the library models. Answered by `Reply::Models`.
    Models,
    /// Returns the built-in networks. Answered by `Reply::Networks`.
    Networks,
    /// Destroys the GPU, if one is open, as a failing driver would, for tests. Answered by `Reply::Done`.
    LoseDevice,
    /// Acknowledges a batch. The engine runs at most [`BATCHES_IN_FLIGHT`] batches ahead.
    Ack {
        /// `Batch::number` of the batch; all earlier ones are acknowledged too.
        batch: u32,
    },
}

/// Number of batches that the engine posts without [`Command::Taken`]: slow listeners slow the simulation down instead of filling the
/// memory.
pub const BATCHES_IN_FLIGHT: u32 = 2;

/// The format of a file of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum EdgeFormat {
    /// A NumPy archive.
    Npz,
    /// Lines of values separated by commas.
    Csv,
}

/// The network to build.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Create {
    /// The source of the network.
    pub source: Source,
    /// The files that it names.
    pub files: Vec<NamedFile>,
    /// The device.
    pub backend: BackendChoice,
    /// Maximum number of CPU threads; default: as many as make the network faster.
    pub threads: Option<u32>,
    /// Seed of connectivity, initial values and noise; default: the seed of the network.
    #[cfg_attr(feature = "typescript", ts(type = "number | bigint | null"))]
    pub seed: Option<u64>,
    /// Number of parallel trials, which differ in their noise.
    pub trials: u32,
    /// Whether neuron models are compiled on the CPU; otherwise they are interpreted, with the same results.
    pub compile: bool,
    /// Whether a GPU may use its own functions and fused products; spikes are then no longer the same on every device.
    pub fast_math: bool,
    /// Invocations per workgroup of a GPU: a power of two; default: the same for all networks.
    pub workgroup_size: Option<u32>,
    /// The time in ms from which on spikes are measured, for [`Command::Statistics`]; default: they are not.
    pub statistics_from_ms: Option<f64>,
    /// Whether runs are measured, for [`Command::Profile`].
    pub profile: bool,
}

/// A file that a network names.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct NamedFile {
    /// Its name in the network.
    pub name: String,
    /// Its content.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
    pub content: Uint8Array,
}

/// The source of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "from", rename_all = "camelCase")]
pub enum Source {
    /// A network of the built-in catalogue.
    Catalogue {
        /// Its name, such as `cuba`.
        name: String,
        /// Its size relative to the published one.
        scale: f64,
    },
    /// A network written as JSON.
    Json {
        /// The complete text.
        text: String,
    },
}

/// The requested device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub enum BackendChoice {
    /// The GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The GPU, or an error with the reason.
    Gpu,
    /// The CPU.
    Cpu,
}
