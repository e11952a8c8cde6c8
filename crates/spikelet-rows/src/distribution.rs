//! Distributions of values: moments, extremes and a histogram.

use serde::{Deserialize, Serialize};

/// The distribution of a variable over the synapses of a projection, in the unit of its [`Statistic`](spikelet_network::Statistic).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Distribution {
    /// Number of finite values; mean to maximum, and the counts, refer to these.
    pub finite: u32,
    /// Number of infinite or NaN values.
    pub not_finite: u32,
    /// Their mean; 0 if there are none, as for all following fields.
    pub mean: f64,
    /// Their standard deviation: the root of the mean squared deviation.
    pub sd: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// Values below the range; 0 without a range.
    pub below: u32,
    /// Values above it.
    pub above: u32,
    /// Values in each bin. The lower limit of a bin belongs to it, the upper limit only to the last bin.
    pub counts: Vec<u32>,
}

/// A distribution as computed by backends: in inner units, combined from parts.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialHistogram {
    /// Number of finite values.
    pub finite: u32,
    /// Number of other values.
    pub not_finite: u32,
    /// Values below the range.
    pub below: u32,
    /// Values above it.
    pub above: u32,
    /// Values in each bin.
    pub counts: Vec<u32>,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    min: f32,
    max: f32,
}

/// Moments and extremes of finite values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Number of values.
    pub count: u32,
    /// Their mean.
    pub mean: f64,
    /// Sum of squared deviations.
    pub squares: f64,
    /// The minimum.
    pub min: f32,
    /// The maximum.
    pub max: f32,
}

impl PartialHistogram {
    /// Words of a tally before its counts.
    const HEAD: usize = 10;

    /// Number of words of a tally with this many bins.
    pub fn words_of_bins(bins: usize) -> usize {
        PartialHistogram::HEAD + bins
    }

    /// An empty tally with this many bins.
    pub fn new(bins: usize) -> PartialHistogram {
        let counts = vec![0; bins];
        let (mean, squares, min, max) = (0.0, 0.0, f32::INFINITY, f32::NEG_INFINITY);
        PartialHistogram { finite: 0, not_finite: 0, below: 0, above: 0, counts, mean, squares, min, max }
    }

    /// Values in their order. `edges` are the limits of the bins; empty without a histogram.
    pub fn of(values: &[f32], edges: &[f32]) -> PartialHistogram {
        let mut histogram = PartialHistogram::new(edges.len().saturating_sub(1));
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let count = finite().count();
        histogram.not_finite = (values.len() - count) as u32;
        let mean = finite().map(f64::from).sum::<f64>() / count.max(1) as f64;
        let squares = finite().map(|value| (f64::from(value) - mean).powi(2)).sum();
        let (min, max) = finite().fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), v| (min.min(v), max.max(v)));
        histogram.add(Moments { count: count as u32, mean, squares, min, max });
        if let [low, .., high] = edges {
            let per_bin = (edges.len() - 1) as f32 / (high - low);
            for value in finite() {
                if value < *low {
                    histogram.below += 1;
                } else if value > *high {
                    histogram.above += 1;
                } else {
                    histogram.counts[bin(edges, value, (value - low) * per_bin)] += 1;
                }
            }
        }
        histogram
    }

    /// Adds more values, after Chan, Golub & LeVeque 1983 (The American Statistician 37, 242).
    pub fn add(&mut self, part: Moments) {
        if part.count == 0 {
            return;
        }
        let (own, other) = (f64::from(self.finite), f64::from(part.count));
        let apart = part.mean - self.mean;
        self.mean += apart * other / (own + other);
        self.squares += part.squares + apart * apart * own * other / (own + other);
        self.finite += part.count;
        self.min = self.min.min(part.min);
        self.max = self.max.max(part.max);
    }

    /// Adds those of other values, with the same bins.
    pub fn merge(&mut self, other: &PartialHistogram) {
        let PartialHistogram { finite: count, mean, squares, min, max, .. } = *other;
        self.add(Moments { count, mean, squares, min, max });
        self.not_finite += other.not_finite;
        self.below += other.below;
        self.above += other.above;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, own)| *sum += own);
    }

    /// As words, in the form of a statistic in the table of arrays.
    pub fn to_words(&self) -> Vec<u32> {
        let halves = |number: f64| [number.to_bits() as u32, (number.to_bits() >> 32) as u32];
        let mut words = vec![self.finite, self.not_finite, self.below, self.above];
        words.extend(halves(self.mean).into_iter().chain(halves(self.squares)));
        words.extend([self.min.to_bits(), self.max.to_bits()]);
        words.extend(&self.counts);
        words
    }

    /// The inverse; `None` if there are too few words.
    pub fn from_words(words: &[u32]) -> Option<PartialHistogram> {
        let (&[finite, not_finite, below, above, m0, m1, s0, s1, min, max], counts) = words.split_first_chunk()?;
        let number = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32);
        let (mean, squares) = (number(m0, m1), number(s0, s1));
        let (min, max) = (f32::from_bits(min), f32::from_bits(max));
        Some(PartialHistogram { finite, not_finite, below, above, counts: counts.to_vec(), mean, squares, min, max })
    }
}

