//! Functions of angles, and their inverses.

use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

use super::{WHOLE, nan_of, polynomial, sqrt, two_sum, with_sign, without_denormals};
use crate::wasm::graph::{Bits, Mask, Value};

const FRAC_PI_2_REST: f32 = -4.371_139e-8;
const PI_REST: f32 = -8.742_278e-8;
const FRAC_PI_4_REST: f32 = -2.185_569_4e-8;

pub(in crate::wasm) fn is_near(x: Value<'_>) -> Mask<'_> {
    x.abs().le(6000.0)
}

fn reduce_near(x: Value<'_>) -> (Value<'_>, Bits<'_>) {
    let shifted = x * FRAC_2_PI + WHOLE;
    let n = shifted - WHOLE;
    let first = x - n * 1.570_312_5;
    let (second, lost_second) = two_sum(first, -(n * 4.837_513e-4));
    let (third, lost_third) = two_sum(second, -(n * 7.549_533_6e-8));
    let (fourth, lost_fourth) = two_sum(third, -(n * 2.563_283e-12));
    let lost = ((lost_second + lost_third) + lost_fourth) - n * 6.123_234e-17;
    (fourth + lost, shifted.to_bits())
}

fn is_odd(q: Bits<'_>) -> Mask<'_> {
    (q & 1).equals(1)
}

fn sine<'g>((r, q): (Value<'g>, Bits<'g>)) -> Value<'g> {
    let z = r * r;
    let s = polynomial(z, &[-1.951_598_7e-4, 8.332_169e-3, -1.666_665_5e-1]) * z * r + r;
    let c = polynomial(z, &[2.443_698e-5, -1.388_735_5e-3, 4.166_664_6e-2]) * z * z - 0.5 * z + 1.0;
    let result = is_odd(q).select(c, s);
    (result.to_bits() ^ ((q & 2) << 30)).number()
}

fn tangent<'g>((r, q): (Value<'g>, Bits<'g>)) -> Value<'g> {
    let z = r * r;
    let p = polynomial(z, &[9.508_005e-3, 2.903_144_8e-3, 2.457_254_4e-2, 5.336_887_4e-2, 1.333_935e-1, 3.333_313_5e-1]);
    let result = p * z * r + r;
    is_odd(q).select(-1.0 / result, result)
}

pub(in crate::wasm) fn sin_near(x: Value<'_>) -> Value<'_> {
    let x = without_denormals(x);
    nan_of(x, sine(reduce_near(x)))
}

pub(in crate::wasm) fn cos_near(x: Value<'_>) -> Value<'_> {
    let (r, q) = reduce_near(without_denormals(x));
    nan_of(x, sine((r, q + 1)))
}

pub(in crate::wasm) fn tan_near(x: Value<'_>) -> Value<'_> {
    let x = without_denormals(x);
    nan_of(x, tangent(reduce_near(x)))
}

fn small_arcsin<'g>(s: Value<'g>, z: Value<'g>) -> Value<'g> {
    polynomial(z, &[4.221_861_8e-2, 2.414_756_3e-2, 4.547_710_7e-2, 7.495_241_6e-2, 1.666_675_4e-1]) * z * s + s
}

pub(in crate::wasm) fn arcsin(x: Value<'_>) -> Value<'_> {
    let a = without_denormals(x).abs();
    let near = small_arcsin(a, a * a);
    let z = 0.5 * (1.0 - a);
    let far = (FRAC_PI_2 - 2.0 * small_arcsin(sqrt(z), z)) + FRAC_PI_2_REST;
    let result = with_sign(a.le(0.5).select(near, far), x);
    nan_of(x, a.gt(1.0).select(f32::NAN, result))
}

pub(in crate::wasm) fn arccos(x: Value<'_>) -> Value<'_> {
    let a = without_denormals(x).abs();
    let near = with_sign(small_arcsin(a, a * a), x);
    let near = FRAC_PI_2 - (near - FRAC_PI_2_REST);
    let z = 0.5 * (1.0 - a);
    let far = 2.0 * small_arcsin(sqrt(z), z);
    let far = x.lt(0.0).select((PI - far) + PI_REST, far);
    nan_of(x, a.gt(1.0).select(f32::NAN, a.le(0.5).select(near, far)))
}

pub(in crate::wasm) fn arctan(x: Value<'_>) -> Value<'_> {
    let a = without_denormals(x).abs();
    let (large, middle) = (a.gt(2.414_213_7), a.gt(0.414_213_57));
    let numerator = large.select(-1.0, middle.select(a - 1.0, a));
    let divisor = large.select(a.pmin(1e30), middle.select(a + 1.0, 1.0));
    let whole = middle.select(large.select(FRAC_PI_2, FRAC_PI_4), 0.0);
    let rest = middle.select(large.select(FRAC_PI_2_REST, FRAC_PI_4_REST), 0.0);
    let t = numerator / divisor;
    let z = t * t;
    let p = polynomial(z, &[-6.082_494_5e-2, 1.059_564_2e-1, -1.424_380_2e-1, 1.999_848_8e-1, -3.333_331_6e-1]);
    let result = whole + (t + (p * z * t + rest));
    nan_of(x, with_sign(result, x))
}
