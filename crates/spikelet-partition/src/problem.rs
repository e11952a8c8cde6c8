//! What is known of a network without drawing a synapse.

use spikelet_network::{Error, Network};
use spikelet_plan::{expected_synapses, positions};
use spikelet_rows::{Assignment, ExpectedSynapses, Partition};

use crate::groups::Group;
use crate::load::Costs;
use crate::rates::Rates;
use crate::sample::Sample;

/// A neuron without a rank.
pub(crate) const FREE: u32 = u32::MAX;

/// A network to be divided: loads, positions and expected synapses.
pub struct Problem<'a> {
    pub(crate) network: &'a Network,
    pub(crate) rates: Rates,
    /// Names and sizes of populations and sources.
    pub(crate) shape: Vec<(String, u32)>,
    /// The number of the first neuron of each, and at the end that of all neurons.
    pub(crate) first: Vec<u32>,
    pub(crate) groups: Vec<Group>,
    /// Of each neuron: its work, and its bytes.
    pub(crate) load: Vec<f64>,
    pub(crate) memory: Vec<f64>,
    /// Its work with that of the neurons that follow it.
    pub(crate) weights: Vec<f64>,
    /// Neurons of sources, and the neuron whose rank each of them gets: its only target.
    pub(crate) followers: Vec<(u32, u32)>,
    pub(crate) synapses: Vec<ExpectedSynapses<'a>>,
    pub(crate) sample: Sample,
}

impl<'a> Problem<'a> {
    /// The work is linear in the number of neurons; no synapse is drawn.
    ///
    /// # Errors
    /// The network is not [valid](Network::validate), or its files were not read.
    pub fn new(network: &'a Network, rates: Rates) -> Result<Problem<'a>, Error> {
        network.validate()?;
        let shape = Partition::shape(network);
        let mut first = vec![0];
        for (_, size) in &shape {
            first.push(first[first.len() - 1] + size);
        }
        let synapses = expected_synapses(network)?;
        let positions = positions(network)?;
        let Costs { load, memory } = Costs::new(network, &rates, &synapses, &positions, &first);
        let followers = followers(network, &synapses, &first);
        let mut weights = load.clone();
        for (source, target) in &followers {
            weights[*target as usize] += load[*source as usize];
            weights[*source as usize] = 0.0;
        }
        let sample = Sample::new(&synapses, &first);
        let groups = Group::all(positions, &first);
        Ok(Problem { network, rates, shape, first, groups, load, memory, weights, followers, synapses, sample })
    }

    /// The neurons of a population that have no rank and follow no other neuron.
    pub(crate) fn free_of<'b>(&'b self, population: usize, rank_of: &'b [u32]) -> impl Iterator<Item = u32> + 'b {
        let follows = |neuron: &u32| self.followers.binary_search_by_key(neuron, |(source, _)| *source).is_ok();
        let neurons = self.first[population]..self.first[population + 1];
        neurons.filter(move |neuron| rank_of[*neuron as usize] == FREE && !follows(neuron))
    }

    /// The rank of each neuron, by its number in the network.
    pub(crate) fn ranks_of(&self, partition: &Partition) -> Vec<u32> {
        let mut rank_of = Vec::with_capacity(self.load.len());
        for assignment in partition.populations() {
            match assignment {
                Assignment::Each(ranks) => rank_of.extend(ranks.iter()),
                Assignment::Blocks(bounds) => {
                    let blocks = (0..).zip(bounds.windows(2));
                    rank_of.extend(blocks.flat_map(|(rank, ends)| (ends[0]..ends[1]).map(move |_| rank)));
                }
            }
        }
        rank_of
    }
}

/// The neurons of sources that are connected with one neuron each, and these neurons.
fn followers(network: &Network, synapses: &[ExpectedSynapses<'_>], first: &[u32]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for source in network.populations.len()..first.len() - 1 {
        let of_source = |part: &&ExpectedSynapses<'_>| part.pre().0 == source && part.is_one_to_one();
        if let Some(part) = synapses.iter().find(of_source) {
            let [(_, pres), (population, posts)] = [part.pre(), part.post()];
            found.extend(pres.zip(posts).map(|(pre, post)| (first[source] + pre, first[population] + post)));
        }
    }
    found
}
