//! Spike propagation without synaptic state: events are added to the delay buffers.
//!
//! The rows of all spikes are listed first, so that the processor can prefetch the next rows while this one is processed: rows are scattered
//! in memory, and waiting would take longer than processing.

use std::ops::Range;

use spikelet_kernel::block::LANES;
use spikelet_kernel::simd::{Level, prefetch};
use spikelet_kernel::{ValueCode, ValueScratch};
use spikelet_plan::{PerSynapse, Plan};
use spikelet_rows::connect::{Edge, ProceduralRows, Words};
use spikelet_rows::rng::{SynapseCoordinates, synapse_bits, synapse_words};
use spikelet_rows::{half, ring};

use super::step_context::RuntimeValues;

/// Number of edges that are processed, and prefetched, at a time.
const PIECE: usize = 256;

/// Number of edges by which prefetching is ahead.
const AHEAD: usize = 1024;

/// Bytes per line.
const LINE: usize = 64;

/// The targets of events: the delay buffers of a shard.
pub(super) struct ShardRings<'a> {
    /// Pending sums: slot by slot, one lane per neuron of each port.
    pub(super) sums: &'a mut [i32],
    pub(super) slots: &'a mut SlotOffsets,
}

/// The offsets of the slots of a delay buffer, relative to a step.
pub(super) struct SlotOffsets {
    count: u32,
    /// Lanes per slot.
    columns: usize,
    step: Option<u32>,
    /// First lane of the slot that is added this many steps after the next one.
    starts: Vec<usize>,
}

impl SlotOffsets {
    pub(super) fn new(count: u32, lanes: usize) -> SlotOffsets {
        SlotOffsets { count, columns: lanes, step: None, starts: Vec::new() }
    }

    /// The number of slots.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The slot that is added in a step.
    pub(super) fn slot(&self, step: u32) -> usize {
        (step % self.count) as usize
    }

    /// Sets the reference to `step`. (A division per event would take longer than the event.)
    fn turn_to(&mut self, step: u32) {
        if self.step == Some(step) {
            return;
        }
        self.step = Some(step);
        let next = (step + 1) % self.count;
        self.starts.clear();
        self.starts.extend((next..self.count).chain(0..next).map(|slot| slot as usize * self.columns));
    }
}

/// The synapses of a spike onto a shard.
pub(super) struct SpikeRow {
    pub(super) step: u32,
    /// Index of the projection.
    pub(super) projection: usize,
    /// Their range in the rows of the projection.
    pub(super) edges: Range<usize>,
}

impl SpikeRow {
    /// The row in pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = SpikeRow> + '_ {
        let end = self.edges.end;
        let piece = move |first: usize| SpikeRow { edges: first..end.min(first + PIECE), ..*self };
        self.edges.clone().step_by(PIECE).map(piece)
    }
}

/// Prefetches rows in the order in which they are processed. Each piece of a row is followed by a request for as many edges further on, so
/// that requests are spread evenly: many at once would wait for each other.
pub(super) struct RowPrefetcher<'a> {
    plan: &'a Plan,
    live: &'a RuntimeValues,
    rows: std::slice::Iter<'a, SpikeRow>,
    /// The projection of the last row, and its edges that are not prefetched.
    projection: usize,
    edges: Range<usize>,
}

