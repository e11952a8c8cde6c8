//! Tasks whose input is random spikes with rates.

use std::ops::Range;

use super::{Encoded, RandomState};
use crate::Event;

/// Random spikes on a grid of time.
pub(super) struct Poisson<'a> {
    pub(super) random: &'a mut RandomState,
    pub(super) dt_ms: f64,
}

impl Poisson<'_> {
    /// A number of steps.
    fn step(&self, ms: f64) -> u32 {
        (ms / self.dt_ms).round() as u32
    }

    /// Adds the spikes of channels between two times: in each step each channel has one with the probability `rate_hz` · dt.
    fn fire(&mut self, events: &mut Vec<Event>, between_ms: Range<f64>, channels: Range<u32>, rate_hz: f64) {
        let probability = rate_hz * self.dt_ms * 1e-3;
        for step in self.step(between_ms.start)..self.step(between_ms.end) {
            for channel in channels.clone() {
                if self.random.rand() < probability {
                    events.push(Event { time_ms: f64::from(step) * self.dt_ms, channel });
                }
            }
        }
    }

    /// Spikes of all channels with one rate.
    pub(super) fn noise(&mut self, duration_ms: f64, channels: u32, rate_hz: f64) -> Vec<Event> {
        let mut events = Vec::new();
        self.fire(&mut events, 0.0..duration_ms, 0..channels, rate_hz);
        events
    }
}

/// Two stimuli with a delay between them, which are equal or not.
pub(super) struct DelayedMatch {
    pub(super) stimuli: u32,
    /// Channels of each stimulus.
    pub(super) channels: u32,
    pub(super) cue_ms: f64,
    pub(super) delay_ms: f64,
    pub(super) duration_ms: f64,
    pub(super) rate_hz: f64,
    pub(super) background_hz: f64,
}

impl DelayedMatch {
    pub(super) fn sample(&self, poisson: &mut Poisson<'_>) -> Encoded {
        let first = poisson.random.randint(self.stimuli);
        let class = poisson.random.randint(2);
        // With a class of 0 one of the others.
        let second = if class == 1 { first } else { (first + 1 + poisson.random.randint(self.stimuli - 1)) % self.stimuli };
        let mut events = poisson.noise(self.duration_ms, self.stimuli * self.channels, self.background_hz);
        let again_ms = self.cue_ms + self.delay_ms;
        for (start_ms, stimulus) in [(0.0, first), (again_ms, second)] {
            let channels = stimulus * self.channels..(stimulus + 1) * self.channels;
            poisson.fire(&mut events, start_ms..start_ms + self.cue_ms, channels, self.rate_hz);
        }
        Encoded { events, class }
    }
}

/// Cues on two sides, of which one has more.
pub(super) struct Evidence {
    /// Channels of each of the four groups: left, right, recall, noise.
    pub(super) channels: u32,
    pub(super) cues: u32,
    pub(super) cue_ms: f64,
    pub(super) interval_ms: f64,
    pub(super) delay_ms: f64,
    pub(super) recall_ms: f64,
    pub(super) rate_hz: f64,
    pub(super) background_hz: f64,
    /// Probability of a cue on the less probable side.
    pub(super) probability: f64,
}

impl Evidence {
    pub(super) fn duration_ms(&self) -> f64 {
        f64::from(self.cues) * self.interval_ms + self.delay_ms
    }

    pub(super) fn sample(&self, poisson: &mut Poisson<'_>) -> Encoded {
        let right = if poisson.random.randint(2) == 0 { self.probability } else { 1.0 - self.probability };
        let sides: Vec<u32> = (0..self.cues).map(|_| u32::from(poisson.random.rand() < right)).collect();
        let (mut events, end_ms) = (Vec::new(), self.duration_ms());
        let group = |index: u32| index * self.channels..(index + 1) * self.channels;
        for (cue, side) in (0..).zip(&sides) {
            let start_ms = f64::from(cue + 1) * self.interval_ms - self.cue_ms;
            poisson.fire(&mut events, start_ms..start_ms + self.cue_ms, group(*side), self.rate_hz);
        }
        poisson.fire(&mut events, end_ms - self.recall_ms..end_ms, group(2), self.rate_hz);
        poisson.fire(&mut events, 0.0..end_ms, group(3), self.background_hz);
        let class = u32::from(2 * sides.iter().sum::<u32>() > self.cues);
        Encoded { events, class }
    }
}

/// Periods of the sines of a pattern, as parts of its duration.
const PERIODS: [f64; 4] = [1.0, 0.5, 0.333, 0.2];

/// The values of patterns, `[step][output]`: sums of four sines with random amplitudes and phases, from 0, and at most 1 in size.
pub(super) fn pattern(random: &mut RandomState, steps: u32, outputs: u32) -> Vec<f32> {
    let mut values = vec![0.0; (steps * outputs) as usize];
    for output in 0..outputs as usize {
        let sines = PERIODS.map(|period| (period, 0.5 + 1.5 * random.rand(), std::f64::consts::TAU * random.rand()));
        let sum = |step: u32| {
            let part = f64::from(step) / f64::from(steps);
            let sine = |(period, amplitude, phase)| amplitude * libm::sin(std::f64::consts::TAU * part / period + phase);
            sines.into_iter().map(sine).sum::<f64>()
        };
        let from_zero: Vec<f64> = (0..steps).map(|step| sum(step) - sum(0)).collect();
        let largest = from_zero.iter().fold(f64::MIN_POSITIVE, |largest: f64, value| largest.max(value.abs()));
        for (step, value) in from_zero.into_iter().enumerate() {
            values[step * outputs as usize + output] = (value / largest) as f32;
        }
    }
    values
}
