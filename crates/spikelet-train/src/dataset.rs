//! Data: input spikes with what a network should answer.

use std::hash::Hasher;
use std::sync::Arc;

use fnv::FnvHasher;
use spikelet_network::Error;

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

impl Sample {
    /// Its class, if its answer is one.
    pub fn class(&self) -> Option<u32> {
        if let Target::Class(class) = self.target { Some(class) } else { None }
    }
}

/// Adds spikes to a hash, with their number, so that those of two samples are not the same as those of one.
fn add_events(hash: &mut FnvHasher, events: &[Event]) {
    hash.write(&(events.len() as u64).to_le_bytes());
    for event in events {
        hash.write(&event.time_ms.to_bits().to_le_bytes());
        hash.write(&u64::from(event.channel).to_le_bytes());
    }
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
    /// Those by which the best epoch is chosen, if there are any.
    pub validation: Vec<Sample>,
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
        self.validation.extend(other.validation);
        self.test.extend(other.test);
    }

    /// Keeps the last `count` samples to train on for validation.
    ///
    /// # Errors
    /// There are fewer.
    pub fn split_validation(&mut self, count: u32) -> Result<(), Error> {
        let Some(first) = self.train.len().checked_sub(count as usize) else {
            let expected = format!("there are {} samples to train on, of which the last are for validation", self.train.len());
            return Err(Error::invalid("data.validation", count, expected, "use fewer"));
        };
        self.validation = self.train.split_off(first);
        Ok(())
    }

    /// Those of a part.
    pub fn part(&self, part: Part) -> &[Sample] {
        match part {
            Part::Train => &self.train,
            Part::Validation => &self.validation,
            Part::Test => &self.test,
        }
    }

    /// All samples, to train on first.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.train.iter().chain(&self.validation).chain(&self.test)
    }

    /// The FNV-1a hash of all samples to train on and for validation: those that a training must continue with.
    pub fn hash(&self) -> u64 {
        let mut hash = FnvHasher::default();
        hash.write(&u64::from(self.classes).to_le_bytes());
        for (part, samples) in [&self.train, &self.validation].into_iter().enumerate() {
            for Sample { events, target } in samples {
                hash.write(&(part as u64).to_le_bytes());
                add_events(&mut hash, events);
                match target {
                    Target::Class(class) => hash.write(&u64::from(*class).to_le_bytes()),
                    Target::Values(values) => {
                        values.iter().for_each(|value| hash.write(&u64::from(value.to_bits()).to_le_bytes()));
                    }
                    Target::Spikes(events) => add_events(&mut hash, events),
                }
            }
        }
        hash.finish()
    }
}

/// Which samples of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Those to train on.
    Train,
    /// Those by which the best epoch is chosen.
    Validation,
    /// Those to evaluate with.
    Test,
}
