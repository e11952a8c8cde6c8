//! Correlations of pairs of neurons.

use serde::{Deserialize, Serialize};

/// Maximum number of neurons of a population whose pairs are measured: all of 64 neurons, 2016 pairs.
const NEURONS: u32 = 64;

/// Correlation coefficients of the numbers of spikes in bins, over the pairs of neurons with spikes among at most 64, which are at equal
/// distances in the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairwiseCorrelation {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with the number of pairs as the divisor.
    pub sd: f64,
    /// Number of pairs.
    pub pairs: u32,
}

/// The counts of the chosen neurons.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PairCounts {
    size: u32,
    chosen: u32,
    /// Counts in the current bin, and who has any.
    counts: Vec<u32>,
    active: Vec<usize>,
    /// Sums of the counts; and of their products, by rows with the first neuron not after the second.
    sums: Vec<u64>,
    products: Vec<u64>,
}

impl PairCounts {
    pub(super) fn new(size: u32) -> PairCounts {
        let chosen = size.min(NEURONS);
        let count = chosen as usize;
        PairCounts {
            size,
            chosen,
            counts: vec![0; count],
            active: Vec::new(),
            sums: vec![0; count],
            products: vec![0; count * count],
        }
    }

    /// The place of a neuron among those chosen: neuron ⌊k·size/chosen⌋ is the k-th.
    fn place(&self, neuron: u32) -> Option<usize> {
        let (size, chosen) = (u64::from(self.size), u64::from(self.chosen));
        let place = (u64::from(neuron) * chosen).div_ceil(size);
        (place < chosen && place * size / chosen == u64::from(neuron)).then_some(place as usize)
    }

    pub(super) fn add(&mut self, neuron: u32) {
        let Some(place) = self.place(neuron) else { return };
        if self.counts[place] == 0 {
            self.active.push(place);
        }
        self.counts[place] += 1;
    }

    /// Completes a bin.
    pub(super) fn close(&mut self) {
        self.active.sort_unstable();
        let count = self.chosen as usize;
        for (index, one) in self.active.iter().enumerate() {
            self.sums[*one] += u64::from(self.counts[*one]);
            for other in &self.active[index..] {
                self.products[one * count + other] += u64::from(self.counts[*one]) * u64::from(self.counts[*other]);
            }
        }
        self.active.drain(..).for_each(|place| self.counts[place] = 0);
    }

    /// Number of spikes of the chosen neurons.
    #[cfg(test)]
    pub(super) fn total(&self) -> u32 {
        self.sums.iter().sum::<u64>() as u32
    }

    /// The coefficients after this number of bins; `None` without a pair of neurons whose counts vary.
    pub(super) fn correlation(&self, bins: u32) -> Option<PairwiseCorrelation> {
        let (count, bins) = (self.chosen as usize, f64::from(bins));
        let covariance = |one: usize, other: usize| {
            self.products[one * count + other] as f64 / bins - self.sums[one] as f64 / bins * (self.sums[other] as f64 / bins)
        };
        let varying: Vec<(usize, f64)> = (0..count)
            .filter(|place| self.sums[*place] > 0)
            .map(|place| (place, covariance(place, place)))
            .filter(|(_, variance)| *variance > 1e-12)
            .collect();
        let (mut sum, mut squares, mut pairs) = (0.0, 0.0, 0_u32);
        for (index, (one, first)) in varying.iter().enumerate() {
            for (other, second) in &varying[index + 1..] {
                let coefficient = covariance(*one, *other) / (first * second).sqrt();
                sum += coefficient;
                squares += coefficient * coefficient;
                pairs += 1;
            }
        }
        let mean = sum / f64::from(pairs);
        let sd = (squares / f64::from(pairs) - mean * mean).max(0.0).sqrt();
        (pairs > 0).then_some(PairwiseCorrelation { mean, sd, pairs })
    }
}
