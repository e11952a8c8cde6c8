use serde_json::{Value, json};

use crate::{Change, Cpu, Error, Network, Plan, Quantity, Simulation, notices};

/// Two cells and a source, with what is given beside them.
fn text(more: &Value) -> String {
    let mut network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 100,
        "populations": [{"name": "E", "size": 4, "model": "lif", "parameters": {"I": "0 pA"}},
                        {"name": "own", "size": 2, "equations": "dx/dt = (a - x)/tau : 1\na : 1 (constant)\ntau : second (constant)",
                         "parameters": {"a": 1, "tau": "10 ms"}}],
        "sources": [{"name": "P", "type": "poisson", "size": 5, "rate": "10 Hz"},
                    {"name": "S", "size": 2, "spike_times_ms": [[0, 1]]},
                    {"name": "B", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 10, "rate": "1 Hz", "weight": "1 mV"}],
        "projections": [{"name": "PE", "pre": "P", "post": "E", "connect": {"rule": "bernoulli", "p": 0.5}, "on_pre": "v_post += w",
                         "parameters": {"w": "1 mV"}, "delay_ms": 1}]
    });
    network.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    network.to_string()
}

fn changes(changes: &Value) -> String {
    text(&json!({"changes": changes}))
}

/// The sentence with which a network is refused before anything runs.
fn refusal(text: &str) -> String {
    let error = Network::from_json(text).and_then(|network| Plan::new(&network)).expect_err(text);
    assert!(error.is_bad_input(), "{error}");
    error.to_string()
}

#[test]
fn a_protocol_comes_back_from_json() {
    let more = json!({"changes": [{"at_ms": 50.0, "set": {"E.I": "200 pA", "own.a": 2.0, "E.R": {"expr": "100*MΩ"}}}],
                      "stop": ["spikes > 10", "rate(E, 50 ms) > 100 Hz"]});
    let network = Network::from_json(&text(&more)).unwrap();
    assert_eq!(network.changes[0].set["own.a"], Quantity::Number(2.0));
    assert_eq!(network.changes[0].set.keys().collect::<Vec<_>>(), ["E.I", "own.a", "E.R"]);
    assert_eq!(Network::from_json(&network.to_json()).unwrap(), network);
    assert!(notices(&network).is_empty());
    let plain = Network::from_json(&text(&json!({}))).unwrap().to_json();
    assert!(!plain.contains("\"changes\"") && !plain.contains("\"stop\""));
}

#[test]
fn changes_are_sorted_by_time_and_keep_the_order_of_the_file() {
    let network = Network::from_json(&changes(&json!([
        {"at_ms": 50, "set": {"E.I": 3}}, {"at_ms": 10, "set": {"E.I": 1, "own.a": 2}}, {"at_ms": 50, "set": {"E.I": 4}}
    ])));
    let dues: Vec<_> = network.unwrap().schedule().into_iter().map(|due| (due.step, due.path, due.value)).collect();
    let expected = [(100, "E.I", "1"), (100, "own.a", "2"), (500, "E.I", "3"), (500, "E.I", "4")];
    assert_eq!(dues, expected.map(|(step, path, value)| (step, path.to_owned(), value.to_owned())));
}

#[test]
fn what_is_rounded_or_never_happens_is_told() {
    let more = json!({
        "changes": [{"at_ms": 12.34, "set": {"E.I": 1}}, {"at_ms": 100, "set": {"E.I": 1}}, {"at_ms": 99.9, "set": {"E.I": 2}}],
        "stop": ["rate(E, 5 ms) > 1 Hz", "rate(0.25 ms) > 1 Hz"]
    });
    let network = Network::from_json(&text(&more)).unwrap();
    let notices = notices(&network);
    assert_eq!(
        notices.iter().map(|notice| notice.path.as_str()).collect::<Vec<_>>(),
        ["changes[0].at_ms", "changes[1].at_ms", "stop[1]"]
    );
    assert_eq!(
        notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "changes[0].at_ms is 12.34 ms, which is not a multiple of dt_ms, 0.1: the change happens at 12.3 ms",
            "changes[1].at_ms is 100 ms, but the run ends at 100 ms: the change never happens",
            "the window of stop[1] is 0.25 ms, which is not a multiple of dt_ms, 0.1: it is rounded to 0.3 ms",
        ]
    );
}

