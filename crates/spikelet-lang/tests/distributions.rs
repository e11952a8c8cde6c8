//! Distributions: their arguments, their dimensions, and what they become.

use std::cell::Cell;

use spikelet_lang::check::{Type, Value, ValueScope, resolve_value};
use spikelet_lang::host::{Leaf, evaluate, gamma};
use spikelet_lang::syntax::{parse_expression, parse_quantity};
use spikelet_lang::term::{Random, Symbol};
use spikelet_lang::{Diagnostic, Dimension, Kind, NeuronText, PopulationLayout, Quantities, check_neuron, quantity, wgsl};

fn value(text: &str) -> Result<Value, Diagnostic> {
    let names = |name: &str| (name == "s").then_some((Symbol::Constant(0), Dimension::NONE));
    let scope = ValueScope { known: vec!["s".into()], sites: Ok(Cell::new(0)), ..ValueScope::of_names(&names) };
    resolve_value("x", text, &parse_quantity("x", text)?, &scope)
}

/// The value where every uniform draw is a quarter, and every normal one is 2.
fn computed(text: &str) -> f64 {
    let value = value(text).unwrap_or_else(|found| panic!("{found}"));
    evaluate(&value.term, &mut |leaf| match leaf {
        Leaf::Random(Random::Uniform, _) => 0.25,
        Leaf::Random(Random::Normal, _) => 2.0,
        Leaf::Symbol(_) => 3.0,
        other => panic!("{text} asks for {other:?}"),
    })
}

#[test]
fn they_are_terms_over_standard_draws() {
    for (text, expected) in [
        ("normal(-65 mV, 5 mV)", -55.0),
        ("normal(-65*mV, 5*mV)", -55.0),
        ("2*normal(-0.065 volt, +5 mV) + 1*mV", -109.0),
        ("clip(normal(1 nS, 2*nS), 0 nS, 4 nS)", 4.0),
        ("lognormal(2 nS, 0.5)", 2.0 * libm::exp(1.0)),
        ("-lognormal(2 nS, 0.5)", -2.0 * libm::exp(1.0)),
        ("uniform(-2 ms, 6 ms)", 0.0),
        ("exponential(4 pA)", -4.0 * libm::log(0.75)),
        // The lower quartile of a half of the normal distribution.
        ("normal(0, 1, 0, 100)", 0.318_639_363_964_375_2),
        ("normal(10, s, 10, 310)", 10.0 + 3.0 * 0.318_639_363_964_375_2),
    ] {
        assert!((computed(text) - expected).abs() < 1e-12 * expected.abs().max(1.0), "{text}: {}", computed(text));
    }
}

#[test]
fn each_place_is_a_site() {
    let value =
        value("normal(0, 1) + uniform(0, 1) + normal(0, 1, -1, 1) + gamma(2, 1)").unwrap_or_else(|found| panic!("{found}"));
    let mut sites = Vec::new();
    evaluate(&value.term, &mut |leaf| {
        if let Leaf::Random(_, site) | Leaf::Gamma(_, site) = leaf {
            sites.push(site);
        }
        0.5
    });
    assert_eq!(sites, [0, 1, 2, 3]);
}

#[test]
fn what_they_measure_is_that_of_their_arguments() {
    for text in ["normal(1 mV, 1 mV)", "lognormal(1 mV, 1)", "uniform(0 mV, 1 mV)", "exponential(1 mV)", "gamma(2, 1 mV)"] {
        let value = value(text).unwrap_or_else(|found| panic!("{found}"));
        assert_eq!(value.kind, Type::Number(Dimension::VOLTAGE), "{text}");
    }
    for (text, expected) in [
        ("normal(1 mV, 1 ms)", "`1 ms` is second; the mean of `normal` is volt."),
        ("normal(1 mV, 1 mV, 0, 2 mV)", "`0` is a pure number; the mean of `normal` is volt."),
        ("uniform(0, 1 ms)", "`1 ms` is second; the low of `uniform` is a pure number."),
        ("lognormal(1 mV, 1 mV)", "the sigma of `lognormal` is a pure number, `1 mV` is volt."),
        ("gamma(1 ms, 1 mV)", "the shape of `gamma` is a pure number, `1 ms` is second."),
    ] {
        let found = value(text).map(|value| value.kind).expect_err(text);
        assert!(found.kind == Kind::DimensionMismatch && found.message == expected, "{found}");
    }
}

