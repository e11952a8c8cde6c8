//! The words of `state` and of the pages, generated piece by piece, so that nothing large is in memory twice.

use spikelet::lang::{End, half};
use spikelet::{PerSynapse, Plan, ProjectionPlan, Rows, Words};

use super::halves::in_pairs;
use super::pages::RowSegment;
use super::{BufferLayout, bits, trace_words};

/// Number of words converted at a time if they cannot be passed directly.
const CHUNK: usize = 1 << 20;

/// A list in the first page, of a projection with synaptic state.
pub(super) struct PageList {
    pub(super) projection: usize,
    pub(super) holds: ListContent,
    pub(super) at: usize,
    pub(super) words: usize,
}

/// The content of a list.
#[derive(Clone, Copy)]
pub(super) enum ListContent {
    Offsets,
    Targets,
    /// The presynaptic neuron of each synapse.
    Sources,
    /// The synapses by postsynaptic neuron: offsets, then synapses.
    ByPost,
    /// The third neuron of each synapse.
    Thirds,
    /// The synapses by third neuron: offsets, then synapses.
    ByThird,
    /// Delays of a pathway.
    Delays(usize),
    /// The synapses by neuron, those of each in the order of a pathway's delays.
    ByDelay(usize),
}

/// A receiver of words with their offsets.
type WordSink<'a> = &'a mut dyn FnMut(usize, &[u32]);

impl BufferLayout {
    /// Passes the initial words of `state`, except zeros.
    pub(crate) fn fill_state(&self, plan: &Plan, put: WordSink<'_>) {
        for (population, place) in plan.populations.iter().zip(&self.populations) {
            let size = place.own as usize;
            for array in 0..population.program.variables.len() {
                let word = |neuron: usize| population.initial(array, neuron).to_bits();
                chunks(place.array(array), (0..size).map(word), put);
            }
            let never = (i32::MIN / 2) as u32;
            chunks(place.array(population.program.variables.len()), std::iter::repeat_n(never, size), put);
        }
        for (projection, place) in plan.projections.iter().zip(&self.projections) {
            let (Some(state), Some(place)) = (&projection.state, place) else { continue };
            let synapses = projection.rows().len();
            for (k, array) in state.arrays.iter().enumerate().filter(|(_, array)| !array.half) {
                let (_, words) = place.array(state, k, synapses);
                match array.initial.as_slice() {
                    [one] => chunks(words.start, std::iter::repeat_n(one.to_bits(), synapses), put),
                    each => chunks(words.start, bits(each), put),
                }
            }
            for (k, trace) in state.traces.iter().enumerate() {
                let size = trace_words(plan, projection, state, k);
                chunks(place.trace(plan, projection, state, k), std::iter::repeat_n(trace.initial.to_bits(), size), put);
            }
        }
    }

    /// Passes the initial words of `ring`, except zeros: synapses in two bytes.
    pub(crate) fn fill_ring(&self, plan: &Plan, put: WordSink<'_>) {
        for (projection, place) in plan.projections.iter().zip(&self.projections) {
            let (Some(state), Some(place)) = (&projection.state, place) else { continue };
            let synapses = projection.rows().len();
            for (k, array) in state.arrays.iter().enumerate().filter(|(_, array)| array.half) {
                let (_, words) = place.array(state, k, synapses);
                chunks(words.start, in_pairs((0..synapses).map(|synapse| half::encode(array.initial(synapse)))), put);
            }
        }
    }

    /// Passes the words of a page.
    pub(crate) fn fill_page(&self, plan: &Plan, page: usize, put: WordSink<'_>) {
        if page == 0 {
            self.lists.iter().for_each(|list| fill_list(plan, list, put));
        }
        self.pages[page].pieces.iter().for_each(|piece| fill_piece(plan, piece, put));
    }
}

