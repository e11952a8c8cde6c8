//! Learned weights in files.

use std::io::Cursor;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::npz::NpzWriter;
use crate::{Cpu, Error, Network, Plan, Simulation, SynapseState};

/// Cells whose synapses learn by the order of spikes, and others that tire.
fn network(seed: u64, more: &Value) -> Network {
    let mut network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 50, "seed": seed,
        "populations": [{"name": "E", "size": 40, "equations": "dv/dt = (1.2 - v)/tau : 1", "threshold": "v > 1", "reset": "v = 0",
                         "parameters": {"tau": "5 ms"}, "initial": {"v": {"expr": "rand()"}}}],
        "projections": [
            {"name": "EE", "pre": "E[10:30]", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3},
             "equations": "dp/dt = -p/(20*ms) : 1 (event-driven)\ndq/dt = -q/(20*ms) : 1 (event-driven)\nw : 1\nscale : 1 (constant)",
             "on_pre": "v_post += scale*w\np += 1\nw = clip(w - 0.01*q, 0, 1)", "on_post": "q += 1\nw = clip(w + 0.01*p, 0, 1)",
             "initial": {"w": {"expr": "rand()"}}, "parameters": {"scale": {"expr": "0.01*rand()"}}},
            {"name": "tired", "pre": "E", "post": "E", "connect": {"rule": "one_to_one"},
             "equations": "dx/dt = (1 - x)/(50*ms) : 1 (event-driven, plastic)", "on_pre": "v_post += 0.01*x\nx -= 0.2*x", "initial": {"x": 1}},
            {"name": "fixed", "pre": "E", "post": "E", "connect": {"rule": "one_to_one"}, "on_pre": "v_post += 0.01"}
        ]
    });
    network.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Network::from_json(&network.to_string()).unwrap()
}

/// What a run of 50 ms comes to, as a file.
fn file(seed: u64) -> (Vec<SynapseState>, Vec<u8>) {
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network(seed, &json!({})), Box::new(Cpu::new(2))).await.unwrap();
        simulation.advance(500).await.unwrap();
        let learned = simulation.synapse_state(0).await.unwrap();
        let bytes = SynapseState::write(&learned, Cursor::new(Vec::new())).unwrap().into_inner();
        (learned, bytes)
    })
}

/// The network with a file for one of its projections, resolved.
fn with_file(seed: u64, projection: &str, bytes: &[u8]) -> Result<Network, Error> {
    let mut network = network(seed, &json!({}));
    network.attach_learned(projection, "w.npz").unwrap();
    assert_eq!(network.files().collect::<Vec<_>>(), ["w.npz"]);
    let error = Plan::new(&network).unwrap_err().to_string();
    assert!(error.contains(".learned.file is \"w.npz\", but that file was not loaded"), "{error}");
    network.resolve(&mut |_| Ok(Box::new(Cursor::new(bytes.to_vec()))))?;
    assert!(network.to_json().contains("\"learned\": {\n        \"file\": \"w.npz\"\n      }"));
    Ok(network)
}

#[test]
fn what_was_learnt_is_taken_up_to_the_bit() {
    let (learned, bytes) = file(4);
    let names = |of: &SynapseState| (of.projection.clone(), of.variables.keys().cloned().collect::<Vec<_>>().join(" "));
    assert_eq!(
        learned.iter().map(names).collect::<Vec<_>>(),
        [("EE".into(), "w scale".into()), ("tired".into(), "x".to_owned())]
    );
    assert!(learned[0].pairs.is_sorted() && learned[0].pairs.iter().all(|[pre, _]| (10..30).contains(pre)));
    assert_eq!(SynapseState::read("w.npz", Cursor::new(&bytes), &|_| true).unwrap(), learned);
    let start = Plan::new(&network(4, &json!({}))).unwrap();
    let w = |plan: &Plan| {
        let state = plan.projections[0].state.clone().unwrap();
        state.arrays[state.array("w").unwrap()].initial.to_vec()
    };
    assert_ne!(w(&start), learned[0].variables["w"]);
    let network = with_file(4, "EE", &bytes).unwrap();
    assert_eq!(w(&Plan::new(&network).unwrap()), learned[0].variables["w"]);
    // Nothing else has changed, and nothing is as it was where one looks again.
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        assert_eq!(simulation.synapse_state(0).await.unwrap()[0].variables, learned[0].variables);
        simulation.set("E.tau", "6 ms").await.unwrap();
        simulation.set("tired.x", "0.5").await.unwrap();
        assert_eq!(simulation.synapse_state(0).await.unwrap()[0].variables, learned[0].variables);
        let refused = simulation.set("EE.w", "0.5").await.unwrap_err().to_string();
        assert!(refused.contains("w.npz sets one learned value per synapse"), "{refused}");
    });
}

