use super::*;
use crate::{Event, Reading};

fn term(term: &LossTerm, units: usize, classes: u32) -> Term {
    Term::new(term, 0, units, (5, 2.0), classes).unwrap()
}

/// Adjoints equal central differences in f64, and the loss is returned.
fn check(of: &Term, values: &[f64], target: &Target) -> Cost {
    let mut adjoint = vec![0.0; values.len()];
    let cost = of.evaluate(values, target, &mut adjoint).unwrap();
    for place in 0..values.len() {
        if !values[place].is_finite() {
            assert_eq!(adjoint[place], 0.0);
            continue;
        }
        let h = 1e-5;
        let shifted = |by: f64| {
            let mut values = values.to_vec();
            values[place] += by;
            of.evaluate(&values, target, &mut vec![0.0; values.len()]).unwrap().loss
        };
        let difference = (shifted(h) - shifted(-h)) / (2.0 * h);
        let scale = difference.abs().max(1.0);
        assert!((adjoint[place] - difference).abs() < 1e-8 * scale, "{place}: {} and {difference}", adjoint[place]);
    }
    cost
}

/// Five steps of three units.
const VALUES: [f64; 15] = [0.3, -1.2, 0.7, 2.0, 0.1, -0.4, 0.0, 1.0, 0.5, -0.9, 1.1, 0.2, 0.8, 0.6, -0.3];

#[test]
fn cross_entropy_is_that_of_the_softmax() {
    let mut of = LossTerm::new(LossKind::CrossEntropy, "out", Reading::Count);
    let cost = check(&term(&of, 3, 3), &[1.0, 2.0, 3.0], &Target::Class(2));
    // log(1 + e^-1 + e^-2)
    assert!((cost.loss - 0.407_605_964_444_380_1).abs() < 1e-14);
    assert_eq!(cost.correct, Some(true));
    assert_eq!(check(&term(&of, 3, 3), &[3.0, 3.0, 3.0], &Target::Class(1)).correct, Some(false));
    of.scale = Some(-2.0);
    assert_eq!(check(&term(&of, 3, 3), &[1.0, 2.0, 3.0], &Target::Class(0)).correct, Some(true));
    let far = term(&of, 3, 3).evaluate(&[0.0, 1e4, 400.0], &Target::Class(1), &mut [0.0; 3]).unwrap();
    assert_eq!(far.loss, 2e4);
    let mut by_step = LossTerm::new(LossKind::CrossEntropy, "out", Reading::Trace);
    by_step.from_ms = Some(4.0);
    check(&term(&by_step, 3, 3), &VALUES, &Target::Class(1));
}

#[test]
fn an_output_that_never_fires_is_wrong_and_has_no_adjoint() {
    let of = term(&LossTerm::new(LossKind::CrossEntropy, "out", Reading::FirstSpike), 3, 3);
    let cost = check(&of, &[4.0, 5.0, f64::INFINITY], &Target::Class(0));
    // t = 4, 5, 10 ms: log(1 + e^-2 + e^-12) + 0.003 (e^(4/6.4) - 1)
    let expected = (1.0 + (-2.0_f64).exp() + (-12.0_f64).exp()).ln() + 0.003 * ((4.0_f64 / 6.4).exp() - 1.0);
    assert!((cost.loss - expected).abs() < 1e-14);
    assert_eq!(cost.correct, Some(true));
    // Its class has the duration of 10 ms as time, and the others are not pushed back.
    let mut adjoint = [0.0; 3];
    let cost = of.evaluate(&[4.0, 5.0, f64::INFINITY], &Target::Class(2), &mut adjoint).unwrap();
    assert_eq!((cost.correct, adjoint), (Some(false), [0.0; 3]));
    assert!((cost.loss - 3.0_f64.ln() - 0.003 * ((10.0_f64 / 6.4).exp() - 1.0)).abs() < 1e-14);
    let silent = check(&of, &[f64::INFINITY; 3], &Target::Class(0));
    assert_eq!(silent.correct, Some(false));
    assert!(silent.loss.is_finite());
}

