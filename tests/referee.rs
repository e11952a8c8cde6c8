use serde_json::{Value, json};
use spikelet::{Activity, Network, Plan};
use spikelet_reference::{Error, Reference};
use spikelet_verify::{Outcome, Record, corpus};

use crate::from_brian::{Observed, differences, examples};

/// Steps of neurons up to which a network is short enough here.
const LONG: f64 = 1e6;

/// Runs a network by the rules: each neuron or synapse of a recording is a channel.
fn observed(network: &Network, steps: u32) -> Result<Observed, Error> {
    let mut reference = Reference::new(network)?;
    reference.run(steps)?;
    let recordings: Vec<_> = (0..network.recordings.len()).map(|recording| reference.recording(recording)).collect();
    let row = |step: usize| recordings.iter().flat_map(move |rows| rows[step].1.iter().copied());
    let labels = Plan::new(network)?.channels.iter().map(|channel| channel.label.clone()).collect();
    let samples = (0..steps as usize).flat_map(row).collect();
    Ok(Observed { spikes: reference.spikes().to_vec(), labels, samples })
}

#[test]
fn the_corpus_passes_by_the_rules() {
    let mut failures = Vec::new();
    let (mut passed, cases) = (0, corpus().unwrap_or_else(|malformed| panic!("{malformed}")));
    for case in cases.iter().filter(|case| !case.is_statistical()) {
        let network = case.network();
        let neurons: u32 = network.populations.iter().map(|of| of.size).sum();
        let steps = (network.duration_ms / network.dt_ms).round();
        // Those that are not valid have no plan.
        if case.family == "invalid" || steps * f64::from(neurons) > LONG {
            continue;
        }
        let done = Plan::new(&network).map_err(Error::from).and_then(|plan| {
            // The sample of a step more is the state at the end.
            let Observed { spikes, samples, .. } = observed(&network, steps as u32 + 1)?;
            let mut record = Record::new(case, &plan);
            let samples = samples.iter().map(|value| *value as f32).collect();
            record.add(0, &Activity { spikes, samples, ..Activity::default() });
            Ok(case.judge(&[record]))
        });
        match done {
            Ok(verdict) if verdict.outcome == Outcome::Passed => passed += 1,
            Ok(verdict) => failures.push(verdict.to_string()),
            Err(error) => failures.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(failures.is_empty() && passed >= 50, "{passed} pass; {}", failures.join("\n"));
}

#[test]
fn examples_have_the_results_of_brian_by_the_rules() {
    let mut compared = 0;
    for (name, network, reference) in examples() {
        let steps = (network.duration_ms / network.dt_ms).round();
        let neurons: u32 = network.populations.iter().map(|of| of.size).sum();
        // Rates are means over seeds, of long runs.
        if reference["rates_hz"].as_object().is_some_and(|rates| !rates.is_empty()) || steps * f64::from(neurons) > LONG {
            continue;
        }
        compared += 1;
        let done = observed(&network, steps as u32).unwrap_or_else(|error| panic!("{name}: {error}"));
        let differ = differences(&network, &done, &reference);
        assert!(differ.is_empty(), "{name}: {}", differ.join("\n"));
    }
    assert!(compared >= 4, "{compared} examples");
}

fn network(description: &Value) -> Network {
    let mut whole = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 10});
    whole.as_object_mut().unwrap().extend(description.as_object().unwrap().clone());
    Network::from_json(&whole.to_string()).unwrap()
}

/// The values of `C.x` after this many steps.
#[expect(clippy::needless_pass_by_value, reason = "written where it is called")]
fn after(steps: u32, description: Value) -> Vec<f64> {
    let mut reference = Reference::new(&network(&description)).unwrap();
    reference.run(steps).unwrap();
    reference.values("C", "x").unwrap()
}

/// A spike of `S` at 1 ms.
fn spike() -> Value {
    json!([{"name": "S", "size": 1, "spike_times_ms": [[0, 1]]}])
}

#[test]
fn a_weight_acts_when_the_spike_arrives() {
    for state in ["", "\nz = 1"] {
        let x = after(
            62,
            json!({"sources": spike(), "populations": [{"name": "C", "size": 1, "equations": "x : 1"}],
            "projections": [{"name": "P", "pre": "S", "post": "C", "connect": {"rule": "all"},
                "equations": "w : 1 (constant)\nz : 1", "on_pre": format!("x_post += w{state}"), "parameters": {"w": 1}, "initial": {"z": 0}, "delay_ms": 5}],
            "changes": [{"at_ms": 3, "set": {"P.w": 10}}]}),
        );
        assert_eq!(x, [10.0], "{state}");
    }
}

#[test]
fn integers_are_cut_off_towards_zero() {
    let of = |statements: &str| {
        after(
            1,
            json!({"populations": [{"name": "C", "size": 1, "equations": "x : integer", "run_regularly": [{"statements": statements}]}]}),
        )
    };
    assert_eq!([of("x = 7/2"), of("x = -7/2"), of("x = 2.7; x += 1.5")], [[3.0], [-3.0], [3.0]]);
}

