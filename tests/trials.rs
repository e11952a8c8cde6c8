use std::sync::Arc;

use serde_json::json;
use spikelet::{BuildOptions, Cpu, Network, Plan, Point, Recorder, Simulation, Stopped, Sweep, TrialRun, Variant, catalogue};
use spikelet_tests::{devices, full};

fn network(text: &str) -> Network {
    Network::from_json(text).unwrap()
}

/// Cells under noise from sources of all kinds.
fn with_sources() -> Network {
    let network = json!({
        "name": "sources", "dt_ms": 0.1, "duration_ms": 60, "seed": 3,
        "populations": [{"name": "E", "size": 60, "equations": "dv/dt = (I - v)/tau + 0.3*xi*tau**-0.5 : 1\nI : 1 (constant)", "threshold": "v > 1",
                         "reset": "v = 0", "parameters": {"tau": "10 ms", "I": 0.8}, "initial": {"v": {"expr": "rand()"}}}],
        "sources": [{"name": "P", "type": "poisson", "size": 20, "rate": "50 Hz"},
                    {"name": "In", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 100, "rate": "10 Hz", "weight": 0.05}],
        "projections": [{"name": "PE", "pre": "P", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
                         "parameters": {"w": 0.1}, "delay_ms": 1}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

/// A network of each kind.
fn kinds() -> Vec<Network> {
    let mut protocol = with_sources();
    protocol.name = "protocol".into();
    protocol.add_change("20 ms: E.I = 1.3".parse().unwrap()).unwrap();
    protocol.add_change("31.4 ms: PE.w = 0.4".parse().unwrap()).unwrap();
    protocol.add_stop("spikes(E) > 260").unwrap();
    vec![
        catalogue::network("cuba", 0.2).unwrap(),
        catalogue::network("izhikevich", 0.5).unwrap(),
        network(include_str!("networks/procedural.json")),
        network(include_str!("networks/short_term.json")),
        network(include_str!("networks/summed.json")),
        network(include_str!("networks/third.json")),
        network(include_str!("networks/linked.json")),
        network(include_str!("networks/to_pre.json")),
        with_sources(),
        protocol,
    ]
}

/// What came of a trial: its hash, its spikes, why it stopped, how many changes it saw.
type Outcome = (String, u64, Option<Stopped>, usize);

/// Runs for `time_ms`, in batches of `batch` steps.
async fn outcomes(simulation: &mut Simulation, time_ms: f64, batch: u32) -> Vec<Outcome> {
    let mut recorders: Vec<Recorder> = simulation.runs().iter().map(|run| Recorder::new(run.plan())).collect();
    let end = (time_ms / simulation.plan().dt_ms).round() as u32;
    while simulation.step() < end && simulation.stopped().is_none() {
        let parts = simulation.advance_trials(batch.min(end - simulation.step())).await.unwrap();
        recorders.iter_mut().zip(parts).for_each(|(recorder, part)| recorder.add(&part.spikes));
    }
    let outcome = |(recorder, run): (&Recorder, &TrialRun)| {
        (recorder.spikes_hash(), recorder.spikes(), run.stopped().cloned(), run.changed().len())
    };
    recorders.iter().zip(simulation.runs()).map(outcome).collect()
}

fn variants(network: &Network, trials: &[u32]) -> Vec<Variant> {
    let (network, plan) = (Arc::new(network.clone()), Arc::new(Plan::new(network).unwrap()));
    trials.iter().map(|trial| Variant { network: network.clone(), plan: plan.clone(), trial: *trial }).collect()
}

/// Each network on two of the devices, so that all devices occur; on every one with `--full`.
#[test]
fn a_trial_has_the_same_spikes_alone_and_in_a_batch_on_every_device() {
    for (number, network) in kinds().into_iter().enumerate() {
        let name = network.name.clone();
        let alone: Vec<Outcome> = [0, 5, 2]
            .iter()
            .map(|trial| {
                pollster::block_on(async {
                    let one = variants(&network, &[*trial]);
                    let mut simulation = Simulation::of_trials(one, Box::new(Cpu::new(1))).await.unwrap();
                    outcomes(&mut simulation, 60.0, 100).await.remove(0)
                })
            })
            .collect();
        assert!(alone.iter().all(|(_, spikes, ..)| *spikes > 20), "{name}: {alone:?}");
        let is_run = |place: usize| full() || place % 2 == number % 2;
        for (_, (device, backend)) in devices().into_iter().enumerate().filter(|(place, _)| is_run(*place)) {
            pollster::block_on(async {
                let mut simulation = Simulation::of_trials(variants(&network, &[0, 5, 2]), backend).await.unwrap();
                for batch in [77, 600] {
                    assert_eq!(outcomes(&mut simulation, 60.0, batch).await, alone, "{name} on {device}, batches of {batch}");
                    simulation.restart().await.unwrap();
                }
            });
        }
    }
}

/// The points of a grid over a network.
fn points(network: &Network, sweeps: &[&str]) -> Vec<Point> {
    let (network, plan) = (Arc::new(network.clone()), Arc::new(Plan::new(network).unwrap()));
    let sweeps: Vec<Sweep> = sweeps.iter().map(|sweep| sweep.parse().unwrap()).collect();
    let point = |values| Point::new(&network, &plan, values, BuildOptions::default()).unwrap();
    Sweep::grid(&sweeps).unwrap().into_iter().map(point).collect()
}

#[test]
fn a_variant_is_the_network_built_with_its_values() {
    let short_term = network(include_str!("networks/short_term.json"));
    let procedural = network(include_str!("networks/procedural.json"));
    let cases: [(Network, &[&str], bool); 9] = [
        (catalogue::network("cuba", 0.2).unwrap(), &["E.taum=10ms..30ms:3"], true),
        // Weights that all synapses share: the scale of the ring follows the largest, down as well as up.
        (catalogue::network("cuba", 0.2).unwrap(), &["EE.we=0.01mV,1.62mV,200mV", "I.El=-52mV,-49mV"], true),
        (catalogue::network("izhikevich", 0.5).unwrap(), &["E.noise=4,7"], true),
        (with_sources(), &["E.I=0.5..1.5:3", "PE.w=0.05,0.6"], true),
        (with_sources(), &["P.rate=10Hz,200Hz"], true),
        (procedural, &["a.tau=8 ms,12 ms"], true),
        (short_term, &["a.drive=8 mV..14 mV:3"], true),
        // What is built anew.
        (with_sources(), &["E.size=40,60"], false),
        (with_sources(), &["PE.p=0.3,0.9", "E.I=0.8,1.1"], false),
    ];
    for (network, sweeps, shared) in cases {
        let points = points(&network, sweeps);
        let shares = |point: &Point| point.plan.shares_rows_with(&points[0].plan);
        assert_eq!(points.iter().all(shares), shared, "{}: {sweeps:?}", network.name);
        let mut built = Vec::new();
        for point in &points {
            let mut with_values = network.clone();
            point.values.iter().for_each(|(path, value)| with_values.set(path, value).unwrap());
            assert_eq!(*point.network, with_values);
            let plan = Plan::new(&with_values).unwrap();
            assert!(*point.plan == plan, "{}: {:?}", network.name, point.values);
            pollster::block_on(async {
                let alone = variants(&with_values, &[1]);
                let mut simulation = Simulation::of_trials(alone, Box::new(Cpu::new(1))).await.unwrap();
                built.push(outcomes(&mut simulation, 40.0, 100).await.remove(0));
            });
        }
        assert!(built.iter().any(|outcome| outcome.0 != built[0].0), "{sweeps:?} has an effect");
        if !shared {
            continue;
        }
        for (device, backend) in devices() {
            let variant = |point: &Point| Variant { network: point.network.clone(), plan: point.plan.clone(), trial: 1 };
            pollster::block_on(async {
                let together = points.iter().map(variant).collect();
                let mut simulation = Simulation::of_trials(together, backend).await.unwrap();
                assert_eq!(outcomes(&mut simulation, 40.0, 77).await, built, "{} on {device}: {sweeps:?}", network.name);
            });
        }
    }
}

/// A change made by each variant keeps what they share.
#[test]
fn variants_follow_their_protocol() {
    let mut network = with_sources();
    network.add_change("10 ms: PE.w = 0.5".parse().unwrap()).unwrap();
    network.add_stop("rate(E, 5 ms) > 150 Hz").unwrap();
    let points = points(&network, &["E.I=0.5..1.5:4"]);
    let variant = |point: &Point| point.variant(0);
    pollster::block_on(async {
        let mut built = Vec::new();
        for point in &points {
            let alone = variants(&point.network, &[0]);
            let mut simulation = Simulation::of_trials(alone, Box::new(Cpu::new(1))).await.unwrap();
            built.push(outcomes(&mut simulation, 60.0, 100).await.remove(0));
        }
        assert!(built.iter().any(|outcome| outcome.2.is_some()), "{built:?}");
        for (device, backend) in devices() {
            let mut simulation = Simulation::of_trials(points.iter().map(variant).collect(), backend).await.unwrap();
            assert_eq!(outcomes(&mut simulation, 60.0, 33).await, built, "{device}");
        }
    });
}

#[test]
fn points_of_a_group_share_rows_and_steps() {
    let groups = |sweeps: &[&str]| Point::groups(&points(&with_sources(), sweeps));
    assert_eq!(groups(&["E.I=0.5,1.5"]), [0, 0]);
    assert_eq!(groups(&["E.I=0.5,1.5", "duration_ms=10,20"]), [0, 1, 0, 1]);
    assert_eq!(groups(&["dt_ms=0.1,0.2"]), [0, 1]);
    assert_eq!(groups(&["E.size=40,60", "E.I=0.5,1.5"]), [0, 0, 1, 1]);
    assert_eq!(Point::groups(&[]), [0; 0]);
}

#[test]
fn a_value_that_means_nothing_is_refused() {
    let network = Arc::new(with_sources());
    let plan = Arc::new(Plan::new(&network).unwrap());
    let refusal = |path: &str, value: &str| {
        let values = vec![(path.to_owned(), value.to_owned())];
        Point::new(&network, &plan, values, BuildOptions::default()).expect_err(path).to_string()
    };
    for (path, value, expected) in [
        ("F.I", "1", "there is no population, source or projection `F`"),
        ("E.J", "1", "there is no `E` parameter `J`"),
        ("PE.ww", "1", "there is no `PE` parameter `ww`; did you mean `w`?"),
        ("E.I", "1 mV", "volt"),
        ("E.tau", "-1 ms", "above 0"),
        ("E.size", "0", "a population needs at least one neuron"),
    ] {
        let error = refusal(path, value);
        assert!(error.contains(expected), "{path} = {value}: {error}");
    }
}
