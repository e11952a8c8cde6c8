//! From the options of a generator to its samples.

use std::ops::RangeInclusive;

use spikelet_network::Error;

use super::poisson::{self, DelayedMatch, Evidence, Poisson};
use super::randman::Manifolds;
use super::{Data, Encoded, Generator, RandomState, sorted, xor, yin_yang};
use crate::{Dataset, Event, Sample, Target};

/// The time of late spikes of Yin-Yang, in ms, if the data have no `late_ms`.
const YIN_YANG_LATE_MS: f64 = 30.0;

/// The largest number of samples.
const MAX_SAMPLES: u32 = 10_000_000;
/// The largest number of random numbers for the spikes of a data set.
const MAX_DRAWS: f64 = 1e10;
/// The largest number of spikes, or of values.
const MAX_SPIKES: f64 = 1e8;
/// What a time in ms can be.
const TIME: RangeInclusive<f64> = 1e-6..=1e6;
/// What a rate in Hz can be.
const RATE: RangeInclusive<f64> = 0.0..=1e6;
/// What a number of channels, classes and the like can be.
const COUNT: RangeInclusive<u32> = 1..=100_000;

impl Generator {
    /// The names of its options, besides `train`, `test` and `seed`.
    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Generator::YinYang => &["test_seed", "duration_ms", "late_ms", "bias"],
            Generator::Randman => &["duration_ms", "classes", "channels", "spikes", "dimension", "alpha"],
            Generator::TemporalXor => &["duration_ms", "late_ms", "jitter_ms"],
            Generator::DelayedMatch => {
                &["duration_ms", "dt_ms", "stimuli", "channels", "cue_ms", "delay_ms", "rate_hz", "background_hz"]
            }
            Generator::EvidenceAccumulation => &[
                "dt_ms",
                "channels",
                "cues",
                "cue_ms",
                "interval_ms",
                "delay_ms",
                "recall_ms",
                "rate_hz",
                "background_hz",
                "probability",
            ],
            Generator::PatternGeneration => &["duration_ms", "dt_ms", "channels", "rate_hz", "outputs"],
            Generator::RandomSpikes => &["duration_ms", "dt_ms", "channels", "classes", "rate_hz"],
        }
    }
}

impl Data {
    /// Draws the samples. They depend on nothing but these options.
    ///
    /// # Errors
    /// There is no generator, an option that it does not use, or a value out of range: the path of the option.
    pub fn generate(&self) -> Result<Dataset, Error> {
        let Some(generator) = self.generate else {
            let example = "\"generate\": \"yin_yang\"".to_owned();
            return Err(Error::MissingKey { path: "data".to_owned(), line: None, key: "generate".to_owned(), example });
        };
        let name = serde_json::to_value(generator).unwrap_or_default();
        let used: Vec<&str> = ["train", "validation", "test", "seed"].iter().chain(generator.options()).copied().collect();
        self.check_options(&format!("the generator {name}"), &["generate"], &used)?;
        let mut dataset = match generator {
            Generator::YinYang => self.yin_yang(),
            Generator::Randman => self.randman(),
            Generator::TemporalXor => self.temporal_xor(),
            Generator::DelayedMatch => self.delayed_match(),
            Generator::EvidenceAccumulation => self.evidence_accumulation(),
            Generator::PatternGeneration => self.pattern_generation(),
            Generator::RandomSpikes => self.random_spikes(),
        }?;
        dataset.split_validation(self.validation.unwrap_or(0))?;
        Ok(dataset)
    }

    /// A point of the plane as a sample of Yin-Yang: its spikes by time, then channel.
    pub fn encode_point(&self, point: [f64; 2]) -> Vec<Event> {
        sorted(yin_yang::encoded(point, self.late_ms.unwrap_or(YIN_YANG_LATE_MS), self.bias.unwrap_or(true)))
    }

    fn yin_yang(&self) -> Result<Dataset, Error> {
        let late_ms = number("late_ms", self.late_ms, YIN_YANG_LATE_MS, TIME)?;
        let duration_ms = number("duration_ms", self.duration_ms, 2.0 * late_ms, TIME)?;
        let bias = self.bias.unwrap_or(true);
        let [train, test] = self.counts([5000, 1000])?;
        let draw = |seed, count| yin_yang::samples(seed, count, late_ms, bias).into_iter().map(Encoded::sample).collect();
        let (train, test) = (draw(self.seed.unwrap_or(42), train), draw(self.test_seed.unwrap_or(40), test));
        Ok(Dataset { channels: if bias { 5 } else { 4 }, classes: 3, duration_ms, train, test, validation: Vec::new() })
    }

