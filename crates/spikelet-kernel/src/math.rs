//! Elementary functions in f32: the CPU versions of `shaders/math.wgsl`, operation by operation.
//!
//! The functions of the standard library and of GPUs differ between machines. These use only addition, multiplication, division, comparison
//! and integer bits, so they agree wherever those are rounded correctly. They select instead of branching, so that a loop over a block of
//! neurons is vectorised; exceptions are [`poisson`], [`binomial`], and [`sin`], [`cos`], [`tan`] of large arguments.
//!
//! Largest error, over all numbers for which the result is finite, in units of the last place (ulp) of the exact result:
//!
//! | function | ulp | function | ulp | function | ulp |
//! |---|---|---|---|---|---|
//! | [`exp`] | 1.2 | [`log`] | 0.9 | [`sin`], [`cos`] | 1.7 |
//! | [`expm1`] | 1.6 | [`log10`] | 2.0 | [`tan`] | 2.9 |
//! | [`exprel`] | 2.5 | [`log1p`] | 1.5 | [`arcsin`] | 2.2 |
//! | [`sinh`] | 1.7 | [`sqrt`] | 0.8 | [`arccos`] | 1.5 |
//! | [`cosh`] | 1.7 | [`power`] | 1.4 | [`arctan`] | 1.9 |
//! | [`tanh`] | 1.4 | [`sigmoid`] | 2.5 | | |
//!
//! The bounds are measured: every 31st number there is, and for [`power`] some millions of pairs.
//!
//! A result is never a denormal number: below 2⁻¹²⁶ it is 0; denormal arguments count as 0. NaN gives NaN.

mod circular;
mod exponential;
mod logarithm;
mod random;
#[cfg(test)]
mod tests;

pub use circular::{arccos, arcsin, arctan, cos, cos_near, is_near, sin, sin_near, tan, tan_near};
pub use exponential::{
    cosh, exp, exp_moderate, expm1, exprel, exprel_far, exprel_moderate, exprel_near, is_moderate, is_near_0, sigmoid, sinh, tanh,
};
pub use logarithm::{log, log1p, log10, power};
pub use random::{
    Counts, NEAR_0, binomial, is_middling, normal, normal_between, normal_middling, poisson, uniform, uniform_near_0,
};

/// x, or 0 where x is closer to 0 than 2⁻¹⁰⁰.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    if x.abs() < f32::from_bits((127 - 100) << 23) { 0.0 } else { x }
}

/// The number of a step as the bits of a normal f32, which no device flushes: good for a thousand million steps.
#[inline(always)]
pub fn stamp(step: u32) -> f32 {
    f32::from_bits(0x4000_0000 + step)
}

/// Steps from a [`stamp`] to `step`, the nearest f32: exact up to 2²⁴.
#[inline(always)]
pub fn elapsed(stamp: f32, step: u32) -> f32 {
    step.wrapping_sub(stamp.to_bits().wrapping_sub(0x4000_0000)) as i32 as f32
}

/// Square root by Newton's iteration. NaN below zero.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    // x = m · 4^k with m in [½, 2).
    let bits = x.to_bits();
    let m = f32::from_bits((bits & 0x00ff_ffff) + 0x3f00_0000);
    let scale = f32::from_bits(((bits >> 24) + 64) << 23);
    let half = 0.5 * m;
    let mut y = f32::from_bits(0x5f37_59df - (m.to_bits() >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    let root = m * y;
    let result = (root + 0.5 * y * (m - root * root)) * scale;
    let result = if x < f32::MIN_POSITIVE { 0.0 } else { result };
    let result = if x > f32::MAX { x } else { result };
    nan_of(x, if x <= -f32::MIN_POSITIVE { f32::NAN } else { result })
}

/// 1, 0 or −1.
#[inline(always)]
pub fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// 1.5 · 2²³: added to a number within ±2²², it leaves the nearest whole number in the low bits.
const WHOLE: f32 = 12_582_912.0;

/// The largest whole number not above x, for x within ±2²¹. (SSE2 has no instruction for it, and a call would end the vector.)
#[inline(always)]
fn floor(x: f32) -> f32 {
    let near = (x + WHOLE) - WHOLE;
    near - if near > x { 1.0 } else { 0.0 }
}

/// A whole number within ±2²¹ as an integer.
#[inline(always)]
fn integer(x: f32) -> i32 {
    (x + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()) as i32
}

/// x · 2^n for n within ±252, in two steps, as 2^n alone may not be a number.
#[inline(always)]
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    x * power_of_two(half) * power_of_two(n - half)
}

/// x · 2^n for a whole number n, where x and the result are normal numbers: to the bit what [`scale`] gives there, in fewer steps.
#[inline(always)]
fn scale_normal(x: f32, n: f32, shift: i32) -> f32 {
    // The low bits of this sum are n; the others are shifted out.
    let exponent = (n + WHOLE).to_bits() << 23;
    f32::from_bits(x.to_bits().wrapping_add(exponent).wrapping_add((shift as u32) << 23))
}

/// 2^n for n in −126 … 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// x + y and what its rounding lost.
#[inline(always)]
fn two_sum(x: f32, y: f32) -> (f32, f32) {
    let sum = x + y;
    let from_y = sum - x;
    (sum, (x - (sum - from_y)) + (y - from_y))
}

/// x cut off to 12 bits, so that a product of two such numbers is exact.
#[inline(always)]
fn head(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0xffff_f000)
}

/// x, or 0 where x is denormal.
#[inline(always)]
fn without_denormals(x: f32) -> f32 {
    f32::from_bits(if x.to_bits() & 0x7f80_0000 == 0 { x.to_bits() & 0x8000_0000 } else { x.to_bits() })
}

/// |x| with the sign of y.
#[inline(always)]
fn with_sign(x: f32, y: f32) -> f32 {
    f32::from_bits((x.to_bits() & 0x7fff_ffff) | (y.to_bits() & 0x8000_0000))
}

/// NaN where x is, with its bits; for functions whose result is a number everywhere else.
#[inline(always)]
fn nan_of_argument(x: f32, result: f32) -> f32 {
    if x.is_nan() { f32::from_bits(x.to_bits() | 0x7fc0_0000) } else { result }
}

/// NaN where x is, with its bits; and one certain NaN where only the result is: which one an operation makes differs between
/// machines.
#[inline(always)]
fn nan_of(x: f32, result: f32) -> f32 {
    let result = if result.is_nan() { f32::from_bits(0x7fc0_0000) } else { result };
    if x.is_nan() { f32::from_bits(x.to_bits() | 0x7fc0_0000) } else { result }
}
