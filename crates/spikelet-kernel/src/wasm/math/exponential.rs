//! Functions made of e^x.

use std::f32::consts::LOG2_E;

use super::{integer, nan_of, nan_of_argument, polynomial, power_of_two, scale, scale_normal, with_sign, without_denormals};
use crate::wasm::graph::Value;

fn reduce(x: Value<'_>) -> (Value<'_>, Value<'_>) {
    let n = (x * LOG2_E + 0.5).floor();
    (n, x - n * 0.693_359_4 - n * -2.121_944_4e-4)
}

fn beyond_linear(r: Value<'_>) -> Value<'_> {
    polynomial(r, &[1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5])
}

fn split_exp(x: Value<'_>) -> (Value<'_>, Value<'_>) {
    let (n, r) = reduce(x);
    (n, (beyond_linear(r) * r + 1.0) * r + 1.0)
}

fn shifted_exp(x: Value<'_>, shift: i32) -> Value<'_> {
    let (n, y) = split_exp(x.clamp(-100.0, 95.0));
    scale(y, integer(n) + shift)
}

fn normal_exp(x: Value<'_>, shift: i32) -> Value<'_> {
    inner_exp(x.clamp(-100.0, 95.0), shift)
}

/// The same for x in −100 … 95.
fn inner_exp(x: Value<'_>, shift: i32) -> Value<'_> {
    let (n, y) = split_exp(x);
    scale_normal(y, n, shift)
}

/// A shorter way where all results are normal numbers.
pub(in crate::wasm) fn exp(x: Value<'_>) -> Value<'_> {
    let is_normal = x.ge(-87.336_54) & x.le(88.722_83);
    let result = x.lt(-87.336_54).select(0.0, normal_exp(x, 0));
    let any = nan_of_argument(x, x.gt(88.722_83).select(f32::INFINITY, result));
    Value::branch(is_normal, inner_exp(x, 0), any)
}

pub(in crate::wasm) fn expm1(x: Value<'_>) -> Value<'_> {
    let x = without_denormals(x);
    let (n, r) = reduce(x.clamp(-40.0, 95.0));
    let near = r * r * beyond_linear(r) + r;
    let half = power_of_two(integer(n) - 1);
    let far = 2.0 * (half * near + (half - 0.5));
    let result = n.equals(0.0).select(near, far);
    nan_of(x, x.gt(88.722_83).select(f32::INFINITY, result))
}

/// One way where all arguments are close to 0, one where they are not, nor large; all ways otherwise.
pub(in crate::wasm) fn exprel(x: Value<'_>) -> Value<'_> {
    let is_near = x.abs().lt(0.5);
    // Without the factors of 2⁸ of other arguments, which would change no bit here.
    let middling = (inner_exp(x, 0) - 1.0) / x;
    let is_middling = !is_near & x.ge(-80.0) & x.le(80.0);
    let any = is_near.select(exprel_near(x), exprel_far(x));
    Value::branch(is_near, exprel_near(x), Value::branch(is_middling, middling, any))
}

fn exprel_near(x: Value<'_>) -> Value<'_> {
    polynomial(x, &[2.480_158_7e-5, 1.984_127e-4, 1.388_888_9e-3, 8.333_334e-3, 4.166_666_8e-2, 1.666_666_7e-1, 0.5, 1.0])
}

fn exprel_far(x: Value<'_>) -> Value<'_> {
    let is_negative = x.lt(0.0);
    // The shift by 0 or −8, as a part of the exponent.
    let shift = is_negative.select(0.0, f32::from_bits((-8_i32 as u32) << 23)).to_bits();
    let (one, back) = (is_negative.select(1.0, 0.003_906_25), is_negative.select(1.0, 256.0));
    let power = (normal_exp(x.pmax(-80.0), 0).to_bits() + shift).number();
    let quotient = without_denormals((power - one) / x * back);
    let quotient = x.gt(94.0).select(f32::INFINITY, quotient);
    nan_of_argument(x, quotient)
}

pub(in crate::wasm) fn sigmoid(x: Value<'_>) -> Value<'_> {
    let e = exp(-x.abs());
    nan_of(x, x.lt(0.0).select(e, 1.0) / (1.0 + e))
}

pub(in crate::wasm) fn sinh(x: Value<'_>) -> Value<'_> {
    let a = without_denormals(x).abs();
    let z = a * a;
    let small = z * polynomial(z, &[2.817_439_5e-6, 1.983_606_6e-4, 8.333_351e-3, 1.666_666_7e-1]) * a + a;
    let half = shifted_exp(a, -1);
    let large = half - 0.25 / half.pmin(1e30);
    nan_of(x, with_sign(a.lt(1.0).select(small, large), x))
}

pub(in crate::wasm) fn cosh(x: Value<'_>) -> Value<'_> {
    let half = shifted_exp(x.abs(), -1);
    nan_of(x, half + 0.25 / half.pmin(1e30))
}

pub(in crate::wasm) fn tanh(x: Value<'_>) -> Value<'_> {
    let a = without_denormals(x).abs();
    let z = a * a;
    let small = z * polynomial(z, &[-5.717_042e-3, 2.065_058_4e-2, -5.374_349_7e-2, 1.333_149_1e-1, -3.333_328_4e-1]) * a + a;
    let large = 1.0 - 2.0 / (normal_exp(2.0 * a.pmin(20.0), 0) + 1.0);
    nan_of(x, with_sign(a.lt(0.625).select(small, large), x))
}