#[test]
fn the_number_of_arguments_is_checked() {
    for (text, expected) in [
        ("normal(1)", "`normal` takes (mean, sd) or (mean, sd, low, high), found 1 argument."),
        ("normal(1, 2, 3)", "`normal` takes (mean, sd) or (mean, sd, low, high), found 3 arguments."),
        ("gamma()", "`gamma` takes (shape, scale), found 0 arguments."),
    ] {
        let found = value(text).map(|value| value.kind).expect_err(text);
        assert!(found.kind == Kind::WrongArity && found.message == expected, "{found}");
    }
    let found = value("lognorma(1, 2)").map(|value| value.kind).expect_err("misspelt");
    assert_eq!(found.help.as_deref(), Some("Did you mean `lognormal`?"));
}

#[test]
fn arguments_that_are_known_later_are_demands() {
    let value = value("normal(1, s)").unwrap_or_else(|found| panic!("{found}"));
    let [demand] = &value.demands[..] else { panic!("{:?}", value.demands) };
    assert!(demand.any(|symbol| symbol == Some(Symbol::Constant(0))) && !demand.any(|symbol| symbol.is_none()));
    assert_eq!(demand.check(&mut |_| 2.0), Ok(()));
    let found = demand.check(&mut |_| -2.0).expect_err("a negative sd");
    assert_eq!((found.kind, found.column, found.width), (Kind::OutOfRange, 11, 1), "{found}");
    assert!(demand.check(&mut |_| f64::NAN).is_err());
}

#[test]
fn units_follow_numbers_in_quantities_alone() {
    let found = parse_expression("x", "normal(1 mV, 2*mV)").expect_err("an expression");
    assert_eq!(found.help.as_deref(), Some("Write `*` between them: `1*mV`."), "{found}");
    assert!(parse_quantity("x", "normal(1 2, 3)").is_err());
}

#[test]
fn what_depends_on_nothing_cannot_be_drawn() {
    let found = quantity::constant("x", "normal(1 mV, 1 mV)").expect_err("a draw");
    assert!(found.message.contains("cannot be drawn"), "{found}");
}

/// The code of a neuron that computes `value`, or what is wrong with it.
fn printed(value: &str) -> Result<String, String> {
    let text =
        NeuronText { equations: "x : 1\nm : 1 (constant)".into(), update: Some(format!("x = {value}")), ..NeuronText::default() };
    let given = Quantities::from_texts([("gamma", "2")]).map_err(|found| found.to_string())?;
    let model = check_neuron(&text, &given.dimensions()).map_err(|found| found[0].to_string())?;
    let program = model.compile(&PopulationLayout::uniform()).map_err(|found| found.to_string())?;
    Ok(wgsl::print(&program, wgsl::Arithmetic::Exact).update)
}

#[test]
fn code_draws_from_those_that_are_plain_terms() {
    for (value, draw) in [
        ("normal(m, 2)", "normal32(random_bits(0u))"),
        ("lognormal(m, 2)", "normal32(random_bits(0u))"),
        ("uniform(m, 2)", "random_uniform(0u)"),
        ("exponential(gamma)", "random_uniform(0u)"),
    ] {
        let text = printed(value).unwrap_or_else(|found| panic!("{found}"));
        assert!(text.contains(draw), "{value} is {text}");
    }
    for value in ["gamma(2, m)", "normal(m, 1, 0, 2)"] {
        let found = printed(value).expect_err(value);
        assert!(found.contains("not during the run") && found.contains("Write `clip(normal(mean, sd)"), "{found}");
    }
    let found = printed("normal(m, -1)").expect_err("a negative sd");
    assert!(found.contains("the sd of `normal` is -1; expected 0 or more."), "{found}");
    let found = printed("0 < exponential(1) < 2").expect_err("drawn twice");
    assert!(found.contains("would be drawn twice"), "{found}");
}

#[test]
fn gamma_numbers_need_a_shape_above_zero() {
    for shape in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(gamma(shape, &mut |_| (0.1, 0.5)).is_nan(), "{shape}");
    }
    // Nothing fits: it gives up instead of running for ever.
    assert!(gamma(1.0, &mut |_| (-10.0, 0.5)).is_nan());
    // Shape 1, x = 0: v = 1, d = 2/3. Below 1 another draw's power takes it down.
    let mut attempts = Vec::new();
    let small = gamma(0.5, &mut |attempt| {
        attempts.push(attempt);
        (0.0, 0.25)
    });
    assert!((gamma(1.0, &mut |_| (0.0, 0.5)) - 2.0 / 3.0).abs() < 1e-15);
    assert!((small - (0.5 + 2.0 / 3.0) * 0.0625).abs() < 1e-15 && attempts == [0, 1], "{small} {attempts:?}");
}
