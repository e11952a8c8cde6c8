//! Statistics: taken at their times, however the run is cut.

use serde_json::{Value, json};

use crate::{Activity, Cpu, Distribution, Measurement, Network, Plan, Simulation};

use super::go_on;

/// Cells that drive depressing synapses, whose `x` is summed up.
fn network(statistics: &Value, more: &Value) -> Network {
    let mut network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 50, "seed": 4,
        "populations": [{"name": "E", "size": 40, "equations": "dv/dt = (1.2 - v)/tau : 1", "threshold": "v > 1", "reset": "v = 0",
                         "parameters": {"tau": "5 ms"}, "initial": {"v": {"expr": "rand()"}}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3},
                         "equations": "dx/dt = (1 - x)/(50*ms) : 1 (event-driven)\nw : volt (constant)\ny = 2*x : 1",
                         "on_pre": "v_post += 0.01*x\nx -= 0.2*x", "initial": {"x": 1}, "parameters": {"w": {"expr": "rand()*mV"}}}],
        "statistics": statistics
    });
    network.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Network::from_json(&network.to_string()).unwrap()
}

fn every(every_ms: f64) -> Value {
    json!([{"object": "EE", "var": "x", "every_ms": every_ms, "range": [0, 1], "bins": 4}])
}

fn run(network: &Network, steps: u32, batch: u32) -> (Activity, Simulation) {
    pollster::block_on(async {
        let mut simulation = Simulation::new(network, Box::new(Cpu::new(2))).await.unwrap();
        (go_on(&mut simulation, steps, batch).await, simulation)
    })
}

fn steps(statistics: &[Measurement]) -> Vec<u32> {
    statistics.iter().map(|of| of.step).collect()
}

#[test]
fn they_are_of_the_state_at_their_time_whatever_the_length_of_a_batch() {
    let network = network(&every(5.0), &json!({"recordings": [{"object": "EE", "var": "x", "indices": "all"}]}));
    let (whole, simulation) = run(&network, 500, 500);
    assert_eq!(steps(&whole.statistics), [0, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500]);
    let synapses = simulation.plan().channels.len();
    for Measurement { step, distribution, .. } in &whole.statistics[..10] {
        let row: Vec<f64> = whole.samples[*step as usize * synapses..][..synapses].iter().map(|x| f64::from(*x)).collect();
        let mean = row.iter().sum::<f64>() / synapses as f64;
        assert!((distribution.mean - mean).abs() < 1e-12, "step {step}");
        assert_eq!(distribution.min, row.iter().copied().fold(f64::INFINITY, f64::min), "step {step}");
        assert_eq!(distribution.counts.iter().sum::<u32>(), synapses as u32, "step {step}");
    }
    assert_eq!(whole.statistics[0].distribution.counts, [0, 0, 0, synapses as u32]);
    for batch in [1, 7, 50, 51, 499] {
        assert!(run(&network, 500, batch).0 == whole, "batches of {batch}");
    }
    let mut ahead = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    ahead.begin_ahead(3);
    assert!(pollster::block_on(go_on(&mut ahead, 500, 20)) == whole, "looking ahead");
}

#[test]
fn a_unit_and_another_time_are_as_they_are_asked_for() {
    let statistics = json!([
        {"object": "EE", "var": "w", "every_ms": 30, "range": ["0.25 mV", 0.5], "bins": 2, "unit": "uvolt"},
        {"object": "EE", "var": "x", "every_ms": 20}
    ]);
    let (activity, simulation) = run(&network(&statistics, &json!({})), 500, 80);
    let found: Vec<_> = activity.statistics.iter().map(|of| (of.step, of.statistic)).collect();
    assert_eq!(found, [(0, 0), (0, 1), (200, 1), (300, 0), (400, 1)]);
    let Distribution { min, max, mean, sd, below, above, counts, finite, .. } = &activity.statistics[0].distribution;
    // Weights are uniform between 0 and 1000 µV.
    assert!((0.0..50.0).contains(min) && (950.0..1000.0).contains(max), "{min} {max}");
    assert!((mean - 500.0).abs() < 50.0 && (sd - 1000.0 / 12.0_f64.sqrt()).abs() < 20.0, "{mean} {sd}");
    assert_eq!(below + above + counts.iter().sum::<u32>(), *finite);
    assert!(*below > 50 && *above > 100 && counts.iter().all(|count| *count > 20), "{below} {counts:?} {above}");
    assert!(activity.statistics[1].distribution.counts.is_empty());
    assert_eq!(simulation.plan().statistics[0].ends().collect::<Vec<_>>(), [250.0, 375.0, 500.0]);
    assert_eq!(simulation.plan().statistics[1].unit, "1");
}

#[test]
fn they_keep_their_times_over_snapshots_resets_and_ends() {
    let network = network(&every(5.0), &json!({"stop": ["spikes > 200"]}));
    let (whole, mut simulation) = run(&network, 500, 500);
    let end = simulation.stopped().expect("it ends early").step;
    assert_eq!(steps(&whole.statistics), (0..=end).step_by(50).collect::<Vec<_>>());
    pollster::block_on(async {
        simulation.reset(0).await.unwrap();
        let first = go_on(&mut simulation, 100, 30).await;
        let snapshot = simulation.snapshot().await.unwrap();
        let mut other = Simulation::from_snapshot(&snapshot, Box::new(Cpu::new(1))).await.unwrap();
        let rest = go_on(&mut other, 500, 33).await;
        let joined: Vec<_> = first.statistics.into_iter().chain(rest.statistics).collect();
        assert!(joined == whole.statistics, "{:?}", steps(&joined));
        // A device that is lost: nothing is told twice, and nothing is missing.
        let mut emitted = go_on(&mut other, 0, 1).await.statistics;
        other.reset(0).await.unwrap();
        emitted.extend(go_on(&mut other, 120, 40).await.statistics);
        other.resume_on(Box::new(Cpu::new(2))).await.unwrap();
        emitted.extend(go_on(&mut other, 500, 40).await.statistics);
        assert!(emitted == whole.statistics, "{:?}", steps(&emitted));
    });
}

#[test]
fn what_cannot_be_summed_up_is_refused() {
    let refusal = |network: &Network| Plan::new(network).map(|_| ()).expect_err("it is wrong").to_string();
    let x = |key: &str, value: Value| {
        let mut statistics = every(5.0);
        statistics[0][key] = value;
        refusal(&network(&statistics, &json!({})))
    };
    let found = [
        x("var", json!("xx")),
        x("var", json!("y")),
        x("range", json!([0, "1 mV"])),
        x("unit", json!("mV")),
        x("range", json!([1, 1.000_000_1])),
    ];
    let expected = [
        "statistics[0].var: there is no variable `xx`; did you mean `x`?",
        "statistics[0].var is \"y\", but a statistic needs a variable, and this is a subexpression",
        "\"1 mV\" is volt; `x` is a pure number. Use plain numbers for both limits.",
        "`mV` is volt; `x` is a pure number.",
        "statistics[0].range is [1, 1.0000001], but 4 bins must be wider than the last digit of a number, and not extend beyond 3.4e38",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{expected}\n{found}");
    }
    let mut fixed = network(&every(5.0), &json!({}));
    fixed.projections[0].equations = None;
    fixed.projections[0].initial.clear();
    fixed.projections[0].on_pre = Some("v_post += 0.1".into());
    let found = refusal(&fixed);
    assert!(found.contains("statistics[0].object is \"EE\", but its synapses have no state"), "{found}");
}
