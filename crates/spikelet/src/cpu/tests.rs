//! Parts of networks, as ranks on threads of a process.

use std::rc::Rc;
use std::sync::Arc;

use super::*;
use crate::catalogue::entries;
use crate::exchange::Played;
use crate::{Assignment, Network, Partition};

/// What a rank has after a run: its results, and the words of each array.
type Outcome = (Activity, Vec<Vec<u32>>);

/// Runs a plan in calls of this many steps.
fn run(plan: Plan, threads: usize, exchange: Option<Played>, [steps, batch]: [u32; 2]) -> Result<Outcome, Error> {
    pollster::block_on(async {
        let plan = Arc::new(plan);
        let mut cpu = Cpu::new(threads);
        if let Some(exchange) = exchange {
            cpu.join(Rc::new(exchange))?;
        }
        cpu.load(vec![Trial { number: 0, plan: plan.clone() }]).await?;
        let mut all = Activity::default();
        for first in (0..steps).step_by(batch as usize) {
            let epoch = Epoch { first, steps: batch.min(steps - first) };
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
fn run_ranks(plan: &Plan, partition: &Partition, threads: usize, steps: [u32; 2]) -> Vec<(Plan, Vec<Vec<usize>>, Outcome)> {
    std::thread::scope(|scope| {
        let ranks = Played::ranks(partition.ranks()).into_iter().enumerate().map(|(rank, played)| {
            scope.spawn(move || {
                let (part, synapses) = plan.cut(partition, rank);
                let outcome = run(part.clone(), threads, Some(played), steps).unwrap();
                (part, synapses, outcome)
            })
        });
        let ranks: Vec<_> = ranks.collect();
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
    let ranks = run_ranks(&whole, partition, threads, steps);
    let place = format!("{}, {} ranks of {threads} threads", network.name, partition.ranks());
    let mut spikes: Vec<_> = ranks.iter().flat_map(|(.., (activity, _))| activity.spikes.iter().copied()).collect();
    spikes.sort_unstable();
    assert!(!expected.spikes.is_empty(), "{place}: no spikes");
    let difference = spikes.iter().zip(&expected.spikes).find(|(found, expected)| found != expected);
    assert!(spikes == expected.spikes, "{place}: {difference:?}");
    let sum = |at: usize| ranks.iter().map(|(.., (activity, _))| activity.samples[at]).sum::<f32>();
    for (at, expected) in expected.samples.iter().enumerate() {
        assert!(sum(at) == *expected, "{place}: sample {at} is {} instead of {expected}", sum(at));
    }
    for (rank, (part, synapses, (_, found))) in ranks.iter().enumerate() {
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
                Owner::Synapses { projection } => chosen(&mut synapses[projection].iter().copied()),
                Owner::Events { projection } if !is_shared(&whole, projection, entry.index) => {
                    chosen(&mut synapses[projection].iter().copied())
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
    Network::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
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
