//! What is asked of the engine.

use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;
use wasm_bindgen::JsValue;

use super::judgement::Question;

/// A command, and the number under which it is answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Unique among those asked; none where nobody waits for an answer.
    pub id: Option<u32>,
    /// What is asked.
    pub command: Command,
}

/// What is asked of the engine. All but `Create`, `Devices`, `Check`, `Judge`, `Models`, `Networks` and `LoseDevice` are about the network that is open.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Builds a network, paused at t = 0. `Event::Building` tells how far it is. Answered by `Reply::Info`.
    Create(Box<Create>),
    /// Runs, which `Event::Batch`es tell of. Answered by `Reply::Ran`, once the run ends for whatever reason.
    Run {
        /// For how long, in ms of biological time; until something else ends it where there is none.
        ms: Option<f64>,
        /// Until this holds, at the end of a step: a condition as in the `stop` of a network, `rate(E, 50 ms) > 100 Hz`. It hears of
        /// this run alone: spikes count from its start, and a rate can be below its limit once its window has passed since. So at
        /// least one step is run. Of several trials, it ends all as soon as it holds in one.
        until: Option<String>,
    },
    /// Ends the run after the batch under way. Answered by `Reply::Done`.
    Pause,
    /// Back to t = 0 with the parameters as they are now, but for the network's own changes, which are undone and come again in
    /// their time. Ends a run. A network whose run broke off is built anew, perhaps on another device. Answered by `Reply::Done`.
    Reset,
    /// Changes a parameter or a variable in all trials, at once, also while running. A parameter keeps its value over resets; a state goes
    /// on from it. Answered by `Reply::Value`, its new value.
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
    /// event of their synapse. Answered by `Reply::Value`.
    Get {
        /// As in [`Command::Set`].
        path: String,
        /// In which trial.
        trial: u32,
    },
    /// Replaces what is recorded, from the next step on. Answered by `Reply::Info`.
    Record {
        /// The `recordings` of a network, as JSON.
        json: String,
    },
    /// Asks for the network as JSON, with everything that was set so far. Answered by `Reply::Text`.
    Network,
    /// Asks for what its synapses have learnt so far, a NumPy archive. Answered by `Reply::Bytes`.
    SaveWeights {
        /// In which trial.
        trial: u32,
    },
    /// Gives its synapses what they have learnt in another run, at once, also while running, up to the next reset. Answered by
    /// `Reply::Done`; where the file is not of these synapses it is refused, and nothing has changed.
    LoadWeights {
        /// In which trial.
        trial: u32,
        /// What the file is called.
        file: String,
        /// All of it.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// Asks for all that moves, as bytes (docs/snapshot.md). Answered by `Reply::Bytes`.
    Snapshot,
    /// Goes on from a snapshot of the same network. Ends a run. Answered by `Reply::Info`.
    Restore {
        /// All of it.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[cfg_attr(feature = "typescript", ts(type = "Uint8Array"))]
        content: Uint8Array,
    },
    /// Asks what it takes. Answered by `Reply::Memory`.
    Memory,
    /// Asks what it could run on. Answered by `Reply::Devices`.
    Devices,
    /// Asks what is wrong with a network. Answered by `Reply::Diagnostics`.
    Check {
        /// The network as JSON.
        json: String,
    },
    /// Asks the same for an editor, which wants to know of each field what is wrong with it. Answered by `Reply::Judgement`.
    Judge(Question),
    /// Asks for the models of the library. Answered by `Reply::Models`.
    Models,
    /// Asks for the built-in networks. Answered by `Reply::Networks`.
    Networks,
    /// Destroys the GPU, if one is open, as a driver that fails would: to try what a page does then. Answered by `Reply::Done`.
    LoseDevice,
    /// Says that a batch was taken in. The engine stays at most [`BATCHES_IN_FLIGHT`] batches ahead.
    Ack {
        /// `Batch::number` of the batch; all earlier ones are taken too.
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
