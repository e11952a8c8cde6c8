//! Networks whose every value is what the rules of `docs/language.md` say: the referee, f64, and f32 on a CPU.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use spikelet::{Backend, Cpu, Double, Network, Plan, Simulation};
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
        let steps = (network.duration_ms / network.dt_ms).round() as u32;
        let mut samples = Vec::new();
        while simulation.step() < steps {
            samples.extend(simulation.advance(steps - simulation.step()).await.unwrap().samples);
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

/// The sentence with which a network ends, on a CPU and in f64.
fn failure(network: &Network) -> String {
    let of = |backend: Box<dyn Backend>| {
        pollster::block_on(async {
            let mut simulation = Simulation::new(network, backend).await.unwrap();
            for _ in 0..100 {
                if simulation.advance(7).await.is_err() {
                    break;
                }
            }
            simulation.failure().map_or_else(String::new, ToString::to_string)
        })
    };
    let [single, double] = [of(Box::new(Cpu::new(2))), of(Box::new(Double::new()))];
    assert_eq!(single, double);
    single
}

/// Three neurons, and a timed array of three columns.
fn with_columns(more: &Value) -> Network {
    let timed = json!({"timed": [[1, 2, 3], [4, 5, 6]], "dt": "0.2 ms", "unit": "1"});
    let mut of = json!({"size": 3, "parameters": {"I": timed}});
    for (key, value) in more.as_object().unwrap() {
        match (of.get_mut(key).and_then(Value::as_object_mut), value) {
            (Some(known), Value::Object(more)) => known.extend(more.clone()),
            _ => of[key] = value.clone(),
        }
    }
    of_population(&of, &["x"], 1.0)
}

/// Rule 8.8.
#[test]
fn timed_arrays_have_any_number_of_columns() {
    let found = samples(&with_columns(&json!({"size": 5, "equations": "x = I(t, k) : 1\nk : integer (constant)",
        "parameters": {"k": [0, 2, 1, 1, 0]}})));
    assert_eq!(found[..5], [1.0, 3.0, 2.0, 2.0, 1.0]);
    assert_eq!(found[10..15], [4.0, 6.0, 5.0, 5.0, 4.0]);
    // A column that depends on the state, or on time.
    let found = samples(&with_columns(
        &json!({"equations": "x : 1\nk : 1", "run_regularly": [{"statements": "x = I(t, k); k = (k + 1) % 3"}]}),
    ));
    assert_eq!(found[..9], [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 6.0, 6.0, 6.0]);
    let found = samples(&with_columns(&json!({"equations": "x = I(t, timestep(t, dt) % 3) : 1"})));
    assert_eq!(found[..9], [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 6.0, 6.0, 6.0]);
}

/// Rule 8.8.
#[test]
fn columns_that_do_not_exist_are_errors() {
    for (equations, expected) in [
        ("x = I(t, i + 1) : 1", "neuron 2 asks for the column 3 of `I`, which has the columns 0 to 2"),
        ("x = I(t, i - 1) : 1", "neuron 0 asks for the column -1"),
        ("x = I(t, 0.6) : 1", "`I` has the columns 0 to 2; found 0.6"),
        ("x = I(t, 3) : 1", "`I` has the columns 0 to 2; found 3"),
        ("x = I(t, k) : 1\nk : 1 (constant)", "neuron 1 asks for the column 0.5"),
    ] {
        let parameters = if equations.contains('k') { json!({"k": [0, 0.5, 1]}) } else { json!({}) };
        let error = Plan::new(&with_columns(&json!({"equations": equations, "parameters": parameters}))).unwrap_err().to_string();
        assert!(error.contains(expected), "{equations}: {error}");
    }
    // One that is not read is no error.
    assert_eq!(samples(&with_columns(&json!({"size": 7, "equations": "x = 1 : 1"})))[0], 1.0);
}

/// Rule 8.8.
#[test]
fn columns_that_leave_the_array_end_the_run() {
    for (model, column, step) in [
        (json!({"equations": "x : 1\nk : 1", "run_regularly": [{"statements": "x = I(t, k); k += i"}]}), "4", 2),
        (json!({"equations": "x = I(t, k) : 1\nk : 1", "run_regularly": [{"statements": "k += 0.25*int(i == 2)"}]}), "0.25", 0),
        (json!({"equations": "x = I(t, timestep(t, dt)) : 1"}), "3", 3),
        (
            json!({"equations": "dx/dt = I(t, k)/ms : 1\nk : 1", "method": "rk4", "threshold": "t >= 0.25*ms and i == 1", "reset": "k = 5"}),
            "5",
            4,
        ),
        (
            json!({"equations": "x : 1\nk : 1", "threshold": "t >= 0.25*ms and i == 1", "reset": "x = I(t, k - 2); k = 2*k"}),
            "-2",
            3,
        ),
        (
            json!({"equations": "x : 1\nk : 1", "events": {"e": {"condition": "t >= 0.25*ms and i == 1", "statements": "x = I(t, 1/k); k = 2*k"}}}),
            "inf",
            3,
        ),
    ] {
        let error = failure(&with_columns(&model));
        let neuron = if step == 0 { 2 } else { error.split("neuron ").nth(1).unwrap()[..1].parse().unwrap() };
        let expected =
            format!("the timed array `I` of `A` has no column {column}, which neuron {neuron} asks for in step {step}, at");
        assert!(error.starts_with(&expected), "{model}: {error}");
    }
}

/// Rules 3.9 and 8.7.
#[test]
fn times_in_stages_are_those_of_the_stage() {
    for method in ["rk2", "rk4", "heun", "euler", "exponential_euler"] {
        let since = json!({"equations": "dv/dt = (1.67 + 0.37*tanh(0.37 - (t - lastspike)/ms))/ms : 1\ndx/dt = (lastspike/ms + 0.1)/ms : 1",
            "threshold": "v > 0.913", "reset": "v = 0", "method": method});
        samples(&of_population(&since, &["v", "x"], 3.0));
        let compared = json!({"size": 8, "equations": "tau : second\ndv/dt = (int(t > 0.7*ms) + int(t >= 0.3*ms) + (t % (0.3*ms))/ms + t//(0.3*ms) - v)/tau : 1",
            "method": method, "parameters": {"tau": {"values": [700, 819, 938, 1057, 1176, 1295, 1414, 1533]}}});
        samples(&of_population(&compared, &["v"], 1.5));
    }
}

#[test]
fn an_assigned_infinity_does_not_suggest_a_shorter_step() {
    let error = failure(&of_population(
        &json!({"equations": "x : 1\ny : 1", "run_regularly": [{"statements": "x = -log(y); y = 2*y"}]}),
        &["x"],
        1.0,
    ));
    assert!(error.contains("x of neuron 0 in `A` became inf in step 0") && !error.contains("dt"), "{error}");
    let error = failure(&of_population(
        &json!({"equations": "dx/dt = x**3/ms : 1", "initial": {"x": 1}, "method": "euler"}),
        &["x"],
        10.0,
    ));
    assert!(error.contains("try a shorter dt"), "{error}");
}

/// Rule 8.2.
#[test]
fn integers_are_cut_off_wherever_they_get_a_value() {
    let of = |more: Value| {
        let mut of = json!({"equations": "n : integer\nm : integer", "initial": {"m": 2.7, "n": -2.7}});
        of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        samples(&of_population(&of, &["n", "m"], 0.3))
    };
    assert_eq!(of(json!({"run_regularly": [{"statements": "n = 7/2; m += 1"}]})), [3.0, 3.0, 3.0, 4.0, 3.0, 5.0]);
    assert_eq!(of(json!({"run_regularly": [{"statements": "n = -7/2; m = m*1.5"}]})), [-3.0, 3.0, -3.0, 4.0, -3.0, 6.0]);
    assert_eq!(of(json!({"update": "n = n//2; m = -7 % 4"})), [-2.0, 2.0, -1.0, 1.0, -1.0, 1.0]);
    assert_eq!(of(json!({"threshold": "t >= 0*ms", "reset": "n -= 0.6; m += 0.6"})), [-2.0, 2.0, -2.0, 2.0, -2.0, 2.0]);
    assert_eq!(
        of(json!({"equations": "n : integer (constant)\nm : integer", "initial": {"m": 2.7}, "parameters": {"n": 1.9}}))[..2],
        [1.0, 2.0]
    );
}

/// Rule 8.2: what arrives in a step is summed and cut off once.
#[test]
fn what_synapses_give_to_integers_is_cut_off_once() {
    let network = |equations: &str, on_pre: &str| {
        let mut projection = json!({"name": "P", "pre": "S", "post": "A", "connect": {"rule": "all"}, "equations": equations, "initial": {"w": 0.75}});
        if !on_pre.is_empty() {
            projection["on_pre"] = json!(on_pre);
        }
        let whole = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 0.4, "sources": [{"name": "S", "size": 3, "spike_times_ms": [[0, 0], [1, 0], [2, 0.1]]}],
            "populations": [{"name": "A", "size": 1, "equations": "x : integer\ny = x : 1"}], "projections": [projection],
            "recordings": [{"object": "A", "var": "x", "indices": "all"}]});
        Network::from_json(&whole.to_string()).unwrap()
    };
    assert_eq!(samples(&network("w : 1\nz : 1", "x_post += w; z = z + 1")), [0.0, 1.0, 1.0, 1.0]);
    assert_eq!(samples(&network("w : 1\nz : 1", "x_post = x_post + w + 0.5; z = z + 1")), [0.0, 2.0, 3.0, 3.0]);
    assert_eq!(samples(&network("w : integer\nz : 1", "w += 1.6; x_post += w; z = z + 1")), [0.0, 2.0, 3.0, 3.0]);
    let sum = pollster::block_on(async {
        let network = network("w : 1\nx_post = w : 1 (summed)", "");
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        simulation.advance(2).await.unwrap();
        simulation.values(0, "A.x").await.unwrap()
    });
    assert_eq!(sum, [2.0]);
}

