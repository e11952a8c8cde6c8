//! The normal distribution by its inverse.

/// The number below which a standard normal variable falls with probability `u`, for `u` in (0, 1).
///
/// Algorithm AS 241, routine PPND16 (Wichura 1988, "The percentage points of the normal distribution", Applied
/// Statistics 37:477), accurate to about 1 part in 10¹⁶. At 0 and 1 it gives −∞ and +∞, outside [0, 1] NaN.
#[inline]
pub fn normal_f64(u: f64) -> f64 {
    let q = u - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180_625 - q * q, &CENTRAL);
    }
    let tail = if q < 0.0 { u } else { 1.0 - u };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = libm::sqrt(-libm::log(tail));
    let distance = if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &FAR) };
    if q < 0.0 { -distance } else { distance }
}

/// The probability that a standard normal number is below x.
fn below(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The probability that a normal number of this mean and standard deviation lies between `low` and `high`.
pub fn probability([mean, sd]: [f64; 2], [low, high]: [f64; 2]) -> f64 {
    let (low, high) = ((low - mean) / sd, (high - mean) / sd);
    // In the upper tail the differences of probabilities near 1 would lose their digits.
    if low > 0.0 { below(-low) - below(-high) } else { below(high) - below(low) }
}

/// A normal number of this mean and standard deviation, redrawn until it lies between `low` and `high`: the quantile of that
/// distribution for `u` in [0, 1], exactly, by the inverse of the distribution function. A standard deviation of 0 gives the mean.
pub fn truncated_normal([mean, sd]: [f64; 2], [low, high]: [f64; 2], u: f64) -> f64 {
    if sd == 0.0 {
        return mean;
    }
    let (from, to) = ((low - mean) / sd, (high - mean) / sd);
    let between = |from: f64, to: f64, u: f64| normal_f64(below(from) + u * (below(to) - below(from)));
    let z = if from > 0.0 { -between(-to, -from, 1.0 - u) } else { between(from, to, u) };
    // Rounding may leave the interval by a bit.
    (mean + sd * z).max(low).min(high)
}

/// Numerator and denominator of degree seven, lowest power first.
type Rational = [[f64; 8]; 2];

fn ratio(x: f64, [numerator, denominator]: &Rational) -> f64 {
    let horner = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    horner(numerator) / horner(denominator)
}

#[rustfmt::skip]
#[expect(clippy::excessive_precision, reason = "the digits of the publication")]
const CENTRAL: Rational = [
    [3.387_132_872_796_366_608_0e0, 1.331_416_678_917_843_774_5e2, 1.971_590_950_306_551_442_7e3, 1.373_169_376_550_946_112_5e4,
     4.592_195_393_154_987_145_7e4, 6.726_577_092_700_870_085_3e4, 3.343_057_558_358_812_810_5e4, 2.509_080_928_730_122_672_7e3],
    [1.0, 4.231_333_070_160_091_125_2e1, 6.871_870_074_920_579_083_0e2, 5.394_196_021_424_751_107_7e3,
     2.121_379_430_158_659_586_7e4, 3.930_789_580_009_271_061_0e4, 2.872_908_573_572_194_267_4e4, 5.226_495_278_852_854_561_0e3],
];

#[rustfmt::skip]
#[expect(clippy::excessive_precision, reason = "the digits of the publication")]
const MIDDLE: Rational = [
    [1.423_437_110_749_683_577_34e0, 4.630_337_846_156_545_295_90e0, 5.769_497_221_460_691_405_50e0, 3.647_848_324_763_204_605_04e0,
     1.270_458_252_452_368_382_58e0, 2.417_807_251_774_506_117_70e-1, 2.272_384_498_926_918_458_33e-2, 7.745_450_142_783_414_076_40e-4],
    [1.0, 2.053_191_626_637_758_821_87e0, 1.676_384_830_183_803_849_40e0, 6.897_673_349_851_000_045_50e-1,
     1.481_039_764_274_800_745_90e-1, 1.519_866_656_361_645_719_66e-2, 5.475_938_084_995_344_946_00e-4, 1.050_750_071_644_416_843_24e-9],
];

#[rustfmt::skip]
#[expect(clippy::excessive_precision, reason = "the digits of the publication")]
const FAR: Rational = [
    [6.657_904_643_501_103_777_20e0, 5.463_784_911_164_114_369_90e0, 1.784_826_539_917_291_335_80e0, 2.965_605_718_285_048_912_30e-1,
     2.653_218_952_657_612_309_30e-2, 1.242_660_947_388_078_438_60e-3, 2.711_555_568_743_487_578_15e-5, 2.010_334_399_292_288_132_65e-7],
    [1.0, 5.998_322_065_558_879_376_90e-1, 1.369_298_809_227_358_053_10e-1, 1.487_536_129_085_061_485_25e-2,
     7.868_691_311_456_132_591_00e-4, 1.846_318_317_510_054_681_80e-5, 1.421_511_758_316_445_888_70e-7, 2.044_263_103_389_939_785_64e-15],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let cases = [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196_081_7),
            (0.975, 1.959_963_984_540_054),
            (0.999, 3.090_232_306_167_813_5),
            (1e-10, -6.361_340_902_404_056),
            (1e-20, -9.262_340_089_798_408),
            (1e-300, -37.047_096_299_361_2),
        ];
        for (u, expected) in cases {
            assert!((normal_f64(u) - expected).abs() <= 1e-14 * f64::abs(expected).max(1.0), "{u}: {}", normal_f64(u));
        }
        assert_eq!(normal_f64(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_f64(1.0), f64::INFINITY);
        assert!(normal_f64(f64::NAN).is_nan());
    }

    /// The cumulative distribution undoes it, over its three pieces.
    #[test]
    fn it_is_the_inverse_of_the_distribution() {
        for k in 1..2000 {
            let u = f64::from(k) / 2000.0;
            let back = 0.5 * libm::erfc(-normal_f64(u) / core::f64::consts::SQRT_2);
            assert!((back - u).abs() < 2e-15, "{u} came back as {back}");
        }
    }

    /// Bits, not closeness: the page's wasm and a workstation start from the same membrane potentials.
    #[test]
    fn the_bits_are_pinned() {
        let mut sum = 0_u64;
        for k in 0..10_000_u32 {
            let bits = (u64::from(k.wrapping_mul(0x9E37_79B9)) << 32 | u64::from(k)) >> 12;
            let z = normal_f64((bits as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64));
            sum = sum.rotate_left(5) ^ z.to_bits();
        }
        assert_eq!(sum, 18_365_196_337_154_988_617);
    }
}
