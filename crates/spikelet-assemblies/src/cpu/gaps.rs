//! Gaps between the synapses of a row whose targets are chosen with the same probability.

/// The geometric distribution of the number of targets between two synapses.
pub(super) struct Gaps {
    pub(super) p: f64,
    /// 1/ln(1 − p).
    scale: f64,
    /// For each m, the probability that a gap is at least m, in units of 2⁻³².
    longer: Vec<u32>,
}

/// Gaps up to which a comparison tells whether there is a synapse.
const COMPARED: usize = 1024;

impl Gaps {
    pub(super) fn new(p: f64) -> Gaps {
        let power = |m: usize| (libm::exp(libm::log1p(-p) * m as f64) * 4_294_967_296.0) as u64;
        let longer = (0..COMPARED).map(|m| u32::try_from(power(m)).unwrap_or(u32::MAX)).collect();
        Gaps { p, scale: 1.0 / libm::log1p(-p), longer }
    }

    /// The gap before the next synapse, or `None` if it is at least `end`.
    #[inline]
    pub(super) fn draw(&self, word: u32, end: u32) -> Option<u32> {
        if self.p >= 1.0 {
            return Some(0);
        }
        // Usually there is no synapse, and a logarithm takes longer than a comparison.
        if self.longer.get(end as usize).is_some_and(|longer| word < *longer) {
            return None;
        }
        let uniform = (f64::from(word) + 0.5) / 4_294_967_296.0;
        let gap = libm::log(uniform) * self.scale;
        // A gap that is not less than a number of 32 bits is rounded to the largest, which is not less than `end`.
        let gap = gap as u32;
        (gap < end).then_some(gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_geometric_and_a_comparison_changes_none() {
        let gaps = Gaps::new(0.05);
        let all_compared = Gaps { longer: Vec::new(), ..Gaps::new(0.05) };
        let words = (0..20_000_u32).map(|k| spikelet::rng::philox(5, [k, 0, 0, 0])[0]);
        let mut sum = 0.0;
        for word in words {
            let gap = gaps.draw(word, u32::MAX).unwrap_or(u32::MAX);
            sum += f64::from(gap);
            for end in [1, 5, 30, 500] {
                assert_eq!(gaps.draw(word, end), all_compared.draw(word, end), "{word} {end}");
                assert_eq!(gaps.draw(word, end).is_some(), gap < end, "{word} {end}");
            }
        }
        // The mean is (1 − p)/p = 19.
        assert!((sum / 20_000.0 - 19.0).abs() < 0.5, "{sum}");
        assert_eq!(Gaps::new(1.0).draw(7, 3), Some(0));
    }
}
