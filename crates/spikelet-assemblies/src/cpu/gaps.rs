//! Gaps between the synapses of a row whose targets are chosen with the same probability.

/// The geometric distribution of the number of targets between two synapses.
pub(super) struct Gaps {
    pub(super) p: f64,
    /// 1/ln(1 − p).
    scale: f64,
    /// For each m, the probability that a gap is at least m, in units of 2⁻³².
    longer: Vec<u32>,
    /// For the highest bits of a random word, the smallest gap that it can give.
    guide: Vec<u16>,
}

/// The bits of a random word that the guide has an entry for.
const GUIDED: u32 = 12;

impl Gaps {
    pub(super) fn new(p: f64) -> Gaps {
        // All gaps but one in 20,000, or as many as fit the cache.
        let tabled = (10.0 / p).clamp(64.0, 16_384.0) as usize;
        let power = |m: usize| (libm::exp(libm::log1p(-p) * m as f64) * 4_294_967_296.0) as u64;
        let longer: Vec<u32> = (0..tabled).map(|m| u32::try_from(power(m)).unwrap_or(u32::MAX)).collect();
        // The largest word of an entry gives the smallest gap: the last one whose probability exceeds it.
        let smallest = |entry: u32| {
            let word = ((entry + 1) << (32 - GUIDED)).wrapping_sub(1);
            longer.partition_point(|longer| *longer > word).saturating_sub(1) as u16
        };
        let guide = (0..1 << GUIDED).map(smallest).collect();
        Gaps { p, scale: 1.0 / libm::log1p(-p), longer, guide }
    }

    /// The gap before the next synapse, or `None` if it is at least `end`.
    #[inline]
    pub(super) fn draw(&self, word: u32, end: u32) -> Option<u32> {
        let mut gap = usize::from(self.guide[(word >> (32 - GUIDED)) as usize]);
        while self.longer.get(gap + 1).is_some_and(|longer| word < *longer) {
            gap += 1;
        }
        let gap = if gap + 1 < self.longer.len() { gap as u32 } else { self.long(word) };
        (gap < end).then_some(gap)
    }

    /// A gap beyond the table.
    #[cold]
    fn long(&self, word: u32) -> u32 {
        let uniform = (f64::from(word) + 0.5) / 4_294_967_296.0;
        // More than a number of 32 bits is rounded to the largest one, which is beyond all targets.
        (libm::log(uniform) * self.scale) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_geometric() {
        for p in [0.001, 0.05, 0.7, 1.0] {
            let gaps = Gaps::new(p);
            let words = (0..20_000_u32).map(|k| spikelet::rng::philox(5, [k, 0, 0, 0])[0]);
            let mut sum = 0.0;
            for word in words {
                let gap = gaps.draw(word, u32::MAX).unwrap_or(u32::MAX);
                sum += f64::from(gap);
                assert!(p == 1.0 || gap.abs_diff(gaps.long(word)) <= 1, "{word}: {gap}");
                assert_eq!([1, 5, 500].map(|end| gaps.draw(word, end)), [1, 5, 500].map(|end| (gap < end).then_some(gap)));
            }
            let (mean, expected) = (sum / 20_000.0, (1.0 - p) / p);
            assert!((mean - expected).abs() < 0.03 * expected + 1e-9, "{p}: {mean}");
        }
    }
}
