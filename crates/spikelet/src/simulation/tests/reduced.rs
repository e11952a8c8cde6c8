//! Recordings at an interval, and means and sums over neurons, however the run is cut.

use serde_json::{Value, json};

use crate::{Cpu, Error, Network, Plan, Simulation};

use super::go_on;

/// Number of neurons: two blocks, the second of which has a gap on the right.
const NEURONS: usize = 300;
const STEPS: u32 = 121;

fn network(recordings: &Value) -> Result<Network, Error> {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 50, "seed": 4,
        "populations": [{"name": "E", "size": NEURONS, "equations": "dv/dt = (I - v)/(5*ms) : volt\nI : volt (constant)\ny = v*v : volt**2",
                         "threshold": "v > 1*mV", "reset": "v = 0*mV", "parameters": {"I": {"expr": "(1.1 + 0.01*i)*mV"}},
                         "initial": {"v": {"expr": "rand()*mV"}}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.02}, "on_pre": "v_post += 0.01*mV"}],
        "recordings": recordings
    });
    Network::from_json(&network.to_string())
}

fn samples(recordings: &Value, threads: usize, batch: u32) -> (Vec<f32>, Plan) {
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network(recordings).unwrap(), Box::new(Cpu::new(threads))).await.unwrap();
        (go_on(&mut simulation, STEPS, batch).await.samples, simulation.plan().clone())
    })
}

#[test]
fn each_channel_has_its_interval() {
    let (all, _) = samples(&json!([{"object": "E", "var": "v", "indices": "all"}]), 1, 1000);
    let recordings = json!([
        {"object": "E", "var": "v", "indices": [3], "every_ms": 0.4},
        {"object": "E", "var": "v", "indices": "297:300", "every_ms": 0.6},
        {"object": "E", "var": "v", "indices": "all", "reduce": "mean", "every_ms": 1.2}
    ]);
    for (threads, batch) in [(1, 1000), (2, 7), (3, 1)] {
        let (found, plan) = samples(&recordings, threads, batch);
        let rows = plan.sample_rows();
        assert_eq!((rows.width, rows.every, found.len()), (5, 2, 5 * 61));
        for (step, row) in (0_u32..).step_by(2).zip(found.chunks_exact(5)) {
            let of = &all[step as usize * NEURONS..][..NEURONS];
            let expected = [(of[3], 4), (of[297], 6), (of[298], 6), (of[299], 6)];
            for (sample, (value, every)) in row.iter().zip(expected) {
                assert!(
                    if step.is_multiple_of(every) { *sample == value } else { sample.is_nan() },
                    "step {step}: {sample} for {value}"
                );
            }
            assert_eq!(row[4].is_nan(), !step.is_multiple_of(12));
        }
    }
}

#[test]
fn a_mean_is_that_of_the_single_values() {
    let (all, _) = samples(&json!([{"object": "E", "var": "v", "indices": "all", "unit": "uV"}]), 1, 1000);
    let recordings = json!([
        {"object": "E", "var": "v", "indices": "all", "reduce": "mean", "unit": "uV"},
        {"object": "E", "var": "v", "indices": "250:260", "reduce": "sum", "unit": "uV"},
        {"object": "E", "var": "v", "indices": [299, 5, 5, 6], "reduce": "sum", "unit": "uV"},
        {"object": "E", "var": "y", "indices": [7], "reduce": "mean"}
    ]);
    let (found, plan) = samples(&recordings, 1, 1000);
    let labels: Vec<&str> = plan.channels.iter().map(|channel| channel.label.as_str()).collect();
    assert_eq!(labels, ["mean(E.v)", "sum(E.v[250:260])", "sum(E.v[5:7,299])", "mean(E.y[7])"]);
    for (row, of) in found.chunks_exact(4).zip(all.chunks_exact(NEURONS)) {
        let sum = |neurons: &[usize]| neurons.iter().map(|neuron| f64::from(of[*neuron])).sum::<f64>();
        let every: Vec<usize> = (0..NEURONS).collect();
        let seven = f64::from(of[7]) / 1000.0;
        let expected = [sum(&every) / NEURONS as f64, sum(&every[250..260]), sum(&[299, 5, 6]), seven * seven];
        for (sample, expected) in row.iter().zip(expected) {
            assert!((f64::from(*sample) - expected).abs() < 1e-5 * expected.abs().max(1.0), "{sample} instead of {expected}");
        }
    }
    for (threads, batch) in [(2, 7), (3, 1)] {
        assert_eq!(samples(&recordings, threads, batch).0, found, "{threads} threads");
    }
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let refusal = |recording: Value| {
        let plan = network(&json!([recording])).and_then(|network| Plan::new(&network));
        plan.map(|_| ()).expect_err("it is wrong").to_string()
    };
    let every = refusal(json!({"object": "E", "var": "v", "indices": [0], "every_ms": 0.25}));
    assert!(every.contains("recordings[0].every_ms") && every.contains("whole number of steps of 0.1 ms"), "{every}");
    let projection = refusal(json!({"object": "EE", "var": "w", "indices": "all", "reduce": "mean"}));
    assert!(projection.contains("recordings[0].reduce") && projection.contains("`statistics`"), "{projection}");
    let none = refusal(json!({"object": "E", "var": "v", "indices": [], "reduce": "sum"}));
    assert!(none.contains("recordings[0].indices") && none.contains("at least one neuron"), "{none}");
    let beyond = refusal(json!({"object": "E", "var": "v", "indices": "290:301"}));
    assert!(beyond.contains("290:301") && beyond.contains("neurons 0 to 299"), "{beyond}");
    let unit = refusal(json!({"object": "E", "var": "v", "indices": "all", "reduce": "mean", "unit": "nA"}));
    assert!(unit.contains("recordings[0]") && unit.contains("nA"), "{unit}");
}
