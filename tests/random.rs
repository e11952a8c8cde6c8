//! Random networks: every rule, any storage, any delays, and nothing is lost.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use spikelet::{
    Backend, BuildOptions, Builder, Cpu, EdgePlan, Epoch, Estimate, Network, Owner, Plan, ProjectionPlan, Storage, Trial,
};

/// Rules that can be drawn again, by the sizes of a grid of 6 × 10.
fn rules() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(|autapses| json!({"rule": "all", "autapses": autapses})),
        (0.0..1.0_f64, any::<bool>()).prop_map(|(p, autapses)| json!({"rule": "bernoulli", "p": p, "autapses": autapses})),
        (0..30_u32, any::<bool>(), any::<bool>()).prop_map(
            |(n, autapses, multapses)| json!({"rule": "fixed_outdegree", "n": n, "autapses": autapses, "multapses": multapses})
        ),
        (0..900_u32, any::<bool>(), any::<bool>()).prop_map(
            |(n, autapses, multapses)| json!({"rule": "fixed_total", "n": n, "autapses": autapses, "multapses": multapses})
        ),
        (0.1..1.0_f64, 1.0..5.0_f64).prop_map(|(p, sigma)| json!({"rule": "gaussian", "p": p, "sigma": sigma})),
    ]
}

fn weights() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("0.25 mV")),
        Just(json!("normal(1 mV, 0.3 mV)")),
        Just(json!({"expr": "(0.1 + 0.01*i - 0.002*j + 0.1*rand())*mV"}))
    ]
}

fn delays() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(1.5)),
        Just(json!("normal(1.5 ms, 1 ms, 0.1 ms, 4 ms)")),
        Just(json!({"expr": "(0.1 + 0.05*i + 0.3*rand())*ms"}))
    ]
}

/// Sixty neurons that fire once each, neuron i in step 10 + i, onto sixty that add up what arrives.
fn relay(rule: &Value, weight: &Value, delay: &Value, seed: u64) -> Network {
    let network = json!({
        "name": "relay", "dt_ms": 0.1, "duration_ms": 20, "seed": seed,
        "populations": [
            {"name": "source", "size": 60, "equations": "x : 1", "update": "x += 1", "threshold": "x == 11 + i",
             "positions": {"layout": "grid", "shape": [6, 10], "tile": 2}},
            {"name": "sink", "size": 60, "equations": "v : volt\nu : 1", "update": "u = 0*u",
             "positions": {"layout": "grid", "shape": [6, 10], "tile": 2}},
        ],
        "projections": [{
            "name": "relay", "pre": "source", "post": "sink", "connect": rule, "on_pre": "v_post += w", "parameters": {"w": weight},
            "delay_ms": delay
        }],
    });
    Network::from_json(&network.to_string()).unwrap()
}

fn plan(network: &Network, threads: usize, storage: Storage) -> Arc<Plan> {
    let threads = NonZeroUsize::new(threads).unwrap();
    Arc::new(
        Builder::new(network, BuildOptions { threads, storage: Some(storage), ..BuildOptions::default() })
            .and_then(Builder::finish)
            .unwrap(),
    )
}

/// What each event of a stored projection adds, by pre, post, and the step in which it lands.
fn events(projection: &ProjectionPlan) -> BTreeMap<(u32, u32, u32), i64> {
    let rows = projection.rows();
    let weights = projection.writes().next().unwrap().1.weights.as_slice();
    let mut events = BTreeMap::new();
    for (pre, ends) in (0..).zip(rows.offsets.windows(2)) {
        for synapse in ends[0] as usize..ends[1] as usize {
            let lands = 10 + pre + 1 + projection.delay(0, synapse);
            let weight = i64::from(weights[if weights.len() == 1 { 0 } else { synapse }]);
            *events.entry((pre, rows.target(synapse), lands)).or_default() += weight;
        }
    }
    events
}

