use serde_json::json;
use spikelet::{Backend, Cpu, Network, Simulation, SynapseState, World};
use spikelet_tests::{devices, run};

const AQUARIUM: &str = include_str!("worlds/aquarium.json");

fn world(configuration: &serde_json::Value) -> Network {
    let (world, _) = World::from_json(&configuration.to_string()).unwrap_or_else(|error| panic!("{error}"));
    world.network()
}

/// A box of 5 x 4 x 3 x 2 neurons, all of whose synapses are excitatory, with a sense.
fn one_area(rule: &str, delay: u32, lifecycle: &serde_json::Value) -> Network {
    world(&json!({
        "lattice_shape": [5, 4, 3, 2],
        "neuron_model": {"type": "LIF"},
        "cell_lifecycle": lifecycle,
        "plasticity": {"rule": rule, "learning_rate": 3, "weight_min": 0, "weight_max": 120, "weight_decay": 0.05},
        "synapses": {"rule": "distance", "p": 1, "lambda": 1, "weight_mean": 60, "weight_std": 20, "delay": delay},
        "senses": {"vision": {"areal": "V1"}},
        "areas": [{"name": "V1", "coord_ranges": {"x": [0, 4], "y": [0, 3], "z": [0, 2], "w": [0, 1]}}]
    }))
}

/// The synapses within the area.
fn recurrent(all: Vec<SynapseState>) -> SynapseState {
    all.into_iter().find(|of| of.projection == "V1_to_V1").unwrap()
}

/// What the loop of the original computes, in f64: potentials in turn, then the Hebbian rule, then the decay.
fn reference(synapses: &SynapseState, delay: usize, image: &[f64], steps: usize) -> (Vec<(u32, u32)>, Vec<f64>) {
    let mut weights: Vec<f64> = synapses.variables["w"].iter().copied().map(f64::from).collect();
    // A spike transmits the weight without the decay since its last change.
    let mut changed = weights.clone();
    let (mut v, mut last) = (vec![-65.0; 120], vec![-1000_i64; 120]);
    let mut fired = vec![[false; 120]; steps];
    let mut spikes = Vec::new();
    for step in 0..steps {
        let mut input = [0.0; 120];
        input[..image.len()].copy_from_slice(image);
        for ([pre, post], weight) in synapses.pairs.iter().zip(&changed) {
            if step >= delay && fired[step - delay][*pre as usize] {
                input[*post as usize] += weight;
            }
        }
        for neuron in 0..120 {
            if step as i64 - last[neuron] < 5 {
                continue;
            }
            v[neuron] += (-(v[neuron] + 65.0) + input[neuron]) / 20.0;
            if v[neuron] >= -50.0 {
                (v[neuron], last[neuron], fired[step][neuron]) = (-70.0, step as i64, true);
                spikes.push((step as u32, neuron as u32));
            }
        }
        for (([pre, post], weight), changed) in synapses.pairs.iter().zip(&mut weights).zip(&mut changed) {
            if fired[step][*pre as usize] {
                let change = if fired[step][*post as usize] { 3.0 } else { -1.5 };
                *weight = (*weight + change).clamp(0.0, 120.0);
                *changed = *weight;
            }
            *weight = (*weight - 0.05).max(0.0);
        }
    }
    (spikes, weights)
}

