//! Edges in any order, sorted into rows: a counting sort that works in parts.

use spikelet_network::Error;

use super::Rows;
use super::connectivity::Connectivity;
use super::edge_batch::EdgeBatch;
use super::edge_source::EdgeSource;
use super::words::Words;

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
    batch: EdgeBatch,
    /// First the number of edges of each row, then the offset of the next edge of each row.
    next: Vec<u64>,
    rows: Rows,
    found: u64,
}

impl EdgeSorter {
    pub(super) fn new(connectivity: &Connectivity<'_>, source: EdgeSource) -> EdgeSorter {
        let next = vec![0; connectivity.pre.len()];
        EdgeSorter {
            source,
            pass: Pass::Count,
            batch: EdgeBatch::default(),
            next,
            rows: Rows::below(connectivity.post.end),
            found: 0,
        }
    }

    /// Processes about this many edges; the rows after the last one.
    ///
    /// # Errors
    /// An edge has no neuron.
    pub(super) fn advance(&mut self, connectivity: &Connectivity<'_>, edges: usize) -> Result<Option<Rows>, Error> {
        let mut processed = 0;
        while processed < edges {
            if let Pass::Sort(row) = self.pass {
                if row == self.next.len() {
                    return Ok(Some(std::mem::take(&mut self.rows)));
                }
                let row_edges = self.rows.row(row);
                processed += row_edges.len() + 1;
                // The edges of many rules are in order: this is tested first.
                match &mut self.rows.words {
                    Words::Narrow(words) => words[row_edges].sort_unstable(),
                    Words::Wide(words) => words[row_edges].sort_unstable(),
                }
                self.pass = Pass::Sort(row + 1);
                continue;
            }
            let more = self.source.draw(connectivity, BATCH, &mut self.batch);
            if let Some(fault) = self.source.fault() {
                return Err(fault);
            }
            processed += self.batch.pre.len().max(1);
            // A cap of presynaptic neurons needs whole rows.
            if connectivity.most[0].is_none() && connectivity.own.len() < connectivity.own.size() {
                self.batch.keep(&connectivity.own);
            }
            self.found += self.batch.pre.len() as u64;
            let first = connectivity.pre.start;
            if self.pass == Pass::Count {
                self.batch.pre.iter().for_each(|pre| self.next[(pre - first) as usize] += 1);
            } else {
                match &mut self.rows.words {
                    Words::Narrow(words) => place(&self.batch, first, &mut self.next, words, |post| post as u16),
                    Words::Wide(words) => place(&self.batch, first, &mut self.next, words, |post| post),
                }
            }
            if !more {
                self.turn(connectivity);
            }
        }
        Ok(None)
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
            match &mut self.rows.words {
                Words::Narrow(words) => words.resize(end as usize, 0),
                Words::Wide(words) => words.resize(end as usize, 0),
            }
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

/// Puts the words of edges at the next places of their rows.
fn place<T>(edges: &EdgeBatch, first: u32, next: &mut [u64], words: &mut [T], word: impl Fn(u32) -> T) {
    for (pre, post) in edges.pre.iter().zip(&edges.post) {
        let place = &mut next[(pre - first) as usize];
        words[*place as usize] = word(*post);
        *place += 1;
    }
}
