//! Random numbers from random bits.

use std::f32::consts::SQRT_2;

use super::logarithm::log_normal;
use super::{polynomial, sqrt};
use crate::wasm::graph::{Bits, Value};

/// 2⁻²⁴
const UNIT: f32 = f32::from_bits((127 - 24) << 23);

/// The short way if all numbers lie in the middle, as those of most vectors do; both otherwise.
pub(in crate::wasm) fn normal(bits: Bits<'_>) -> Value<'_> {
    let x = ((bits.shift_down(8) << 1) + (1 - (1 << 24))).signed() * UNIT;
    let w = -log_normal((1.0 - x) * (1.0 + x));
    let is_middling = w.lt(5.0);
    let middling = SQRT_2 * (middle(w) * x);
    let any = SQRT_2 * (is_middling.select(middle(w), tail(w)) * x);
    Value::branch(is_middling, middling, any)
}

fn middle(w: Value<'_>) -> Value<'_> {
    polynomial(
        w - 2.5,
        &[
            2.810_226_4e-8,
            3.432_739_4e-7,
            -3.523_388e-6,
            -4.391_506_6e-6,
            2.185_808_7e-4,
            -1.253_725e-3,
            -4.177_681_5e-3,
            2.466_407_3e-1,
            1.501_409_4,
        ],
    )
}

fn tail(w: Value<'_>) -> Value<'_> {
    polynomial(
        sqrt(w) - 3.0,
        &[
            -2.002_142_6e-4,
            1.009_505_6e-4,
            1.349_343_3e-3,
            -3.673_428_4e-3,
            5.739_507_7e-3,
            -7.622_461_3e-3,
            9.438_870_5e-3,
            1.001_674,
            2.832_976_8,
        ],
    )
}

pub(in crate::wasm) fn normal_between(bits: Bits<'_>, first: u32, span: u32) -> Value<'_> {
    normal(first + bits.upper_product(span))
}