/// Rule 8.2: an integer that f32 would round ends the run.
#[test]
fn integers_beyond_those_of_f32_end_the_run() {
    let of = |statements: &str| {
        of_population(
            &json!({"equations": "n : integer", "initial": {"n": 1}, "run_regularly": [{"statements": statements}]}),
            &["n"],
            1.0,
        )
    };
    let end = |network: &Network| {
        pollster::block_on(async {
            let mut simulation = Simulation::new(network, Box::new(Cpu::new(1))).await.unwrap();
            let _ = simulation.advance(10).await;
            simulation.failure().map(ToString::to_string)
        })
    };
    for statements in ["n = (n*1103 + 12345) % 1048576", "n *= 100", "n = -(n + 20000000)//3"] {
        let error = end(&of(statements)).unwrap();
        assert!(error.contains("n of neuron 0 in `A` became") && error.contains("integers are exact up to 16777216"), "{error}");
    }
    assert_eq!(end(&of("n = (n*110 + 12345) % 104857")), None);
}

/// Rule 3.11.
#[test]
fn a_regular_statement_brings_event_driven_variables_to_its_time() {
    let network = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "A", "size": 2, "equations": "dv/dt = 1/ms : 1", "threshold": "v > 0.35", "reset": "v = 0"}],
        "sources": [{"name": "S", "size": 1, "spike_times_ms": [[0, 0.2]]}],
        "projections": [{"name": "P", "pre": "S", "post": "A", "connect": {"rule": "all"},
            "equations": "w : 1\ndx/dt = -x/ms : 1 (event-driven)\ndy/dt = -y/ms : 1 (event-driven)",
            "on_pre": "x += 1; w += y", "on_post": "y += 1; w += x", "run_regularly": [{"every_ms": 0.3, "statements": "w += 1"}]}],
        "recordings": [{"object": "P", "var": "x", "indices": "all"}, {"object": "P", "var": "y", "indices": "all"}, {"object": "P", "var": "w", "indices": "all"}]});
    samples(&Network::from_json(&network.to_string()).unwrap());
}

