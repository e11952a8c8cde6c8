//! Drawing of rows, and caps.

use std::ops::Range;

use spikelet_network::Error;

use super::Rows;
use super::connectivity::Connectivity;
use super::procedural_rows::ProceduralRows;
use super::row_by_row::RowByRow;
use super::row_sorter::RowSorter;
use crate::OwnNeurons;

/// A projection that is ready to be drawn, neuron by neuron.
#[allow(clippy::large_enum_variant, reason = "there is one for each projection")]
pub enum RowGenerator<'a> {
    /// From counters alone.
    Recipe(ProceduralRows),
    /// Row by row.
    ByPre(RowByRow<'a>),
    /// Already drawn as a whole.
    Whole {
        /// All rows.
        rows: Rows,
        /// The presynaptic neuron of the first row.
        first: u32,
        /// Synapses dropped by caps.
        dropped: u64,
    },
}

/// Rows under construction: targets, and the identifiers of edges.
#[derive(Debug, Default)]
pub struct RowChunk {
    /// Number of edges of each row.
    pub lengths: Vec<u32>,
    pub targets: Vec<u32>,
    /// [`Edge::id`] of each edge; empty if it equals the target.
    pub ids: Vec<u32>,
    /// Synapses dropped by a cap.
    pub dropped: u64,
}

impl RowChunk {
    /// Keeps only the edges onto these neurons.
    fn keep(&mut self, own: &OwnNeurons) {
        let (mut end, mut from) = (0, 0);
        for length in &mut self.lengths {
            let (row, start) = (from..from + *length as usize, end);
            from = row.end;
            for at in row {
                self.targets[end] = self.targets[at];
                if let Some(id) = self.ids.get(at).copied() {
                    self.ids[end] = id;
                }
                end += usize::from(own.contains(self.targets[at]));
            }
            *length = (end - start) as u32;
        }
        self.targets.truncate(end);
        self.ids.truncate(end);
    }
}

impl Connectivity<'_> {
    /// The rows of some presynaptic neurons, with the edges that are wanted.
    pub fn own_rows(&self, ready: &RowGenerator<'_>, pres: Range<u32>) -> RowChunk {
        let mut chunk = ready.stretch(pres, &self.own_posts());
        if self.own.as_range().is_none() {
            chunk.keep(&self.own);
        }
        // A cap of presynaptic neurons drops edges of whole rows, whichever of them are wanted: one rank counts them.
        if !self.own.contains(self.post.start) {
            chunk.dropped = 0;
        }
        chunk
    }

    /// The number of edges that are wanted of a row of such a rule.
    pub fn own_length(&self, procedural: &ProceduralRows, pre: u32) -> u32 {
        if self.own.as_range().is_some() {
            return procedural.length_onto(pre, &self.own_posts());
        }
        let mut found = 0;
        procedural.for_each(pre, &self.own_posts(), |edge| found += u32::from(self.own.contains(edge.post)));
        found
    }

    /// Rows in which each pair has its number of synapses.
    ///
    /// # Errors
    /// A number of synapses is not valid.
    pub(super) fn repeated(&self, rows: Rows) -> Result<Rows, Error> {
        if self.per_pair.is_none() {
            return Ok(rows);
        }
        let mut all = Rows::below(self.post.end);
        let mut targets = Vec::new();
        for (pre, row) in self.pre.clone().zip(rows.offsets.windows(2)) {
            targets.clear();
            for at in row[0] as usize..row[1] as usize {
                let target = rows.target(at);
                targets.extend(std::iter::repeat_n(target, self.synapses_of(pre, target)? as usize));
            }
            all.append(&[targets.len() as u32], &targets);
        }
        Ok(all)
    }

    /// Applies the caps to each pre- and postsynaptic neuron; the remaining synapses are drawn with equal probability.
    pub(super) fn capped<'a>(&self, mut rows: Rows, most: [Option<u32>; 2], mut dropped: u64) -> RowGenerator<'a> {
        if let Some(most) = most[0] {
            let before = rows.len();
            rows = rows.filtered(&self.kept_of_rows(&rows, most));
            // It needs whole rows; one rank counts the edges that it drops.
            if self.own.contains(self.post.start) {
                dropped += (before - rows.len()) as u64;
            }
            let kept: Vec<bool> = rows.targets().map(|target| self.own.contains(target)).collect();
            rows = rows.filtered(&kept);
        }
        let before = rows.len();
        if let Some(most) = most[1] {
            let (offsets, edges) = rows.by_post(self.post.end);
            let mut kept = vec![true; rows.len()];
            for (post, ends) in (0..).zip(offsets.windows(2)) {
                let edges = &edges[ends[0] as usize..ends[1] as usize];
                for at in self.dropped(1, post, edges.len() as u32, most) {
                    kept[edges[at as usize] as usize] = false;
                }
            }
            rows = rows.filtered(&kept);
        }
        dropped += (before - rows.len()) as u64;
        RowGenerator::Whole { rows, first: self.pre.start, dropped }
    }

    fn kept_of_rows(&self, rows: &Rows, most: u32) -> Vec<bool> {
        let mut kept = vec![true; rows.len()];
        for (pre, ends) in self.pre.clone().zip(rows.offsets.windows(2)) {
            for at in self.dropped(0, pre, (ends[1] - ends[0]) as u32, most) {
                kept[ends[0] as usize + at as usize] = false;
            }
        }
        kept
    }

    pub(super) fn listed(&self, pairs: &[[u32; 2]]) -> Rows {
        let whole_rows = self.most[0].is_some();
        let is_own = |post: u32| whole_rows || self.own.contains(post);
        let keep = |[i, j]: [u32; 2]| is_own(j) && self.keep.as_ref().is_none_or(|keep| keep(i, j));
        let chosen: Vec<u32> = (0..).zip(pairs).filter(|&(_, &pair)| keep(pair)).map(|(k, _)| k).collect();
        let edges = chosen.iter().map(|&k| pairs[k as usize]);
        let mut rows = Rows::of_list(self.pre.start, self.pre.len(), self.post.end, edges);
        rows.pairs.iter_mut().for_each(|place| *place = chosen[*place as usize]);
        rows
    }
}

