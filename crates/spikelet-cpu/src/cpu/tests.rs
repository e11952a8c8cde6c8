//! Parts of networks, as ranks on threads of a process.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use spikelet_network::Network;
use spikelet_network::catalogue::entries;
use spikelet_plan::{BuildOptions, Message, Tag};
use spikelet_rows::{Assignment, Partition};

use super::*;
use crate::exchange::Played;

/// Populations, rule, weight, delay, and whether the projection is procedural or learns.
type DrawnProjection = (usize, usize, Value, Value, Value, bool, bool);

/// What a rank has after a run: its results, and the words of each array.
type RankResults = (Activity, Vec<Vec<u32>>);

/// Runs a plan in calls of this many steps.
fn run(plan: Plan, threads: usize, exchange: Option<Rc<dyn Exchange>>, [steps, batch]: [u32; 2]) -> Result<RankResults, Error> {
    pollster::block_on(async {
        let plan = Arc::new(plan);
        let mut cpu = Cpu::new(threads);
        if let Some(exchange) = exchange {
            cpu.join(exchange)?;
        }
        cpu.load(vec![Trial { number: 0, plan: plan.clone() }]).await?;
        let mut all = Activity::default();
        for first in (0..steps).step_by(batch as usize) {
            let epoch = Epoch::new(first, batch.min(steps - first));
            let activity = cpu.advance(epoch).await?.remove(0);
            all.spikes.extend(activity.spikes);
            all.samples.extend(activity.samples);
            all.diverged |= activity.diverged;
        }
        let mut arrays = Vec::new();
        for (id, _) in plan.arrays().iter() {
            arrays.push(cpu.read(0, id).await?);
        }
        Ok((all, arrays))
    })
}

