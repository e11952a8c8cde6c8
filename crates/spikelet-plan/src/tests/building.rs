//! Plans that are built in parts.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spikelet_network::{Network, RULES};

use crate::{BuildOptions, Builder, Plan, Progress};

/// A network with one rule of millions of synapses, or of pairs to test.
fn network(connect: &Value, pre: &Value, post: &Value) -> Network {
    let population = |name: &str, more: &Value| {
        let mut population = json!({"name": name, "model": "lif_exp"});
        population.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        population
    };
    let network = json!({
        "name": "large", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [population("pre", pre), population("post", post)],
        "projections": [{"pre": "pre", "post": if post == pre { "pre" } else { "post" }, "connect": connect, "on_pre": "ge_post += 1*mV"}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

/// No rule keeps its caller waiting: each is drawn in parts, of which each shows its progress, and after each of which the caller can stop.
#[test]
fn every_rule_is_drawn_in_parts() {
    let sized = |size: u32| json!({"size": size});
    let placed = json!({"size": 2500, "positions": {"layout": "grid", "shape": [50, 50], "spacing": "20 um", "periodic": true}});
    let cases = [
        (json!({"rule": "all"}), sized(2000), sized(2000)),
        (json!({"rule": "condition", "condition": "i % 3 == j % 3"}), sized(1000), sized(1200)),
        (json!({"rule": "bernoulli", "p": 0.5}), sized(2000), sized(4000)),
        (json!({"rule": "bernoulli", "p": "0.5*i/N"}), sized(1000), sized(1200)),
        (json!({"rule": "fixed_outdegree", "n": 1000}), sized(4000), sized(3000)),
        (json!({"rule": "fixed_indegree", "n": 1000}), sized(3000), sized(4000)),
        (json!({"rule": "fixed_indegree", "n": 1000, "multapses": false}), sized(3000), sized(4000)),
        (json!({"rule": "fixed_total", "n": 3_000_000}), sized(2000), sized(4000)),
        (json!({"rule": "fixed_total", "n": 3_000_000, "multapses": false}), sized(2000), sized(4000)),
        (json!({"rule": "power_law", "n": 2_000_000, "gamma_out": 3, "gamma_in": 3}), sized(2000), sized(4000)),
        (json!({"rule": "generator", "j": "k for k in range(N_post)"}), sized(1000), sized(1200)),
        (json!({"rule": "generator", "i": "k for k in sample(N_pre, p=0.9)"}), sized(1000), sized(1200)),
        (json!({"rule": "scale_free", "n": 50}), sized(15_000), sized(15_000)),
        (json!({"rule": "small_world", "k": 10, "rewire": 0.1}), sized(300_000), sized(300_000)),
        (json!({"rule": "one_to_one"}), sized(2_100_000), sized(2_100_000)),
        (json!({"rule": "blockwise", "tile": 10, "reach": 1, "p": 0.5}), placed.clone(), placed.clone()),
        (json!({"rule": "disc", "p": 0.5, "radius": "400 um"}), placed.clone(), placed.clone()),
        (json!({"rule": "box", "p": 0.5, "half_widths": ["400 um", "400 um"]}), placed.clone(), placed.clone()),
        (json!({"rule": "gaussian", "p": 0.5, "sigma": "200 um"}), placed.clone(), placed.clone()),
        (json!({"rule": "exponential", "p": 0.5, "lambda": "200 um"}), placed.clone(), placed),
    ];
    let tested: BTreeSet<&str> = cases.iter().filter_map(|(connect, ..)| connect["rule"].as_str()).collect();
    assert_eq!(tested, RULES.iter().map(|rule| rule.name).collect());
    for (connect, pre, post) in cases {
        let network = network(&connect, &pre, &post);
        let mut builder = Builder::new(&network, BuildOptions::default()).unwrap();
        let mut parts: Vec<Progress> = Vec::new();
        while parts.last().is_none_or(|progress| !progress.is_done) {
            parts.push(builder.advance().unwrap());
        }
        let total = parts.last().unwrap().synapses;
        assert!(parts.len() >= 4, "{connect}: {} parts", parts.len());
        assert!(parts.is_sorted_by_key(|progress| progress.synapses), "{connect}: {parts:?}");
        let steps = parts.windows(2).map(|pair| pair[1].synapses - pair[0].synapses);
        assert!(steps.max() <= Some(1_100_000), "{connect}: {parts:?}");
        let under_way = parts.iter().filter(|progress| progress.synapses > 0 && progress.synapses < total);
        assert!(under_way.count() >= 2, "{connect}: {parts:?}");
    }
}

#[test]
fn distances_between_different_closed_spaces_are_refused() {
    let population = |name: &str, extent: u32| {
        format!(
            r#"{{"name": "{name}", "size": 4, "model": "lif_exp",
                "positions": {{"layout": "random", "box": [{extent}], "periodic": true}}}}"#
        )
    };
    let text = format!(
        r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{}, {}], "projections": [
            {{"pre": "A", "post": "B", "connect": {{"rule": "gaussian", "sigma": 50}}, "on_pre": "ge_post += 1*mV"}}]}}"#,
        population("A", 100),
        population("B", 200)
    );
    let network = Network::from_json(&text).unwrap();
    let refusal = Plan::new(&network).unwrap_err().to_string();
    assert!(refusal.starts_with("projections[0].connect") && refusal.contains("use the same extent for both"), "{refusal}");
    let same = text.replace("[200]", "[100]");
    assert!(Plan::new(&Network::from_json(&same).unwrap()).unwrap().synapses() > 0);
}
