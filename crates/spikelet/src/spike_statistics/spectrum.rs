//! Power spectra by Welch's method, segment by segment.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// Lengths of segments are powers of two, of which at least this number fits if they overlap by half, within these limits.
const SEGMENTS: usize = 7;
const SHORTEST: usize = 64;
const LONGEST: usize = 4096;
/// A peak is sought from this multiple of the resolution on: lower frequencies contain the trend that is left in a segment.
const LOWEST: usize = 2;

/// A one-sided power spectral density: segments that overlap by half, each without its mean, with a Hann window. The length of segments is the
/// largest power of two from 64 to 4096 bins of which seven fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PowerSpectrum {
    /// Distance of frequencies in Hz, from 0 on.
    pub step_hz: f64,
    /// Density in Hz²/Hz.
    pub power: Vec<f64>,
    /// Number of segments.
    pub segments: u32,
}

impl PowerSpectrum {
    /// The frequency with the largest power, interpolated by a parabola through the logarithms of it and its neighbours.
    pub(super) fn peak_hz(&self) -> Option<f64> {
        let power = &self.power;
        let best = (LOWEST..power.len()).reduce(|best, k| if power[k] > power[best] { k } else { best })?;
        if power[best] <= 0.0 {
            return None;
        }
        let log = |k: usize| libm::log(power.get(k).copied().unwrap_or(0.0));
        let (before, at, after) = (log(best - 1), log(best), log(best + 1));
        let bend = before - 2.0 * at + after;
        let is_peak = best != LOWEST && bend.is_finite() && bend < 0.0;
        let shift = if is_peak { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        Some((best as f64 + shift) * self.step_hz)
    }
}

/// A signal, of which the last segment of each length is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Welch {
    /// The last values: as many as the longest segment.
    last: Vec<f64>,
    count: usize,
    averages: Vec<Average>,
}

/// The sum of the spectra of segments of one length.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Average {
    length: usize,
    power: Vec<f64>,
    segments: u32,
}

impl Welch {
    pub(super) fn new() -> Welch {
        let lengths = std::iter::successors(Some(SHORTEST), |length| Some(2 * length)).take_while(|length| *length <= LONGEST);
        let average = |length: usize| Average { length, power: vec![0.0; length / 2 + 1], segments: 0 };
        Welch { last: vec![0.0; LONGEST], count: 0, averages: lengths.map(average).collect() }
    }

    pub(super) fn push(&mut self, value: f64) {
        self.last[self.count % LONGEST] = value;
        self.count += 1;
        for average in &mut self.averages {
            let length = average.length;
            if self.count >= length && self.count.is_multiple_of(length / 2) {
                let segment: Vec<f64> = (self.count - length..self.count).map(|at| self.last[at % LONGEST]).collect();
                average.add(&segment);
            }
        }
    }

    /// The spectrum of what was pushed at `rate_hz`, in units of `scale`; `None` for fewer than 64 values.
    pub(super) fn spectrum(&self, rate_hz: f64, scale: f64) -> Option<PowerSpectrum> {
        let fits = |average: &&Average| average.length == SHORTEST || average.length / 2 * (SEGMENTS + 1) <= self.count;
        let average = self.averages.iter().take_while(fits).last().filter(|average| average.segments > 0)?;
        let norm: f64 = (0..average.length).map(|at| window(at, average.length).powi(2)).sum();
        let scale = scale / (f64::from(average.segments) * norm * rate_hz);
        Some(PowerSpectrum {
            step_hz: rate_hz / average.length as f64,
            power: average.power.iter().map(|power| power * scale).collect(),
            segments: average.segments,
        })
    }
}

impl Average {
    fn add(&mut self, segment: &[f64]) {
        let mean = segment.iter().sum::<f64>() / self.length as f64;
        let mut real: Vec<f64> = segment.iter().enumerate().map(|(at, value)| (value - mean) * window(at, self.length)).collect();
        let mut imaginary = vec![0.0; self.length];
        transform(&mut real, &mut imaginary);
        for (k, power) in self.power.iter_mut().enumerate() {
            // Both signs of a frequency count, except for zero and the highest one, which have only one.
            let sides = if k == 0 || k == self.length / 2 { 1.0 } else { 2.0 };
            *power += sides * (real[k] * real[k] + imaginary[k] * imaginary[k]);
        }
        self.segments += 1;
    }
}

/// The Hann window.
fn window(at: usize, length: usize) -> f64 {
    0.5 - 0.5 * libm::cos(2.0 * PI * at as f64 / length as f64)
}

/// The discrete Fourier transform in place; the length is a power of two.
fn transform(real: &mut [f64], imaginary: &mut [f64]) {
    let length = real.len();
    let bits = length.trailing_zeros();
    for from in 0..length {
        let to = from.reverse_bits() >> (usize::BITS - bits);
        if from < to {
            real.swap(from, to);
            imaginary.swap(from, to);
        }
    }
    let mut half = 1;
    while half < length {
        for k in 0..half {
            let angle = PI * k as f64 / half as f64;
            let (cos, sin) = (libm::cos(angle), -libm::sin(angle));
            for low in (k..length).step_by(2 * half) {
                let high = low + half;
                let re = real[high] * cos - imaginary[high] * sin;
                let im = real[high] * sin + imaginary[high] * cos;
                (real[high], imaginary[high]) = (real[low] - re, imaginary[low] - im);
                real[low] += re;
                imaginary[low] += im;
            }
        }
        half *= 2;
    }
}
