//! What random numbers depend on, and that rare events have their probability.

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::rng::{noise_bits, unit_f64};
use spikelet::{BuildOptions, Builder, Cpu, Double, Network, PerSynapse, Plan, Simulation};

fn network(text: &str) -> Network {
    Network::from_json(text).unwrap_or_else(|error| panic!("{error}"))
}

fn plan(network: &Network) -> Plan {
    let builder = Builder::new(network, BuildOptions { exact: true, ..BuildOptions::default() }).unwrap();
    builder.finish().unwrap_or_else(|error| panic!("{error}"))
}

/// The initial values of a variable of the first population.
fn initial(text: &str, name: &str) -> Vec<f64> {
    let plan = plan(&network(text));
    let place = plan.populations[0].program.variables.iter().position(|of| of == name).unwrap();
    plan.exact_population(0).initial.swap_remove(place)
}

#[test]
fn values_are_drawn_by_their_names() {
    let of = |name: &str, keys: &str| {
        let text = format!(
            r#"{{"name": "keys", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "A", "size": 8,
            "equations": "dv/dt = -v/ms : 1\ndu/dt = -u/ms : 1\nx : 1", {keys}}}]}}"#
        );
        initial(&text, name)
    };
    let both = r#""initial": {"v": "rand()", "u": "rand()"}"#;
    for keys in [
        r#""initial": {"u": "rand()", "v": "rand()"}"#,
        r#""initial": {"x": "rand()", "u": "rand()", "v": "rand()"}"#,
        r#""parameters": {"other": {"expr": "rand()"}}, "initial": {"u": "rand()", "x": 2, "v": "rand()"}"#,
    ] {
        assert_eq!([of("v", both), of("u", both)], [of("v", keys), of("u", keys)], "{keys}");
    }
    assert_ne!(of("v", both), of("u", both));
}

#[test]
fn each_link_draws_its_own_neurons() {
    let text = r#"{"name": "links", "dt_ms": 0.1, "duration_ms": 1, "populations": [
        {"name": "A", "size": 50, "equations": "x : 1 (linked)\ny : 1 (linked)", "linked": {
            "x": {"population": "B", "var": "v", "index": "floor(40*rand())"}, "y": {"population": "B", "var": "v", "index": "floor(40*rand())"}}},
        {"name": "B", "size": 40, "equations": "v : 1"}]}"#;
    let plan = plan(&network(text));
    let pres = |name: &str| -> Vec<(u32, usize)> {
        let of = plan.projections.iter().find(|of| of.name == name).unwrap();
        (0..40).flat_map(|pre| of.rows().row(pre).map(move |edge| (of.rows().target(edge), pre))).collect()
    };
    assert_eq!((pres("A.x").len(), pres("A.y").len()), (50, 50));
    assert_ne!(pres("A.x"), pres("A.y"));
}

/// Weights in f64 and delays in steps of the synapses of the first projection.
fn synapses(connect: &Value, statements: &str) -> (Vec<f64>, Vec<u32>) {
    let text = json!({"name": "synapses", "dt_ms": 0.1, "duration_ms": 1, "populations": [
        {"name": "A", "size": 30, "equations": "dv/dt = -v/ms : 1"}, {"name": "B", "size": 20, "equations": "dv/dt = -v/ms : 1"}],
        "projections": [{"pre": "A", "post": "B", "connect": connect, "on_pre": statements,
        "parameters": {"w": {"expr": "0.4 + rand()*randn()"}}, "delay_ms": {"expr": "2*ms + 3*ms*rand()"}}]});
    let mut text = text;
    if connect.is_array() {
        let of = text["projections"][0].as_object_mut().unwrap();
        let pairs = of.remove("connect").unwrap();
        of.insert("pairs".into(), pairs);
    }
    let plan = plan(&network(&text.to_string()));
    let of = &plan.projections[0];
    let weights = match &of.state {
        Some(state) => state.exact.as_ref().unwrap().arrays[state.array("w").unwrap()].to_vec(),
        None => match of.writes().next().unwrap().1.exact.clone() {
            Some(PerSynapse::Each(weights)) => weights.to_vec(),
            _ => panic!("each synapse has a weight of its own"),
        },
    };
    let delays = (0..of.rows().len()).map(|edge| of.delay(0, edge)).collect();
    (weights, delays)
}

