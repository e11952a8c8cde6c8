//! Rows of synapses without state, divided into pages, and the walks over them.

use std::ops::Range;

use spikelet::{EdgePlan, Error, PerSynapse, Plan, ProjectionPlan};

use super::{Arena, BufferLayout};
use crate::adapter::BINDING_LIMIT;
use crate::shape::Limits;

/// A buffer bound as `rows` in some dispatches.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) words: usize,
    /// Its content.
    pub(super) pieces: Vec<RowSegment>,
    /// In `tables`: for each population the range of its walks over this page.
    pub(crate) walks_offset: u32,
    /// Loop iterations of a step in which all neurons fire.
    pub(crate) iterations: u64,
}

/// Some rows of a projection: in a page their offsets, words, delays and weights, one list after the other.
pub(super) struct RowSegment {
    pub(super) projection: usize,
    /// The rows, counted from the start of the slice.
    pub(super) rows: Range<usize>,
    /// Its offset.
    pub(super) at: usize,
}

/// The location of the delay of a synapse: the first of these numbers is a word of the walk.
const ONE_DELAY: u32 = 0;
const PACKED_DELAY: u32 = 1;
const LISTED_DELAY: u32 = 2;

/// The location of its weight, likewise.
const ONE_WEIGHT: u32 = 0;
const LISTED_WEIGHT: u32 = 1;
const HALF_WEIGHT: u32 = 2;

impl BufferLayout {
    /// Divides the rows of every stored projection without state into pages; describes a walk for each of their writes.
    pub(super) fn place_pages(&mut self, plan: &Plan, limits: Limits) -> Result<(), Error> {
        let most = limits.page_words();
        let lists = self.lists.last().map_or(0, |list| list.at + list.words);
        self.pages.push(Page { words: lists, ..Page::default() });
        // Walks of the open page, each with its presynaptic population.
        let mut walks: Vec<(usize, Vec<u32>)> = Vec::new();
        for (index, projection) in plan.projections.iter().enumerate().filter(|(_, projection)| is_stored(projection)) {
            let shared = self.describe_shared(index, projection);
            if projection.rows().is_empty() {
                continue;
            }
            let (offsets, rows) = (&projection.rows().offsets, projection.pre_slice.len());
            let lists = lists_of(projection);
            let mut first = 0;
            while first < rows {
                let room = most.saturating_sub(self.pages[self.pages.len() - 1].words as u64);
                let needed = |end: usize| (end - first + 1) as u64 + words_of(lists, offsets[end] - offsets[first]);
                // The maximum number of rows that fit.
                let end = partition_point(first..rows + 1, |end| needed(end) <= room).saturating_sub(1).max(first);
                if end == first {
                    if self.pages[self.pages.len() - 1].words == 0 {
                        let neuron = projection.pre_slice.start + first as u32;
                        return Err(too_long(projection, neuron, needed(first + 1), most));
                    }
                    self.close_page(plan, &mut walks);
                    self.pages.push(Page::default());
                    continue;
                }
                let page = self.pages.len() - 1;
                let at = self.pages[page].words;
                let of_piece = self.place_piece(plan, index, first..end, at, &shared);
                walks.extend(of_piece.into_iter().map(|walk| (projection.pre, walk)));
                self.pages[page].words += needed(end) as usize;
                self.pages[page].pieces.push(RowSegment { projection: index, rows: first..end, at });
                first = end;
            }
        }
        self.close_page(plan, &mut walks);
        Ok(())
    }

    /// Weights shared by all synapses are in `tables`; for each write their offset, if they are.
    pub(super) fn describe_shared(&mut self, index: usize, projection: &ProjectionPlan) -> Vec<Option<usize>> {
        let mut places = Vec::new();
        for (_, write) in projection.writes() {
            let shared = match &write.weights {
                PerSynapse::Shared(weight) => Some(self.describe([*weight as u32])),
                _ => None,
            };
            self.weights[index].push(shared.map(|at| (Arena::Tables, at..at + 1)).into_iter().collect());
            places.push(shared);
        }
        places
    }

