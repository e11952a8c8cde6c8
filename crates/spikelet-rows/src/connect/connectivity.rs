//! The connectivity of one projection before it is drawn.

use std::ops::Range;
use std::sync::Arc;

use spikelet_network::connectors::MAX_PER_PAIR;
use spikelet_network::{Error, Rule};

use super::index_generator::IndexGenerator;
use super::space::Space;
use crate::OwnNeurons;
use crate::partition::common;
use crate::rng::{Key, Purpose};

/// Number of neurons of each side whose pairs are sampled.
const SAMPLED: u64 = 61;

/// A condition on a pair of neurons.
pub type PairPredicate = Arc<dyn Fn(u32, u32) -> bool + Send + Sync>;

/// A number for a pair of neurons.
pub type PairValue = Arc<dyn Fn(u32, u32) -> f64 + Send + Sync>;

/// The connectivity of one projection, before it is drawn.
///
/// All indices count from the start of the population, not of the slice.
#[derive(Clone)]
pub struct Connectivity<'a> {
    /// The definition of the synapses.
    pub rule: Rule<'a>,
    /// JSON path of the projection.
    pub path: String,
    /// The index of the projection in the network: projections of a network draw different edges.
    pub projection: u32,
    /// The network's seed.
    pub seed: u64,
    /// Slice of the presynaptic population.
    pub pre: Range<u32>,
    /// Slice of the postsynaptic population.
    pub post: Range<u32>,
    /// Whether both populations are the same, so that `i == j` is one neuron.
    pub recurrent: bool,
    /// The positions of pre- and postsynaptic neurons.
    pub spaces: Option<[Arc<Space>; 2]>,
    /// The connector's condition on pairs.
    pub keep: Option<PairPredicate>,
    /// The connector's probability, if it depends on the pair.
    pub probability: Option<PairValue>,
    /// What generates the indices of the connector, if anything does.
    pub generator: Option<Arc<dyn IndexGenerator>>,
    /// The number of synapses of each pair that the rule connects, if it is not 1.
    pub per_pair: Option<PairValue>,
    /// The postsynaptic neurons whose synapses are wanted.
    pub own: OwnNeurons,
    /// Maximum number of synapses of a presynaptic neuron, and of a postsynaptic neuron.
    pub most: [Option<u32>; 2],
}

impl Connectivity<'_> {
    /// Which of `count` synapses of a neuron a cap drops.
    pub fn dropped(&self, side: u32, neuron: u32, count: u32, most: u32) -> impl Iterator<Item = u32> + use<> {
        let [keys @ .., _] = Key(self.seed).draw(Purpose::Cap, self.projection, [side, neuron, 0]);
        let domain = super::permutation::Domain::new(count.max(1));
        (most..count.max(most)).map(move |k| domain.permuted(keys, k))
    }

    /// The number of synapses of a pair that the rule connects.
    ///
    /// # Errors
    /// The expression gives something else than a whole number from 0 to [`MAX_PER_PAIR`].
    pub(super) fn synapses_of(&self, pre: u32, post: u32) -> Result<u32, Error> {
        let number = self.per_pair.as_ref().map_or(1.0, |of| of(pre, post));
        if (0.0..=f64::from(MAX_PER_PAIR)).contains(&number) && number.fract() == 0.0 {
            return Ok(number as u32);
        }
        let (found, expected) = (
            format!("{number} for i = {pre}, j = {post}"),
            format!("the number of synapses of a pair must be a whole number from 0 to {MAX_PER_PAIR}"),
        );
        let way_out = "round it, for example by `int(…)`, or limit it by `clip(…, 0, 10)`";
        Err(Error::invalid(format!("{}.synapses_per_pair", self.path), found, expected, way_out))
    }

    /// The same as an expectation, where building the network reports errors.
    pub(super) fn expected_of(&self, pre: u32, post: u32) -> f64 {
        self.synapses_of(pre, post).map_or(0.0, f64::from)
    }

    /// The mean number of synapses of a pair, from a sample of all pairs.
    pub fn mean_per_pair(&self) -> f64 {
        if self.per_pair.is_none() {
            return 1.0;
        }
        let sample = |neurons: &Range<u32>| {
            let (first, count) = (neurons.start, neurons.len() as u64);
            let tested = count.min(SAMPLED);
            (0..tested).map(move |k| first + (k * count / tested) as u32)
        };
        let pairs = sample(&self.pre).flat_map(|pre| sample(&self.post).map(move |post| (pre, post)));
        let (sum, count) = pairs.fold((0.0, 0.0), |(sum, count), (pre, post)| (sum + self.expected_of(pre, post), count + 1.0));
        if count > 0.0 { sum / count } else { 1.0 }
    }

    /// The range of the postsynaptic neurons whose synapses are wanted.
    pub fn own_posts(&self) -> Range<u32> {
        common(&self.post, &self.own.hull())
    }

    /// Whether the condition allows this pair.
    pub fn may_join(&self, autapses: bool, pre: u32, post: u32) -> bool {
        (autapses || !self.recurrent || pre != post) && self.keep.as_ref().is_none_or(|keep| keep(pre, post))
    }
}
