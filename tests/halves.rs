use serde_json::{Value, json};
use spikelet::lang::half as float;
use spikelet::{BuildOptions, Builder, Cpu, Network, Owner, PerSynapse, Plan, Simulation, Storage, Weights, half};
use spikelet_gpu::gpu_plan;
use spikelet_tests::{devices, run};

use crate::lockstep::{file, halved, stored};
use crate::snapshots::alike;

/// A neuron that fires in every step, onto some that keep what arrives.
fn fan(synapses: &Value) -> Network {
    let mut projection = json!({"name": "fan", "pre": "a", "post": "b", "on_pre": "v_post += w", "delay_ms": 0});
    projection.as_object_mut().unwrap().extend(synapses.as_object().unwrap().clone());
    let network = json!({"name": "fan", "dt_ms": 0.1, "duration_ms": 1, "populations": [
        {"name": "a", "size": 3, "equations": "x : 1", "update": "x += 1", "threshold": "x > 0"},
        {"name": "b", "size": 5, "equations": "v : 1\nu : 1", "update": "u = v"}], "projections": [projection]});
    Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn weights(plan: &Plan) -> &PerSynapse<i32> {
    &plan.projections[0].writes().next().unwrap().1.weights
}

/// The same on every device that rounds sums as the CPU does, of weights that are not the exact ones.
#[test]
fn spikes_are_the_same_on_every_device() {
    let whole = stored(&file("procedural"));
    let network = halved(&whole);
    let mut hashes = Vec::new();
    for (name, device) in devices() {
        let done = run(&network, device, 20.0, 64).unwrap();
        assert!(done.spikes.len() > 1000, "{name}: {} spikes", done.spikes.len());
        if name != "the GPU" || done.simulation.backend().name().contains("llvmpipe") {
            hashes.push((name, done.recorder.spikes_hash()));
        }
    }
    assert!(hashes.iter().all(|(_, hash)| *hash == hashes[0].1), "{hashes:?}");
    let units = |network: &Network| {
        let plan = Plan::new(network).unwrap();
        let of = |projection: &std::sync::Arc<spikelet::ProjectionPlan>| {
            projection.writes().flat_map(|(_, write)| write.weights.units().collect::<Vec<_>>()).collect::<Vec<i32>>()
        };
        plan.projections.iter().flat_map(of).collect::<Vec<_>>()
    };
    let (exact, rounded) = (units(&whole), units(&network));
    let moved = exact.iter().zip(&rounded).filter(|(exact, rounded)| exact != rounded).count();
    assert!(exact.len() == rounded.len() && moved > 1000, "f16 changes {moved} of {} weights", exact.len());
}

/// Where weights have a byte more than they need, both are the same.
#[test]
fn few_bits_are_kept_as_they_are() {
    let pairs =
        json!({"pairs": [[0, 0], [0, 4], [1, 0], [2, 2], [2, 3]], "parameters": {"w": {"values": [0.5, -3, 1.75, 0, 2]}}});
    let network = fan(&pairs);
    let done = |network: &Network| run(network, Box::new(Cpu::new(1)), 1.0, 1).unwrap().arrays().unwrap();
    assert_eq!(done(&halved(&network)), done(&network));
}

#[test]
fn lists_and_draws_are_kept_in_two_bytes_and_rounded_once_more() {
    let whole = stored(&file("procedural"));
    let (exact, rounded) = (Plan::new(&whole).unwrap(), Plan::new(&halved(&whole)).unwrap());
    let mut lists = 0;
    for (exact, rounded) in exact.projections.iter().zip(&rounded.projections) {
        for ((_, exact), (_, rounded)) in exact.writes().zip(rounded.writes()) {
            let PerSynapse::Each(each) = &exact.weights else {
                assert_eq!(exact.weights, rounded.weights);
                continue;
            };
            assert!(matches!(rounded.weights, PerSynapse::Half(_)), "{rounded:?}");
            assert_eq!((rounded.weights.len(), rounded.weights.bytes()), (each.len(), 2 * each.len() as u64));
            lists += 1;
        }
    }
    assert!(lists > 4, "{lists} lists");
    let of = |plan: &Plan, name: &str| plan.memory().iter().find(|(known, _)| *known == name).unwrap().1;
    let shared =
        |plan: &Plan| 4 * plan.projections.iter().flat_map(|p| p.writes()).filter(|(_, write)| write.weights.is_shared()).count();
    let lists = |plan: &Plan| of(plan, "weights") - shared(plan) as u64;
    assert_eq!(lists(&exact), 2 * lists(&rounded));
    assert_eq!(of(&exact, "synapses"), of(&rounded, "synapses"));
}

/// Two weights that are rounded up still fit their ring together.
#[test]
fn the_scale_leaves_room_for_rounding() {
    let network = fan(&json!({"pairs": [[0, 0], [1, 0], [2, 3]], "parameters": {"w": {"values": [0.99999, 0.99998, 0.5]}}}));
    let plan = Plan::new(&halved(&network)).unwrap();
    let units: Vec<i32> = weights(&plan).units().collect();
    let shift = plan.populations[1].ports[0].shift;
    // As large as they may be: rounded up to 1.
    assert_eq!((units.as_slice(), shift), ([1 << 29, 1 << 29, 1 << 28].as_slice(), 29));
    assert_eq!(Plan::new(&network).unwrap().populations[1].ports[0].shift, 30, "the exact ones fit a finer scale");
    for (name, device) in devices() {
        let mut done = run(&halved(&network), device, 0.3, 1).unwrap();
        let array = done.simulation.plan().arrays().of(Owner::Neurons { population: 1 }, 0).unwrap();
        let words = pollster::block_on(done.simulation.read(array)).unwrap();
        assert_eq!(f32::from_bits(words[0]), 6.0, "{name}");
    }
}

/// Words that are written are rounded alike by all devices.
#[test]
fn weights_that_are_written_are_rounded() {
    let network = halved(&fan(&json!({"connect": {"rule": "all"}, "parameters": {"w": "uniform(-1, 1)"}})));
    let words: Vec<u32> = (0..15).map(|k| 1_234_567_u32.wrapping_mul(k) ^ k << 31).collect();
    for (name, device) in devices() {
        let mut done = run(&network, device, 0.0, 1).unwrap();
        let weights = done.simulation.plan().arrays().of(Owner::Events { projection: 0 }, 0).unwrap();
        pollster::block_on(done.simulation.write(weights, &words)).unwrap();
        let found = pollster::block_on(done.simulation.read(weights)).unwrap();
        let expected: Vec<u32> = words.iter().map(|word| half::decode(half::encode(*word as i32)) as u32).collect();
        assert!(found == expected && found != words, "{name}: {found:?}");
    }
}

/// A snapshot keeps weights that were set, and goes on with the same.
#[test]
fn a_snapshot_holds_weights_that_were_set() {
    let network = halved(&stored(&file("procedural")));
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        simulation.advance(60).await.unwrap();
        simulation.set("outdegree.w", "{\"expr\": \"0.08*mV*rand()\"}").await.unwrap();
        // A coarser scale.
        simulation.set("bernoulli_others.w", "2 mV").await.unwrap();
        let snapshot = simulation.snapshot().await.unwrap();
        let expected = simulation.advance(40).await.unwrap();
        assert!(expected.spikes.len() > 100, "{} spikes", expected.spikes.len());
        for (name, device) in alike() {
            let mut other = Simulation::from_snapshot(&snapshot, device).await.unwrap();
            assert!(other.plan().projections == simulation.plan().projections, "{name}: weights");
            assert!(other.advance(40).await.unwrap() == expected, "{name}");
        }
    });
}

