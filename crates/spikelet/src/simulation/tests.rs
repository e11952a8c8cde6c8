use serde_json::{Value, json};

use super::*;
use crate::{Cpu, Quantity, Spike};

/// Excitable cells under random input, with what is given beside them.
fn network(more: &Value) -> Network {
    let mut network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 100, "seed": 4,
        "populations": [{"name": "E", "size": 30, "equations": "dv/dt = (I - v)/tau : 1\nI : 1 (constant)", "threshold": "v > 1",
                         "reset": "v = 0", "parameters": {"tau": "10 ms", "I": 1.2}, "initial": {"v": {"expr": "rand()"}}}],
        "sources": [{"name": "P", "type": "poisson", "size": 5, "rate": "20 Hz"}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
                         "parameters": {"w": 0.02}, "delay_ms": 1},
                        {"name": "PE", "pre": "P", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
                         "parameters": {"w": 0.1}, "delay_ms": 1}],
        "recordings": [{"object": "E", "var": "v", "indices": [0, 1]}]
    });
    network.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Network::from_json(&network.to_string()).unwrap()
}

fn changes() -> Value {
    json!({"changes": [
        {"at_ms": 40, "set": {"E.I": 0.5, "EE.w": 0.4}}, {"at_ms": 0, "set": {"E.I": 1.6}},
        {"at_ms": 12.3, "set": {"P.rate": "400 Hz", "E.tau": "5 ms"}}, {"at_ms": 100, "set": {"E.I": 9}}
    ]})
}

/// Runs in calls of `batch` steps until `steps` are done or a condition holds.
async fn go_on(simulation: &mut Simulation, steps: u32, batch: u32) -> Activity {
    let mut all = Activity::default();
    while simulation.step() < steps && simulation.stopped().is_none() {
        let part = simulation.advance(batch.min(steps - simulation.step())).await.unwrap();
        all.spikes.extend(part.spikes);
        all.samples.extend(part.samples);
        all.statistics.extend(part.statistics);
    }
    all
}

fn run(network: &Network, steps: u32, batch: u32) -> (Activity, Simulation) {
    pollster::block_on(async {
        let mut simulation = Simulation::new(network, Box::new(Cpu::new(2))).await.unwrap();
        (go_on(&mut simulation, steps, batch).await, simulation)
    })
}

#[test]
fn changes_happen_at_their_time_whatever_the_length_of_a_batch() {
    let network = network(&changes());
    let (whole, simulation) = run(&network, 1000, 1000);
    let done: Vec<_> = simulation.changed().iter().map(|changed| (changed.step, changed.path.as_str())).collect();
    assert_eq!(done, [(0, "E.I"), (123, "P.rate"), (123, "E.tau"), (400, "E.I"), (400, "EE.w")]);
    assert_eq!(simulation.network().populations[0].parameters["I"], Quantity::Number(0.5));
    for batch in [1, 7, 123, 124, 400, 999] {
        let (parts, other) = run(&network, 1000, batch);
        assert!(parts == whole, "batches of {batch}");
        assert_eq!(other.changed(), simulation.changed());
    }
}

#[test]
fn a_change_is_what_set_makes_at_that_time() {
    let changing = network(&changes());
    let plain = network(&json!({}));
    let by_hand = pollster::block_on(async {
        let mut simulation = Simulation::new(&plain, Box::new(Cpu::new(1))).await.unwrap();
        let mut all = Activity::default();
        let sets: [(u32, &[(&str, &str)]); 3] = [
            (0, &[("E.I", "1.6")]),
            (123, &[("P.rate", "400 Hz"), ("E.tau", "5 ms")]),
            (400, &[("E.I", "0.5"), ("EE.w", "0.4")]),
        ];
        for ((step, values), end) in sets.into_iter().zip([123, 400, 1000]) {
            for (path, value) in values {
                simulation.set(path, value).await.unwrap();
            }
            let part = simulation.advance(end - step).await.unwrap();
            all.spikes.extend(part.spikes);
            all.samples.extend(part.samples);
            all.statistics.extend(part.statistics);
        }
        all
    });
    let (by_itself, _) = run(&changing, 1000, 1000);
    assert!(by_itself == by_hand);
    assert_ne!(by_itself.spikes, run(&plain, 1000, 1000).0.spikes);
}

