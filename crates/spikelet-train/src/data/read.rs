//! Samples from files.
//!
//! * `.npz`: arrays of one dimension. `times` in ms and `channels` of all spikes, sample by sample; `offsets`, the first spike of each sample
//!   and the number of all; and `labels`, the class of each sample, or `targets`, the values of all samples, equally many each, or spike
//!   times that a population should have: `target_times`, `target_channels` and `target_offsets`, as those of the input.
//! * `.csv`: a line `sample,label,time_ms,channel` and one for each spike; a sample without spikes has one with the last two empty. With
//!   spike times as targets it is `sample,part,time_ms,channel`, where `part` is `input` or `target`.
//! * `.h5`: the layout of the Spiking Heidelberg Digits (Cramer et al. 2022, IEEE TNNLS 33:2744): lists `spikes/times` in seconds and
//!   `spikes/units`, and `labels`. They have 700 channels. Builds with the feature `shd` read them, such as the command line.
//! * `.bin`: a sample of N-MNIST (Orchard et al. 2015, Frontiers in Neuroscience 9:437), whose folder is its class, as in `Train/5/00002.bin`,
//!   or a `.zip` of them. A spike has five bytes: x, y, then one bit of polarity and 23 bits of µs, the first the most significant. There
//!   are 2 · 34 · 34 channels: polarity, then y, then x.

use spikelet_network::Error;

use super::{Data, sorted};
use crate::{Dataset, Event, Sample, Target};

mod csv;
mod n_mnist;
mod npz;
#[cfg(feature = "shd")]
mod shd;

/// The samples of a file, before they are cut and binned.
#[derive(Default)]
struct Content {
    samples: Vec<(Vec<Event>, Target)>,
    /// Number of channels, if the format says it.
    channels: Option<u32>,
}

/// The options of files.
const OPTIONS: [&str; 11] = [
    "test_file",
    "train",
    "validation",
    "test",
    "duration_ms",
    "channels",
    "classes",
    "from_ms",
    "bin_ms",
    "bin_channels",
    "file",
];

impl Data {
    /// The names of the files that are read, each once.
    pub fn files(&self) -> Vec<&str> {
        let test_file = self.test_file.iter().filter(|name| self.file.as_ref() != Some(*name));
        self.file.iter().chain(test_file).map(String::as_str).collect()
    }