impl<'a> RowPrefetcher<'a> {
    pub(super) fn new(plan: &'a Plan, live: &'a RuntimeValues, rows: &'a [SpikeRow]) -> RowPrefetcher<'a> {
        let mut new = RowPrefetcher { plan, live, rows: rows.iter(), projection: 0, edges: 0..0 };
        new.fetch(AHEAD);
        new
    }

    /// Prefetches the next edges, this number of them.
    pub(super) fn fetch(&mut self, mut count: usize) {
        while count > 0 {
            if self.edges.is_empty() {
                let Some(row) = self.rows.next() else { return };
                (self.projection, self.edges) = (row.projection, row.edges.clone());
            }
            let end = self.edges.end.min(self.edges.start + count);
            self.fetch_edges(self.edges.start..end);
            count -= end - self.edges.start;
            self.edges.start = end;
        }
    }

    fn fetch_edges(&self, edges: Range<usize>) {
        let projection = &self.plan.projections[self.projection];
        match &projection.rows().words {
            Words::Narrow(words) => fetch(&words[edges.clone()]),
            Words::Wide(words) => fetch(&words[edges.clone()]),
        }
        for (write, (delay, of)) in projection.writes().enumerate() {
            if let PerSynapse::Each(delays) = delay {
                fetch(&delays[edges.clone()]);
            }
            match self.live.weights(of, self.projection, write) {
                PerSynapse::Each(weights) => fetch(&weights[edges.clone()]),
                PerSynapse::Half(weights) => fetch(&weights[edges.clone()]),
                _ => {}
            }
        }
    }
}

/// Prefetches the lines of a list.
fn fetch<T>(values: &[T]) {
    values.iter().step_by(LINE / size_of::<T>()).for_each(prefetch);
}

/// Buffer for a drawn row.
#[derive(Default)]
pub(super) struct DrawnRow {
    edges: Vec<Edge>,
    /// Of their targets, counted from the first of the shard.
    places: Vec<u32>,
    pre: Vec<u32>,
    post: Vec<u32>,
    id: Vec<u32>,
    /// For multapses the ids differ: each is the first copy.
    copy: Vec<u32>,
    delays: Vec<f32>,
    weights: Vec<f32>,
    scratch: ValueScratch,
}

/// The effect of spikes on the neurons of a shard.
pub(super) struct RowPropagation<'a> {
    pub(super) plan: &'a Plan,
    pub(super) live: &'a RuntimeValues,
    /// Index of the projection.
    pub(super) index: usize,
    /// The places of the neurons of the postsynaptic population in this shard, and the first lane of each port.
    pub(super) posts: &'a Range<u32>,
    pub(super) ports: &'a [(usize, Option<usize>)],
}