/// Runs all ranks of a partition, each on its own thread.
fn run_ranks(network: &Network, partition: &Partition, threads: usize, steps: [u32; 2]) -> Vec<(Plan, RankResults)> {
    std::thread::scope(|scope| {
        let work = |played: Played| {
            let part = pollster::block_on(Plan::for_part(network, BuildOptions::default(), partition, &played)).unwrap();
            let outcome = run(part.clone(), threads, Some(Rc::new(played)), steps).unwrap();
            (part, outcome)
        };
        let ranks: Vec<_> =
            Played::ranks(partition.ranks()).into_iter().map(|played| scope.spawn(move || work(played))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Neurons of all populations scattered over the ranks; some ranks have none of some populations.
fn scattered(network: &Network, ranks: usize, seed: u32) -> Partition {
    let assign = |(population, (_, size)): (usize, (String, u32))| {
        let some = 1 + (population + seed as usize) % ranks;
        let of = |neuron: u32| (neuron.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7) % some as u32;
        Assignment::Each(Arc::new((0..size).map(of).collect()))
    };
    let populations = Partition::shape(network).into_iter().enumerate().map(assign).collect();
    Partition::new(network, ranks, populations).unwrap()
}

/// All ranks together do what one does: spikes, samples and arrays.
fn check(network: &Network, partition: &Partition, threads: usize, steps: [u32; 2]) {
    let whole = Plan::new(network).unwrap();
    let (expected, arrays) = run(whole.clone(), 1, None, steps).unwrap();
    let ranks = run_ranks(network, partition, threads, steps);
    let place = format!("{}, {} ranks of {threads} threads", network.name, partition.ranks());
    let mut spikes: Vec<_> = ranks.iter().flat_map(|(_, (activity, _))| activity.spikes.iter().copied()).collect();
    spikes.sort_unstable();
    assert!(!expected.spikes.is_empty(), "{place}: no spikes");
    let difference = spikes.iter().zip(&expected.spikes).find(|(found, expected)| found != expected);
    assert!(spikes == expected.spikes, "{place}: {difference:?}");
    let sum = |at: usize| ranks.iter().map(|(_, (activity, _))| activity.samples[at]).sum::<f32>();
    for (at, expected) in expected.samples.iter().enumerate() {
        assert!(sum(at) == *expected, "{place}: sample {at} is {} instead of {expected}", sum(at));
    }
    for (rank, (part, (_, found))) in ranks.iter().enumerate() {
        for (((id, entry), found), all) in whole.arrays().iter().zip(found).zip(&arrays) {
            let of_neurons = |population: usize| part.own(population).iter().map(|neuron| neuron as usize);
            let chosen = |indices: &mut dyn Iterator<Item = usize>| indices.map(|index| all[index]).collect::<Vec<u32>>();
            let expected = match entry.owner {
                Owner::Neurons { population } => chosen(&mut of_neurons(population)),
                Owner::RingColumns { population } => {
                    let size = whole.populations[population].size as usize;
                    let lanes = (0..all.len() / size).map(|lane| lane * size);
                    chosen(&mut lanes.flat_map(|lane| of_neurons(population).map(move |neuron| lane + neuron)))
                }
                Owner::Synapses { projection } => chosen(&mut own_synapses(&whole, part, projection).into_iter()),
                Owner::Events { projection } if !is_shared(&whole, projection, entry.index) => {
                    chosen(&mut own_synapses(&whole, part, projection).into_iter())
                }
                Owner::Traces { projection, end: spikelet_lang::End::Post } => {
                    chosen(&mut of_neurons(whole.projections[projection].post))
                }
                Owner::Memory { population } if !is_remembered(&whole, population) => continue,
                Owner::Statistic => continue,
                _ => all.clone(),
            };
            assert_eq!(part.own_length(id), found.len(), "{place}, rank {rank}: length of `{}`", entry.path);
            assert!(*found == expected, "{place}, rank {rank}: `{}`", entry.path);
        }
    }
}

/// The synapses of a projection onto own neurons, by their numbers in the whole network.
fn own_synapses(whole: &Plan, part: &Plan, projection: usize) -> Vec<usize> {
    let (rows, own) = (whole.projections[projection].rows(), part.own(whole.projections[projection].post));
    (0..rows.len()).filter(|synapse| own.contains(rows.target(*synapse))).collect()
}

/// Whether all synapses of a projection have the same weight.
fn is_shared(plan: &Plan, projection: usize, write: usize) -> bool {
    plan.projections[projection].writes().nth(write).is_some_and(|(_, write)| write.weights.is_shared())
}

/// Whether all ranks have the spike history of a population.
fn is_remembered(plan: &Plan, population: usize) -> bool {
    plan.projections.iter().any(|projection| projection.state.is_some() && projection.pre == population)
}

fn network(name: &str, scale: f64) -> Network {
    entries().iter().find(|entry| entry.name == name).unwrap().network(scale).unwrap()
}

fn of_file(name: &str) -> Network {
    let path = format!("{}/../../tests/networks/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let mut network = Network::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
    // Several ranks record no synapses of rules.
    network.recordings.retain(|recording| network.projections.iter().all(|of| of.name != recording.object));
    network
}

fn check_all(network: &Network, steps: [u32; 2]) {
    check(network, &Partition::blocks(network, 2).unwrap(), 1, steps);
    check(network, &scattered(network, 3, 1), 2, steps);
    check(network, &scattered(network, 7, 5), 1, steps);
}

#[test]
fn ranks_have_the_spikes_of_the_whole_network() {
    for (name, scale) in [("cuba", 0.2), ("pd14", 0.01), ("waves", 0.1)] {
        check_all(&network(name, scale), [300, 120]);
    }
}

#[test]
fn ranks_have_the_synapses_of_the_whole_network() {
    for name in ["everything", "plastic", "plastic_clock", "pathways", "summed", "short_term", "driven", "procedural", "clocks"] {
        check_all(&of_file(name), [400, 170]);
    }
}

#[test]
fn ranks_have_the_winners_of_the_whole_network() {
    check_all(&of_file("winners"), [300, 70]);
    check_all(&network("assemblies_project", 0.1), [60, 25]);
}

/// Counts the messages that are sent.
struct Counted {
    played: Played,
    messages: Rc<Cell<usize>>,
}

impl Exchange for Counted {
    fn rank(&self) -> usize {
        self.played.rank()
    }

    fn size(&self) -> usize {
        self.played.size()
    }

    fn exchange(&self, tag: Tag, sent: Vec<Message>, from: &[usize]) -> Task<'static, Vec<Message>> {
        self.messages.set(self.messages.get() + sent.len());
        self.played.exchange(tag, sent, from)
    }

    fn abandon(&self, error: &Error) {
        self.played.abandon(error);
    }
}

/// Two populations on a rank each, with many steps from the first to the second, and few within them.
#[test]
fn spikes_with_long_delays_are_sent_rarely() {
    let population = |name: &str| {
        json!({"name": name, "size": 40, "equations": "dv/dt = (1.2 - v)/(10*ms) : 1", "threshold": "v > 1", "reset": "v = 0",
               "initial": {"v": {"expr": "rand()"}}})
    };
    let projection = |pre: &str, post: &str, delay: f64| {
        json!({"name": format!("{pre}{post}"), "pre": pre, "post": post, "connect": {"rule": "bernoulli", "p": 0.5},
               "on_pre": "v_post += 0.01", "delay_ms": delay})
    };
    let network = json!({
        "name": "long", "dt_ms": 0.1, "duration_ms": 60, "seed": 2, "populations": [population("A"), population("B")],
        "projections": [projection("A", "A", 0.5), projection("B", "B", 0.5), projection("A", "B", 10.0)],
    });
    let network = Network::from_json(&network.to_string()).unwrap();
    let partition =
        Partition::new(&network, 2, vec![Assignment::Blocks(vec![0, 40, 40]), Assignment::Blocks(vec![0, 0, 40])]).unwrap();
    check(&network, &partition, 1, [600, 600]);
    let messages = std::thread::scope(|scope| {
        let work = |played: Played| {
            let messages = Rc::new(Cell::new(0));
            let part = pollster::block_on(Plan::for_part(&network, BuildOptions::default(), &partition, &played)).unwrap();
            let exchange = Rc::new(Counted { played, messages: messages.clone() });
            run(part, 1, Some(exchange), [600, 600]).unwrap();
            messages.get()
        };
        let ranks: Vec<_> = Played::ranks(2).into_iter().map(|played| scope.spawn(move || work(played))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
    });
    // In a hundred epochs six times, and before each array is read that depends on them. Both send the same to find routes.
    let depends = |owner: Owner| matches!(owner, Owner::RingColumns { .. } | Owner::Events { .. });
    let reads = Plan::new(&network).unwrap().arrays().iter().filter(|(_, entry)| depends(entry.owner)).count();
    assert_eq!(messages[0] - messages[1], 6 + reads, "{messages:?}");
}

#[test]
fn networks_that_cannot_be_divided_are_rejected() {
    let network = of_file("in_turn");
    let partition = Partition::blocks(&network, 2).unwrap();
    let why = std::thread::scope(|scope| {
        let work = |played: Played| {
            let part = pollster::block_on(Plan::for_part(&network, BuildOptions::default(), &partition, &played)).unwrap();
            run(part, 1, Some(Rc::new(played)), [1, 1]).unwrap_err().to_string()
        };
        let ranks: Vec<_> = Played::ranks(2).into_iter().map(|played| scope.spawn(move || work(played))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(why.iter().all(|why| why.contains("cannot be divided among 2 ranks") && why.contains("use one rank")), "{why:?}");
}

fn random_network() -> impl Strategy<Value = Network> {
    let rule = prop_oneof![
        Just(json!({"rule": "all"})),
        (0.01..0.5_f64).prop_map(|p| json!({"rule": "bernoulli", "p": p})),
        (1..20_u32, any::<bool>()).prop_map(|(n, twice)| json!({"rule": "fixed_outdegree", "n": n, "multapses": twice})),
        (1..20_u32).prop_map(|n| json!({"rule": "fixed_indegree", "n": n})),
    ];
    let weight = prop_oneof![
        Just(json!(0.01)),
        Just(json!({"expr": "0.01*rand() + 0.0001*j"})),
        Just(json!({"expr": "0.01*randn() - 0.00001*i"}))
    ];
    let delay =
        prop_oneof![(0..60_u32).prop_map(|steps| json!(0.1 * f64::from(steps))), Just(json!({"expr": "(1 + 2*rand())*ms"}))];
    let projection = (0..2_usize, 0..2_usize, rule, weight, delay, any::<bool>(), any::<bool>());
    let sizes = (20..700_u32, 20..300_u32);
    (sizes, prop::collection::vec(projection, 1..5), 0..1000_u32).prop_map(|((a, b), projections, seed)| {
        let population = |name: &str, size: u32| {
            json!({"name": name, "size": size, "equations": "dv/dt = (1.1 + 0.0003*i - v)/(10*ms) + 0.1*xi/sqrt(10*ms) : 1",
                   "threshold": "v > 1", "reset": "v = 0", "refractory": "2 ms", "initial": {"v": {"expr": "rand()"}}})
        };
        let synapses = |(number, of): (usize, DrawnProjection)| {
            let (pre, post, rule, weight, delay, drawn, learns) = of;
            let name = |population: usize| ["A", "B"][population];
            let can_be_drawn = rule["rule"] != "fixed_indegree";
            let mut of = json!({
                "name": format!("P{number}"), "pre": name(pre), "post": name(post), "connect": rule, "delay_ms": delay
            });
            let more = match learns {
                true => json!({
                    "equations": "w : 1\ndx/dt = -x/(20*ms) : 1 (event-driven)\ndy/dt = -y/(20*ms) : 1 (event-driven)",
                    "on_pre": "v_post += w\nx += 1\nw = clip(w - 0.001*y, -0.05, 0.05)", "on_post": "y += 1\nw = clip(w + 0.001*x, -0.05, 0.05)",
                    "initial": {"w": weight}
                }),
                false => json!({
                    "on_pre": "v_post += w", "parameters": {"w": weight}, "storage": if drawn && can_be_drawn { "procedural" } else { "stored" }
                }),
            };
            of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            of
        };
        let network = json!({
            "name": "random", "dt_ms": 0.1, "duration_ms": 20, "seed": seed,
            "populations": [population("A", a), population("B", b)],
            "sources": [{"name": "S", "type": "poisson", "size": 40, "rate": "100 Hz"}],
            "projections": projections.into_iter().enumerate().map(synapses)
                .chain([json!({"name": "SA", "pre": "S", "post": "A", "connect": {"rule": "bernoulli", "p": 0.1},
                               "on_pre": "v_post += w", "parameters": {"w": 0.2}, "delay_ms": 1.5})])
                .collect::<Vec<_>>(),
            "recordings": [{"object": "A", "var": "v", "indices": [0]}]
        });
        Network::from_json(&network.to_string()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any network, any partition, any number of threads, any length of calls.
    #[test]
    fn any_partition_has_the_spikes_of_the_whole_network(
        network in random_network(), ranks in 1..6_usize, threads in 1..3_usize, batch in 1..200_u32, seed in prop::option::of(0..1000_u32),
    ) {
        let partition = match seed {
            Some(seed) => scattered(&network, ranks, seed),
            None => Partition::blocks(&network, ranks).unwrap(),
        };
        check(&network, &partition, threads, [200, batch]);
    }
}
