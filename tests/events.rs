#![expect(clippy::needless_pass_by_value, reason = "a test reads best with its JSON in place")]
use serde_json::{Value, json};
use spikelet::{Backend, Cpu, Double, Error, Network, Plan};
use spikelet_tests::{devices, run};

use crate::lockstep::file;

const SIZE: usize = 6;
const STEPS: usize = 40;

/// Neurons whose numbers are exact in f32. The statements of the event must find the state after the reset, and those at regular times the
/// state after both.
fn counters() -> Network {
    let recorded = [("A", "v"), ("A", "n"), ("A", "m"), ("A", "mid"), ("B", "g"), ("B", "h")];
    let recordings = recorded.map(|(object, var)| json!({"object": object, "var": var, "indices": "all"}));
    let network = json!({"name": "counters", "dt_ms": 0.1, "duration_ms": 4, "populations": [
    {"name": "A", "size": SIZE, "equations": "v : 1\nn : 1\nm : 1", "update": "v += 0.0625*(i + 1)",
     "threshold": "v > 1", "reset": "v = 0", "refractory": "0.5*ms",
     "run_regularly": [{"statements": "m = v"}],
     "events": {"mid": {"condition": "v > 0.5", "statements": "n += 1; v -= 0.03125*n"}, "none": {"condition": "v > 1e6", "record": true}}},
    {"name": "B", "size": SIZE, "equations": "g : 1\nh : 1"}],
    "sources": [{"name": "S", "size": 2, "spike_times_ms": [[0, 1]]}],
    "projections": [
        {"name": "stateless", "pre": "A.mid", "post": "B", "connect": {"rule": "one_to_one"}, "on_pre": "g_post += 1", "delay_ms": 0.3},
        {"name": "stateful", "pre": "A.mid", "post": "B", "connect": {"rule": "one_to_one"}, "equations": "c : 1",
         "on_pre": "c = clip(c + 1, 0, 100); h_post += c", "delay_ms": "0.1*ms + 0.1*ms*i"}],
    "recordings": recordings});
    Network::from_json(&network.to_string()).unwrap()
}

/// The samples of all steps, and the steps of the events of each neuron.
fn reference() -> (Vec<f32>, Vec<Vec<u32>>) {
    let (mut samples, mut events) = (Vec::new(), vec![Vec::new(); SIZE]);
    let (mut v, mut n, mut m, mut mid) = ([0.0_f32; SIZE], [0.0_f32; SIZE], [0.0_f32; SIZE], [false; SIZE]);
    let (mut fired, mut last) = ([false; SIZE], [None::<usize>; SIZE]);
    for step in 0..STEPS {
        for i in 0..SIZE {
            if fired[i] {
                v[i] = 0.0;
            }
            if mid[i] {
                n[i] += 1.0;
                v[i] -= 0.03125 * n[i];
            }
            m[i] = v[i];
        }
        samples.extend(v.iter().chain(&n).chain(&m));
        samples.extend(mid.map(f32::from));
        // An event of step e with a delay of d steps is in the variable at the start of step e + d + 1.
        let arrived = |i: usize, delay: usize| events[i].iter().filter(|event| **event as usize + delay < step).count();
        samples.extend((0..SIZE).map(|i| arrived(i, 3) as f32));
        samples.extend((0..SIZE).map(|i| (1..=arrived(i, 1 + i)).sum::<usize>() as f32));
        for i in 0..SIZE {
            v[i] += 0.0625 * (i + 1) as f32;
            fired[i] = v[i] > 1.0 && last[i].is_none_or(|last| step - last >= 5);
            mid[i] = v[i] > 0.5;
            if fired[i] {
                last[i] = Some(step);
            }
            if mid[i] {
                events[i].push(step as u32);
            }
        }
    }
    (samples, events)
}