impl RowPropagation<'_> {
    /// The events of a row.
    pub(super) fn row(&self, row: &SpikeRow, rings: &mut ShardRings<'_>) {
        rings.slots.turn_to(row.step);
        match &self.plan.projections[self.index].rows().words {
            Words::Narrow(words) => self.events(&words[row.edges.clone()], &row.edges, rings),
            Words::Wide(words) => self.events(&words[row.edges.clone()], &row.edges, rings),
        }
    }

    /// The events of the edges of a row with these words.
    fn events<W: Copy + Into<u32>>(&self, words: &[W], edges: &Range<usize>, rings: &mut ShardRings<'_>) {
        let projection = &self.plan.projections[self.index];
        let rows = projection.rows();
        let first_post = self.posts.start;
        for (write, (delay, of)) in projection.writes().enumerate() {
            let (first, _) = self.ports[of.port];
            let weights = self.live.weights(of, self.index, write);
            if let PerSynapse::Shared(delay) = delay {
                let slot = rings.slots.starts[*delay as usize] + first;
                let lanes = &mut rings.sums[slot..][..self.posts.len()];
                match weights {
                    PerSynapse::Shared(weight) => add_one(lanes, first_post, words, *weight),
                    PerSynapse::Each(weights) if is_run(words) => {
                        add_run(&mut lanes[(words[0].into() - first_post) as usize..], &weights[edges.clone()]);
                    }
                    PerSynapse::Each(weights) => {
                        add_each(lanes, first_post, words, &weights[edges.clone()], |weight| weight);
                    }
                    PerSynapse::Half(weights) => {
                        add_each(lanes, first_post, words, &weights[edges.clone()], half::decode);
                    }
                    PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
                }
                continue;
            }
            // Each synapse has its own delay.
            let delays = match delay {
                PerSynapse::Each(delays) => RowDelays::Listed(&delays[edges.clone()]),
                _ => RowDelays::InWords(rows.target_bits),
            };
            let late = PostSums { starts: &rings.slots.starts, first, first_post, mask: rows.target_mask() };
            match weights {
                PerSynapse::Each(weights) => late.add_each(rings.sums, words, delays, &weights[edges.clone()], |weight| weight),
                PerSynapse::Half(weights) => late.add_each(rings.sums, words, delays, &weights[edges.clone()], half::decode),
                PerSynapse::Shared(weight) => late.add_each(rings.sums, words, delays, words, |_| *weight),
                PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
            }
        }
    }

    /// The events of a spike of neuron `pre` with a procedural row.
    pub(super) fn drawn(&self, procedural: &ProceduralRows, step: u32, pre: u32, rings: &mut ShardRings<'_>, row: &mut DrawnRow) {
        let (projection, posts) = (&self.plan.projections[self.index], self.posts);
        if posts.is_empty() {
            return;
        }
        let own = self.plan.own(projection.post);
        let neurons = own.neuron(posts.start)..own.neuron(posts.end - 1) + 1;
        rings.slots.turn_to(step);
        let mut writes = projection.writes().enumerate();
        if let (Some((write, (PerSynapse::Shared(delay), of))), None) = (writes.next(), writes.next())
            && let PerSynapse::Shared(weight) = self.live.weights(of, self.index, write)
        {
            // The most frequent case needs no list of the row.
            let slot = rings.slots.starts[*delay as usize] + self.ports[of.port].0;
            let lanes = &mut rings.sums[slot..][..posts.len()];
            match own.as_range() {
                Some(_) => procedural.for_each(pre, &neurons, |edge| lanes[(edge.post - neurons.start) as usize] += weight),
                None => procedural.for_each(pre, &neurons, |edge| {
                    own.place(edge.post).into_iter().for_each(|place| lanes[(place - posts.start) as usize] += weight);
                }),
            }
            return;
        }
        row.edges.clear();
        procedural.draw(pre, &neurons, &mut row.edges);
        row.places.clear();
        match own.as_range() {
            Some(_) => row.places.extend(row.edges.iter().map(|edge| edge.post - neurons.start)),
            None => {
                row.edges.retain(|edge| own.contains(edge.post));
                row.places.extend(row.edges.iter().filter_map(|edge| own.place(edge.post)).map(|place| place - posts.start));
            }
        }
        if projection.writes().any(|(delay, of)| is_drawn(delay) || is_drawn(&of.weights)) {
            row.pre.clear();
            row.pre.resize(row.edges.len(), pre);
            row.post.clear();
            row.post.extend(row.edges.iter().map(|edge| edge.post));
            row.id.clear();
            row.id.extend(row.edges.iter().map(|edge| edge.id));
            row.copy.resize(row.edges.len(), 0);
        }
        for (write, (delay, of)) in projection.writes().enumerate() {
            let (first, _) = self.ports[of.port];
            let weights = self.live.weights(of, self.index, write);
            let ports = &self.plan.populations[projection.post].ports;
            let shift = ports[of.port].shift;
            let whole = ports[of.port].rest.then(|| ports[of.port - 1].shift);
            if let PerSynapse::Drawn(value) = delay {
                let of = SynapseCoordinates { pre: &row.pre, id: &row.id, copy: &row.copy };
                drawn_values(procedural, &value.code, of, &row.post, &mut row.scratch, &mut row.delays);
            }
            if let PerSynapse::Drawn(value) = weights {
                let of = SynapseCoordinates { pre: &row.pre, id: &row.id, copy: &row.copy };
                drawn_values(procedural, &value.code, of, &row.post, &mut row.scratch, &mut row.weights);
            }
            for (at, place) in row.places.iter().enumerate() {
                let delay = match delay {
                    PerSynapse::Shared(delay) => *delay,
                    _ => row.delays[at].round_ties_even() as u32,
                };
                let weight = match weights {
                    PerSynapse::Shared(weight) => *weight,
                    _ => {
                        let weight = f64::from(row.weights[at]);
                        whole.map_or_else(|| ring::quantise(weight, shift), |whole| ring::rest(weight, [whole, shift]))
                    }
                };
                let lane = rings.slots.starts[delay as usize] + first + *place as usize;
                rings.sums[lane] += weight;
            }
        }
    }
}