fn fill_list(plan: &Plan, list: &PageList, put: WordSink<'_>) {
    let projection = &plan.projections[list.projection];
    let rows = projection.rows();
    match list.holds {
        ListContent::Offsets => chunks(list.at, rows.offsets.iter().map(|offset| *offset as u32), put),
        ListContent::Targets => chunks(list.at, rows.targets(), put),
        ListContent::Sources => {
            let ends = (projection.pre_slice.start..).zip(rows.offsets.windows(2));
            chunks(list.at, ends.flat_map(|(pre, ends)| (ends[0]..ends[1]).map(move |_| pre)), put);
        }
        ListContent::ByPost => {
            let (offsets, order) = rows.by_post(plan.own(projection.post).len());
            put(list.at, &offsets);
            put(list.at + offsets.len(), &order);
        }
        ListContent::Thirds => put(list.at, projection.third.as_ref().map_or(&[], |third| &third.neurons)),
        ListContent::ByThird => {
            let (offsets, order) = by_third(plan, projection);
            put(list.at, &offsets);
            put(list.at + offsets.len(), &order);
        }
        ListContent::Delays(pathway) => put(list.at, projection.pathways[pathway].delay.as_slice()),
        ListContent::ByDelay(pathway) => {
            let of = &projection.pathways[pathway];
            let (offsets, mut order) = match of.end {
                End::Pre => (rows.offsets.iter().map(|offset| *offset as u32).collect(), (0..rows.len() as u32).collect()),
                End::Post => rows.by_post(plan.own(projection.post).len()),
                End::Third => by_third(plan, projection),
            };
            let delays = of.delay.as_slice();
            for neuron in offsets.windows(2) {
                order[neuron[0] as usize..neuron[1] as usize].sort_by_key(|synapse| delays[*synapse as usize]);
            }
            put(list.at, &order);
        }
    }
}

/// The synapses by third neuron: offsets and order.
fn by_third(plan: &Plan, projection: &ProjectionPlan) -> (Vec<u32>, Vec<u32>) {
    let third = projection.third.as_ref();
    third.map(|third| third.synapses(plan.populations[third.population].size)).unwrap_or_default()
}

fn fill_piece(plan: &Plan, piece: &RowSegment, put: WordSink<'_>) {
    let projection = &plan.projections[piece.projection];
    let Rows { offsets, words, .. } = projection.rows();
    let offsets = &offsets[piece.rows.start..=piece.rows.end];
    let synapses = offsets[0] as usize..offsets[piece.rows.len()] as usize;
    // Offsets count from the first synapse of the piece.
    chunks(piece.at, offsets.iter().map(|offset| (offset - offsets[0]) as u32), put);
    let mut at = piece.at + offsets.len();
    let mut take = |words: usize| {
        at += words;
        at - words
    };
    match words {
        Words::Wide(words) => put(take(synapses.len()), &words[synapses.clone()]),
        Words::Narrow(_) => chunks(take(synapses.len()), words.of(synapses.clone()), put),
    }
    for pathway in &projection.pathways {
        if let PerSynapse::Each(delays) = &pathway.delay {
            put(take(synapses.len()), &delays[synapses.clone()]);
        }
    }
    for (_, write) in projection.writes() {
        match &write.weights {
            PerSynapse::Each(weights) => put(take(synapses.len()), bytemuck::cast_slice(&weights[synapses.clone()])),
            PerSynapse::Half(weights) => {
                chunks(take(synapses.len().div_ceil(2)), in_pairs(weights[synapses.clone()].iter().copied()), put);
            }
            PerSynapse::Shared(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
        }
    }
}

/// Passes words that are computed one by one.
fn chunks(mut at: usize, words: impl Iterator<Item = u32>, put: WordSink<'_>) {
    let mut chunk = Vec::new();
    for word in words {
        chunk.push(word);
        if chunk.len() == CHUNK {
            put(at, &chunk);
            at += CHUNK;
            chunk.clear();
        }
    }
    if !chunk.is_empty() {
        put(at, &chunk);
    }
}
