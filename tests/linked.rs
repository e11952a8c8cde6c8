#![expect(clippy::needless_pass_by_value, reason = "a test reads best with its JSON in place")]
use serde_json::{Value, json};
use spikelet::{Cpu, Error, Network, Owner, Plan};
use spikelet_tests::{devices, run};

use crate::lockstep::file;

/// The samples of a variable at a step, neuron by neuron, as bits.
fn at(samples: &[f32], network: &Network, path: &str, step: usize) -> Vec<u32> {
    let plan = Plan::new(network).unwrap();
    let row = &samples[step * plan.channels.len()..];
    let of_path = (0..plan.channels.len()).filter(|k| plan.channels[*k].label.starts_with(&format!("{path}[")));
    of_path.map(|channel| row[channel].to_bits()).collect()
}

/// A recording shows the state before linked variables are read, so they appear in it one step later.
#[test]
fn a_linked_variable_has_the_value_of_its_neuron_in_the_same_step() {
    let network = file("linked");
    for (name, device) in devices() {
        let done = run(&network, device, 20.0, 7).unwrap();
        for step in [1, 2, 60, 199] {
            let now = |path| at(&done.samples, &network, path, step);
            let before = |path| at(&done.samples, &network, path, step - 1);
            let (v, twice, ring) = (before("A.v"), before("A.twice"), before("B.v"));
            assert_eq!(now("B.v_in"), (0..100).map(|i| v[i / 10]).collect::<Vec<_>>(), "{name}, step {step}");
            assert_eq!(now("B.double"), (0..100).map(|i| twice[9 - i / 10]).collect::<Vec<_>>(), "{name}, step {step}");
            assert_eq!(now("B.left"), (0..100).map(|i| ring[(i + 99) % 100]).collect::<Vec<_>>(), "{name}, step {step}");
            // A link to a linked variable has the value of this step, too, and one to a sum that of this step.
            assert_eq!(now("C.near"), (0..30).map(|i| v[(3 * i) % 100 / 10]).collect::<Vec<_>>(), "{name}, step {step}");
            assert_eq!(now("C.far"), now("B.c"), "{name}, step {step}");
        }
        let hash = done.recorder.spikes_hash();
        let again = run(&network, Box::new(Cpu::new(3)), 20.0, 200).unwrap();
        assert!(done.spikes.len() > 20, "{name}: {} spikes", done.spikes.len());
        assert_eq!(hash, again.recorder.spikes_hash(), "{name}");
    }
}

/// The words of the array `B.x` after some steps.
fn words(source: &str, b: Value, steps: u32) -> Vec<(&'static str, Vec<u32>)> {
    let network = json!({"name": "words", "dt_ms": 1, "duration_ms": 10, "populations": [
        {"name": "A", "size": 2, "equations": source, "initial": {"z": {"values": [-0.0, 1.0]}}}, b]});
    let network = Network::from_json(&network.to_string()).unwrap();
    let of_device = |(name, device)| {
        let mut done = run(&network, device, f64::from(steps), 1).unwrap();
        let (_, words) = done.arrays().unwrap().into_iter().find(|(array, _)| array == "B.x").unwrap();
        (name, words)
    };
    devices().into_iter().map(of_device).collect()
}

#[test]
fn values_are_copied_bit_by_bit() {
    let b = |var: &str| json!({"name": "B", "size": 2, "equations": "x : 1 (linked)", "linked": {"x": {"population": "A", "var": var}}});
    for (name, words) in words("z : 1", b("z"), 2) {
        assert_eq!(words, [0x8000_0000, 1.0_f32.to_bits()], "{name}");
    }
    for (name, words) in words("z : 1\nnothing = log(-z) : 1", b("nothing"), 2) {
        assert!(f32::from_bits(words[0]).is_infinite() && f32::from_bits(words[1]).is_nan(), "{name}: {words:?}");
    }
}

#[test]
fn conditions_can_be_linked() {
    let b = json!({"name": "B", "size": 2, "equations": "x : boolean (linked)", "linked": {"x": {"population": "A", "var": "is_up"}}});
    for (name, words) in words("z : 1\nis_up = z > 0.5 : boolean", b, 2) {
        assert_eq!(words, [0, 1.0_f32.to_bits()], "{name}");
    }
}

