//! Weights as counts of updates.

/// The units of a weight of 1: all inputs are sums of whole units.
pub const ONE: u32 = 4096;

/// The unit in which inputs are summed.
pub const UNIT: f32 = 1.0 / ONE as f32;

/// The largest sum of units, such that sums are exact as signed numbers too.
pub const LARGEST_SUM: u32 = i32::MAX as u32;

/// The same as an input.
pub const LARGEST_INPUT: u32 = LARGEST_SUM / ONE;

/// The largest number of updates that is counted.
const MAX_UPDATES: usize = u16::MAX as usize - 1;

/// The weight of a synapse after c updates, in units: 1·(1 + β)^c, at most `w_max`.
///
/// A synapse stores c, so that no step is too small for it. The product is computed in f32, factor by factor, as a synapse with the
/// statement `w = min(w*(1 + beta), w_max)` computes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    beta: f64,
    w_max: f32,
    /// In units, by number of updates; the last one is final.
    units: Vec<u32>,
}

impl Weights {
    /// The weights for a given β, and the largest weight.
    pub fn new(beta: f64, w_max: f64) -> Weights {
        let (factor, w_max) = (1.0 + beta as f32, w_max as f32);
        let (mut weight, mut units) = (1.0_f32, vec![ONE]);
        while units.len() <= MAX_UPDATES && weight < w_max && factor > 1.0 {
            weight = (weight * factor).min(w_max);
            // A sum has 31 bits; a weight that is larger alone is found when it is added.
            units.push((weight * ONE as f32).round_ties_even().min(i32::MAX as f32) as u32);
        }
        Weights { beta, w_max, units }
    }

    /// β.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The number of updates after another one.
    pub fn after(&self, updates: u16) -> u16 {
        (updates + 1).min(self.max_updates())
    }

    /// The number of updates after which a weight stays.
    pub fn max_updates(&self) -> u16 {
        (self.units.len() - 1) as u16
    }

    /// The weight after this number of updates.
    pub fn weight(&self, updates: u16) -> f32 {
        let (factor, mut weight) = (1.0 + self.beta as f32, 1.0_f32);
        (0..updates.min(self.max_updates())).for_each(|_| weight = (weight * factor).min(self.w_max));
        weight
    }

    /// The same in units.
    #[inline]
    pub fn units(&self, updates: u16) -> u32 {
        self.units[usize::from(updates)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_add_up() {
        let weights = Weights::new(0.0001, 10.0);
        let mut updates = 0;
        (0..7000).for_each(|_| updates = weights.after(updates));
        let expected = libm::pow(1.0001, 7000.0) * f64::from(ONE);
        assert!((f64::from(weights.units(updates)) - expected).abs() < 4.0, "{} {expected}", weights.units(updates));
    }

    #[test]
    fn weights_stop_at_w_max() {
        let weights = Weights::new(0.5, 2.0);
        let grown: Vec<u32> = (0..4).map(|updates| weights.units(updates.min(2))).collect();
        assert_eq!(grown, [ONE, ONE * 3 / 2, ONE * 2, ONE * 2]);
        assert_eq!(weights.after(2), 2);
        assert_eq!(Weights::new(0.0, 2.0).after(0), 0);
    }
}
