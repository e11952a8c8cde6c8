//! Shapes and their integrals.

use super::*;

/// A variable with a threshold at 0, and the surrogate of its spikes.
fn at_zero(shape: Shape, slope: f64) -> (Subject, Surrogate) {
    let text = NeuronText {
        equations: "x : 1".into(),
        update: Some("x = x".into()),
        threshold: Some("x > 0".into()),
        ..NeuronText::default()
    };
    (Subject::of_text(shape.name(), &text), Surrogate { shape, slope, factor: 1.0 })
}

/// The derivative that the spike of a step has at x.
fn derivative(shape: Shape, slope: f64) -> impl Fn(f64) -> f64 {
    let (subject, surrogate) = at_zero(shape, slope);
    let (layout, gradient) = (subject.layout(), subject.gradient(&subject.step(SpikeValue::Hard), &surrogate));
    move |x| {
        let mut point = subject.start(|_| Some(x));
        point.arrays[layout.adjoint_of_spike()] = 1.0;
        execute(&gradient, &point).0[layout.adjoint(0)]
    }
}

/// The value of the soft spike of a step at x.
fn integral(shape: Shape, slope: f64) -> Result<impl Fn(f64) -> f64, NoGradient> {
    let (subject, surrogate) = at_zero(shape, slope);
    let layout = subject.layout();
    let step = subject.program.step(&layout, SpikeValue::Soft(&surrogate))?;
    Ok(move |x| execute(&step, &subject.start(|_| Some(x))).0[layout.spike()])
}

#[test]
fn shapes_are_their_formulas() {
    let normal =
        |x: f64, mean: f64, sd: f64| (-0.5 * ((x - mean) / sd).powi(2)).exp() / (sd * (2.0 * std::f64::consts::PI).sqrt());
    for (name, shape) in Shape::ALL {
        assert_eq!((shape.name(), name.parse()), (name, Ok(shape)));
        let (k, _) = shape.defaults();
        let found = derivative(shape, k);
        for x in [-3.0_f64, -0.7, -0.31, -0.01, 0.02, 0.3, 0.6, 2.0] {
            let sigmoid = 1.0 / (1.0 + (-k * x).exp());
            let inside = |condition: bool| if condition { k } else { 0.0 };
            let expected = match shape {
                Shape::SuperSpike => (k * x.abs() + 1.0).powi(-2),
                Shape::Sigmoid => k * sigmoid * (1.0 - sigmoid),
                Shape::Arctan => k / 2.0 / (1.0 + (std::f64::consts::FRAC_PI_2 * k * x).powi(2)),
                Shape::PiecewiseLinear => (1.0 - k * x.abs()).max(0.0),
                Shape::Gaussian => normal(x, 0.0, 1.0 / k),
                Shape::MultiGaussian => 1.15 * normal(x, 0.0, 0.5) - 0.15 * (normal(x, 0.5, 3.0) + normal(x, -0.5, 3.0)),
                Shape::Rectangle => inside((k * x).abs() < 0.5),
                Shape::Relu => inside(x > 0.0),
                Shape::StraightThrough => k,
            };
            assert!((found(x) - expected).abs() < 1e-14, "{name}({x}) is {}, expected {expected}", found(x));
        }
    }
}

#[test]
fn integrals_have_the_shapes_as_derivatives() {
    let mut without = Vec::new();
    for (name, shape) in Shape::ALL {
        let slope = derivative(shape, 1.7);
        let Ok(integral) = integral(shape, 1.7) else {
            without.push(name);
            continue;
        };
        for x in [-3.0, -0.7, -0.2, -0.01, 0.02, 0.2, 0.61, 2.0] {
            let difference = (integral(x + 1e-5) - integral(x - 1e-5)) / 2e-5;
            assert!((slope(x) - difference).abs() < 1e-6, "{name}({x}): {}, {difference}", slope(x));
        }
    }
    assert_eq!(without, ["gaussian", "multi_gaussian"]);
}

