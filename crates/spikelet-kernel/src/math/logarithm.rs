//! Logarithms and powers.

use super::{WHOLE, head, integer, nan_of, power_of_two, scale, two_sum, without_denormals};

/// f and e: x = (1 + f) · 2^e with 1 + f in [√½, √2), for x ≥ 2⁻¹²⁶.
#[inline(always)]
fn reduce(x: f32) -> (f32, f32) {
    let shifted = x.max(f32::MIN_POSITIVE).to_bits().wrapping_sub(0x3f35_04f3);
    (f32::from_bits((shifted & 0x007f_ffff) + 0x3f35_04f3) - 1.0, ((shifted as i32) >> 23) as f32)
}

/// log(1 + f) − f + f²/2 (Cephes, logf).
#[inline(always)]
fn beyond_square(f: f32) -> f32 {
    let mut p = 7.037_683_6e-2;
    p = p * f + -1.151_461e-1;
    p = p * f + 1.167_699_84e-1;
    p = p * f + -1.242_014_1e-1;
    p = p * f + 1.424_932_3e-1;
    p = p * f + -1.666_805_7e-1;
    p = p * f + 2.000_071_5e-1;
    p = p * f + -2.499_999_4e-1;
    p = p * f + 3.333_333_3e-1;
    p * f * (f * f)
}

/// log(1 + f) + e ln 2
#[inline(always)]
fn compose(f: f32, e: f32) -> f32 {
    let y = beyond_square(f) + e * -2.121_944_4e-4 - 0.5 * (f * f);
    f + y + e * 0.693_359_4
}

/// What every logarithm is outside the positive numbers: −∞ at `zero` and just above, NaN below, ∞ of ∞.
#[inline(always)]
fn at_the_ends(x: f32, result: f32) -> f32 {
    let result = if x < f32::MIN_POSITIVE { f32::NEG_INFINITY } else { result };
    let result = if x <= -f32::MIN_POSITIVE { f32::NAN } else { result };
    if x > f32::MAX { x } else { result }
}

/// Natural logarithm. −∞ at 0, NaN below.
///
/// `rand()` can be 0; where the logarithm of a random number is wanted, `log1p(-rand())` is always finite.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let (f, e) = reduce(x);
    nan_of(x, at_the_ends(x, compose(f, e)))
}

/// The same for a positive number that is not denormal.
#[inline(always)]
pub(super) fn log_normal(x: f32) -> f32 {
    let (f, e) = reduce(x);
    compose(f, e)
}

/// Logarithm to base 10. −∞ at 0, NaN below.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    let (f, e) = reduce(x);
    let y = beyond_square(f) - 0.5 * (f * f);
    // log10 e and log10 2, each in two pieces, the first of 12 bits.
    let mut sum = (f + y) * 9.038_034e-5 + e * 4.605_039e-6;
    sum += y * 0.434_204_1;
    sum += f * 0.434_204_1;
    nan_of(x, at_the_ends(x, sum + e * 0.301_025_4))
}

/// log(1 + x), accurate where x is close to 0. −∞ at −1, NaN below.
#[inline(always)]
pub fn log1p(x: f32) -> f32 {
    let x = without_denormals(x);
    let (sum, lost) = two_sum(1.0, x);
    let (f, e) = reduce(sum);
    // From 2²⁵ on what was lost is too little to matter, and 2^−e may not be a number.
    let f = f + if e < 26.0 { lost * power_of_two(-integer(e)) } else { 0.0 };
    nan_of(x, at_the_ends(sum, compose(f, e)))
}

/// x^y. Of a negative x it is NaN unless y is whole; 0^y is 0, 1, or infinite where y < 0.
#[inline(always)]
pub fn power(x: f32, y: f32) -> f32 {
    let y = without_denormals(y);
    let a = x.abs();
    let (high, low) = binary_logarithm(a);
    // Beyond 2³² every power is 0, 1 or infinite.
    let held = y.clamp(-4_294_967_296.0, 4_294_967_296.0);
    let upper = head(held) * high;
    let lower = (held - head(held)) * high + held * low;
    let sum = upper + lower;
    let n = (sum.clamp(-200.0, 200.0) + WHOLE) - WHOLE;
    let f = (upper - n) + lower;
    let mut p = 1.547_595e-4;
    p = p * f + 1.339_927_7e-3;
    p = p * f + 9.618_006e-3;
    p = p * f + 5.550_331_6e-2;
    p = p * f + 2.402_265e-1;
    p = p * f + 6.931_472e-1;
    p = p * f + 1.0;
    let result = scale(p, integer(n));
    let below = if p < 1.0 { n - 1.0 } else { n };
    let result = if below < -126.0 { 0.0 } else { result };
    // 0 and ∞.
    let zero = a < f32::MIN_POSITIVE;
    let extreme = if zero == (y < 0.0) { f32::INFINITY } else { 0.0 };
    let result = if zero || a > f32::MAX { extreme } else { result };
    let result = if y == 0.0 { 1.0 } else { result };
    // Below 0: the sign of an odd power; NaN between whole numbers.
    let result = if x <= -f32::MIN_POSITIVE && !is_whole(y) { f32::NAN } else { result };
    let odd = is_whole(y) && !is_whole(0.5 * y);
    let result = if x <= -f32::MIN_POSITIVE && odd { -result } else { result };
    nan_of(x, nan_of(y, result))
}

#[inline(always)]
fn is_whole(x: f32) -> bool {
    let a = x.abs();
    let near = (a + 8_388_608.0) - 8_388_608.0;
    a >= 8_388_608.0 || near == a
}

/// The logarithm to base 2 of a positive normal number as a sum, to 2⁻³³ of it; the first term has 12 bits
/// (after fdlibm, e_powf.c).
#[inline(always)]
fn binary_logarithm(x: f32) -> (f32, f32) {
    let (f, e) = reduce(x);
    // s = f/(2 + f) in two pieces.
    let m = 1.0 + f;
    let inverse = 1.0 / (2.0 + f);
    let s = f * inverse;
    let s_high = head(s);
    let divisor = head(m + 1.0);
    let rest = m - (divisor - 1.0);
    let s_low = inverse * ((f - s_high * divisor) - s_high * rest);
    // log(1 + f) = ⅔ s (3 + s² + tail).
    let z = s * s;
    let mut p = 2.307_692_3e-1;
    p = p * z + 2.727_272_8e-1;
    p = p * z + 3.333_333_4e-1;
    p = p * z + 4.285_714_3e-1;
    p = p * z + 0.6;
    let tail = z * z * p + s_low * (s_high + s);
    let square = s_high * s_high;
    let sum_high = head(3.0 + square + tail);
    let sum_low = tail - ((sum_high - 3.0) - square);
    // s · (3 + s² + tail), then times 2/(3 ln 2), then + e, each in two pieces.
    let upper = s_high * sum_high;
    let lower = s_low * sum_high + sum_low * s;
    let product_high = head(upper + lower);
    let product_low = lower - (product_high - upper);
    let upper = 0.961_669_9 * product_high;
    let lower = 1.267_720_5e-4 * product_high + product_low * 0.961_796_7;
    let high = head((upper + lower) + e);
    (high, lower - ((high - e) - upper))
}