/// The bin of a value within the range. The guess is right for bins of equal width, except by rounding.
#[inline]
fn bin(edges: &[f32], value: f32, guess: f32) -> usize {
    let last = edges.len() - 2;
    let mut bin = (guess as usize).min(last);
    while edges[bin] > value {
        bin -= 1;
    }
    while bin < last && edges[bin + 1] <= value {
        bin += 1;
    }
    bin
}

impl Distribution {
    /// From the words of a tally, in a unit of `factor` inner units.
    pub fn from_words(words: &[u32], factor: f64) -> Distribution {
        let Some(histogram) = PartialHistogram::from_words(words) else { return Distribution::default() };
        let PartialHistogram { finite, not_finite, below, above, counts, mean, squares, min, max } = histogram;
        // Adding 0 makes -0 of one device the 0 of another.
        let extreme = |value: f32| if finite == 0 { 0.0 } else { f64::from(value) / factor + 0.0 };
        let sd = libm::sqrt(squares / f64::from(finite.max(1))) / factor;
        let (min, max) = (extreme(min), extreme(max));
        Distribution { finite, not_finite, mean: mean / factor, sd, min, max, below, above, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(values: &[f32], edges: &[f32]) -> Distribution {
        Distribution::from_words(&PartialHistogram::of(values, edges).to_words(), 1.0)
    }

    #[test]
    fn moments_extremes_and_counts_are_those_of_the_values() {
        let found = distribution(&[1.0, 2.0, 4.0, f32::NAN, 5.0, f32::INFINITY], &[1.0, 2.0, 4.0]);
        assert_eq!((found.finite, found.not_finite), (4, 2));
        assert_eq!((found.mean, found.sd), (3.0, 2.5_f64.sqrt()));
        assert_eq!((found.min, found.max), (1.0, 5.0));
        // 2 is the limit of two bins, 4 that of the last.
        assert_eq!((found.below, &found.counts[..], found.above), (0, &[1, 2][..], 1));
        assert_eq!(distribution(&[0.5, 1.5], &[1.0, 2.0]).below, 1);
        assert_eq!(distribution(&[f32::NAN], &[]), Distribution { not_finite: 1, ..Distribution::default() });
    }

    #[test]
    fn a_bin_is_found_from_any_guess() {
        let edges: Vec<f32> = (0..=40).map(|k| -0.3 + k as f32 * 0.017).collect();
        let uneven = [0.0, 1.0, 1.0, 1.5, 100.0];
        for edges in [&edges[..], &uneven] {
            let (low, high) = (edges[0], edges[edges.len() - 1]);
            let per_bin = (edges.len() - 1) as f32 / (high - low);
            let between = (0..=5000).map(|k| (low + (high - low) * (k as f32 / 5000.0)).clamp(low, high));
            for value in between.chain(edges.iter().copied()) {
                let expected = (edges.partition_point(|edge| *edge <= value) - 1).min(edges.len() - 2);
                for guess in [(value - low) * per_bin, 0.0, 1e9, f32::NAN] {
                    assert_eq!(bin(edges, value, guess), expected, "{value} from {guess}");
                }
            }
        }
    }

    #[test]
    fn parts_come_to_the_whole() {
        // A mean much larger than the deviation: sums of squares would lose it.
        let values: Vec<f32> = (0..1000).map(|k| 1000.0 + (k % 7) as f32 * 0.001).collect();
        let whole = PartialHistogram::of(&values, &[]);
        let mut parts = PartialHistogram::new(0);
        for chunk in values.chunks(77) {
            let PartialHistogram { finite: count, mean, squares, min, max, .. } = PartialHistogram::of(chunk, &[]);
            parts.add(Moments { count, mean, squares, min, max });
        }
        assert_eq!((parts.finite, parts.min, parts.max), (whole.finite, whole.min, whole.max));
        assert!((parts.mean - whole.mean).abs() < 1e-9);
        assert!((parts.squares / whole.squares - 1.0).abs() < 1e-9, "{} {}", parts.squares, whole.squares);
    }
}
