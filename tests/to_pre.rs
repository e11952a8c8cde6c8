#![expect(clippy::needless_pass_by_value, reason = "a test reads best with its JSON in place")]
use serde_json::{Value, json};
use spikelet::{Cpu, Error, Network, Plan};
use spikelet_tests::{devices, run};

use crate::lockstep::file;

/// Each event of a projection adds to the neuron from which it comes, as many times as this has synapses. Counted from the spikes.
#[test]
fn each_synapse_adds_to_its_own_presynaptic_neuron() {
    let mut network = file("to_pre");
    network.populations[0].equations = Some("dv/dt = (1.3 - v)/(10*ms) + 0.2*xi/sqrt(10*ms) : 1\nsent : 1\nback : volt".into());
    let plan = Plan::new(&network).unwrap();
    for (name, device) in devices() {
        let done = run(&network, device, 30.0, 13).unwrap();
        assert!(done.spikes.len() > 100, "{name}: {} spikes", done.spikes.len());
        let (mut sent, mut back) = (vec![0.0_f64; 40], vec![0.0_f64; 40]);
        let last = 299;
        for spike in &done.spikes {
            // An event after `delay` steps is in the variable at the start of the next one, which the recording of that step shows.
            let arrive = |projection: usize, delay: u32, from_pre: bool, add: &mut dyn FnMut(usize)| {
                if spike.step + delay + 1 > last {
                    return;
                }
                let of = &plan.projections[projection];
                for (row, ends) in of.rows().offsets.windows(2).enumerate() {
                    for edge in ends[0] as usize..ends[1] as usize {
                        let pre = of.pre_slice.start + row as u32;
                        let post = of.rows().target(edge) + plan.populations[of.post].first;
                        if spike.neuron == if from_pre { pre } else { post } {
                            add(pre as usize);
                        }
                    }
                }
            };
            arrive(0, 7, true, &mut |pre| sent[pre] += 1.0);
            arrive(0, 3, false, &mut |pre| {
                sent[pre] += 0.5;
                back[pre] -= 2.0;
            });
            arrive(1, 4, true, &mut |pre| sent[pre] += 0.25);
            arrive(2, 0, true, &mut |pre| sent[pre] += 2.0);
        }
        let row = &done.samples[last as usize * 80..];
        assert_eq!(row[..40].iter().map(|value| f64::from(*value)).collect::<Vec<_>>(), sent, "{name}");
        assert_eq!(row[40..80].iter().map(|value| f64::from(*value)).collect::<Vec<_>>(), back, "{name}");
        let threads = run(&network, Box::new(Cpu::new(3)), 30.0, 300).unwrap();
        assert_eq!(done.recorder.spikes_hash(), threads.recorder.spikes_hash(), "{name}");
    }
}

/// A parameter is added as the number that it is, also after it is set.
#[test]
fn parameters_are_added_as_numbers() {
    let mut network = file("to_pre");
    let learns = &mut network.projections[0];
    learns.on_pre = Some("u_post += w; x += 1; sent_pre += a".into());
    learns.on_post = Some("w = clip(w + 0.001*x, 0, 0.1); back_pre -= b; sent_pre += a*b/(4*mV)".into());
    learns.equations = Some("w : 1\ndx/dt = -x/(20*ms) : 1 (event-driven)\nb : volt (constant)".into());
    learns.parameters = [("a".to_owned(), 1.0.into()), ("b".to_owned(), "2*mV*a".into())].into_iter().collect();
    network.projections[1].on_pre =
        serde_json::from_value(json!({"fast": "u_post += w; sent_pre += p", "slow": "v_post += 0.01"})).unwrap();
    network.projections[1].parameters.insert("p".into(), "q/4".into());
    network.projections[1].parameters.insert("q".into(), 1.0.into());
    // With the same parameters, because these number the draws.
    let mut numbers = network.clone();
    numbers.projections[..2].clone_from_slice(&file("to_pre").projections[..2]);
    for (numbers, network) in numbers.projections[..2].iter_mut().zip(&network.projections) {
        numbers.equations.clone_from(&network.equations);
        numbers.parameters.clone_from(&network.parameters);
    }
    let mut changed = numbers.clone();
    changed.projections[0].on_pre = Some("u_post += w; x += 1; sent_pre += 3".into());
    changed.projections[0].on_post = Some("w = clip(w + 0.001*x, 0, 0.1); back_pre -= 6*mV; sent_pre += 4.5".into());
    changed.projections[1].on_pre =
        serde_json::from_value(json!({"fast": "u_post += w; sent_pre += 0.5", "slow": "v_post += 0.01"})).unwrap();
    for (name, device) in devices() {
        let mut done = run(&network, device, 0.0, 1).unwrap();
        let sets = [("learns.a", "3"), ("drawn.q", "2")];
        sets.iter().for_each(|(path, value)| pollster::block_on(done.simulation.set(path, value)).unwrap());
        pollster::block_on(done.go_on(30.0, 13)).unwrap();
        let expected = run(&changed, Box::new(Cpu::new(1)), 30.0, 300).unwrap();
        assert!(done.spikes == expected.spikes && done.samples == expected.samples, "{name}");
    }
    let [done, expected] = [network, numbers].map(|network| run(&network, Box::new(Cpu::new(1)), 30.0, 300).unwrap());
    assert!(done.spikes == expected.spikes && done.samples == expected.samples);
}