#[test]
fn an_unknown_shape_names_the_known_ones() {
    let found = "gauss".parse::<Shape>().unwrap_err();
    assert!(found.starts_with("expected one of superspike, sigmoid,") && found.ends_with("straight_through"), "{found}");
}

fn cell(threshold: &str) -> Subject {
    let text = NeuronText {
        equations: "dv/dt = -v/(10*ms) : 1\nw : 1".into(),
        threshold: Some(threshold.into()),
        reset: Some("v = 0\nw = 0".into()),
        ..NeuronText::default()
    };
    Subject::of_text(threshold, &text)
}

#[test]
fn what_cannot_be_softened_says_so() {
    let gaussian = Surrogate::from(Shape::Gaussian);
    let subject = cell("v > 1");
    let found = subject.program.step(&subject.layout(), SpikeValue::Soft(&gaussian));
    assert_eq!(found, Err(NoGradient::Integral("gaussian")));
    // The gradient of the network itself needs no integral.
    assert!(vjp(&subject.step(SpikeValue::Hard), &subject.layout(), Some(&gaussian), DetachedReset::None).is_ok());
    for threshold in ["v > 1 and w > 0", "v > 1 or w > 0", "v > 1 and (w > 0 or w < -1)", "not (v < 1)", "v == 1"] {
        let subject = cell(threshold);
        let found = vjp(&subject.step(SpikeValue::Hard), &subject.layout(), Some(&gaussian), DetachedReset::None);
        assert_eq!(found, Err(NoGradient::Threshold), "{threshold}");
        assert!(vjp(&subject.step(SpikeValue::Hard), &subject.layout(), None, DetachedReset::None).is_ok());
    }
}

#[test]
fn the_reset_of_the_potential_is_detached_without_that_of_others() {
    let text = NeuronText {
        equations: "v : 1\na : 1".into(),
        update: Some("v = 0.9*v\na = 0.95*a".into()),
        threshold: Some("v > 1 + 0.3*a".into()),
        reset: Some("v -= 1\na += 2".into()),
        ..NeuronText::default()
    };
    let (subject, surrogate) = (Subject::of_text("adaptive", &text), Surrogate::from(Shape::Arctan));
    let (layout, step) = (subject.layout(), subject.step(SpikeValue::Hard));
    let adjoint = |detached: DetachedReset, seeds: [f64; 2]| {
        let mut point = subject.start(|_| Some(0.5));
        point.arrays[layout.spike()] = 1.0;
        (0..2).for_each(|array| point.arrays[layout.adjoint(array)] = seeds[array]);
        execute(&vjp(&step, &layout, Some(&surrogate), detached).unwrap_or_default(), &point).0[layout.adjoint_of_last_spike()]
    };
    for (detached, expected) in
        [(DetachedReset::None, [-0.9, 1.9]), (DetachedReset::Potential, [0.0, 1.9]), (DetachedReset::All, [0.0; 2])]
    {
        let found = [[1.0, 0.0], [0.0, 1.0]].map(|seeds| adjoint(detached, seeds));
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{detached:?}: {found:?}");
    }
}

#[test]
fn a_detached_reset_has_no_gradient_and_changes_nothing_else() {
    let (subject, surrogate) = (cell("v > 1"), Surrogate::from(Shape::Arctan));
    let (layout, step) = (subject.layout(), subject.step(SpikeValue::Hard));
    let codes = [DetachedReset::None, DetachedReset::All]
        .map(|detached| vjp(&step, &layout, Some(&surrogate), detached).unwrap_or_default());
    let mut point = subject.start(|_| Some(0.8));
    point.arrays[layout.spike()] = 1.0;
    (layout.adjoint(0)..layout.arrays()).for_each(|place| point.arrays[place] = 0.5);
    let [attached, detached] = [&codes[0], &codes[1]].map(|code| execute(code, &point).0);
    for place in layout.adjoint(0)..layout.arrays() {
        if place == layout.adjoint_of_last_spike() {
            assert!(attached[place] != 0.0 && detached[place] == 0.0);
        } else {
            assert_eq!(attached[place], detached[place]);
        }
    }
}
