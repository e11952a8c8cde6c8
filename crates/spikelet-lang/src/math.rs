//! Elementary functions in f32: the CPU's twins of `shaders/math.wgsl`, operation for operation.
//!
//! The standard library's functions and the GPU's own differ between machines. These use nothing but addition, multiplication,
//! division, comparison and integer bits, so they agree wherever those are rounded correctly. Error bounds, measured over the whole range
//! by the tests below: [`exp`] 2 ulp, [`log`] 2 ulp, [`sqrt`] 1 ulp, [`exprel`] 5 ulp.

/// x, or 0 where x is closer to 0 than 2⁻¹⁰⁰.
#[inline]
pub fn flush(x: f32) -> f32 {
    if x.abs() < f32::from_bits((127 - 100) << 23) { 0.0 } else { x }
}

/// The number of a step as the bits of a normal f32, which no device flushes: good for a thousand million steps.
#[inline]
pub fn stamp(step: u32) -> f32 {
    f32::from_bits(0x4000_0000 + step)
}

/// Steps from a [`stamp`] to `step`, at most 2²⁴: beyond it f32 would skip numbers.
#[inline]
pub fn elapsed(stamp: f32, step: u32) -> f32 {
    (step.wrapping_sub(stamp.to_bits().wrapping_sub(0x4000_0000)) as i32).min(1 << 24) as f32
}

/// e^x. The argument is held inside ±87, where the result is a normal number (6e-38 … 6e37).
#[inline]
pub fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 87.0);
    let n = (x * std::f32::consts::LOG2_E + 0.5).floor();
    // ln 2 in two pieces: the first has few digits, so n times it is exact (Cephes, expf).
    let r = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    p * f32::from_bits(((n as i32 + 127) as u32) << 23)
}

/// Natural logarithm. NaN below zero; log(0) is −127 ln 2, the logarithm of the smallest positive normal number.
#[inline]
pub fn log(x: f32) -> f32 {
    let bits = x.max(f32::MIN_POSITIVE).to_bits();
    // x = m · 2^e with m in [√½, √2).
    let shifted = bits.wrapping_sub(0x3f35_04f3);
    let e = ((shifted as i32) >> 23) as f32;
    let f = f32::from_bits((shifted & 0x007f_ffff) + 0x3f35_04f3) - 1.0;
    let z = f * f;
    let mut p = 7.037_683_6e-2;
    p = p * f + -1.151_461e-1;
    p = p * f + 1.167_699_84e-1;
    p = p * f + -1.242_014_1e-1;
    p = p * f + 1.424_932_3e-1;
    p = p * f + -1.666_805_7e-1;
    p = p * f + 2.000_071_5e-1;
    p = p * f + -2.499_999_4e-1;
    p = p * f + 3.333_333_3e-1;
    let y = p * f * z + e * -2.121_944_4e-4 - 0.5 * z;
    let result = f + y + e * 0.693_359_4;
    if x < 0.0 { not_a_number(x) } else { result }
}

