use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;
use crate::{Cpu, Network};

fn simulation(projection: &Value) -> Simulation {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 10, "seed": 4,
        "populations": [
            {"name": "A", "size": 40, "equations": "v : 1", "threshold": "v > 1", "reset": "v = 0"},
            {"name": "B", "size": 30, "equations": "dv/dt = -v/(10*ms) : volt", "threshold": "v > 1*volt", "reset": "v = 0*volt"}],
        "projections": [{"name": "AB", "pre": "A", "post": "B"}]
    });
    let mut network = network;
    network["projections"][0].as_object_mut().unwrap().extend(projection.as_object().unwrap().clone());
    let network = Network::from_json(&network.to_string()).unwrap();
    pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap()
}

fn sample(simulation: &mut Simulation, query: &SynapseQuery) -> Result<SynapseSample, Error> {
    pollster::block_on(simulation.synapse_sample(0, "AB", query))
}

fn all() -> SynapseQuery {
    SynapseQuery { limit: usize::MAX, pre: None, post: None }
}

fn pairs(sample: &SynapseSample) -> HashSet<[u32; 2]> {
    sample.pre.iter().zip(&sample.post).map(|(pre, post)| [*pre, *post]).collect()
}

/// Weights that name their pair, and delays that differ.
fn written() -> Value {
    json!({"connect": {"rule": "bernoulli", "p": 0.4}, "on_pre": "v_post += w",
           "parameters": {"w": {"expr": "(i + 0.01*j)*mV"}}, "delay_ms": {"expr": "(0.1 + 0.1*(j % 5))*ms"}})
}

#[test]
fn all_synapses_have_their_own_weight_and_delay() {
    let mut simulation = simulation(&written());
    let found = sample(&mut simulation, &all()).unwrap();
    assert_eq!((found.total, found.pre.len() as u64), (simulation.plan().synapses(), simulation.plan().synapses()));
    assert!(found.total > 300 && pairs(&found).len() as u64 == found.total);
    assert_eq!((found.variable.as_str(), found.unit.as_str()), ("v", "mV"));
    for (place, (pre, post)) in found.pre.iter().zip(&found.post).enumerate() {
        let (weight, delay) = (f64::from(*pre) + 0.01 * f64::from(*post), 0.1 + 0.1 * f64::from(post % 5));
        assert!((f64::from(found.weights[place]) - weight).abs() < 1e-3, "{pre} to {post}: {}", found.weights[place]);
        assert!((f64::from(found.delays_ms[place]) - delay).abs() < 1e-5, "{pre} to {post}: {}", found.delays_ms[place]);
    }
}

#[test]
fn a_procedural_projection_is_drawn_like_a_stored_one() {
    let procedural = json!({"storage": "procedural"});
    let mut with = written();
    with.as_object_mut().unwrap().extend(procedural.as_object().unwrap().clone());
    let (mut stored, mut drawn) = (simulation(&written()), simulation(&with));
    assert!(drawn.plan().projections[0].procedural().is_some());
    for (pre, post) in [(None, None), (Some(3..17), None), (None, Some(4..5)), (Some(0..40), Some(10..30))] {
        let query = SynapseQuery { limit: usize::MAX, pre, post };
        let [one, other] = [&mut stored, &mut drawn].map(|simulation| sample(simulation, &query).unwrap());
        assert_eq!((one.total, pairs(&one)), (other.total, pairs(&other)), "{query:?}");
        let by_pair = |of: &SynapseSample| {
            let mut list: Vec<_> = (0..of.pre.len()).map(|at| (of.pre[at], of.post[at], of.delays_ms[at].to_bits())).collect();
            list.sort_unstable();
            list
        };
        assert_eq!(by_pair(&one), by_pair(&other), "{query:?}");
        for (place, (pre, post)) in other.pre.iter().zip(&other.post).enumerate() {
            assert!((other.weights[place] - (*pre as f32 + 0.01 * *post as f32)).abs() < 1e-3);
        }
    }
}

#[test]
fn a_sample_is_even_and_always_the_same() {
    for storage in ["stored", "procedural"] {
        let mut simulation = simulation(&json!({"connect": {"rule": "all"}, "on_pre": "v_post += 1*mV", "storage": storage}));
        let query = SynapseQuery { limit: 200, ..all() };
        let found = sample(&mut simulation, &query).unwrap();
        assert_eq!((found.total, found.pre.len(), pairs(&found).len()), (1200, 200, 200), "{storage}");
        assert_eq!(sample(&mut simulation, &query).unwrap(), found);
        // Every quarter of both populations has about a quarter of the sample.
        for (neurons, size) in [(&found.pre, 40), (&found.post, 30)] {
            for quarter in 0..4 {
                let of_quarter = neurons.iter().filter(|neuron| **neuron * 4 / size == quarter).count();
                assert!((35..=65).contains(&of_quarter), "{storage}: {of_quarter} of 200 in quarter {quarter}");
            }
        }
        assert!(found.weights.iter().all(|weight| (weight - 1.0).abs() < 1e-4), "{:?}", found.weights);
    }
}

#[test]
fn plastic_weights_are_those_of_now() {
    let mut simulation = simulation(&json!({"connect": {"rule": "one_to_one"}, "pre": "A[0:30]", "model": null,
        "equations": "x : 1\nw : 1", "on_pre": "v_post += w*mV\nx += 1\nw += 0", "initial": {"w": 0.25}}));
    pollster::block_on(simulation.set_values("AB.w", &(0..30).map(f64::from).collect::<Vec<_>>())).unwrap();
    let found = sample(&mut simulation, &SynapseQuery { pre: Some(10..20), ..all() }).unwrap();
    assert_eq!((found.total, found.variable.as_str(), found.unit.as_str()), (10, "w", "1"));
    assert_eq!(found.weights, (10..20).map(|weight| weight as f32).collect::<Vec<_>>());
}

#[test]
fn unknown_projections_and_neurons_are_named() {
    let mut simulation = simulation(&written());
    let error = pollster::block_on(simulation.synapse_sample(0, "BA", &all())).unwrap_err().to_string();
    assert!(error.contains("BA") && error.contains("AB"), "{error}");
    for (pre, post) in [(Some(0..41), None), (None, Some(30..31)), (Some(7..7), None)] {
        let error = sample(&mut simulation, &SynapseQuery { pre, post, ..all() }).unwrap_err().to_string();
        assert!(error.contains("use a range within 0:"), "{error}");
    }
}
