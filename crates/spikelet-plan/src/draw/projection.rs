//! Projections, ready to run.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spikelet_kernel::ValueCode;
use spikelet_lang::End;
use spikelet_rows::connect::{ProceduralRows, Rows, grouped};
use spikelet_rows::{OwnNeurons, half};

use crate::{Plan, StatePlan};

/// One value for all synapses of a projection, or one per synapse in the order of its rows.
#[derive(Debug, Clone, PartialEq)]
pub enum PerSynapse<T> {
    /// The same for all.
    Shared(T),
    /// One per synapse.
    Each(Arc<Vec<T>>),
    /// One weight per synapse, in the format of [`half`].
    Half(Arc<Vec<u16>>),
    /// In the upper bits of [`Rows::words`]; the minimum and maximum.
    Packed(Range<T>),
    /// Computed whenever a synapse is drawn.
    Drawn(DrawnValue<T>),
}

/// A value that is computed whenever a synapse is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnValue<T> {
    /// Delays in steps, before rounding; weights in the unit of their variable.
    pub code: Arc<ValueCode>,
    /// The minimum and maximum, for delays.
    pub range: Range<T>,
}

impl<T: Copy> PerSynapse<T> {
    /// Whether there is one value for all.
    pub fn is_shared(&self) -> bool {
        matches!(self, PerSynapse::Shared(_))
    }

    /// The values stored in their own array: one, or one per synapse.
    pub fn as_slice(&self) -> &[T] {
        match self {
            PerSynapse::Shared(value) => std::slice::from_ref(value),
            PerSynapse::Each(values) => values,
            PerSynapse::Half(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => &[],
        }
    }

    /// Number of values stored in their own array.
    #[expect(clippy::len_without_is_empty, reason = "not needed")]
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
    /// Stored weights, in units of their port: one, or one per synapse.
    pub fn units(&self) -> impl Iterator<Item = i32> {
        let halves: &[u16] = if let PerSynapse::Half(halves) = self { halves } else { &[] };
        self.as_slice().iter().copied().chain(halves.iter().map(|half| half::decode(*half)))
    }
}

impl<T: Copy + Ord + Default> PerSynapse<T> {
    /// The minimum and maximum; both are the default if there are none.
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

/// The increment of a port by one event.
#[derive(Debug, Clone, PartialEq)]
pub struct WritePlan {
    /// Index of the port in the postsynaptic program.
    pub port: usize,
    /// The increment, in units of the port.
    pub weights: PerSynapse<i32>,
    /// The increment before any rounding, in the inner unit of its variable: always if it is the same for all synapses, otherwise with
    /// [`BuildOptions::exact`](crate::BuildOptions::exact). `None` for the remainders of another port.
    pub exact: Option<PerSynapse<f64>>,
    /// The magnitude of the weights.
    pub sizes: WeightSizes,
}

/// The magnitude of the weights of a write, in the inner unit of its variable.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WeightSizes {
    /// The largest absolute value.
    pub largest: f64,
    /// The smallest weight that a scale must preserve.
    pub least: MinWeight,
}

impl WeightSizes {
    /// Upper bound of an event after rounding: larger for f16.
    pub(crate) fn bound(&self, is_half: bool) -> f64 {
        // Relative rounding of at most 1/2048, and as much again for the earlier rounding to units.
        if is_half { self.largest * (1.0 + 1.0 / 1024.0) } else { self.largest }
    }
}

/// The smallest weight that must be preserved when weights are rounded to units of a port.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct MinWeight {
    /// Its absolute value; 0 if all weights are 0.
    pub size: f64,
    /// Its synapses.
    pub of: MinWeightOf,
}

/// The synapses of a [`MinWeight`] weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MinWeightOf {
    /// The common weight of all synapses.
    #[default]
    All,
    /// The listed weight of a synapse, by its pre- and postsynaptic neuron.
    Synapse([u32; 2]),
    /// The mean over all synapses onto a neuron, for drawn, computed or learned weights.
    Neuron(u32),
}

impl MinWeight {
    /// The smaller one.
    #[must_use]
    pub fn and(self, other: MinWeight) -> MinWeight {
        if self.size == 0.0 || other.size > 0.0 && other.size < self.size { other } else { self }
    }

