//! What a message between ranks is for.

use std::fmt;

use spikelet_network::Error;

/// The place of a run at which a message is sent. Each message carries that of its sender, and its receiver compares it with its own: ranks that do
/// not make the same calls end with a sentence, instead of taking one message for another or waiting for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    /// What is exchanged.
    pub purpose: Purpose,
    /// The step, 0 before the first one and where there is none.
    pub step: u32,
    /// Of which array, population or projection it is, by number; 0 if it is of all.
    pub of: u32,
}

/// What ranks exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Whether all were started alike.
    Start,
    /// The network, which the first rank reads for all.
    Input,
    /// Measured speeds of devices.
    Speeds,
    /// Free memory.
    Memory,
    /// The identity of the run, or the state of a checkpoint.
    Checkpoint,
    /// What is known of the parts of a network while it is built.
    Summary,
    /// Recorded synapses while the network is built.
    RecordedRows,
    /// Which spikes other ranks need.
    Routes,
    /// The own neurons of each rank.
    Neurons,
    /// The synapses of a projection.
    Synapses,
    /// Spikes.
    Spikes,
    /// Neurons that could win.
    Candidates,
    /// Values of neurons that synapses of other ranks read.
    Values,
    /// What was recorded in an epoch.
    Results,
    /// An array.
    Array,
    /// Whether a value is accepted, and which arrays it changes.
    Change,
    /// How many steps follow, signals, and due checkpoints.
    Agreement,
    /// What each rank has contributed, and its trials.
    Ending,
    /// Nothing: a measurement, or a test.
    Nothing,
}

impl Purpose {
    /// All of them, at the places of their numbers.
    const ALL: [(Purpose, &str); 19] = [
        (Purpose::Start, "the start"),
        (Purpose::Input, "the network"),
        (Purpose::Speeds, "speeds of devices"),
        (Purpose::Memory, "free memory"),
        (Purpose::Checkpoint, "a checkpoint"),
        (Purpose::Summary, "the parts of the network"),
        (Purpose::RecordedRows, "recorded synapses"),
        (Purpose::Routes, "routes of spikes"),
        (Purpose::Neurons, "the neurons of each rank"),
        (Purpose::Synapses, "synapses"),
        (Purpose::Spikes, "spikes"),
        (Purpose::Candidates, "candidates of winners"),
        (Purpose::Values, "values of neurons"),
        (Purpose::Results, "results"),
        (Purpose::Array, "an array"),
        (Purpose::Change, "a changed value"),
        (Purpose::Agreement, "the next steps"),
        (Purpose::Ending, "the end of the run"),
        (Purpose::Nothing, "nothing"),
    ];
}

impl Tag {
    /// The number of words of a tag.
    pub const WORDS: usize = 3;

    /// A tag without a step and a number.
    pub fn new(purpose: Purpose) -> Tag {
        Tag { purpose, step: 0, of: 0 }
    }

    /// The same at a step.
    #[must_use]
    pub fn at(self, step: u32) -> Tag {
        Tag { step, ..self }
    }

    /// The same of an array, population or projection.
    #[must_use]
    pub fn of(self, of: usize) -> Tag {
        Tag { of: of as u32, ..self }
    }

    /// For exchanges that send words alone.
    pub fn to_words(self) -> [u32; Tag::WORDS] {
        let number = Purpose::ALL.iter().position(|(purpose, _)| *purpose == self.purpose).unwrap_or_default();
        [number as u32, self.step, self.of]
    }

    /// The reverse; `None` for other words.
    pub fn from_words(words: &[u32]) -> Option<Tag> {
        let [number, step, of] = *words else { return None };
        Some(Tag { purpose: Purpose::ALL.get(number as usize)?.0, step, of })
    }

    /// Compares the tag of a message from another rank with that of the rank that receives it.
    ///
    /// # Errors
    /// They differ, or the message has none.
    pub fn check(self, rank: usize, found: Option<Tag>, from: usize) -> Result<(), Error> {
        if found == Some(self) {
            return Ok(());
        }
        let found = found.map_or("no part of a run".to_owned(), |tag| tag.to_string());
        let sentence =
            "all ranks must exchange the same in the same order, so all of them end; report this error with the network";
        Err(Error::Backend(format!("rank {rank} exchanges {self}, and rank {from} {found}: {sentence}")))
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Purpose::ALL.iter().find(|(purpose, _)| *purpose == self.purpose).map_or("", |(_, name)| name);
        write!(f, "{name}")?;
        if self.of > 0 {
            write!(f, " (number {})", self.of)?;
        }
        if self.step > 0 {
            write!(f, " at step {}", self.step)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_in_each_part_and_say_so() {
        let all = Purpose::ALL.map(|(purpose, _)| Tag::new(purpose).at(12).of(3));
        for tag in all {
            assert_eq!(Tag::from_words(&tag.to_words()), Some(tag));
            assert_eq!(all.iter().filter(|other| tag.check(0, Some(**other), 1).is_ok()).count(), 1);
            for other in [None, Some(tag.at(13)), Some(tag.of(4))] {
                let said = tag.check(0, other, 1).expect_err("they differ").to_string();
                let other = other.map_or("no part of a run".to_owned(), |tag| tag.to_string());
                assert!(said.contains(&format!("rank 0 exchanges {tag}, and rank 1 {other}: ")), "{said}");
            }
        }
        assert_eq!(Tag::from_words(&[19, 0, 0]), None);
        assert_eq!(Tag::new(Purpose::Spikes).at(7).to_string(), "spikes at step 7");
    }
}
