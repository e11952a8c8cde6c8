use std::sync::Arc;

use spikelet_network::catalogue::entries;
use spikelet_rows::{Assignment, OwnNeurons};

use super::*;
use crate::{Port, ProjectionPlan};

/// The plans of all ranks of a partition.
pub(crate) fn parts(network: &Network, partition: &Partition, options: BuildOptions) -> Vec<Plan> {
    let part = |rank| Builder::of_part(network, options, partition.part(rank)).unwrap();
    let mut builders: Vec<Builder<'_>> = (0..partition.ranks()).map(part).collect();
    let words: Vec<Vec<u32>> = builders.iter_mut().map(|builder| builder.summary().unwrap().to_words()).collect();
    let mut whole = PartSummary::merge(words.iter().map(|words| PartSummary::from_words(words).unwrap()));
    let rows: Vec<Vec<u32>> = builders.iter().filter_map(|builder| builder.recorded_rows(&whole)).collect();
    assert!(whole.add_rows(&rows));
    builders.into_iter().map(|builder| builder.finish_with(&whole).unwrap()).collect()
}

/// Neurons on ranks without any order.
fn scattered(network: &Network, ranks: usize) -> Partition {
    let hash = |neuron: u32| (neuron.wrapping_mul(2_654_435_761) >> 16) % ranks as u32;
    let of = |(_, size): (String, u32)| Assignment::Each(Arc::new((0..size).map(hash).collect()));
    Partition::new(network, ranks, Partition::shape(network).into_iter().map(of).collect()).unwrap()
}

/// The neurons of a synapse, its delays, its weights, and its state.
type SynapseValues = ([u32; 2], Vec<u32>, Vec<i32>, Vec<u32>);

/// Each synapse of a projection: its neurons, delays, and weights.
fn synapses(of: &ProjectionPlan, own: &OwnNeurons) -> Vec<SynapseValues> {
    let rows = of.rows();
    let mut all = Vec::new();
    let weights: Vec<Vec<i32>> = of.writes().map(|(_, write)| write.weights.units().collect()).collect();
    for (pre, row) in (of.pre_slice.start..).zip(rows.offsets.windows(2)) {
        for synapse in row[0] as usize..row[1] as usize {
            let delays = (0..of.pathways.len()).map(|pathway| of.delay(pathway, synapse)).collect();
            let weight = |of: &Vec<i32>| of.get(if of.len() == 1 { 0 } else { synapse }).copied();
            let weights = weights.iter().filter_map(weight).collect();
            let state = of.state.iter().flat_map(|state| &state.arrays).map(|array| array.initial(synapse).to_bits());
            all.push(([pre, own.neuron(rows.target(synapse))], delays, weights, state.collect()));
        }
    }
    all
}

/// The parts together are the whole.
fn check_parts(network: &Network, partition: &Partition) {
    let whole = Plan::new(network).unwrap();
    let parts = parts(network, partition, BuildOptions::default());
    for part in &parts {
        assert_eq!(part.schedule(), whole.schedule());
        assert_eq!(
            (part.epoch_steps, part.memory_steps, part.ring.slots),
            (whole.epoch_steps, whole.memory_steps, whole.ring.slots)
        );
        assert_eq!(part.arrays(), whole.arrays());
        for (population, (own, of)) in part.populations.iter().zip(&whole.populations).enumerate() {
            assert_eq!((own.first, own.size, &own.program), (of.first, of.size, &of.program), "{}", of.name);
            let scales = |ports: &[Port]| -> Vec<_> {
                ports.iter().map(|port| (port.shift, port.split_precision, port.fine_shift, port.limit, port.rest)).collect()
            };
            assert_eq!(scales(&own.ports), scales(&of.ports), "{}", of.name);
            let neurons = part.own(population);
            for (array, initial) in own.initial.iter().enumerate() {
                assert!(initial.len() == 1 || initial.len() == neurons.len() as usize, "{}", of.name);
                for place in 0..neurons.len() {
                    let here = own.initial(array, place as usize);
                    assert_eq!(here.to_bits(), of.initial(array, neurons.neuron(place) as usize).to_bits(), "{}", of.name);
                }
            }
        }
    }
    for (index, of) in whole.projections.iter().enumerate() {
        let own = |part: &Plan| synapses(&part.projections[index], part.own(of.post));
        let mut all: Vec<_> = parts.iter().flat_map(own).collect();
        // The order of synapses between the same neurons is kept.
        all.sort_by_key(|(ends, ..)| *ends);
        assert!(all == synapses(of, whole.own(of.post)), "{}", of.name);
        for part in &parts {
            let here = &part.projections[index];
            assert_eq!((here.synapses(), here.degrees.dropped), (of.synapses(), of.degrees.dropped), "{}", of.name);
            let limits = |of: &ProjectionPlan| -> Vec<_> {
                of.state.iter().flat_map(|state| state.arrivals.clone()).flat_map(|arrival| arrival.adds).collect()
            };
            assert_eq!(limits(here), limits(of), "{}", of.name);
        }
        let outgoing = |plan: &Plan| plan.projections[index].degrees.outgoing.clone();
        let mut sums = vec![0; of.pre_slice.len()];
        parts.iter().for_each(|part| sums.iter_mut().zip(outgoing(part)).for_each(|(sum, own)| *sum += own));
        assert_eq!(sums, outgoing(&whole), "{}", of.name);
    }
}

#[test]
fn parts_of_the_catalogue_are_the_whole() {
    for (number, entry) in entries().iter().enumerate() {
        let network = entry.network(entry.small).unwrap();
        // Scattered neurons are the general case; ranges have shorter ways.
        check_parts(&network, &scattered(&network, 3));
        if number % 3 == 0 {
            check_parts(&network, &Partition::blocks(&network, 2).unwrap());
        }
    }
}

/// A rank has its share of the neurons and synapses, and beside it only what the documents name: offsets of rows, degrees, the spike history.
#[test]
fn the_memory_of_a_part_is_its_share() {
    const KEPT: [&str; 5] = ["offsets", "degrees", "remembered spikes", "tables", "recipes"];
    let shared = |plan: &Plan| -> u64 {
        let items = plan.memory().into_iter().filter(|(name, _)| !KEPT.contains(name));
        items.map(|(_, bytes)| bytes).sum()
    };
    for (name, scale) in [("brunel_ai", 1.0), ("pd14", 0.05), ("plastic_cuba", 0.5)] {
        let network = spikelet_network::catalogue::network(name, scale).unwrap();
        let whole = Plan::new(&network).unwrap();
        for part in parts(&network, &Partition::blocks(&network, 4).unwrap(), BuildOptions::default()) {
            let (own, share) = (shared(&part), shared(&whole) / 4);
            assert!(own <= share + share / 10, "{name}: {own} bytes, a share has {share}");
            let kept = |plan: &Plan| plan.memory().iter().map(|(_, bytes)| bytes).sum::<u64>() - shared(plan);
            assert!(kept(&part) <= kept(&whole), "{name}");
        }
    }
}