    /// The smallest mean of the absolute weights onto a neuron, from the sum and the number of synapses of each neuron, the
    /// first of which has this place.
    pub(crate) fn mean(sums: &[f64], synapses: &[u32], first: u32, own: &OwnNeurons) -> MinWeight {
        let each = (first..).zip(sums.iter().zip(synapses)).filter(|(_, (sum, _))| **sum > 0.0);
        let least = |(place, (sum, synapses)): (u32, (&f64, &u32))| MinWeight {
            size: sum / f64::from(*synapses),
            of: MinWeightOf::Neuron(own.neuron(place)),
        };
        each.map(least).fold(MinWeight::default(), MinWeight::and)
    }
}

/// The effect of spikes for synapses without state.
#[derive(Debug, Clone, PartialEq)]
pub struct PathwayPlan {
    /// The side of the spikes.
    pub end: End,
    /// Its place among the pathways of a step: those with a smaller number are first.
    pub order: i32,
    /// Delay in steps.
    pub delay: PerSynapse<u32>,
    /// The shortest and longest delay in the whole network.
    pub delays: Range<u32>,
    /// The effect of an event; empty for synapses with state.
    pub writes: Vec<WritePlan>,
}

/// The connectivity.
#[derive(Debug, Clone, PartialEq)]
pub enum EdgePlan {
    /// Stored synapses.
    Stored(Arc<Rows>),
    /// Procedural synapses: drawn at every spike.
    Procedural(Arc<ProceduralRows>),
}

impl EdgePlan {
    /// Whether both have the same targets; identical memory need not be compared.
    pub(crate) fn is_the_same(&self, other: &EdgePlan) -> bool {
        match (self, other) {
            (EdgePlan::Stored(one), EdgePlan::Stored(other)) => Arc::ptr_eq(one, other) || one == other,
            (EdgePlan::Procedural(one), EdgePlan::Procedural(other)) => Arc::ptr_eq(one, other) || one == other,
            _ => false,
        }
    }

    /// Whether both connect the same neurons, with any delays.
    pub(crate) fn connects_as(&self, other: &EdgePlan) -> bool {
        match (self, other) {
            (EdgePlan::Stored(one), EdgePlan::Stored(other)) => {
                Arc::ptr_eq(one, other) || one.offsets == other.offsets && one.targets().eq(other.targets())
            }
            _ => self.is_the_same(other),
        }
    }
}

/// Degrees of neurons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Degrees {
    /// Out-degree of each presynaptic neuron of the slice: the synapses onto own neurons.
    pub outgoing: Vec<u32>,
    /// In-degree of each own neuron of the postsynaptic population; empty for procedural rows, which are not counted.
    pub incoming: Vec<u32>,
    /// For rows that can be procedural, their targets, and the upper bound of the in-degree by the rule.
    pub at_most: Option<(Range<u32>, u32)>,
    /// Synapses dropped by caps, in the whole network.
    pub dropped: u64,
    /// Number of synapses in the whole network.
    pub synapses: u64,
    /// The range of postsynaptic neurons with synapses, in the whole network.
    pub posts: Range<u32>,
    /// If there are several ranks, the in-degrees of those neurons of the whole network whose input can be the largest.
    pub busiest: Option<Arc<Vec<u32>>>,
}

impl Degrees {
    /// In-degree of each neuron of a range, for the choice of a scale: of all neurons, or of the busiest ones.
    pub(crate) fn max_incoming(&self) -> (Range<u32>, Cow<'_, [u32]>) {
        match (&self.busiest, &self.at_most) {
            (Some(busiest), _) => (0..busiest.len() as u32, busiest.as_slice().into()),
            (None, Some((posts, most))) => (posts.clone(), vec![*most; posts.len()].into()),
            (None, None) => (0..self.incoming.len() as u32, self.incoming.as_slice().into()),
        }
    }
}

/// The third neuron of each synapse of a projection.
#[derive(Debug, Clone, PartialEq)]
pub struct ThirdNeurons {
    /// Index of their population.
    pub population: usize,
    /// The index of each in its population, by synapse.
    pub neurons: Arc<Vec<u32>>,
}

