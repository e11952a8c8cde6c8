//! f32 against f64: the same network, and how long the same spikes.

use serde_json::json;
use spikelet::compare::Comparison;
use spikelet::lang::wgsl::Arithmetic;
use spikelet::{Backend, BuildOptions, Builder, Compare, Cpu, Double, Network, Plan, Recorder, Simulation, Task, catalogue};
use spikelet_gpu::GpuOptions;
use spikelet_tests::gpu_with;
use spikelet_verify::{Options, Outcome, Verdict, corpus, library_cells, library_synapses, verify};

use crate::lockstep::file;

fn compared(network: &Network, time_ms: f64) -> Comparison {
    let network = Network { duration_ms: time_ms, ..network.clone() };
    let compared = pollster::block_on(Compare::default().run(&network, |_| {}));
    compared.unwrap_or_else(|error| panic!("{}: {error}", network.name))
}

/// Both ran for all of the time, and before the first spike that differs no variable is off by more than a part of its range, or of its unit.
fn check(comparison: &Comparison, time_ms: f64, within: f64) {
    let name = &comparison.network;
    assert_eq!(comparison.ended, [None, None], "{name}");
    assert!((comparison.time_ms - time_ms).abs() < 1e-6, "{name}: {} ms", comparison.time_ms);
    for of in &comparison.variables {
        // A variable at rest has almost no range.
        assert!(
            of.relative_error() <= within || of.before.max < within,
            "{name}: {} of the range of {}",
            of.relative_error(),
            of.variable
        );
        assert!(of.before.rms <= of.before.max, "{name}: {of:?}");
    }
}

/// Every network of the catalogue runs in f64, with the spikes of f32 for at least 3 ms.
#[test]
fn networks_of_the_catalogue_begin_alike() {
    let mut spikes = 0;
    for entry in catalogue::entries() {
        let comparison = compared(&entry.network(entry.small).unwrap(), 10.0);
        check(&comparison, 10.0, 1e-3);
        let same_ms = comparison.first_difference.as_ref().map_or(10.0, |difference| difference.time_ms);
        assert!(same_ms >= 3.0, "{}: {}", entry.name, comparison.judgement());
        spikes += comparison.spikes()[1];
    }
    assert!(spikes > 1000, "{spikes}");
}

/// Every model of the library, and every kind of synapse, delay and storage.
#[test]
fn whatever_there_is_begins_alike() {
    let mut networks = vec![library_cells().unwrap(), library_synapses().unwrap()];
    let names = [
        "clocks",
        "driven",
        "everything",
        "in_turn",
        "pathways",
        "plastic",
        "plastic_clock",
        "procedural",
        "short_term",
        "summed",
        "linked",
        "to_pre",
        "third",
        "two_words",
    ];
    networks.extend(names.map(file));
    for network in networks {
        // Chaotic maps of the library amplify their rounding errors to a part of their range.
        check(&compared(&network, 20.0), 20.0, 0.2);
    }
}

/// The exact plan of a network is its plan: the same rows, delays and rounded weights.
#[test]
fn connectivity_is_the_same() {
    for name in ["cuba", "stdp_song", "plastic_cuba", "pd14", "lattice4d"] {
        let network = catalogue::network(name, catalogue::entry(name).unwrap().small).unwrap();
        let exact = Builder::new(&network, BuildOptions { exact: true, ..BuildOptions::default() }).and_then(Builder::finish);
        let (exact, plan) = (exact.unwrap(), Plan::new(&network).unwrap());
        for (exact, of) in exact.projections.iter().zip(&plan.projections) {
            assert_eq!((&exact.edges, &exact.degrees), (&of.edges, &of.degrees), "{name}");
            let rounded = |of: &spikelet::ProjectionPlan| {
                of.writes().map(|(delay, write)| (delay.clone(), write.weights.clone())).collect::<Vec<_>>()
            };
            assert_eq!(rounded(exact), rounded(of), "{name}");
        }
        assert_eq!(exact.populations, plan.populations, "{name}");
    }
}

/// A run is the same in every division into batches, and again after a reset.
#[test]
fn a_run_in_f64_repeats() {
    let network = file("everything");
    let run = |batch: u32| {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, Box::new(Double::new())).await.unwrap();
            let mut hashes = Vec::new();
            for _ in 0..2 {
                let mut recorder = Recorder::new(simulation.plan());
                while simulation.step() < 200 {
                    let activity = simulation.advance(batch.min(200 - simulation.step())).await.unwrap();
                    recorder.add(&activity.spikes);
                }
                assert!(recorder.spikes() > 20);
                hashes.push(recorder.spikes_hash());
                simulation.reset(0).await.unwrap();
            }
            hashes
        })
    };
    let whole = run(200);
    assert_eq!(whole[0], whole[1]);
    assert_eq!(run(7), whole);
}