#[test]
fn events_are_those_of_a_plain_loop() {
    let network = counters();
    let (samples, events) = reference();
    let plan = Plan::new(&network).unwrap();
    let population = |name: &str| plan.populations.iter().find(|of| of.name == name).unwrap().first;
    // The numbers of all others are as without events.
    assert_eq!(["A", "B", "S", "A.mid", "A.none"].map(population), [0, 6, 12, 14, 20]);
    let in_f64 = ("f64", Box::new(Double::new()) as Box<dyn Backend>);
    for (name, device) in devices().into_iter().chain([in_f64]) {
        let done = run(&network, device, 4.0, 7).unwrap();
        assert_eq!(done.samples, samples, "{name}");
        let of_events = (0..SIZE as u32).flat_map(|i| events[i as usize].iter().map(move |step| (step + 1, 14 + i)));
        let mut expected: Vec<(u32, u32)> = of_events.filter(|(step, _)| *step < STEPS as u32).collect();
        expected.sort_unstable();
        let spikes = done.spikes.iter().filter(|spike| spike.neuron >= 14).map(|spike| (spike.step, spike.neuron));
        assert_eq!(spikes.collect::<Vec<_>>(), expected, "{name}");
    }
}

/// Networks with and without events draw the same.
#[test]
fn events_change_no_draws() {
    let (network, mut without) = (file("events"), file("events"));
    without.projections.truncate(2);
    without.recordings.clear();
    without.populations.iter_mut().for_each(|population| population.events.clear());
    let [with, without] = [network, without].map(|network| Plan::new(&network).unwrap());
    for (with, without) in with.projections[..2].iter().zip(&without.projections) {
        assert_eq!((&with.name, &with.edges), (&without.name, &without.edges));
    }
    for (with, without) in with.populations[..3].iter().zip(&without.populations) {
        assert_eq!((&with.name, with.first, with.initial.first()), (&without.name, without.first, without.initial.first()));
    }
    let names: Vec<&str> = with.populations[3..].iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names, ["A.high", "A.low", "B.driven"]);
}

#[test]
fn an_event_of_a_library_model_has_its_names() {
    let text = json!({"name": "lif", "dt_ms": 0.1, "duration_ms": 20, "populations": [
        {"name": "E", "size": 2, "model": "lif", "equations": "n : 1", "parameters": {"I": "500 pA"},
         "events": {"half": {"condition": "v > (El + Vt)/2", "statements": "n += 1"}}}],
        "recordings": [{"object": "E", "var": "n", "indices": [0]}, {"object": "E", "var": "half", "indices": [0]}]});
    let done = run(&Network::from_json(&text.to_string()).unwrap(), Box::new(Cpu::new(1)), 20.0, 50).unwrap();
    let happened: f32 = done.samples.chunks_exact(2).map(|row| row[1]).sum();
    assert_eq!(done.samples[done.samples.len() - 2], happened);
    assert!(happened > 20.0, "{happened}");
}

fn refusal(events: Value, more: Value, projection: Value) -> String {
    let mut a = json!({"name": "A", "size": 4, "equations": "dv/dt = -v/ms : volt\nk : 1 (constant)", "parameters": {"k": 1}, "events": events});
    a.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut of = json!({"pre": "A.low", "post": "A", "connect": {"rule": "all"}, "on_pre": "v_post += 1*mV", "delay_ms": 1});
    of.as_object_mut().unwrap().extend(projection.as_object().unwrap().clone());
    let network = json!({"name": "wrong", "dt_ms": 0.1, "duration_ms": 10, "populations": [a], "projections": [of]});
    let built = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network));
    built.err().map_or_else(|| "it is built".to_owned(), |error: Error| error.to_string())
}