#[test]
fn a_file_of_other_synapses_is_refused() {
    let (learned, bytes) = file(4);
    let refusal = |seed: u64, projection: &str, bytes: &[u8]| {
        let network = with_file(seed, projection, bytes);
        network.and_then(|network| Plan::new(&network)).map(|_| ()).unwrap_err().to_string()
    };
    let found = refusal(5, "EE", &bytes);
    let way_out = "use a file of this network with the same seed, sizes and rules";
    assert!(found.starts_with("w.npz: synapse ") && found.ends_with(way_out), "{found}");
    assert!(found.contains("of EE is from ") && found.contains(", but in this network it goes from neuron "), "{found}");

    let changed = |change: &dyn Fn(&mut SynapseState)| {
        let mut learned = learned.clone();
        change(&mut learned[0]);
        SynapseState::write(&learned, Cursor::new(Vec::new())).unwrap().into_inner()
    };
    let shorter = changed(&|of| {
        of.pairs.pop();
        of.variables.values_mut().for_each(|values| values.truncate(of.pairs.len()));
    });
    let count = learned[0].pairs.len();
    let found = refusal(4, "EE", &shorter);
    assert!(
        found.starts_with(&format!("w.npz: EE is of {} synapses, but in this network it has {count};", count - 1)),
        "{found}"
    );
    let other = changed(&|of| {
        let w = of.variables["w"].clone();
        of.variables.insert("ww".into(), w);
    });
    let found = refusal(4, "EE", &other);
    assert_eq!(found, "projections[0].learned: w.npz: there is no variable `ww`; did you mean `w`?");
    let found = refusal(4, "fixed", &changed(&|of| of.projection = "fixed".into()));
    assert!(found.contains("projections[2].learned is \"w.npz\", but its synapses have no state"), "{found}");
    let found = refusal(4, "EE", &changed(&|of| of.projection = "FF".into()));
    assert!(found.starts_with("w.npz is without synapses of EE, but it must contain the arrays `EE.pre`, `EE.post`"), "{found}");
    let found = refusal(4, "EE", &changed(&|of| of.variables["w"][7] = f32::NAN));
    assert!(found.starts_with("w.npz: EE: w[7] is NaN, but a finite number is expected"), "{found}");
    let found = refusal(4, "EE", &changed(&|of| of.variables["w"].truncate(3)));
    assert!(found.contains("w.npz: EE: w is") && found.contains("long, but there are"), "{found}");

    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add("row", &[1], [1_u32].into_iter()).unwrap();
    let found = refusal(4, "EE", &archive.finish().unwrap().into_inner());
    assert!(found.starts_with("w.npz is a file with an array `row`, but learned weights are named after their projection, `EE.pre`, `EE.post`, `EE.w`"), "{found}");
    let found = refusal(4, "EE", b"no archive");
    assert!(found.starts_with("w.npz is not a readable file, but it is not a zip archive, as an .npz file must be"), "{found}");
}

#[test]
fn a_running_network_takes_all_of_a_file_or_nothing() {
    let (learned, _) = file(4);
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network(4, &json!({})), Box::new(Cpu::new(2))).await.unwrap();
        simulation.advance(100).await.unwrap();
        let before = simulation.synapse_state(0).await.unwrap();
        let wrong = |change: &dyn Fn(&mut Vec<SynapseState>)| {
            let mut learned = learned.clone();
            change(&mut learned);
            learned
        };
        for (wrong, part) in [
            (
                wrong(&|of| of[1].pairs[3] = [3, 4]),
                "w.npz: synapse 3 of tired is from 3 to 4, but in this network it goes from neuron 3 to 3;",
            ),
            (
                wrong(&|of| of[1].projection = "tried".into()),
                "w.npz: there is no projection whose synapses have state `tried`; did",
            ),
            (wrong(&|of| of[1].projection = "fixed".into()), "w.npz: there is no projection whose synapses have state `fixed`"),
            (wrong(&|of| of[0].variables["scale"][2] = 1.0), "w.npz: EE.scale[2] is 1, but in this network it is 0.0"),
            (
                wrong(&Vec::clear),
                "w.npz is empty, but a file of learned weights has arrays such as `EE.pre`, `EE.post` and `EE.w`",
            ),
        ] {
            let found = simulation.load_weights(0, "w.npz", &wrong).await.unwrap_err().to_string();
            assert!(found.contains(part), "{part}\n{found}");
            assert_eq!(simulation.synapse_state(0).await.unwrap(), before);
        }
        simulation.load_weights(0, "w.npz", &learned).await.unwrap();
        assert_eq!(simulation.synapse_state(0).await.unwrap(), learned);
        let after = simulation.advance(100).await.unwrap();
        // It is still there where the device is lost, and gone after a reset.
        simulation.resume_on(Box::new(Cpu::new(1))).await.unwrap();
        let resumed = simulation.synapse_state(0).await.unwrap();
        simulation.reset(0).await.unwrap();
        simulation.advance(100).await.unwrap();
        assert_eq!(simulation.synapse_state(0).await.unwrap(), before);
        simulation.load_weights(0, "w.npz", &learned).await.unwrap();
        assert!(simulation.advance(100).await.unwrap() == after);
        assert_eq!(simulation.synapse_state(0).await.unwrap(), resumed);
    });
}

