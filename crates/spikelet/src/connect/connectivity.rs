//! The connectivity of one projection before it is drawn.

use std::ops::Range;
use std::sync::Arc;

use super::space::Space;
use crate::partition::common;
use crate::rng::{Key, Purpose};
use crate::{OwnNeurons, Rule};

/// A condition on a pair of neurons.
pub(crate) type PairPredicate = Arc<dyn Fn(u32, u32) -> bool + Send + Sync>;

/// A number for a pair of neurons.
pub(crate) type PairValue = Arc<dyn Fn(u32, u32) -> f64 + Send + Sync>;

/// The connectivity of one projection, before it is drawn.
///
/// All indices count from the start of the population, not of the slice.
#[derive(Clone)]
pub(crate) struct Connectivity<'a> {
    /// The definition of the synapses.
    pub(crate) rule: Rule<'a>,
    /// JSON path of the projection.
    pub(crate) path: String,
    /// The index of the projection in the network: projections of a network draw different edges.
    pub(crate) projection: u32,
    /// The network's seed.
    pub(crate) seed: u64,
    /// Slice of the presynaptic population.
    pub(crate) pre: Range<u32>,
    /// Slice of the postsynaptic population.
    pub(crate) post: Range<u32>,
    /// Whether both populations are the same, so that `i == j` is one neuron.
    pub(crate) recurrent: bool,
    /// The positions of pre- and postsynaptic neurons.
    pub(crate) spaces: Option<[Arc<Space>; 2]>,
    /// The connector's condition on pairs.
    pub(crate) keep: Option<PairPredicate>,
    /// The connector's probability, if it depends on the pair.
    pub(crate) probability: Option<PairValue>,
    /// The postsynaptic neurons whose synapses are wanted.
    pub(crate) own: OwnNeurons,
    /// Maximum number of synapses of a presynaptic neuron, and of a postsynaptic neuron.
    pub(crate) most: [Option<u32>; 2],
}

impl Connectivity<'_> {
    /// Which of `count` synapses of a neuron a cap drops.
    pub(crate) fn dropped(&self, side: u32, neuron: u32, count: u32, most: u32) -> impl Iterator<Item = u32> + use<> {
        let [keys @ .., _] = Key(self.seed).draw(Purpose::Cap, self.projection, [side, neuron, 0]);
        let domain = super::permutation::Domain::new(count.max(1));
        (most..count.max(most)).map(move |k| domain.permuted(keys, k))
    }

    /// The range of the postsynaptic neurons whose synapses are wanted.
    pub(crate) fn own_posts(&self) -> Range<u32> {
        common(&self.post, &self.own.hull())
    }

    /// Whether the condition allows this pair.
    pub(crate) fn may_join(&self, autapses: bool, pre: u32, post: u32) -> bool {
        (autapses || !self.recurrent || pre != post) && self.keep.as_ref().is_none_or(|keep| keep(pre, post))
    }
}