/// Synapses of the file draw the same with and without additions to presynaptic neurons.
#[test]
fn additions_change_no_draws() {
    let (network, mut without) = (file("to_pre"), file("to_pre"));
    without.projections[0].on_post = Some("w = clip(w + 0.001*x, 0, 0.1)".into());
    without.projections[0].on_pre = Some("u_post += w; x += 1".into());
    without.projections[1].on_pre = serde_json::from_value(json!({"fast": "u_post += w", "slow": "v_post += 0.01"})).unwrap();
    let [with, without] = [network, without].map(|network| Plan::new(&network).unwrap());
    for (with, without) in with.projections.iter().zip(&without.projections[..2]) {
        assert_eq!((&with.edges, &with.pathways[0].delay), (&without.edges, &without.pathways[0].delay));
    }
}

fn refusal(more: Value) -> String {
    let mut projection = json!({"pre": "A", "post": "B", "connect": {"rule": "all"}});
    projection.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let network = json!({"name": "wrong", "dt_ms": 0.1, "duration_ms": 10, "populations": [
        {"name": "A", "size": 4, "equations": "dv/dt = -v/ms : volt\nk : 1 (constant)", "parameters": {"k": 1}, "threshold": "v > 1*mV", "reset": "v = 0*mV"},
        {"name": "B", "size": 4, "equations": "dv/dt = -v/ms : volt", "threshold": "v > 1*mV", "reset": "v = 0*mV"}], "projections": [projection]});
    let built = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network));
    built.err().map_or_else(|| "it is built".to_owned(), |error: Error| error.to_string())
}

#[test]
fn other_writes_to_presynaptic_neurons_are_named() {
    let cases = [
        (json!({"on_pre": "v_post += 1*mV; v_pre -= 1*mV"}), "it is built"),
        (json!({"on_pre": "v_post += 1*mV; v_pre += 2*w", "parameters": {"w": "1 mV"}}), "it is built"),
        (json!({"on_pre": "v_post += 1*mV; v_pre += w", "parameters": {"w": "1 second"}}), "volt"),
        (
            json!({"on_pre": "v_post += 1*mV; v_pre += w", "parameters": {"w": {"expr": "rand()*mV"}}}),
            "projections[0].parameters.w is a value per synapse, but what is added to presynaptic neurons must be the same",
        ),
        (
            json!({"on_pre": "v_post += 1*mV; v_pre += w", "equations": "w : volt (constant)", "parameters": {"w": {"expr": "i*mV"}}}),
            "projections[0].parameters.w is a value per synapse, but what is added to presynaptic neurons must be the same",
        ),
        (json!({"on_pre": "v_post += 1*mV; v_pre += w", "equations": "w : volt"}), "expression of constants"),
        (json!({"on_pre": "v_post += 1*mV; v_pre += 1"}), "volt"),
        (json!({"on_pre": "v_post += 1*mV; u_pre += 1"}), "the presynaptic neuron has no variable `u`"),
        (json!({"on_pre": "v_post += 1*mV; k_pre += 1"}), "constant"),
        (
            json!({"on_pre": "v_post += 1*mV; v_pre = 1*mV"}),
            "a synapse cannot change its presynaptic neuron, except by adding a constant",
        ),
        (json!({"on_pre": "v_pre += 1*mV; v_post += v_pre"}), "a later statement reads `v_pre`"),
        (json!({"on_pre": "v_pre += 1*mV"}), "these synapses only change their presynaptic neurons"),
        (
            json!({"on_pre": "v_post += 1*mV; v_pre += 1*mV", "delay_ms": {"expr": "rand()*ms"}}),
            "needs one delay for all of them",
        ),
    ];
    for (more, part) in cases {
        let message = refusal(more);
        assert!(message.contains(part), "{message}\nlacks {part}");
    }
}
