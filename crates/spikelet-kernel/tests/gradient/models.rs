//! Every neuron and source of the library.

use std::collections::HashSet;

use spikelet_lang::check::{Value, ValueScope, resolve_value};
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::library::{LibraryModel, ModelKind, models};
use spikelet_lang::syntax::parse_quantity;
use spikelet_lang::term::Random;
use spikelet_lang::{Dimension, Quantities, of_low_word, quantity};

use super::difference::Input;
use super::*;

/// Points along the way of a model, and steps between two.
const POINTS: usize = 16;
const STEPS: usize = 16;

/// A model with its parameters at their defaults.
fn checked(cell: &LibraryModel) -> NeuronModel {
    let defaults = cell.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.default.as_str()));
    let given = Quantities::from_texts(defaults).unwrap_or_else(|found| panic!("{}: {found}", cell.name));
    let text = cell.text().unwrap_or_else(|found| panic!("{found}"));
    check_neuron(&text, &given.dimensions()).unwrap_or_else(|found| panic!("{}: {}", cell.name, found[0]))
}

/// All neurons and sources, with parameters at their defaults; each once with and once without variables in two words.
pub(super) fn subjects() -> Vec<(Subject, &'static LibraryModel)> {
    let mut subjects = Vec::new();
    for cell in models().filter(|model| model.kind != ModelKind::Synapse) {
        let value = |name: &str| cell.parameters.get(name).map_or(1.5, |of| of.default_value(name).unwrap_or(1.5));
        subjects.push((Subject::new(&cell.name, checked(cell), &[], value), cell));
        let checked = checked(cell);
        let slow: Vec<String> = checked.equations.iter().map(|(at, _)| checked.variables[*at].name.clone()).collect();
        let slow: Vec<&str> = slow.iter().map(String::as_str).collect();
        if !slow.is_empty() {
            subjects.push((Subject::new(&format!("{} in two words", cell.name), checked, &slow, value), cell));
        }
    }
    assert!(subjects.len() > 60, "{} subjects", subjects.len());
    subjects
}

/// The initial value of a variable, if its model gives one.
fn initial(subject: &Subject, cell: &LibraryModel, name: &str) -> Option<f64> {
    let text = cell.initial.get(name)?;
    let symbol = |name: &str| {
        if name == "dt" {
            return Some((Symbol::Dt, Dimension::TIME));
        }
        let Some((place, _, parameter)) = cell.parameters.get_full(name) else {
            let variable = subject.model.variable(name)?;
            return Some((Symbol::Variable(variable), subject.model.variables[variable].dimension));
        };
        Some((Symbol::Constant(place), quantity::constant(name, &parameter.default).ok()?.1))
    };
    let scope = ValueScope { sites: Ok(0.into()), ..ValueScope::of_names(&symbol) };
    let value = parse_quantity(name, text).and_then(|tree| resolve_value(name, text, &tree, &scope));
    let Value { term, .. } = value.unwrap_or_else(|error| panic!("{}.{name}: {error}", cell.name));
    Some(evaluate(&term, &mut |leaf| match leaf {
        Leaf::Symbol(Symbol::Constant(place)) => cell.parameters.get_index(place).map_or(0.0, |(name, _)| (subject.value)(name)),
        Leaf::Symbol(Symbol::Variable(at)) => initial(subject, cell, &subject.model.variables[at].name).unwrap_or(0.0),
        Leaf::Symbol(Symbol::Dt) => DT,
        Leaf::Random(Random::Uniform, _) => 0.4,
        _ => 0.3,
    }))
}

/// Whether an array is a lower word: 0 in f64, and more cannot be added to it without a change of the upper one.
fn is_low(subject: &Subject, array: usize) -> bool {
    subject.program.variables.get(array).is_some_and(|name| of_low_word(name).is_some())
}

