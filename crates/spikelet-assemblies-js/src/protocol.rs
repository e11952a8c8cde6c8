//! The messages between the package's scripts and the module. `crates/spikelet-js/ts/assemblies/raw.ts` has them as types.

mod error;
mod operation;
mod sentence;

use serde::{Deserialize, Serialize};
use spikelet_module::typed;

pub use error::SessionError;
pub use operation::{Formed, Operation, Parent, Report};
pub use sentence::{Dependency, Lexicon, LexiconWord, Parse, ParseRequest, WordPath};

/// What to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Begins with a brain without areas.
    Create(Create),
    /// Adds an area.
    AddArea(Area),
    /// Adds a stimulus of this many neurons.
    AddStimulus {
        /// Its name.
        name: String,
        /// Number of its neurons.
        size: u32,
    },
    /// Sets β of a fibre.
    SetBeta {
        /// An area or stimulus.
        from: String,
        /// An area.
        to: String,
        /// The value.
        beta: f64,
    },
    /// Sets whether synapses learn.
    SetPlasticity {
        /// Whether they do.
        learns: bool,
    },
    /// Projects sources into areas.
    Project {
        /// The fibres: source and target.
        fibres: Vec<(String, String)>,
        /// Number of rounds.
        rounds: u32,
        /// Whether each round is reported.
        watch: bool,
    },
    /// Carries out an operation.
    Operate {
        /// The operation.
        operation: Operation,
        /// Whether each round is reported.
        watch: bool,
    },
    /// Parses a sentence with a brain of its own.
    Parse(ParseRequest),
    /// Describes the grammars.
    Grammars,
    /// The winners of an area.
    Winners {
        /// The area.
        area: String,
    },
    /// Replaces the winners of an area.
    SetWinners {
        /// The area.
        area: String,
        /// The neurons.
        winners: Vec<u32>,
    },
    /// Fires a block of k neurons, and keeps it.
    Activate {
        /// The area.
        area: String,
        /// The index of the block.
        index: u32,
    },
    /// Keeps the winners of an area.
    Fix {
        /// The area.
        area: String,
    },
    /// Lets an area choose winners again.
    Unfix {
        /// The area.
        area: String,
    },
    /// Sets the weights within an area back to 1.
    Forget {
        /// The area.
        area: String,
    },
    /// Describes the brain.
    Describe,
    /// The parts of its memory.
    Memory,
}

/// Options of a brain.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Create {
    /// Probability of a synapse.
    pub p: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// How synapses are represented.
    pub mode: Mode,
    /// The largest weight.
    pub w_max: f64,
    /// Memory that it may use, in bytes.
    pub memory: f64,
}

/// How synapses are represented.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// All are stored.
    Explicit,
    /// A row is drawn when its neuron fires.
    Procedural,
    /// Only neurons that have won exist.
    Lazy,
}

/// An area.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Area {
    /// Its name.
    pub name: String,
    /// Number of neurons.
    pub n: u32,
    /// How many of them fire in a round.
    pub k: u32,
    /// β of the fibres into it.
    pub beta: f64,
    /// Whether all neurons exist from the start.
    pub explicit: bool,
    /// What makes it harder to win again.
    pub refraction: Option<Refraction>,
}

/// What makes it harder for a neuron that has won to win again.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Refraction {
    /// A penalty that decays.
    Refractory {
        /// The penalty in the next round.
        strength: f32,
        /// The number of rounds with a penalty.
        period: u32,
    },
    /// A bias that never decays.
    Refracted {
        /// The fraction of the input.
        strength: f32,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Reply {
    /// Success.
    Done,
    /// Neurons of an area, in ascending order.
    Neurons(#[serde(serialize_with = "typed::words")] Vec<u32>),
    /// What an operation gives.
    Report(Box<Report>),
    /// A parse.
    Parse(Parse),
    /// The grammars.
    Grammars(Vec<Lexicon>),
    /// The brain.
    Description(Description),
    /// The parts of its memory.
    Memory(Vec<MemoryItem>),
}

/// An event.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Event {
    /// A round was computed.
    Round(Round),
}

/// A round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Round {
    /// Its number, from 1.
    pub round: f64,
    /// The fibres: source and target.
    pub fibres: Vec<(String, String)>,
    /// The areas that received input, with their new winners.
    pub winners: Vec<Winners>,
}

/// The winners of an area.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Winners {
    /// The area.
    pub area: String,
    /// Its winners, in ascending order.
    #[serde(serialize_with = "typed::words")]
    pub neurons: Vec<u32>,
}

/// A brain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The number of rounds so far.
    pub rounds: f64,
    /// Whether synapses learn.
    pub plastic: bool,
    /// Its areas, in the order in which they were added.
    pub areas: Vec<AreaDescription>,
    /// Its stimuli.
    pub stimuli: Vec<StimulusDescription>,
}

/// An area of a brain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AreaDescription {
    /// Its name.
    pub name: String,
    /// Number of neurons.
    pub n: u32,
    /// How many of them fire in a round.
    pub k: u32,
    /// β of the fibres into it.
    pub beta: f64,
    /// Whether it keeps its winners.
    pub fixed: bool,
    /// The number of neurons that have ever won.
    pub support: u32,
}

/// A stimulus of a brain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StimulusDescription {
    /// Its name.
    pub name: String,
    /// Number of its neurons.
    pub size: u32,
}

/// A part of the memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryItem {
    /// What it is.
    pub what: String,
    /// Its size.
    pub bytes: f64,
}
