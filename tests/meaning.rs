//! Networks whose every value is what the rules of `docs/language.md` say: the referee, f64, and f32 on a CPU.

use serde_json::{Value, json};
use spikelet::{Cpu, Network, Plan, Simulation};
use spikelet_reference::Reference;

/// A network of one population `A` that records all of `variables`.
fn of_population(population: &Value, variables: &[&str], duration_ms: f64) -> Network {
    let record = |name: &&str| json!({"object": "A", "var": name, "indices": "all"});
    let recordings: Vec<Value> = variables.iter().map(record).collect();
    let mut of = json!({"name": "A", "size": 1});
    of.as_object_mut().unwrap().extend(population.as_object().unwrap().clone());
    let whole = json!({"name": "n", "dt_ms": 0.1, "duration_ms": duration_ms, "populations": [of], "recordings": recordings});
    Network::from_json(&whole.to_string()).unwrap()
}

/// The samples of all steps on a CPU in f32, after the referee and f64 have agreed.
fn samples(network: &Network) -> Vec<f32> {
    let agreement = Reference::compare(network).unwrap();
    assert!(agreement.difference.is_none(), "{agreement}");
    pollster::block_on(async {
        let mut simulation = Simulation::new(network, Box::new(Cpu::new(1))).await.unwrap();
        let mut samples = Vec::new();
        while !simulation.is_over() {
            samples.extend(simulation.advance(100).await.unwrap().samples);
        }
        samples
    })
}

/// Rule 8.5.
#[test]
fn a_coefficient_that_is_not_a_number_is_an_error() {
    let of = |statements: &str, b: f64| {
        of_population(
            &json!({"equations": "x : 1\ny : 1\nb : 1 (constant)", "parameters": {"b": b}, "run_regularly": [{"statements": statements}]}),
            &["y"],
            0.3,
        )
    };
    let error = Plan::new(&of("y = 0*x/b", 0.0)).unwrap_err().to_string();
    assert!(error.contains("a coefficient of the step becomes NaN"), "{error}");
    assert_eq!(samples(&of("x = x + 2; y = 0*x/b + 1", 1.0)), [1.0; 3]);
}

/// Rule 4.4.
#[test]
fn a_constant_factor_is_the_same_on_either_side() {
    let equations = "dx/dt = 2*(x - exp(x))/ms : 1\ndy/dt = (y - exp(y))*2/ms : 1";
    let found = samples(&of_population(&json!({"equations": equations, "method": "exponential_euler"}), &["x", "y"], 5.0));
    assert!(found.chunks(2).all(|pair| pair[0] == pair[1]) && found[2] != 0.0, "{found:?}");
}
