use super::*;
use crate::GroupKind;

fn group(range: std::ops::Range<usize>) -> ParameterGroup {
    ParameterGroup {
        path: "a_b".to_owned(),
        kind: GroupKind::Weights { projection: 0 },
        range,
        bounds: [f32::NEG_INFINITY, f32::INFINITY],
        keep_sign: false,
        tied: None,
        rate: 1.0,
    }
}

/// The numbers after each of three steps with the same three gradients.
fn steps(optimiser: &Optimiser) -> Vec<Vec<f32>> {
    let mut parameters = Parameters { groups: vec![group(0..2)], values: vec![0.5, -1.0] };
    let mut state = OptimiserState::new(optimiser, 2).unwrap();
    let gradients = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.05]];
    let mut after = |gradient: &[f32; 2]| {
        state.step(optimiser, 0, &mut parameters, gradient);
        parameters.values.clone()
    };
    gradients.iter().map(&mut after).collect()
}

fn assert_near(found: &[Vec<f32>], expected: &[[f64; 2]; 3]) {
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((f64::from(*found) - expected).abs() < 2e-7, "{found} instead of {expected}");
    }
}

/// The rules in the documentation, computed in f64 with NumPy.
#[test]
fn each_rule_has_its_numbers() {
    let mut sgd = Optimiser { momentum: Some(0.9), weight_decay: Some(0.01), ..Optimiser::new(OptimiserKind::Sgd, 0.1) };
    assert_near(&steps(&sgd), &SGD);
    sgd.nesterov = true;
    assert_near(&steps(&sgd), &NESTEROV);
    let mut adam = Optimiser { epsilon: Some(1e-3), ..Optimiser::new(OptimiserKind::Adam, 0.05) };
    assert_near(&steps(&adam), &ADAM);
    adam.weight_decay = Some(0.1);
    assert_near(&steps(&adam), &ADAM_DECAY);
    adam.kind = OptimiserKind::AdamW;
    assert_near(&steps(&adam), &ADAM_W);
    let clipped = Optimiser { clip_value: Some(0.3), clip_norm: Some(0.25), ..Optimiser::new(OptimiserKind::Sgd, 1.0) };
    assert_near(&steps(&clipped), &CLIPPED);
}

#[test]
fn a_state_continues_to_the_bit() {
    let optimiser = Optimiser::new(OptimiserKind::Adam, 0.003);
    let gradient = |step: usize| -> Vec<f32> { (0..50).map(|index| ((step * 50 + index) as f32 * 1.7).sin()).collect() };
    let mut parameters = Parameters { groups: vec![group(0..50)], values: gradient(9) };
    let mut state = OptimiserState::new(&optimiser, 50).unwrap();
    for step in 0..4 {
        state.step(&optimiser, 0, &mut parameters, &gradient(step));
    }
    let mut read: OptimiserState = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
    assert_eq!(read, state);
    let mut continued = parameters.clone();
    for step in 4..8 {
        state.step(&optimiser, 1, &mut parameters, &gradient(step));
        read.step(&optimiser, 1, &mut continued, &gradient(step));
    }
    let bits = |of: &Parameters| of.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&parameters), bits(&continued));
}

#[test]
fn groups_have_rates_bounds_and_signs() {
    let optimiser = Optimiser::new(OptimiserKind::Sgd, 1.0);
    let bounded = ParameterGroup { bounds: [-0.25, 2.0], ..group(0..2) };
    let signed = ParameterGroup { keep_sign: true, ..group(2..4) };
    let slow = ParameterGroup { rate: 0.5, ..group(4..5) };
    let mut parameters = Parameters { groups: vec![bounded, signed, slow], values: vec![0.0, 1.0, 0.5, -0.5, 0.0] };
    let mut state = OptimiserState::new(&optimiser, 5).unwrap();
    state.step(&optimiser, 0, &mut parameters, &[1.0, -3.0, 1.0, -1.0, -1.0]);
    assert_eq!(parameters.values, [-0.25, 2.0, 0.0, 0.0, 0.5]);
    // A weight that became 0 keeps its sign.
    state.step(&optimiser, 0, &mut parameters, &[0.0, 0.0, 1.0, -1.0, 0.0]);
    assert_eq!(parameters.values[2..4], [0.0, 0.0]);
    state.step(&optimiser, 0, &mut parameters, &[f32::NAN, 0.0, -1.0, 1.0, 0.0]);
    assert_eq!(parameters.values[2..4], [1.0, -1.0]);
    assert!(parameters.values[0].is_nan());
}

