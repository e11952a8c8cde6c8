//! Neurons that win for the first time, in the mode `Lazy`.
//!
//! A neuron that has never won has learned nothing, so its input is binomially distributed: one of `lines` synapses from each neuron that
//! fires, with probability p. The k largest of many such inputs are drawn from their joint distribution, level by level, without the others:
//! of the neurons with an input of at most c, the number with exactly c is binomially distributed again. (The original draws them from a
//! truncated normal distribution, which differs where the mean is small.)

use spikelet::rng::{open_unit_f64, philox};

/// Purposes of draws, in the low byte of the third word of the counter.
pub(super) const ROW: u32 = 0x20;
const LINES: u32 = 0x21;
const INPUT: u32 = 0x22;
const CHOICE: u32 = 0x23;

/// Neurons that do not exist yet.
#[derive(Clone, Copy)]
pub(super) struct Unknown {
    /// How many.
    pub(super) neurons: u32,
    /// How many of them can win.
    pub(super) k: u32,
}

/// The largest inputs of neurons that do not exist yet, in descending order.
pub(super) fn inputs(seed: u64, area: u32, round: u64, unknown: Unknown, lines: u32, p: f64) -> Vec<u32> {
    let wanted = unknown.k.min(unknown.neurons) as usize;
    let (first, masses) = masses(lines, p);
    let mut below: Vec<f64> = Vec::with_capacity(masses.len());
    masses.iter().fold(0.0, |sum, mass| {
        below.push(sum + mass);
        sum + mass
    });
    let (mut inputs, mut rest) = (Vec::with_capacity(wanted), unknown.neurons);
    for (level, mass) in masses.iter().enumerate().rev() {
        let missing = wanted - inputs.len();
        if missing == 0 {
            break;
        }
        let uniform = uniform(seed, [first + level as u32, area, INPUT, round as u32]);
        // All that are left have at least the smallest input.
        let count = if level == 0 { rest } else { binomial(rest, mass / below[level], uniform, missing as u32) };
        inputs.extend(std::iter::repeat_n(first + level as u32, missing.min(count as usize)));
        rest -= count;
    }
    inputs
}

/// The number of synapses from a stimulus of `size` neurons onto a neuron.
pub(super) fn lines(seed: u64, fibre: u32, neuron: u32, size: u32, p: f64) -> u32 {
    binomial(size, p, uniform(seed, [neuron, fibre, LINES, 0]), size)
}

fn uniform(seed: u64, counter: [u32; 4]) -> f64 {
    let [high, low, ..] = philox(seed, counter);
    open_unit_f64(high, low)
}

/// The binomial distribution of `n` trials: the first count with a relevant probability, and the probabilities from there on.
fn masses(n: u32, p: f64) -> (u32, Vec<f64>) {
    if p >= 1.0 {
        return (n, vec![1.0]);
    }
    // Relative to the most probable count; below this, no count is ever drawn.
    const RELEVANT: f64 = 1e-30;
    let odds = p / (1.0 - p);
    let mode = (((f64::from(n) + 1.0) * p) as u32).min(n);
    let above = (mode..n).scan(1.0, |mass, count| {
        *mass *= f64::from(n - count) / f64::from(count + 1) * odds;
        (*mass > RELEVANT).then_some(*mass)
    });
    let below = (1..=mode).rev().scan(1.0, |mass, count| {
        *mass *= f64::from(count) / (f64::from(n - count + 1) * odds);
        (*mass > RELEVANT).then_some(*mass)
    });
    let mut masses: Vec<f64> = below.collect();
    masses.reverse();
    let first = mode - masses.len() as u32;
    masses.push(1.0);
    masses.extend(above);
    let total: f64 = masses.iter().sum();
    masses.iter_mut().for_each(|mass| *mass /= total);
    (first, masses)
}

/// A binomial count of `n` trials by inversion, or any count of at least `enough` if it is that large for certain.
fn binomial(n: u32, p: f64, uniform: f64, enough: u32) -> u32 {
    if p >= 1.0 || n == 0 {
        return n;
    }
    let (trials, odds) = (f64::from(n), p / (1.0 - p));
    let (mean, deviation) = (trials * p, libm::sqrt(trials * p * (1.0 - p)));
    if f64::from(enough) < mean - 12.0 * deviation {
        return enough;
    }
    let mode = (((trials + 1.0) * p) as u32).min(n);
    let log_mass = libm::lgamma(trials + 1.0) - libm::lgamma(f64::from(mode) + 1.0) - libm::lgamma(f64::from(n - mode) + 1.0)
        + f64::from(mode) * libm::log(p)
        + f64::from(n - mode) * libm::log1p(-p);
    let at_mode = libm::exp(log_mass);
    // Counts are taken alternately above and below the most probable one, until their probability exceeds the uniform number.
    let mut rest = uniform - at_mode;
    let (mut high, mut low, mut above, mut below) = (mode, mode, at_mode, at_mode);
    while rest > 0.0 && (high < n || low > 0) {
        let before = rest;
        if high < n {
            above *= f64::from(n - high) / f64::from(high + 1) * odds;
            high += 1;
            rest -= above;
            if rest <= 0.0 {
                return high;
            }
        }
        if low > 0 {
            below *= f64::from(low) / (f64::from(n - low + 1) * odds);
            low -= 1;
            rest -= below;
            if rest <= 0.0 {
                return low;
            }
        }
        if rest >= before {
            // What is left is rounding error.
            return mode;
        }
    }
    mode
}