#[test]
fn wrong_events_are_named() {
    let low = || json!({"low": {"condition": "v < -1*mV"}});
    let with = |statements: &str| json!({"low": {"condition": "v < -1*mV", "statements": statements}});
    let named = |name: &str| json!({"low": {"condition": "v < -1*mV"}, name: {"condition": "v > 1*mV"}});
    let none = || json!({});
    let cases = [
        (refusal(low(), none(), none()), "it is built"),
        (refusal(low(), none(), json!({"pre": "A.low[1:3]"})), "it is built"),
        (refusal(low(), none(), json!({"pre": "A.lo"})), "did you mean `A.low`?"),
        (refusal(low(), none(), json!({"post": "A.low"})), "an event can only be `pre`; name its population"),
        (
            refusal(low(), none(), json!({"delay_ms": 0})),
            "projections[0].delay_ms is 0 ms, but an event reaches synapses one step after it",
        ),
        (
            refusal(low(), none(), json!({"delay_ms": {"a": 1}, "on_pre": {"a": "v += 1*mV", "b": "v += 1*mV"}})),
            "use a delay of 0.1 ms or more",
        ),
        (refusal(low(), none(), json!({"delay_ms": "0.05*ms*(j + 1)"})), "it is built"),
        (refusal(with("low = 1"), none(), none()), "`low` is an event"),
        (
            refusal(with("u += 1"), none(), none()),
            "populations[0]: events.low.statements, line 1, column 1: there is no variable `u`",
        ),
        (
            refusal(json!({"low": {"condition": "v"}}), none(), none()),
            "events.low.condition, line 1, column 1: `v` is volt; expected a condition",
        ),
        (refusal(json!({"low": {"condition": " "}}), none(), none()), "populations[0].events.low.condition is empty"),
        (refusal(json!({"low": {}}), none(), none()), "lacks the key `condition`"),
        (refusal(named("v"), none(), none()), "the event `v` has the name of something else"),
        (refusal(named("k"), none(), none()), "populations[0].parameters.k is 1, but it is an event"),
        (refusal(named("a b"), none(), none()), "the name of an event is a name of the equations"),
        (refusal(low(), json!({"threshold": "v > 1*mV", "reset": "low = 0"}), none()), "`low` is an event"),
        (refusal(low(), none(), json!({"on_pre": "low_post += 1"})), "`low` is an event"),
    ];
    let lacking = cases.iter().filter(|(message, part)| !message.contains(part));
    let lacking: Vec<String> = lacking.map(|(message, part)| format!("{message}\nlacks {part}\n")).collect();
    assert!(lacking.is_empty(), "{}", lacking.concat());
}

#[test]
fn events_stay_in_the_file_and_are_judged_while_typing() {
    let mut network = file("events");
    assert_eq!(Network::from_json(&network.to_json()).unwrap(), network);
    for population in 0..2 {
        let found = spikelet::judge::judge(&network, Some(population), &[]);
        assert_eq!((found.population, found.network, found.missing.len()), (vec![], vec![], 0), "population {population}");
    }
    assert_eq!(spikelet::diagnose(&network, spikelet::BuildOptions::default()), []);
    let error = network.set("A.low", "1").unwrap_err().to_string();
    assert!(error.contains("populations[0].parameters.low is 1, but it is an event"), "{error}");
}

/// Every spike and event is in the step in which Brian 2 has it.
#[test]
fn events_are_those_of_brian() {
    let stored: Value = serde_json::from_str(include_str!("events/brian.json")).unwrap();
    let network = Network::from_json(&stored["network"].to_string()).unwrap();
    for (name, device) in devices() {
        let done = run(&network, device, 100.0, 100).unwrap();
        for population in &done.simulation.plan().populations {
            let late = u32::from(population.name == "G.low");
            let of = |neuron: u32| done.spikes.iter().filter(move |spike| spike.neuron == population.first + neuron);
            let steps: Vec<Vec<u32>> = (0..4).map(|neuron| of(neuron).map(|spike| spike.step - late).collect()).collect();
            assert_eq!(json!(steps), stored["steps"][&population.name], "{name}: {}", population.name);
        }
    }
}
