//! Samples as NumPy arrays.

use indexmap::IndexMap;
use spikelet_network::Error;
use spikelet_network::edges::read_arrays;

use super::{Content, whole};
use crate::{Event, Target};

/// The arrays of a file that are not read yet.
struct Arrays<'a> {
    name: &'a str,
    known: Vec<String>,
    left: IndexMap<String, Vec<f64>>,
}

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Content, Error> {
    let left = read_arrays(name, bytes)?;
    let mut arrays = Arrays { name, known: left.keys().cloned().collect(), left };
    let inputs = arrays.spikes("")?;
    let targets = arrays.targets(inputs.len())?;
    Ok(Content { samples: inputs.into_iter().zip(targets).collect(), channels: None })
}

impl Arrays<'_> {
    fn has(&self, key: &str) -> bool {
        self.left.contains_key(key)
    }

    fn take(&mut self, key: &str) -> Result<Vec<f64>, Error> {
        let missing = || Error::unknown_name(self.name, "array", key, self.known.iter().map(String::as_str));
        self.left.shift_remove(key).ok_or_else(missing)
    }

    /// `NAME.npz: ARRAY`.
    fn place(&self, array: &str) -> String {
        format!("{}: {array}", self.name)
    }

    /// The spikes of each sample, in arrays whose names begin alike.
    fn spikes(&mut self, prefix: &str) -> Result<Vec<Vec<Event>>, Error> {
        let [times_of, channels_of, offsets_of] = ["times", "channels", "offsets"].map(|array| format!("{prefix}{array}"));
        let (times, channels, offsets) = (self.take(&times_of)?, self.take(&channels_of)?, self.take(&offsets_of)?);
        if channels.len() != times.len() {
            let (found, expected) = (format!("{} long", channels.len()), format!("`{times_of}` has {} elements", times.len()));
            return Err(Error::invalid(self.place(&channels_of), found, expected, "save one of each for every spike"));
        }
        let ends: Vec<usize> =
            offsets.iter().map(|end| Ok(whole(|| self.place(&offsets_of), *end)? as usize)).collect::<Result<_, Error>>()?;
        if ends.first() != Some(&0) || ends.last() != Some(&times.len()) || !ends.is_sorted() {
            let expected = format!("increasing numbers from 0 to {}, the number of spikes, are expected", times.len());
            return Err(Error::invalid(self.place(&offsets_of), format!("{} numbers", ends.len()), expected, "save them again"));
        }
        let event = |index: usize| {
            let channel = whole(|| self.place(&format!("{channels_of}[{index}]")), channels[index])?;
            Ok(Event { time_ms: times[index], channel })
        };
        ends.windows(2).map(|ends| (ends[0]..ends[1]).map(event).collect()).collect()
    }

    /// Spike times, values or classes: one for each of the samples.
    fn targets(&mut self, count: usize) -> Result<Vec<Target>, Error> {
        if self.has("target_times") {
            let wanted = self.spikes("target_")?;
            if wanted.len() != count {
                let (found, expected) = (format!("for {} samples", wanted.len()), format!("`offsets` has {count} samples"));
                return Err(Error::invalid(self.place("target_offsets"), found, expected, "save as many as of `offsets`"));
            }
            return Ok(wanted.into_iter().map(Target::Spikes).collect());
        }
        if self.has("targets") {
            let values = self.take("targets")?;
            let each = values.len() / count.max(1);
            if each == 0 || each * count != values.len() {
                let (found, expected) =
                    (format!("{} numbers", values.len()), format!("equally many for {count} samples are expected"));
                return Err(Error::invalid(self.place("targets"), found, expected, "save them again"));
            }
            let target = |values: &[f64]| Target::Values(values.iter().map(|value| *value as f32).collect());
            return Ok(values.chunks_exact(each).map(target).collect());
        }
        let labels = self.take("labels")?;
        if labels.len() != count {
            let (found, expected) = (format!("{} long", labels.len()), format!("`offsets` has {count} samples"));
            return Err(Error::invalid(self.place("labels"), found, expected, "save one for every sample"));
        }
        let class = |(index, label): (usize, &f64)| Ok(Target::Class(whole(|| self.place(&format!("labels[{index}]")), *label)?));
        labels.iter().enumerate().map(class).collect()
    }
}
