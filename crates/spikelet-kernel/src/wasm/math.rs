//! The elementary functions of [`crate::math`] on vectors of four lanes: its operations, and short ways where they give the same bits in all
//! lanes.

mod circular;
mod exponential;
mod logarithm;
mod random;

pub(super) use circular::{arccos, arcsin, arctan, cos_near, is_near, sin_near, tan_near};
pub(super) use exponential::{cosh, exp, expm1, exprel, sigmoid, sinh, tanh};
pub(super) use logarithm::{log, log1p, log10, power};
pub(super) use random::{normal, normal_between};

use super::graph::{Bits, Mask, Operand, Value};

pub(super) fn flush(x: Value<'_>) -> Value<'_> {
    x.abs().lt(f32::from_bits((127 - 100) << 23)).select(0.0, x)
}

pub(super) fn sqrt(x: Value<'_>) -> Value<'_> {
    let bits = x.to_bits();
    let m = ((bits & 0x00ff_ffff) + 0x3f00_0000).number();
    let scale = ((bits.shift_down(24) + 64) << 23).number();
    let half = 0.5 * m;
    let mut y = (0x5f37_59df_u32 - m.to_bits().shift_down(1)).number();
    for _ in 0..3 {
        y = y * (1.5 - half * y * y);
    }
    let root = m * y;
    let result = (root + 0.5 * y * (m - root * root)) * scale;
    let result = x.lt(f32::MIN_POSITIVE).select(0.0, result);
    let result = x.gt(f32::MAX).select(x, result);
    nan_of(x, x.le(-f32::MIN_POSITIVE).select(f32::NAN, result))
}

pub(super) fn sign(x: Value<'_>) -> Value<'_> {
    x.gt(0.0).select(1.0, x.lt(0.0).select(-1.0, 0.0))
}

const WHOLE: f32 = 12_582_912.0;

fn integer(x: Value<'_>) -> Bits<'_> {
    (x + WHOLE).to_bits() - WHOLE.to_bits()
}

fn scale<'g>(x: Value<'g>, n: Bits<'g>) -> Value<'g> {
    let half = n.shift_down_signed(1);
    x * power_of_two(half) * power_of_two(n - half)
}

fn scale_normal<'g>(x: Value<'g>, n: Value<'g>, shift: i32) -> Value<'g> {
    let exponent = (n + WHOLE).to_bits() << 23;
    let scaled = x.to_bits() + exponent;
    (if shift == 0 { scaled } else { scaled + ((shift as u32) << 23) }).number()
}

fn power_of_two(n: Bits<'_>) -> Value<'_> {
    ((n + 127) << 23).number()
}

fn two_sum<'g>(x: impl Operand<'g, Value<'g>>, y: Value<'g>) -> (Value<'g>, Value<'g>) {
    let x = x.of(y.graph());
    let sum = x + y;
    let from_y = sum - x;
    (sum, (x - (sum - from_y)) + (y - from_y))
}

fn head(x: Value<'_>) -> Value<'_> {
    (x.to_bits() & 0xffff_f000_u32).number()
}

fn without_denormals(x: Value<'_>) -> Value<'_> {
    let bits = x.to_bits();
    (bits & 0x7f80_0000).is_zero().select((bits & 0x8000_0000_u32).number(), x)
}

fn with_sign<'g>(x: Value<'g>, y: Value<'g>) -> Value<'g> {
    ((x.to_bits() & 0x7fff_ffff) | (y.to_bits() & 0x8000_0000_u32)).number()
}

fn nan_of_argument<'g>(x: Value<'g>, result: Value<'g>) -> Value<'g> {
    x.is_nan().select((x.to_bits() | 0x7fc0_0000).number(), result)
}

fn nan_of<'g>(x: Value<'g>, result: Value<'g>) -> Value<'g> {
    let result = result.is_nan().select(f32::from_bits(0x7fc0_0000), result);
    nan_of_argument(x, result)
}

/// p(x), the coefficient of the highest power first.
fn polynomial<'g>(x: Value<'g>, coefficients: &[f32]) -> Value<'g> {
    let (first, others) = coefficients.split_first().expect("a polynomial has a coefficient");
    others.iter().fold(x.graph().number(*first), |p, coefficient| p * x + *coefficient)
}

/// Which of two is true.
fn either<'g>(condition: Mask<'g>, yes: Mask<'g>, no: Mask<'g>) -> Mask<'g> {
    (condition & yes) | (!condition & no)
}