/// Rule 3.3: blocks of one step read what is constant over dt as it is before the first of them.
#[test]
fn blocks_of_one_step_read_the_same_held_value() {
    let network = of_population(
        &json!({"equations": "x : 1\ny : 1\nh = x + 1 : 1 (constant over dt)",
                "run_regularly": [{"statements": "x = 10*h"}, {"statements": "y = h"}]}),
        &["x", "y"],
        0.3,
    );
    // h is 1, 11 and 111 before the statements of each step.
    assert_eq!(samples(&network), [10.0, 1.0, 110.0, 11.0, 1110.0, 111.0]);
}

/// Rule 3.11: what is read after a run is what a recording of the last step would show, also of variables that neurons store.
#[test]
fn traces_have_the_value_after_the_last_event_of_the_synapse() {
    let trace = |var: &str| json!({"object": "P", "var": var, "indices": "all"});
    let network = json!({"name": "traces", "dt_ms": 0.1, "duration_ms": 4, "populations": [
            {"name": "A", "size": 3, "equations": "dv/dt = I/ms : 1\nI : 1", "threshold": "v > 1", "reset": "v = 0", "parameters": {"I": [0.7, 1.1, 1.3]}}],
        "projections": [{"name": "P", "pre": "A", "post": "A", "connect": {"rule": "all"}, "delay_ms": 0.3,
            "equations": "w : 1\ndx/dt = -x/(2*ms) : 1 (event-driven)\ndy/dt = (0.3 - y)/(3*ms) : 1 (event-driven)",
            "on_pre": "x += 1; w += y", "on_post": "y += 1; w -= x"}],
        "recordings": [trace("x"), trace("y")]});
    let recorded = Network::from_json(&network.to_string()).unwrap();
    let samples = samples(&recorded);
    // The state at the start of the step after the last one: the end of a run that is one step shorter.
    let last = &samples[samples.len() - 18..];
    for backend in [Box::new(Cpu::new(1)) as Box<dyn Backend>, Box::new(Double::new())] {
        pollster::block_on(async {
            let plain = Network { recordings: Vec::new(), ..recorded.clone() };
            let mut simulation = Simulation::new(&plain, backend).await.unwrap();
            simulation.advance(39).await.unwrap();
            let read = [simulation.values(0, "P.x").await.unwrap(), simulation.values(0, "P.y").await.unwrap()].concat();
            let is_same = read.iter().zip(last).all(|(read, recorded)| (read - f64::from(*recorded)).abs() < 1e-6);
            assert!(is_same && read.iter().any(|x| *x > 0.1), "{read:?} is not {last:?}");
        });
    }
}

