//! Uniform numbers from random bits.

/// The uniform number in (0, 1) of 64 random bits: (bits + ½)/2⁶⁴ to the nearest f64 below 1. So it has 53 bits, also near 0.
#[inline]
pub fn unit_f64(high: u32, low: u32) -> f64 {
    const WORD: f64 = 1.0 / (1_u64 << 32) as f64;
    // The inner sum is exact; the outer one is rounded once.
    let unit = (f64::from(high) + (f64::from(low) + 0.5) * WORD) * WORD;
    unit.min(1.0 - f64::EPSILON / 2.0)
}

/// A number in (0, 1) with 52 bits, symmetric about ½ and never 0 or 1, as required by [`normal_f64`](super::normal_f64).
#[inline]
pub fn open_unit_f64(high: u32, low: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 12;
    (bits as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_open_at_both_ends() {
        assert_eq!(unit_f64(0, 0), libm::ldexp(1.0, -65));
        assert_eq!(unit_f64(0, 1), libm::ldexp(1.5, -64));
        assert_eq!(unit_f64(u32::MAX, u32::MAX), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(unit_f64(1 << 31, 0), 0.5);
        assert_eq!(open_unit_f64(0, 0), f64::EPSILON / 2.0);
        assert_eq!(1.0 - open_unit_f64(u32::MAX, u32::MAX), open_unit_f64(0, 0));
    }
}