/// Chooses from which of the neurons that fire the synapses of a newcomer come.
pub(super) struct Lines {
    seed: u64,
    area: u32,
    round: u32,
    /// For each fibre: the number of lines before and including it, its index, and its neurons (none for a stimulus).
    parts: Vec<(u32, usize, Vec<u32>)>,
    total: u32,
    /// For each line, the last newcomer that chose it.
    chosen: Vec<u32>,
}

impl Lines {
    pub(super) fn new(seed: u64, area: u32, round: u64) -> Lines {
        Lines { seed, area, round: round as u32, parts: Vec::new(), total: 0, chosen: Vec::new() }
    }

    pub(super) fn stimulus(&mut self, fibre: usize, size: u32) {
        self.total += size;
        self.parts.push((self.total, fibre, Vec::new()));
    }

    pub(super) fn neurons(&mut self, fibre: usize, firing: &[u32]) {
        self.total += firing.len() as u32;
        self.parts.push((self.total, fibre, firing.to_vec()));
    }

    /// Calls `connect` with the fibre and the neuron of `count` different lines; for a stimulus, the neuron is its line.
    pub(super) fn draw(&mut self, newcomer: u32, count: u32, mut connect: impl FnMut(usize, u32)) {
        const NOBODY: u32 = u32::MAX;
        self.chosen.resize(self.total as usize, NOBODY);
        let (mut drawn, mut block) = (0, 0);
        while drawn < count {
            let words = philox(self.seed, [newcomer, block, CHOICE | self.area << 8, self.round]);
            block += 1;
            for word in words {
                let line = ((u64::from(word) * u64::from(self.total)) >> 32) as u32;
                if drawn == count || self.chosen[line as usize] == newcomer {
                    continue;
                }
                self.chosen[line as usize] = newcomer;
                drawn += 1;
                let part = self.parts.partition_point(|(end, ..)| *end <= line);
                let (_, fibre, neurons) = &self.parts[part];
                let first = part.checked_sub(1).map_or(0, |before| self.parts[before].0);
                connect(*fibre, neurons.get((line - first) as usize).copied().unwrap_or(line - first));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_inputs_have_the_distribution_of_sorted_ones() {
        // The mean of the largest three of 50 inputs, against inputs drawn one by one.
        let (neurons, lines, p) = (50, 40, 0.1);
        let trials = 4000;
        let mut means = [[0.0; 3]; 2];
        for trial in 0..trials {
            let top = inputs(1, 0, trial, Unknown { neurons, k: 3 }, lines, p);
            let mut all: Vec<u32> = (0..neurons).map(|neuron| super::lines(2, trial as u32, neuron, lines, p)).collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            for (mean, drawn) in means.iter_mut().zip([&top, &all]) {
                mean.iter_mut().zip(drawn).for_each(|(mean, input)| *mean += f64::from(*input) / trials as f64);
            }
        }
        // A standard error is about 0.02.
        means[0].iter().zip(means[1]).for_each(|(top, all)| assert!((top - all).abs() < 0.1, "{means:?}"));
    }

    #[test]
    fn all_inputs_are_drawn_where_few_neurons_are_left() {
        let drawn = inputs(3, 0, 1, Unknown { neurons: 20, k: 20 }, 100, 0.05);
        assert_eq!(drawn.len(), 20);
        assert!(drawn.is_sorted_by(|a, b| a >= b), "{drawn:?}");
        assert_eq!(inputs(3, 0, 1, Unknown { neurons: 20, k: 5 }, 7, 1.0), [7; 5]);
    }

    #[test]
    fn counts_have_mean_and_variance_of_the_binomial_distribution() {
        let (n, p, draws) = (2000, 0.05, 20_000);
        let counts: Vec<f64> = (0..draws).map(|k| f64::from(lines(4, 0, k, n, p))).collect();
        let mean = counts.iter().sum::<f64>() / f64::from(draws);
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / f64::from(draws);
        assert!((mean - 100.0).abs() < 0.4, "{mean}");
        assert!((variance - 95.0).abs() < 4.0, "{variance}");
    }
}
