//! Rows drawn from counters, with increasing targets: as [`ProceduralRows::draw`], many edges at a time.

use std::ops::Range;

use super::bit_set::BitSet;
use super::permutation::Domain;
use super::procedural_rows::{Edge, ProceduralRows, RowDistribution};

/// Scratch memory for rows, reused between them.
#[derive(Debug, Default)]
pub(super) struct RowSorter {
    drawn: Vec<u32>,
    set: BitSet,
    edges: Vec<Edge>,
}

impl RowSorter {
    /// Appends the targets of a presynaptic neuron within `posts` in increasing order, and, if there may be multapses, the [`Edge::id`] of
    /// each.
    pub(super) fn row(&mut self, rows: &ProceduralRows, pre: u32, posts: &Range<u32>, [targets, ids]: [&mut Vec<u32>; 2]) {
        let posts = posts.start.max(rows.post.start)..posts.end.min(rows.post.end);
        let is_wanted = |post: u64| u64::from(posts.start) <= post && post < u64::from(posts.end);
        match &rows.distribution {
            _ if posts.is_empty() => {}
            RowDistribution::Bernoulli { bits, counts } => {
                let domain = Domain::new(1 << bits);
                self.set.reserve(1 << bits);
                let block = |post: u32| (post - rows.post.start) >> bits;
                for block in block(posts.start)..=block(posts.end - 1) {
                    let [count, keys @ ..] = rows.words(pre, block);
                    self.drawn.clear();
                    domain.first_into(keys, counts.count(count), &mut self.drawn);
                    // 64 bits: the last block may extend beyond the last number.
                    let first = u64::from(rows.post.start) + (u64::from(block) << bits);
                    let own = u64::from(pre).checked_sub(first).filter(|own| rows.skips_self && *own < 1 << bits);
                    if own.is_some() || !is_wanted(first) || !is_wanted(first + (1 << bits) - 1) {
                        self.drawn.retain(|place| own != Some(u64::from(*place)) && is_wanted(first + u64::from(*place)));
                    }
                    self.drawn.iter().for_each(|place| self.set.insert(*place));
                    self.set.drain_into(first as u32, targets);
                }
            }
            RowDistribution::Fixed { multapses: false, .. } => {
                let others = rows.posts_of(pre);
                let [_, keys @ ..] = rows.words(pre, 0);
                self.drawn.clear();
                Domain::new(others).first_into(keys, rows.fixed(pre), &mut self.drawn);
                self.set.reserve(others);
                self.drawn.iter().for_each(|place| self.set.insert(*place));
                let start = targets.len();
                self.set.drain_into(rows.post.start, targets);
                if rows.omits_self(pre) {
                    // Later neurons are shifted by one if the neuron itself is excluded.
                    targets[start..].iter_mut().for_each(|target| *target += u32::from(*target >= pre));
                }
                if posts != rows.post {
                    let row = targets.split_off(start);
                    targets.extend(row.into_iter().filter(|target| posts.contains(target)));
                }
            }
            RowDistribution::All => targets.extend(posts.filter(|post| !rows.is_self(pre, *post))),
            RowDistribution::Fixed { multapses: true, .. } | RowDistribution::Footprint(_) => {
                self.edges.clear();
                rows.draw(pre, &posts, &mut self.edges);
                self.edges.sort_unstable_by_key(|edge| u64::from(edge.post) << 32 | u64::from(edge.id));
                targets.extend(self.edges.iter().map(|edge| edge.post));
                if rows.has_multapses() {
                    ids.extend(self.edges.iter().map(|edge| edge.id));
                }
            }
        }
    }
}