/// Nothing moves before the change: from it on all is as in a network that began with the value.
#[test]
fn a_change_at_0_is_a_network_built_with_the_value() {
    let changing = network(&json!({"changes": [{"at_ms": 0, "set": {"E.I": 2}}]}));
    let mut built = network(&json!({}));
    built.set("E.I", "2").unwrap();
    assert!(run(&changing, 300, 50).0 == run(&built, 300, 300).0);
}

#[test]
fn reset_starts_the_protocol_anew_and_keeps_what_was_set_by_hand() {
    let changing = network(&changes());
    let (first, mut simulation) = run(&changing, 600, 50);
    pollster::block_on(async {
        simulation.reset(0).await.unwrap();
        assert_eq!((simulation.step(), simulation.changed()), (0, &[][..]));
        assert_eq!(simulation.network(), &changing);
        assert!(go_on(&mut simulation, 600, 77).await == first);

        simulation.set("EE.w", "0.03").await.unwrap();
        assert_eq!(simulation.network().populations[0].parameters["I"], Quantity::Number(0.5));
        assert_eq!(simulation.at_start().populations[0].parameters["I"], Quantity::Number(1.2));
        simulation.reset(0).await.unwrap();
        let mut built = changing.clone();
        built.set("EE.w", "0.03").unwrap();
        assert_eq!(simulation.network(), &built);
        assert!(go_on(&mut simulation, 600, 600).await.spikes == run(&built, 600, 600).0.spikes);
    });
}

/// The first step at whose end a condition holds, found the slow way.
fn first_step(spikes: &[Spike], steps: u32, holds: impl Fn(u32, &dyn Fn(u32, u32) -> f64) -> bool) -> Option<u32> {
    let count = |from: u32, to: u32| spikes.iter().filter(|spike| (from..=to).contains(&spike.step)).count() as f64;
    (0..steps).find(|step| holds(*step, &count))
}

#[test]
fn a_run_stops_at_the_first_step_that_a_condition_holds_whatever_the_length_of_a_batch() {
    let (free, _) = run(&network(&json!({})), 1000, 1000);
    let of_cells: Vec<Spike> = free.spikes.iter().copied().filter(|spike| spike.neuron < 30).collect();
    let window = |step: u32, steps: u32| (step + 1).saturating_sub(steps);
    let half = free.spikes.len() / 2;
    let in_50 = |spikes: &[Spike], least: f64| first_step(spikes, 1000, |step, count| count(window(step, 50), step) >= least);
    let cases = [
        (format!("spikes > {half}"), first_step(&free.spikes, 1000, |step, count| count(0, step) > half as f64)),
        (
            "spikes(P) >= 3".to_owned(),
            first_step(&free.spikes, 1000, |step, _| {
                free.spikes.iter().filter(|spike| spike.neuron >= 30 && spike.step <= step).count() >= 3
            }),
        ),
        // 30 cells in 5 ms: 15 spikes are 100 Hz.
        ("rate(E, 5 ms) >= 100 Hz".to_owned(), in_50(&of_cells, 15.0)),
        ("rate(5 ms) > 80 Hz".to_owned(), in_50(&free.spikes, 15.0)),
        (
            "rate(P, 10 ms) <= 0 Hz".to_owned(),
            first_step(&free.spikes, 1000, |step, _| {
                let recent = window(step, 100)..=step;
                step >= 99 && !free.spikes.iter().any(|spike| spike.neuron >= 30 && recent.contains(&spike.step))
            }),
        ),
        ("rate(E, 50 ms) < 1 Hz".to_owned(), None),
    ];
    for (condition, last) in cases {
        let stopping = network(&json!({"stop": ["spikes > 1000000", condition]}));
        for batch in [1, 13, 1000] {
            let (activity, simulation) = run(&stopping, 1000, batch);
            let expected = last.map(|step| (condition.as_str(), step + 1));
            let found = simulation.stopped().map(|stopped| (stopped.condition.as_str(), stopped.step));
            assert_eq!(found, expected, "batches of {batch}");
            let steps = last.map_or(1000, |step| step + 1);
            assert_eq!(simulation.step(), steps, "{condition}");
            let before: Vec<Spike> = free.spikes.iter().copied().filter(|spike| spike.step < steps).collect();
            assert_eq!(activity.spikes, before, "{condition}");
            assert_eq!(activity.samples, free.samples[..2 * steps as usize], "{condition}");
        }
    }
}

