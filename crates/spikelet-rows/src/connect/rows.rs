//! Edges as rows: the targets of each presynaptic neuron.

use std::ops::Range;

use super::words::Words;
use crate::OwnNeurons;

/// The edges of a projection in compressed rows by presynaptic neuron, with increasing targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Row `r` belongs to presynaptic neuron `pre.start + r` and is `words[offsets[r]..offsets[r + 1]]`; one more entry than rows.
    pub offsets: Vec<u64>,
    /// For each edge the place of the postsynaptic neuron among the own ones of its population, in the lowest [`Rows::target_bits`] bits, and in the higher
    /// bits, if there are any, the delay in steps.
    pub words: Words,
    /// Number of bits of the postsynaptic neuron in a word.
    pub target_bits: u32,
    /// For a list of pairs, the index of the pair of each edge (values are in the order of pairs); empty for rules.
    pub pairs: Vec<u32>,
    /// The [`Edge::id`](crate::Edge::id) of each edge, if there may be multapses and values are drawn after all rows; else empty.
    pub ids: Vec<u32>,
    /// Whether they could be procedural.
    pub drawable: bool,
}

/// Empty rows.
impl Default for Rows {
    fn default() -> Rows {
        Rows { offsets: vec![0], ..Rows::NONE }
    }
}

impl Rows {
    /// No rows, not even empty ones.
    pub const NONE: Rows = Rows {
        offsets: Vec::new(),
        words: Words::Wide(Vec::new()),
        target_bits: u32::BITS,
        pairs: Vec::new(),
        ids: Vec::new(),
        drawable: false,
    };

    /// Empty rows for targets below `end`.
    pub fn below(end: u32) -> Rows {
        Rows { words: Words::below(end), ..Rows::default() }
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Mask of the postsynaptic neuron in a word.
    pub fn target_mask(&self) -> u32 {
        u32::MAX >> (u32::BITS - self.target_bits)
    }

    /// The postsynaptic neuron of an edge.
    pub fn target(&self, edge: usize) -> u32 {
        self.words.get(edge) & self.target_mask()
    }

    /// The postsynaptic neurons of all edges.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let mask = self.target_mask();
        self.words.of(0..self.len()).map(move |word| word & mask)
    }

    /// The edges of row `row`.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// The first of some edges of a row whose target is not below `bound`, or their end.
    pub fn first_from(&self, edges: Range<usize>, bound: u32) -> usize {
        let mask = self.target_mask();
        edges.start
            + match &self.words {
                Words::Narrow(words) => words[edges].partition_point(|word| u32::from(*word) & mask < bound),
                Words::Wide(words) => words[edges].partition_point(|word| word & mask < bound),
            }
    }

    /// For a list of pairs, its edges in the order of the list, without pairs that a cap has dropped; empty for rules.
    pub fn places(&self) -> Vec<u32> {
        match self.pairs.is_empty() {
            true => Vec::new(),
            false => self.in_order_of_pairs().into_iter().map(|edge| edge as u32).collect(),
        }
    }

    /// All edges: for a list of pairs in the order of that list.
    pub fn in_order_of_pairs(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        if !self.pairs.is_empty() {
            order.sort_unstable_by_key(|edge| self.pairs[*edge]);
        }
        order
    }

    /// The edges by postsynaptic neuron: offsets for each of `posts` neurons, and the edges in this order, with increasing presynaptic
    /// neurons.
    pub fn by_post(&self, posts: u32) -> (Vec<u32>, Vec<u32>) {
        grouped(|| self.targets(), posts)
    }

    /// Replaces targets, which are own neurons, by their places.
    pub fn place_targets(&mut self, own: &OwnNeurons) {
        if own.len() < own.size() {
            let places: Vec<u32> = self.targets().filter_map(|target| own.place(target)).collect();
            self.words = Words::below(own.len());
            self.words.extend(&places);
        }
    }

    /// Appends rows of these lengths.
    pub fn append(&mut self, lengths: &[u32], words: &[u32]) {
        self.append_lengths(lengths);
        self.words.extend(words);
    }

    fn append_lengths(&mut self, lengths: &[u32]) {
        let mut end = self.offsets.last().copied().unwrap_or(0);
        self.offsets.extend(lengths.iter().map(|length| {
            end += u64::from(*length);
            end
        }));
    }

    /// The edges for which `kept` is true.
    pub(super) fn filtered(&self, kept: &[bool]) -> Rows {
        let of_row = |row: &[u64]| kept[row[0] as usize..row[1] as usize].iter().filter(|kept| **kept).count() as u32;
        let lengths: Vec<u32> = self.offsets.windows(2).map(of_row).collect();
        let words = match &self.words {
            Words::Narrow(words) => Words::Narrow(left(words, kept)),
            Words::Wide(words) => Words::Wide(left(words, kept)),
        };
        let mut rows = Rows { words, pairs: left(&self.pairs, kept), ids: left(&self.ids, kept), ..Rows::default() };
        rows.append_lengths(&lengths);
        rows
    }

    /// Rows of `pres` neurons, starting with `first`, from a list of edges in any order, with the original index of each: a counting sort by
    /// presynaptic neuron, then by postsynaptic neuron, which is below `end`. The order of equal pairs is kept.
    pub(super) fn of_list(first: u32, pres: usize, end: u32, edges: impl Iterator<Item = [u32; 2]> + Clone) -> Rows {
        let mut offsets = vec![0_u64; pres + 1];
        edges.clone().for_each(|[i, _]| offsets[(i - first) as usize + 1] += 1);
        for row in 1..offsets.len() {
            offsets[row] += offsets[row - 1];
        }
        let mut next = offsets.clone();
        let mut placed = vec![(0_u32, 0_u32); offsets[pres] as usize];
        for (ordinal, [i, j]) in (0..).zip(edges) {
            let place = &mut next[(i - first) as usize];
            placed[*place as usize] = (j, ordinal);
            *place += 1;
        }
        offsets.windows(2).for_each(|row| placed[row[0] as usize..row[1] as usize].sort_unstable());
        let (targets, pairs): (Vec<u32>, Vec<u32>) = placed.into_iter().unzip();
        let mut words = Words::below(end);
        words.extend(&targets);
        Rows { offsets, words, pairs, ..Rows::default() }
    }
}

/// The values whose edges are kept.
fn left<T: Copy>(values: &[T], kept: &[bool]) -> Vec<T> {
    values.iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| *value).collect()
}

/// Edges by one of their neurons: offsets for each of `count` neurons, and the edges in this order, with increasing numbers.
pub fn grouped<I: ExactSizeIterator<Item = u32>>(neurons: impl Fn() -> I, count: u32) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0; count as usize + 1];
    for neuron in neurons() {
        offsets[neuron as usize + 1] += 1;
    }
    for neuron in 0..count as usize {
        offsets[neuron + 1] += offsets[neuron];
    }
    let (mut next, mut edges) = (offsets.clone(), vec![0; neurons().len()]);
    for (edge, neuron) in (0..).zip(neurons()) {
        let place = &mut next[neuron as usize];
        edges[*place as usize] = edge;
        *place += 1;
    }
    (offsets, edges)
}
