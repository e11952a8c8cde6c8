//! Every function of the language, sides that are not selected, and counts.

use spikelet_lang::ir::Op;
use spikelet_lang::term::Function;

use super::*;

/// A map without a threshold.
fn map(update: &str) -> Subject {
    let text = NeuronText { equations: "x : 1\ny : 1\nz : 1".into(), update: Some(update.into()), ..NeuronText::default() };
    Subject::of_text(update, &text)
}

fn point(subject: &Subject, x: f64, y: f64) -> Point {
    let mut point = subject.start(|name| {
        Some(match name {
            "x" => x,
            "y" => y,
            _ => 0.3,
        })
    });
    let layout = subject.layout();
    (layout.adjoint(0)..layout.arrays()).for_each(|place| point.arrays[place] = 0.7 + 0.01 * place as f64);
    point
}

#[test]
fn every_function_has_its_derivative() {
    let surrogate = Surrogate::from(Shape::Arctan);
    let written = Function::written()
        .map(Function::row)
        .filter(|row| !row.is_random)
        .map(|row| format!("x = {}({})", row.name, ["x", "y", "1.2*z + 1"][..row.arguments].join(", ")));
    let operators = [
        "x = x**y",
        "x = x**1.7",
        "x = 1.3**x",
        "x = x**3",
        "x = x**(-2)",
        "x = x % 0.7",
        "x = x // 0.7",
        "x = x % y",
        "x = x/y - y/x",
        "x = -x*y + x - y",
        "x = int(x > y)*x + 2*y",
        "x = clip(x, -y, y) + 0.1*x",
        "x = x + rand()*y + randn()*x",
    ];
    for update in written.chain(operators.map(String::from)) {
        let subject = map(&update);
        let step = subject.step(SpikeValue::Soft(&surrogate));
        let gradient = subject.gradient(&step, &surrogate);
        let mut compared = 0;
        for (x, y) in [(0.31, 0.77), (0.62, 0.2), (-0.43, 0.35), (0.001, 0.9), (0.9, -0.4)] {
            // Its own domain.
            if (execute(&step, &point(&subject, x, y)).0).iter().all(|value| value.is_finite()) {
                compared += agree(&update, [&step, &gradient], &subject.layout(), &point(&subject, x, y)).len();
            }
        }
        assert!(compared >= 6, "{update}: {compared}");
    }
}

/// 1/0, sqrt(−1) and the like where they are not selected, and where nothing depends on them.
#[test]
fn what_is_not_selected_leaves_no_nan() {
    let surrogate = Surrogate::from(Shape::Arctan);
    for side in [
        "1/z",
        "y/z",
        "sqrt(z)",
        "y*sqrt(z)",
        "log(z)*y",
        "y*log(-1 - y)",
        "sqrt(-y)",
        "z**0.5*y",
        "z**y",
        "(-y)**1.5*y",
        "arcsin(2 + y)*y",
        "exp(900*y)*y",
        "exprel(1e4*y)*y",
        "sigmoid(1/z)*y",
        "cos(1/z)*y*y",
        "log1p(-1 - y*y)",
        "tan(1/z)*y",
        "max(1/z, y)*y",
    ] {
        let text = NeuronText {
            equations: format!("x : 1\ny : 1\nz : 1\nbad = {side} : 1"),
            threshold: Some("x > 2".into()),
            reset: Some("x = bad*y\ny = bad".into()),
            refractory: Some("x > 5".into()),
            update: Some("x = x + y\nz = z".into()),
            ..NeuronText::default()
        };
        let subject = Subject::of_text(side, &text);
        let layout = subject.layout();
        let gradient = subject.gradient(&subject.step(SpikeValue::Hard), &surrogate);
        let mut at = subject.start(|name| {
            Some(match name {
                "x" => 1.1,
                "y" => 0.9,
                _ => 0.0,
            })
        });
        (layout.adjoint(0)..layout.arrays()).for_each(|place| at.arrays[place] = 0.7);
        // The adjoint of the last spike is that of a change to what the reset gives, which has none here.
        let (found, _) = execute(&gradient, &at);
        for array in (0..layout.variables)
            .map(|array| layout.adjoint(array))
            .chain((0..layout.ports).map(|port| layout.adjoint_of_port(port)))
        {
            assert!(found[array].is_finite(), "{side}: {:?}", &found[layout.adjoint(0)..]);
        }
    }
    // No loss reads x: 0 · ∞ where the root of 0 is steep.
    let subject = map("x = sqrt(x)\ny = x**0.5 + arcsin(1 + 0*x)");
    let layout = subject.layout();
    let gradient = subject.gradient(&subject.step(SpikeValue::Hard), &surrogate);
    let mut at = subject.start(|_| Some(0.0));
    at.arrays[layout.adjoint_of_spike()] = 1.0;
    assert!(execute(&gradient, &at).0.iter().all(|value| value.is_finite()));
}

#[test]
fn a_power_of_zero_has_no_logarithm() {
    let subject = map("x = x**y");
    let gradient = subject.gradient(&subject.step(SpikeValue::Hard), &Surrogate::from(Shape::Arctan));
    let layout = subject.layout();
    let (found, _) = execute(&gradient, &point(&subject, 0.0, 2.5));
    let before = point(&subject, 0.0, 2.5).arrays;
    // x is 0 with an observed value of its own; y is a constant.
    assert_eq!(found[layout.adjoint(0)], before[layout.adjoint_of_observation(0)]);
    assert_eq!(found[layout.adjoint_of_constant(0)], before[layout.adjoint_of_constant(0)]);
}

#[test]
fn counts_have_no_gradient_if_their_mean_follows_the_state() {
    let surrogate = Surrogate::from(Shape::Arctan);
    for (update, refused) in [
        ("x = x + poisson(x)", Some("poisson")),
        ("x = poisson(exp(min(x, 3)))", Some("poisson")),
        ("x = x + binomial(20, sigmoid(x))", Some("binomial")),
        ("x = x + binomial(floor(x), 0.5)", None),
        ("x = x + poisson(2 + int(x > 3))", None),
        ("x = x + poisson(y)", None),
    ] {
        let subject = map(update);
        let step = subject.step(SpikeValue::Hard);
        let found = vjp(&step, &subject.layout(), Some(&surrogate), DetachedReset::None).err();
        assert_eq!(found, refused.map(NoGradient::Count), "{update}");
        let text = found.map(|found| found.to_string()).unwrap_or_default();
        assert!(refused.is_none_or(|name| text.contains(&format!("mean of `{name}(…)` depends on the state"))), "{text}");
    }
    // A trained constant is asked for by its index.
    let subject = map("x = x + poisson(y)");
    let step = subject.step(SpikeValue::Hard);
    let y = step.ops.iter().find(|op| matches!(op, Op::Constant(_))).copied();
    assert_eq!(check_counts(&step, |op| Some(*op) == y), Err(NoGradient::Count("poisson")));
}