#[test]
fn spikes_and_weights_are_those_of_the_original() {
    for delay in [1, 3] {
        let network = one_area("hebb_like", delay, &json!({"enable_death": false}));
        let image: Vec<f64> = (0..20).map(|at| if at % 3 == 0 { 0.0 } else { 60.0 + 3.0 * f64::from(at) }).collect();
        let (found, learned, synapses) = pollster::block_on(async {
            let mut simulation = Simulation::new(&network, Box::new(Cpu::new(2))).await.unwrap();
            simulation.set_values("vision.value", &image).await.unwrap();
            let synapses = recurrent(simulation.synapse_state(0).await.unwrap());
            let spikes = simulation.advance(200).await.unwrap().spikes;
            let found: Vec<(u32, u32)> = spikes.iter().map(|spike| (spike.step, spike.neuron)).collect();
            (found, recurrent(simulation.synapse_state(0).await.unwrap()), synapses)
        });
        let (expected, weights) = reference(&synapses, delay as usize, &image, 200);
        assert!(expected.len() > 300, "{} spikes", expected.len());
        let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert!(found == expected, "delay {delay}: {} and {} spikes, {differs:?}", found.len(), expected.len());
        // A weight that has not been used yet decays at its next spike.
        let last = |neuron: u32| expected.iter().rfind(|(_, of)| *of == neuron).map_or(0, |(step, _)| *step);
        for (index, ([pre, _], weight)) in synapses.pairs.iter().zip(&weights).enumerate() {
            let later = 0.05 * f64::from(200 - last(*pre));
            let now = (f64::from(learned.variables["w"][index]) - later).max(0.0);
            assert!((now - weight).abs() < 0.2, "synapse {index}: {now} and {weight}");
        }
    }
}

#[test]
fn the_same_spikes_on_every_device() {
    let mut network = World::from_json(AQUARIUM).unwrap().0.network();
    network.populations[3].initial.insert("value".into(), "40 mV".into());
    network.populations[4].initial.insert("value".into(), "40 mV".into());
    let runs: Vec<_> = devices().into_iter().map(|(name, device)| (name, run(&network, device, 300.0, 300).unwrap())).collect();
    let first = &runs[0].1.spikes;
    let counts = |from: u32, to: u32| first.iter().filter(|spike| (from..to).contains(&spike.neuron)).count();
    // Areas fire, senses do not, and neurons die.
    assert!(counts(0, 192) > 500 && counts(252, 540) > 100, "{} and {}", counts(0, 192), counts(252, 540));
    assert_eq!(counts(540, 608), 0);
    assert!(counts(608, 608 + 540) > 100, "{}", counts(608, 608 + 540));
    for (name, run) in &runs {
        assert!(run.spikes == *first, "{name}");
    }
}

/// Neurons 0 to 119 are the area, 120 to 139 the sense, 140 to 259 the lives.
fn lived(network: &Network, device: Box<dyn Backend>, time_ms: f64) -> (Vec<(u32, u32)>, Simulation) {
    let run = run(network, device, time_ms, 100).unwrap();
    (run.spikes.iter().map(|spike| (spike.step, spike.neuron)).collect(), run.simulation)
}

#[test]
fn the_reborn_have_other_parameters() {
    let lifecycle = json!({"health_decay_per_step": 0.002, "mutation_std_params": 0.1, "mutation_std_weights": 5});
    let network = one_area("hebb_like", 1, &lifecycle);
    for (name, device) in devices() {
        let (spikes, mut simulation) = lived(&network, device, 400.0);
        let mut deaths = [0.0; 120];
        spikes.iter().filter(|(_, neuron)| *neuron >= 140).for_each(|(_, neuron)| deaths[*neuron as usize - 140] += 1.0);
        let mut values = |path: &str| pollster::block_on(simulation.values(0, path)).unwrap();
        assert_eq!(values("V1.births"), deaths, "{name}");
        // At least 0.9 health is lost in 450 steps, so few live through 400, and none dies twice.
        let died = deaths.iter().sum::<f64>();
        assert!((95.0..=120.0).contains(&died), "{name}: {died}");
        let (rests, births) = (values("V1.v_rest"), values("V1.births"));
        for (rest, births) in rests.iter().zip(&births) {
            assert_eq!(*rest == -65.0, *births == 0.0, "{name}: {rest}");
        }
        let spread = (rests.iter().map(|rest| (rest / -65.0 - 1.0).powi(2)).sum::<f64>() / died).sqrt();
        assert!((0.07..0.13).contains(&spread), "{name}: {spread}");
    }
}

