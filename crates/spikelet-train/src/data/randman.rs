//! Random smooth manifolds as spike times.

use super::{Encoded, RandomState};
use crate::Event;

/// What a data set of manifolds has.
pub(super) struct Manifolds {
    pub(super) classes: u32,
    pub(super) channels: u32,
    /// Number of spikes of each channel, each of its own manifold.
    pub(super) spikes: u32,
    /// Dimension of the manifolds.
    pub(super) dimension: u32,
    /// Exponent with which the amplitude of a frequency falls.
    pub(super) alpha: f64,
    pub(super) duration_ms: f64,
}

/// Amplitudes below this part of the first are left out.
const PRECISION: f64 = 1e-3;
/// The largest number of frequencies.
const FREQUENCIES: f64 = 1000.0;
/// Keeps scaled values below 1.
const MARGIN: f64 = 1e-7;

impl Manifolds {
    /// Samples of all classes, in random order. A channel is the product over the dimensions x of the sums over i of
    /// a (i + 1)^−α sin(2π(i b x + c)), with random a, b, c in [0, 1); its values in all samples of a class are scaled to [0, 1].
    pub(super) fn samples(&self, random: &mut RandomState, count: usize) -> Vec<Encoded> {
        let of_class = count.div_ceil(self.classes as usize);
        let mut samples = Vec::with_capacity(of_class * self.classes as usize);
        for class in 0..self.classes {
            let points: Vec<f64> = (0..of_class * self.dimension as usize).map(|_| random.rand()).collect();
            let first = samples.len();
            samples.extend((0..of_class).map(|_| Encoded { events: Vec::new(), class }));
            for _ in 0..self.spikes {
                for channel in 0..self.channels {
                    let times = self.channel(random, &points);
                    for (sample, time_ms) in samples[first..].iter_mut().zip(times) {
                        sample.events.push(Event { time_ms, channel });
                    }
                }
            }
        }
        random.shuffle(&mut samples);
        samples.truncate(count);
        samples
    }

    /// The times of a spike of a channel in all samples of a class.
    fn channel(&self, random: &mut RandomState, points: &[f64]) -> Vec<f64> {
        let frequencies = libm::pow(PRECISION, -1.0 / self.alpha).ceil().min(FREQUENCIES) as usize;
        let dimension = self.dimension as usize;
        let mut values = vec![1.0; points.len() / dimension];
        for axis in 0..dimension {
            let mut draw = || -> Vec<f64> { (0..frequencies).map(|_| random.rand()).collect() };
            let [amplitudes, slopes, phases] = [draw(), draw(), draw()];
            for (value, point) in values.iter_mut().zip(points.chunks_exact(dimension)) {
                // The first has frequency 0, a constant, and is left out, as by default in the original.
                let sum = (1..frequencies).map(|i| {
                    let angle = std::f64::consts::TAU * (i as f64 * point[axis] * slopes[i] + phases[i]);
                    amplitudes[i] * libm::pow((i + 1) as f64, -self.alpha) * libm::sin(angle)
                });
                *value *= sum.sum::<f64>();
            }
        }
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        values.iter().map(|value| (value - lowest) / (highest - lowest + MARGIN) * self.duration_ms).collect()
    }
}
