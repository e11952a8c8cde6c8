//! Delay buffers: pending input, summed in fixed point.
//!
//! A delay buffer has one slot per step up to the longest delay, with one i32 per neuron of the port. Integer sums do not depend on the
//! order of their terms, and the scale is chosen such that they cannot overflow.

use spikelet_kernel::simd::Level;

/// A sum of a delay buffer as a number.
pub use spikelet_kernel::block::arrived as value;

/// Valid shifts: the unit, and its inverse, are f32 numbers.
const SHIFTS: std::ops::RangeInclusive<i32> = -120..=120;

/// Largest power of two for which the sum of `total` (the absolute weights of the neuron with the largest input, all at once) over `count`
/// synapses fits an i32, with each weight rounded to the nearest integer; `None` if no unit is large enough.
pub fn shift(total: f64, count: u64) -> Option<i32> {
    let room = f64::from(i32::MAX) - count as f64 * 0.5;
    if total <= 0.0 {
        return Some(0);
    }
    if !total.is_finite() || room <= 0.0 {
        return None;
    }
    // The exponent of the quotient, without a logarithm; then corrected to the last bit.
    let shift = libm::ilogb(room / total).min(*SHIFTS.end());
    let shift = if libm::ldexp(total, shift) > room { shift - 1 } else { shift };
    SHIFTS.contains(&shift).then_some(shift)
}

/// The same for the remainders of whole units of 2^-`whole`, at most half a unit in each of `count` synapses.
pub fn rest_shift(whole: i32, count: u64) -> i32 {
    shift(libm::ldexp(count as f64, -whole - 1), count).unwrap_or(*SHIFTS.end())
}

/// Reserve of a port with two scales for events larger than expected.
pub const HEADROOM: f64 = 1024.0;

/// Two scales for events of about `size` each that are computed when spikes arrive, at most `most` per neuron at once: the shift of whole
/// units, the shift of remainders, and the maximum units of one event. Both sums fit an i32.
pub fn two_scales(size: f64, most: u32) -> (i32, i32, i32) {
    let limit = i32::MAX / i32::try_from(most.max(1)).unwrap_or(i32::MAX);
    let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
    let coarse = libm::ilogb(f64::from(limit) / (size * HEADROOM)).clamp(-60, 60);
    // The remainder is at most half a unit.
    let fine = coarse + 1 + libm::ilogb(f64::from(limit));
    (coarse, fine, limit)
}

/// An event of a port with two scales as units and remainder, from the [`scale`] of each; `None` if it exceeds the `limit`.
#[inline]
pub fn split(event: f32, scales: [f32; 2], limit: i32) -> Option<(i32, i32)> {
    let scaled = event * scales[0];
    let whole = scaled.round_ties_even();
    // NaN exceeds any limit.
    if whole.abs().partial_cmp(&(limit as f32)).is_none_or(std::cmp::Ordering::is_gt) {
        return None;
    }
    // Both differences are exact; the quotient of the scales is a power of two.
    let rest = (scaled - whole) * (scales[1] / scales[0]);
    Some((whole as i32, rest.round_ties_even() as i32))
}

/// Many events in whole units, rounded to the nearest; false if one exceeds the limit.
#[inline(always)]
pub fn whole_units(events: &[f32], scale: f32, limit: i32, units: &mut [i32]) -> bool {
    let (mut largest, mut are_numbers) = (0.0_f32, true);
    for (event, units) in events.iter().zip(units) {
        let whole = (event * scale).round_ties_even();
        largest = if whole.abs() > largest { whole.abs() } else { largest };
        are_numbers &= !whole.is_nan();
        *units = whole as i32;
    }
    are_numbers && largest <= limit as f32
}

/// The remainder of [`whole_units`], in the second scale.
#[inline(always)]
pub fn left_over(events: &[f32], scales: [f32; 2], rests: &mut [i32]) {
    let per_unit = scales[1] / scales[0];
    for (event, rest) in events.iter().zip(rests) {
        let scaled = event * scales[0];
        *rest = ((scaled - scaled.round_ties_even()) * per_unit).round_ties_even() as i32;
    }
}

