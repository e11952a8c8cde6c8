//! Random programs: equations, thresholds, resets and refractoriness of chance.

use spikelet_lang::{Dimension, Method};

use super::*;

/// An expression of the variables that is smooth but for choices, and not steep.
fn expression(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 {
        return match dice.below(6) {
            0 => format!("{:.3}", dice.within(-2.0, 2.0)),
            1 => "p".into(),
            at => ["a", "b", "c", "a"][at - 2].into(),
        };
    }
    let mut next = || expression(dice, depth - 1);
    let (x, y) = (next(), next());
    match dice.below(16) {
        0 | 1 => format!("({x} + {y})"),
        2 => format!("({x} - {y})"),
        3 | 4 => format!("({x})*({y})"),
        5 => format!("({x})/(1.5 + ({y})**2)"),
        6 => format!("sigmoid({x})*({y})"),
        7 => format!("tanh({x})"),
        8 => format!("sin({x} + {y})"),
        9 => format!("exp(-({x})**2)*({y})"),
        10 => format!("max({x}, {y})"),
        11 => format!("min({x}, 0.5*({y}))"),
        12 => format!("int({x} > {y})*({x})"),
        13 => format!("abs({x})"),
        14 => format!("sqrt(0.1 + ({x})**2)"),
        _ => format!("exprel(0.2*tanh({x}))*({y})"),
    }
}

fn program(dice: &mut Dice) -> Option<(String, Subject)> {
    let mut part = |depth: usize| expression(dice, depth);
    let equations = format!(
        "da/dt = (-a + {})/(5*ms) : 1 (unless refractory)\ndb/dt = (-b + 0.3*({}))/(9*ms) : 1\ndc/dt = -c/(3*ms) : 1\ns = {} : 1",
        part(2),
        part(2),
        part(1)
    );
    let (threshold, reset) = (format!("a + 0.1*s > {}", part(1)), format!("a = {}\nb += 0.2*({})\nc -= s", part(1), part(1)));
    let refractory = [None, Some("1*ms".to_owned()), Some("c > 0.2".into())][dice.below(3)].clone();
    let shown = format!("{equations}\n{threshold}\n{reset}\n{refractory:?}");
    let method = [Some("euler"), Some("rk2"), Some("rk4"), None][dice.below(4)].map(Method::parse).transpose().ok()?;
    let text =
        NeuronText { equations, threshold: Some(threshold), reset: Some(reset), refractory, method, ..NeuronText::default() };
    let constants = [("p".to_owned(), Dimension::NONE)].into_iter().collect();
    let model = check_neuron(&text, &constants).unwrap_or_else(|found| panic!("{}\n{shown}", found[0]));
    // An expression of numbers alone may become a constant that is not finite, or leave a threshold without state.
    Some((shown, Subject::new("random", model, if dice.below(2) == 0 { &["b"] } else { &[] }, |_| 0.8)))
}

#[test]
fn random_programs_have_the_gradient_of_finite_differences() {
    let surrogate = Surrogate { shape: Shape::SuperSpike, slope: 3.0, factor: 0.8 };
    let mut dice = Dice(4);
    let (mut compared, mut all) = (0, 0);
    for _ in 0..400 {
        let Some((shown, subject)) = program(&mut dice) else { continue };
        let layout = subject.layout();
        let soft = subject.step(SpikeValue::Soft(&surrogate));
        let codes = [&soft, &subject.step(SpikeValue::Hard)].map(|step| subject.gradient(step, &surrogate));
        for _ in 0..3 {
            let mut point = subject.start(|_| None);
            point.arrays.iter_mut().for_each(|value| *value = dice.within(-1.2, 1.2));
            point.ports.iter_mut().for_each(|value| *value = dice.within(-0.3, 0.3));
            point.since_spike = [1, 5, 30][dice.below(3)];
            point.step = dice.below(1000) as u32;
            all += layout.variables + 1 + layout.ports + layout.constants;
            compared += agree(&shown, [&soft, &codes[0]], &layout, &point).len();
            point.arrays[layout.spike()] = dice.below(2) as f64;
            let [of_soft, of_hard] = [&codes[0], &codes[1]].map(|code| execute(code, &point).0);
            for place in layout.adjoint(0)..layout.arrays() {
                let (soft, hard) = (of_soft[place], of_hard[place]);
                assert!((soft - hard).abs() <= 1e-9 * (1.0 + soft.abs()), "{shown}\n{place}: {soft}, {hard}");
            }
        }
    }
    assert!(all > 10_000 && compared * 10 > all * 9, "{compared} of {all} were compared");
}