#[test]
fn a_run_that_has_stopped_goes_on_only_after_a_reset() {
    let stopping = network(&json!({"stop": ["spikes(E) >= 20"]}));
    let (first, mut simulation) = run(&stopping, 1000, 400);
    let stopped = simulation.stopped().cloned().unwrap();
    assert!(stopped.step < 400 && (stopped.time_ms - f64::from(stopped.step) * 0.1).abs() < 1e-9);
    pollster::block_on(async {
        let error = simulation.advance(1).await.expect_err("it has stopped").to_string();
        assert_eq!(
            error,
            format!("the run ended at {} ms, when `spikes(E) >= 20` was true; reset it to run it again", stopped.time_ms)
        );
        let voltage = simulation.plan().array("E.v").unwrap();
        let error = simulation.read(voltage).await.expect_err("the device is ahead").to_string();
        assert!(
            error.contains("` was true, and the device has continued to 40 ms")
                && error.contains(&format!("advance by {} steps", stopped.step)),
            "{error}"
        );
        assert!(simulation.write(voltage, &[0; 30]).await.is_err());
        simulation.set("E.I", "1.2").await.unwrap();

        // With the very number of steps the device stands at the end too.
        simulation.reset(0).await.unwrap();
        assert_eq!(simulation.stopped(), None);
        let again = simulation.advance(stopped.step).await.unwrap();
        assert!(again == first);
        assert_eq!(simulation.stopped(), Some(&stopped));
        assert!(simulation.read(voltage).await.is_ok());
    });
}

/// A change and a condition in one batch: the change that comes after the end does not happen.
#[test]
fn changes_and_conditions_work_together() {
    let both = network(&json!({
        "changes": [{"at_ms": 20, "set": {"E.I": 8}}, {"at_ms": 90, "set": {"E.I": 0}}], "stop": ["rate(E, 10 ms) > 400 Hz"]
    }));
    let (whole, simulation) = run(&both, 1000, 1000);
    assert!((200..900).contains(&simulation.stopped().unwrap().step));
    assert_eq!(simulation.changed().len(), 1);
    for batch in [1, 199, 201] {
        let (parts, other) = run(&both, 1000, batch);
        assert!(parts == whole && other.stopped() == simulation.stopped(), "batches of {batch}");
    }
}

mod ahead;
mod reduced;
mod statistics;
mod trials;

