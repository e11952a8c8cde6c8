//! Data: input spikes with what a network should answer.

use std::sync::Arc;

/// An input spike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Its time in ms. Methods on the time grid round it down to a step, as sources do.
    pub time_ms: f64,
    /// The neuron of the input source.
    pub channel: u32,
}

/// What a network should answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A class, by its number.
    Class(u32),
    /// A value for each unit of a readout, or for each unit in each step: `[unit]` or `[step][unit]`, in the unit of the readout.
    Values(Vec<f32>),
    /// Spike times of the units of a readout.
    Spikes(Vec<Event>),
}

/// An example.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Its input, by time.
    pub events: Arc<[Event]>,
    /// Its answer.
    pub target: Target,
}

/// Examples of one kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dataset {
    /// Number of input neurons.
    pub channels: u32,
    /// Number of classes; 0 if targets are not classes.
    pub classes: u32,
    /// Duration of a sample in ms.
    pub duration_ms: f64,
    /// Those to train on.
    pub train: Vec<Sample>,
    /// Those to evaluate with.
    pub test: Vec<Sample>,
}

impl Dataset {
    /// Adds the samples of another. What both have in common becomes the larger of the two.
    pub fn append(&mut self, other: Dataset) {
        self.channels = self.channels.max(other.channels);
        self.classes = self.classes.max(other.classes);
        self.duration_ms = self.duration_ms.max(other.duration_ms);
        self.train.extend(other.train);
        self.test.extend(other.test);
    }
}