#[test]
fn changes_that_cannot_be_are_refused_before_anything_runs() {
    let one = |path: &str, value: Value| changes(&json!([{"at_ms": 5, "set": {"E.I": 1}}, {"at_ms": 5, "set": {path: value}}]));
    let place = |path: &str| format!("changes[1].set[\"{path}\"]");
    for (path, value, said) in [
        ("F.I", json!(1), "there is no population, source or projection `F`; there are `E`, `own`, `P`, `S`, `B`, `PE`"),
        ("owm.a", json!(1), "there is no population, source or projection `owm`; did you mean `own`?"),
        ("E.taum", json!(1), "did you mean `tau`?"),
        ("own.ta", json!(1), "there is no `own` parameter `ta`; did you mean"),
        ("PE.W2", json!("1 mV"), "there is no `PE` parameter `W2`"),
        ("E.I", json!("1 mV"), "must be a current, such as 200 pA"),
        ("E.I", json!("much"), "`much` is not defined."),
        ("E.I", json!([1, 2]), "there are 4 neurons"),
        ("E.tau", json!(0), "the time constant `tau` must be above 0"),
        ("E.I", json!({"expr": "i*pA"}), "sizes and the code of steps cannot change during a run"),
        ("E", json!(1), "for example E.I"),
        ("E.size", json!(3), "sizes and the code of steps cannot change during a run"),
        ("P.size", json!(3), "sizes and the code of steps cannot change during a run"),
        ("P.rate", json!(-1), "a rate must be 0 or more"),
        ("S.spike_times_ms", json!([1, 2]), "a list of two, a neuron and a time in ms, is expected"),
        ("B.rate", json!("3 Hz"), "write its rate as a function of time"),
        ("PE.p", json!(0.2), "connectivity cannot change during a run"),
        ("PE.max_indegree", json!(2), "connectivity cannot change during a run"),
        ("PE.delay_ms", json!(2), "delays cannot change during a run"),
        ("dt_ms", json!(0.2), "dt_ms cannot change during a run"),
        ("seed", json!(2), "seed cannot change during a run"),
        ("duration_ms", json!(2), "duration_ms cannot change during a run"),
    ] {
        let sentence = refusal(&one(path, value));
        assert!(sentence.starts_with(&place(path)) && sentence.contains(said), "{path}: {sentence}");
    }
    for (change, said) in [
        (json!({"at_ms": -1, "set": {"E.I": 1}}), "changes[0].at_ms is -1, but the time of a change must be"),
        (json!({"at_ms": 1e9, "set": {"E.I": 1}}), "changes[0].at_ms is 1000000000, but a run has at most 2147483647 steps"),
        (json!({"at_ms": 1, "set": {}}), "changes[0].set is empty, but"),
        (json!({"at_ms": 1}), "lacks the key `set`; add it, as in \"set\": {\"E.I\": \"200 pA\"}"),
        (json!({"set": {"E.I": 1}}), "lacks the key `at_ms`; add it, as in \"at_ms\": 500"),
        (json!({"at_ms": 1, "sett": {}}), "changes[0] (line 1) has an unknown key `sett`; did you mean `set`?"),
    ] {
        let sentence = refusal(&changes(&json!([change])));
        assert!(sentence.contains(said), "{sentence}");
    }
}

/// A later change is judged with the earlier ones made.
#[test]
fn changes_are_checked_in_their_order() {
    let two = |first: &str, second: &str| {
        changes(&json!([{"at_ms": 9, "set": {"E.Vr": second}}, {"at_ms": 5, "set": {"E.Vt": first}}]))
    };
    assert!(Network::from_json(&two("-20 mV", "-30 mV")).and_then(|network| Plan::new(&network)).is_ok());
    let sentence = refusal(&two("-50 mV", "-30 mV"));
    assert!(sentence.starts_with("changes[0].set[\"E.Vr\"]: populations[0].threshold is"), "{sentence}");
}

