//! Indices that an expression generates for each neuron.

use spikelet_network::Error;

use super::connectivity::Connectivity;
use super::edge_batch::EdgeBatch;
use super::happens;
use super::index_generator::{GeneratorAmount, GeneratorValues};
use super::permutation::Domain;
use crate::rng::{Key, Purpose};

impl Connectivity<'_> {
    /// Appends the indices of a neuron, in any order.
    pub(super) fn generate(&self, neuron: u32, indices: &mut Vec<u32>) -> Result<(), Error> {
        let Some(generator) = &self.generator else { return Ok(()) };
        let GeneratorValues { first, step, count, amount } = generator.values(neuron)?;
        let mut add = |ordinal: u32| {
            indices.extend(generator.index(neuron, first + step * i64::from(ordinal))?);
            Ok(())
        };
        let of = |purpose: Purpose, block: u32| Key(self.seed).draw(purpose, self.projection, [block, neuron, 0]);
        let words = |block: u32| of(Purpose::Connect, block);
        match amount {
            GeneratorAmount::All => (0..count).try_for_each(add),
            GeneratorAmount::Probability(p) => {
                let mut drawn = [0; 4];
                for ordinal in 0..if p > 0.0 { count } else { 0 } {
                    if ordinal % 4 == 0 {
                        drawn = words(ordinal / 4);
                    }
                    let word = ordinal as usize % 4;
                    if happens(p, drawn[word], || of(Purpose::MoreConnect, ordinal / 4)[word]) {
                        add(ordinal)?;
                    }
                }
                Ok(())
            }
            GeneratorAmount::Size(size) => {
                let ([_, keys @ ..], mut drawn) = (words(0), Vec::new());
                if count > 0 {
                    Domain::new(count).first_into(keys, size.min(count), &mut drawn);
                }
                drawn.into_iter().try_for_each(add)
            }
        }
    }
}

/// The generated sources of each postsynaptic neuron.
pub(super) struct GeneratedSources {
    /// The next postsynaptic neuron.
    pub(super) next: u32,
    /// The first error.
    pub(super) fault: Option<Error>,
}

impl GeneratedSources {
    /// Draws about `count` further edges; whether there are more.
    pub(super) fn draw(&mut self, connectivity: &Connectivity<'_>, count: usize, edges: &mut EdgeBatch) -> bool {
        // The sources of each neuron are its own draws. A cap of presynaptic neurons needs those of all.
        let is_wanted = |post: u32| connectivity.most[0].is_some() || connectivity.own.contains(post);
        while self.next < connectivity.post.end && edges.pre.len() < count && self.fault.is_none() {
            if is_wanted(self.next) {
                self.fault = connectivity.generate(self.next, &mut edges.pre).err();
                edges.post.resize(edges.pre.len(), self.next);
            }
            self.next += 1;
        }
        self.next < connectivity.post.end && self.fault.is_none()
    }
}