#[test]
fn mean_squares_compare_with_classes_values_and_traces() {
    let mut of = LossTerm::new(LossKind::MeanSquare, "out", Reading::Count);
    of.on = Some(4.0);
    let cost = check(&term(&of, 3, 3), &[1.0, 2.0, 3.0], &Target::Class(1));
    assert!((cost.loss - (1.0 + 4.0 + 9.0) / 3.0).abs() < 1e-14);
    assert_eq!(cost.correct, Some(false));
    let mut of = LossTerm::new(LossKind::MeanSquare, "out", Reading::Trace);
    of.from_ms = Some(2.0);
    let whole: Vec<f32> = (0..15).map(|of| of as f32 * 0.1).collect();
    check(&term(&of, 3, 0), &VALUES, &Target::Values(whole));
    let same = check(&term(&of, 3, 0), &VALUES, &Target::Values(vec![0.0; 3]));
    let expected = VALUES[3..].iter().map(|of| of * of).sum::<f64>() / 12.0;
    assert!((same.loss - expected).abs() < 1e-14);
    let times = term(&LossTerm::new(LossKind::MeanSquare, "out", Reading::FirstSpike), 3, 3);
    let cost = check(&times, &[1.0, 2.0, f64::INFINITY], &Target::Class(0));
    assert_eq!(cost.correct, Some(true));
    assert!((cost.loss - (0.0 + 4.0 + 100.0) / 3.0).abs() < 1e-12);
}

#[test]
fn the_distance_of_van_rossum_is_that_of_the_convolved_trains() {
    let mut of = LossTerm::new(LossKind::VanRossum, "out", Reading::Spikes);
    of.tau_ms = Some(3.0);
    let of = term(&of, 1, 0);
    let targets = vec![Event { time_ms: 0.7, channel: 0 }, Event { time_ms: 5.5, channel: 0 }];
    let cost = check(&of, &[0.0, 1.0, 0.0, 0.0, 1.0], &Target::Spikes(targets.clone()));
    // The integral, by the rectangle rule.
    let train = |time: f64, spikes: &[f64]| -> f64 {
        spikes.iter().filter(|spike| **spike <= time).map(|spike| ((spike - time) / 3.0).exp()).sum()
    };
    let dt = 1e-4;
    let square = |index: i32| {
        let time = (f64::from(index) + 0.5) * dt;
        (train(time, &[2.0, 8.0]) - train(time, &[0.7, 5.5])).powi(2)
    };
    let integral = (0..1_000_000).map(square).sum::<f64>() * dt / 3.0;
    assert!((cost.loss - integral).abs() < 1e-4, "{} and {integral}", cost.loss);
    let same = vec![Event { time_ms: 2.0, channel: 0 }, Event { time_ms: 8.0, channel: 0 }];
    assert!(check(&of, &[0.0, 1.0, 0.0, 0.0, 1.0], &Target::Spikes(same)).loss.abs() < 1e-15);
}

#[test]
fn rates_cost_beyond_their_bounds_only() {
    let mut of = LossTerm::new(LossKind::Rate, "hidden", Reading::Count);
    (of.lower, of.upper) = (Some(1.0), Some(2.0));
    let zero = check(&term(&of, 3, 0), &[1.5, 2.0, 1.5], &Target::Spikes(Vec::new()));
    assert_eq!(zero, Cost::of(0.0));
    let cost = check(&term(&of, 3, 0), &[0.5, 9.0, 2.5], &Target::Class(0));
    assert!((cost.loss - (0.25 / 3.0 + 4.0)).abs() < 1e-14);
    of = LossTerm { lower: None, upper: None, target: Some(2.0), ..of };
    assert!((check(&term(&of, 3, 0), &[0.0, 2.0, 5.0], &Target::Class(0)).loss - 13.0 / 3.0).abs() < 1e-14);
}

#[test]
fn an_assembly_that_wins_costs_nothing() {
    let mut of = LossTerm::new(LossKind::Assembly, "area", Reading::Max);
    of.temperature = Some(0.5);
    let scores = [0.3, 1.2, -0.4, 0.9, 0.1, 2.0];
    let cost = check(&term(&of, 6, 3), &scores, &Target::Class(1));
    assert_eq!(cost.correct, Some(false));
    of.assemblies = Some(vec![vec![0, 2], vec![1, 3, 5], vec![4]]);
    let cost = check(&term(&of, 6, 3), &scores, &Target::Class(1));
    assert_eq!(cost.correct, Some(true));
    let won = check(&term(&of, 6, 3), &[-50.0, 50.0, -50.0, 50.0, -50.0, 50.0], &Target::Class(1));
    assert!(won.loss < 1e-40);
    of.k = Some(2.5);
    check(&term(&of, 6, 3), &scores, &Target::Class(2));
    // The memberships add to k.
    let Kind::Assembly(kind) = term(&of, 6, 3).kind else { panic!("an assembly") };
    let threshold = kind.threshold(&scores, 2.5);
    let sum: f64 = scores.iter().map(|score| 1.0 / (1.0 + (-(score - threshold) / 0.5).exp())).sum();
    assert!((sum - 2.5).abs() < 1e-12);
}

