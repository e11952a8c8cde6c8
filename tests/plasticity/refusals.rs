use serde_json::{Value, json};
use spikelet::{Network, Plan, Storage};

/// The sentence with which a projection is refused that differs from one that learns in these keys.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    refusal_of_network(|network| change(&mut network["projections"][0]))
}

/// The same of a network.
fn refusal_of_network(change: impl FnOnce(&mut Value)) -> String {
    let mut network = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "a", "size": 10, "model": "lif_exp"}],
        "projections": [{"name": "aa", "pre": "a", "post": "a", "connect": {"rule": "bernoulli", "p": 0.5},
            "equations": "w : volt\ndx/dt = -x/tau : 1 (event-driven)\ndy/dt = -y/tau : 1 (event-driven)",
            "on_pre": "ge_post += w\nx += 1\nw = clip(w - A*y, low, high)", "on_post": "y += 1\nw = clip(w + A*x, low, high)",
            "parameters": {"tau": "20 ms", "A": "0.1 mV", "low": "0 mV", "high": "2 mV"}, "initial": {"w": "1 mV"}}]});
    change(&mut network);
    let built = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network));
    match built {
        Ok(plan) => format!("built, {} synapses", plan.synapses()),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(message.contains(part), "{message}\nlacks {part}"));
}

#[test]
fn a_network_that_learns_is_built() {
    says(&refusal(|_| ()), &["built, "]);
    // Each bound may differ between synapses, as long as they are in order.
    says(&refusal(|it| it["parameters"]["high"] = json!({"expr": "(1 + rand())*mV"})), &["built, "]);
}

#[test]
fn bounds_in_the_wrong_order() {
    let message = refusal(|it| it["parameters"]["low"] = json!("3 mV"));
    says(&message, &["projections[0]", "the bounds of `clip` are reversed", "low = 3 mV", "high = 2 mV", "clip(x, low, high)"]);
    // One synapse is enough.
    let message = refusal(|it| it["parameters"]["high"] = json!({"expr": "(rand() - 0.5)*mV"}));
    says(&message, &["are reversed", "low = 0 mV", "high = -0."]);
    let message = refusal(|it| it["on_post"] = json!("w = clip(w, 1*mV, -1*mV)"));
    says(&message, &["are reversed", "the lower one, 1,", "the upper one, -1"]);
}

#[test]
fn variables_that_do_not_exist_or_measure_something_else() {
    let message = refusal(|it| it["on_post"] = json!("y += 1\nw = clip(w + A*z, low, high)"));
    says(&message, &["on_post", "line 2, column 16", "`z`"]);
    let message = refusal(|it| it["on_post"] = json!("w = clip(w + A*calcium_post, low, high)"));
    says(&message, &["on_post", "line 1, column 16", "`calcium_post`"]);
    let message = refusal(|it| it["on_post"] = json!("w = clip(w + x, low, high)"));
    says(&message, &["on_post", "line 1, column 10", "volt"]);
    let message = refusal(|it| it["on_post"] = json!("ge_pre += w"));
    says(&message, &["on_post", "only a number or an expression of constants can be added to `ge_pre`"]);
    let message = refusal(|it| it["on_post"] = json!("ge_pre = w"));
    says(
        &message,
        &["on_post", "`ge_pre`", "a synapse cannot change its presynaptic neuron", "a projection in the opposite direction"],
    );
    let message = refusal(|it| it["equations"] = json!("w : volt (plastic)\nx : 1 (plastic)\ny : 1"));
    says(&message, &["built, "]);
    let message = refusal(|it| it["equations"] = json!("w : volt\nx : 1\ny : 1\nu : 1 (plastic)"));
    says(&message, &["`u` is flagged plastic, but nothing changes it"]);
}

#[test]
fn synapses_that_hear_post_spikes_are_stored() {
    let procedural = serde_json::to_value(Storage::Procedural).unwrap();
    let message = refusal(|it| it["storage"] = procedural);
    says(&message, &["projections[0].storage", "procedural", "its synapses have state", "use \"stored\", or remove it"]);
    let message = refusal(|it| it["delay_post_ms"] = json!({"late": 1}));
    says(&message, &["projections[0].delay_post_ms.late", "there is no pathway `late`", "`post`"]);
    let message = refusal(|it| it["delay_post_ms"] = json!(-1));
    says(&message, &["projections[0].delay_post_ms", "-1"]);
}

#[test]
fn statistics_of_traces() {
    let statistic = |var: &str| refusal_of_network(|it| it["statistics"] = json!([{"object": "aa", "var": var, "every_ms": 1}]));
    // They are then stored in each synapse.
    for var in ["w", "x"] {
        says(&statistic(var), &["built, "]);
    }
}

#[test]
fn plasticity_of_synapses_that_learn_nothing() {
    let message = refusal(|it| {
        it["equations"] = json!("dw/dt = (1*mV - w)/tau : volt (event-driven)");
        it["on_pre"] = json!("ge_post += w\nw *= 0.5");
        it["on_post"] = Value::Null;
        it["parameters"] = json!({"tau": "20 ms", "plasticity": 0});
    });
    says(
        &message,
        &[
            "projections[0].parameters.plasticity is 0",
            "it controls plasticity, and these synapses are not plastic",
            "(event-driven, plastic)",
        ],
    );
}
