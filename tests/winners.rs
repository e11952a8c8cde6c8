use std::sync::Arc;

use serde_json::{Value, json};
use spikelet::{
    Backend, Cpu, Double, Error, Network, Plan, Simulation, Snapshot, Spike, Variant, WinnerRule, catalogue, sum_of_winners,
};
use spikelet_tests::{RecordedRun, gpu, run};

/// The rules of the library that are tested here.
pub(crate) const MODELS: [&str; 2] = ["assembly_hebb", "assembly_hebb_normalised"];

/// Neurons whose value `x` is drawn anew in each step: a uniform one, or one of few that many neurons share.
fn drawn(size: u32, value: &str, threshold: Option<&str>, winners: &Value) -> Network {
    let mut population = json!({
        "name": "A", "size": size, "equations": "x : 1", "update": format!("x = {value}"), "winners": winners
    });
    if let Some(threshold) = threshold {
        population["threshold"] = threshold.into();
    }
    let network = json!({
        "name": "drawn", "dt_ms": 1, "duration_ms": 20, "seed": 5, "populations": [population],
        "recordings": [{"object": "A", "var": "x", "indices": "all"}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

/// Two areas that excite each other and themselves, with a stimulus; only the most excited neurons of each fire, and synapses learn.
fn areas() -> Network {
    let area = |name: &str, size: u32, winners: Value| {
        json!({
            "name": name, "size": size, "equations": "input : 1\nbias : 1", "update": "bias = 0.9*bias", "threshold": "input - bias > 0.2",
            "reset": "bias += 0.5", "winners": winners
        })
    };
    let learning = |name: &str, pre: &str, post: &str| {
        json!({
            "name": name, "pre": pre, "post": post, "connect": {"rule": "bernoulli", "p": 0.1},
            "equations": "w : 1\ndapre/dt = -apre/(5*ms) : 1 (event-driven)",
            "on_pre": "apre += 1\ninput_post += w", "on_post": "w = clip(w*(1 + 0.1*apre), 0, 2)", "initial": {"w": {"expr": "rand()"}}
        })
    };
    let mut areas = json!({
        "name": "areas", "dt_ms": 1, "duration_ms": 60, "seed": 2,
        "populations": [area("A", 2300, json!({"k": 100, "of": "input - bias"})), area("B", 700, json!({"within": 0.3, "of": "input*mV"}))],
        "sources": [{"name": "S", "type": "poisson", "size": 200, "rate": "100 Hz"}],
        "projections": [learning("SA", "S", "A"), learning("AA", "A", "A"), learning("AB", "A", "B"),
                        {"name": "BA", "pre": "B", "post": "A", "connect": {"rule": "fixed_indegree", "n": 20}, "on_pre": "input_post += w",
                         "parameters": {"w": 0.05}, "delay_ms": 2}],
        "recordings": [{"object": "A", "var": "input", "indices": [0, 5, 2299]}]
    });
    for population in areas["populations"].as_array_mut().unwrap() {
        population["update"] = "bias = 0.9*bias\ninput = 0.5*input".into();
    }
    Network::from_json(&areas.to_string()).unwrap()
}

/// The CPU with these threads, and a GPU if it rounds like the CPU.
fn devices() -> Vec<(String, Box<dyn Backend>)> {
    let cpus = [1, 2, 3, 8].map(|threads| (format!("{threads} threads"), Box::new(Cpu::new(threads)) as Box<dyn Backend>));
    let gpu = gpu().filter(|gpu| gpu.name().contains("llvmpipe")).map(|gpu| (gpu.name(), Box::new(gpu) as Box<dyn Backend>));
    cpus.into_iter().chain(gpu).collect()
}

/// The neurons that fire if these have values, and the others are not above threshold.
fn winners(rule: WinnerRule, values: &[(u32, f32)]) -> Vec<u32> {
    let mut order = values.to_vec();
    order.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap().then(a.0.cmp(&b.0)));
    match rule {
        WinnerRule::Largest(k) => order.truncate(k as usize),
        WinnerRule::Within(factor) => {
            let best = order.first().map_or(0.0, |(_, value)| *value);
            order.retain(|(_, value)| best > 0.0 && *value >= factor * best);
        }
    }
    let mut winners: Vec<u32> = order.into_iter().map(|(neuron, _)| neuron).collect();
    winners.sort_unstable();
    winners
}

#[test]
fn the_neurons_with_the_largest_values_fire() {
    let largest = |k: u32| (json!({"k": k, "of": "x"}), WinnerRule::Largest(k));
    let rules = [
        largest(1),
        largest(100),
        largest(2100),
        (json!({"fraction": 0.1, "of": "x"}), WinnerRule::Largest(210)),
        (json!({"fraction": 1e-9, "of": "x"}), WinnerRule::Largest(1)),
        (json!({"within": 0.1, "of": "x"}), WinnerRule::Within(0.9)),
        (json!({"within": 0, "of": "x"}), WinnerRule::Within(1.0)),
    ];
    let values = ["rand() - 0.3", "floor(4*rand()) - 2", "-rand()", "1.5*int(i > 700)"];
    // Every rule with every value, by turns without and with a threshold.
    let pairs = rules.iter().enumerate().flat_map(|(number, rule)| values.map(|value| (number, rule, value)));
    for (place, (number, (key, rule), value)) in pairs.enumerate() {
        let limit = ((number + place) % 2 == 1).then_some(0.5);
        let threshold = limit.map(|limit| format!("x > {limit}"));
        let network = drawn(2100, value, threshold.as_deref(), key);
        let in_f64 = ("f64".to_owned(), Box::new(Double::new()) as Box<dyn Backend>);
        for (device, backend) in devices().into_iter().chain([in_f64]) {
            let run = run(&network, backend, 20.0, 7).unwrap();
            // A row has the values at the start of the step, which are those at the end of the step before.
            for (step, row) in (0..19).zip(run.samples.chunks(2100).skip(1)) {
                let above = |x: f32| limit.is_none_or(|limit| f64::from(x) > limit);
                let values: Vec<(u32, f32)> = (0..).zip(row.iter().copied()).filter(|(_, x)| above(*x)).collect();
                let fired: Vec<u32> = run.spikes.iter().filter(|spike| spike.step == step).map(|spike| spike.neuron).collect();
                assert_eq!(fired, winners(*rule, &values), "{device}, {key}, {value}, above {limit:?}, step {step}");
            }
        }
    }
}

#[test]
fn areas_that_learn_have_the_same_winners_on_any_device() {
    let network = areas();
    let mut reference = None;
    for (batch, (device, backend)) in [60, 7, 60, 16, 13].into_iter().zip(devices()) {
        let mut run = run(&network, backend, 60.0, batch).unwrap();
        let mut arrays = run.arrays().unwrap();
        arrays.retain(|(path, _)| !path.contains("remembered"));
        assert!(run.spikes.iter().filter(|spike| spike.neuron < 2300).count() > 2000, "{} spikes", run.spikes.len());
        assert!(run.spikes.iter().any(|spike| (2300..3000).contains(&spike.neuron)), "{} spikes", run.spikes.len());
        let (spikes, expected) = reference.get_or_insert_with(|| (run.spikes.clone(), arrays.clone()));
        assert!(run.spikes == *spikes, "{device}");
        for ((path, words), (_, expected)) in arrays.iter().zip(expected) {
            assert!(words == expected, "{device}: {path}");
        }
    }
}

#[test]
fn trials_select_for_themselves() {
    let (network, plan) = (Arc::new(areas()), Arc::new(Plan::new(&areas()).unwrap()));
    let variant = |trial: u32| Variant { network: network.clone(), plan: plan.clone(), trial };
    let spikes = |trials: &[u32], threads: usize| {
        pollster::block_on(async {
            let variants = trials.iter().copied().map(variant).collect();
            let mut simulation = Simulation::of_trials(variants, Box::new(Cpu::new(threads))).await.unwrap();
            simulation.advance_trials(60).await.unwrap().into_iter().map(|activity| activity.spikes).collect::<Vec<_>>()
        })
    };
    let together = spikes(&[0, 1, 2], 2);
    for (trial, together) in (0..).zip(&together) {
        assert!(spikes(&[trial], 1)[0] == *together, "trial {trial}");
    }
    assert!(together[0] != together[1]);
}

#[test]
fn a_snapshot_goes_on_with_the_same_winners() {
    let network = areas();
    let whole = run(&network, Box::new(Cpu::new(1)), 60.0, 60).unwrap();
    let bytes = pollster::block_on(async {
        let mut first = Simulation::new(&network, Box::new(Cpu::new(3))).await.unwrap();
        first.advance(23).await.unwrap();
        first.snapshot().await.unwrap().to_bytes()
    });
    let rest = pollster::block_on(async {
        let snapshot = Snapshot::from_bytes(&bytes).unwrap();
        let mut rest = Simulation::new(&network, Box::new(Cpu::new(2))).await.unwrap();
        rest.restore(&snapshot).await.unwrap();
        rest.advance(37).await.unwrap()
    });
    let expected: Vec<Spike> = whole.spikes.into_iter().filter(|spike| spike.step >= 23).collect();
    assert!(rest.spikes == expected && !expected.is_empty());
}

/// Of two populations that inhibit each other the one whose winners have the larger sum fires; a third is in no group.
#[test]
fn of_a_group_one_population_fires() {
    let population = |name: &str, size: u32, value: &str, winners: Value| json!({"name": name, "size": size, "equations": "x : 1", "update": format!("x = {value}"), "threshold": "x > 0.1", "winners": winners});
    let network = json!({
        "name": "group", "dt_ms": 1, "duration_ms": 60, "seed": 4,
        "populations": [
            population("A", 1300, "rand()*(0.5 + 0.5*sin(t/ms))", json!({"k": 300, "of": "x", "group": "g"})),
            population("C", 300, "rand()", json!({"k": 10, "of": "x"})),
            population("B", 900, "rand()*(0.5 + 0.5*cos(t/ms))", json!({"k": 300, "of": "x", "group": "g"}))
        ],
        "recordings": [{"object": "A", "var": "x", "indices": "all"}, {"object": "B", "var": "x", "indices": "all"}]
    });
    let network = Network::from_json(&network.to_string()).unwrap();
    let in_f64 = ("f64".to_owned(), Box::new(Double::new()) as Box<dyn Backend>);
    for (device, backend) in devices().into_iter().chain([in_f64]) {
        let run = run(&network, backend, 60.0, 11).unwrap();
        let [of_a, of_b, of_c] = ["A", "B", "C"].map(|name| rounds(&run, name, 60));
        let mut turns = [0, 0];
        for (step, row) in (0..59).zip(run.samples.chunks(2200).skip(1)) {
            let chosen = [&row[..1300], &row[1300..]].map(|values| {
                let above: Vec<(u32, f32)> = (0..).zip(values.iter().copied()).filter(|(_, x)| *x > 0.1).collect();
                let winners = winners(WinnerRule::Largest(300), &above);
                let sum = sum_of_winners(winners.iter().map(|neuron| values[*neuron as usize]));
                (winners, sum)
            });
            let first = chosen[1].0.is_empty() || !chosen[0].0.is_empty() && chosen[0].1 >= chosen[1].1;
            let [a, b] = chosen.map(|(winners, _)| winners);
            assert_eq!(of_a[step], if first { a } else { Vec::new() }, "{device}, step {step}");
            assert_eq!(of_b[step], if first { Vec::new() } else { b }, "{device}, step {step}");
            assert_eq!(of_c[step].len(), 10, "{device}, step {step}");
            turns[usize::from(!first)] += 1;
        }
        assert!(turns.iter().all(|turns| *turns > 10), "{turns:?}");
    }
    // Of equal sums the first one in the file.
    let mut equal = network;
    for population in &mut equal.populations {
        population.update = Some("x = 1".into());
    }
    let run = run(&equal, Box::new(Cpu::new(2)), 5.0, 5).unwrap();
    assert!(rounds(&run, "A", 5).iter().all(|round| round.len() == 300) && rounds(&run, "B", 5).concat().is_empty());
}

/// Parts of 256, which are added in pairs.
#[test]
fn the_sum_of_winners_is_a_tree() {
    let values: Vec<f32> = (0u32..700).map(|place| 1.0 / (1.0 + place as f32)).collect();
    let mut parts: Vec<f32> =
        (0..256).map(|part| values.iter().skip(part).step_by(256).fold(0.0, |sum, value| sum + value)).collect();
    while parts.len() > 1 {
        let (low, high) = parts.split_at(parts.len() / 2);
        parts = low.iter().zip(high).map(|(low, high)| low + high).collect();
    }
    assert_eq!(sum_of_winners(values.iter().copied()), parts[0]);
    assert_eq!((sum_of_winners([]), sum_of_winners([-2.5])), (0.0, -2.5));
}

/// Every error of a population, with its sentence.
#[test]
fn what_cannot_be_selected_is_refused() {
    let refused = |winners: Value, expected: &[&str]| {
        let network = json!({
            "name": "n", "dt_ms": 1, "duration_ms": 10,
            "populations": [{"name": "A", "size": 30, "equations": "dv/dt = -v/(10*ms) : volt\nopen : boolean", "winners": winners}]
        });
        let error = Network::from_json(&network.to_string()).and_then(|network| Plan::new(&network)).err();
        let error = error.unwrap_or_else(|| panic!("{winners} is accepted")).to_string();
        for part in expected {
            assert!(error.contains(part), "{winners}: {error} lacks `{part}`");
        }
    };
    refused(json!({"k": 0, "of": "v"}), &["populations[0].winners.k is 0", "between 1 and all of the 30"]);
    refused(json!({"k": 31, "of": "v"}), &["populations[0].winners.k is 31", "between 1 and all of the 30"]);
    refused(
        json!({"k": 3, "within": 0.1, "of": "v"}),
        &["populations[0].winners is `k` and `within`", "exactly one", "remove the others"],
    );
    refused(json!({"of": "v"}), &["populations[0].winners is without a number", "exactly one", "add one"]);
    refused(json!({"fraction": 0, "of": "v"}), &["populations[0].winners.fraction is 0", "above 0 and at most 1"]);
    refused(json!({"fraction": 1.5, "of": "v"}), &["populations[0].winners.fraction is 1.5"]);
    refused(json!({"within": 1, "of": "v"}), &["populations[0].winners.within is 1", "from 0 to below 1"]);
    refused(json!({"k": 3}), &["populations[0].winners", "lacks the key `of`", "\"of\": \"v\""]);
    refused(json!({"k": 3, "of": "v + vv"}), &["line 1, column 5", "`vv` is not defined"]);
    refused(json!({"k": 3, "of": "v + 1"}), &["line 1, column 1", "expected the same dimension"]);
    refused(json!({"k": 3, "of": "open"}), &["`open` is true or false; expected a number"]);
}

#[test]
fn a_value_that_is_not_a_number_ends_the_run_at_its_neuron() {
    let network = |threshold: &str| {
        let network = json!({
            "name": "n", "dt_ms": 0.5, "duration_ms": 50,
            "populations": [{"name": "A", "size": 1000, "equations": "n : 1\nx : 1", "update": "n += 1\nx = (20 - n)*int(i == 700)",
                             "threshold": threshold, "winners": {"k": 3, "of": "log(x) - log(x)"}, "initial": {"x": 1}}]
        });
        Network::from_json(&network.to_string()).unwrap()
    };
    let failure = |network: &Network, backend: Box<dyn Backend>, batch: u32| {
        let error = run(network, backend, 50.0, batch).map(|run| run.simulation.failure().cloned());
        error.unwrap_or_else(Some)
    };
    // Neuron 700 alone is above the threshold. A compiler of kernels may take x - x for 0, so that a GPU finds other values.
    for (device, backend) in devices().into_iter().filter(|(device, _)| device.ends_with("threads")) {
        for (batch, backend) in [(100, backend), (7, Box::new(Cpu::new(2)) as Box<dyn Backend>)] {
            match failure(&network("i == 700"), backend, batch) {
                Some(Error::NotComparable { population, neuron: 700, step, .. }) => {
                    // log(0) - log(0) at n = 20.
                    assert_eq!((population.as_str(), step), ("A", 19), "{device}");
                }
                other => panic!("{device}: {other:?}"),
            }
        }
    }
    assert_eq!(failure(&network("i == 700 and x > 0"), Box::new(Cpu::new(1)), 100), None);
}

/// Of two pathways of one step the one with the smaller number is first, whatever their ends and projections.
#[test]
fn pathways_run_by_their_order() {
    let fired = |order: Value| {
        let network = json!({
            "name": "order", "dt_ms": 1, "duration_ms": 10,
            "populations": [{"name": "B", "size": 1, "equations": "v : 1", "threshold": "v > 1", "reset": "v = 0"}],
            "sources": [{"name": "A", "size": 1, "spike_times_ms": [[0, 3]]},
                        {"name": "C", "size": 1, "spike_times_ms": [[0, 3]]}],
            "projections": [
                {"name": "AC", "pre": "A", "post": "B", "connect": {"rule": "all"}, "equations": "w : 1",
                 "on_pre": {"add": "w = w + 1", "double": "w = 2*w"}, "initial": {"w": 3}, "order": order}],
            "recordings": [{"object": "AC", "var": "w", "indices": "all"}]
        });
        let network = Network::from_json(&network.to_string())?;
        Ok::<f32, Error>(*run(&network, Box::new(Cpu::new(1)), 10.0, 10)?.samples.last().unwrap())
    };
    assert_eq!(fired(json!({})), Ok(8.0));
    assert_eq!(fired(json!({"double": 0})), Ok(8.0));
    assert_eq!(fired(json!({"double": -1})), Ok(7.0));
    assert_eq!(fired(json!({"add": 5})), Ok(7.0));
    let error = fired(json!({"doubel": 1})).unwrap_err().to_string();
    assert!(error.contains("projections[0].order: there is no pathway `doubel`; did you mean `double`?"), "{error}");
}

/// A synapse learns before it transmits if `post` is before `pre`.
#[test]
fn the_new_winners_learn_before_they_transmit() {
    let input = |order: Value| {
        let network = json!({
            "name": "order", "dt_ms": 1, "duration_ms": 10,
            "populations": [{"name": "B", "size": 1, "equations": "input : 1", "update": "input = input", "reset": "input = 0"}],
            "sources": [{"name": "A", "size": 1, "spike_times_ms": [[0, 3]]}],
            "projections": [
                {"name": "AB", "pre": "A", "post": "B", "connect": {"rule": "all"}, "equations": "w : 1",
                 "on_pre": "input_post += w", "on_post": "w = 2*w", "initial": {"w": 1}, "order": order}],
            "recordings": [{"object": "B", "var": "input", "indices": "all"}]
        });
        let mut network = Network::from_json(&network.to_string()).unwrap();
        // It fires together with its input.
        network.populations[0].threshold = Some("abs(t - 3*ms) < 0.1*ms".into());
        network.populations[0].reset = None;
        let [one, f64] = [Box::new(Cpu::new(1)) as Box<dyn Backend>, Box::new(Double::new())]
            .map(|backend| *run(&network, backend, 10.0, 10).unwrap().samples.last().unwrap());
        assert_eq!(one, f64);
        one
    };
    assert_eq!(input(json!({})), 1.0);
    assert_eq!(input(json!({"post": -1})), 2.0);
    assert_eq!(input(json!({"pre": 1})), 2.0);
}

/// Share of the first list that is in the second.
fn overlap(one: &[u32], other: &[u32]) -> f64 {
    one.iter().filter(|neuron| other.contains(neuron)).count() as f64 / one.len().max(1) as f64
}

/// The neurons of a population that fire in each step, by their index in it.
fn rounds(run: &RecordedRun, population: &str, steps: u32) -> Vec<Vec<u32>> {
    let of = run.simulation.plan().populations.iter().find(|of| of.name == population).unwrap();
    let mut rounds = vec![Vec::new(); steps as usize];
    for spike in run.spikes.iter().filter(|spike| (of.first..of.first + of.size).contains(&spike.neuron)) {
        rounds[spike.step as usize].push(spike.neuron - of.first);
    }
    rounds
}

/// Presynaptic and postsynaptic neuron of each synapse.
fn pairs(plan: &Plan, projection: usize) -> Vec<(u32, u32)> {
    let of = &plan.projections[projection];
    let pres = of.degrees.outgoing.iter().zip(0..).flat_map(|(degree, pre)| std::iter::repeat_n(pre, *degree as usize));
    pres.zip(of.rows().targets()).collect()
}

/// The rounds of a projection by a plain loop: which weights grow, and who wins by them.
#[test]
fn assemblies_are_those_of_plain_loops() {
    let mut network = catalogue::network("assemblies_project", 0.1).unwrap();
    network.populations[1].units = [("input".to_owned(), 1.0 / 4096.0)].into_iter().collect();
    let mut run = run(&network, Box::new(Cpu::new(2)), 30.0, 30).unwrap();
    assert_eq!(run.simulation.plan().populations[1].ports[0].shift, 12);
    let (stimulus, area) = (rounds(&run, "stimulus", 30), rounds(&run, "A", 30));
    let synapses: Vec<Vec<(u32, u32)>> = (0..2).map(|projection| pairs(run.simulation.plan(), projection)).collect();
    let mut counts: Vec<Vec<i32>> = synapses.iter().map(|pairs| vec![0; pairs.len()]).collect();
    let fired = |rounds: &[Vec<u32>], round: usize| {
        let mut fired = vec![false; 1000];
        rounds[round].iter().for_each(|neuron| fired[*neuron as usize] = true);
        fired
    };
    for round in 1..30 {
        let pres = [fired(&stimulus, round - 1), fired(&area, round - 1)];
        let mut input = vec![0.0; 1000];
        for ((pairs, counts), pre) in synapses.iter().zip(&counts).zip(&pres) {
            for ((_, to), count) in pairs.iter().zip(counts).filter(|((from, _), _)| pre[*from as usize]) {
                input[*to as usize] += (1.1_f64.powi(*count) * 4096.0).round() / 4096.0;
            }
        }
        let values: Vec<(u32, f32)> =
            (0..).zip(input).filter(|(_, input)| *input > 0.0).map(|(to, input)| (to, input as f32)).collect();
        assert_eq!(area[round], winners(WinnerRule::Largest(10), &values), "round {round}");
        let post = fired(&area, round);
        for ((pairs, counts), pre) in synapses.iter().zip(&mut counts).zip(&pres) {
            for ((from, to), count) in pairs.iter().zip(counts) {
                *count += i32::from(pre[*from as usize] && post[*to as usize]);
            }
        }
    }
    for (name, counts) in ["SA.c", "AA.c"].into_iter().zip(counts) {
        let (_, words) = run.arrays().unwrap().into_iter().find(|(path, _)| path == name).unwrap();
        let found: Vec<i32> = words.into_iter().map(|word| f32::from_bits(word) as i32).collect();
        assert_eq!(found, counts, "{name}");
    }
}

/// Papadimitriou et al. 2020: a projected assembly becomes stable, within about 20 rounds.
#[test]
fn a_projected_assembly_is_stable() {
    for seed in 1..=3 {
        let network = Network { seed, ..catalogue::network("assemblies_project", 0.2).unwrap() };
        let run = run(&network, Box::new(Cpu::new(1)), 30.0, 30).unwrap();
        let rounds = rounds(&run, "A", 30);
        assert!(rounds[1..].iter().all(|round| round.len() == 20), "seed {seed}");
        let kept = |round: usize| overlap(&rounds[round], &rounds[round - 1]);
        println!("seed {seed}: {:?}", (2..30).map(kept).collect::<Vec<f64>>());
        assert!(kept(3) < 0.7 && (20..30).all(|round| kept(round) >= 0.9), "seed {seed}");
    }
}

/// The same, of two assemblies that are associated: they share more neurons than before.
#[test]
fn associated_assemblies_overlap() {
    let network = catalogue::network("assemblies_associate", 0.2).unwrap();
    let run = run(&network, Box::new(Cpu::new(1)), 100.0, 100).unwrap();
    let rounds = rounds(&run, "C", 100);
    let before = overlap(&rounds[39], &rounds[59]);
    let after = overlap(&rounds[89], &rounds[99]);
    println!("overlap {before} before, {after} after; {:?}", rounds.iter().map(Vec::len).collect::<Vec<usize>>());
    assert!(rounds[40].is_empty() && rounds[60].is_empty() && rounds[80].is_empty());
    assert!(before < 0.3 && after > before + 0.2, "{before} before, {after} after");
}

/// Words fire again in the order of the readout: the verb, its subject, its object.
#[test]
fn a_sentence_is_read_back_from_its_verb() {
    let network = catalogue::network("assemblies_parser", 1.0).unwrap();
    for seed in 1..4 {
        let run = run(&Network { seed, ..network.clone() }, Box::new(Cpu::new(2)), 84.0, 84).unwrap();
        let said = rounds(&run, "LEX", 84);
        for (round, word) in [(10, 3), (30, 6), (50, 4), (64, 6), (72, 3), (82, 4)] {
            let own = said[round].iter().filter(|neuron| **neuron / 20 == word).count();
            assert!(own >= 18 && said[round].len() == 20, "seed {seed}, step {round}: {:?}", said[round]);
        }
    }
}

/// A bias that is added at each spike keeps neurons from winning again; `hold` lets them win, `open` keeps all from it.
#[test]
fn areas_can_be_refracted_held_and_closed() {
    let network = |parameters: Value, changes: Value| {
        let network = json!({
            "name": "n", "dt_ms": 1, "duration_ms": 20,
            "populations": [{"name": "A", "size": 600, "model": "assembly_area", "winners": {"k": 20, "of": "drive"}, "parameters": parameters}],
            "changes": changes
        });
        let network = Network::from_json(&network.to_string()).unwrap();
        let run = run(&network, Box::new(Cpu::new(2)), 20.0, 20).unwrap();
        rounds(&run, "A", 20)
    };
    let input = json!({"expr": "1 + 0.5*i/N"});
    let same = network(json!({"I": input}), json!([]));
    assert!(same.iter().all(|round| *round == (580..600).collect::<Vec<u32>>()));
    // Refracted neurons do not return, as long as there are others.
    let refracted = network(json!({"I": input, "strength": 1, "refracted": 1}), json!([]));
    let mut all: Vec<u32> = refracted.concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!((all.len(), &refracted[1]), (400, &(560..580).collect::<Vec<u32>>()));
    // A penalty of 1 that decays by e in each step is 0.05 after three.
    let returning = network(json!({"I": 1, "penalty": 1, "tau_bias": "0.05 ms"}), json!([]));
    assert_eq!(returning[0], returning[2]);
    // The winners change, until they are held, until the area is closed for a step.
    let changes = json!([{"at_ms": 5, "set": {"A.hold": 1}}, {"at_ms": 10, "set": {"A.open": 0}}, {"at_ms": 11, "set": {"A.open": 1}},
                         {"at_ms": 15, "set": {"A.hold": 0}}]);
    let held = network(json!({"I": input, "strength": 1, "refracted": 1}), changes);
    assert!((5..10).all(|round| held[round] == held[4]) && held[3] != held[4]);
    assert!((10..15).all(|round| held[round].is_empty()));
    assert!((15..20).all(|round| held[round].len() == 20) && held[15] != held[16]);
}

/// The weights onto a neuron compete: what counts is their part of the sum.
#[test]
fn normalised_weights_have_a_constant_sum() {
    let network = json!({
        "name": "n", "dt_ms": 1, "duration_ms": 20, "seed": 3,
        "populations": [{"name": "A", "size": 500, "model": "assembly_area", "winners": {"k": 20, "of": "drive"},
                         "equations": "total : 1\ndrive = excitation/max(total, 1) - bias : 1"},
                        {"name": "S", "size": 30, "equations": "on : 1 (constant)", "threshold": "on > 0.5", "parameters": {"on": 1}}],
        "projections": [{"name": "SA", "pre": "S", "post": "A", "connect": {"rule": "bernoulli", "p": 0.2}, "model": "assembly_hebb_normalised",
                         "order": {"post": -1}},
                        {"name": "AA", "pre": "A", "post": "A", "connect": {"rule": "bernoulli", "p": 0.1}, "model": "assembly_hebb_normalised",
                         "order": {"post": -1}}],
        "recordings": [{"object": "A", "var": "total", "indices": "all"}]
    });
    let network = Network::from_json(&network.to_string()).unwrap();
    let mut run = run(&network, Box::new(Cpu::new(1)), 20.0, 20).unwrap();
    let mut totals = vec![0.0; 500];
    let arrays = run.arrays().unwrap();
    for (projection, name) in ["SA.w", "AA.w"].into_iter().enumerate() {
        let (_, words) = arrays.iter().find(|(path, _)| path == name).unwrap();
        for ((_, post), word) in pairs(run.simulation.plan(), projection).into_iter().zip(words) {
            totals[post as usize] += f64::from(f32::from_bits(*word));
        }
    }
    pollster::block_on(run.go_on(2.0, 2)).unwrap();
    // Summed at the start of the step after, before anything else is learned.
    let found = &run.samples[21 * 500..];
    assert!(found.iter().any(|total| total.fract() != 0.0));
    for (found, expected) in found.iter().zip(&totals) {
        assert!((f64::from(*found) - expected).abs() < 1e-3 * expected.max(1.0), "{found}, expected {expected}");
    }
}

#[test]
fn a_unit_that_does_not_fit_is_refused() {
    let plan = |unit: f64, weights: &str, name: &str| {
        let network = json!({
            "name": "n", "dt_ms": 1, "duration_ms": 10,
            "populations": [{"name": "A", "size": 10, "equations": "x : 1", "units": {name: unit}}],
            "sources": [{"name": "S", "type": "poisson", "size": 100, "rate": "10 Hz"}],
            "projections": [{"name": "SA", "pre": "S", "post": "A", "connect": {"rule": "all"}, "equations": "w : 1", "on_pre": "x_post += w\nw = 2*w",
                             "initial": {"w": 1}}]
        });
        let mut network = Network::from_json(&network.to_string())?;
        network.projections[0].on_pre = Some(weights.into());
        Plan::new(&network)
    };
    let refused = |unit: f64, weights: &str, name: &str| plan(unit, weights, name).unwrap_err().to_string();
    let bounded = "x_post += w\nw = clip(2*w, 0, 100)";
    // 100 synapses of 100 each are 10^4 < 2^14, and 17 bits remain.
    assert_eq!(plan(1.0 / 131_072.0, bounded, "x").unwrap().populations[0].ports[0].shift, 17);
    assert_eq!(plan(8.0, bounded, "x").unwrap().populations[0].ports[0].shift, -3);
    let error = refused(1.0 / 262_144.0, bounded, "x");
    assert!(
        error.contains(
            "populations[0].units.x is 0.000003814697265625, but the largest input of a neuron, with weights up to 100"
        ),
        "{error}"
    );
    assert!(error.contains("make the largest weight smaller (w_max), or the unit at least 0.00000762939453125"), "{error}");
    let error = refused(0.5, "x_post += w\nw = 2*w", "x");
    assert!(error.contains("weights that add to `x` have no bound") && error.contains("clip(w, 0, w_max)"), "{error}");
    let error = refused(0.3, bounded, "x");
    assert!(error.contains("populations[0].units.x is 0.3, but a unit is a power of two"), "{error}");
    let error = refused(0.5, bounded, "y");
    assert!(error.contains("populations[0].units: there is no variable `y`"), "{error}");
}