#[test]
fn a_network_without_a_state_has_nothing_to_keep() {
    let plain = network(4, &json!({"projections": []}));
    let mut simulation = pollster::block_on(Simulation::new(&plain, Box::new(Cpu::new(1)))).unwrap();
    let error = pollster::block_on(simulation.synapse_state(0)).unwrap_err().to_string();
    assert!(
        error.contains(
            "no synapses of the network have values that change: their events are constant, or neurons store their state, so there is nothing to save"
        ),
        "{error}"
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(values in proptest::collection::vec((0..u32::MAX, 0..u32::MAX, -1e30..1e30_f32), 0..40)) {
        let pairs = values.iter().map(|(pre, post, _)| [*pre, *post]).collect();
        let variables = [("w".to_owned(), values.iter().map(|(.., value)| *value).collect())].into_iter().collect();
        let learned = vec![SynapseState { projection: "EE".into(), pairs, variables }];
        let bytes = SynapseState::write(&learned, Cursor::new(Vec::new())).unwrap().into_inner();
        prop_assert_eq!(SynapseState::read("w.npz", Cursor::new(&bytes), &|_| true).unwrap(), learned);
        prop_assert_eq!(SynapseState::read("w.npz", Cursor::new(&bytes), &|name| name == "EI").unwrap(), vec![]);
    }

    /// Whatever the bytes are, the answer is a list or a sentence.
    #[test]
    fn no_file_can_make_it_panic(bytes: Vec<u8>, cut in 0..900_usize, at in 0..900_usize, byte: u8) {
        let variables = [("w".to_owned(), vec![0.5, 1.5])].into_iter().collect();
        let learned = [SynapseState { projection: "EE".into(), pairs: vec![[0, 1], [2, 3]], variables }];
        let mut damaged = SynapseState::write(&learned, Cursor::new(Vec::new())).unwrap().into_inner();
        let end = damaged.len() - 1;
        damaged[at.min(end)] = byte;
        damaged.truncate(end.saturating_sub(cut));
        for bytes in [&bytes, &damaged] {
            if let Ok(found) = SynapseState::read("w.npz", Cursor::new(&bytes), &|_| true) {
                prop_assert!(found.iter().all(|of| of.variables.values().all(|values| values.len() == of.pairs.len())));
            }
        }
    }
}

/// Rule 9.6: values are in the order of the list, without the pairs that a cap drops.
#[test]
fn pairs_that_a_cap_drops_have_no_values() {
    let text = r#"{"name": "caps", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "A", "size": 4, "equations": "v : 1"}],
        "projections": [{"name": "AA", "pre": "A", "post": "A", "pairs": [[2, 3], [0, 1], [3, 1], [0, 2], [1, 2], [1, 3]], "max_indegree": 1,
        "equations": "w : 1", "on_pre": "v_post += w; w = clip(w, 0, 1)", "initial": {"w": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}],
        "recordings": [{"object": "AA", "var": "w", "indices": "all"}]}"#;
    let network = Network::from_json(text).unwrap();
    let mut simulation = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    let saved = pollster::block_on(simulation.synapse_state(0)).unwrap().remove(0);
    let listed = [[2, 3], [0, 1], [3, 1], [0, 2], [1, 2], [1, 3]];
    let values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    let value = |pair: &[u32; 2]| values[listed.iter().position(|of| of == pair).unwrap()];
    let wanted: Vec<f32> = saved.pairs.iter().map(value).collect();
    assert_eq!((saved.pairs.len(), &saved.variables["w"]), (3, &wanted));
    let mut in_order = wanted;
    in_order.sort_by(f32::total_cmp);
    let read = pollster::block_on(simulation.values(0, "AA.w")).unwrap();
    assert_eq!(read.iter().map(|value| *value as f32).collect::<Vec<_>>(), in_order);
    pollster::block_on(simulation.set_values("AA.w[1]", &[0.9])).unwrap();
    in_order[1] = 0.9;
    assert_eq!(pollster::block_on(simulation.advance(1)).unwrap().samples, in_order);
}