/// Cells with parameters of their own, and synapses that learn.
fn plastic() -> Network {
    let network = serde_json::json!({
        "name": "plastic", "dt_ms": 0.1, "duration_ms": 100, "seed": 5,
        "populations": [{"name": "E", "size": 20, "equations": "dv/dt = (a - v)/tau : 1\na : 1 (constant)\ntau : second (constant)\nI = a - v : 1",
            "threshold": "v > 1", "reset": "v = 0", "initial": {"v": {"expr": "rand()"}},
            "parameters": {"a": {"expr": "1.1 + 0.3*rand()"}, "tau": "5 ms"}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3},
            "equations": "dx/dt = -x/(20*ms) : 1 (event-driven)\nw : 1", "on_pre": "v_post += 0.001*w\nx += 1",
            "on_post": "w = clip(w + 0.01*x, 0, 1)", "initial": {"w": {"expr": "0.2*rand()"}}}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

#[test]
fn values_are_looked_at_and_given_by_name() {
    pollster::block_on(async {
        let mut simulation = Simulation::new(&plastic(), Box::new(Cpu::new(1))).await.unwrap();
        let known: Vec<_> =
            simulation.plan().arrays().named().map(|(_, of)| (of.path.as_str(), of.unit.as_str(), of.is_parameter())).collect();
        assert_eq!(known, [("E.v", "1", false), ("E.a", "1", true), ("EE.w", "1", false), ("EE.x", "1", false)]);
        simulation.advance(50).await.unwrap();
        let all = simulation.values(0, "E.v").await.unwrap();
        assert_eq!(all.len(), 20);
        assert_eq!(simulation.values(0, "E.v[3]").await.unwrap(), all[3..4]);
        assert_eq!(simulation.values(0, "E.v[:5]").await.unwrap(), all[..5]);
        simulation.set_values("E.v[3]", &[0.5]).await.unwrap();
        simulation.set_values("E.v[5:7]", &[0.25, 0.75]).await.unwrap();
        let mut expected = all.clone();
        (expected[3], expected[5], expected[6]) = (0.5, 0.25, 0.75);
        assert_eq!(simulation.values(0, "E.v").await.unwrap(), expected);
        // A parameter of each neuron stays over a reset, a state does not.
        simulation.set_values("E.a[0:2]", &[3.0]).await.unwrap();
        simulation.reset(0).await.unwrap();
        assert_eq!(simulation.values(0, "E.a[0:2]").await.unwrap(), [3.0, 3.0]);
        assert_ne!(simulation.values(0, "E.v[3]").await.unwrap(), [0.5]);
        let synapses = simulation.plan().synapses() as usize;
        simulation.set_values("EE.w", &vec![0.5; synapses]).await.unwrap();
        simulation.set_values("EE.x", &[2.0]).await.unwrap();
        assert_eq!(simulation.values(0, "EE.w").await.unwrap(), vec![0.5; synapses]);
        assert_eq!(simulation.values(0, "EE.x").await.unwrap(), vec![2.0; synapses]);
        for (path, values, said) in [
            ("E.u", &[1.0][..], "E.u: there is no parameter or variable `u`"),
            ("F.v", &[1.0], "there is no population or projection `F`"),
            ("E.v[20]", &[1.0], "`E.v` has 20 values"),
            ("E.v[a]", &[1.0], "for example E.v[3] or E.v[0:10]"),
            ("E.v", &[1.0, 2.0], "it has 20 values"),
            ("E.v", &[f64::NAN], "finite"),
            ("E.v", &[1e39], "3.4e38"),
            ("E.tau[0]", &[1.0], "use the whole value, E.tau"),
            ("EE.x[0]", &[1.0], "it is stored per neuron, for all of its synapses"),
        ] {
            let message = simulation.set_values(path, values).await.unwrap_err().to_string();
            assert!(message.contains(said), "{path}: {message}");
        }
    });
}

/// A slow variable by every method, a timer, and one that a change makes slow.
fn slow(changes: &Value) -> Network {
    let theta = |name: &str, method: &str| {
        json!({"name": name, "size": 1, "equations": "dtheta/dt = -theta/tau : volt", "method": method,
               "parameters": {"tau": "1e7 ms"}, "initial": {"theta": "20 mV"}})
    };
    let more = json!({
        "populations": [theta("exact", "exact"), theta("euler", "euler"), theta("rk4", "rk4"), theta("factored", "exponential_euler"),
                        {"name": "timer", "size": 1, "equations": "dT/dt = 1 : second"},
                        {"name": "fast", "size": 1, "equations": "dx/dt = -x/tau : 1", "parameters": {"tau": "20 ms"}, "initial": {"x": 1}}],
        "sources": [], "projections": [], "recordings": [{"object": "exact", "var": "theta", "indices": [0]}], "changes": changes
    });
    network(&more)
}

#[test]
fn slow_variables_are_kept_in_two_words() {
    pollster::block_on(async {
        let mut simulation = Simulation::new(&slow(&json!([])), Box::new(Cpu::new(1))).await.unwrap();
        assert!(
            simulation.plan().arrays().named().all(|(_, variable)| !variable.name().starts_with("__")),
            "lower words have no names"
        );
        go_on(&mut simulation, 50_000, 50_000).await;
        for name in ["exact.theta", "euler.theta", "rk4.theta", "factored.theta"] {
            let found = simulation.values(0, name).await.unwrap()[0];
            let exact = 20.0 * (-5e3_f64 / 1e7).exp();
            assert!((found / exact - 1.0).abs() < 1e-7, "{name}: {found} in place of {exact}");
        }
        let timer = simulation.values(0, "timer.T").await.unwrap()[0];
        assert!((timer / 5e3 - 1.0).abs() < 1e-7, "{timer}");
        // From a snapshot it goes on with both words.
        let snapshot = simulation.snapshot().await.unwrap();
        go_on(&mut simulation, 60_000, 10_000).await;
        let later = simulation.values(0, "exact.theta").await.unwrap();
        simulation.restore(&snapshot).await.unwrap();
        go_on(&mut simulation, 60_000, 10_000).await;
        assert_eq!(simulation.values(0, "exact.theta").await.unwrap(), later);
        let refused = simulation.set("fast.tau", "1000 second").await.unwrap_err().to_string();
        assert!(refused.contains("`fast.x`") && refused.contains("two words"), "{refused}");
    });
    // What will be slow has two words from the start.
    let changes = json!([{"at_ms": 10, "set": {"fast.tau": "1e7 ms"}}]);
    let (_, mut simulation) = run(&slow(&changes), 50_000, 50_000);
    let found = pollster::block_on(simulation.values(0, "fast.x")).unwrap()[0];
    let exact = (-10.0 / 20.0 - (5e3 - 10.0) / 1e7_f64).exp();
    assert!((found / exact - 1.0).abs() < 1e-5, "{found} in place of {exact}");
}

#[test]
fn what_is_recorded_can_be_replaced_under_way() {
    let other = r#"[{"object": "E", "var": "I", "indices": [2]}, {"object": "EE", "var": "w", "indices": [0, 1]}]"#;
    pollster::block_on(async {
        let network = plastic();
        let mut plain = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        let whole = plain.advance(600).await.unwrap();
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(2))).await.unwrap();
        let mut spikes = simulation.advance(200).await.unwrap().spikes;
        simulation.set("E.tau", "5 ms").await.unwrap();
        simulation.record(crate::Recording::list_from_json(other).unwrap()).await.unwrap();
        assert_eq!(simulation.network().recordings.len(), 2);
        let recorded = simulation.advance(200).await.unwrap();
        assert_eq!(recorded.samples.len(), 3 * 200);
        assert!(recorded.samples.iter().all(|sample| sample.is_finite() && *sample != 0.0));
        spikes.extend(recorded.spikes);
        simulation.record(Vec::new()).await.unwrap();
        let rest = simulation.advance(200).await.unwrap();
        assert!(rest.samples.is_empty());
        spikes.extend(rest.spikes);
        assert_eq!(spikes, whole.spikes);
        for path in ["E.v", "EE.w", "EE.x"] {
            assert_eq!(simulation.values(0, path).await.unwrap(), plain.values(0, path).await.unwrap(), "{path}");
        }
        // A reset, and another device, go on with what is recorded now.
        simulation.record(crate::Recording::list_from_json(other).unwrap()).await.unwrap();
        simulation.resume_on(Box::new(Cpu::new(1))).await.unwrap();
        simulation.reset(0).await.unwrap();
        assert_eq!(simulation.advance(600).await.unwrap().spikes, whole.spikes);
        let refused =
            simulation.record(crate::Recording::list_from_json(r#"[{"object": "E", "var": "y", "indices": [0]}]"#).unwrap());
        let message = refused.await.unwrap_err().to_string();
        assert!(message.starts_with("recordings[0].var: there is no variable `y`"), "{message}");
        assert_eq!(simulation.plan().channels.len(), 3, "nothing has changed");
    });
}

#[test]
fn all_that_is_wrong_with_a_network_is_told() {
    let said = |edit: &dyn Fn(&mut Network)| -> Vec<String> {
        let mut network = plastic();
        edit(&mut network);
        crate::diagnose(&network, crate::BuildOptions::default())
            .iter()
            .map(|error| error.path().unwrap_or("-").to_owned())
            .collect()
    };
    assert!(said(&|_| {}).is_empty());
    let two = said(&|network| {
        network.populations[0].parameters.insert("tau".into(), Quantity::Number(f64::NAN));
        network.projections[0].pre = crate::Endpoint::whole("F");
    });
    assert_eq!(two, ["populations[0].parameters.tau", "projections[0].pre"]);
    assert_eq!(said(&|network| network.populations[0].size = 0), ["populations[0].size"]);
    let texts = said(&|network| {
        let mut other = network.populations[0].clone();
        other.name = "F".into();
        other.equations = Some("dv/dt = (a - y)/tau : 1\na : 1 (constant)\ntau : second (constant)".into());
        network.populations.push(other);
        network.projections[0].on_pre = Some("v_post += q".to_owned().into());
    });
    assert_eq!(texts, ["populations[1]", "projections[0]"]);
    let rest = said(&|network| {
        network.recordings = crate::Recording::list_from_json(r#"[{"object": "E", "var": "u", "indices": [0]}]"#).unwrap();
        network.add_change("5 ms: E.b = 1".parse().unwrap()).unwrap();
    });
    assert_eq!(rest, ["recordings[0].var", "changes[0].set[\"E.b\"]"]);
    let options = crate::BuildOptions { memory: Some(100), ..crate::BuildOptions::default() };
    let large = crate::diagnose(&plastic(), options);
    assert_eq!((large.len(), large[0].kind(), large[0].path()), (1, Some("out_of_memory"), Some("populations[0].size")));
    // Without drawing: the largest network of the catalogue.
    for entry in crate::catalogue::entries() {
        let network = entry.network(entry.small).unwrap();
        assert_eq!(crate::diagnose(&network, crate::BuildOptions::default()), [], "{}", entry.name);
    }
}