/// Whoever builds a plan may say how weights are kept where the network does not.
#[test]
fn a_projection_has_the_last_word() {
    let network = |kept: Value| {
        let mut synapses = json!({"connect": {"rule": "all"}, "parameters": {"w": "uniform(-1, 1)"}});
        synapses["weights"] = kept;
        fan(&synapses)
    };
    let plan = |kept: Value, weights| {
        Builder::new(&network(kept), BuildOptions { weights, ..BuildOptions::default() }).and_then(Builder::finish).unwrap()
    };
    for (kept, asked, is_half) in [
        (Value::Null, None, false),
        (Value::Null, Some(Weights::F16), true),
        (json!("f16"), None, true),
        (json!("f16"), Some(Weights::I32), true),
        (json!("i32"), Some(Weights::F16), false),
    ] {
        assert_eq!(matches!(weights(&plan(kept.clone(), asked)), PerSynapse::Half(_)), is_half, "{kept}, {asked:?}");
    }
}

/// Drawn weights are not rounded, so a lack of memory must not make them drawn ones.
#[test]
fn how_much_memory_there_is_changes_no_spike() {
    let mut network = fan(&json!({"connect": {"rule": "bernoulli", "p": 0.5}, "parameters": {"w": "uniform(-1, 1)"}}));
    for population in &mut network.populations {
        population.size = 2000;
    }
    let options = |weights, memory| BuildOptions { memory: Some(memory), weights, ..BuildOptions::default() };
    let built = |weights, memory| Builder::new(&network, options(weights, memory));
    assert!(!built(None, 4 << 20).unwrap().estimate().projections[0].stored);
    let refused = built(Some(Weights::F16), 4 << 20).err().unwrap().to_string();
    assert!(refused.contains("synapses of `fan`") && refused.contains("4.0 MiB"), "{refused}");
    // Two million synapses of six bytes each do not fit, of four they do.
    assert!(!built(None, 10 << 20).unwrap().estimate().projections[0].stored);
    assert!(built(Some(Weights::F16), 10 << 20).unwrap().estimate().projections[0].stored);
    // Who asks for drawn ones has them.
    let options = BuildOptions { storage: Some(Storage::Procedural), ..options(Some(Weights::F16), 1 << 30) };
    let plan = Builder::new(&network, options).and_then(Builder::finish).unwrap();
    assert!(matches!(weights(&plan), PerSynapse::Drawn(_)));
}

