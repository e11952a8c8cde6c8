//! Statements at regular steps: when they are due.

use spikelet_lang::model::{Interval, RegularText};
use spikelet_lang::program::EvaluationContext;
use spikelet_lang::{NeuronText, PopulationLayout, check_neuron};

/// Whether statements with this interval are due in a step.
fn is_due(interval: Interval, step: u32, dt: f64) -> bool {
    let regular = RegularText { path: "run_regularly[0].statements".into(), statements: "x += 1".into(), interval };
    let text = NeuronText { equations: "x : 1".into(), regular: vec![regular], ..NeuronText::default() };
    let model = check_neuron(&text, &Default::default()).unwrap_or_else(|found| panic!("{}", found[0]));
    let program = model.compile(&PopulationLayout::uniform()).unwrap_or_else(|found| panic!("{found}"));
    let given = EvaluationContext { dt, symbol: &|_| f64::NAN, lookup: &|_, _| f64::NAN };
    let clocks: Vec<f32> = program.rules.clocks(step, &given).collect();
    match clocks[program.regular[0].clock] {
        1.0 => true,
        0.0 => false,
        other => panic!("{other} in step {step}"),
    }
}

/// Also in steps whose time an f32 cannot represent, and with time steps that binary numbers cannot.
#[test]
fn steps_are_counted_exactly() {
    for dt in [0.1, 0.05, 1.0 / 3.0, 0.025, 1.0] {
        for (every, first) in [(1, 0), (3, 0), (7, 5), (100, 40), (9973, 12)] {
            let interval = Interval { every, first };
            let last = i32::MAX as u32 - 20;
            for step in (0..20).chain(first..first + 10).chain(1_000_000..1_000_010).chain(last..last + 20) {
                let expected = step >= first && (step - first).is_multiple_of(every);
                assert_eq!(is_due(interval, step, dt), expected, "step {step} of {dt} ms, {interval:?}");
            }
        }
    }
}

/// Statements of one interval and start have one clock.
#[test]
fn equal_intervals_share_a_clock() {
    let regular = |every: u32, index: usize| RegularText {
        path: format!("run_regularly[{index}].statements"),
        statements: "x += 1".into(),
        interval: Interval { every, first: 0 },
    };
    let regular = vec![regular(5, 0), regular(7, 1), regular(5, 2)];
    let text = NeuronText { equations: "x : 1".into(), regular, ..NeuronText::default() };
    let model = check_neuron(&text, &Default::default()).unwrap_or_else(|found| panic!("{}", found[0]));
    let program = model.compile(&PopulationLayout::uniform()).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(program.rules.clocks.len(), 2);
    assert_eq!(program.regular.iter().map(|of| of.clock).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(program.moving(), [0]);
}
