//! What devices sample, and how recorded values follow from it.

use std::ops::Range;

use crate::Plan;

/// Maximum number of neurons of a sum of a device: those of a block of the CPU.
const SUMMED: u32 = 256;
/// Number of sums between which the values of a sum alternate.
const LANES: usize = 8;

/// The sample of a value that another thread or rank samples: a sum with it is the other value, also if that is -0.0.
pub const NOT_SAMPLED: f32 = -0.0;

/// The source of a value that devices sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleSource {
    /// An array of a population.
    Neuron {
        /// Index of the population.
        population: usize,
        /// Index of the array in its program.
        variable: usize,
        /// Index of the neuron in the population.
        neuron: u32,
    },
    /// The sum of an array of a population over some neurons, in the order of `sum`.
    Sum {
        /// Index of the population.
        population: usize,
        /// Index of the array in its program.
        variable: usize,
        /// The neurons: an index for [`Sampling::neurons`].
        neurons: usize,
    },
    /// An array of a projection with synaptic state.
    Synapse {
        /// Index of the projection.
        projection: usize,
        /// Index of the array in [`StatePlan::arrays`](crate::StatePlan::arrays).
        array: usize,
        /// Index of the synapse in the order of the rows; `None` if it belongs to another rank.
        synapse: Option<u32>,
    },
}

/// A recorded value.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// `E.v[3]`, or for several neurons `mean(E.v[0:100])`.
    pub label: String,
    /// Unit of the samples of a `Simulation`.
    pub unit: String,
    /// One of that unit in inner units, which backends use.
    pub factor: f64,
    /// The source of the values; of a mean or sum the first one.
    pub sampled: SampleSource,
    /// The columns of backends that it is the sum of; one if it is a value of one neuron or synapse.
    pub columns: Range<usize>,
    /// The number of neurons that the sum is divided by; 1 without a mean.
    pub divisor: u32,
    /// Interval in steps; the first sample is of step 0.
    pub every: u32,
}

impl Channel {
    /// Whether it is sampled in a step.
    pub fn is_due(&self, step: u32) -> bool {
        step.is_multiple_of(self.every)
    }
}

/// What devices sample in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// The columns of a row of samples of a [`Backend`](crate::Backend).
    pub columns: Vec<SampleSource>,
    /// Interval in steps at which anything is sampled: the greatest common divisor of those of all channels. Rows of a backend may have any values
    /// in between.
    pub every: u32,
    sums: Vec<Vec<u32>>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { columns: Vec::new(), every: 1, sums: Vec::new() }
    }
}

impl Sampling {
    /// The neurons of a [`SampleSource::Sum`], by their index in the population.
    pub fn neurons(&self, sum: usize) -> &[u32] {
        &self.sums[sum]
    }

    /// The sums among the columns, with their neurons: column, population, variable.
    pub fn sums(&self) -> impl Iterator<Item = ([usize; 3], &[u32])> {
        self.columns.iter().enumerate().filter_map(|(column, sampled)| match *sampled {
            SampleSource::Sum { population, variable, neurons } => Some(([column, population, variable], self.neurons(neurons))),
            _ => None,
        })
    }

    /// Whether anything is sampled in a step.
    pub fn is_due(&self, step: u32) -> bool {
        step.is_multiple_of(self.every)
    }

    /// The shape of rows of backends: one for each step.
    pub fn of_backend(&self) -> SampleRows {
        SampleRows { width: self.columns.len(), every: 1 }
    }

    /// Adds the sums of a variable over neurons, each once, a column for each block that has any. Returns the columns, and the number of neurons.
    pub fn add_sums(&mut self, population: usize, variable: usize, mut neurons: Vec<u32>) -> (Range<usize>, u32) {
        neurons.sort_unstable();
        neurons.dedup();
        let first = self.columns.len();
        for block in neurons.chunk_by(|one, next| one / SUMMED == next / SUMMED) {
            self.columns.push(SampleSource::Sum { population, variable, neurons: self.sums.len() });
            self.sums.push(block.to_vec());
        }
        (first..self.columns.len(), neurons.len() as u32)
    }
}

/// The shape of a table of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRows {
    /// Values of a row.
    pub width: usize,
    /// There is a row for each step that is a multiple of this.
    pub every: u32,
}

impl SampleRows {
    /// Number of values of these steps.
    pub fn values_in(self, steps: Range<u32>) -> usize {
        (steps.end.div_ceil(self.every) - steps.start.min(steps.end).div_ceil(self.every)) as usize * self.width
    }
}

/// The sum of values in the order that all devices use: value k is added to sum k modulo 8, and the eight sums are added pairwise.
pub fn sum(values: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let mut chunks = values.chunks_exact(LANES);
    for chunk in &mut chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    sums.iter_mut().zip(chunks.remainder()).for_each(|(sum, value)| *sum += value);
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

impl Plan {
    /// The shape of the samples of a `Simulation`.
    pub fn sample_rows(&self) -> SampleRows {
        SampleRows { width: self.channels.len(), every: self.sampling.every }
    }

    /// Bytes of samples of a trial in a second of biological time.
    pub fn samples_per_second(&self) -> f64 {
        let SampleRows { width, every } = self.sample_rows();
        4.0 * width as f64 * 1000.0 / (self.dt_ms * f64::from(every))
    }

    /// The values of all channels from the rows of a backend from this step on, in their units; NaN where a channel has no sample in a row.
    pub fn recorded(&self, first: u32, samples: Vec<f32>) -> Vec<f32> {
        let is_plain = |of: &Channel| of.columns.len() == 1 && of.factor == 1.0 && of.divisor == 1 && of.every == 1;
        if self.channels.iter().all(is_plain) {
            return samples;
        }
        let rows = (first..).zip(samples.chunks_exact(self.sampling.columns.len()));
        let due = rows.filter(|(step, _)| self.sampling.is_due(*step));
        let value = |step: u32, row: &[f32], channel: &Channel| {
            if !channel.is_due(step) {
                return f32::NAN;
            }
            let sum: f64 = row[channel.columns.clone()].iter().map(|sample| f64::from(*sample)).sum();
            (sum / f64::from(channel.divisor) / channel.factor) as f32
        };
        due.flat_map(|(step, row)| self.channels.iter().map(move |channel| value(step, row, channel))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_where_they_are() {
        let rows = SampleRows { width: 2, every: 5 };
        let counts = [0..0, 0..1, 1..5, 1..6, 5..6, 0..11].map(|steps| rows.values_in(steps) / 2);
        assert_eq!(counts, [0, 1, 0, 1, 1, 3]);
    }

    #[test]
    fn a_sum_has_one_order() {
        let values: Vec<f32> = (0..21).map(|k| 1.0 / (k as f32 + 0.3)).collect();
        let lane = |lane: usize| values.iter().skip(lane).step_by(8).fold(0.0_f32, |sum, value| sum + value);
        let expected = ((lane(0) + lane(1)) + (lane(2) + lane(3))) + ((lane(4) + lane(5)) + (lane(6) + lane(7)));
        assert_eq!(sum(&values), expected);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    fn a_block_without_neurons_has_no_sum() {
        let mut sampling = Sampling::default();
        assert_eq!(sampling.add_sums(0, 1, vec![700, 3, 3, 255, 600]), (0..2, 4));
        assert_eq!(sampling.sums().map(|(_, neurons)| neurons.to_vec()).collect::<Vec<_>>(), [vec![3, 255], vec![600, 700]]);
    }
}