/// What has arrived at each sink after each step, in units of the ring.
fn arrivals(plan: &Arc<Plan>, threads: usize, batch: u32) -> Vec<Vec<i64>> {
    let mut cpu = Cpu::new(threads);
    pollster::block_on(cpu.load(vec![Trial { number: 0, plan: plan.clone() }])).unwrap();
    let (mut first, mut seen) = (0, Vec::new());
    let unit = f64::from(plan.populations[1].ports[0].units()[0]);
    let sums = plan.arrays().of(Owner::Neurons { population: 1 }, 0).unwrap();
    while first < 200 {
        let steps = batch.min(200 - first);
        pollster::block_on(cpu.advance(Epoch::new(first, steps))).unwrap();
        first += steps;
        let words = pollster::block_on(cpu.read(0, sums)).unwrap();
        seen.push(words.into_iter().map(|word| (f64::from(f32::from_bits(word)) / unit).round() as i64).collect());
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every event arrives, at its neuron, in its step, with its weight: whether its synapse is kept or drawn, by however many threads.
    #[test]
    fn no_event_is_lost_and_delays_are_exact(
        rule in rules(), weight in weights(), delay in delays(), seed in 0..1000_u64, threads in 1..4_usize,
    ) {
        let network = relay(&rule, &weight, &delay, seed);
        let stored = plan(&network, threads, Storage::Stored);
        let drawn = plan(&network, 1, Storage::Procedural);
        prop_assert!(matches!(stored.projections[0].edges, EdgePlan::Stored(_)));
        prop_assert!(matches!(drawn.projections[0].edges, EdgePlan::Procedural(_)));
        let [of_stored, of_drawn] = [&stored, &drawn].map(|plan| &plan.projections[0].degrees);
        prop_assert_eq!((&of_stored.outgoing, &of_stored.at_most), (&of_drawn.outgoing, &of_drawn.at_most));
        let most = of_drawn.at_most.as_ref().map_or(0, |(_, most)| *most);
        prop_assert!(of_stored.incoming.iter().all(|synapses| *synapses <= most), "{:?} of {most}", of_stored.incoming);
        prop_assert_eq!(&stored.populations[1].ports, &drawn.populations[1].ports);
        prop_assert_eq!(stored.epoch_steps, drawn.epoch_steps);
        prop_assert_eq!(stored.ring, drawn.ring);

        let mut expected = vec![vec![0_i64; 60]; 200];
        for ((_, post, lands), weight) in events(&stored.projections[0]) {
            (lands as usize..200).for_each(|step| expected[step][post as usize] += weight);
        }
        // v is f32, and rounds whenever something arrives; one event is far larger than that.
        let largest = expected[199].iter().map(|sum| sum.abs()).max().unwrap_or(0);
        // What a second word holds of each event is half a unit at most.
        let rests = if stored.populations[1].ports.len() > 1 { 30 } else { 0 };
        let slack = 1.max(largest >> 18) + rests;
        for (plan, threads, batch) in [(&stored, 1, 1), (&stored, threads, 7), (&drawn, 1, 1), (&drawn, threads, 7)] {
            for (row, seen) in (0..200_usize).skip(batch as usize - 1).step_by(batch as usize).zip(arrivals(plan, threads, batch)) {
                for (sink, (seen, expected)) in seen.iter().zip(&expected[row]).enumerate() {
                    prop_assert!((seen - expected).abs() <= slack, "sink {sink}, step {row}: {seen} of {expected}");
                }
            }
        }
    }

    /// What was estimated before anything was drawn is what the plan then takes, and the plan takes what it says.
    #[test]
    fn memory_is_as_planned(rule in rules(), weight in weights(), delay in delays(), seed in 0..1000_u64) {
        let mut network = relay(&rule, &weight, &delay, seed);
        network.projections[0].connect = Some(spikelet::Connector::bernoulli(0.4));
        for population in &mut network.populations {
            (population.size, population.positions) = (1500, None);
        }
        let plan = plan(&network, 2, Storage::Stored);
        let of = |name: &str| plan.memory().iter().find(|(known, _)| *known == name).unwrap().1;
        let projection = &plan.projections[0];
        let rows = projection.rows();
        prop_assert_eq!(of("synapses"), rows.words.bytes());
        prop_assert_eq!(of("offsets"), 8 * rows.offsets.len() as u64);
        prop_assert_eq!(projection.synapses(), rows.len() as u64);
        let expected = Estimate::of(&network).unwrap().projections[0].synapses;
        // Five standard deviations of 900,000 draws.
        prop_assert!((rows.len() as f64 - expected).abs() < 5.0 * (1500.0_f64 * 1500.0 * 0.4 * 0.6).sqrt());
    }
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_drawn() {
    // 20 GB of synapses, and 4 GB for them; a cap must see all synapses of a neuron, so none can be drawn again.
    let mut network = relay(&json!({"rule": "bernoulli", "p": 0.5}), &json!("0.1 mV"), &json!(1.5), 1);
    for population in &mut network.populations {
        (population.size, population.positions) = (100_000, None);
    }
    network.projections[0].max_outdegree = Some(90_000);
    let options = |memory| BuildOptions { memory: Some(memory), ..BuildOptions::default() };
    let Err(error) = Builder::new(&network, options(4_000_000_000)) else { panic!("20 GB do not fit 4") };
    assert!(error.is_bad_input());
    let message = error.to_string();
    for part in ["18.6 GiB", "5.000e9 synapses of `relay`", "3.7 GiB of memory", "procedural"] {
        assert!(message.contains(part), "{message}");
    }
    // Without the cap the same rule needs no memory.
    network.projections[0].max_outdegree = None;
    let builder = Builder::new(&network, options(4_000_000_000)).unwrap();
    assert!(!builder.estimate().projections[0].stored && builder.estimate().bytes < 1_000_000_000);
}

#[test]
fn building_tells_how_far_it_is_and_stops_when_dropped() {
    let mut network = relay(&json!({"rule": "fixed_outdegree", "n": 500}), &json!("0.1 mV"), &json!(1.5), 1);
    for population in &mut network.populations {
        (population.size, population.positions) = (20_000, None);
    }
    let mut builder = Builder::new(&network, BuildOptions::default()).unwrap();
    let mut last = 0;
    for _ in 0..3 {
        let progress = builder.advance().unwrap();
        assert!(progress.synapses > last && !progress.is_done && progress.projection == "relay", "{progress:?}");
        assert_eq!(progress.expected, 1e7);
        last = progress.synapses;
    }
    drop(builder);
}

#[test]
fn a_probability_that_is_none_is_refused_with_its_pair() {
    let network = relay(&json!({"rule": "bernoulli", "p": "0.1 + 0.1*i"}), &json!("0.1 mV"), &json!(1.5), 1);
    let message = Plan::new(&network).unwrap_err().to_string();
    let expected = "projections[0].connect.p is 1.1 for i = 10, j = 0, but a probability must be between 0 and 1";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn what_only_the_host_can_compute_is_kept_and_counted() {
    // Gamma weights are no code: the rule could be drawn anew, the synapses cannot.
    let mut network = relay(&json!({"rule": "bernoulli", "p": 0.5}), &json!("gamma(2, 0.1 mV)"), &json!(1.5), 1);
    for population in &mut network.populations {
        (population.size, population.positions) = (2000, None);
    }
    let options = |memory| BuildOptions { memory: Some(memory), ..BuildOptions::default() };
    let message = Builder::new(&network, options(1 << 20)).and_then(Builder::finish).unwrap_err().to_string();
    assert!(message.contains("2.000e6 synapses of `relay`") && message.contains("1.0 MiB of memory"), "{message}");
    assert!(Builder::new(&network, options(1 << 30)).and_then(Builder::finish).is_ok());
}