#[test]
fn schedules_change_the_rate() {
    let schedule = |text: &str| -> Optimiser {
        let text = format!(r#"{{"type": "sgd", "rate": 0.8, "warm_up_steps": 4, "schedule": {text}}}"#);
        let optimiser = serde_json::from_str(&text).unwrap();
        OptimiserState::new(&optimiser, 1).unwrap();
        optimiser
    };
    let rates = |optimiser: &Optimiser| [0, 1, 2, 5, 10, 11].map(|epoch| optimiser.rate_at(epoch, 4));
    let near = |found: [f64; 6], expected: [f64; 6]| {
        found.iter().zip(expected).for_each(|(found, expected)| assert!((found - expected).abs() < 1e-14, "{found} {expected}"));
    };
    near(rates(&schedule(r#"{"type": "constant"}"#)), [0.8; 6]);
    near(rates(&schedule(r#"{"type": "exponential", "factor": 0.5}"#)), [0.8, 0.4, 0.2, 0.025, 0.000_781_25, 0.000_390_625]);
    near(rates(&schedule(r#"{"type": "step", "factor": 0.5, "epochs": 2}"#)), [0.8, 0.8, 0.4, 0.2, 0.025, 0.025]);
    let cosine = schedule(r#"{"type": "cosine", "epochs": 10, "lowest": 0.2}"#);
    near(rates(&cosine), [0.8, 0.785_316_954_888_546, 0.742_705_098_312_484_3, 0.5, 0.2, 0.2]);
    let warm = [0, 1, 3, 4].map(|step| schedule(r#"{"type": "constant"}"#).rate_at(7, step));
    assert_eq!(warm, [0.2, 0.4, 0.8, 0.8].map(|rate: f64| rate));
}

#[test]
fn options_that_do_not_fit_name_their_place() {
    let error = |text: &str| {
        let optimiser: Optimiser = serde_json::from_str(text).unwrap();
        OptimiserState::new(&optimiser, 1).unwrap_err().to_string()
    };
    assert_eq!(
        error(r#"{"type": "adam", "rate": 0.1, "momentum": 0.9}"#),
        "optimiser.momentum is given, but only `sgd` has this option; remove it"
    );
    assert!(error(r#"{"type": "adam", "rate": -1}"#).starts_with("optimiser.rate is -1, but a finite number"));
    assert!(error(r#"{"type": "adam", "rate": 1, "betas": [0.9, 1]}"#).starts_with("optimiser.betas is [0.9, 1], but"));
    assert!(error(r#"{"type": "sgd", "rate": 1, "nesterov": true}"#).contains("it needs a `momentum` above 0"));
    let step = error(r#"{"type": "sgd", "rate": 1, "schedule": {"type": "step", "factor": 0.5}}"#);
    assert!(step.starts_with("optimiser.schedule lacks the key `epochs`"), "{step}");
    let unused = error(r#"{"type": "sgd", "rate": 1, "schedule": {"type": "exponential", "factor": 0.5, "epochs": 3}}"#);
    assert!(unused.starts_with("optimiser.schedule.epochs is 3, but"), "{unused}");
}

const SGD: [[f64; 2]; 3] = [[0.4895000000, -0.9790000000], [0.4495605000, -0.9991210000], [0.4631653895, -1.0212307790]];
const NESTEROV: [[f64; 2]; 3] = [[0.4800500000, -0.9601000000], [0.4136329050, -1.0172658100], [0.4755036620, -1.0411463240]];
const ADAM: [[f64; 2]; 3] = [[0.4504950495, -0.9502487562], [0.4048102613, -0.9684962376], [0.4128324978, -0.9860420002]];
const ADAM_DECAY: [[f64; 2]; 3] = [[0.4503311258, -0.9501661130], [0.4030325855, -0.9531994104], [0.4045162490, -0.9521755792]];
const ADAM_W: [[f64; 2]; 3] = [[0.4479950495, -0.9452487562], [0.4000702860, -0.9587699938], [0.4060921711, -0.9715219064]];
const CLIPPED: [[f64; 2]; 3] = [[0.4000000000, -0.8000000000], [0.2232237214, -0.9767762786], [0.4698213915, -1.0178758903]];
