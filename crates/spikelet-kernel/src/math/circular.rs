//! Functions of angles, and their inverses.

use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

use super::{WHOLE, head, nan_of, sqrt, two_sum, with_sign, without_denormals};

/// The digits of π/2, π and π/4 after their last bit.
const FRAC_PI_2_REST: f32 = -4.371_139e-8;
const PI_REST: f32 = -8.742_278e-8;
const FRAC_PI_4_REST: f32 = -2.185_569_4e-8;

/// 2/π, the digits behind the point in words of 32 bits; 32 zeros before them.
const TWO_OVER_PI: [u32; 8] = [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];

/// Whether sine, cosine and tangent of x take the fast way: [`sin_near`] and its like.
#[inline(always)]
pub fn is_near(x: f32) -> bool {
    x.abs() <= 6000.0
}

/// r and q: x = q π/2 + r modulo 2π with |r| ≤ π/4, for |x| ≤ 6000.
#[inline(always)]
fn reduce_near(x: f32) -> (f32, u32) {
    let shifted = x * FRAC_2_PI + WHOLE;
    let n = shifted - WHOLE;
    // π/2 in pieces of 12 bits: n has no more, so the products are exact (Cody and Waite).
    let first = x - n * 1.570_312_5;
    let (second, lost_second) = two_sum(first, -(n * 4.837_513e-4));
    let (third, lost_third) = two_sum(second, -(n * 7.549_533_6e-8));
    let (fourth, lost_fourth) = two_sum(third, -(n * 2.563_283e-12));
    let lost = ((lost_second + lost_third) + lost_fourth) - n * 6.123_234e-17;
    (fourth + lost, shifted.to_bits())
}

/// The same for |x| ≥ 1: the digits of 2/π that matter, times x, in integers (Payne and Hanek).
fn reduce_far(x: f32) -> (f32, u32) {
    let bits = x.to_bits();
    let mantissa = (bits & 0x007f_ffff) | 0x0080_0000;
    // x = mantissa · 2^(exponent − 150). Digits that give multiples of 4 are left out.
    let start = ((bits >> 23) & 0xff) - 120;
    let (word, shift) = ((start >> 5).min(4) as usize, start & 31);
    let digits = |k: usize| {
        // In two steps, as a shift by 32 is none.
        (TWO_OVER_PI[word + k] << shift) | ((TWO_OVER_PI[word + k + 1] >> 1) >> (31 - shift))
    };
    let wide = |factor: u32| {
        let product = u64::from(mantissa) * u64::from(factor);
        ((product >> 32) as u32, product as u32)
    };
    // The product modulo 4, of which the upper 64 bits are kept: two before the point, the others behind.
    let ((carry, middle), (lowest_carry, _)) = (wide(digits(1)), wide(digits(2)));
    let low = middle.wrapping_add(lowest_carry);
    let high = mantissa.wrapping_mul(digits(0)).wrapping_add(carry).wrapping_add(u32::from(low < middle));
    let quadrant = high.wrapping_add(0x2000_0000) >> 30;
    // What is left, within ±½: as a fixed-point number, its size, its leading bits.
    let (high, low) = ((high << 2) | (low >> 30), low << 2);
    let negative = high >> 31 == 1;
    let (high, low) =
        if negative { (if low == 0 { high.wrapping_neg() } else { !high }, low.wrapping_neg()) } else { (high, low) };
    let zeros = high.leading_zeros().min(31);
    let leading = (high << zeros) | ((low >> 1) >> (31 - zeros));
    // Behind the leading 24 bits, 8 more.
    let (fraction, rest) = ((leading >> 8) as f32 * f32::from_bits((127 - 24) << 23), (leading & 0xff) as f32);
    let rest = rest * f32::from_bits((127 - 32) << 23);
    let scale = f32::from_bits((127 - zeros) << 23);
    // fraction · π/2 with all its digits: 12 times 12 bits are exact.
    let (upper, lower) = (head(fraction), fraction - head(fraction));
    let product = upper * 1.570_312_5;
    let small = lower * 1.570_312_5 + (fraction * 4.838_268e-4 + rest * FRAC_PI_2);
    let r = (product + small) * scale;
    let turned = bits >> 31 == 1;
    (if negative == turned { r } else { -r }, if turned { quadrant.wrapping_neg() } else { quadrant })
}

/// Sine of the angle (r, q).
#[inline(always)]
fn sine((r, q): (f32, u32)) -> f32 {
    let z = r * r;
    let mut s = -1.951_598_7e-4;
    s = s * z + 8.332_169e-3;
    s = s * z + -1.666_665_5e-1;
    let s = s * z * r + r;
    let mut c = 2.443_698e-5;
    c = c * z + -1.388_735_5e-3;
    c = c * z + 4.166_664_6e-2;
    let c = c * z * z - 0.5 * z + 1.0;
    let result = if q & 1 == 1 { c } else { s };
    f32::from_bits(result.to_bits() ^ ((q & 2) << 30))
}

