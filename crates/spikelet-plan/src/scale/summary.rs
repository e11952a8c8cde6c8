//! What ranks must know of the synapses of others before they choose the scales of ports, the length of epochs and the code of a step, which
//! are those of the whole network: numbers and extremes, never synapses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use spikelet_lang::Dimension;
use spikelet_network::Network;
use spikelet_rows::OwnNeurons;
use spikelet_rows::partition::common;
use spikelet_rows::rng::splitmix64;

use super::scales::FirstEvents;
use crate::draw::event_sample::EventSample;
use crate::draw::initial_synapses;
use crate::draw::realized::RealizedProjection;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::LoweredNetwork;
use crate::values::{NamedValues, Values};
use crate::{Degrees, WeightSizes};

/// Number of neurons beyond which those with a smaller input are no longer searched.
const MAX_BUSIEST: usize = 4096;

/// The summary of a part of a plan, or, [merged](PartSummary::merge), of the whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartSummary {
    /// A hash of the network and of the version of the program; 0 if there is only one rank.
    network: u64,
    populations: Vec<PopulationSummary>,
    projections: Vec<ProjectionSummary>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct PopulationSummary {
    /// Variables that change too slowly for one word in any neuron.
    slow: BTreeSet<String>,
    /// The in-degrees by the projections onto the population of its neurons whose input can be the largest, whatever the weights are: no
    /// neuron has more synapses of each projection. Empty if there is only one rank.
    busiest: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct ProjectionSummary {
    synapses: u64,
    dropped: u64,
    /// The postsynaptic neurons with synapses.
    posts: Range<u32>,
    /// The shortest and longest delay of each pathway.
    delays: Vec<Range<u32>>,
    /// The magnitude of the weights of each write.
    writes: Vec<WeightSizes>,
    /// The smallest and largest value of each name whose values differ and are known.
    extremes: Vec<(String, [f64; 2])>,
    /// The first events for each variable to which synapses with state add.
    events: Vec<(usize, EventSample)>,
    /// Variables of synapses that change too slowly for one word.
    slow: BTreeSet<String>,
    /// The out-degree of each presynaptic neuron, if synapses read it, or single ones of them are recorded.
    outgoing: Vec<u32>,
    /// The targets of rows with recorded synapses, if there are several ranks.
    rows: BTreeMap<u32, Vec<u32>>,
    /// Of a list of which caps can drop pairs the others, if single synapses are recorded and there are several ranks.
    pairs: Option<Vec<u32>>,
}

/// Targets onto own neurons, by projection and presynaptic neuron.
type RecordedRows = Vec<(usize, u32, Vec<u32>)>;

impl PartSummary {
    /// The summary of what was drawn for own neurons.
    pub(crate) fn of(network: &LoweredNetwork<'_>, neurons: &[CheckedPopulation], drawn: &[RealizedProjection]) -> PartSummary {
        let population = |index: usize| PopulationSummary {
            slow: neurons[index].slow(network.dt_ms).into_iter().collect(),
            busiest: match network.part.is_whole() {
                true => Vec::new(),
                false => {
                    busiest(network.part.own(index), drawn.iter().filter(|of| of.checked.post == index).map(|of| &*of.degrees))
                }
            },
        };
        let projection = |(index, of): (usize, &RealizedProjection)| {
            let (own, projection) = (network.part.own(of.checked.post), &network.projections[index]);
            let is_listed = projection.pairs.is_some() || projection.learned.is_some();
            let event = |variable| (variable, EventSample::of(of, is_listed, (neurons, own), variable));
            ProjectionSummary {
                synapses: of.degrees.synapses,
                dropped: of.degrees.dropped,
                posts: of.degrees.posts.clone(),
                delays: of.delays.iter().map(crate::PerSynapse::bounds).collect(),
                writes: of.writes.iter().flatten().map(|write| write.sizes).collect(),
                extremes: of.values.0.iter().filter_map(|(name, (_, values))| Some((name.clone(), extremes(values)?))).collect(),
                events: initial_synapses::added(&of.checked.model).into_iter().map(event).collect(),
                slow: initial_synapses::slow(of, (neurons, own), network.dt_ms),
                outgoing: match initial_synapses::reads_outgoing(&of.checked.model)
                    || recorded_by_row(network, index, 1).next().is_some()
                {
                    true => of.degrees.outgoing.clone(),
                    false => Vec::new(),
                },
                rows: BTreeMap::new(),
                pairs: (!network.part.is_whole() && is_listed_with_caps(network, index)).then(|| of.rows().pairs.clone()),
            }
        };
        PartSummary {
            network: if network.part.is_whole() { 0 } else { hash(network) },
            populations: (0..neurons.len()).map(population).collect(),
            projections: drawn.iter().enumerate().map(projection).collect(),
        }
    }

    /// The summary of all ranks from that of each, in their order.
    pub fn merge(parts: impl IntoIterator<Item = PartSummary>) -> PartSummary {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_default();
        for part in parts {
            for (sum, of) in whole.populations.iter_mut().zip(part.populations) {
                sum.slow.extend(of.slow);
                of.busiest.iter().for_each(|degrees| add_busy(&mut sum.busiest, degrees));
            }
            for (sum, of) in whole.projections.iter_mut().zip(part.projections) {
                sum.add(of);
            }
        }
        whole
    }

    /// Whether both are of the same network, by the same version of the program.
    pub(crate) fn is_of_the_same_network(&self, other: &PartSummary) -> bool {
        self.network == other.network && self.projections.len() == other.projections.len()
    }

    /// As words that are sent to other ranks.
    pub fn to_words(&self) -> Vec<u32> {
        to_words(self)
    }

    /// A summary from its words; `None` if they are not one.
    pub fn from_words(words: &[u32]) -> Option<PartSummary> {
        from_words(words)
    }

    /// The own part of the rows whose synapses are recorded one by one, as words for the other ranks; `None` if there are no such rows. A
    /// recording counts synapses in the order of all rows.
    pub(crate) fn recorded_rows(&self, network: &LoweredNetwork<'_>, drawn: &[RealizedProjection]) -> Option<Vec<u32>> {
        let mut recorded = RecordedRows::new();
        for (index, of) in drawn.iter().enumerate() {
            let own = network.part.own(of.checked.post);
            let rows: BTreeSet<usize> = recorded_by_row(network, index, self.projections[index].synapses)
                .filter_map(|synapse| self.row(index, synapse))
                .map(|(row, _)| row)
                .collect();
            for row in rows {
                let targets = of.rows().row(row).map(|synapse| own.neuron(of.rows().target(synapse)));
                recorded.push((index, of.pre_slice.start + row as u32, targets.collect()));
            }
        }
        (!recorded.is_empty() && !network.part.is_whole()).then(|| to_words(&recorded))
    }

    /// Adds the recorded rows of all ranks; whether the words were such rows.
    pub(crate) fn add_rows(&mut self, all: &[Vec<u32>]) -> bool {
        for words in all {
            let Some(rows) = from_words::<RecordedRows>(words) else { return false };
            for (projection, pre, targets) in rows {
                let row = self.projections[projection].rows.entry(pre).or_default();
                row.extend(targets);
                row.sort_unstable();
            }
        }
        true
    }

    /// The row of a synapse, counted in the order of all rows, and its place there.
    fn row(&self, projection: usize, synapse: u32) -> Option<(usize, usize)> {
        let mut left = synapse as usize;
        for (row, length) in self.projections[projection].outgoing.iter().enumerate() {
            match left.checked_sub(*length as usize) {
                Some(after) => left = after,
                None => return Some((row, left)),
            }
        }
        None
    }

    /// The neurons of a synapse of a recorded row, counted in the order of all rows, and how many of the synapses before it have the same
    /// neurons; the presynaptic neuron as its row.
    pub(crate) fn recorded(&self, projection: usize, first_pre: u32, synapse: u32) -> Option<(usize, u32, usize)> {
        let (row, place) = self.row(projection, synapse)?;
        let targets = self.projections[projection].rows.get(&(first_pre + row as u32))?;
        let post = *targets.get(place)?;
        Some((row, post, place - targets.partition_point(|target| *target < post)))
    }

    /// The pairs of a list that caps have not dropped, in its order, if there are caps and several ranks, and single synapses are recorded.
    pub(crate) fn recorded_pairs(&self, projection: usize) -> Option<Vec<u32>> {
        let mut pairs = self.projections[projection].pairs.clone()?;
        pairs.sort_unstable();
        Some(pairs)
    }

    /// Variables of a population that change too slowly for one word.
    pub(crate) fn slow(&self, population: usize) -> impl Iterator<Item = &String> {
        self.populations[population].slow.iter()
    }

    /// The same for synapses of a projection.
    pub(crate) fn slow_in_synapses(&self, projection: usize) -> impl Iterator<Item = &String> {
        self.projections[projection].slow.iter()
    }

    /// The shortest and longest delay of each pathway of a projection.
    pub(crate) fn delays(&self, projection: usize) -> &[Range<u32>] {
        &self.projections[projection].delays
    }

    /// The first events of a projection.
    pub(crate) fn first_events(&self, projection: usize) -> FirstEvents {
        FirstEvents::new(self.projections[projection].events.iter().map(|(variable, events)| (*variable, events.sizes())))
    }

    /// The out-degrees in the whole network, if synapses read them.
    pub(crate) fn outgoing(&self, projection: usize) -> &[u32] {
        &self.projections[projection].outgoing
    }

    /// The values of a projection that are the same for all synapses, and of others the minimum and maximum.
    pub(crate) fn values(&self, projection: usize, own: &NamedValues) -> NamedValues {
        let extremes = &self.projections[projection].extremes;
        let value = |(name, (dimension, values)): (&String, &(Dimension, Values))| {
            let found = extremes.iter().find(|(of, _)| of == name).map(|(_, found)| *found);
            let values = match (values, found) {
                (Values::Each(_), Some(found)) => Values::Each(found.into()),
                (Values::Each(_), None) => Values::Each(Vec::new()),
                (Values::Formula(_), _) => Values::Formula(None),
                (Values::Uniform(value), _) => Values::Uniform(*value),
            };
            (name.clone(), (*dimension, values))
        };
        NamedValues(own.0.iter().map(value).collect())
    }

    /// Gives the projections the numbers of the whole network.
    pub(crate) fn complete(&self, drawn: &mut [RealizedProjection], is_whole: bool) {
        for (index, of) in drawn.iter_mut().enumerate() {
            let summary = &self.projections[index];
            of.writes.iter_mut().flatten().zip(&summary.writes).for_each(|(write, sizes)| write.sizes = *sizes);
            if !is_whole {
                let degrees = Arc::make_mut(&mut of.degrees);
                (degrees.synapses, degrees.dropped, degrees.posts) = (summary.synapses, summary.dropped, summary.posts.clone());
            }
        }
        if is_whole {
            return;
        }
        let mut columns = vec![0; self.populations.len()];
        for of in drawn {
            let (busiest, column) = (&self.populations[of.checked.post].busiest, &mut columns[of.checked.post]);
            let own = busiest.iter().map(|degrees| degrees[*column]).collect();
            Arc::make_mut(&mut of.degrees).busiest = Some(Arc::new(own));
            *column += 1;
        }
    }
}

impl ProjectionSummary {
    fn add(&mut self, of: ProjectionSummary) {
        if of.synapses > 0 {
            // Without synapses there are no delays and no values.
            if self.synapses == 0 {
                (self.delays, self.posts) = (of.delays, of.posts);
            } else {
                for (range, of) in self.delays.iter_mut().zip(of.delays) {
                    *range = range.start.min(of.start)..range.end.max(of.end);
                }
                self.posts = self.posts.start.min(of.posts.start)..self.posts.end.max(of.posts.end);
            }
        }
        self.synapses += of.synapses;
        self.dropped += of.dropped;
        for (sizes, of) in self.writes.iter_mut().zip(of.writes) {
            *sizes = WeightSizes { largest: sizes.largest.max(of.largest), least: sizes.least.and(of.least) };
        }
        for (name, of) in of.extremes {
            match self.extremes.iter_mut().find(|(known, _)| *known == name) {
                Some((_, own)) => {
                    *own = [own[0].min(of[0]), own[1].max(of[1])];
                }
                None => self.extremes.push((name, of)),
            }
        }
        for ((_, events), (_, of)) in self.events.iter_mut().zip(of.events) {
            events.merge(&of);
        }
        self.slow.extend(of.slow);
        for (sum, of) in self.outgoing.iter_mut().zip(of.outgoing) {
            *sum += of;
        }
        if let (Some(pairs), Some(of)) = (&mut self.pairs, of.pairs) {
            pairs.extend(of);
        }
    }
}

/// The recorded ones of the synapses of a projection, if they are counted in the order of its rows.
fn recorded_by_row<'a>(network: &'a LoweredNetwork<'_>, projection: usize, synapses: u64) -> impl Iterator<Item = u32> + 'a {
    let of = &network.projections[projection];
    let recordings = network.recordings.iter().filter(|recording| recording.object == of.name && of.pairs.is_none());
    recordings.flat_map(move |recording| recording.indices.of(u32::try_from(synapses).unwrap_or(u32::MAX)))
}

/// Whether synapses of a list are recorded of which caps can drop some.
fn is_listed_with_caps(network: &LoweredNetwork<'_>, projection: usize) -> bool {
    let of = &network.projections[projection];
    let is_capped = of.max_indegree.or(of.max_outdegree).is_some();
    of.pairs.is_some() && is_capped && network.recordings.iter().any(|recording| recording.object == of.name)
}

/// A hash of a network and of the version of the program.
fn hash(network: &Network) -> u64 {
    let text = serde_json::to_vec(network).unwrap_or_default();
    let bytes = env!("CARGO_PKG_VERSION").bytes().chain(text);
    bytes.fold(0, |hash, byte| splitmix64(hash ^ u64::from(byte)))
}

/// Data as JSON, padded to words.
fn to_words(data: &impl Serialize) -> Vec<u32> {
    let text = serde_json::to_vec(data).unwrap_or_default();
    let words = text.chunks(4).map(|bytes| {
        let mut word = [b' '; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    });
    words.collect()
}

fn from_words<T: DeserializeOwned>(words: &[u32]) -> Option<T> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    serde_json::from_slice(&bytes).ok()
}

/// The minimum and maximum of values that differ, if there are any.
fn extremes(values: &Values) -> Option<[f64; 2]> {
    let Values::Each(values) = values else { return None };
    Some([values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?])
}

/// The in-degrees of the own neurons whose input can be the largest.
fn busiest<'a>(own: &OwnNeurons, onto: impl Iterator<Item = &'a Degrees>) -> Vec<Vec<u32>> {
    let column = |degrees: &Degrees| -> Vec<u32> {
        match &degrees.at_most {
            Some((posts, most)) => {
                let mut column = vec![0; own.len() as usize];
                let places = own.places_in(&common(posts, &(0..own.size())));
                column[places.start as usize..places.end as usize].fill(*most);
                column
            }
            None => degrees.incoming.clone(),
        }
    };
    let columns: Vec<Vec<u32>> = onto.map(column).collect();
    let mut busiest = Vec::new();
    let mut degrees = Vec::new();
    for place in 0..own.len() as usize {
        degrees.clear();
        degrees.extend(columns.iter().map(|column| column[place]));
        add_busy(&mut busiest, &degrees);
    }
    busiest
}

/// Adds the in-degrees of a neuron, unless another one has at least as many synapses of each projection, and removes those for which this is
/// now true.
fn add_busy(busiest: &mut Vec<Vec<u32>>, degrees: &[u32]) {
    if busiest.len() > MAX_BUSIEST {
        busiest.push(degrees.into());
        return;
    }
    let covers = |one: &[u32], other: &[u32]| one.iter().zip(other).all(|(one, other)| one >= other);
    if let Some(place) = busiest.iter().position(|known| covers(known, degrees)) {
        // The next neuron is probably covered by the same one.
        busiest.swap(0, place);
        return;
    }
    busiest.retain(|known| !covers(degrees, known));
    busiest.push(degrees.into());
}
