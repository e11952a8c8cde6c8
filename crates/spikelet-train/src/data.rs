//! The data of a training: drawn by definition, or read from files.

use serde::{Deserialize, Serialize};
use spikelet_network::Error;

use crate::{Dataset, Event, Sample, Target};

mod batches;
mod generate;
mod poisson;
mod randman;
mod random_state;
mod read;
mod xor;
mod yin_yang;

pub use batches::batches;
pub use random_state::RandomState;

/// The data of a training, as in JSON: `{"generate": "yin_yang", "train": 5000, …}` or `{"file": "train.npz", "test_file": "test.npz"}`.
/// An option that a generator or a file does not use is an error.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Data {
    /// What is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<Generator>,
    /// A file of samples: `.npz`, `.csv`, `.h5`, `.bin`, or a `.zip` of `.bin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A file of samples to evaluate with. Default: the last samples of `file`, if `test` says how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_file: Option<String>,
    /// Number of samples to train on. Default for files: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train: Option<u32>,
    /// Number of samples to evaluate with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
    /// Number of samples by which the best epoch is chosen: the last of those to train on, which are then not trained on. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<u32>,
    /// Seed of what is generated. Default: 1, of `yin_yang` 42.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// `yin_yang`: seed of the samples to evaluate with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_seed: Option<u32>,
    /// Duration of a sample in ms. Files: later spikes are left out; default: the next whole ms after the latest spike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// The grid of random spikes in ms. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dt_ms: Option<f64>,
    /// Number of channels, of each stimulus or group where there are several. Files: default is the largest channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// Number of classes. Files: default is the largest class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<u32>,
    /// `yin_yang`, `temporal_xor`: the time of late spikes in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<f64>,
    /// `yin_yang`: whether one more channel has a spike at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<bool>,
    /// `temporal_xor`: standard deviation of spike times in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_ms: Option<f64>,
    /// `randman`: number of spikes of each channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spikes: Option<u32>,
    /// `randman`: dimension of the manifolds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimension: Option<u32>,
    /// `randman`: smoothness of the manifolds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Rate of random spikes in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_hz: Option<f64>,
    /// Rate of background spikes in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_hz: Option<f64>,
    /// `delayed_match`: number of stimuli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stimuli: Option<u32>,
    /// `evidence_accumulation`: number of cues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cues: Option<u32>,
    /// Duration of a cue in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cue_ms: Option<f64>,
    /// `evidence_accumulation`: time from cue to cue in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<f64>,
    /// Time after the cue, or the last cue, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<f64>,
    /// `evidence_accumulation`: duration of the recall signal, at the end of a sample, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall_ms: Option<f64>,
    /// `evidence_accumulation`: probability of a cue on the side with fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// `pattern_generation`: number of outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<u32>,
    /// Files: the time in ms at which samples start; earlier spikes are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<f64>,
    /// Files: spikes are moved to the start of bins of this length in ms, at most one of a channel in each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bin_ms: Option<f64>,
    /// Files: this number of consecutive channels becomes one; of `.bin` files of images squares of this width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bin_channels: Option<u32>,
}

