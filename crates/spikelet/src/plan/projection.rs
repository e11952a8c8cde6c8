//! Projections, ready to run.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::{End, ValueCode};

use super::{Plan, StatePlan};
use crate::connect::{ProceduralRows, Rows};
use crate::half;

/// One value for all synapses of a projection, or one each in the order of its rows.
#[derive(Debug, Clone, PartialEq)]
pub enum PerSynapse<T> {
    /// The same for all.
    Shared(T),
    /// One each.
    Each(Arc<Vec<T>>),
    /// One weight each, as [`half`] keeps it.
    Half(Arc<Vec<u16>>),
    /// In the upper bits of [`Rows::words`]; the least and the largest.
    Packed(Range<T>),
    /// Computed anew whenever a synapse is drawn.
    Drawn(DrawnValue<T>),
}

/// A value that is computed whenever a synapse is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnValue<T> {
    /// Delays in steps, before they are rounded; weights in the unit of their variable.
    pub code: Arc<ValueCode>,
    /// The least and the largest, for delays.
    pub range: Range<T>,
}

impl<T: Copy> PerSynapse<T> {
    /// Whether there is one value for all.
    pub fn is_shared(&self) -> bool {
        matches!(self, PerSynapse::Shared(_))
    }

    /// The values kept in an array of their own, as they are: one, or one each.
    pub fn as_slice(&self) -> &[T] {
        match self {
            PerSynapse::Shared(value) => std::slice::from_ref(value),
            PerSynapse::Each(values) => values,
            PerSynapse::Half(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => &[],
        }
    }

    /// How many values are kept in an array of their own.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        match self {
            PerSynapse::Half(values) => values.len(),
            other => other.as_slice().len(),
        }
    }

    /// Bytes of that array.
    pub fn bytes(&self) -> u64 {
        let each = if matches!(self, PerSynapse::Half(_)) { size_of::<u16>() } else { size_of::<T>() };
        (self.len() * each) as u64
    }
}

impl PerSynapse<i32> {
    /// Weights that are kept, in units of their port: one, or one each.
    pub fn units(&self) -> impl Iterator<Item = i32> {
        let halves: &[u16] = if let PerSynapse::Half(halves) = self { halves } else { &[] };
        self.as_slice().iter().copied().chain(halves.iter().map(|half| half::decode(*half)))
    }
}

impl<T: Copy + Ord + Default> PerSynapse<T> {
    /// The least and the largest value; both are the default where there is none.
    pub fn bounds(&self) -> Range<T> {
        match self {
            PerSynapse::Shared(value) => *value..*value,
            PerSynapse::Each(values) => {
                let (least, largest) = (values.iter().copied().min(), values.iter().copied().max());
                least.unwrap_or_default()..largest.unwrap_or_default()
            }
            PerSynapse::Packed(range) | PerSynapse::Drawn(DrawnValue { range, .. }) => range.clone(),
            PerSynapse::Half(_) => T::default()..T::default(),
        }
    }
}

/// What one event adds to a port.
#[derive(Debug, Clone, PartialEq)]
pub struct WritePlan {
    /// Index of the port in the postsynaptic program.
    pub port: usize,
    /// What is added, in units of the port.
    pub weights: PerSynapse<i32>,
    /// How large the weights are.
    pub sizes: WeightSizes,
}

/// How large the weights of a write are, in the inner unit of its variable.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WeightSizes {
    /// The largest absolute value.
    pub largest: f64,
    /// The smallest that no scale may lose.
    pub least: MinWeight,
}

impl WeightSizes {
    /// What no event exceeds, however it is rounded: more where it is kept as f16.
    pub(super) fn bound(&self, is_half: bool) -> f64 {
        // A part in 2048 that it may become larger, and as much again for the units that were rounded before.
        if is_half { self.largest * (1.0 + 1.0 / 1024.0) } else { self.largest }
    }
}

/// The smallest size that must be left when weights are rounded to units of a port.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MinWeight {
    /// Its absolute value; 0 where no weight differs from 0.
    pub size: f64,
    /// Whose it is.
    pub of: MinWeightOf,
}

/// Whose [`Least`] size it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MinWeightOf {
    /// That of all synapses.
    #[default]
    All,
    /// That of a synapse whose weight is listed, by its pre and post neuron.
    Synapse([u32; 2]),
    /// The mean of all synapses onto a neuron, whose weights are drawn, computed or learnt.
    Neuron(u32),
}

impl MinWeight {
    /// The smaller one.
    #[must_use]
    pub fn and(self, other: MinWeight) -> MinWeight {
        if self.size == 0.0 || other.size > 0.0 && other.size < self.size { other } else { self }
    }

    /// The smallest mean of the absolute weights onto a neuron, by the sum of each neuron, and its synapses.
    pub(super) fn mean(sums: &[f64], synapses: &[u32], first: u32) -> MinWeight {
        let each = (first..).zip(sums.iter().zip(synapses)).filter(|(_, (sum, _))| **sum > 0.0);
        let least = |(neuron, (sum, synapses)): (u32, (&f64, &u32))| MinWeight {
            size: sum / f64::from(*synapses),
            of: MinWeightOf::Neuron(neuron),
        };
        each.map(least).fold(MinWeight::default(), MinWeight::and)
    }
}

