use spikelet_rows::rng::{Key, Purpose};

use super::*;

const COUNT: usize = 40_000;

/// Neurons whose values are drawn with one seed.
struct Many;

impl Elements for Many {
    fn count(&self) -> usize {
        COUNT
    }
    fn symbol(&self, symbol: Symbol, element: usize) -> f64 {
        if symbol == Symbol::Index { element as f64 } else { f64::NAN }
    }
    fn draw(&self, quantity: u32, site: u32, attempt: u32, element: usize) -> [u32; 4] {
        Key(20_261_121).draw(Purpose::Initial, quantity, [site, element as u32, attempt])
    }
    fn place(&self, element: usize) -> Option<usize> {
        Some(element)
    }
    fn listed(&self) -> Result<usize, &'static str> {
        Ok(COUNT)
    }
}

/// The values of a text, or what is wrong with it.
fn values(text: &str) -> Result<(Dimension, Vec<f64>), Diagnostic> {
    let mut named = NamedValues::default();
    named.set("s", &Quantity::from("-5 mV"), None, &Many, 0)?;
    named.set("x", &Quantity::from(text), None, &Many, 1)?;
    let (dimension, values) = &named.0["x"];
    Ok((*dimension, (0..COUNT).map(|element| values.at(element)).collect()))
}

fn drawn(text: &str) -> Vec<f64> {
    values(text).unwrap_or_else(|found| panic!("{found}")).1
}

fn refusal(text: &str) -> Diagnostic {
    values(text).map(|(dimension, _)| dimension).expect_err(text)
}

/// Φ(x)
fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The distribution function of the gamma distribution of scale 1, by its series (DLMF 8.7.1).
fn gamma_below(shape: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (1.0 / shape, 1.0 / shape, shape);
    while term > sum * 1e-16 {
        k += 1.0;
        term *= x / k;
        sum += term;
    }
    sum * libm::exp(shape * libm::log(x) - x - libm::lgamma(shape))
}

/// Mean and standard deviation within four standard errors, and the distance of Kolmogorov and Smirnov below its quantile of 0.999.
fn is_distributed(text: &str, mean: f64, sd: f64, below: &dyn Fn(f64) -> f64) {
    let mut values = drawn(text);
    let n = COUNT as f64;
    let seen = values.iter().sum::<f64>() / n;
    assert!((seen - mean).abs() < 4.0 * sd / n.sqrt(), "{text}: mean {seen}, not {mean}");
    let power = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / n;
    // The standard error of a variance comes from the fourth moment.
    let (variance, fourth) = (power(2), power(4));
    assert!((variance - sd * sd).abs() < 4.0 * ((fourth - variance * variance) / n).sqrt(), "{text}: sd {}", variance.sqrt());
    values.sort_by(f64::total_cmp);
    let distance = values.iter().enumerate().fold(0.0, |far: f64, (k, value)| {
        let expected = below(*value);
        far.max((expected - k as f64 / n).abs()).max((expected - (k + 1) as f64 / n).abs())
    });
    assert!(distance < 1.95 / n.sqrt(), "{text}: {distance} away from its distribution");
}

#[test]
fn normal() {
    is_distributed("normal(-65 mV, 5*mV)", -65.0, 5.0, &|x| phi((x + 65.0) / 5.0));
}

#[test]
fn normal_between_bounds() {
    for [mean, sd, low, high] in [[1.0, 2.0, 0.0, 100.0], [0.0, 1.0, -0.5, 1.5], [0.0, 1.0, 3.0, 4.0], [0.0, 1.0, -7.0, -5.0]] {
        let (a, b) = ((low - mean) / sd, (high - mean) / sd);
        // In the upper tail, mirrored: Φ has more digits below.
        let mass = phi(-a) - phi(-b);
        let density = |x: f64| libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
        let mass = if a < 0.0 { phi(b) - phi(a) } else { mass };
        let shift = (density(a) - density(b)) / mass;
        let variance = 1.0 + (a * density(a) - b * density(b)) / mass - shift * shift;
        let below = |x: f64| {
            let z = (x - mean) / sd;
            if a < 0.0 { (phi(z) - phi(a)) / mass } else { (phi(-a) - phi(-z)) / mass }
        };
        let text = format!("normal({mean} nS, {sd} nS, {low} nS, {high} nS)");
        is_distributed(&text, mean + sd * shift, sd * variance.sqrt(), &below);
        assert!(drawn(&text).iter().all(|value| (low..=high).contains(value)), "{text}");
    }
}

#[test]
fn lognormal() {
    let (mean, square) = (2.0 * libm::exp(0.125), libm::exp(0.25));
    is_distributed("lognormal(2 nS, 0.5)", mean, mean * (square - 1.0).sqrt(), &|x| phi(libm::log(x / 2.0) / 0.5));
}

#[test]
fn uniform() {
    is_distributed("uniform(-2 ms, 3 ms)", 0.5, 5.0 / 12.0_f64.sqrt(), &|x| (x + 2.0) / 5.0);
}