#[test]
fn conditions_that_cannot_be_read_are_refused_with_their_column() {
    for (condition, said) in [
        ("", "stop[1]: condition: a condition must begin with `spikes` or `rate`, found nothing."),
        ("spike > 3", "column 1: a condition must begin with `spikes` or `rate`, found `spike`. Did you mean `spikes`?"),
        ("spikes", "column 7: expected a comparison, found the end."),
        ("spikes = 3", "column 8: expected a comparison, found `=`."),
        ("spikes >", "column 9: expected a limit, found the end."),
        ("spikes > 3 Hz", "column 10: `3 Hz` is a frequency; spikes must be compared with a number."),
        ("spikes > x", "column 10: `x` is not defined."),
        ("spikes > -3", "column 10: `-3` is negative, and a number of spikes is not."),
        (
            "spikes < 3",
            "column 1: the number of spikes starts at 0 and only increases: this condition is true from the first step on.",
        ),
        ("spikes(F) > 3", "column 8: there is no population or source `F`. There are `E`, `own`, `P`, `S`."),
        ("spikes(onw) > 3", "column 8: there is no population or source `onw`. Did you mean `own`?"),
        ("spikes(B) > 3", "column 8: there is no population or source `B`."),
        ("spikes(E, own) > 3", "column 11: `spikes` takes the name of one population or source, found 2."),
        ("spikes(E > 3", "column 7: this parenthesis is never closed."),
        ("rate > 3 Hz", "column 1: `rate` takes an averaging time, and before it optionally the name of a population or source."),
        ("rate(E) > 3 Hz", "column 6: `E` is"),
        ("rate(5 mV) > 3 Hz", "column 6: `5 mV` is a voltage; it must be a time, such as 50 ms."),
        ("rate(E, 0.01 ms) > 3 Hz", "column 9: `0.01 ms` is 0 steps of 0.1 ms; expected 1 to 2147483647."),
        ("rate( E , 5 mss ) > 3 Hz", "column 13: "),
        ("rate(5 ms) > 3", "column 14: `3` is a pure number; a rate must be compared with a rate."),
        ("rate(5 ms) > 3 Hz or spikes > 2", "column"),
    ] {
        let sentence = refusal(&text(&json!({"stop": ["spikes >= 1", condition]})));
        assert!(sentence.starts_with("stop[1]: condition, line 1, column") || condition.is_empty(), "{sentence}");
        assert!(sentence.contains(said), "{condition}\nexpected: {said}\n     got: {sentence}");
    }
}

/// What can be known only once it happens is said with its time, and leaves the run where it was.
#[test]
fn a_change_that_fails_when_it_happens_says_when() {
    let network = Network::from_json(&changes(&json!([{"at_ms": 5, "set": {"PE.w": "1 mV"}}]))).unwrap();
    let plan = std::sync::Arc::new(Plan::new(&network).unwrap());
    let mut other = network.clone();
    other.changes[0].set.insert("E.I".into(), "1 mV".into());
    let error = pollster::block_on(async {
        let mut simulation = Simulation::with_plan(&other, plan, Box::new(Cpu::new(1))).await.unwrap();
        simulation.advance(50).await.unwrap();
        let error = simulation.advance(1).await.expect_err("a current is no voltage");
        assert_eq!((simulation.step(), simulation.changed().len()), (50, 0));
        error
    });
    assert!(matches!(error, Error::Model { .. }), "{error}");
    assert!(error.to_string().starts_with("changes[0].set[\"E.I\"], at 5 ms: "), "{error}");
}

#[test]
fn a_change_is_read_from_a_line_and_written_back() {
    for (line, written) in [
        ("500 ms: E.I = {\"expr\": \"1\"}", "500 ms: E.I = {\"expr\":\"1\"}"),
        ("0.5*second:E.I=200 pA", "500 ms: E.I = 200 pA"),
        ("500:E.I=3.5", "500 ms: E.I = 3.5"),
    ] {
        let change: Change = line.parse().unwrap();
        assert_eq!(change.lines().collect::<Vec<_>>(), [written]);
        assert_eq!(written.parse(), Ok(change), "{line}");
    }
    for (line, said) in [
        ("E.I=3", "the change is \"E.I=3\", but a change has the form time, `:`, path, `=`, value"),
        ("5 mV: E.I=3", "a change needs a time, and 5 mV is volt"),
        ("5 mss: E.I=3", "the change, line 1, column"),
        ("5 ms: E.I", "a change has the form time, `:`, path, `=`, value"),
        ("5 ms: = 3", "a change has the form time, `:`, path, `=`, value"),
    ] {
        let message = line.parse::<Change>().unwrap_err().to_string();
        assert!(message.contains(said), "{line}: {message}");
    }
}

/// A weight that a model of the library gives its initial value.
#[test]
fn a_weight_that_is_set_reaches_the_synapses_whatever_their_model_starts_them_with() {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "E", "size": 4, "equations": "ds_exc/dt = -s_exc/(5*ms) : 1", "threshold": "s_exc > 10"}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "all"}, "model": "hebb_decay"}]
    });
    let network = Network::from_json(&network.to_string()).unwrap();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        simulation.set("EE.w", "0.25").await.unwrap();
        assert!(simulation.values(0, "EE.w").await.unwrap().iter().all(|weight| *weight == 0.25));
        simulation.reset(0).await.unwrap();
        assert!(simulation.values(0, "EE.w").await.unwrap().iter().all(|weight| *weight == 0.25));
    });
    // Whichever way it is written.
    let mut written = network.clone();
    written.set("EE.w", "0.25").unwrap();
    let plan = Plan::new(&written).unwrap();
    assert_eq!(plan.projections[0].state.as_ref().unwrap().arrays[0].initial(0), 0.25);
}