/// What the arrival of spikes does where synapses have no state.
#[derive(Debug, Clone, PartialEq)]
pub struct PathwayPlan {
    /// Whose spikes they are.
    pub end: End,
    /// Delay in steps.
    pub delay: PerSynapse<u32>,
    /// What an event does; nothing where synapses have a state.
    pub writes: Vec<WritePlan>,
}

/// Who is joined to whom.
#[derive(Debug, Clone, PartialEq)]
pub enum EdgePlan {
    /// All synapses are kept.
    Stored(Arc<Rows>),
    /// A neuron's synapses are drawn whenever it fires.
    Procedural(Arc<ProceduralRows>),
}

impl EdgePlan {
    /// Whether both lead to the same neurons; what is one thing in memory need not be compared.
    pub(super) fn is_the_same(&self, other: &EdgePlan) -> bool {
        match (self, other) {
            (EdgePlan::Stored(one), EdgePlan::Stored(other)) => Arc::ptr_eq(one, other) || one == other,
            (EdgePlan::Procedural(one), EdgePlan::Procedural(other)) => Arc::ptr_eq(one, other) || one == other,
            _ => false,
        }
    }
}

/// How many synapses neurons have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Degrees {
    /// Synapses from each presynaptic neuron of the slice.
    pub outgoing: Vec<u32>,
    /// Synapses onto each neuron of the postsynaptic population; of none where rows are drawn at every spike, and nobody counts them.
    pub incoming: Vec<u32>,
    /// Where rows can be drawn at every spike, the neurons that they reach, and the synapses that no such neuron exceeds by the rule.
    pub at_most: Option<(Range<u32>, u32)>,
    /// Synapses that caps dropped.
    pub dropped: u64,
}

impl Degrees {
    /// Synapses onto each neuron of a range, as many as a scale must allow for.
    pub(super) fn max_incoming(&self) -> (Range<u32>, Cow<'_, [u32]>) {
        match &self.at_most {
            Some((posts, most)) => (posts.clone(), vec![*most; posts.len()].into()),
            None => (0..self.incoming.len() as u32, self.incoming.as_slice().into()),
        }
    }
}

/// A projection, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectionPlan {
    /// Its name in the network.
    pub name: String,
    /// Index of the presynaptic population.
    pub pre: usize,
    /// The presynaptic neurons that have rows.
    pub pre_slice: Range<u32>,
    /// Index of the postsynaptic population.
    pub post: usize,
    /// Who is joined to whom.
    pub edges: EdgePlan,
    /// How many synapses neurons have.
    pub degrees: Arc<Degrees>,
    /// What spikes do, each in its own time.
    pub pathways: Vec<PathwayPlan>,
    /// The state of the synapses, where they have one.
    pub state: Option<StatePlan>,
}

static NO_ROWS: Rows =
    Rows { offsets: Vec::new(), words: Vec::new(), target_bits: u32::BITS, pairs: Vec::new(), drawable: false };

impl ProjectionPlan {
    /// Writes of all pathways, each with the delay of its pathway.
    pub fn writes(&self) -> impl Iterator<Item = (&PerSynapse<u32>, &WritePlan)> {
        self.pathways.iter().flat_map(|pathway| pathway.writes.iter().map(|write| (&pathway.delay, write)))
    }

    /// Index of the population at one end.
    pub fn population(&self, end: End) -> usize {
        match end {
            End::Pre => self.pre,
            End::Post => self.post,
        }
    }

    /// The neurons at one end that may have synapses.
    pub fn neurons(&self, end: End, plan: &Plan) -> Range<u32> {
        match end {
            End::Pre => self.pre_slice.clone(),
            End::Post => 0..plan.populations[self.post].size,
        }
    }

    /// Number of synapses.
    pub fn synapses(&self) -> u64 {
        self.degrees.outgoing.iter().map(|degree| u64::from(*degree)).sum()
    }

    /// The rows that are kept: none of a procedural projection.
    pub fn rows(&self) -> &Rows {
        match &self.edges {
            EdgePlan::Stored(rows) => rows,
            EdgePlan::Procedural(_) => &NO_ROWS,
        }
    }

    /// How its rows are drawn at every spike, if they are.
    pub fn recipe(&self) -> Option<&ProceduralRows> {
        match &self.edges {
            EdgePlan::Stored(_) => None,
            EdgePlan::Procedural(recipe) => Some(recipe),
        }
    }

    /// The delay in steps of a synapse that is kept, in a pathway.
    pub fn delay(&self, pathway: usize, synapse: usize) -> u32 {
        match &self.pathways[pathway].delay {
            PerSynapse::Shared(delay) => *delay,
            PerSynapse::Each(delays) => delays[synapse],
            PerSynapse::Packed(_) => self.rows().words[synapse] >> self.rows().target_bits,
            PerSynapse::Half(_) | PerSynapse::Drawn(_) => 0,
        }
    }
}