/// Data that are generated by their definition. All random numbers are those of [`RandomState`], so that NumPy can draw them too. Without
/// `test_seed`, samples to evaluate with are drawn after those to train on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Generator {
    /// Points of a figure of three classes, as spike times (Kriener, Göltz & Petrovici 2022, arXiv:2102.08211; the encoding is that of
    /// Wunderlich & Pehle 2021). Channels: x, y, 1 − x, 1 − y in parts of `late_ms`, and one more at 0 with `bias`. Defaults: `seed` 42 and
    /// `test_seed` 40, the published samples; `train` 5000, `test` 1000, `late_ms` 30, `bias` true, `duration_ms` twice `late_ms`.
    YinYang,
    /// Points of random smooth manifolds, one for each class, as spike times (Zenke & Vogels 2021, Neural Computation 33:899). Defaults:
    /// `classes` 10, `channels` 100, `spikes` 1, `dimension` 2, `alpha` 2, `duration_ms` 100, `train` 8000, `test` 2000.
    Randman,
    /// Whether exactly one of two channels is late (Bohte, Kok & La Poutré 2002, Neurocomputing 48:17); channel 2 has a spike at 0.
    /// Defaults: `late_ms` 6, `jitter_ms` 0, `duration_ms` five times `late_ms`, `train` 1000, `test` 200.
    TemporalXor,
    /// Whether two stimuli with a delay between them are equal (class 1) or not, as in delayed matching to sample (Miller, Erickson &
    /// Desimone 1996, Journal of Neuroscience 16:5154). A stimulus is random spikes of its own channels. Defaults: `stimuli` 2, `channels`
    /// 10 each, `cue_ms` 100, `delay_ms` 200, `rate_hz` 100, `background_hz` 5 on all channels, `duration_ms` 100 more than
    /// both stimuli and the delay, `train` 1000, `test` 200.
    DelayedMatch,
    /// Which of two sides had more cues (Bellec et al. 2020, Nature Communications 11:3625; Morcos & Harvey 2016). Groups of `channels`
    /// each: left, right, recall at the end, and background. Class 1 is right. Defaults: `channels` 10 of each group, `cues` 7, `cue_ms` 100,
    /// `interval_ms` 150, `delay_ms` 1200, `recall_ms` 150, `rate_hz` 40, `background_hz` 10, `probability` 0.3, `train` 640, `test` 128.
    EvidenceAccumulation,
    /// Values over time for random spikes that are the same in every epoch (Bellec et al. 2020): the sum of four sines with periods of
    /// 1, 0.5, 0.333 and 0.2 of the duration, amplitudes in [0.5, 2) and random phases, minus its first value, divided by its largest size.
    /// Defaults: `channels` 100, `rate_hz` 50, `outputs` 1, `duration_ms` 1000, `dt_ms` 1, `train` 1, `test` 1: the first to train on.
    PatternGeneration,
    /// Random spikes with random classes (Neftci, Mostafa & Zenke 2019, IEEE Signal Processing Magazine 36:51). Defaults: `channels` 100,
    /// `classes` 2, `rate_hz` 5, `duration_ms` 200, `train` 256, `test` 0.
    RandomSpikes,
}

/// A sample with a class.
struct Encoded {
    events: Vec<Event>,
    class: u32,
}

impl Encoded {
    fn sample(self) -> Sample {
        Sample { events: sorted(self.events).into(), target: Target::Class(self.class) }
    }
}

/// By time, then channel.
fn sorted(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms).then(a.channel.cmp(&b.channel)));
    events
}

impl Data {
    /// The samples of a generator, by its defaults.
    pub fn generated(generate: Generator) -> Data {
        Data { generate: Some(generate), ..Data::default() }
    }

    /// Generates the data, or reads them from files. `content` is called with the name of each file.
    ///
    /// # Errors
    /// Those of [`Data::generate`], of [`Data::read`] and of `content`.
    pub fn dataset(&self, mut content: impl FnMut(&str) -> Result<Vec<u8>, Error>) -> Result<Dataset, Error> {
        let files = self.files();
        if files.is_empty() {
            return self.generate();
        }
        let mut dataset = Dataset::default();
        for name in files {
            dataset.append(self.read(name, &content(name)?)?);
        }
        dataset.split_validation(self.validation.unwrap_or(0))?;
        Ok(dataset)
    }

    /// Rejects options that are given but that `what` does not use.
    fn check_options(&self, what: &str, also: &[&str], used: &[&str]) -> Result<(), Error> {
        let given = serde_json::to_value(self).unwrap_or_default();
        let is_used = |key: &str| used.contains(&key) || also.contains(&key);
        let Some((key, value)) = given.as_object().into_iter().flatten().find(|(key, _)| !is_used(key)) else { return Ok(()) };
        let list: Vec<String> = used.iter().map(|name| format!("`{name}`")).collect();
        let expected = format!("{what} has the options {}", list.join(", "));
        Err(Error::invalid(format!("data.{key}"), value, expected, "remove it"))
    }
}

#[cfg(test)]
mod tests;
