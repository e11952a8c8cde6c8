#![expect(clippy::needless_pass_by_value, reason = "a test reads best with its JSON in place")]
use std::io::Cursor;

use serde_json::{Value, json};
use spikelet::{BuildOptions, Builder, Cpu, Double, Error, Network, Partition, Plan, Simulation, SynapseState};
use spikelet_tests::{devices, run};

use crate::lockstep::file;

/// Three presynaptic neurons onto two, with two third neurons that fire every three and every five steps, each with three of the synapses.
fn small(more: Value) -> Network {
    let mut network = json!({
        "name": "small", "dt_ms": 1, "duration_ms": 30,
        "populations": [
            {"name": "P", "size": 2, "equations": "x : 1\nv : 1", "update": "v = v + 1", "threshold": "v > 6", "reset": "v = i"},
            {"name": "T", "size": 2, "equations": "y : 1\nz : 1\nk : 1 (constant)", "update": "z = z + 1", "threshold": "z > k", "reset": "z = 0",
             "parameters": {"k": [2, 4]}}
        ],
        "sources": [{"name": "S", "size": 3, "spike_times_ms": [[0, 1], [1, 2], [2, 2], [0, 4], [1, 7], [2, 11], [0, 13], [2, 16], [1, 17], [0, 20]]}],
        "projections": [{
            "name": "syn", "pre": "S", "post": "P", "third": {"population": "T", "index": "(i + j) % 2"}, "connect": {"rule": "all"},
            "equations": "w : 1\ny_third = w*(1 + 0.125*x_post) : 1 (summed)",
            "on_pre": "x_post += 0.25*w*y_third\nw += 0.25", "on_post": "w = 0.75*w", "on_third": "w = 0.5*w + 0.125*i_third + z_third/16\nx_post += 1",
            "delay_ms": 1, "delay_third_ms": 2, "initial": {"w": {"expr": "0.5 + 0.25*i"}}}],
        "recordings": [{"object": "P", "var": "x", "indices": "all"}, {"object": "T", "var": "y", "indices": "all"},
                       {"object": "syn", "var": "w", "indices": [0, 1, 2, 3, 4, 5]}]
    });
    network["projections"][0].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// The samples of each step, with the pathways in this order: 0 of presynaptic, 1 of postsynaptic, 2 of third neurons.
fn expected(network: &Network, steps: usize, order: [usize; 3]) -> Vec<[f64; 10]> {
    let spikelet::SourceKind::Spikes { spike_times_ms, .. } = &network.sources[0].kind else { panic!("a list") };
    let (mut x, mut v, mut y, mut z) = ([0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]);
    let (mut w, mut input) = ([0.5, 0.5, 0.75, 0.75, 1.0, 1.0], [0.0; 2]);
    let ends = |synapse: usize| (synapse / 2, synapse % 2, (synapse / 2 + synapse % 2) % 2);
    let mut fired: Vec<[Vec<usize>; 3]> = Vec::new();
    let mut samples = Vec::new();
    for step in 0..steps {
        for neuron in 0..2 {
            x[neuron] += std::mem::take(&mut input[neuron]);
            if fired.last().is_some_and(|fired| fired[1].contains(&neuron)) {
                v[neuron] = neuron as f64;
            }
            if fired.last().is_some_and(|fired| fired[2].contains(&neuron)) {
                z[neuron] = 0.0;
            }
        }
        samples.push([x[0], x[1], y[0], y[1], w[0], w[1], w[2], w[3], w[4], w[5]]);
        y = [0.0; 2];
        for (synapse, w) in w.iter().enumerate() {
            let (_, post, third) = ends(synapse);
            y[third] += w * (1.0 + 0.125 * x[post]);
        }
        for neuron in 0..2 {
            v[neuron] += 1.0;
            z[neuron] += 1.0;
        }
        let of_sources = spike_times_ms.iter().filter(|(_, time)| *time as usize == step).map(|(neuron, _)| *neuron as usize);
        let above = |values: [f64; 2], limit: [f64; 2]| (0..2).filter(|neuron| values[*neuron] > limit[*neuron]).collect();
        fired.push([of_sources.collect(), above(v, [6.0; 2]), above(z, [2.0, 4.0])]);
        for pathway in order {
            let Some(arrived) = step.checked_sub([1, 0, 2][pathway]).map(|step| &fired[step][pathway]) else { continue };
            for (synapse, w) in w.iter_mut().enumerate() {
                let (pre, post, third) = ends(synapse);
                if !arrived.contains(&[pre, post, third][pathway]) {
                    continue;
                }
                match pathway {
                    0 => {
                        input[post] += 0.25 * *w * y[third];
                        *w += 0.25;
                    }
                    1 => *w *= 0.75,
                    _ => {
                        *w = 0.5 * *w + 0.125 * third as f64 + z[third] / 16.0;
                        input[post] += 1.0;
                    }
                }
            }
        }
    }
    samples
}

/// Reads, spikes and sums of third neurons are those of a loop over steps and synapses, on every device and in f64.
#[test]
fn a_third_neuron_is_read_heard_and_summed() {
    for (more, order) in
        [(json!({}), [0, 1, 2]), (json!({"order": {"third": -1}}), [2, 0, 1]), (json!({"order": {"pre": 1}}), [1, 2, 0])]
    {
        let network = small(more);
        let expected = expected(&network, 30, order);
        for (name, device) in devices().into_iter().chain([("f64", Box::new(Double::new()) as _)]) {
            let done = run(&network, device, 30.0, 7).unwrap();
            for (step, (found, expected)) in done.samples.chunks(10).zip(&expected).enumerate() {
                for (channel, (found, expected)) in found.iter().zip(expected).enumerate() {
                    let near = (f64::from(*found) - expected).abs() < 1e-4 * expected.abs().max(1.0);
                    assert!(near, "{name}, {order:?}, step {step}, channel {channel}: {found}, expected {expected}");
                }
            }
        }
    }
}

/// Any number of threads gives the same bits, also in two trials, and in batches of any length.
#[test]
fn threads_and_trials_are_alike() {
    let network = file("third");
    let alone = run(&network, Box::new(Cpu::new(1)), 40.0, 400).unwrap();
    assert!(alone.spikes.len() > 500, "{} spikes", alone.spikes.len());
    for (threads, batch) in [(2, 400), (3, 13), (8, 1)] {
        let several = run(&network, Box::new(Cpu::new(threads)), 40.0, batch).unwrap();
        assert!(several.spikes == alone.spikes && several.samples == alone.samples, "{threads} threads");
    }
    let plan = Plan::new(&network).unwrap();
    assert!(plan.schedule().inseparable);
    assert_eq!(plan.schedule().stepwise[2], 0..9);
    let third = plan.projections[0].third.as_ref().unwrap();
    let (offsets, synapses) = third.synapses(9);
    assert_eq!((offsets.len(), synapses.len()), (10, plan.projections[0].rows().len()));
    assert!((0..9).all(|neuron| {
        let own = &synapses[offsets[neuron] as usize..offsets[neuron + 1] as usize];
        own.is_sorted() && own.iter().all(|synapse| third.neurons[*synapse as usize] as usize == neuron)
    }));
}

/// Learned weights are loaded as in all other synapses.
#[test]
fn weights_are_learned_and_loaded() {
    pollster::block_on(async {
        let network = small(json!({}));
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        simulation.advance(20).await.unwrap();
        let state = simulation.synapse_state(0).await.unwrap();
        let file = SynapseState::write(&state, Cursor::new(Vec::new())).unwrap().into_inner();
        let mut loaded = small(json!({"learned": {"file": "weights.npz"}}));
        loaded.resolve(&mut |_| Ok(Box::new(Cursor::new(file.clone())))).unwrap();
        let plan = Plan::new(&loaded).unwrap();
        let array = plan.projections[0].state.as_ref().unwrap().array("w").unwrap();
        let initial = &plan.projections[0].state.as_ref().unwrap().arrays[array].initial;
        assert_eq!(**initial, state[0].variables["w"]);
    });
}

fn refusal(more: Value) -> String {
    let mut projection = json!({"pre": "E", "post": "E", "third": {"population": "A", "index": "j//2"}, "connect": {"rule": "all"}, "equations": "w : 1",
        "on_pre": "v_post += w*G_third", "initial": {"w": 1}});
    for (key, value) in more.as_object().unwrap() {
        match value {
            Value::Null => projection.as_object_mut().unwrap().remove(key),
            value => projection.as_object_mut().unwrap().insert(key.clone(), value.clone()),
        };
    }
    let network = json!({"name": "wrong", "dt_ms": 0.1, "duration_ms": 10, "populations": [
        {"name": "E", "size": 4, "equations": "dv/dt = -v/ms : 1", "threshold": "v > 1", "reset": "v = 0"},
        {"name": "A", "size": 2, "equations": "dG/dt = -G/ms : 1\nY : volt\nk : 1 (constant)", "parameters": {"k": 1}, "threshold": "G > 1", "reset": "G = 0"},
        {"name": "B", "size": 1, "equations": "G : 1"}],
        "sources": [{"name": "S", "type": "poisson", "size": 2, "rate": "10 Hz"},
                    {"name": "noise", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 10, "rate": "10 Hz", "weight": 0.1}],
        "projections": [projection]});
    let built = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network));
    built.err().map_or_else(|| "it is built".to_owned(), |error: Error| error.to_string())
}

