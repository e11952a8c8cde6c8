//! Logarithms and powers.

use super::{WHOLE, either, head, integer, nan_of, polynomial, power_of_two, scale, two_sum, without_denormals};
use crate::wasm::graph::{Mask, Value};

fn reduce(x: Value<'_>) -> (Value<'_>, Value<'_>) {
    let shifted = x.pmax(f32::MIN_POSITIVE).to_bits() - 0x3f35_04f3;
    (((shifted & 0x007f_ffff) + 0x3f35_04f3).number() - 1.0, shifted.shift_down_signed(23).signed())
}

fn beyond_square(f: Value<'_>) -> Value<'_> {
    let p = polynomial(
        f,
        &[
            7.037_683_6e-2,
            -1.151_461e-1,
            1.167_699_84e-1,
            -1.242_014_1e-1,
            1.424_932_3e-1,
            -1.666_805_7e-1,
            2.000_071_5e-1,
            -2.499_999_4e-1,
            3.333_333_3e-1,
        ],
    );
    p * f * (f * f)
}

fn compose<'g>(f: Value<'g>, e: Value<'g>) -> Value<'g> {
    let y = beyond_square(f) + e * -2.121_944_4e-4 - 0.5 * (f * f);
    f + y + e * 0.693_359_4
}

fn at_the_ends<'g>(x: Value<'g>, result: Value<'g>) -> Value<'g> {
    let result = x.lt(f32::MIN_POSITIVE).select(f32::NEG_INFINITY, result);
    let result = x.le(-f32::MIN_POSITIVE).select(f32::NAN, result);
    x.gt(f32::MAX).select(x, result)
}

pub(in crate::wasm) fn log(x: Value<'_>) -> Value<'_> {
    nan_of(x, at_the_ends(x, log_normal(x)))
}

pub(super) fn log_normal(x: Value<'_>) -> Value<'_> {
    let (f, e) = reduce(x);
    compose(f, e)
}

pub(in crate::wasm) fn log10(x: Value<'_>) -> Value<'_> {
    let (f, e) = reduce(x);
    let y = beyond_square(f) - 0.5 * (f * f);
    let mut sum = (f + y) * 9.038_034e-5 + e * 4.605_039e-6;
    sum = sum + y * 0.434_204_1;
    sum = sum + f * 0.434_204_1;
    nan_of(x, at_the_ends(x, sum + e * 0.301_025_4))
}

pub(in crate::wasm) fn log1p(x: Value<'_>) -> Value<'_> {
    let x = without_denormals(x);
    let (sum, lost) = two_sum(1.0, x);
    let (f, e) = reduce(sum);
    let f = f + e.lt(26.0).select(lost * power_of_two(0_u32 - integer(e)), 0.0);
    nan_of(x, at_the_ends(sum, compose(f, e)))
}

pub(in crate::wasm) fn power<'g>(x: Value<'g>, y: Value<'g>) -> Value<'g> {
    let y = without_denormals(y);
    let a = x.abs();
    let (high, low) = binary_logarithm(a);
    let held = y.clamp(-4_294_967_296.0, 4_294_967_296.0);
    let upper = head(held) * high;
    let lower = (held - head(held)) * high + held * low;
    let sum = upper + lower;
    let n = (sum.clamp(-200.0, 200.0) + WHOLE) - WHOLE;
    let f = (upper - n) + lower;
    let p = polynomial(f, &[1.547_595e-4, 1.339_927_7e-3, 9.618_006e-3, 5.550_331_6e-2, 2.402_265e-1, 6.931_472e-1, 1.0]);
    let result = scale(p, integer(n));
    let below = p.lt(1.0).select(n - 1.0, n);
    let result = below.lt(-126.0).select(0.0, result);
    let zero = a.lt(f32::MIN_POSITIVE);
    let is_infinite = either(zero, y.lt(0.0), !y.lt(0.0));
    let result = (zero | a.gt(f32::MAX)).select(is_infinite.select(f32::INFINITY, 0.0), result);
    let result = y.equals(0.0).select(1.0, result);
    let is_negative = x.le(-f32::MIN_POSITIVE);
    let result = (is_negative & !is_whole(y)).select(f32::NAN, result);
    let odd = is_whole(y) & !is_whole(0.5 * y);
    let result = (is_negative & odd).select(-result, result);
    nan_of(x, nan_of(y, result))
}

fn is_whole(x: Value<'_>) -> Mask<'_> {
    let a = x.abs();
    let near = (a + 8_388_608.0) - 8_388_608.0;
    a.ge(8_388_608.0) | near.equals(a)
}

fn binary_logarithm(x: Value<'_>) -> (Value<'_>, Value<'_>) {
    let (f, e) = reduce(x);
    let m = 1.0 + f;
    let inverse = 1.0 / (2.0 + f);
    let s = f * inverse;
    let s_high = head(s);
    let divisor = head(m + 1.0);
    let rest = m - (divisor - 1.0);
    let s_low = inverse * ((f - s_high * divisor) - s_high * rest);
    let z = s * s;
    let p = polynomial(z, &[2.307_692_3e-1, 2.727_272_8e-1, 3.333_333_4e-1, 4.285_714_3e-1, 0.6]);
    let tail = z * z * p + s_low * (s_high + s);
    let square = s_high * s_high;
    let sum_high = head(3.0 + square + tail);
    let sum_low = tail - ((sum_high - 3.0) - square);
    let upper = s_high * sum_high;
    let lower = s_low * sum_high + sum_low * s;
    let product_high = head(upper + lower);
    let product_low = lower - (product_high - upper);
    let upper = 0.961_669_9 * product_high;
    let lower = 1.267_720_5e-4 * product_high + product_low * 0.961_796_7;
    let high = head((upper + lower) + e);
    (high, lower - ((high - e) - upper))
}
