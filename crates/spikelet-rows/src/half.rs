//! Weights in two bytes: the bits of an f16, read as a number of units of a delay buffer.
//!
//! A sign, an exponent e of five bits and a fraction f of ten represent ±f for e = 0, else ±(1024 + f)·2^(e − 1): the value of the f16 in
//! units of 2^-24. Integers below 2048 are exact, larger ones have eleven significant bits, and all values are integers. There are no
//! infinities: 31 is a normal exponent, and the largest values are never written.

/// The largest number below 2³¹.
const LARGEST: u32 = 0x57ff;

/// The nearest value to `units`, which fits an i32; ties to even. The relative error is at most 1/2048.
///
/// No saturation: the largest, 2³¹ − 2²⁰, is the nearest to all larger i32 values.
pub fn encode(units: i32) -> u16 {
    let sign = u16::from(units < 0) << 15;
    let size = units.unsigned_abs();
    // Number of bits after the first eleven.
    let beyond = 21_u32.saturating_sub(size.leading_zeros());
    if beyond == 0 {
        return sign | size as u16;
    }
    let odd = (size >> beyond) & 1;
    let rounded = (size + (1 << (beyond - 1)) - 1 + odd) >> beyond;
    // Rounding up to 2048 carries into the exponent.
    sign | ((beyond << 10) + rounded).min(LARGEST) as u16
}

/// The units that `half` represents; the same as `half_units` of `shaders/ring.wgsl`. For numbers that do not fit an i32, which [`encode`]
/// does not write, upper bits are lost.
#[inline]
pub fn decode(half: u16) -> i32 {
    let (exponent, fraction) = (u32::from(half >> 10) & 31, u32::from(half) & 1023);
    let normal = u32::from(exponent > 0);
    let size = ((fraction | normal << 10) << (exponent - normal)) as i32;
    if half >> 15 == 0 { size } else { size.wrapping_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all magnitudes.
    fn units() -> impl Strategy<Value = i32> {
        (any::<i32>(), 0..32_u32).prop_map(|(units, shift)| units >> shift)
    }

    proptest! {
        #[test]
        fn the_nearest_is_taken(units in units()) {
            let half = encode(units);
            let found = i64::from(decode(half));
            prop_assert_eq!(encode(decode(half)), half);
            let off = (found - i64::from(units)).abs();
            prop_assert!(off * 2048 <= i64::from(units).abs(), "{} becomes {}", units, found);
            // No neighbour is nearer; of two equally near ones the even one is chosen.
            for other in [half.wrapping_sub(1), half.wrapping_add(1)].into_iter().filter(|other| other & 0x7fff <= LARGEST as u16) {
                let of_other = (i64::from(decode(other)) - i64::from(units)).abs();
                prop_assert!(off < of_other || off == of_other && half.is_multiple_of(2), "{} becomes {}", units, found);
            }
        }

        #[test]
        fn order_is_kept(one in units(), other in units()) {
            let [least, most] = [one.min(other), one.max(other)];
            prop_assert!(decode(encode(least)) <= decode(encode(most)));
            prop_assert_eq!(decode(encode(-(one >> 1))), -decode(encode(one >> 1)));
        }

        /// Scaling down gives a value of the same kind.
        #[test]
        fn a_coarser_scale_loses_no_more(units in units(), by in 0..31_i32) {
            let rescaled = crate::ring::rescale(decode(encode(units)), by, 0);
            prop_assert_eq!(decode(encode(rescaled)), rescaled);
        }
    }

    #[test]
    fn every_number_comes_back() {
        (-2048..=2048).for_each(|units| assert_eq!(decode(encode(units)), units));
        let written = (0..=LARGEST as u16).chain(0x8001..=0x8000 | LARGEST as u16);
        written.for_each(|half| assert_eq!(encode(decode(half)), half));
        assert_eq!((decode(encode(2049)), decode(encode(2051)), decode(encode(-2051))), (2048, 2052, -2052));
        assert_eq!((decode(encode(i32::MAX)), decode(encode(i32::MIN))), (0x7ff0_0000, -0x7ff0_0000));
    }

    /// They are the values of IEEE 754, in units of 2^-24.
    #[test]
    fn the_bits_are_those_of_an_f16() {
        for (half, value) in
            [(0x0001, 1.0 / 16_777_216.0), (0x3c00, 1.0), (0x3555, 0.333_251_953_125), (0xc000, -2.0), (0x56ff, 111.9375)]
        {
            assert_eq!(f64::from(decode(half)) / 16_777_216.0, value, "{half:#06x}");
        }
    }
}
