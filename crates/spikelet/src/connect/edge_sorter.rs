//! Edges in any order, sorted into rows: a counting sort that works in parts.

use super::Rows;
use super::connectivity::Connectivity;
use super::edge_source::{EdgeSource, Edges};

/// Edges drawn at a time: they stay in the cache.
const BATCH: usize = 1 << 13;

/// What is done in a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Counts the edges of each row.
    Count,
    /// Draws them again, which is faster than memory for all of them, and places each in its row.
    Place,
    /// Sorts rows by postsynaptic neuron, from this one on.
    Sort(usize),
}

/// The sorting of the edges of a projection.
pub(super) struct EdgeSorter {
    source: EdgeSource,
    pass: Pass,
    batch: Edges,
    /// First the number of edges of each row, then the offset of the next edge of each row.
    next: Vec<u64>,
    rows: Rows,
    found: u64,
}

impl EdgeSorter {
    pub(super) fn new(connectivity: &Connectivity<'_>, source: EdgeSource) -> EdgeSorter {
        let next = vec![0; connectivity.pre.len()];
        EdgeSorter { source, pass: Pass::Count, batch: Edges::default(), next, rows: Rows::default(), found: 0 }
    }

    /// Processes about this many edges; the rows after the last one.
    pub(super) fn advance(&mut self, connectivity: &Connectivity<'_>, edges: usize) -> Option<Rows> {
        let mut processed = 0;
        while processed < edges {
            if let Pass::Sort(row) = self.pass {
                if row == self.next.len() {
                    return Some(std::mem::take(&mut self.rows));
                }
                let ends = [self.rows.offsets[row], self.rows.offsets[row + 1]].map(|end| end as usize);
                // The edges of many rules are in order: this is tested first.
                self.rows.words[ends[0]..ends[1]].sort_unstable();
                processed += ends[1] - ends[0] + 1;
                self.pass = Pass::Sort(row + 1);
                continue;
            }
            let more = self.source.draw(connectivity, BATCH, &mut self.batch);
            let Edges { pre, post } = &self.batch;
            processed += pre.len().max(1);
            self.found += pre.len() as u64;
            let first = connectivity.pre.start;
            if self.pass == Pass::Count {
                pre.iter().for_each(|pre| self.next[(pre - first) as usize] += 1);
            } else {
                for (pre, post) in pre.iter().zip(post) {
                    let place = &mut self.next[(pre - first) as usize];
                    self.rows.words[*place as usize] = *post;
                    *place += 1;
                }
            }
            if !more {
                self.turn(connectivity);
            }
        }
        None
    }

    /// Begins the next pass.
    fn turn(&mut self, connectivity: &Connectivity<'_>) {
        if self.pass == Pass::Count {
            let mut end = 0;
            self.rows.offsets.extend(self.next.iter().map(|count| {
                end += count;
                end
            }));
            let rows = self.next.len();
            self.next.copy_from_slice(&self.rows.offsets[..rows]);
            self.rows.words = vec![0; end as usize];
            self.source.restart(connectivity);
            self.pass = Pass::Place;
        } else {
            self.pass = Pass::Sort(0);
        }
    }

    /// The number of edges found so far; each is found twice.
    pub(super) fn found(&self) -> u64 {
        self.found / 2
    }
}