#[test]
fn sums_leave_neurons_outside_of_their_slice_alone() {
    let x = after(
        2,
        json!({
        "populations": [{"name": "D", "size": 1, "equations": "y : 1"}, {"name": "C", "size": 3, "equations": "x : 1", "initial": {"x": 7}}],
        "projections": [{"name": "P", "pre": "D", "post": "C[1:3]", "pairs": [[0, 1]], "equations": "x_post = 2 : 1 (summed)"}]}),
    );
    assert_eq!(x, [7.0, 2.0, 0.0]);
}

#[test]
fn columns_of_timed_arrays_are_not_clamped() {
    let of = |column: &str| {
        // A value of the state is known in the run alone.
        let mut reference = Reference::new(&network(
            &json!({"populations": [{"name": "C", "size": 3, "equations": format!("x = I(t, {column} + 0*v) : 1\nv : 1"), "update": "v = 0*t/ms",
            "parameters": {"I": {"timed": [[1, 2, 3]], "dt": "1 ms", "unit": "1"}}}],
            "recordings": [{"object": "C", "var": "x", "indices": "all"}]}),
        ))
        .map_err(|error| error.to_string())?;
        reference.run(1).map(|()| reference.recording(0)[0].1.clone()).map_err(|error| error.to_string())
    };
    assert_eq!(of("2 - i"), Ok(vec![3.0, 2.0, 1.0]));
    for column in ["i + 1", "i - 1", "0.6"] {
        let error = of(column).unwrap_err();
        assert!(error.contains("columns 0 to 2"), "{column}: {error}");
    }
}

#[test]
fn what_is_not_a_number_stays_so() {
    let x = after(
        1,
        json!({"populations": [{"name": "C", "size": 1, "equations": "x : 1\nb : 1",
        "run_regularly": [{"statements": "b = 0*t/ms\nx = 0*x/b"}]}]}),
    );
    assert!(x[0].is_nan(), "{x:?}");
}

/// x' = −x/τ + I: x(t) = I·τ·(1 − e^(−t/τ)), by each method to its order.
#[test]
fn methods_have_their_order() {
    let exact = 2.0 * 5.0 * (1.0 - (-10.0_f64 / 5.0).exp());
    for (method, most) in
        [("exact", 1e-13), ("exponential_euler", 1e-13), ("rk4", 1e-8), ("rk2", 1e-3), ("heun", 1e-3), ("euler", 0.1)]
    {
        let x = after(
            100,
            json!({"populations": [{"name": "C", "size": 1, "equations": "dx/dt = -x/tau + I : 1", "method": method,
            "parameters": {"tau": "5 ms", "I": "2/ms"}}]}),
        );
        assert!((x[0] - exact).abs() < most, "{method}: {x:?}, exactly {exact}");
    }
}

#[test]
fn the_simulator_does_what_the_rules_say() {
    let coba = json!({"sources": [{"name": "S", "type": "poisson", "size": 20, "rate": "200 Hz"}],
        "populations": [{"name": "C", "size": 5, "equations": "dv/dt = (ge*(0*mV - v) + (-60*mV - v))/(20*ms) : volt (unless refractory)\ndge/dt = -ge/(5*ms) : 1",
            "threshold": "v > -50*mV", "reset": "v = -60*mV", "refractory": "2*ms", "initial": {"v": {"expr": "-60*mV + 5*mV*rand()"}}}],
        "projections": [{"name": "P", "pre": "S", "post": "C", "connect": {"rule": "bernoulli", "p": 0.5},
            "equations": "w : 1\ndapre/dt = -apre/(20*ms) : 1 (event-driven)\ndapost/dt = -apost/(20*ms) : 1 (event-driven)",
            "on_pre": "ge_post += w; apre += 0.01; w = clip(w + apost, 0, 1)", "on_post": "apost -= 0.012; w = clip(w + apre, 0, 1)",
            "initial": {"w": {"expr": "0.2*rand()"}}, "delay_ms": {"expr": "rand()*ms"}}]});
    let agreement = Reference::compare(&network(&coba)).unwrap();
    assert!(agreement.difference.is_none() && agreement.spikes > 20, "{agreement}");
}

/// Requires that spikes and values of each step are those by the rules.
fn agrees(description: &Value) {
    let agreement = Reference::compare(&network(description)).unwrap();
    assert!(agreement.difference.is_none(), "{agreement}");
}