/// Units in 1.
pub fn scale(shift: i32) -> f32 {
    libm::ldexp(1.0, shift) as f32
}

/// `weight` in units of 2^-shift, rounded to the nearest, ties to even.
pub fn quantise(weight: f64, shift: i32) -> i32 {
    libm::rint(libm::ldexp(weight, shift)) as i32
}

/// Many weights as [`quantise`], in their own memory.
pub fn quantise_all(mut weights: Vec<f32>, shift: i32) -> Vec<i32> {
    // Exact, as the exponents of f64 have room for it.
    let scale = libm::ldexp(1.0, shift);
    let units = |weight: f32| (f64::from(weight) * scale).round_ties_even() as i32;
    Level::best().run(
        #[inline(always)]
        || weights.iter_mut().for_each(|weight| *weight = f32::from_bits(units(*weight) as u32)),
    );
    weights.into_iter().map(|units| units.to_bits() as i32).collect()
}

/// The remainder of `weight` after whole units of the first of these shifts, in units of the second.
pub fn rest(weight: f64, [whole, rest]: [i32; 2]) -> i32 {
    quantise(weight - libm::ldexp(f64::from(quantise(weight, whole)), -whole), rest)
}

/// The value of one unit of a delay buffer with this shift.
pub fn unit(shift: i32) -> f32 {
    libm::ldexp(1.0, -shift) as f32
}

/// `sum` in a delay buffer of another shift.
pub fn rescale(sum: i32, from: i32, to: i32) -> i32 {
    quantise(f64::from(sum), to - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// All synapses of the neuron with the largest input fit an i32 at once, and would not with twice the scale.
        #[test]
        fn sums_cannot_overflow(weights in prop::collection::vec(-1e6..1e6_f64, 1..400), tiny in 1e-9..1.0_f64) {
            let weights: Vec<f64> = weights.iter().map(|weight| weight.abs() * tiny).collect();
            let total: f64 = weights.iter().sum();
            let chosen = shift(total, weights.len() as u64).unwrap();
            let sum: i64 = weights.iter().map(|weight| i64::from(quantise(*weight, chosen))).sum();
            prop_assert!(sum <= i64::from(i32::MAX));
            prop_assert!(total == 0.0 || chosen == *SHIFTS.end() || libm::ldexp(total, chosen + 1) > f64::from(i32::MAX) - weights.len() as f64);
        }

        #[test]
        fn many_weights_are_quantised_alike(weights in prop::collection::vec(any::<f32>(), 0..100), shift in SHIFTS) {
            let expected: Vec<i32> = weights.iter().map(|weight| quantise(f64::from(*weight), shift)).collect();
            prop_assert_eq!(quantise_all(weights, shift), expected);
        }

        #[test]
        fn sums_become_the_nearest_number(sum in any::<i32>(), shift in -20..40_i32) {
            prop_assert_eq!(value(sum, unit(shift)), (libm::ldexp(f64::from(sum), -shift)) as f32);
        }
    }

    proptest! {
        /// Many events at once give the same result as one by one.
        #[test]
        fn events_are_split_alike(events in prop::collection::vec(any::<f32>(), 1..300), size in 1e-3..1e3_f64, most in 1..1000_u32) {
            let (coarse, fine, limit) = two_scales(size, most);
            let scales = [coarse, fine].map(scale);
            let (mut units, mut rests) = (vec![0; events.len()], vec![0; events.len()]);
            let fit = whole_units(&events, scales[0], limit, &mut units);
            left_over(&events, scales, &mut rests);
            let expected: Option<Vec<(i32, i32)>> = events.iter().map(|event| split(*event, scales, limit)).collect();
            prop_assert_eq!(fit, expected.is_some());
            if let Some(expected) = expected {
                prop_assert_eq!(units.into_iter().zip(rests).collect::<Vec<_>>(), expected);
            }
        }
    }
}