    fn randman(&self) -> Result<Dataset, Error> {
        let manifolds = Manifolds {
            classes: whole("classes", self.classes, 10, COUNT)?,
            channels: whole("channels", self.channels, 100, COUNT)?,
            spikes: whole("spikes", self.spikes, 1, 1..=1000)?,
            dimension: whole("dimension", self.dimension, 2, 1..=100)?,
            alpha: number("alpha", self.alpha, 2.0, 0.1..=100.0)?,
            duration_ms: number("duration_ms", self.duration_ms, 100.0, TIME)?,
        };
        let [train, test] = self.counts([8000, 2000])?;
        let Manifolds { channels, classes, spikes, dimension, duration_ms, .. } = manifolds;
        let times = (train + test) as f64 * f64::from(channels) * f64::from(spikes);
        check_size(times * f64::from(dimension), times)?;
        let samples = manifolds.samples(&mut self.random(), train + test);
        let mut samples = samples.into_iter().map(Encoded::sample);
        let train = samples.by_ref().take(train).collect();
        Ok(Dataset { channels, classes, duration_ms, train, test: samples.collect(), validation: Vec::new() })
    }

    fn temporal_xor(&self) -> Result<Dataset, Error> {
        let late_ms = number("late_ms", self.late_ms, 6.0, TIME)?;
        let jitter_ms = number("jitter_ms", self.jitter_ms, 0.0, 0.0..=1e6)?;
        let duration_ms = number("duration_ms", self.duration_ms, 5.0 * late_ms, TIME)?;
        let mut random = self.random();
        self.drawn([1000, 200], [3, 2], duration_ms, || xor::sample(&mut random, late_ms, jitter_ms))
    }

    fn delayed_match(&self) -> Result<Dataset, Error> {
        let cue_ms = number("cue_ms", self.cue_ms, 100.0, TIME)?;
        let delay_ms = number("delay_ms", self.delay_ms, 200.0, 0.0..=1e6)?;
        let min_ms = 2.0 * cue_ms + delay_ms;
        let task = DelayedMatch {
            stimuli: whole("stimuli", self.stimuli, 2, 2..=1000)?,
            channels: whole("channels", self.channels, 10, 1..=1000)?,
            cue_ms,
            delay_ms,
            duration_ms: number("duration_ms", self.duration_ms, min_ms + 100.0, min_ms..=1e7)?,
            rate_hz: number("rate_hz", self.rate_hz, 100.0, RATE)?,
            background_hz: number("background_hz", self.background_hz, 5.0, RATE)?,
        };
        let (channels, duration_ms) = (task.stimuli * task.channels, task.duration_ms);
        let rate_hz = task.background_hz + task.rate_hz / f64::from(task.stimuli);
        let dt_ms = self.grid([1000, 200], channels, duration_ms, rate_hz)?;
        let mut poisson = Poisson { random: &mut self.random(), dt_ms };
        self.drawn([1000, 200], [channels, 2], duration_ms, || task.sample(&mut poisson))
    }

    fn evidence_accumulation(&self) -> Result<Dataset, Error> {
        let cue_ms = number("cue_ms", self.cue_ms, 100.0, TIME)?;
        let recall_ms = number("recall_ms", self.recall_ms, 150.0, TIME)?;
        let task = Evidence {
            channels: whole("channels", self.channels, 10, 1..=1000)?,
            cues: whole("cues", self.cues, 7, 1..=1000)?,
            cue_ms,
            interval_ms: number("interval_ms", self.interval_ms, cue_ms.max(150.0), cue_ms..=1e6)?,
            delay_ms: number("delay_ms", self.delay_ms, recall_ms.max(1200.0), recall_ms..=1e6)?,
            recall_ms,
            rate_hz: number("rate_hz", self.rate_hz, 40.0, RATE)?,
            background_hz: number("background_hz", self.background_hz, 10.0, RATE)?,
            probability: number("probability", self.probability, 0.3, 0.0..=1.0)?,
        };
        let (channels, duration_ms) = (4 * task.channels, task.duration_ms());
        let dt_ms = self.grid([640, 128], channels, duration_ms, task.rate_hz + task.background_hz)?;
        let mut poisson = Poisson { random: &mut self.random(), dt_ms };
        self.drawn([640, 128], [channels, 2], duration_ms, || task.sample(&mut poisson))
    }