/// States on the way of a model with random input, and between them.
pub(super) fn points(subject: &Subject, cell: &LibraryModel) -> Vec<Point> {
    let layout = subject.layout();
    let hard = subject.step(SpikeValue::Hard);
    let mut dice = Dice(17);
    let mut now = subject.start(|name| initial(subject, cell, name));
    now.since_spike = 1000;
    let mut points = Vec::new();
    for step in 0..POINTS * STEPS {
        now.step = step as u32;
        subject.set_clocks(&mut now);
        let sizes = subject.program.ports.iter().map(|array| 0.01 * (0.2 + now.arrays[*array].abs()));
        now.ports = sizes.map(|size| dice.within(-0.3, 1.0) * size).collect();
        if step % STEPS == STEPS - 1 {
            let mut point = now.clone();
            let is_state = |array: &usize| hard.stores_to(*array) && !is_low(subject, *array);
            for array in (0..layout.variables).filter(is_state) {
                point.arrays[array] *= dice.within(0.97, 1.03);
                point.arrays[array] += dice.within(0.0, 1e-3);
            }
            (0..layout.variables).filter(|array| is_low(subject, *array)).for_each(|array| point.arrays[array] = 0.0);
            // Near the threshold, which slow cells do not reach on the way.
            point.since_spike = [point.since_spike, 1, 40][dice.below(3)];
            point.arrays[layout.spike()] = dice.within(0.1, 0.4) + 0.5 * dice.below(2) as f64;
            (layout.adjoint(0)..layout.arrays()).for_each(|place| point.arrays[place] = dice.within(-1.0, 1.0));
            points.push(point);
        }
        let (after, values) = execute(&hard, &now);
        let fires = hard.condition.is_some_and(|condition| values[condition] != 0.0);
        now.arrays = after;
        now.arrays[layout.spike()] = f64::from(u8::from(fires));
        now.since_spike = if fires { 1 } else { now.since_spike.saturating_add(1) };
        assert!(now.arrays.iter().all(|value| !value.is_nan()), "{} in step {step}: {:?}", subject.name, now.arrays);
    }
    points
}

#[test]
fn the_gradient_of_a_soft_step_of_every_model_is_that_of_finite_differences() {
    let surrogate = Surrogate { shape: Shape::Sigmoid, slope: 0.7, factor: 1.3 };
    for (subject, cell) in subjects() {
        let layout = subject.layout();
        let step = subject.smooth_step(&surrogate);
        let gradient = subject.gradient(&step, &surrogate);
        let mut compared: HashSet<Input> = HashSet::new();
        let mut comparisons = 0;
        for point in points(&subject, cell) {
            let inputs = agree(&subject.name, [&step, &gradient], &layout, &point);
            let is_compared = |input: &Input| !matches!(input, Input::Array(array) if is_low(&subject, *array));
            let inputs: Vec<Input> = inputs.into_iter().filter(is_compared).collect();
            comparisons += inputs.len();
            compared.extend(inputs);
        }
        let lows = (0..layout.variables).filter(|array| is_low(&subject, *array)).count();
        let all = layout.variables - lows + 1 + layout.ports + layout.constants;
        assert_eq!(compared.len(), all, "{}: each input is compared at some point", subject.name);
        assert!(comparisons * 4 > all * POINTS * 3, "{}: {comparisons} comparisons of {}", subject.name, all * POINTS);
    }
}

/// Where the spike of the step before was 1 or 0, both steps have one gradient, with any surrogate.
#[test]
fn the_gradient_of_a_hard_step_is_that_of_a_soft_one() {
    let surrogate = Surrogate { shape: Shape::PiecewiseLinear, slope: 0.01, factor: 0.3 };
    for (subject, cell) in subjects().iter().filter(|(subject, _)| subject.compares()) {
        let layout = subject.layout();
        let (soft, hard) = (subject.step(SpikeValue::Soft(&surrogate)), subject.step(SpikeValue::Hard));
        let codes = [&soft, &hard].map(|step| subject.gradient(step, &surrogate));
        let mut is_smooth = false;
        for mut point in points(subject, cell) {
            point.arrays[layout.spike()] = point.arrays[layout.spike()].round();
            let [soft, hard] = [&codes[0], &codes[1]].map(|code| execute(code, &point).0);
            for place in layout.adjoint(0)..layout.arrays() {
                let (soft, hard) = (soft[place], hard[place]);
                assert!((soft - hard).abs() <= 1e-9 * (1.0 + soft.abs()), "{}: {place}: {soft}, {hard}", subject.name);
                is_smooth |= hard != 0.0;
            }
        }
        assert!(is_smooth, "{} has a gradient", subject.name);
    }
}

#[test]
fn a_threshold_of_several_comparisons_has_no_surrogate() {
    let surrogate = Surrogate::from(Shape::Arctan);
    for (subject, _) in subjects() {
        let found = subject.program.step(&subject.layout(), SpikeValue::Soft(&surrogate)).err();
        assert_eq!(found, (!subject.compares()).then_some(NoGradient::Threshold), "{}", subject.name);
    }
}
