//! Edges as rows: for each pre neuron the posts it reaches.

use std::ops::Range;

use super::Connector;
use crate::rng::{BinomialTable, Key, Purpose};

/// Posts per block: one draw decides a pre neuron's edges onto this many.
const BLOCK: u32 = BinomialTable::TRIALS;

/// What says who is joined: a rule, or the list itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule<'a> {
    /// A rule.
    Connector(&'a Connector),
    /// `[pre, post]`, one synapse each.
    Pairs(&'a [[u32; 2]]),
}

/// One projection's wiring, before any of it is drawn.
///
/// All indices count from the start of the population, not of the slice.
#[derive(Debug, Clone)]
pub struct Wiring<'a> {
    /// What says who is joined.
    pub rule: Rule<'a>,
    /// The projection's place in the network: two projections of one network draw different edges.
    pub projection: u32,
    /// The network's seed.
    pub seed: u64,
    /// Slice of the pre population.
    pub pre: Range<u32>,
    /// Slice of the post population.
    pub post: Range<u32>,
    /// Whether pre and post are the same population, so that `i == j` is one neuron.
    pub recurrent: bool,
}

/// The edges onto a range of posts, compressed by pre neuron, posts rising within a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// Row `r` is that of pre neuron `pre.start + r`, at `targets[offsets[r]..offsets[r + 1]]`; one more than rows.
    pub offsets: Vec<u64>,
    /// Index of the post neuron in its population.
    pub targets: Vec<u32>,
    /// For [`Rule::Pairs`], which pair each edge is (values come in the order of pairs); empty for rules.
    pub pairs: Vec<u32>,
}

impl Rows {
    /// Number of edges.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether nothing is joined.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// For [`Rule::Pairs`], the edge that each pair became; empty for rules.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.pairs.len()];
        for (edge, pair) in (0..).zip(&self.pairs) {
            places[*pair as usize] = edge;
        }
        places
    }

    /// The edges again, by post neuron: for each of `posts` neurons where its edges begin, and then the edges in their order, so
    /// that the pre neurons of a post neuron rise.
    pub fn by_post(&self, posts: u32) -> (Vec<u32>, Vec<u32>) {
        let mut offsets = vec![0; posts as usize + 1];
        for target in &self.targets {
            offsets[*target as usize + 1] += 1;
        }
        for post in 0..posts as usize {
            offsets[post + 1] += offsets[post];
        }
        let (mut next, mut edges) = (offsets.clone(), vec![0; self.targets.len()]);
        for (edge, target) in (0..).zip(&self.targets) {
            let place = &mut next[*target as usize];
            edges[*place as usize] = edge;
            *place += 1;
        }
        (offsets, edges)
    }

    /// The posts of row `row`.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.targets[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