impl RowGenerator<'_> {
    /// No rows.
    pub const NONE: RowGenerator<'static> = RowGenerator::Whole { rows: Rows::NONE, first: 0, dropped: 0 };

    /// The cost of the row of a neuron, in edges.
    pub fn cost(&self, pre: u32, posts: &Range<u32>) -> u64 {
        let cost = match self {
            RowGenerator::Recipe(procedural) => procedural.cost(pre),
            RowGenerator::ByPre(by_pre) => by_pre.cost(pre, posts),
            RowGenerator::Whole { .. } => 1,
        };
        cost.max(1)
    }

    /// The error in one of the rows, if any.
    pub fn fault(&self) -> Option<Error> {
        match self {
            RowGenerator::ByPre(by_pre) => by_pre.fault(),
            RowGenerator::Recipe(_) | RowGenerator::Whole { .. } => None,
        }
    }

    /// The rows of some presynaptic neurons within `posts`; targets increase within a row.
    pub fn stretch(&self, pres: Range<u32>, posts: &Range<u32>) -> RowChunk {
        let mut stretch = RowChunk::default();
        match self {
            RowGenerator::Recipe(procedural) => {
                let mut sorter = RowSorter::default();
                for pre in pres {
                    let before = stretch.targets.len();
                    sorter.row(procedural, pre, posts, [&mut stretch.targets, &mut stretch.ids]);
                    stretch.lengths.push((stretch.targets.len() - before) as u32);
                }
            }
            RowGenerator::ByPre(by_pre) => {
                for pre in pres {
                    let before = stretch.targets.len();
                    stretch.dropped += by_pre.row(pre, posts, &mut stretch.targets);
                    stretch.lengths.push((stretch.targets.len() - before) as u32);
                }
            }
            RowGenerator::Whole { rows, first, .. } => {
                for pre in pres {
                    let before = stretch.targets.len();
                    let row = rows.words.of(rows.row((pre - first) as usize));
                    stretch.targets.extend(row.filter(|target| posts.contains(target)));
                    stretch.lengths.push((stretch.targets.len() - before) as u32);
                }
            }
        }
        stretch
    }
}