/// Rule 3.3 for synapses: also recordings find the value of the step, which follows from the state after the statements.
#[test]
fn synapses_hold_values_over_a_step() {
    let record = |var: &str| json!({"object": "P", "var": var, "indices": "all"});
    let network = json!({"name": "held", "dt_ms": 0.1, "duration_ms": 0.3, "populations": [{"name": "A", "size": 1, "equations": "g : 1"}],
        "projections": [{"name": "P", "pre": "A", "post": "A", "connect": {"rule": "all"},
            "equations": "w : 1\ny : 1\nh = w + 1 : 1 (constant over dt)\ng_post = h : 1 (summed)",
            "run_regularly": [{"statements": "w = 10*h"}, {"statements": "y = h"}]}],
        "recordings": [record("w"), record("y"), record("h"), {"object": "A", "var": "g", "indices": "all"}]});
    let found = samples(&Network::from_json(&network.to_string()).unwrap());
    assert_eq!(found, [10.0, 1.0, 11.0, 0.0, 110.0, 11.0, 111.0, 11.0, 1110.0, 111.0, 1111.0, 111.0]);
}

/// Rules 3.3 and 10.4: a number that is drawn is the same wherever it is used in a step, and another one in the next.
#[test]
fn held_draws_of_synapses_are_those_of_the_step() {
    let record = |var: &str| json!({"object": "P", "var": var, "indices": "all"});
    let network = json!({"name": "held", "dt_ms": 0.1, "duration_ms": 5, "populations": [{"name": "A", "size": 2, "equations": "g : 1"}],
        "projections": [{"name": "P", "pre": "A", "post": "A", "connect": {"rule": "all"},
            "equations": "w : 1\ny : 1\nh = rand() : 1 (constant over dt)\ng_post = h : 1 (summed)",
            "run_regularly": [{"statements": "w = h"}, {"statements": "y = h"}]}],
        "recordings": [record("w"), record("y"), record("h")]});
    let found = samples(&Network::from_json(&network.to_string()).unwrap());
    let steps: Vec<&[f32]> = found.chunks(12).collect();
    assert!(steps.iter().all(|step| step[..4] == step[4..8] && step[..4] == step[8..]), "{steps:?}");
    assert!(steps.windows(2).all(|pair| pair[0][0] != pair[1][0]) && steps[0][0] != steps[0][1], "{steps:?}");
}

/// Rules 3.3 and 6.5: what is constant over dt does not read what an event adds to the variable that it was computed from.
#[test]
fn additions_are_no_assignments_for_a_held_value() {
    let network = Network::from_json(
        r#"{"name": "held", "dt_ms": 0.1, "duration_ms": 0.5, "populations": [{"name": "A", "size": 1,
        "equations": "dv/dt = 2/ms : 1\nh = v : 1 (constant over dt)", "threshold": "v > 0.75 and v < 0.95"}],
        "projections": [{"pre": "A", "post": "A", "pairs": [[0, 0], [0, 0]], "equations": "x : 1",
        "on_pre": "v_post += 0.5; x += h_post"}], "recordings": [{"object": "A", "var": "v", "indices": "all"}]}"#,
    )
    .unwrap();
    let found = samples(&network);
    let expected = [0.0, 0.2, 0.4, 0.6, 1.8];
    assert!(found.iter().zip(expected).all(|(found, expected): (_, f32)| (found - expected).abs() < 1e-5), "{found:?}");
}