#[test]
fn synapses_draw_the_same_with_and_without_state() {
    let pairs: Vec<[u32; 2]> = (0..60).map(|k| [k % 7, k % 3]).collect();
    for connect in [
        json!({"rule": "all"}),
        json!({"rule": "bernoulli", "p": 0.3}),
        json!({"rule": "fixed_outdegree", "n": 15}),
        json!({"rule": "fixed_outdegree", "n": 15, "multapses": false}),
        json!({"rule": "fixed_indegree", "n": 40}),
        json!({"rule": "fixed_total", "n": 700}),
        json!(pairs),
    ] {
        let (without, with) = (synapses(&connect, "v_post += w"), synapses(&connect, "v_post += w; v_post = v_post"));
        assert_eq!(without.1, with.1, "{connect}: delays");
        assert_eq!(without.0.len(), with.0.len());
        for (one, other) in without.0.iter().zip(&with.0) {
            assert!((one - other).abs() <= 4.0 * f64::EPSILON * one.abs().max(1.0), "{connect}: {one}, {other}");
        }
        let mut weights = without.0;
        weights.sort_by(f64::total_cmp);
        weights.dedup();
        assert_eq!(weights.len(), with.0.len(), "{connect}: two synapses with the same draws");
    }
}

/// Numbers near 0 have the bits of their precision.
#[test]
fn small_numbers_have_all_their_bits() {
    let size = 20_000;
    let text = json!({"name": "small", "seed": 3, "dt_ms": 0.1, "duration_ms": 1, "populations": [
        {"name": "A", "size": size, "equations": "x : 1", "update": "x = rand()"}],
        "recordings": [{"object": "A", "var": "x", "indices": "all"}]});
    let (network, double) = (network(&text.to_string()), Double::new());
    let exact = double.samples();
    let samples = block_on(async {
        Simulation::new(&network, Box::new(double)).await.unwrap().advance(6).await.unwrap();
        Simulation::new(&network, Box::new(Cpu::new(2))).await.unwrap().advance(6).await.unwrap().samples
    });
    let (exact, mut small) = (exact.rows(0..6, size), 0);
    for step in 1..6 {
        for neuron in 0..size {
            let [high, low] = noise_bits(3, 0, [step as u32 - 1, neuron as u32, 0]);
            let expected = unit_f64(high, low);
            assert_eq!(exact[step * size + neuron], expected, "step {step}, neuron {neuron}");
            let found = f64::from(samples[step * size + neuron]);
            // The rounding of f32; and half of the last of 32 bits, where those suffice.
            let within = f64::from(f32::EPSILON) * expected + if high < 1 << 20 { 0.0 } else { libm::ldexp(1.0, -33) };
            assert!((found - expected).abs() <= within, "step {step}, neuron {neuron}: {found}, {expected}");
            small += u32::from(high < 1 << 20);
        }
    }
    assert!((10..50).contains(&small), "{small} of them are near 0");
}

/// 4·10⁸ draws: with 24 bits, each of these would have fired 24 times.
#[test]
fn rare_events_are_as_rare_as_their_probability() {
    let text = r#"{"name": "rare", "dt_ms": 0.1, "duration_ms": 400, "sources": [
        {"name": "S", "type": "poisson", "size": 100000, "rate": "0.00014901161 Hz"}, {"name": "Z", "type": "poisson", "size": 100000, "rate": "1e-9 Hz"}],
        "populations": [{"name": "A", "size": 1, "equations": "dv/dt = -v/ms : 1"}]}"#;
    let spikes = block_on(async {
        let mut simulation = Simulation::new(&network(text), Box::new(Cpu::new(2))).await.unwrap();
        simulation.advance(4000).await.unwrap().spikes
    });
    let (first, silent): (Vec<_>, Vec<_>) = spikes.into_iter().partition(|spike| spike.neuron < 100_001);
    // 6 are expected; 16 have a probability of 5·10⁻⁴.
    assert!((1..16).contains(&first.len()) && silent.is_empty(), "{} and {} spikes", first.len(), silent.len());
}

/// In f32, 1 less the probability of an event is 1 here.
#[test]
fn many_inputs_of_small_probability_arrive() {
    let text = r#"{"name": "inputs", "dt_ms": 0.1, "duration_ms": 400, "sources": [
        {"type": "poisson_input", "name": "P", "targets": ["A"], "var": "v", "N": 10, "rate": "0.000025 Hz", "weight": 1}],
        "populations": [{"name": "A", "size": 100000, "equations": "v : 1", "threshold": "v > 0", "reset": "v = 0"}]}"#;
    let spikes = block_on(async {
        let mut simulation = Simulation::new(&network(text), Box::new(Cpu::new(2))).await.unwrap();
        simulation.advance(4000).await.unwrap().spikes
    });
    // 10 are expected.
    assert!((2..22).contains(&spikes.len()), "{} spikes", spikes.len());
}