impl ThirdNeurons {
    /// The synapses by third neuron: offsets for each of the `size` neurons of the population, and the synapses in this order, with increasing
    /// numbers.
    pub fn synapses(&self, size: u32) -> (Vec<u32>, Vec<u32>) {
        grouped(|| self.neurons.iter().copied(), size)
    }
}

/// A projection, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectionPlan {
    /// Its name in the network.
    pub name: String,
    /// Index of the presynaptic population.
    pub pre: usize,
    /// The presynaptic neurons with rows.
    pub pre_slice: Range<u32>,
    /// Index of the postsynaptic population.
    pub post: usize,
    /// The third neurons, if its synapses have any.
    pub third: Option<ThirdNeurons>,
    /// The connectivity.
    pub edges: EdgePlan,
    /// The degrees of neurons.
    pub degrees: Arc<Degrees>,
    /// The effects of spikes, by pathway.
    pub pathways: Vec<PathwayPlan>,
    /// The state of the synapses, if they have state.
    pub state: Option<StatePlan>,
}

static NO_ROWS: Rows = Rows::NONE;

impl ProjectionPlan {
    /// Words of each synapse in the lists of a trial on the CPU: of one with state its number and both neurons, and its index by target; for
    /// each pathway the other neuron again, and for differing delays its index by delay, and the delays.
    pub fn words_of_trial(&self) -> u64 {
        if self.state.is_none() {
            return 0;
        }
        let of_pathway = |pathway: &PathwayPlan| if pathway.delay.is_shared() { 1 } else { 3 };
        4 + 2 * u64::from(self.third.is_some()) + self.pathways.iter().map(of_pathway).sum::<u64>()
    }

    /// The [order](PathwayPlan::order) of its last pathway with spikes of one side; its traces of that side are updated after it.
    pub fn last_order(&self, end: End) -> i32 {
        self.pathways.iter().filter(|pathway| pathway.end == end).map(|pathway| pathway.order).max().unwrap_or(0)
    }

    /// Whether its synapses have variables of their own: they have state, and are in the file.
    pub fn keeps_state(&self) -> bool {
        self.state.as_ref().is_some_and(|state| !state.generated && state.variables().next().is_some())
    }

    /// Writes of all pathways, each with the delay of its pathway.
    pub fn writes(&self) -> impl Iterator<Item = (&PerSynapse<u32>, &WritePlan)> {
        self.pathways.iter().flat_map(|pathway| pathway.writes.iter().map(|write| (&pathway.delay, write)))
    }

    /// Index of the population of one of the neurons; without third neurons `Third` gives the postsynaptic one.
    pub fn population(&self, end: End) -> usize {
        match end {
            End::Pre => self.pre,
            End::Post => self.post,
            End::Third => self.third.as_ref().map_or(self.post, |third| third.population),
        }
    }

    /// The neurons of one population that may have synapses.
    pub fn neurons(&self, end: End, plan: &Plan) -> Range<u32> {
        match end {
            End::Pre => self.pre_slice.clone(),
            End::Post | End::Third => 0..plan.populations[self.population(end)].size,
        }
    }

    /// Number of synapses in the whole network.
    pub fn synapses(&self) -> u64 {
        self.degrees.synapses
    }

    /// The stored rows; `None` for a procedural projection.
    pub fn rows(&self) -> &Rows {
        match &self.edges {
            EdgePlan::Stored(rows) => rows,
            EdgePlan::Procedural(_) => &NO_ROWS,
        }
    }

    /// The recipe of a procedural projection.
    pub fn procedural(&self) -> Option<&ProceduralRows> {
        match &self.edges {
            EdgePlan::Stored(_) => None,
            EdgePlan::Procedural(procedural) => Some(procedural),
        }
    }

    /// The delay in steps of a stored synapse, in a pathway.
    pub fn delay(&self, pathway: usize, synapse: usize) -> u32 {
        match &self.pathways[pathway].delay {
            PerSynapse::Shared(delay) => *delay,
            PerSynapse::Each(delays) => delays[synapse],
            PerSynapse::Packed(_) => self.rows().words.get(synapse) >> self.rows().target_bits,
            PerSynapse::Half(_) | PerSynapse::Drawn(_) => 0,
        }
    }
}