    /// The walks over some rows at offset `at` in the open page: `WALK_WORDS` of shaders/propagate.wgsl.
    fn place_piece(
        &mut self,
        plan: &Plan,
        index: usize,
        piece: Range<usize>,
        at: usize,
        shared: &[Option<usize>],
    ) -> Vec<Vec<u32>> {
        let (projection, page) = (&plan.projections[index], self.pages.len() - 1);
        let rows = projection.rows();
        let synapses = (rows.offsets[piece.end] - rows.offsets[piece.start]) as usize;
        let words_offset = at + piece.len() + 1;
        let mut end = words_offset + synapses;
        let mut take = |words: usize| {
            end += words;
            end - words
        };
        // One list after the other, as written by `fill`.
        let mut delays = Vec::new();
        for pathway in &projection.pathways {
            delays.extend(std::iter::repeat_n(
                match &pathway.delay {
                    PerSynapse::Shared(delay) => [ONE_DELAY, *delay],
                    PerSynapse::Each(_) => [LISTED_DELAY, take(synapses) as u32],
                    PerSynapse::Half(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => [PACKED_DELAY, 0],
                },
                pathway.writes.len(),
            ));
        }
        let mut walks = Vec::new();
        for (write, ((_, of), delay)) in projection.writes().zip(delays).enumerate() {
            let [weight_kind, weight_offset] = match shared[write] {
                Some(at) => [ONE_WEIGHT, at as u32],
                None => {
                    let is_half = matches!(of.weights, PerSynapse::Half(_));
                    let (kind, words) = if is_half { (HALF_WEIGHT, synapses.div_ceil(2)) } else { (LISTED_WEIGHT, synapses) };
                    let at = take(words);
                    self.weights[index][write].push((Arena::Rows(page), at..at + words));
                    [kind, at as u32]
                }
            };
            let pres = piece.start as u32..piece.end as u32;
            let lane = plan.populations[projection.post].ports[of.port].column;
            walks.push(vec![
                projection.pre_slice.start + pres.start,
                projection.pre_slice.start + pres.end,
                at as u32,
                words_offset as u32,
                rows.target_bits,
                delay[0],
                delay[1],
                weight_kind,
                weight_offset,
                lane,
            ]);
        }
        walks
    }

    /// Describes the walks over the open page.
    fn close_page(&mut self, plan: &Plan, walks: &mut Vec<(usize, Vec<u32>)>) {
        walks.sort_by_key(|(pre, _)| *pre);
        let (mut ends, mut iterations) = (Vec::new(), 0);
        for (index, population) in plan.populations.iter().enumerate() {
            let begin = self.tables.len();
            let own = walks.iter().filter(|(pre, _)| *pre == index);
            // A spike searches its population, then every walk.
            iterations += u64::from(population.size) * (plan.populations.len() + own.clone().count()) as u64;
            self.tables.extend(own.flat_map(|(_, words)| words.iter().copied()));
            ends.extend([begin as u32, self.tables.len() as u32]);
        }
        walks.clear();
        let walks_offset = self.describe(ends) as u32;
        if let Some(page) = self.pages.last_mut() {
            page.walks_offset = walks_offset;
            for piece in &page.pieces {
                let projection = &plan.projections[piece.projection];
                let offsets = &projection.rows().offsets;
                // 64 synapses at a time, row by row.
                let row = (offsets[piece.rows.end] - offsets[piece.rows.start]).div_ceil(64) + piece.rows.len() as u64;
                iterations += row * projection.writes().count() as u64;
            }
            page.iterations = iterations;
        }
    }
}

/// Whether `propagate` processes its rows, if there are any.
fn is_stored(projection: &ProjectionPlan) -> bool {
    projection.state.is_none() && matches!(projection.edges, EdgePlan::Stored(_))
}

/// Number of lists with one word per synapse (itself, delays and weights), and with half a word.
fn lists_of(projection: &ProjectionPlan) -> [u64; 2] {
    let delays = projection.pathways.iter().filter(|pathway| matches!(pathway.delay, PerSynapse::Each(_))).count();
    let weights = || projection.writes().map(|(_, write)| &write.weights);
    let words = weights().filter(|weights| matches!(weights, PerSynapse::Each(_))).count();
    let halves = weights().filter(|weights| matches!(weights, PerSynapse::Half(_))).count();
    [1 + delays as u64 + words as u64, halves as u64]
}

/// Words of such lists in a piece: each starts at a word boundary.
fn words_of([words, halves]: [u64; 2], synapses: u64) -> u64 {
    words * synapses + halves * synapses.div_ceil(2)
}

/// The first of `range` for which `holds` is false, if it is true up to there.
fn partition_point(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn too_long(projection: &ProjectionPlan, neuron: u32, words: u64, most: u64) -> Error {
    let name = &projection.name;
    let synapses = projection.degrees.outgoing.get((neuron - projection.pre_slice.start) as usize).copied().unwrap_or(0);
    Error::Backend(format!(
        "the {synapses} synapses of neuron {neuron} in `{name}` need {} bytes, and a kernel can use at most {} \
         ({BINDING_LIMIT}), which must hold the whole row; split the projection by its targets, set its storage to \
         \"procedural\", or use the CPU",
        words * 4,
        most * 4
    ))
}
