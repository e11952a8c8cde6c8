use spikelet_lang::functions::Function;

use super::*;

/// Largest error in units of the last place of the exact value, and where.
#[derive(Clone, Copy, Default)]
struct Worst {
    ulp: f64,
    at: (f32, f32),
}

impl Worst {
    fn add(&mut self, found: f32, wanted: f64, at: (f32, f32)) {
        let ulp = error(found, wanted);
        if ulp > self.ulp || ulp.is_nan() {
            *self = Worst { ulp, at };
        }
    }
}

/// The error of `found` in units of the last place of `wanted`; infinite where one is no number and the other is.
fn error(found: f32, wanted: f64) -> f64 {
    let near = wanted as f32;
    if wanted.is_nan() || found.is_nan() {
        return if wanted.is_nan() && found.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if near.is_infinite() || found.is_infinite() {
        // One step to or from infinity is as good.
        let next = found == near || (found.abs() >= f32::MAX && near.abs() >= f32::MAX && found.signum() == near.signum());
        return if next { 0.0 } else { f64::INFINITY };
    }
    assert!(found == 0.0 || found.is_normal(), "{found:e} is denormal");
    if wanted.abs() < f64::from(f32::MIN_POSITIVE) {
        return if found.abs() <= f32::MIN_POSITIVE { 0.0 } else { f64::INFINITY };
    }
    let ulp = f64::from(f32::from_bits(near.abs().to_bits() & 0x7f80_0000)) / 8_388_608.0;
    (f64::from(found) - wanted).abs() / ulp
}

/// A function, its name, its exact value, the bound of its error, and the places to look at closely.
struct Case {
    name: &'static str,
    function: fn(f32) -> f32,
    exact: fn(f64) -> f64,
    bound: f64,
    ranges: &'static [(f32, f32)],
}

const fn case(
    name: &'static str,
    function: fn(f32) -> f32,
    exact: fn(f64) -> f64,
    bound: f64,
    ranges: &'static [(f32, f32)],
) -> Case {
    Case { name, function, exact, bound, ranges }
}

const CASES: [Case; 18] = [
    case("exp", exp, libm::exp, 1.2, &[(-87.4, -86.5), (-1.0, 1.0), (-90.0, 90.0), (88.5, 88.8)]),
    case("expm1", expm1, libm::expm1, 1.6, &[(-1.0, 1.0), (-20.0, 90.0), (-0.36, -0.34), (0.34, 0.36)]),
    case("exprel", exprel, exprel64, 2.5, &[(-3.0, 3.0), (-90.0, 95.0), (-0.51, -0.49), (0.49, 0.51), (88.0, 94.5)]),
    case("sigmoid", sigmoid, |x| 1.0 / (1.0 + libm::exp(-x)), 2.5, &[(-1.0, 1.0), (-90.0, 90.0), (-20.0, 20.0)]),
    case("sinh", sinh, libm::sinh, 1.7, &[(-2.0, 2.0), (-90.0, 90.0), (0.99, 1.01)]),
    case("cosh", cosh, libm::cosh, 1.7, &[(-2.0, 2.0), (-90.0, 90.0)]),
    case("tanh", tanh, libm::tanh, 1.4, &[(-2.0, 2.0), (-10.0, 10.0), (0.62, 0.63)]),
    case("log", log, log64, 0.9, &[(0.5, 2.0), (0.99, 1.01), (0.0, 100.0)]),
    case("log10", log10, |x| log64(x) / std::f64::consts::LN_10, 2.0, &[(0.5, 2.0), (0.99, 1.01), (0.0, 100.0)]),
    case("log1p", log1p, libm::log1p, 1.5, &[(-1.0, 2.0), (-0.01, 0.01), (-0.31, -0.28), (0.4, 0.43), (0.0, 100.0)]),
    case("sqrt", sqrt, sqrt64, 0.8, &[(0.0, 5.0), (0.0, 1e5)]),
    case("sin", sin, libm::sin, 1.7, &[(-7.0, 7.0), (-6000.0, 6000.0), (5990.0, 6010.0), (-1e6, 1e6)]),
    case("cos", cos, libm::cos, 1.7, &[(-7.0, 7.0), (-6000.0, 6000.0), (5990.0, 6010.0), (-1e6, 1e6)]),
    case("tan", tan, libm::tan, 2.9, &[(-7.0, 7.0), (-6000.0, 6000.0), (5990.0, 6010.0), (-1e6, 1e6)]),
    case("arcsin", arcsin, libm::asin, 2.2, &[(-1.0, 1.0), (0.49, 0.51), (0.99, 1.0)]),
    case("arccos", arccos, libm::acos, 1.5, &[(-1.0, 1.0), (0.49, 0.51), (0.99, 1.0), (-1.0, -0.99)]),
    case("arctan", arctan, libm::atan, 1.9, &[(-5.0, 5.0), (0.41, 0.42), (2.41, 2.42), (0.0, 100.0)]),
    case("sign", sign, |x| f64::from(u8::from(x > 0.0)) - f64::from(u8::from(x < 0.0)), 0.0, &[(-1.0, 1.0)]),
];

#[test]
fn every_function_has_a_case() {
    // The others are instructions of every device.
    let functions =
        Function::written().map(Function::row).filter(|row| !row.is_random && row.wgsl != row.name && !row.wgsl.is_empty());
    let missing: Vec<&str> =
        functions.map(|row| row.name).filter(|name| *name != "int" && CASES.iter().all(|case| case.name != *name)).collect();
    assert!(missing.is_empty(), "add a case of {missing:?}, and its error to the documentation of the module");
}

/// What is far beyond the largest f32 counts as infinite.
fn exprel64(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x > 1e3 {
        f64::INFINITY
    } else {
        libm::expm1(x) / x
    }
}

/// Denormal arguments count as 0.
fn log64(x: f64) -> f64 {
    if x.abs() < f64::from(f32::MIN_POSITIVE) { f64::NEG_INFINITY } else { libm::log(x) }
}

fn sqrt64(x: f64) -> f64 {
    if x.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { libm::sqrt(x) }
}

/// Numbers of every exponent and both signs, a thousand or more of each, with all patterns of bits.
fn all_magnitudes(each: u32) -> impl Iterator<Item = f32> {
    (0..512_u32).flat_map(move |exponent| {
        let mut bits = exponent;
        (0..each).map(move |k| {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // The ends of the binade, then hashes.
            let mantissa = if k < 16 {
                k
            } else if k < 32 {
                0x007f_ffff - (k - 16)
            } else {
                bits >> 9
            };
            f32::from_bits(exponent << 23 | mantissa)
        })
    })
}

fn between((low, high): (f32, f32), steps: u32) -> impl Iterator<Item = f32> {
    (0..=steps).map(move |k| low + (high - low) * (k as f32 / steps as f32))
}

/// The functions whose error is above their bound.
fn beyond_bounds(numbers: impl Fn(&Case) -> Box<dyn Iterator<Item = f32>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for case in &CASES {
        let mut worst = Worst::default();
        for x in numbers(case) {
            worst.add((case.function)(x), (case.exact)(f64::from(x)), (x, 0.0));
        }
        let found = format!("{}: {:.3} ulp at {:e}", case.name, worst.ulp, worst.at.0);
        println!("{found}");
        if worst.ulp > case.bound || worst.ulp.is_nan() {
            wrong.push(format!("{found}, bound {}", case.bound));
        }
    }
    wrong
}

#[test]
fn error_bounds_hold_for_all_magnitudes() {
    let wrong = beyond_bounds(|case| {
        let close = case.ranges.iter().flat_map(|range| between(*range, 200_000));
        Box::new(all_magnitudes(1_000).chain(close))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "takes minutes even in release: every 31st number there is"]
fn error_bounds_hold_for_very_many_numbers() {
    let wrong = beyond_bounds(|_| Box::new((0..=u32::MAX / 31).map(|k| f32::from_bits(k * 31))));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn error_bound_of_power_holds() {
    let mut worst = Worst::default();
    let exact = |x: f64, y: f64| {
        let small = |x: f64| if x.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { x };
        libm::pow(small(x).abs(), small(y)) * if small(x) < 0.0 && libm::fmod(y, 2.0).abs() == 1.0 { -1.0 } else { 1.0 }
    };
    let mut check = |x: f32, y: f32| {
        if x > 0.0 || y == y.round() {
            worst.add(power(x, y), exact(f64::from(x), f64::from(y)), (x, y));
        } else if x <= -f32::MIN_POSITIVE && x.is_finite() {
            assert!(power(x, y).is_nan(), "{x:e} ** {y:e}");
        }
    };
    // Every base with exponents that reach both ends of the results, and the usual ones.
    for (k, x) in all_magnitudes(400).enumerate() {
        if x.is_nan() {
            continue;
        }
        let reach = 128.0 / f64::from(x.abs()).log2();
        let part = f64::from((k as u32).wrapping_mul(2_654_435_761)) / f64::from(u32::MAX) * 2.04 - 1.02;
        for y in [(reach * part) as f32, (reach * 0.999) as f32, -0.5, 0.1, 1.0 / 3.0, 1.5, 2.0, 3.0, -7.0] {
            check(x, y);
        }
    }
    // Every exponent with usual bases, and those around 1.
    for y in all_magnitudes(200).filter(|y| !y.is_nan()) {
        for x in [1e-30, 0.1, 0.7, 0.999_999_94, 1.0, 1.000_000_1, 1.4, 1.5, 2.0, 10.0, 3e38] {
            check(x, y);
        }
    }
    println!("power: {:.2} ulp at {:?}", worst.ulp, worst.at);
    assert!(worst.ulp <= 1.4, "power: {:.2} ulp at {:?}", worst.ulp, worst.at);
}

#[test]
fn edges() {
    assert_eq!((exp(0.0), exprel(0.0), sqrt(0.0), log(1.0), log1p(0.0), expm1(0.0)), (1.0, 1.0, 0.0, 0.0, 0.0, 0.0));
    assert_eq!((sin(0.0), cos(0.0), tan(0.0), arctan(0.0), arcsin(0.0), arccos(1.0)), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0));
    assert_eq!((exp(1000.0), exp(-200.0), exprel(1000.0), expm1(-1000.0)), (f32::INFINITY, 0.0, f32::INFINITY, -1.0));
    assert!(exprel(92.0).is_finite() && sinh(89.0).is_finite() && cosh(-89.0).is_finite());
    assert_eq!((sigmoid(-200.0), sigmoid(0.0), sigmoid(200.0)), (0.0, 0.5, 1.0));
    assert_eq!((log(0.0), log10(0.0), log1p(-1.0)), (f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY));
    assert_eq!((log10(10.0), log10(1000.0), log10(1e10)), (1.0, 3.0, 10.0));
    let infinity = f32::INFINITY;
    assert_eq!((exp(infinity), exp(-infinity), exprel(infinity), exprel(-infinity)), (infinity, 0.0, infinity, 0.0));
    assert_eq!((log(infinity), log10(infinity), log1p(infinity), sqrt(infinity)), (infinity, infinity, infinity, infinity));
    assert_eq!((tanh(infinity), tanh(-infinity), sinh(-infinity), cosh(-infinity)), (1.0, -1.0, -infinity, infinity));
    assert_eq!((arctan(infinity), arctan(-infinity)), (std::f32::consts::FRAC_PI_2, -std::f32::consts::FRAC_PI_2));
    for nowhere in [log(-1.0), log10(-1.0), log1p(-1.5), sqrt(-1.0), arcsin(1.5), arccos(-1.5), sin(infinity), tan(-infinity)] {
        assert!(nowhere.is_nan());
    }
    for case in CASES.iter().filter(|case| case.name != "sign") {
        assert!((case.function)(f32::NAN).is_nan(), "{} of NaN", case.name);
    }
}

#[test]
fn powers_of_zero_and_of_negative_numbers() {
    assert_eq!((power(0.0, 2.5), power(0.0, 0.0), power(0.0, -0.5), power(5.0, 0.0)), (0.0, 1.0, f32::INFINITY, 1.0));
    assert_eq!((power(-2.0, 3.0), power(-2.0, 4.0), power(-2.0, -1.0)), (-8.0, 16.0, -0.5));
    assert!(power(-2.0, 0.5).is_nan() && power(f32::NAN, 1.0).is_nan() && power(1.0, f32::NAN).is_nan());
    assert_eq!((power(2.0, 127.0), power(2.0, 128.0), power(2.0, -126.0)), (1.701_411_8e38, f32::INFINITY, f32::MIN_POSITIVE));
    assert_eq!((power(f32::INFINITY, 0.1), power(f32::INFINITY, -0.1), power(2.0, -127.0)), (f32::INFINITY, 0.0, 0.0));
    assert_eq!((power(9.0, 0.5), power(4.0, -0.5), power(10.0, 2.0)), (3.0, 0.5, 100.0));
}

/// A uniform number is the nearest f32 of all its bits, in (0, 1).
#[test]
fn uniform_numbers_have_the_bits_of_f32() {
    let nearest = |bits: u32, more: u32| spikelet_lang::host::unit_f64(bits, more) as f32;
    for k in 0..4096_u32 {
        let bits = (k << 20 | k.wrapping_mul(0x9e37_79b9) >> 12).max(NEAR_0);
        assert_eq!(uniform(bits), nearest(bits, 1 << 31).min(1.0 - f32::EPSILON / 2.0), "{bits:#x}");
        let few = bits >> 12;
        let (found, expected) = (uniform_near_0(few, bits), nearest(few, bits));
        assert!((found - expected).abs() <= f32::EPSILON * expected, "{few:#x}: {found:e}, expected {expected:e}");
    }
    assert_eq!((uniform(u32::MAX), uniform_near_0(0, 0)), (1.0 - f32::EPSILON / 2.0, (-65_f32).exp2()));
    assert!(log(uniform_near_0(0, 0)).is_finite() && log1p(-uniform(u32::MAX)).is_finite());
    // No step down where more bits begin.
    assert!(uniform_near_0(NEAR_0 - 1, u32::MAX) <= uniform(NEAR_0));
}

/// However small a probability is, it is that of a count above 0.
#[test]
fn small_probabilities_are_those_of_an_event() {
    for p in [1e-3_f32, 1e-8, 1e-13, 1e-17] {
        assert_eq!((poisson(p, p * 0.999), poisson(p, p * 1.001)), (1.0, 0.0), "poisson({p})");
        assert_eq!((binomial(1.0, p, p * 0.999), binomial(1.0, p, p * 1.001)), (1.0, 0.0), "binomial(1, {p})");
        assert_eq!((binomial(10.0, p, 9.9 * p), binomial(10.0, p, 10.1 * p)), (1.0, 0.0), "binomial(10, {p})");
    }
}

#[test]
fn normal_is_normal() {
    // Evenly spaced bits give the quantiles themselves: moments to the accuracy of the sum.
    let count = 1 << 20;
    let values: Vec<f64> = (0..count).map(|k| f64::from(normal((k << 12) + 2048))).collect();
    let mean = values.iter().sum::<f64>() / f64::from(count);
    let variance = values.iter().map(|x| x * x).sum::<f64>() / f64::from(count);
    let kurtosis = values.iter().map(|x| x.powi(4)).sum::<f64>() / f64::from(count);
    assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-4 && (kurtosis - 3.0).abs() < 2e-3, "{mean} {variance} {kurtosis}");
    assert!(normal(u32::MAX) > 5.2 && normal(0) < -5.2);
}

/// Where the f64 twins put the count for a slightly smaller and a slightly larger uniform number, this one lies between.
#[test]
fn counts_are_those_of_the_host() {
    let uniforms = || {
        (0..4096_u32).map(|k| {
            uniform(if k < 64 {
                k << 8
            } else if k < 128 {
                !((k - 64) << 8)
            } else {
                k << 20
            })
        })
    };
    let check = |name: &str, found: f32, (host, event): (&dyn Fn(f64) -> f64, f64), u: f32| {
        let near = |by: f64| host((f64::from(u) + by).clamp(f64::EPSILON / 4.0, 1.0 - f64::EPSILON));
        // Of the probability of an event: with a low one, rare events are no less accurate.
        let tolerance = event / f64::from(1 << 18);
        // Beyond the mean that is searched up to, the sum of f32 may also fall on the other side of a half.
        let rounding = if host(0.5) > 32.0 { 1e-6 * host(0.5) } else { 0.0 };
        let (one, other) = (near(-tolerance), near(tolerance));
        let (low, high) = ((one.min(other) - rounding).floor(), (one.max(other) + rounding).ceil());
        assert!((low..=high).contains(&f64::from(found)), "{name} for {u}: {found}, expected {low} to {high}");
    };
    for mean in [-1.0, 0.0, 1e-20, 1e-3, 0.3, 1.0, 7.0, 20.0, 31.9, 32.0, 32.1, 50.0, 1e3, 1e5] {
        for u in uniforms() {
            let host = |u: f64| spikelet_lang::host::poisson(f64::from(mean), u);
            let event = -f64::from(-mean).exp_m1();
            check(&format!("poisson({mean})"), poisson(mean, u), (&host, event.max(0.0)), u);
        }
    }
    for (n, p) in [
        (0.0, 0.5),
        (1.0, 0.3),
        (10.0, 0.0),
        (10.0, 1.0),
        (10.0, 0.6),
        (64.0, 0.5),
        (65.0, 0.5),
        (1e4, 0.003),
        (1e4, 0.998),
        (1e5, 0.3),
    ] {
        for u in uniforms() {
            let host = |u: f64| spikelet_lang::host::binomial(f64::from(n), f64::from(p), u);
            check(&format!("binomial({n}, {p})"), binomial(n, p, u), (&host, 1.0), u);
        }
    }
    assert!(poisson(f32::NAN, 0.5).is_nan() && binomial(5.0, f32::NAN, 0.5).is_nan() && binomial(f32::NAN, 0.5, 0.5).is_nan());
}

/// Drawing many at once is drawing each.
#[test]
fn counts_are_those_of_single_draws() {
    let uniforms: [f32; 256] = std::array::from_fn(|k| uniform((k as u32).wrapping_mul(0x0101_0101)));
    let mut found = [0.0; 256];
    for mean in [0.0, 1e-9, 0.03, 1.0, 2.5, 31.9] {
        Counts::poisson(mean).unwrap().draw(&uniforms, &mut found);
        assert_eq!(found, uniforms.map(|u| poisson(mean, u)), "poisson({mean})");
    }
    for (n, p) in [(0.0, 0.5), (1.0, 0.3), (1000.0, 2e-3), (16.0, 0.5), (10.9, 0.9), (5.0, 1.0), (5.0, -1.0), (1e6, 1e-6)] {
        Counts::binomial(n, p).unwrap().draw(&uniforms, &mut found);
        assert_eq!(found, uniforms.map(|u| binomial(n, p, u)), "binomial({n}, {p})");
    }
    assert!(Counts::poisson(33.0).is_none() && Counts::poisson(f32::NAN).is_none() && Counts::poisson(-1.0).is_none());
    assert!(Counts::binomial(1000.0, 0.5).is_none() && Counts::binomial(f32::NAN, 0.5).is_none());
}

/// The shorter ways are taken where they give the same bits.
#[test]
fn short_ways_end_where_the_long_ones_do() {
    for k in 0..1_u32 << 16 {
        let bits = k << 16 | 0xabcd;
        if is_middling(bits) {
            assert_eq!(normal_middling(bits).to_bits(), normal(bits).to_bits(), "{bits:#x}");
        }
    }
    for x in all_magnitudes(2000).chain(between((-81.0, 81.0), 1 << 18)) {
        let near = is_near_0(x);
        let short = if near { exprel_near(x) } else { exprel_far(x) };
        assert_eq!(short.to_bits(), exprel(x).to_bits(), "{x:e}");
        if is_moderate(x) {
            assert_eq!(exp_moderate(x).to_bits(), exp(x).to_bits(), "{x:e}");
            assert!(near || exprel_moderate(x).to_bits() == exprel(x).to_bits(), "{x:e}");
        }
    }
    assert!(!is_middling(0) && !is_middling(u32::MAX) && is_middling(1 << 31));
}