/// Whether rows consist of consecutive neurons, each once: those of all-to-all connectivity.
fn is_run<W: Copy + Into<u32>>(words: &[W]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    // Testing all of them is a vector loop, and cheaper than what it saves.
    ((*last).into() - (*first).into()) as usize + 1 == words.len()
        && words.windows(2).fold(true, |all, pair| all & (pair[0].into() < pair[1].into()))
}

/// Adds weights to the sums of consecutive neurons.
fn add_run(sums: &mut [i32], weights: &[i32]) {
    Level::best().run(
        #[inline(always)]
        || sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight),
    );
}

// The loops over events are separate functions, so that their data stay in registers.

/// Adds the same weight to the sums of all neurons of a row; the first lane belongs to neuron `first_post`.
#[inline(never)]
fn add_one<W: Copy + Into<u32>>(lanes: &mut [i32], first_post: u32, words: &[W], weight: i32) {
    for word in words {
        lanes[((*word).into() - first_post) as usize] += weight;
    }
}

/// Adds a weight to the sum of each neuron of a row.
#[inline(never)]
fn add_each<W: Copy + Into<u32>, T: Copy>(
    lanes: &mut [i32],
    first_post: u32,
    words: &[W],
    weights: &[T],
    units: impl Fn(T) -> i32,
) {
    for (word, weight) in words.iter().zip(weights) {
        lanes[((*word).into() - first_post) as usize] += units(*weight);
    }
}

/// The location of the delays of a row.
#[derive(Clone, Copy)]
enum RowDelays<'a> {
    /// Above this many bits of its words.
    InWords(u32),
    Listed(&'a [u32]),
}

/// The location of the sums of neurons for each delay.
struct PostSums<'a> {
    starts: &'a [usize],
    /// First lane of the port, which belongs to neuron `first_post`.
    first: usize,
    first_post: u32,
    /// Number of bits of the neuron in a word.
    mask: u32,
}

impl PostSums<'_> {
    /// Adds a weight to the sum of each neuron of a row, in the slot of its delay.
    #[inline(never)]
    fn add_each<W: Copy + Into<u32>, T: Copy>(
        &self,
        sums: &mut [i32],
        words: &[W],
        delays: RowDelays<'_>,
        weights: &[T],
        units: impl Fn(T) -> i32,
    ) {
        let PostSums { starts, first, first_post, mask } = *self;
        let mut add = |word: u32, delay: u32, weight: T| {
            let lane = first + ((word & mask) - first_post) as usize;
            sums[starts[delay as usize] + lane] += units(weight);
        };
        match delays {
            RowDelays::InWords(bits) => {
                words.iter().zip(weights).for_each(|(word, weight)| add((*word).into(), (*word).into() >> bits, *weight));
            }
            RowDelays::Listed(delays) => {
                words.iter().zip(weights).zip(delays).for_each(|((word, weight), delay)| add((*word).into(), *delay, *weight));
            }
        }
    }
}

fn is_drawn<T>(value: &PerSynapse<T>) -> bool {
    matches!(value, PerSynapse::Drawn(_))
}

/// The values of the edges of a row.
pub fn drawn_values(
    procedural: &ProceduralRows,
    code: &ValueCode,
    of: SynapseCoordinates<'_>,
    post: &[u32],
    scratch: &mut ValueScratch,
    out: &mut Vec<f32>,
) {
    out.clear();
    out.resize(post.len(), 0.0);
    for (first, out) in (0..).step_by(LANES).zip(out.chunks_mut(LANES)) {
        let part = first..first + out.len();
        let of = SynapseCoordinates { pre: &of.pre[part.clone()], id: &of.id[part.clone()], copy: &of.copy[part.clone()] };
        let bits = |site: u32, lanes: &mut [u32]| synapse_bits(procedural.seed, procedural.projection, of, site, lanes);
        let more = |site: u32, lane: usize| synapse_words(procedural.seed, procedural.projection, of.at(lane), site)[1];
        code.run(of.pre, &post[part], (&bits, &more), scratch, out);
    }
}
