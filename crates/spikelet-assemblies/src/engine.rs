//! What computes rounds.

use crate::{AreaOptions, Error};

/// An area, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AreaId(pub(crate) usize);

/// A stimulus, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StimulusId(pub(crate) usize);

impl AreaId {
    /// Its index, in the order in which areas were added.
    pub fn index(self) -> usize {
        self.0
    }
}

impl StimulusId {
    /// Its index, in the order in which stimuli were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Where a fibre begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A stimulus, all of whose neurons fire.
    Stimulus(StimulusId),
    /// An area, whose last winners fire.
    Area(AreaId),
}

impl From<StimulusId> for Source {
    fn from(stimulus: StimulusId) -> Source {
        Source::Stimulus(stimulus)
    }
}

impl From<AreaId> for Source {
    fn from(area: AreaId) -> Source {
        Source::Area(area)
    }
}

/// How the synapses of areas are represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All synapses are drawn when a fibre is first used, and stored.
    Explicit,
    /// The row of a neuron is drawn when the neuron fires, and drawn again if its memory was needed for others. What it has learned is always
    /// stored. The winners are those of [`Mode::Explicit`].
    Procedural,
    /// Only neurons that have won exist. The inputs of the best others are drawn from their distribution; one that wins gets synapses
    /// that agree with its input. The distribution of the winners is that of the other modes.
    Lazy,
}

/// One simultaneous projection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The areas that receive input, each once.
    pub targets: Vec<Target>,
    /// Whether synapses learn.
    pub learn: bool,
}

/// An area that receives input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The area.
    pub area: AreaId,
    /// Where the input comes from, each source once.
    pub sources: Vec<Source>,
    /// Whether the area keeps its winners. Their incoming synapses still learn.
    pub is_fixed: bool,
}

/// A part of the memory of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryItem {
    /// What it is.
    pub what: String,
    /// Its size.
    pub bytes: u64,
}

/// Computes rounds: the areas with their winners, and the fibres with their synapses.
pub trait Engine {
    /// Adds a stimulus of this many neurons.
    ///
    /// # Errors
    /// There is not enough memory.
    fn add_stimulus(&mut self, size: u32) -> Result<(), Error>;

    /// Adds an area.
    ///
    /// # Errors
    /// There is not enough memory.
    fn add_area(&mut self, name: &str, options: &AreaOptions) -> Result<(), Error>;

    /// Sets β of the fibre between a source and an area.
    ///
    /// # Errors
    /// The fibre has learned with another one.
    fn set_beta(&mut self, source: Source, area: AreaId, beta: f64) -> Result<(), Error>;

    /// Computes a round `count` times. Calls `after` after each with the winners of each target.
    ///
    /// A target without active sources keeps its winners.
    ///
    /// # Errors
    /// An input is too large, there is not enough memory, or the device failed.
    fn run(&mut self, round: &Round, count: u32, after: &mut dyn FnMut(&[&[u32]])) -> Result<(), Error>;

    /// The last winners of an area, in ascending order.
    fn winners(&self, area: AreaId) -> &[u32];

    /// Replaces the winners of an area by others, in ascending order.
    ///
    /// # Errors
    /// The device failed.
    fn set_winners(&mut self, area: AreaId, winners: &[u32]) -> Result<(), Error>;

    /// The number of neurons of an area that exist: all, or those that have won in the mode [`Mode::Lazy`].
    fn known(&self, area: AreaId) -> u32;

    /// Sets everything that the fibres between these areas and into them have learned back to weights of 1.
    ///
    /// # Errors
    /// The device failed.
    fn forget(&mut self, area: AreaId) -> Result<(), Error>;

    /// The parts of its memory.
    fn memory(&self) -> Vec<MemoryItem>;

    /// The weights of the synapses from an area to an area, between two sets of neurons in ascending order: each as (pre, post, weight).
    fn synapses(&self, from: AreaId, to: AreaId, pres: &[u32], posts: &[u32]) -> Vec<(u32, u32, f32)>;
}
