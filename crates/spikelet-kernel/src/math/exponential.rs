//! Functions made of e^x.

use std::f32::consts::LOG2_E;

use super::{floor, integer, nan_of, nan_of_argument, power_of_two, scale, scale_normal, with_sign, without_denormals};

/// n and r: x = n ln 2 + r with |r| ≤ ½ ln 2, for |x| < 1000.
#[inline(always)]
fn reduce(x: f32) -> (f32, f32) {
    let n = floor(x * LOG2_E + 0.5);
    // ln 2 in two pieces: the first has few digits, so n times it is exact (Cephes, expf).
    (n, x - n * 0.693_359_4 - n * -2.121_944_4e-4)
}

/// (e^r − 1 − r)/r² for |r| ≤ ½ ln 2 (Cephes, expf).
#[inline(always)]
fn beyond_linear(r: f32) -> f32 {
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p * r + 0.5
}

/// n and y: e^x = y · 2^n with y close to 1.
#[inline(always)]
fn split_exp(x: f32) -> (f32, f32) {
    let (n, r) = reduce(x);
    let mut p = beyond_linear(r);
    p = p * r + 1.0;
    p = p * r + 1.0;
    (n, p)
}

/// e^x · 2^shift for x in −100 … 95 and a small shift; what is outside gives the value at the end.
#[inline(always)]
fn shifted_exp(x: f32, shift: i32) -> f32 {
    let (n, y) = split_exp(x.clamp(-100.0, 95.0));
    scale(y, integer(n) + shift)
}

/// The same where the result is a normal number; what is outside gives any.
#[inline(always)]
fn normal_exp(x: f32, shift: i32) -> f32 {
    let (n, y) = split_exp(x.clamp(-100.0, 95.0));
    scale_normal(y, n, shift)
}

/// e^x: 0 below −87.34, infinite above 88.72.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let result = normal_exp(x, 0);
    let result = if x < -87.336_54 { 0.0 } else { result };
    nan_of_argument(x, if x > 88.722_83 { f32::INFINITY } else { result })
}

/// Whether [`exp_moderate`] and, away from 0, [`exprel_moderate`] give the same as [`exp`] and [`exprel`].
#[inline(always)]
pub fn is_moderate(x: f32) -> bool {
    x.abs() < 80.0
}

/// e^x where nothing overflows or vanishes.
#[inline(always)]
pub fn exp_moderate(x: f32) -> f32 {
    let (n, y) = split_exp(x);
    scale_normal(y, n, 0)
}

/// e^x − 1, accurate where x is close to 0.
#[inline(always)]
pub fn expm1(x: f32) -> f32 {
    let x = without_denormals(x);
    let (n, r) = reduce(x.clamp(-40.0, 95.0));
    let near = r * r * beyond_linear(r) + r;
    // 2^n near + (2^n − 1), at half its size.
    let half = power_of_two(integer(n) - 1);
    let far = 2.0 * (half * near + (half - 0.5));
    let result = if n == 0.0 { near } else { far };
    nan_of(x, if x > 88.722_83 { f32::INFINITY } else { result })
}

/// Whether [`exprel_near`] is [`exprel`] there.
#[inline(always)]
pub fn is_near_0(x: f32) -> bool {
    x.abs() < 0.5
}

/// (e^x − 1)/x close to 0, by Taylor's series: there the subtraction would cancel.
#[inline(always)]
pub fn exprel_near(x: f32) -> f32 {
    let mut p = 2.480_158_7e-5;
    p = p * x + 1.984_127e-4;
    p = p * x + 1.388_888_9e-3;
    p = p * x + 8.333_334e-3;
    p = p * x + 4.166_666_8e-2;
    p = p * x + 1.666_666_7e-1;
    p = p * x + 0.5;
    p * x + 1.0
}

/// (e^x − 1)/x, 1 at 0.
#[inline(always)]
pub fn exprel(x: f32) -> f32 {
    if is_near_0(x) { exprel_near(x) } else { exprel_far(x) }
}

/// (e^x − 1)/x elsewhere.
#[inline(always)]
pub fn exprel_far(x: f32) -> f32 {
    // At 2⁻⁸ of its size where x is positive, as e^x overflows before the quotient does.
    let (shift, one, back) = if x < 0.0 { (0, 1.0, 1.0) } else { (-8, 0.003_906_25, 256.0) };
    let quotient = without_denormals((normal_exp(x.max(-80.0), shift) - one) / x * back);
    let quotient = if x > 94.0 { f32::INFINITY } else { quotient };
    nan_of_argument(x, quotient)
}

/// [`exprel_far`] where nothing overflows or vanishes.
#[inline(always)]
pub fn exprel_moderate(x: f32) -> f32 {
    // The scaling of `exprel_far` by powers of two is exact.
    (exp_moderate(x) - 1.0) / x
}

/// 1/(1 + e^−x).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    let e = exp(-x.abs());
    let numerator = if x < 0.0 { e } else { 1.0 };
    nan_of(x, numerator / (1.0 + e))
}

/// Hyperbolic sine.
#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    let a = without_denormals(x).abs();
    let z = a * a;
    let mut p = 2.817_439_5e-6;
    p = p * z + 1.983_606_6e-4;
    p = p * z + 8.333_351e-3;
    p = p * z + 1.666_666_7e-1;
    let small = z * p * a + a;
    let half = shifted_exp(a, -1);
    let large = half - 0.25 / half.min(1e30);
    nan_of(x, with_sign(if a < 1.0 { small } else { large }, x))
}

/// Hyperbolic cosine.
#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    let half = shifted_exp(x.abs(), -1);
    nan_of(x, half + 0.25 / half.min(1e30))
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = without_denormals(x).abs();
    let z = a * a;
    let mut p = -5.717_042e-3;
    p = p * z + 2.065_058_4e-2;
    p = p * z + -5.374_349_7e-2;
    p = p * z + 1.333_149_1e-1;
    p = p * z + -3.333_328_4e-1;
    let small = z * p * a + a;
    // 1 to the last bit from 9.02 on.
    let large = 1.0 - 2.0 / (normal_exp(2.0 * a.min(20.0), 0) + 1.0);
    nan_of(x, with_sign(if a < 0.625 { small } else { large }, x))
}
