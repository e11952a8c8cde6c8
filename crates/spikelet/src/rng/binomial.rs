//! Binomial counts by integer comparison.

/// Binomial(256, p) as a table of thresholds: a count comes from 32 random bits by integer comparison alone, so that a
/// GPU can repeat it exactly.
///
/// Each cumulative probability is rounded to a multiple of 2⁻³², which moves the mean count by less than 10⁻⁷.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinomialTable {
    thresholds: Vec<u32>,
}

impl BinomialTable {
    /// Number of trials: the size of a block of posts.
    pub const TRIALS: u32 = 256;

    /// The table for success probability `p` in [0, 1].
    pub fn new(p: f64) -> BinomialTable {
        debug_assert!((0.0..=1.0).contains(&p), "p = {p}");
        // The recursion starts at P(0) = (1 - p)^256, which must not underflow: the larger half is mirrored.
        let cumulative: Vec<f64> = if p <= 0.5 {
            cumulative(p)
        } else {
            let mirrored = cumulative(1.0 - p);
            mirrored.iter().rev().skip(1).map(|c| 1.0 - c).chain([1.0]).collect()
        };
        // From the first count whose threshold would be 2³² on, every draw is decided.
        let rounded = cumulative.iter().map(|c| libm::round(c * 4_294_967_296.0) as u64);
        BinomialTable { thresholds: rounded.map_while(|t| u32::try_from(t).ok()).collect() }
    }

    /// The count for 32 random bits: how many thresholds they reach.
    pub fn count(&self, bits: u32) -> u32 {
        self.thresholds.partition_point(|&threshold| threshold <= bits) as u32
    }

    /// The thresholds in rising order, ⌊P(count ≤ k)·2³²⌉ for k = 0, 1, …; at most 256.
    pub fn thresholds(&self) -> &[u32] {
        &self.thresholds
    }
}

/// P(count ≤ k) for k = 0 … 256 and p ≤ ½.
fn cumulative(p: f64) -> Vec<f64> {
    let n = f64::from(BinomialTable::TRIALS);
    let odds = p / (1.0 - p);
    let mut mass = libm::exp(n * libm::log1p(-p));
    let mut sum = mass;
    let mut all = vec![sum];
    for k in 0..BinomialTable::TRIALS {
        let k = f64::from(k);
        mass *= (n - k) / (k + 1.0) * odds;
        sum += mass;
        all.push(sum);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{Key, Purpose};
    use super::*;

    fn mean(table: &BinomialTable) -> f64 {
        // E[X] = Σ P(X > k).
        table.thresholds().iter().map(|&t| 1.0 - f64::from(t) / 4_294_967_296.0).sum()
    }

    #[test]
    fn nothing_and_everything_are_exact() {
        for bits in [0, 1, u32::MAX / 2, u32::MAX] {
            assert_eq!(BinomialTable::new(0.0).count(bits), 0);
            assert_eq!(BinomialTable::new(1.0).count(bits), 256);
        }
    }

    #[test]
    fn the_mean_is_256_p() {
        for p in [1e-6, 1e-4, 0.02, 0.3, 0.5, 0.7, 0.98, 0.999_999] {
            assert!((mean(&BinomialTable::new(p)) - 256.0 * p).abs() < 1e-7, "p = {p}");
        }
    }

    #[test]
    fn drawn_counts_have_mean_and_variance() {
        let table = BinomialTable::new(0.02);
        let n = 100_000;
        let counts: Vec<f64> = (0..n).map(|k| f64::from(table.count(Key(3).draw(Purpose::Connect, 0, [k, 0, 0])[0]))).collect();
        let mean = counts.iter().sum::<f64>() / f64::from(n);
        let variance = counts.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / f64::from(n);
        assert!((mean - 5.12).abs() < 0.03, "{mean}");
        assert!((variance - 5.0176).abs() < 0.1, "{variance}");
    }
}
