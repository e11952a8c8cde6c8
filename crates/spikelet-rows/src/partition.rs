//! Which neurons belong to which rank: the devices or processes that simulate a network together.

mod own;

use std::ops::Range;
use std::sync::Arc;

pub use own::OwnNeurons;

use spikelet_network::{Error, Network, SourceKind};

/// An assignment of all neurons of a network to ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    ranks: usize,
    /// One for each population of the network, followed by one for each of its sources that have neurons: see [`Partition::shape`].
    populations: Vec<Assignment>,
}

/// The ranks of the neurons of a population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    /// Consecutive neurons: rank r has those from entry r up to entry r + 1.
    Blocks(Vec<u32>),
    /// The rank of each neuron.
    Each(Arc<Vec<u32>>),
}

impl Assignment {
    /// Consecutive neurons, as equal in number as possible.
    pub fn blocks(size: u32, ranks: usize) -> Assignment {
        let at = |rank: usize| (u64::from(size) * rank as u64 / ranks.max(1) as u64) as u32;
        Assignment::Blocks((0..=ranks).map(at).collect())
    }

    /// The rank of a neuron.
    pub fn rank_of(&self, neuron: u32) -> usize {
        match self {
            Assignment::Blocks(bounds) => bounds[1..].partition_point(|end| *end <= neuron),
            Assignment::Each(ranks) => ranks[neuron as usize] as usize,
        }
    }

    /// Number of neurons.
    pub fn size(&self) -> u32 {
        match self {
            Assignment::Blocks(bounds) => bounds.last().copied().unwrap_or(0),
            Assignment::Each(ranks) => ranks.len() as u32,
        }
    }

    /// The neurons of a rank.
    pub fn own(&self, rank: usize) -> OwnNeurons {
        match self {
            Assignment::Blocks(bounds) => OwnNeurons::range(bounds[rank]..bounds[rank + 1], self.size()),
            Assignment::Each(ranks) => {
                let own = (0..).zip(ranks.iter()).filter(|(_, of)| **of as usize == rank).map(|(neuron, _)| neuron);
                OwnNeurons::of(own, self.size())
            }
        }
    }
}

impl Partition {
    /// A partition from the assignment of each population of the [shape](Partition::shape).
    ///
    /// # Errors
    /// There are no ranks or more ranks than neurons, the shape differs, or a neuron has a rank that does not exist.
    pub fn new(network: &Network, ranks: usize, populations: Vec<Assignment>) -> Result<Partition, Error> {
        let shape = Partition::shape(network);
        check_ranks(ranks, shape.iter().map(|(_, size)| u64::from(*size)).sum())?;
        let sizes = populations.iter().map(Assignment::size);
        if !sizes.eq(shape.iter().map(|(_, size)| *size)) {
            let expected = format!("{} populations and sources, each with all of its neurons", shape.len());
            return Err(Error::Backend(format!("a partition of another network was given; expected {expected}")));
        }
        for (assignment, (name, _)) in populations.iter().zip(&shape) {
            let wrong = match assignment {
                Assignment::Blocks(bounds) => bounds.len() != ranks + 1 || !bounds.is_sorted() || bounds[0] != 0,
                Assignment::Each(of) => of.iter().any(|rank| *rank as usize >= ranks),
            };
            if wrong {
                let way_out = format!("give each neuron one of the ranks 0 to {}", ranks - 1);
                return Err(Error::Backend(format!("a neuron of `{name}` has no rank or one that does not exist; {way_out}")));
            }
        }
        Ok(Partition { ranks, populations })
    }

    /// Consecutive neurons of each population, as equal in number as possible.
    ///
    /// # Errors
    /// There are no ranks, or more ranks than neurons.
    pub fn blocks(network: &Network, ranks: usize) -> Result<Partition, Error> {
        let blocks = |(_, size): &(String, u32)| Assignment::blocks(*size, ranks);
        check_ranks(ranks, Partition::shape(network).iter().map(|(_, size)| u64::from(*size)).sum())?;
        Partition::new(network, ranks, Partition::shape(network).iter().map(blocks).collect())
    }

    /// The names and sizes of what is assigned: the populations of the network, after them its sources that have neurons, and then its events
    /// that have neurons.
    pub fn shape(network: &Network) -> Vec<(String, u32)> {
        let populations = network.populations.iter().map(|population| (population.name.clone(), population.size));
        let sources = network.sources.iter().filter(|source| !matches!(source.kind, SourceKind::PoissonInput { .. }));
        let events = network.events_with_neurons().map(|(index, event)| {
            let population = &network.populations[index];
            (format!("{}.{event}", population.name), population.size)
        });
        populations.chain(sources.map(|source| (source.name.clone(), source.size()))).chain(events).collect()
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The assignment of each population.
    pub fn populations(&self) -> &[Assignment] {
        &self.populations
    }

    /// The part of a rank.
    pub fn part(&self, rank: usize) -> Part {
        Part { rank, ranks: self.ranks, populations: self.populations.iter().map(|of| of.own(rank)).collect() }
    }
}

/// Rejects numbers of ranks for which there is no partition.
fn check_ranks(ranks: usize, neurons: u64) -> Result<(), Error> {
    if ranks == 0 || ranks as u64 > neurons {
        let expected = format!("a network of {neurons} neurons can have 1 to {neurons} ranks");
        return Err(Error::invalid("ranks", ranks, expected, "use fewer ranks than neurons, and at least one"));
    }
    Ok(())
}

/// The neurons of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    rank: usize,
    ranks: usize,
    populations: Vec<OwnNeurons>,
}

impl Part {
    /// All neurons of populations of these sizes, as the only rank.
    pub fn whole(sizes: impl IntoIterator<Item = u32>) -> Part {
        Part { rank: 0, ranks: 1, populations: sizes.into_iter().map(|size| OwnNeurons::range(0..size, size)).collect() }
    }

    /// Whether there are no other ranks.
    pub fn is_whole(&self) -> bool {
        self.ranks == 1
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Its neurons of a population.
    pub fn own(&self, population: usize) -> &OwnNeurons {
        &self.populations[population]
    }

    /// Its neurons of each population.
    pub fn populations(&self) -> &[OwnNeurons] {
        &self.populations
    }

    /// Number of its neurons.
    pub fn neurons(&self) -> u32 {
        self.populations.iter().map(OwnNeurons::len).sum()
    }
}

/// The part of a range that is in another one.
pub fn common(one: &Range<u32>, other: &Range<u32>) -> Range<u32> {
    let start = one.start.max(other.start);
    start..one.end.min(other.end).max(start)
}