/// Synapses of the file draw the same with and without links, and links keep no state of their own.
#[test]
fn links_change_no_draws() {
    let mut network = file("linked");
    let plan = Plan::new(&network).unwrap();
    network.populations[0].linked.clear();
    network.populations[0].equations = Some("dv/dt = -v/(8*ms) : 1".into());
    network.recordings.clear();
    let without = Plan::new(&network).unwrap();
    assert_eq!(plan.projections[..2].len(), network.projections.len());
    assert_eq!(plan.projections[1].edges, without.projections[1].edges);
    let is_generated = |index: usize| plan.projections[index].state.as_ref().unwrap().generated;
    assert!(is_generated(2) && !is_generated(0));
    assert!(!plan.arrays().iter().any(|(_, entry)| matches!(entry.owner, Owner::Synapses { projection } if projection > 1)));
}

fn refusal(linked: Value, equations: &str, more: Value) -> String {
    let mut b = json!({"name": "B", "size": 20, "equations": equations, "linked": linked});
    b.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let network = json!({"name": "wrong", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "A", "size": 10, "equations": "dv/dt = -v/ms : volt\nq = v : volt"}, b],
        "sources": [{"name": "P", "type": "poisson", "size": 20, "rate": "20 Hz"}]});
    let built = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network));
    built.err().map_or_else(|| "it is built".to_owned(), |error: Error| error.to_string())
}

#[test]
fn wrong_links_are_named() {
    let x = "x : volt (linked)";
    let v = |index: Value| json!({"x": {"population": "A", "var": "v", "index": index}});
    let none = || json!({});
    let cases = [
        (refusal(v(json!("i//2")), x, none()), "it is built"),
        (refusal(json!({"x": {"population": "A", "var": "v"}}), x, none()), "must have the same size"),
        (
            refusal(v(json!("i")), x, none()),
            "populations[1].linked.x.index is 10, but neuron 10 is linked to it, and `A` has neurons 0 to 9",
        ),
        (refusal(v(json!("i/2")), x, none()), "populations[1].linked.x.index is 0.5, but neuron 1"),
        (refusal(v(json!([1, 2])), x, none()), "there are 20 neurons"),
        (refusal(v(json!("3*mV")), x, none()), "`index` must be"),
        (refusal(json!({"x": {"population": "D", "var": "v", "index": 0}}), x, none()), "there is no population `D`"),
        (refusal(json!({"x": {"population": "P", "var": "v"}}), x, none()), "a source has no variables"),
        (
            refusal(json!({"x": {"population": "A", "var": "u", "index": 0}}), x, none()),
            "the linked neurons have no variable `u`",
        ),
        (refusal(v(json!(0)), "x : amp (linked)", none()), "`v` is volt; `x` is declared amp"),
        (refusal(v(json!(0)), "x : volt", none()), "`x` is not declared as linked"),
        (refusal(json!({}), x, none()), "linked.x"),
        (refusal(v(json!(0)), "x = 3*mV : volt (linked)", none()), "`linked` applies to parameters"),
        (refusal(v(json!(0)), x, json!({"parameters": {"x": "3 mV"}})), "it is linked to `v` of `A`"),
        (
            refusal(v(json!(0)), &format!("{x}\ndu/dt = -u/ms : 1"), json!({"threshold": "u > 1", "reset": "u = 0; x = 0*mV"})),
            "cannot be assigned",
        ),
        (
            refusal(
                json!({"x": {"population": "B", "var": "y"}, "y": {"population": "B", "var": "x"}}),
                "x : volt (linked)\ny : volt (linked)",
                none(),
            ),
            "B.x → B.y → B.x",
        ),
    ];
    let lacking = cases.iter().filter(|(message, part)| !message.contains(part));
    let lacking: Vec<String> = lacking.map(|(message, part)| format!("{message}\nlacks {part}\n")).collect();
    assert!(lacking.is_empty(), "{}", lacking.concat());
}

#[test]
fn a_linked_variable_cannot_be_set() {
    let mut network = file("linked");
    let error = network.set("B.v_in", "3").unwrap_err().to_string();
    assert!(error.contains("it is linked to `v` of `A`") && error.contains("set A.v"), "{error}");
    let mut done = run(&network, Box::new(Cpu::new(1)), 1.0, 10).unwrap();
    let error = pollster::block_on(done.simulation.set("B.v_in", "3")).unwrap_err().to_string();
    assert!(error.contains("it is linked to `v` of `A`"), "{error}");
}

#[test]
fn links_stay_in_the_file_and_are_judged_while_typing() {
    let network = file("linked");
    assert_eq!(Network::from_json(&network.to_json()).unwrap(), network);
    for population in 0..3 {
        let found = spikelet::judge::judge(&network, Some(population), &[]);
        assert_eq!((found.population, found.network, found.missing.len()), (vec![], vec![], 0), "population {population}");
    }
    assert_eq!(spikelet::diagnose(&network, spikelet::BuildOptions::default()), []);
}
