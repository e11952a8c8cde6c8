//! The messages between the package's scripts and the module. `crates/spikelet-js/ts/training/raw.ts` has them as types.

mod error;

use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use spikelet_module::typed;

pub use error::SessionError;

/// What to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Lists the named trainings.
    Presets,
    /// The JSON of a named training.
    Preset {
        /// Its name.
        name: String,
        /// Its method, if not the first.
        method: Option<String>,
    },
    /// Opens a training, at its beginning.
    Open(Open),
    /// Trains for some batches, at most to the end of the epoch.
    Train {
        /// Number of batches.
        batches: u32,
        /// Wall time of the epoch so far, in seconds, for checkpoints.
        seconds: f64,
    },
    /// The loss and the accuracy on the samples for evaluation.
    Evaluate,
    /// Simulates a sample.
    Sample {
        /// Which samples.
        of: Part,
        /// Its index.
        index: u32,
    },
    /// The classes that the network decides for over the plane of a task with two numbers as its input.
    Plane {
        /// Points along each side.
        resolution: u32,
    },
    /// The numbers that are trained.
    Weights,
    /// The network with the trained numbers.
    Network,
    /// The state of the training.
    Checkpoint,
    /// Continues from a state.
    Restore {
        /// What [`Command::Checkpoint`] gave.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        content: Uint8Array,
    },
}

/// A training.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Open {
    /// Its JSON.
    pub json: String,
    /// Files that its data name.
    pub files: Vec<NamedFile>,
    /// Replaces its number of epochs.
    pub epochs: Option<u32>,
    /// Replaces its seed.
    pub seed: Option<u64>,
    /// Replaces its rate of learning.
    pub rate: Option<f64>,
    /// Replaces its number of samples in a batch.
    pub batch: Option<u32>,
}

/// A file.
#[derive(Debug, Clone, Deserialize)]
pub struct NamedFile {
    /// The name by which the data name it.
    pub name: String,
    /// Its bytes.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub content: Uint8Array,
}

/// Samples to train on, or to evaluate with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// Those to train on.
    Train,
    /// Those by which the best epoch is chosen.
    Validation,
    /// Those to evaluate with.
    Test,
}

impl From<Part> for spikelet_train::Part {
    fn from(part: Part) -> spikelet_train::Part {
        match part {
            Part::Train => spikelet_train::Part::Train,
            Part::Validation => spikelet_train::Part::Validation,
            Part::Test => spikelet_train::Part::Test,
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Reply {
    /// Success.
    Done,
    /// The named trainings.
    Presets(Vec<Preset>),
    /// The training.
    Opened(TrainingInfo),
    /// What was trained.
    Trained(Trained),
    /// An evaluation.
    Score(Option<Score>),
    /// A sample.
    Sample(Sample),
    /// A class for each point, row by row, from the lowest.
    #[serde(serialize_with = "typed::bytes")]
    Plane(Vec<u8>),
    /// The numbers that are trained.
    Weights(Vec<Group>),
    /// JSON.
    Text(String),
    /// The state of the training.
    #[serde(serialize_with = "typed::bytes")]
    Bytes(Vec<u8>),
}

/// A named training.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// A short title.
    pub title: String,
    /// Its publication.
    pub citation: String,
    /// Its methods, the usual one first.
    pub methods: Vec<String>,
}

/// A training.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrainingInfo {
    /// Its name.
    pub name: String,
    /// `bptt`, `eventprop` or `eprop`.
    pub method: String,
    /// The method and the device, for users.
    pub device: String,
    /// Passes over the data.
    pub epochs: u32,
    /// Epochs that are done.
    pub epoch: u32,
    /// Batches of an epoch.
    pub batches: u32,
    /// Samples in a batch.
    pub batch: u32,
    /// The rate of learning at the start.
    pub rate: f64,
    /// Number of samples to train on.
    pub train_samples: u32,
    /// Number of samples to evaluate with.
    pub test_samples: u32,
    /// Number of classes; 0 if samples have none.
    pub classes: u32,
    /// Duration of a sample in ms.
    pub duration_ms: f64,
    /// The time step in ms.
    pub dt_ms: f64,
    /// The population whose spikes are the input of a sample.
    pub input: String,
    /// The populations, in the order of the network.
    pub populations: Vec<Population>,
    /// Number of synapses.
    pub synapses: u32,
    /// Number of numbers that are trained.
    pub parameters: u32,
    /// Whether the input is two numbers, so that there is a picture of decisions.
    pub has_plane: bool,
}

/// A population.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Population {
    /// Its name.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
}

/// What was trained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trained {
    /// The epoch, from 1.
    pub epoch: u32,
    /// Batches of it that are done.
    pub batch: u32,
    /// The mean loss of the batches of this request.
    pub loss: f64,
    /// The share of samples of these batches that were classified correctly, before the update; `None` without classes.
    pub accuracy: Option<f64>,
    /// The epoch, if it has ended.
    pub ended: Option<Epoch>,
}

/// An epoch.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: u32,
    /// The mean loss of its batches.
    pub loss: f64,
    /// The mean loss of the samples for evaluation, after it.
    pub loss_test: Option<f64>,
    /// The share of correct samples during training.
    pub accuracy_train: Option<f64>,
    /// The share of correct samples for evaluation, after it.
    pub accuracy_test: Option<f64>,
    /// Mean rates of the populations that fire.
    pub rates: Vec<PopulationRate>,
    /// What users should know of it, as sentences that no earlier epoch had.
    pub notices: Vec<String>,
}

/// The mean rate of a population.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PopulationRate {
    /// Its name.
    pub population: String,
    /// Spikes per neuron and second.
    pub rate_hz: f64,
}

/// An evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// The mean loss.
    pub loss: f64,
    /// The share of correct samples.
    pub accuracy: Option<f64>,
}

/// A sample, simulated.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// Its class, if it has one.
    pub class: Option<u32>,
    /// The class that the network decides for.
    pub decision: Option<u32>,
    /// The number of each neuron that fired, through all populations.
    #[serde(serialize_with = "typed::words")]
    pub neurons: Vec<u32>,
    /// Its time in ms.
    #[serde(serialize_with = "typed::floats")]
    pub times_ms: Vec<f32>,
}

/// Numbers that are trained alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The path: the name of a projection, or `hidden.tau`.
    pub path: String,
    /// Before training.
    #[serde(serialize_with = "typed::floats")]
    pub before: Vec<f32>,
    /// Now.
    #[serde(serialize_with = "typed::floats")]
    pub now: Vec<f32>,
}