#[test]
fn exponential() {
    is_distributed("exponential(4 pA)", 4.0, 4.0, &|x| -libm::expm1(-x / 4.0));
}

#[test]
fn gamma_of_all_shapes() {
    for shape in [0.2, 0.9, 1.0, 3.0, 50.0] {
        let below = |x: f64| gamma_below(shape, x / 2.0);
        is_distributed(&format!("gamma({shape}, 2 ms)"), 2.0 * shape, 2.0 * shape.sqrt(), &below);
    }
}

#[test]
fn clipped_values_lie_on_the_bounds() {
    let values = drawn("clip(normal(1 nS, 1 nS), 0 nS, 3 nS)");
    let on = |bound: f64| values.iter().filter(|value| **value == bound).count() as f64 / COUNT as f64;
    assert!((on(0.0) - phi(-1.0)).abs() < 0.01 && (on(3.0) - phi(-2.0)).abs() < 0.005, "{} {}", on(0.0), on(3.0));
    assert!(values.iter().all(|value| (0.0..=3.0).contains(value)));
}

#[test]
fn each_place_draws_its_own_and_the_same_again() {
    let text = "normal(0 mV, 1 mV) - normal(0 mV, 1 mV)";
    is_distributed(text, 0.0, std::f64::consts::SQRT_2, &|x| phi(x / std::f64::consts::SQRT_2));
    assert_eq!(drawn(text), drawn(text));
    let quantity = Quantity::expr("normal(0*mV, 1 mV) - normal(0 mV, 1*mV)");
    let mut named = NamedValues::default();
    named.set("x", &quantity, None, &Many, 1).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(named.0["x"].1, Values::Each(drawn(text)));
}

#[test]
fn without_spread_all_are_the_same() {
    let mut named = NamedValues::default();
    named.set("x", &Quantity::from("normal(3 mV, 0 mV)"), None, &Many, 0).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(named.0["x"].1, Values::Uniform(3.0));
    assert_eq!(drawn("normal(3 mV, 0 mV, 0 mV, 5 mV)")[..2], [3.0, 3.0]);
}

#[test]
fn wrong_arguments_are_refused_with_their_value() {
    for (text, expected) in [
        ("normal(1 mV, -5 mV)", "the sd of `normal` is -5 mV; expected 0 or more."),
        ("normal(1 mV, s)", "the sd of `normal` is -5 mV; expected 0 or more."),
        ("normal(1 mV, (3 - i)*mV)", "the sd of `normal` is -1 mV; expected 0 or more."),
        ("lognormal(1 mV, -0.5)", "the sigma of `lognormal` is -0.5; expected 0 or more."),
        ("lognormal(s, 0.5)", "the median of `lognormal` is -5 mV; expected 0 or more. For negative values write the sign first"),
        ("exponential(s)", "the mean of `exponential` is -5 mV; expected 0 or more."),
        ("uniform(2 mV, 2 mV)", "`uniform` has the bounds 2 mV and 2 mV; expected the lower one first"),
        ("uniform(0 mV, s)", "`uniform` has the bounds 0 mV and -5 mV; expected the lower one first"),
        ("gamma(0, 2 ms)", "the shape of `gamma` is 0; expected one above 0."),
        ("gamma(s/mV, 2 ms)", "the shape of `gamma` is -5; expected one above 0."),
        ("gamma(2, s)", "the scale of `gamma` is -5 mV; expected 0 or more."),
        ("normal(0 mV, 1 mV, 3 mV, 2 mV)", "`normal` has the bounds 3 mV and 2 mV"),
        ("normal(0 mV, s, 3 mV, 5 mV)", "the sd of `normal` is -5 mV"),
        ("normal(0 mV, 1 mV, 30 mV, 50 mV)", " is between 30 mV and 50 mV with probability 4.9e-198; expected 1e-9 or more."),
        ("normal(0 mV, 0 mV, 1 mV, 2 mV)", "with probability 0.0e0"),
    ] {
        let found = refusal(text);
        assert_eq!(found.kind, Kind::OutOfRange, "{text}: {found}");
        assert!(found.to_string().contains(expected), "{text}: {found}");
    }
    // What is written as numbers is refused even where there is nobody to have the value.
    let projection = spikelet_network::Projection::default();
    let nobody = crate::pairs::edges::EdgelessContext {
        dt: 0.1,
        projection: &projection,
        ends: crate::neurons::ends::EndValues::default(),
    };
    for (text, is_refused) in [("normal(i*mV, -1 mV)", true), ("normal(0 mV, (1 - 2*N)*mV)", false)] {
        let mut named = NamedValues::default();
        assert_eq!(named.set("x", &Quantity::from(text), None, &nobody, 0).is_err(), is_refused, "{text}");
    }
    let found = refusal("normal(1 mV, 2*s)");
    assert_eq!((found.column, found.width), (14, 3), "{found}");
}
