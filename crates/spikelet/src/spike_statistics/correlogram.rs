//! Cross-correlograms of population rates.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The correlation coefficient of the rates of two populations for each lag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correlogram {
    /// The first population.
    pub of: String,
    /// The second, or the same.
    pub with: String,
    /// Distance of lags in ms.
    pub lag_ms: f64,
    /// Coefficients from the smallest, negative lag to the largest: the mean product of the deviations from the mean of the first rate at a time and of the
    /// second rate `lag` later, divided by both standard deviations. A peak at a positive lag means that the second follows the first. `None` if a
    /// rate is constant, or the run is not longer than twice the largest lag.
    pub values: Option<Vec<f64>>,
}

/// Sums of products of counts at all lags.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Products {
    /// Indices of both populations.
    pub(super) pair: [usize; 2],
    lags: usize,
    bins: u64,
    /// For lag 0, 1, …: of the first now with the second before, and the reverse.
    second_before: Vec<f64>,
    first_before: Vec<f64>,
    /// The sums and squares of each.
    sums: [f64; 2],
    squares: [f64; 2],
    /// The first and the last counts of each.
    begin: [Vec<f64>; 2],
    end: [VecDeque<f64>; 2],
}

impl Products {
    pub(super) fn new(pair: [usize; 2], lags: usize) -> Products {
        Products {
            pair,
            lags,
            bins: 0,
            second_before: vec![0.0; lags + 1],
            first_before: vec![0.0; lags + 1],
            sums: [0.0; 2],
            squares: [0.0; 2],
            begin: Default::default(),
            end: Default::default(),
        }
    }

    /// Adds a bin, with the counts of all populations. Sums of whole numbers are exact in f64 up to 2⁵³.
    pub(super) fn push(&mut self, counts: &[u32]) {
        let now = self.pair.map(|index| f64::from(counts[index]));
        for (side, count) in now.iter().enumerate() {
            self.sums[side] += count;
            self.squares[side] += count * count;
            if self.begin[side].len() < self.lags {
                self.begin[side].push(*count);
            }
            self.end[side].push_front(*count);
            self.end[side].truncate(self.lags + 1);
        }
        self.second_before.iter_mut().zip(&self.end[1]).for_each(|(sum, before)| *sum += now[0] * before);
        self.first_before.iter_mut().zip(&self.end[0]).for_each(|(sum, before)| *sum += now[1] * before);
        self.bins += 1;
    }

    /// The coefficients of all lags.
    pub(super) fn coefficients(&self) -> Option<Vec<f64>> {
        let bins = self.bins as f64;
        let means = self.sums.map(|sum| sum / bins);
        let variance = |side: usize| self.squares[side] / bins - means[side] * means[side];
        let deviation = (variance(0).max(0.0) * variance(1).max(0.0)).sqrt();
        if self.bins <= 2 * self.lags as u64 || deviation <= 1e-12 * means[0] * means[1] || deviation == 0.0 {
            return None;
        }
        // `later` is the side whose counts are taken `lag` later than those of the other.
        let coefficient = |lag: usize, later: usize, products: &[f64]| {
            let begin: f64 = self.begin[later][..lag].iter().sum();
            let end: f64 = self.end[1 - later].iter().take(lag).sum();
            let (pairs, sum_later, sum_earlier) = (bins - lag as f64, self.sums[later] - begin, self.sums[1 - later] - end);
            let sum = products[lag] - means[1 - later] * sum_later - means[later] * sum_earlier + pairs * means[0] * means[1];
            sum / pairs / deviation
        };
        let negative = (1..=self.lags).rev().map(|lag| coefficient(lag, 0, &self.second_before));
        Some(negative.chain((0..=self.lags).map(|lag| coefficient(lag, 1, &self.first_before))).collect())
    }
}