impl Wiring<'_> {
    /// The edges onto `shard`, a range of the post population, for which `keep(i, j)` holds.
    ///
    /// `keep` is the connector's condition; the other parts of a rule are applied here.
    pub fn rows(&self, shard: &Range<u32>, keep: &dyn Fn(u32, u32) -> bool) -> Rows {
        let posts = self.post.start.max(shard.start)..self.post.end.min(shard.end);
        match self.rule {
            Rule::Pairs(pairs) => self.listed(pairs, &posts, keep),
            Rule::Connector(Connector::OneToOne {}) => self.by_pre(&posts, keep, |i, row| {
                let j = i - self.pre.start + self.post.start;
                row.extend(posts.contains(&j).then_some(j));
            }),
            Rule::Connector(&Connector::All { autapses, .. }) => self.by_pre(&posts, keep, |i, row| {
                row.extend(posts.clone().filter(|&j| self.may_join(autapses, i, j)));
            }),
            Rule::Connector(Connector::Bernoulli { p: crate::Quantity::Number(p), autapses, .. }) => {
                let (p, autapses) = (*p, *autapses);
                let table = BinomialTable::new(p);
                self.by_pre(&posts, keep, |i, row| {
                    for block in posts.start / BLOCK..posts.end.div_ceil(BLOCK) {
                        let joined = ones(self.block(&table, i, block)).map(|k| block * BLOCK + k);
                        row.extend(joined.filter(|&j| posts.contains(&j) && self.may_join(autapses, i, j)));
                    }
                })
            }
            Rule::Connector(&Connector::FixedIndegree { n, pre_range, autapses, .. }) => {
                let sources = pre_range.map_or(self.pre.clone(), |[first, end]| first..end);
                self.by_post(n, &sources, autapses, &posts, keep)
            }
            Rule::Connector(_) => self.by_pre(&posts, keep, |_, _| {}),
        }
    }

    fn may_join(&self, autapses: bool, i: u32, j: u32) -> bool {
        autapses || !self.recurrent || i != j
    }

    /// Row after row, each filled by `fill` and then filtered.
    fn by_pre(&self, posts: &Range<u32>, keep: &dyn Fn(u32, u32) -> bool, fill: impl Fn(u32, &mut Vec<u32>)) -> Rows {
        let mut rows = Rows { offsets: vec![0], ..Rows::default() };
        if posts.is_empty() {
            rows.offsets.resize(self.pre.len() + 1, 0);
            return rows;
        }
        let mut row = Vec::new();
        for i in self.pre.clone() {
            fill(i, &mut row);
            rows.targets.extend(row.drain(..).filter(|&j| keep(i, j)));
            rows.offsets.push(rows.targets.len() as u64);
        }
        rows
    }

    /// Which of the 256 posts of a block pre neuron `i` is joined to, as a bit mask.
    ///
    /// The first word of the draw gives how many; the bytes of the others say which, a byte already taken being
    /// passed over. Above half of the block the ones left out are drawn instead.
    fn block(&self, table: &BinomialTable, i: u32, block: u32) -> [u64; 4] {
        let draw = |index| Key(self.seed).draw(Purpose::Connect, self.projection, [index, i, block]);
        let mut words = draw(0);
        let count = table.count(words[0]);
        let complement = count > BLOCK / 2;
        let mut wanted = if complement { BLOCK - count } else { count };
        let mut mask = [0_u64; 4];
        let (mut index, mut byte) = (0, 4);
        while wanted > 0 {
            if byte == 16 {
                (index, byte) = (index + 1, 0);
                words = draw(index);
            }
            let position = words[byte / 4] >> (byte % 4 * 8) & 0xFF;
            byte += 1;
            let bit = 1 << (position % 64);
            let word = &mut mask[position as usize / 64];
            wanted -= u32::from(*word & bit == 0);
            *word |= bit;
        }
        if complement { mask.map(|word| !word) } else { mask }
    }

    /// `n` draws with replacement among `sources` for each post, then sorted by pre.
    fn by_post(&self, n: u32, sources: &Range<u32>, autapses: bool, posts: &Range<u32>, keep: &dyn Fn(u32, u32) -> bool) -> Rows {
        let mut edges = Vec::new();
        for j in posts.clone() {
            if sources.clone().all(|i| !self.may_join(autapses, i, j)) {
                continue;
            }
            let mut words = Words { wiring: self, post: j, index: 0, buffer: [0; 4] };
            for _ in 0..n {
                let i = loop {
                    let i = sources.start + words.below(sources.len() as u32);
                    if self.may_join(autapses, i, j) {
                        break i;
                    }
                };
                if keep(i, j) {
                    edges.push([i, j]);
                }
            }
        }
        self.sorted(edges.iter().copied(), false)
    }

    fn listed(&self, pairs: &[[u32; 2]], posts: &Range<u32>, keep: &dyn Fn(u32, u32) -> bool) -> Rows {
        let mine = |[i, j]: [u32; 2]| posts.contains(&j) && self.pre.contains(&i) && keep(i, j);
        let chosen: Vec<u32> = (0..).zip(pairs).filter(|&(_, &pair)| mine(pair)).map(|(k, _)| k).collect();
        let mut rows = self.sorted(chosen.iter().map(|&k| pairs[k as usize]), true);
        for place in &mut rows.pairs {
            *place = chosen[*place as usize];
        }
        rows
    }

    /// Counting sort by pre, then each row by post; equal pairs stay in their order.
    fn sorted(&self, edges: impl Iterator<Item = [u32; 2]> + Clone, ordinals: bool) -> Rows {
        let mut offsets = vec![0_u64; self.pre.len() + 1];
        for [i, _] in edges.clone() {
            offsets[(i - self.pre.start) as usize + 1] += 1;
        }
        for row in 1..offsets.len() {
            offsets[row] += offsets[row - 1];
        }
        let mut next = offsets.clone();
        let mut placed = vec![(0_u32, 0_u32); edges.clone().count()];
        for (ordinal, [i, j]) in (0..).zip(edges) {
            let place = &mut next[(i - self.pre.start) as usize];
            placed[*place as usize] = (j, ordinal);
            *place += 1;
        }
        for row in offsets.windows(2) {
            placed[row[0] as usize..row[1] as usize].sort_unstable();
        }
        let pairs = if ordinals { placed.iter().map(|&(_, ordinal)| ordinal).collect() } else { Vec::new() };
        Rows { offsets, targets: placed.iter().map(|&(j, _)| j).collect(), pairs }
    }
}

/// The places of the ones in a mask, rising.
fn ones(mask: [u64; 4]) -> impl Iterator<Item = u32> {
    (0..).step_by(64).zip(mask).flat_map(|(base, mut word)| {
        std::iter::from_fn(move || {
            let place = (word != 0).then(|| base + word.trailing_zeros());
            word &= word.wrapping_sub(1);
            place
        })
    })
}

/// The random words that belong to one post neuron of a fixed in-degree rule.
struct Words<'a> {
    wiring: &'a Wiring<'a>,
    post: u32,
    index: u32,
    buffer: [u32; 4],
}

impl Words<'_> {
    fn next(&mut self) -> u32 {
        let place = self.index % 4;
        if place == 0 {
            let Wiring { seed, projection, .. } = *self.wiring;
            self.buffer = Key(seed).draw(Purpose::Connect, projection, [self.index / 4, self.post, 0]);
        }
        self.index += 1;
        self.buffer[place as usize]
    }

    /// A whole number below `n`, each equally likely (Lemire 2019, "Fast random integer generation in an interval").
    fn below(&mut self, n: u32) -> u32 {
        let unfair = n.wrapping_neg() % n;
        loop {
            let product = u64::from(self.next()) * u64::from(n);
            if product as u32 >= unfair {
                return (product >> 32) as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests;