/// Tangent of the angle (r, q).
#[inline(always)]
fn tangent((r, q): (f32, u32)) -> f32 {
    let z = r * r;
    let mut p = 9.508_005e-3;
    p = p * z + 2.903_144_8e-3;
    p = p * z + 2.457_254_4e-2;
    p = p * z + 5.336_887_4e-2;
    p = p * z + 1.333_935e-1;
    p = p * z + 3.333_313_5e-1;
    let result = p * z * r + r;
    if q & 1 == 1 { -1.0 / result } else { result }
}

/// Sine of x for |x| ≤ 6000.
#[inline(always)]
pub fn sin_near(x: f32) -> f32 {
    let x = without_denormals(x);
    nan_of(x, sine(reduce_near(x)))
}

/// Cosine of x for |x| ≤ 6000.
#[inline(always)]
pub fn cos_near(x: f32) -> f32 {
    let (r, q) = reduce_near(without_denormals(x));
    nan_of(x, sine((r, q.wrapping_add(1))))
}

/// Tangent of x for |x| ≤ 6000.
#[inline(always)]
pub fn tan_near(x: f32) -> f32 {
    let x = without_denormals(x);
    nan_of(x, tangent(reduce_near(x)))
}

/// Sine, of every finite number; NaN of ±∞.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    if is_near(x) { sin_near(x) } else { of_finite(x, sine(reduce_far(x))) }
}

/// Cosine, of every finite number; NaN of ±∞.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    if is_near(x) {
        return cos_near(x);
    }
    let (r, q) = reduce_far(x);
    of_finite(x, sine((r, q.wrapping_add(1))))
}

/// Tangent, of every finite number; NaN of ±∞.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    if is_near(x) { tan_near(x) } else { of_finite(x, tangent(reduce_far(x))) }
}

fn of_finite(x: f32, result: f32) -> f32 {
    nan_of(x, if x.abs() > f32::MAX { f32::NAN } else { result })
}

/// arcsin(s) for s in 0 … ½, of which z is the square.
#[inline(always)]
fn small_arcsin(s: f32, z: f32) -> f32 {
    let mut p = 4.221_861_8e-2;
    p = p * z + 2.414_756_3e-2;
    p = p * z + 4.547_710_7e-2;
    p = p * z + 7.495_241_6e-2;
    p = p * z + 1.666_675_4e-1;
    p * z * s + s
}

/// The angle in −π/2 … π/2 whose sine is x; NaN outside −1 … 1.
#[inline(always)]
pub fn arcsin(x: f32) -> f32 {
    let a = without_denormals(x).abs();
    let near = small_arcsin(a, a * a);
    // sin(π/2 − 2w) = 1 − 2 sin² w
    let z = 0.5 * (1.0 - a);
    let far = (FRAC_PI_2 - 2.0 * small_arcsin(sqrt(z), z)) + FRAC_PI_2_REST;
    let result = with_sign(if a <= 0.5 { near } else { far }, x);
    nan_of(x, if a > 1.0 { f32::NAN } else { result })
}

/// The angle in 0 … π whose cosine is x; NaN outside −1 … 1.
#[inline(always)]
pub fn arccos(x: f32) -> f32 {
    let a = without_denormals(x).abs();
    let near = with_sign(small_arcsin(a, a * a), x);
    let near = FRAC_PI_2 - (near - FRAC_PI_2_REST);
    let z = 0.5 * (1.0 - a);
    let far = 2.0 * small_arcsin(sqrt(z), z);
    let far = if x < 0.0 { (PI - far) + PI_REST } else { far };
    nan_of(
        x,
        if a > 1.0 {
            f32::NAN
        } else if a <= 0.5 {
            near
        } else {
            far
        },
    )
}

/// The angle in −π/2 … π/2 whose tangent is x.
#[inline(always)]
pub fn arctan(x: f32) -> f32 {
    let a = without_denormals(x).abs();
    // arctan a = π/2 − arctan(1/a) = π/4 + arctan((a − 1)/(a + 1))
    let (large, middle) = (a > 2.414_213_7, a > 0.414_213_57);
    let numerator = if large {
        -1.0
    } else if middle {
        a - 1.0
    } else {
        a
    };
    let divisor = if large {
        a.min(1e30)
    } else if middle {
        a + 1.0
    } else {
        1.0
    };
    let (whole, rest) = if large { (FRAC_PI_2, FRAC_PI_2_REST) } else { (FRAC_PI_4, FRAC_PI_4_REST) };
    let (whole, rest) = if middle { (whole, rest) } else { (0.0, 0.0) };
    let t = numerator / divisor;
    let z = t * t;
    let mut p = -6.082_494_5e-2;
    p = p * z + 1.059_564_2e-1;
    p = p * z + -1.424_380_2e-1;
    p = p * z + 1.999_848_8e-1;
    p = p * z + -3.333_331_6e-1;
    let result = whole + (t + (p * z * t + rest));
    nan_of(x, with_sign(result, x))
}