/// What a comparison reports is what both runs gave.
#[test]
fn a_difference_is_the_first_one() {
    // 0.1 and 0.7 are rounded differently: 0.7 + 3·0.1 is above 1 in one of both only.
    let network = json!({"name": "sum", "dt_ms": 1, "duration_ms": 20,
        "populations": [{"name": "quiet", "size": 2, "equations": "x : 1", "update": "x = 2*x + 0.1", "initial": {"x": 0.3}},
                        {"name": "n", "size": 3, "equations": "v : 1", "update": "v += 0.1", "threshold": "v >= 1", "reset": "v = 0",
                         "initial": {"v": {"expr": "0.1*i"}}}]});
    let network = Network::from_json(&network.to_string()).unwrap();
    let comparison = compared(&network, 20.0);
    let steps = |backend: Box<dyn Backend>| {
        let mut simulation = pollster::block_on(Simulation::new(&network, backend)).unwrap();
        pollster::block_on(simulation.advance(20)).unwrap().spikes
    };
    let (single, double) = (steps(Box::new(Cpu::new(1))), steps(Box::new(Double::new())));
    let first = single.iter().zip(&double).find(|(one, other)| one != other).map(|(one, other)| one.min(other));
    let difference = comparison.first_difference.clone().expect("both round 0.1 differently");
    assert_eq!(Some((difference.step, difference.neuron)), first.map(|first| (first.step, first.neuron - 2)));
    assert_eq!(comparison.spikes(), [single.len() as u64, double.len() as u64]);
    assert_eq!((difference.population.as_str(), comparison.populations[0].first_difference.clone()), ("n", None));
    assert!(comparison.judgement().contains("neuron"), "{}", comparison.judgement());
    assert!(comparison.largest_error().is_some_and(|of| of.relative_error() < 1e-5), "{:?}", comparison.variables);
}

/// Cases with exact results hold in f64, and where they measure the rounding of f32 they hold more closely.
#[test]
fn cases_hold_at_least_as_closely_in_f64() {
    let single = || -> Task<'static, Box<dyn Backend>> { Box::pin(async { Ok(Box::new(Cpu::new(1)) as _) }) };
    let double = || -> Task<'static, Box<dyn Backend>> { Box::pin(async { Ok(Box::new(Double::new()) as _) }) };
    let cases = corpus().unwrap_or_else(|malformed| panic!("{malformed}"));
    let (mut closer, mut further) = (0, Vec::new());
    for case in cases.iter().filter(|case| !case.is_statistical()) {
        let judge = |make: &mut dyn FnMut() -> Task<'static, Box<dyn Backend>>| -> Verdict {
            pollster::block_on(verify(case, make, &Options::default()))
        };
        let (single, double) = (judge(&mut single.clone()), judge(&mut double.clone()));
        assert_eq!(double.outcome, Outcome::Passed, "{double}");
        for (single, double) in single.measures.iter().zip(&double.measures) {
            closer += usize::from(double.difference < single.difference);
            if double.difference > single.difference + 0.01 * single.within {
                further.push(format!(
                    "{}: {} is {:e} in f64 and {:e} in f32",
                    case.name, single.what, double.difference, single.difference
                ));
            }
        }
    }
    assert!(further.is_empty() && closer > 100, "{closer} measures are closer, these are not:\n{}", further.join("\n"));
}

/// The GPU's own functions move a trace, and by little; the slow variables, which are sums in two words, by as little as the others.
#[test]
fn fast_arithmetic_is_close() {
    let network = Network { duration_ms: 5.0, ..library_cells().unwrap() };
    let on = |arithmetic| -> Option<Comparison> {
        let gpu = gpu_with(GpuOptions { arithmetic, ..GpuOptions::default() })?;
        let compare = Compare { elements: 1, ..Compare::default() };
        Some(pollster::block_on(compare.run_on(Box::new(gpu), &network, |_| {})).unwrap())
    };
    let Some(exact) = on(Arithmetic::Exact) else { return };
    let fast = on(Arithmetic::Fast).unwrap();
    assert_eq!(on(Arithmetic::Fast).unwrap().variables, fast.variables, "not repeatable");
    check(&exact, 5.0, 1e-2);
    check(&fast, 5.0, 1e-2);
    assert_ne!(fast.variables, exact.variables, "nothing is fast");
}