#[test]
fn synapses_with_a_state_have_none() {
    let synapses =
        json!({"pairs": [[0, 0]], "equations": "u : 1", "on_pre": "u += 1\nv_post += u", "delay_ms": 0.1, "weights": "f16"});
    let message = Plan::new(&fan(&synapses)).unwrap_err().to_string();
    assert_eq!(
        message,
        "projections[0].weights is \"f16\", but its synapses have state, and each of its variables has a format of its own; remove it, and flag the \
         variable in the equations, as in `w : 1 (plastic, f16)`"
    );
    let mut network = fan(&synapses);
    network.projections[0].weights = None;
    let options = BuildOptions { weights: Some(Weights::F16), ..BuildOptions::default() };
    assert!(Builder::new(&network, options).and_then(Builder::finish).is_ok());
}

/// Variables of synapses with the flag f16 have the values of an f16, the same on every device, also after they are written.
#[test]
fn variables_of_synapses_are_rounded_alike() {
    let network = file("halves");
    let mut hashes = Vec::new();
    for (name, device) in alike() {
        let mut done = run(&network, device, 40.0, 64).unwrap();
        for path in ["stdp.w", "mixed.s", "mixed.k", "mixed.q"] {
            let array = done.simulation.plan().array(path).unwrap();
            let values = |words: Vec<u32>| words.into_iter().map(f32::from_bits).collect::<Vec<_>>();
            let found = values(pollster::block_on(done.simulation.read(array)).unwrap());
            assert!(found.iter().all(|value| float::round(*value) == *value), "{name}: {path}");
            assert!(found.iter().any(|value| *value != found[0]), "{name}: {path}");
            let written: Vec<f32> = (0..found.len()).map(|k| 0.1 + 0.001 * k as f32).collect();
            let words: Vec<u32> = written.iter().map(|value| value.to_bits()).collect();
            pollster::block_on(done.simulation.write(array, &words)).unwrap();
            let found = values(pollster::block_on(done.simulation.read(array)).unwrap());
            assert_eq!(found, written.into_iter().map(float::round).collect::<Vec<_>>(), "{name}: {path}");
        }
        hashes.push(done.recorder.spikes_hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

/// On a GPU their arrays take half of the memory.
#[test]
fn variables_of_synapses_take_two_bytes() {
    let words = |network: &Network| -> u64 {
        let plan = gpu_plan(&Plan::new(network).unwrap(), 1 << 30).unwrap();
        plan.buffers.iter().filter(|(name, _)| ["state", "ring"].contains(&name.as_str())).map(|(_, bytes)| bytes).sum()
    };
    let half = file("halves");
    let mut whole = half.clone();
    for projection in &mut whole.projections {
        projection.equations = projection.equations.as_ref().map(|text| text.replace(", f16", "").replace(" (f16)", ""));
    }
    let plan = Plan::new(&half).unwrap();
    let saved: usize = [(0, 1), (1, 3)].iter().map(|(of, arrays)| 2 * arrays * (plan.projections[*of].rows().len() & !1)).sum();
    assert_eq!(words(&whole) - words(&half), saved as u64);
}

#[test]
fn variables_that_cannot_have_two_bytes_are_refused() {
    let refusal = |equations: &str, w: &str| {
        let mut network = file("halves");
        let stdp = &mut network.projections[0];
        (stdp.equations, stdp.initial["w"]) = (Some(equations.into()), w.into());
        Plan::new(&network).unwrap_err().to_string()
    };
    let traces = "dx/dt = -x/(20*ms) : 1 (event-driven)\ndy/dt = -y/(20*ms) : 1 (event-driven)";
    for (equations, w, expected) in [
        (format!("w : 1 (f16)\n{traces}"), "70000", "w is 70000 1, but its flag f16 allows at most 65504 1; use smaller values"),
        (
            traces.replace("(event-driven)", "(event-driven, f16)") + "\nw : 1",
            "0",
            "`x` is a trace: neurons store it, once for all of their synapses.",
        ),
        (format!("w : 1\nk : 1 (f16)\n{traces}"), "0", "`k` is flagged f16, but nothing changes it."),
        (format!("dw/dt = -w/(10*second) : 1 (clock-driven, f16)\n{traces}"), "0", "`w` needs more bits than an f32 has"),
    ] {
        let found = refusal(&equations, w);
        assert!(found.contains(expected), "{found}");
    }
}