#[test]
fn mistakes_are_named() {
    let cases = [
        (json!({}), "it is built"),
        (json!({"third": {"population": "B"}}), "it is built"),
        (json!({"third": {"population": "S", "index": "i % 2"}, "on_pre": "v_post += w", "on_third": "w += 1"}), "it is built"),
        (
            json!({"third": {"population": "E", "index": "i"}, "on_pre": "v_post += w*v_third", "equations": "w : 1\nv_third = w : 1 (summed)"}),
            "it is built",
        ),
        (json!({"third": null}), "G_third"),
        (json!({"third": null, "on_pre": "v_post += w", "on_third": "w += 1"}), "these synapses have no third neuron"),
        (
            json!({"third": null, "on_pre": "v_post += w", "delay_third_ms": 1}),
            "projections[0].delay_third_ms is given, but these synapses have no third neuron",
        ),
        (json!({"delay_third_ms": 1}), "it is a delay of `on_third`, which is not set"),
        (json!({"on_third": "w += 1", "delay_third_ms": -1}), "a delay cannot be negative"),
        (json!({"on_third": {"a": "w += 1"}, "delay_third_ms": {"b": 1}}), "projections[0].delay_third_ms.b"),
        (json!({"third": {"population": "A"}}), "without an `index` the population must have a single neuron"),
        (
            json!({"third": {"population": "C", "index": 0}}),
            "projections[0].third.population: there is no population or source `C`",
        ),
        (json!({"third": {"population": "noise", "index": 0}}), "a poisson_input has no neurons"),
        (
            json!({"third": {"population": "A", "index": "j"}}),
            "projections[0].third.index is 2, but it is the third neuron of the synapse from 0 to 2, and `A` has neurons 0 to 1",
        ),
        (
            json!({"third": {"population": "A", "index": 2}}),
            "it is the third neuron of every synapse, and `A` has neurons 0 to 1",
        ),
        (json!({"third": {"population": "B", "index": 0.5}}), "and `B` has neuron 0 alone"),
        (json!({"third": {"population": "A", "index": "j*ms"}}), "`index` must be"),
        (json!({"third": {"population": "A", "index": "k_third"}}), "k_third"),
        (json!({"third": {"population": "A", "index": [0, 1]}}), "a list"),
        (json!({"third": {"population": "A", "index": {"timed": [0, 1], "dt": "1 ms"}}}), "constant during the run"),
        (json!({"on_pre": "v_post += w; G_third += 1"}), "statements of a synapse cannot change its third neuron"),
        (json!({"on_third": "v_post += w; v_pre += 1"}), "a spike of the third neuron cannot change the presynaptic one"),
        (json!({"run_regularly": [{"statements": "G_third = 1"}]}), "statements of a synapse cannot change its third neuron"),
        (json!({"equations": "w : 1\nY_third = w : 1 (summed)"}), "volt"),
        (json!({"equations": "w : 1\nk_third = w : 1 (summed)"}), "`k` of the third neuron is constant, shared or computed"),
        (json!({"equations": "w : 1\nH_third = w : 1 (summed)"}), "the third neuron has no variable `H`"),
        (
            json!({"equations": "w : 1\nG_pre = w : 1 (summed)"}),
            "a summed variable belongs to the postsynaptic neuron or to the third one",
        ),
        (json!({"on_pre": "v_post += w*Y_third"}), "volt"),
        (json!({"storage": "procedural"}), "its synapses have a third neuron, which is stored"),
    ];
    for (more, part) in cases {
        let message = refusal(more.clone());
        assert!(message.contains(part), "{more}: {message}\nlacks {part}");
    }
}