/// Square root by Newton's iteration. NaN below zero.
#[inline]
pub fn sqrt(x: f32) -> f32 {
    let half = 0.5 * x;
    let mut y = f32::from_bits(0x5f37_59df_u32.wrapping_sub(x.to_bits() >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    let root = x * y;
    let result = root + 0.5 * y * (x - root * root);
    if x < 0.0 { not_a_number(x) } else { result }
}

/// (e^x − 1)/x, 1 at 0.
#[inline]
pub fn exprel(x: f32) -> f32 {
    // Taylor's series where the subtraction would cancel.
    let mut p = 2.480_158_7e-5;
    p = p * x + 1.984_127e-4;
    p = p * x + 1.388_888_9e-3;
    p = p * x + 8.333_334e-3;
    p = p * x + 4.166_666_8e-2;
    p = p * x + 1.666_666_7e-1;
    p = p * x + 0.5;
    p = p * x + 1.0;
    let small = x.abs() < 0.5;
    let divisor = if small { 1.0 } else { x };
    let quotient = (exp(x) - 1.0) / divisor;
    if small { p } else { quotient }
}

/// 1, 0 or −1.
#[inline]
pub fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The uniform number in [0, 1) of 32 random bits: the upper 24 of them, exactly.
#[inline]
pub fn uniform(bits: u32) -> f32 {
    (bits >> 8) as f32 * f32::from_bits((127 - 24) << 23)
}

/// The standard normal number of 32 random bits, by the inverse of the distribution function (Giles 2010, "Approximating the
/// erfinv function", single precision). The 2²⁴ values reach ±5.4.
#[inline]
pub fn normal(bits: u32) -> f32 {
    // An odd integer below 2²⁴ in size: exact in f32, never ±1 after scaling.
    let x = (2 * (bits >> 8) as i32 + 1 - (1 << 24)) as f32 * f32::from_bits((127 - 24) << 23);
    let w = -log((1.0 - x) * (1.0 + x));
    let near = w - 2.5;
    let mut p = 2.810_226_4e-8;
    p = p * near + 3.432_739_4e-7;
    p = p * near + -3.523_388e-6;
    p = p * near + -4.391_506_6e-6;
    p = p * near + 2.185_808_7e-4;
    p = p * near + -1.253_725e-3;
    p = p * near + -4.177_681_5e-3;
    p = p * near + 2.466_407_3e-1;
    p = p * near + 1.501_409_4;
    let far = sqrt(w) - 3.0;
    let mut q = -2.002_142_6e-4;
    q = q * far + 1.009_505_6e-4;
    q = q * far + 1.349_343_3e-3;
    q = q * far + -3.673_428_4e-3;
    q = q * far + 5.739_507_7e-3;
    q = q * far + -7.622_461_3e-3;
    q = q * far + 9.438_870_5e-3;
    q = q * far + 1.001_674;
    q = q * far + 2.832_976_8;
    std::f32::consts::SQRT_2 * (if w < 5.0 { p } else { q } * x)
}

#[inline]
fn not_a_number(x: f32) -> f32 {
    f32::from_bits(x.to_bits() | 0x7fc0_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest error in units of the last place of the exact value.
    fn worst(function: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64, range: (f32, f32)) -> f64 {
        let steps = 2_000_000;
        (0..=steps)
            .map(|k| {
                let x = range.0 + (range.1 - range.0) * (k as f32 / steps as f32);
                let wanted = exact(f64::from(x));
                let ulp = f64::from(f32::from_bits((wanted.abs() as f32).to_bits() + 1)) - f64::from(wanted.abs() as f32);
                (f64::from(function(x)) - wanted).abs() / ulp
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn error_bounds_hold() {
        let exprel64 = |x: f64| if x == 0.0 { 1.0 } else { x.exp_m1() / x };
        for (name, bound, found) in [
            ("exp", 2.0, worst(exp, f64::exp, (-86.9, 86.9))),
            ("exp near 0", 2.0, worst(exp, f64::exp, (-1.0, 1.0))),
            ("log", 2.0, worst(log, f64::ln, (1e-6, 3.0))),
            ("log, large", 2.0, worst(log, f64::ln, (2.0, 1e30))),
            ("sqrt", 1.0, worst(sqrt, f64::sqrt, (1e-6, 5.0))),
            ("sqrt, large", 1.0, worst(sqrt, f64::sqrt, (1.0, 1e30))),
            ("exprel", 5.0, worst(exprel, exprel64, (-3.0, 3.0))),
            ("exprel, far", 5.0, worst(exprel, exprel64, (-80.0, 80.0))),
        ] {
            println!("{name}: {found:.2} ulp");
            assert!(found <= bound, "{name}: {found} ulp, bound {bound}");
        }
    }

    #[test]
    fn edges() {
        assert_eq!((exp(0.0), exprel(0.0), sqrt(0.0), log(1.0)), (1.0, 1.0, 0.0, 0.0));
        assert!(log(-1.0).is_nan() && sqrt(-1.0).is_nan());
        assert!(exp(1000.0).is_finite() && exp(-1000.0) > 0.0);
    }

    #[test]
    fn normal_is_normal() {
        // Evenly spaced bits give the quantiles themselves: moments to the accuracy of the sum.
        let count = 1 << 20;
        let values: Vec<f64> = (0..count).map(|k| f64::from(normal((k << 12) + 2048))).collect();
        let mean = values.iter().sum::<f64>() / f64::from(count);
        let variance = values.iter().map(|x| x * x).sum::<f64>() / f64::from(count);
        let kurtosis = values.iter().map(|x| x.powi(4)).sum::<f64>() / f64::from(count);
        assert!(
            mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-4 && (kurtosis - 3.0).abs() < 2e-3,
            "{mean} {variance} {kurtosis}"
        );
        assert!(normal(u32::MAX) > 5.2 && normal(0) < -5.2);
    }
}