/// Rules 5.2 to 5.4: refractoriness changes at the start of a step and with a spike, and what says it finds that of the step before.
#[test]
fn refractoriness_does_not_change_within_a_step() {
    let cells = |more: Value| {
        let mut cells = json!({"name": "A", "size": 8, "threshold": "v > 0.8", "parameters": {"I": [1.19, 2.61, 1.73, 1.07, 3.2, 0.953, 1.37, 1.27]},
            "equations": "dv/dt = I/ms : 1 (unless refractory)\ndg/dt = 0.4/ms : 1\nI : 1\nq = int(not not_refractory) : 1"});
        cells.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        cells
    };
    let rules = [
        json!({"refractory": "q > 0.4", "reset": "v = 0"}),
        json!({"refractory": "g*ms", "reset": "v = 0; g = 0.2*q"}),
        json!({"refractory": "g*ms", "reset": "g += 0.5", "run_regularly": [{"every_ms": 0.3, "statements": "v -= 0.1; g -= 0.1*q"}]}),
        json!({"refractory": "(0.2 + 0.3*g)*ms*q + 0.1*ms", "reset": "v -= 0.7",
            "events": {"e": {"condition": "g > 0.6", "statements": "g = 0"}}}),
    ];
    for rule in rules {
        agrees(
            &json!({"populations": [cells(rule)], "sources": [{"name": "S", "size": 3, "spike_times_ms": [[0, 0.3], [1, 0.5], [2, 0.7], [1, 0.9]]}],
            "projections": [
                {"name": "P", "pre": "S", "post": "A", "connect": {"rule": "all"}, "on_pre": "v_post += 0.05; g_post += 0.2"},
                {"name": "Q", "pre": "A", "post": "A", "connect": {"rule": "all"}, "equations": "w : 1", "on_pre": "v_post *= 0.9; g_post = w; w += 0.1"},
            ]}),
        );
    }
}

/// Rule 3.1: what a pathway has assigned to its target is not read as a value of the other ends, even if they are the same neuron.
#[test]
fn a_pathway_reads_other_ends_as_before_the_event() {
    let cells = json!({"name": "A", "size": 3, "equations": "v : 1\ng : 1\nz : 1", "threshold": "v > 0.9", "reset": "v -= 0.3",
        "initial": {"v": {"expr": "1 + i"}}});
    let texts = [
        "z_post = g_pre - 0.17; g_post += z_pre",
        "g_post = w; g_post += g_third + 1; z_post = z_third + g_pre; v_post = v_pre + z_third",
    ];
    for text in texts {
        agrees(
            &json!({"populations": [cells], "projections": [{"name": "P", "pre": "A", "post": "A", "connect": {"rule": "all"},
            "third": {"population": "A", "index": "(i + j) % 3"}, "equations": "w : 1", "on_pre": text, "on_post": "g_post += w", "initial": {"w": 2.3}}]}),
        );
    }
}

/// Rules 7.2 and 7.3 in f64: values that f32 does not tell apart act, and weights whose unit changes by the same factor.
#[test]
fn each_value_that_is_set_acts_in_f64() {
    let network = |path: &str, value: f64| {
        let set = if path == "A.h" { json!({"expr": format!("{value}*(1 + 0.5*i)")}) } else { json!(value) };
        let number = |of: &str, start: f64| if of == path { start } else { 0.3 };
        let each = |of: &str, start: f64| json!({"expr": format!("{}*(1 + 0.5*i)", number(of, start))});
        json!({"sources": [{"name": "S", "size": 2, "spike_times_ms": [[0, 0.5], [1, 0.6], [0, 2.5], [1, 2.6]]}],
            "populations": [{"name": "A", "size": 2, "equations": "dv/dt = (I + k*i + 0.3*u - v)/(3*ms) : 1\ndg/dt = -g/(2*ms) : 1\nI : 1\nk : 1 (constant)\nu : 1\nh : 1",
                "run_regularly": [{"statements": "g += 0.31*h"}], "parameters": {"I": number("A.I", 0.1), "k": number("A.k", 0.1)},
                "initial": {"u": number("A.u", 0.1), "h": each("A.h", 0.1)}}],
            "projections": [
                {"name": "P", "pre": "S", "post": "A", "connect": {"rule": "all"}, "equations": "w : 1 (constant)", "on_pre": "g_post += w",
                 "parameters": {"w": number("P.w", 1.0)}, "delay_ms": 0.3},
                {"name": "Q", "pre": "S", "post": "A", "connect": {"rule": "all"}, "equations": "w : 1 (constant)", "on_pre": "v_post += w",
                 "parameters": {"w": each("Q.w", 1.0)}, "delay_ms": 0.3},
                {"name": "R", "pre": "S", "post": "A", "connect": {"rule": "all"}, "equations": "w : 1\nf : 1 (constant)", "on_pre": "w += f; v_post += w",
                 "parameters": {"f": number("R.f", 0.1)}, "initial": {"w": number("R.w", 0.1)}, "delay_ms": 0.3}],
            "recordings": [{"object": "A", "var": "v", "indices": "all"}, {"object": "A", "var": "g", "indices": "all"}],
            "changes": [{"at_ms": 2, "set": {path: set}}]})
    };
    for (path, start) in
        [("A.I", 0.1), ("A.k", 0.1), ("A.u", 0.1), ("A.h", 0.1), ("P.w", 1.0), ("Q.w", 1.0), ("R.f", 0.1), ("R.w", 0.1)]
    {
        for factor in [4.0, 0.25, 1.0 + f64::EPSILON * 4096.0, -1.0] {
            agrees(&network(path, start * factor));
        }
    }
}