#[test]
fn a_batch_has_the_mean_and_says_what_is_not_finite() {
    let counts = term(&LossTerm::new(LossKind::CrossEntropy, "out", Reading::Count), 2, 2);
    let mut rates = LossTerm::new(LossKind::Rate, "out", Reading::Count);
    (rates.target, rates.weight) = (Some(1.0), 0.5);
    let loss = LossFunction { terms: vec![counts, term(&rates, 2, 2)] };
    let readings = Readings(vec![vec![0.0, 2.0, 0.0, 2.0], vec![0.0, 2.0, 0.0, 2.0]]);
    let found = loss.evaluate(&readings, &[&Target::Class(1), &Target::Class(0)]).unwrap();
    let log = (1.0 + (-2.0_f64).exp()).ln();
    assert!((found.loss - (0.5 * (log + log + 2.0) + 0.5)).abs() < 1e-14);
    assert_eq!(found.correct, Some(1));
    assert_eq!(found.adjoints.0[1], [-0.25, 0.25, -0.25, 0.25]);

    let trace = term(&LossTerm::new(LossKind::CrossEntropy, "out", Reading::Trace), 2, 2);
    let mut values = vec![0.0; 20];
    values[17] = f32::NAN;
    let error = LossFunction { terms: vec![trace] }
        .evaluate(&Readings(vec![values]), &[&Target::Class(0), &Target::Class(1)])
        .unwrap_err();
    let expected = "the loss of trial 1 of the batch is not a finite number: `loss[0] (out.trace)` is NaN in step 3; use a smaller \
                    `optimiser.rate`, or `optimiser.clip_norm`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_does_not_fit_names_its_place() {
    let error = |of: &LossTerm, units: usize, classes: u32| Term::new(of, 2, units, (5, 2.0), classes).unwrap_err().to_string();
    let mut of = LossTerm::new(LossKind::CrossEntropy, "out", Reading::Count);
    assert_eq!(
        error(&of, 2, 3),
        "loss[2].population is `out` with 2 neurons, but the data have 3 classes, each of which needs a neuron; make it larger"
    );
    assert!(error(&of, 2, 0).starts_with("loss[2].type is \"cross_entropy\", but it compares classes"));
    of.tau_ms = Some(3.0);
    assert_eq!(error(&of, 2, 2), "loss[2].tau_ms is 3, but `cross_entropy` of count has the options `scale`; remove it");
    let of = LossTerm::new(LossKind::VanRossum, "out", Reading::Count);
    assert_eq!(error(&of, 2, 2), "loss[2].reading is \"count\", but `van_rossum` reads spikes; change it, or the type");
    let of = LossTerm::new(LossKind::Rate, "out", Reading::Count);
    assert!(error(&of, 2, 2).contains("lacks the key `upper`"));
    let of = LossTerm { k: Some(4.0), ..LossTerm::new(LossKind::Assembly, "out", Reading::Count) };
    assert!(error(&of, 4, 2).starts_with("loss[2].k is 4, but fewer than the 4 neurons"));
    let of = LossTerm { assemblies: Some(vec![vec![0], vec![1, 1]]), k: None, ..of };
    assert!(error(&of, 4, 2).starts_with("loss[2].assemblies[1] is [1, 1], but"));
    let of = term(&LossTerm::new(LossKind::CrossEntropy, "out", Reading::Count), 2, 2);
    let wrong = of.evaluate(&[0.0, 0.0], &Target::Values(vec![1.0]), &mut [0.0; 2]).unwrap_err();
    assert!(wrong.to_string().starts_with("data is with a sample whose target is 1 values, but loss[0] compares with classes"));
}