/// An index is a whole number of a neuron, in every synapse.
#[test]
fn every_index_is_checked() {
    for wrong in [-1.0, -0.5, 0.25, 1.5, 2.0, 3.0, 1e9, 4294967296.0] {
        for synapse in [[0, 0], [1, 3], [3, 2]] {
            let [i, j] = synapse;
            let index = format!("j % 2 + ({wrong} - j % 2)*int(i == {i} and j == {j})");
            let message = refusal(json!({"third": {"population": "A", "index": {"expr": index}}}));
            let expected = format!("it is the third neuron of the synapse from {i} to {j}, and `A` has neurons 0 to 1");
            assert!(message.contains(&expected) && message.contains("j//10"), "{message}");
        }
    }
    assert_eq!(refusal(json!({"third": {"population": "A", "index": {"expr": "floor(2*rand())"}}})), "it is built");
}

/// Several ranks are refused, and a change of what third neurons follow from.
#[test]
fn ranks_and_new_third_neurons_are_refused() {
    let network = file("third");
    let partition = Partition::blocks(&network, 2).unwrap();
    let error = Builder::of_part(&network, BuildOptions::default(), partition.part(0)).err().unwrap().to_string();
    assert!(error.contains("third neurons are on the same rank"), "{error}");
    let network = small(json!({"third": {"population": "T", "index": "int(w0) % 2"}, "parameters": {"w0": 1}}));
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        simulation.advance(5).await.unwrap();
        let error = simulation.set("syn.w0", "2").await.err().unwrap().to_string();
        assert!(error.contains("cannot change during a run"), "{error}");
    });
}
