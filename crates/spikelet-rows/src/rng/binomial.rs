//! Binomial counts by integer comparison.

/// Binomial(n, p) as a table of thresholds: a count follows from 32 random bits by integer comparison alone, so that a GPU computes the
/// same.
///
/// Each cumulative probability is rounded to a multiple of 2⁻³², which changes the mean count by less than 10⁻⁷.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinomialTable {
    /// Smaller counts are practically never drawn.
    least: u32,
    thresholds: Vec<u32>,
}

impl BinomialTable {
    /// The table for `n` trials with success probability `p` in [0, 1].
    pub fn new(n: u32, p: f64) -> BinomialTable {
        debug_assert!((0.0..=1.0).contains(&p), "p = {p}");
        // The larger half is mirrored, so that rounding removes the rare counts on both sides.
        let cumulative: Vec<f64> = if p <= 0.5 {
            cumulative(n, p)
        } else {
            let mirrored = cumulative(n, 1.0 - p);
            mirrored.iter().rev().skip(1).map(|c| 1.0 - c).chain([1.0]).collect()
        };
        let rounded: Vec<u64> = cumulative.iter().map(|c| libm::round(c * 4_294_967_296.0) as u64).collect();
        let least = rounded.partition_point(|threshold| *threshold == 0);
        // From the first count with a threshold of 2³² on, every draw is decided.
        let thresholds = rounded[least..].iter().map_while(|t| u32::try_from(*t).ok()).collect();
        BinomialTable { least: least as u32, thresholds }
    }

    /// The count for 32 random bits: the number of thresholds that they reach.
    pub fn count(&self, bits: u32) -> u32 {
        self.least + self.thresholds.partition_point(|&threshold| threshold <= bits) as u32
    }

    /// The mean count.
    pub fn mean(&self) -> f64 {
        // E[X] = Σ P(X > k).
        f64::from(self.least) + self.thresholds.iter().map(|t| 1.0 - f64::from(*t) / 4_294_967_296.0).sum::<f64>()
    }

    /// The count if no threshold is reached.
    pub fn least(&self) -> u32 {
        self.least
    }

    /// The thresholds in increasing order, ⌊P(count ≤ k)·2³²⌉ for k from [`BinomialTable::least`] on.
    pub fn thresholds(&self) -> &[u32] {
        &self.thresholds
    }
}

/// P(count ≤ k) for k = 0 … n and p ≤ ½.
fn cumulative(n: u32, p: f64) -> Vec<f64> {
    let log_odds = libm::log(p / (1.0 - p));
    let n_f = f64::from(n);
    let mut log_mass = n_f * libm::log1p(-p);
    let mut sum = libm::exp(log_mass);
    let mut all = vec![sum];
    for k in 0..n {
        // As a logarithm, because the first probabilities of many trials underflow.
        let k = f64::from(k);
        log_mass += libm::log((n_f - k) / (k + 1.0)) + log_odds;
        sum += libm::exp(log_mass);
        all.push(sum.min(1.0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{Key, Purpose};
    use super::*;

    #[test]
    fn nothing_and_everything_are_exact() {
        for bits in [0, 1, u32::MAX / 2, u32::MAX] {
            assert_eq!(BinomialTable::new(256, 0.0).count(bits), 0);
            assert_eq!(BinomialTable::new(256, 1.0).count(bits), 256);
        }
    }

    #[test]
    fn the_mean_is_n_p() {
        for n in [256, 4096, 65_536] {
            for p in [1e-6, 1e-4, 0.02, 0.3, 0.5, 0.7, 0.98, 0.999_999] {
                let expected = f64::from(n) * p;
                assert!((BinomialTable::new(n, p).mean() - expected).abs() < 1e-7 + 1e-9 * expected, "n = {n}, p = {p}");
            }
        }
    }

    #[test]
    fn drawn_counts_have_mean_and_variance() {
        let table = BinomialTable::new(256, 0.02);
        let n = 100_000;
        let counts: Vec<f64> = (0..n).map(|k| f64::from(table.count(Key(3).draw(Purpose::Connect, 0, [k, 0, 0])[0]))).collect();
        let mean = counts.iter().sum::<f64>() / f64::from(n);
        let variance = counts.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / f64::from(n);
        assert!((mean - 5.12).abs() < 0.03, "{mean}");
        assert!((variance - 5.0176).abs() < 0.1, "{variance}");
    }
}
