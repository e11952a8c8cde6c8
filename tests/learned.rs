use std::io::Cursor;
use std::sync::Arc;

use serde_json::json;
use spikelet::{Cpu, Distribution, Network, Plan, Simulation, SynapseState, Variant};
use spikelet_tests::{devices, run};

/// Cells whose synapses tire; more of them than a workgroup of the kernel that sums up has invocations.
fn network() -> Network {
    let network = json!({
        "name": "tiring", "dt_ms": 0.1, "duration_ms": 50, "seed": 4,
        "populations": [{"name": "E", "size": 300, "equations": "dv/dt = (1.2 - v)/(5*ms) : 1", "threshold": "v > 1", "reset": "v = 0",
                         "initial": {"v": {"expr": "rand()"}}}],
        "projections": [{"name": "EE", "pre": "E[50:]", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3},
                         "equations": "dx/dt = (1 - x)/(50*ms) : 1 (event-driven)\nw : volt (constant)\nU : 1 (constant)",
                         "on_pre": "v_post += 0.001*x\nx -= U*x", "initial": {"x": 1},
                         "parameters": {"w": {"expr": "(1000 + rand())*mV"}, "U": {"expr": "0.15 + 0.1*rand()"}}}],
        "statistics": [
            {"object": "EE", "var": "x", "every_ms": 10, "range": [0.1, 0.9], "bins": 7},
            {"object": "EE", "var": "w", "every_ms": 25, "unit": "uvolt"}
        ]
    });
    Network::from_json(&network.to_string()).unwrap()
}

fn near(found: f64, expected: f64, scale: f64) -> bool {
    (found - expected).abs() <= 1e-6 * scale
}

#[test]
fn statistics_are_those_of_the_values_on_every_device() {
    let network = network();
    for (name, device) in devices() {
        pollster::block_on(async {
            let (network, plan) = (Arc::new(network.clone()), Arc::new(Plan::new(&network).unwrap()));
            let variant = |trial| Variant { network: network.clone(), plan: plan.clone(), trial };
            let mut simulation = Simulation::of_trials(vec![variant(0), variant(1)], device).await.unwrap();
            for batch in [100, 200, 200] {
                let activities = simulation.advance_trials(batch).await.unwrap();
                for (trial, activity) in activities.iter().enumerate() {
                    let last = activity.statistics.iter().rfind(|of| of.statistic == 0).unwrap();
                    assert_eq!(last.step, simulation.device_step(), "{name}");
                    let learned = simulation.synapse_state(trial).await.unwrap();
                    let x = &learned[0].variables["x"];
                    let Distribution { finite, mean, sd, min, max, below, above, counts, .. } = &last.distribution;
                    let of = |part: &dyn Fn(&f32) -> bool| x.iter().filter(|x| part(x)).count() as u32;
                    let ends: Vec<f32> = (0..8).map(|k| (0.1 + 0.8 * f64::from(k) / 7.0) as f32).collect();
                    let last_end = ends[7];
                    let inside = |part: &[f32], x: f32| part[0] <= x && (x < part[1] || x == last_end && part[1] == last_end);
                    let parts: Vec<u32> = ends.windows(2).map(|part| of(&|x| inside(part, *x))).collect();
                    assert_eq!(
                        (*finite as usize, *below, *above),
                        (x.len(), of(&|x| *x < ends[0]), of(&|x| *x > ends[7])),
                        "{name}"
                    );
                    assert_eq!(counts, &parts, "{name}");
                    assert!(counts.iter().filter(|count| **count > 0).count() > 1, "{name}: {counts:?}");
                    assert_eq!(*min, x.iter().copied().map(f64::from).fold(f64::INFINITY, f64::min), "{name}");
                    assert_eq!(*max, x.iter().copied().map(f64::from).fold(f64::NEG_INFINITY, f64::max), "{name}");
                    let exact = x.iter().map(|x| f64::from(*x)).sum::<f64>() / x.len() as f64;
                    let spread = x.iter().map(|x| (f64::from(*x) - exact).powi(2)).sum::<f64>() / x.len() as f64;
                    assert!(near(*mean, exact, 1.0) && near(*sd, spread.sqrt(), 1.0), "{name}: {mean} {sd}");
                }
            }
        });
    }
}

/// The mean is a thousand times the spread, and a value is none.
#[test]
fn spreads_and_counts_survive_values_that_are_hard_to_sum() {
    let network = network();
    let mut reference = None;
    for (name, device) in devices() {
        let mut done = run(&network, device, 0.0, 1).unwrap();
        pollster::block_on(async {
            let learned = done.simulation.synapse_state(0).await.unwrap();
            let count = learned[0].pairs.len();
            let array = done.simulation.plan().array(&format!("{}.x", learned[0].projection)).unwrap();
            let mut words: Vec<u32> = vec![0.5_f32.to_bits(); count];
            words[7] = f32::NAN.to_bits();
            words[count - 1] = f32::INFINITY.to_bits();
            done.simulation.write(array, &words).await.unwrap();
            let statistics = done.simulation.advance(1).await.unwrap().statistics;
            let [x, w] = [0, 1].map(|index| statistics.iter().find(|of| of.statistic == index).unwrap().distribution.clone());
            assert_eq!((x.finite as usize, x.not_finite, x.mean, x.sd), (count - 2, 2, 0.5, 0.0), "{name}");
            // Uniform between 1 V and 1.001 V, in µV.
            assert!(near(w.mean, 1_000_500.0, 1e7) && (w.sd - 1000.0 / 12.0_f64.sqrt()).abs() < 10.0, "{name}: {w:?}");
            let reference: &Distribution = reference.get_or_insert_with(|| w.clone());
            assert!((w.sd - reference.sd).abs() < 0.05 && (w.min, w.max) == (reference.min, reference.max), "{name}: {w:?}");
        });
    }
}

#[test]
fn what_one_device_learnt_another_takes_up() {
    let network = network();
    let mut expected: Option<Vec<SynapseState>> = None;
    for (name, device) in devices() {
        let mut done = run(&network, device, 20.0, 50).unwrap();
        pollster::block_on(async {
            let learned = done.simulation.synapse_state(0).await.unwrap();
            let bytes = SynapseState::write(&learned, Cursor::new(Vec::new())).unwrap().into_inner();
            let mut again = network.clone();
            again.attach_learned("EE", "x.npz").unwrap();
            again.resolve(&mut |_| Ok(Box::new(Cursor::new(bytes.clone())))).unwrap();
            let mut taken = Simulation::new(&again, Box::new(Cpu::new(1))).await.unwrap();
            assert_eq!(taken.synapse_state(0).await.unwrap(), learned, "{name}");
            done.simulation.reset(0).await.unwrap();
            done.simulation.load_weights(0, "x.npz", &learned).await.unwrap();
            assert_eq!(done.simulation.synapse_state(0).await.unwrap(), learned, "{name}");
            assert_eq!(&learned, expected.get_or_insert_with(|| learned.clone()), "{name}");
        });
    }
}