    fn pattern_generation(&self) -> Result<Dataset, Error> {
        let duration_ms = number("duration_ms", self.duration_ms, 1000.0, TIME)?;
        let channels = whole("channels", self.channels, 100, COUNT)?;
        let rate_hz = number("rate_hz", self.rate_hz, 50.0, RATE)?;
        let outputs = whole("outputs", self.outputs, 1, 1..=1000)?;
        let [train, test] = self.counts([1, 1])?;
        if test > train {
            let expected = format!("the test samples are the first of the {train} to train on");
            return Err(Error::invalid("data.test", test, expected, "use fewer"));
        }
        let dt_ms = self.grid([1, 1], channels, duration_ms, rate_hz)?;
        let steps = (duration_ms / dt_ms).round();
        check_size(0.0, (train + test) as f64 * steps * f64::from(outputs))?;
        let mut random = self.random();
        let mut sample = || {
            let events = Poisson { random: &mut random, dt_ms }.noise(duration_ms, channels, rate_hz);
            let target = Target::Values(poisson::pattern(&mut random, steps as u32, outputs));
            Sample { target, ..Encoded { events, class: 0 }.sample() }
        };
        let train: Vec<Sample> = (0..train).map(|_| sample()).collect();
        Ok(Dataset { channels, classes: 0, duration_ms, test: train[..test].to_vec(), train, validation: Vec::new() })
    }

    fn random_spikes(&self) -> Result<Dataset, Error> {
        let duration_ms = number("duration_ms", self.duration_ms, 200.0, TIME)?;
        let channels = whole("channels", self.channels, 100, COUNT)?;
        let classes = whole("classes", self.classes, 2, COUNT)?;
        let rate_hz = number("rate_hz", self.rate_hz, 5.0, RATE)?;
        let dt_ms = self.grid([256, 0], channels, duration_ms, rate_hz)?;
        let mut random = self.random();
        self.drawn([256, 0], [channels, classes], duration_ms, || {
            let events = Poisson { random: &mut random, dt_ms }.noise(duration_ms, channels, rate_hz);
            Encoded { events, class: random.randint(classes) }
        })
    }

    /// Samples to train on, then those to evaluate with, one after the other.
    fn drawn(
        &self,
        counts: [u32; 2],
        [channels, classes]: [u32; 2],
        duration_ms: f64,
        mut sample: impl FnMut() -> Encoded,
    ) -> Result<Dataset, Error> {
        let [train, test] = self.counts(counts)?;
        let mut draw = |count: usize| (0..count).map(|_| sample().sample()).collect();
        let (train, test) = (draw(train), draw(test));
        Ok(Dataset { channels, classes, duration_ms, train, test, validation: Vec::new() })
    }

    fn random(&self) -> RandomState {
        RandomState::new(self.seed.unwrap_or(1))
    }

    /// Numbers of samples to train on and to evaluate with.
    fn counts(&self, [train, test]: [u32; 2]) -> Result<[usize; 2], Error> {
        let limits = 0..=MAX_SAMPLES;
        let (train, test) = (whole("train", self.train, train, limits.clone())?, whole("test", self.test, test, limits)?);
        Ok([train as usize, test as usize])
    }

    /// The step of random spikes.
    fn grid(&self, counts: [u32; 2], channels: u32, duration_ms: f64, rate_hz: f64) -> Result<f64, Error> {
        let dt_ms = number("dt_ms", self.dt_ms, duration_ms.min(1.0), 1e-6..=duration_ms)?;
        let [train, test] = self.counts(counts)?;
        let draws = (train + test) as f64 * f64::from(channels) * duration_ms / dt_ms;
        check_size(draws, draws * (rate_hz * dt_ms * 1e-3).min(1.0))?;
        Ok(dt_ms)
    }
}

/// Rejects data that would take too long, or too much memory.
fn check_size(draws: f64, spikes: f64) -> Result<(), Error> {
    let (count, most, what) = match (draws, spikes) {
        (draws, _) if draws > MAX_DRAWS => (draws, MAX_DRAWS, "random numbers"),
        (_, spikes) if spikes > MAX_SPIKES => (spikes, MAX_SPIKES, "spikes or values"),
        _ => return Ok(()),
    };
    let way_out = "use fewer samples, fewer channels, or a longer `dt_ms`";
    Err(Error::invalid("data", format!("of {count:e} {what}"), format!("at most {most:e} are generated"), way_out))
}

/// An option, or its default.
fn number(name: &str, given: Option<f64>, default: f64, limits: RangeInclusive<f64>) -> Result<f64, Error> {
    match given.unwrap_or(default) {
        value if limits.contains(&value) => Ok(value),
        value => Err(out_of_range(name, value, limits)),
    }
}

/// A whole number, or its default.
fn whole(name: &str, given: Option<u32>, default: u32, limits: RangeInclusive<u32>) -> Result<u32, Error> {
    match given.unwrap_or(default) {
        value if limits.contains(&value) => Ok(value),
        value => Err(out_of_range(name, value, limits)),
    }
}

fn out_of_range<T: std::fmt::Display>(name: &str, value: T, limits: RangeInclusive<T>) -> Error {
    let expected = format!("a number from {} to {} is expected", limits.start(), limits.end());
    Error::invalid(format!("data.{name}"), value, expected, "change it")
}