#[test]
fn the_dead_are_silent() {
    let lifecycle = json!({"enable_reproduction": false, "health_decay_per_step": 0.01});
    let mut network = one_area("none", 1, &lifecycle);
    network.populations[1].initial.insert("value".into(), "80 mV".into());
    for (name, device) in devices() {
        let (spikes, mut simulation) = lived(&network, device, 150.0);
        for neuron in 0..120 {
            let deaths: Vec<u32> = spikes.iter().filter(|(_, of)| *of == neuron + 140).map(|(step, _)| *step).collect();
            let [death] = deaths[..] else { panic!("{name}: neuron {neuron} dies {} times", deaths.len()) };
            assert!(spikes.iter().all(|(step, of)| *of != neuron || *step <= death), "{name}: neuron {neuron}");
        }
        let fired = spikes.iter().filter(|(_, neuron)| *neuron < 120).count();
        assert!(fired > 50, "{name}: {fired} spikes");
        assert_eq!(pollster::block_on(simulation.values(0, "V1.alive")).unwrap(), [0.0; 120], "{name}");
    }
}

#[test]
fn weights_of_the_reborn_are_drawn_around_those_they_had() {
    let lifecycle = json!({"health_decay_per_step": 0.002, "mutation_std_params": 0, "mutation_std_weights": 1});
    let mut network = one_area("none", 1, &lifecycle);
    network.populations[1].initial.insert("value".into(), "80 mV".into());
    network.projections.iter_mut().for_each(|of| drop(of.parameters.insert("weight_decay".into(), "0 mV".into())));
    let (before, mutated) = pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(2))).await.unwrap();
        let before = recurrent(simulation.synapse_state(0).await.unwrap());
        simulation.advance(600).await.unwrap();
        (before, recurrent(simulation.synapse_state(0).await.unwrap()))
    });
    // Each change has a standard deviation of sqrt(births at both ends), as seen by the last spike of the synapse.
    let born = &mutated.variables["born"];
    let pairs = before.variables["w"].iter().zip(&mutated.variables["w"]).zip(born);
    let (mut count, mut squares) = (0.0, 0.0);
    for ((before, after), born) in pairs.filter(|((before, _), _)| (10.0..110.0).contains(*before)) {
        assert!(*born > 0.0 || before == after, "{before} {after}");
        if *born > 0.0 {
            count += 1.0;
            squares += f64::from((after - before).powi(2) / born);
        }
    }
    assert!(count > 200.0, "{count} synapses");
    assert!((0.8..1.2).contains(&(squares / count).sqrt()), "{}", (squares / count).sqrt());
}

/// Weights of a silent neuron grow as the rule says: by exp(t/τ), τ = window/rate, while the mean rate is 0.
#[test]
fn homeostasis_follows_the_rate_of_spikes() {
    let mut network = world(&json!({
        "lattice_shape": [30, 1, 1, 2],
        "neuron_model": {"type": "LIF"},
        "cell_lifecycle": {"enable_death": false},
        "plasticity": {"rule": "none", "weight_min": 0, "weight_max": 100, "weight_decay": 0,
                       "homeostatic": {"target_rate": 5, "time_window": 100, "scaling_rate": 0.1}},
        "synapses": {"p": 1, "weight_mean": 1, "weight_std": 0},
        "senses": {"a": {"areal": "input"}},
        "areas": [{"name": "input", "coord_ranges": {"x": [0, 29], "y": [0, 0], "z": [0, 0], "w": [0, 0]}},
                  {"name": "silent", "coord_ranges": {"x": [0, 4], "y": [0, 0], "z": [0, 0], "w": [1, 1]}}]
    }));
    network.populations[2].initial.insert("value".into(), "60 mV".into());
    let (_, mut simulation) = lived(&network, Box::new(Cpu::new(2)), 1000.0);
    let synapses = pollster::block_on(simulation.synapse_state(0)).unwrap();
    let mean = |name: &str| {
        let of = synapses.iter().find(|of| of.projection == name).unwrap();
        of.variables["w"].iter().copied().map(f64::from).sum::<f64>() / of.pairs.len() as f64
    };
    // The last spike is at most one interval of 20 ms before the end.
    assert!((2.6..2.72).contains(&mean("input_to_silent")), "{}", mean("input_to_silent"));
    assert!(mean("input_to_input") < 0.01, "{}", mean("input_to_input"));
}
