//! `//` and `%` as in Python, for every sign, where rounding would make a whole quotient one too small.

use spikelet_kernel::block::{Block, InputSums, LANES, NeuronIndices, Prepared, ProgramInputs, Registers};
use spikelet_lang::program::{EvaluationContext, Propagators};
use spikelet_lang::term::Symbol;
use spikelet_lang::{NeuronText, PopulationLayout, Quantities, check_neuron, quantity};

/// x // y and x % y for `LANES` values of x, as a population computes them; `y` is a text.
fn divided(y: &str, x: impl Fn(usize) -> f32) -> Vec<(f32, f32)> {
    let text = NeuronText {
        equations: "x : 1 (constant)\nq : 1\nr : 1".into(),
        update: Some(format!("q = x // ({y})\nr = x % ({y})")),
        ..NeuronText::default()
    };
    let given = Quantities::from_texts([("k", "-7")]).unwrap_or_else(|found| panic!("{found}"));
    let model = check_neuron(&text, &given.dimensions()).unwrap_or_else(|found| panic!("{}", found[0]));
    let layout = PopulationLayout { per_neuron: ["x".to_owned()].into(), ..PopulationLayout::default() };
    let program = model.compile(&layout).unwrap_or_else(|found| panic!("{found}"));
    let of_lane = |lane: usize| {
        let value = f64::from(x(lane));
        move |symbol| match symbol {
            Symbol::Index => lane as f64,
            Symbol::Variable(_) => value,
            _ => -7.0,
        }
    };
    let constants = program
        .rules
        .constants(&EvaluationContext { dt: 0.1, symbol: &of_lane(0), lookup: &|_, _| 0.0 })
        .unwrap_or_else(|found| panic!("{found}"));
    let mut variables = vec![[0.0; LANES]; program.variables.len()];
    variables[0] = std::array::from_fn(&x);
    let mut known = Propagators::default();
    for lane in 0..LANES {
        let (symbol, nothing) = (of_lane(lane), |_: usize, _: f64| 0.0);
        let given = EvaluationContext { dt: 0.1, symbol: &symbol, lookup: &nothing };
        let values = program.rules.values(&program.rules.derived, &given, &mut known);
        for (derived, value) in variables[program.first_derived()..].iter_mut().zip(values) {
            derived[lane] = value.unwrap_or_else(|found| panic!("{found}"));
        }
    }
    let inputs = ProgramInputs {
        arrivals: InputSums::NONE,
        last_spike: &[0; LANES],
        constants: &constants,
        clocks: &[],
        tables: &[],
        step: 0,
        neurons: NeuronIndices::From(0),
        bits: &|_, _| {},
        more_bits: &|_, _| 0,
    };
    let mut block = Block { variables: &mut variables, inputs: &inputs };
    Prepared::new(&program.update).run(&mut block, &mut Registers::default());
    variables[1].into_iter().zip(variables[2]).collect()
}

#[test]
fn whole_numbers_divide_without_a_slip() {
    for divisor in [-49_i32, -7, -1, 1, 2, 3, 41, 47, 49, 55, 61, 82, 83] {
        let whole = |lane: usize| (lane as i32 - 128) * divisor.abs().max(3);
        for offset in [-1, 0, 1] {
            let results = divided(&divisor.to_string(), |lane| (whole(lane) + offset) as f32);
            for (lane, result) in results.into_iter().enumerate() {
                let x = whole(lane) + offset;
                let quotient = (f64::from(x) / f64::from(divisor)).floor();
                let rest = f64::from(x) - quotient * f64::from(divisor);
                assert_eq!(result, (quotient as f32, rest as f32), "{x} by {divisor}");
            }
        }
    }
    // A divisor that is a constant of the population.
    let results = divided("k", |lane| lane as f32 - 128.0);
    assert_eq!((results[0], results[128 + 7], results[128 + 8]), ((18.0, -2.0), (-1.0, 0.0), (-2.0, -6.0)));
    // One that differs from neuron to neuron.
    assert!(divided("i + 41", |lane| (lane as f32 + 41.0) * 5.0).into_iter().all(|result| result == (5.0, 0.0)));
}

#[test]
fn the_host_agrees() {
    for (text, value) in [("7 // 2", 3.0), ("-7 // 2", -4.0), ("7 // -2", -4.0), ("41*ms // (1*ms)", 41.0), ("-7 % 3", 2.0)] {
        assert_eq!(quantity::constant("x", text).map(|(value, _)| value), Ok(value), "{text}");
    }
}
