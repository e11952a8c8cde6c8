//! Where the neurons and synapses of each rank are in arrays of the whole network.

use spikelet_network::Error;
use spikelet_plan::Plan;
use spikelet_plan::{Exchange, Purpose, Tag};
use spikelet_rows::OwnNeurons;

/// The own neurons of each rank.
pub(crate) struct OwnPlaces {
    /// By rank, then population.
    ranks: Vec<Vec<OwnNeurons>>,
}

impl OwnPlaces {
    /// Exchanges them.
    pub(crate) async fn find(plan: &Plan, exchange: &dyn Exchange) -> Result<OwnPlaces, Error> {
        let mut words = Vec::new();
        for own in plan.part().populations() {
            words.push(own.len());
            match own.as_range() {
                Some(range) => words.extend([0, range.start]),
                None => {
                    words.push(1);
                    words.extend(own.iter());
                }
            }
        }
        let all = exchange.gather(Tag::new(Purpose::Neurons), words).await?;
        let ranks = all.iter().map(|words| {
            let mut words = words.iter().copied();
            let own = plan.populations.iter().map(|of| own_neurons(&mut words, of.size));
            own.collect::<Option<Vec<OwnNeurons>>>()
        });
        let ranks = ranks.collect::<Option<Vec<_>>>();
        let ranks =
            ranks.ok_or_else(|| Error::Backend("the ranks simulate different networks; use the same one for all".into()))?;
        Ok(OwnPlaces { ranks })
    }

    /// The neurons of a population, by rank.
    pub(crate) fn of(&self, population: usize) -> impl Iterator<Item = &OwnNeurons> {
        self.ranks.iter().map(move |of| &of[population])
    }
}

fn own_neurons(words: &mut impl Iterator<Item = u32>, size: u32) -> Option<OwnNeurons> {
    let count = words.next()?;
    if words.next()? == 0 {
        let first = words.next()?;
        return Some(OwnNeurons::range(first..first + count, size));
    }
    Some(OwnNeurons::of(words.take(count as usize), size))
}

/// For each rank the numbers of its synapses of a projection in the order of all rows.
pub(crate) struct SynapsePlaces(Vec<Vec<u32>>);

impl SynapsePlaces {
    /// Exchanges the lengths and targets of rows.
    pub(crate) async fn find(
        plan: &Plan,
        projection: usize,
        neurons: &OwnPlaces,
        exchange: &dyn Exchange,
    ) -> Result<SynapsePlaces, Error> {
        let of = &plan.projections[projection];
        let rows = of.rows();
        let lengths = rows.offsets.windows(2).map(|row| (row[1] - row[0]) as u32);
        let tag = Tag::new(Purpose::Synapses).of(projection);
        let all = exchange.gather(tag, lengths.chain(rows.targets()).collect()).await?;
        let count = rows.offsets.len().saturating_sub(1);
        let own: Vec<&OwnNeurons> = neurons.of(of.post).collect();
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
        let mut next = vec![count; all.len()];
        let (mut number, mut row) = (0, Vec::new());
        for pre in 0..count {
            row.clear();
            for (rank, words) in all.iter().enumerate() {
                let length = words[pre] as usize;
                let targets = &words[next[rank]..next[rank] + length];
                row.extend(targets.iter().map(|place| (own[rank].neuron(*place), rank)));
                next[rank] += length;
            }
            // The order of synapses between the same neurons, which are all of one rank, is kept.
            row.sort_by_key(|(neuron, _)| *neuron);
            for (_, rank) in &row {
                places[*rank].push(number);
                number += 1;
            }
        }
        Ok(SynapsePlaces(places))
    }

    /// The numbers of the synapses of each rank.
    pub(crate) fn of_ranks(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.0.iter()
    }
}