    /// Reads one of the files; a dataset of all is made by [`Dataset::append`], or by [`Data::dataset`].
    ///
    /// # Errors
    /// The file is damaged or of another layout, or an option does not fit: the name of the file, or the path of the option.
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Dataset, Error> {
        self.check_options("a file", &[], &OPTIONS)?;
        if self.file.is_none() {
            let example = "\"file\": \"train.npz\"".to_owned();
            return Err(Error::MissingKey { path: "data".to_owned(), line: None, key: "file".to_owned(), example });
        }
        let bin_channels = self.bin_channels.unwrap_or(1);
        if bin_channels == 0 {
            return Err(Error::invalid("data.bin_channels", 0, "a number of at least 1 is expected", "remove it"));
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let content = match ending.as_str() {
            "npz" => npz::read(name, bytes)?,
            "csv" => csv::read(name, bytes)?,
            #[cfg(feature = "shd")]
            "h5" | "hdf5" => shd::read(name, bytes)?,
            #[cfg(not(feature = "shd"))]
            "h5" | "hdf5" => {
                let expected = "only the command line reads files of HDF5 here";
                let remedy = "use `spikelet train`, or save it as .npz or .csv";
                return Err(Error::invalid("data.file", format!("{name:?}"), expected, remedy));
            }
            "bin" => n_mnist::read(name, bytes, bin_channels)?,
            "zip" => n_mnist::read_archive(name, bytes, bin_channels)?,
            _ => {
                let expected = "samples are read from .npz, .csv, .h5, .bin or .zip";
                return Err(Error::invalid("data.file", format!("{name:?}"), expected, "save it in one of these formats"));
            }
        };
        let is_image = ["bin", "zip"].contains(&ending.as_str());
        let mut dataset = self.cut(name, content, if is_image { 1 } else { bin_channels })?;
        let limit = |count: Option<u32>| count.map_or(usize::MAX, |count| count as usize);
        if self.test_file.as_deref() == Some(name) {
            // The same samples may be trained on and evaluated with.
            let is_both = self.file.as_deref() == Some(name);
            dataset.test = if is_both { dataset.train.clone() } else { std::mem::take(&mut dataset.train) };
            dataset.test.truncate(limit(self.test));
            dataset.train.truncate(limit(self.train));
            return Ok(dataset);
        }
        if self.test_file.is_none() {
            let count = dataset.train.len();
            let Some(first) = count.checked_sub(self.test.unwrap_or(0) as usize) else {
                let expected = format!("{name} has {count} samples in total");
                return Err(Error::invalid("data.test", limit(self.test), expected, "use fewer"));
            };
            dataset.test = dataset.train.split_off(first);
        }
        dataset.train.truncate(limit(self.train));
        Ok(dataset)
    }

    /// Cuts and bins samples; checks channels and classes.
    fn cut(&self, name: &str, content: Content, bin_channels: u32) -> Result<Dataset, Error> {
        let positive = |name: &str, given: Option<f64>| match given {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(Error::invalid(format!("data.{name}"), value, "a finite number above 0 is expected", "change it"))
            }
            given => Ok(given),
        };
        let (bin_ms, duration_ms) = (positive("bin_ms", self.bin_ms)?, positive("duration_ms", self.duration_ms)?);
        let from_ms = self.from_ms.unwrap_or(0.0);
        if !from_ms.is_finite() {
            return Err(Error::invalid("data.from_ms", from_ms, "a finite number is expected", "change it"));
        }
        let (mut latest, mut channels, mut classes) = (0.0_f64, 0, 0);
        let mut samples = Vec::with_capacity(content.samples.len());
        for (index, (events, target)) in content.samples.into_iter().enumerate() {
            // What lies in the window, at times that count from its start, in bins of this length.
            let within = |events: Vec<Event>, bin_ms: Option<f64>| -> Result<Vec<Event>, Error> {
                if let Some(Event { time_ms, .. }) = events.iter().find(|event| !event.time_ms.is_finite()) {
                    let (found, expected) = (format!("with a spike at {time_ms}"), "spike times are finite numbers");
                    return Err(Error::invalid(format!("{name}: sample {index}"), found, expected, "correct it"));
                }
                let moved = events.into_iter().map(|Event { time_ms, channel }| {
                    let time_ms = time_ms - from_ms;
                    let time_ms = bin_ms.map_or(time_ms, |bin_ms| (time_ms / bin_ms).floor() * bin_ms);
                    Event { time_ms, channel }
                });
                let is_within = |time_ms: f64| time_ms >= 0.0 && duration_ms.is_none_or(|end_ms| time_ms < end_ms);
                Ok(sorted(moved.filter(|event| is_within(event.time_ms)).collect()))
            };
            let mut kept = within(events, bin_ms)?;
            for event in &mut kept {
                event.channel /= bin_channels;
                channels = channels.max(event.channel.saturating_add(1));
            }
            if bin_ms.is_some() || bin_channels > 1 {
                kept = sorted(kept);
            }
            if bin_ms.is_some() {
                kept.dedup();
            }
            let target = match target {
                Target::Spikes(events) => Target::Spikes(within(events, None)?),
                other => other,
            };
            let wanted = if let Target::Spikes(events) = &target { events.last() } else { None };
            latest = kept.last().into_iter().chain(wanted).fold(latest, |latest, event| latest.max(event.time_ms));
            if let Target::Class(class) = &target {
                classes = classes.max(class.saturating_add(1));
            }
            samples.push(Sample { events: kept.into(), target });
        }
        let given_channels = self.channels.or(content.channels.map(|channels| channels.div_ceil(bin_channels)));
        let channels = at_least("channels", given_channels, channels, name)?;
        let classes = at_least("classes", self.classes, classes, name)?;
        let duration_ms = duration_ms.unwrap_or(latest.floor() + 1.0);
        Ok(Dataset { channels, classes, duration_ms, train: samples, test: Vec::new(), validation: Vec::new() })
    }
}

/// A number of channels or classes that is not smaller than that of a file.
fn at_least(option: &str, given: Option<u32>, found: u32, name: &str) -> Result<u32, Error> {
    match given {
        Some(given) if given < found => {
            let expected = format!("{name} has {found}");
            Err(Error::invalid(format!("data.{option}"), given, expected, "use that number, or leave it out"))
        }
        given => Ok(given.unwrap_or(found)),
    }
}

/// A class or channel: a whole number from 0.
fn whole(place: impl FnOnce() -> String, number: f64) -> Result<u32, Error> {
    if number.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(&number) {
        return Ok(number as u32);
    }
    Err(Error::invalid(place(), number, "a whole number from 0 to 4294967294 is expected", "correct it"))
}

#[cfg(test)]
mod tests;
