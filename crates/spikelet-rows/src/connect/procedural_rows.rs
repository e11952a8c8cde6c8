//! Rows drawn from counters: the row of any neuron, at any time.
//!
//! A row consists of *blocks* of postsynaptic neurons. The counter (projection, pre, block) gives four random words: one determines the
//! number of edges of the block, the others the permutation of its neurons ([`Domain`]). Each edge of a block can thus be drawn
//! independently, by any thread or GPU. Only integers are compared, so the result is the same on every device.

use std::ops::Range;

use super::comes_true;
use super::permutation::Domain;
use crate::partition::common;
use crate::rng::{BinomialTable, Key, Purpose};

/// The rows of a projection as a rule to draw them. Indices are those of the populations.
#[derive(Debug, Clone, PartialEq)]
pub struct ProceduralRows {
    /// The network's seed.
    pub seed: u64,
    /// The index of the projection in the network.
    pub projection: u32,
    /// Presynaptic neurons.
    pub pre: Range<u32>,
    /// Postsynaptic neurons.
    pub post: Range<u32>,
    /// Whether both populations are the same and autapses are excluded.
    pub skips_self: bool,
    /// The number of edges of a row and their targets.
    pub distribution: RowDistribution,
}

/// The number of edges of a row and their targets.
#[derive(Debug, Clone, PartialEq)]
pub enum RowDistribution {
    /// All postsynaptic neurons.
    All,
    /// Each postsynaptic neuron independently with the same probability. Neurons are divided into blocks of 2^`bits`, counted from the
    /// start of the slice; draws beyond the end of the last block are skipped.
    Bernoulli {
        /// Size of a block, as a power of two.
        bits: u32,
        /// The number of edges of a block.
        counts: BinomialTable,
    },
    /// A number of uniformly drawn neurons, with or without replacement; the row is one block.
    Fixed {
        /// The number: one for all rows, or one per row.
        counts: Vec<u32>,
        /// Whether a neuron may be drawn twice.
        multapses: bool,
    },
    /// Neighbours on a grid.
    Footprint(Footprint),
}

/// Neighbours on a grid, each with its own probability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footprint {
    /// Neurons along each axis, 1 for unused axes.
    pub shape: [u32; 4],
    /// Neurons along the edge of a tile, or 0.
    pub tile: u32,
    /// Whether the grid is periodic.
    pub periodic: bool,
    /// Positions of neighbours, in grid steps along each axis.
    pub offsets: Vec<[i32; 4]>,
    /// For each, the threshold of 32 random bits; `u32::MAX` means always.
    pub thresholds: Vec<u32>,
}

/// An edge of a row in the order of draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The postsynaptic neuron.
    pub post: u32,
    /// The identifier of the edge in its row: the postsynaptic neuron, or the index in the row if neurons may be drawn twice. Random values
    /// of the edge are drawn for it.
    pub id: u32,
}

impl RowDistribution {
    /// Each postsynaptic neuron independently with probability `p`, in blocks of about 64 edges.
    pub fn bernoulli(p: f64, posts: u32) -> RowDistribution {
        let wanted = (64.0 / p).min(65_536.0) as u32;
        let bits = wanted.next_power_of_two().min(posts.max(1).next_power_of_two()).clamp(256, 65_536).ilog2();
        RowDistribution::Bernoulli { bits, counts: BinomialTable::new(1 << bits, p) }
    }
}

impl ProceduralRows {
    /// Whether multapses are possible.
    pub fn has_multapses(&self) -> bool {
        matches!(self.distribution, RowDistribution::Fixed { multapses: true, .. })
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        4 * match &self.distribution {
            RowDistribution::All => 0,
            RowDistribution::Bernoulli { counts, .. } => counts.thresholds().len() as u64,
            RowDistribution::Fixed { counts, .. } => counts.len() as u64,
            RowDistribution::Footprint(footprint) => 5 * footprint.offsets.len() as u64,
        }
    }

    /// Appends the edges of a presynaptic neuron to `posts`, in the order of draws.
    pub fn draw(&self, pre: u32, posts: &Range<u32>, row: &mut Vec<Edge>) {
        self.for_each(pre, posts, |edge| row.push(edge));
    }

    /// Visits the edges of a presynaptic neuron to `posts`, in the order of draws.
    #[inline]
    pub fn for_each(&self, pre: u32, posts: &Range<u32>, mut visit: impl FnMut(Edge)) {
        let posts = posts.start.max(self.post.start)..posts.end.min(self.post.end);
        if posts.is_empty() {
            return;
        }
        let mut add = |post: u32, id: u32| {
            if posts.contains(&post) {
                visit(Edge { post, id });
            }
        };
        match &self.distribution {
            RowDistribution::All => posts.clone().filter(|post| !self.is_self(pre, *post)).for_each(|post| add(post, post)),
            RowDistribution::Bernoulli { bits, counts } => {
                let domain = Domain::new(1 << bits);
                let block = |post: u32| (post - self.post.start) >> bits;
                for block in block(posts.start)..=block(posts.end - 1) {
                    let [count, keys @ ..] = self.words(pre, block);
                    // 64 bits: the last block may extend beyond the last number.
                    let first = u64::from(self.post.start) + (u64::from(block) << bits);
                    for k in 0..counts.count(count) {
                        let post = first + u64::from(domain.permuted(keys, k));
                        if post < u64::from(self.post.end) && !self.is_self(pre, post as u32) {
                            add(post as u32, post as u32);
                        }
                    }
                }
            }
            RowDistribution::Fixed { multapses, .. } => {
                let count = self.fixed(pre);
                // Later neurons are shifted by one if the neuron itself is excluded.
                let others = self.posts_of(pre);
                let from = self.post.start;
                let passed = |place: u32| from + place + u32::from(self.omits_self(pre) && from + place >= pre);
                if *multapses {
                    let unfair = others.wrapping_neg() % others;
                    for first in (0..count).step_by(4) {
                        let words = self.words(pre, first / 4);
                        for (k, word) in (first..count).zip(words) {
                            let product = u64::from(word) * u64::from(others);
                            let fair = product as u32 >= unfair;
                            add(passed(if fair { (product >> 32) as u32 } else { self.again(pre, k, others) }), k);
                        }
                    }
                } else {
                    let domain = Domain::new(others);
                    let [_, keys @ ..] = self.words(pre, 0);
                    for k in 0..count {
                        let post = passed(domain.permuted(keys, k));
                        add(post, post);
                    }
                }
            }
            RowDistribution::Footprint(footprint) => {
                let at = footprint.coordinates(pre);
                for (k, (offset, threshold)) in (0..).zip(footprint.offsets.iter().zip(&footprint.thresholds)) {
                    let Some(post) = footprint.neighbour(at, *offset) else { continue };
                    if self.is_self(pre, post) {
                        continue;
                    }
                    if *threshold == u32::MAX || comes_true(self.words(pre, k / 4)[k as usize % 4], *threshold) {
                        add(post, post);
                    }
                }
            }
        }
    }

    /// The number of edges of a row, with as few draws as possible.
    pub fn length(&self, pre: u32) -> u32 {
        self.length_onto(pre, &self.post)
    }

    /// The number of edges of a row onto these neurons, with as few draws as possible.
    pub fn length_onto(&self, pre: u32, posts: &Range<u32>) -> u32 {
        let posts = common(posts, &self.post);
        let one_by_one = |posts: &Range<u32>| {
            let mut found = 0;
            self.for_each(pre, posts, |_| found += 1);
            found
        };
        match &self.distribution {
            _ if posts.is_empty() => 0,
            RowDistribution::All => posts.len() as u32 - u32::from(self.skips_self && posts.contains(&pre)),
            RowDistribution::Fixed { .. } if posts == self.post => self.fixed(pre),
            RowDistribution::Bernoulli { bits, counts } => {
                // If the neuron itself or neurons beyond a limit may have been drawn, edges are checked one by one.
                let block = |post: u32| (post - self.post.start) >> bits;
                let own = self.omits_self(pre).then(|| block(pre));
                let count = |number: u32| {
                    let first = u64::from(self.post.start) + (u64::from(number) << bits);
                    let end = first + (1 << bits);
                    if own == Some(number) || first < posts.start.into() || end > posts.end.into() {
                        let part = first.max(posts.start.into()) as u32..end.min(posts.end.into()) as u32;
                        one_by_one(&part)
                    } else {
                        counts.count(self.words(pre, number)[0])
                    }
                };
                (block(posts.start)..=block(posts.end - 1)).map(count).sum()
            }
            RowDistribution::Footprint(_) | RowDistribution::Fixed { .. } => one_by_one(&posts),
        }
    }

    /// The number of possible targets that are tested one by one for a row.
    pub fn tested(&self) -> usize {
        if let RowDistribution::Footprint(footprint) = &self.distribution { footprint.offsets.len() } else { 0 }
    }

    /// The cost of the row of a neuron, in edges.
    pub(super) fn cost(&self, pre: u32) -> u64 {
        if self.tested() > 0 { self.tested() as u64 } else { self.length(pre).into() }
    }

    /// Upper bound of the in-degree: certain, or exceeded at most once in e⁶⁴ neurons.
    pub fn max_incoming(&self) -> u32 {
        let (pres, posts) = (self.pre.len() as f64, self.post.len() as f64);
        let (mean, most) = match &self.distribution {
            RowDistribution::All => return self.pre.len() as u32,
            RowDistribution::Bernoulli { bits, counts } => (pres * counts.mean() / libm::ldexp(1.0, *bits as i32), pres),
            RowDistribution::Fixed { counts, multapses } => {
                let edges = counts.iter().map(|count| f64::from(*count)).sum::<f64>();
                let edges = if counts.len() == 1 { edges * pres } else { edges };
                // Rows without one of the neurons have the edges for one neuron fewer.
                let others = (posts - f64::from(u8::from(self.skips_self))).max(1.0);
                (edges / others, if *multapses { edges } else { pres })
            }
            RowDistribution::Footprint(footprint) => (f64::INFINITY, footprint.offsets.len() as f64),
        };
        tail(mean).min(most) as u32
    }

    /// The number of edges of a row with a [fixed](Law::Fixed) law.
    pub(super) fn fixed(&self, pre: u32) -> u32 {
        let RowDistribution::Fixed { counts, .. } = &self.distribution else { return 0 };
        if counts.len() == 1 { counts[0] } else { counts[(pre - self.pre.start) as usize] }
    }

    pub(super) fn is_self(&self, pre: u32, post: u32) -> bool {
        self.skips_self && pre == post
    }

    /// Whether one of the targets is the neuron itself, which is excluded.
    pub(super) fn omits_self(&self, pre: u32) -> bool {
        self.skips_self && self.post.contains(&pre)
    }

    /// Number of possible targets of a presynaptic neuron.
    pub fn posts_of(&self, pre: u32) -> u32 {
        self.post.len() as u32 - u32::from(self.omits_self(pre))
    }

    /// Four random words of a block of a row.
    pub(super) fn words(&self, pre: u32, block: u32) -> [u32; 4] {
        Key(self.seed).draw(Purpose::Connect, self.projection, [block, pre, 0])
    }

    /// A uniform integer below `n` for the k-th draw of a row, after the first attempt was rejected (Lemire 2019, "Fast random integer
    /// generation in an interval").
    #[cold]
    fn again(&self, pre: u32, k: u32, n: u32) -> u32 {
        let unfair = n.wrapping_neg() % n;
        let draw = |attempt| Key(self.seed).draw(Purpose::Connect, self.projection, [k / 4, pre, attempt])[k as usize % 4];
        let products = (1..).map(|attempt| u64::from(draw(attempt)) * u64::from(n));
        let fair = products.into_iter().find(|product| *product as u32 >= unfair);
        fair.map_or(0, |product| (product >> 32) as u32)
    }
}

/// Bound of a sum of independent 0/1 events with this mean, exceeded at most once in e⁶⁴ times (Chernoff 1952, "A measure of asymptotic
/// efficiency for tests of a hypothesis based on the sum of observations").
fn tail(mean: f64) -> f64 {
    const RARE: f64 = 64.0;
    if mean <= 0.0 || mean.is_infinite() {
        return mean;
    }
    let is_rare = |most: f64| most * libm::log(most / mean) - (most - mean) >= RARE;
    let (mut low, mut high) = (libm::floor(mean), libm::ceil(2.0 * mean) + 2.0 * RARE);
    while high - low > 1.0 {
        let middle = libm::floor((low + high) / 2.0);
        if is_rare(middle) { high = middle } else { low = middle }
    }
    high
}

impl Footprint {
    /// Grid coordinates of a neuron.
    pub fn coordinates(&self, neuron: u32) -> [u32; 4] {
        coordinates(self.shape, self.tile, neuron)
    }

    /// The neuron at this distance in grid steps, if there is one.
    pub fn neighbour(&self, at: [u32; 4], offset: [i32; 4]) -> Option<u32> {
        let mut found = [0; 4];
        for axis in 0..4 {
            let (edge, moved) = (i64::from(self.shape[axis]), i64::from(at[axis]) + i64::from(offset[axis]));
            found[axis] = if self.periodic { moved.rem_euclid(edge) } else { moved };
            if !(0..edge).contains(&found[axis]) {
                return None;
            }
        }
        Some(number(self.shape, self.tile, found.map(|x| x as u32)))
    }
}

/// Grid coordinates of a neuron, the first changing fastest; with tiles, tile by tile.
pub(crate) fn coordinates(shape: [u32; 4], tile: u32, neuron: u32) -> [u32; 4] {
    let mut rest = neuron;
    let mut take = |edge: u32| {
        let at = rest % edge;
        rest /= edge;
        at
    };
    if tile == 0 {
        return shape.map(&mut take);
    }
    let inside = shape.map(|edge| if edge == 1 { 0 } else { take(tile) });
    let mut found = [0; 4];
    for (axis, edge) in shape.into_iter().enumerate() {
        found[axis] = if edge == 1 { 0 } else { take(edge / tile) * tile + inside[axis] };
    }
    found
}

/// The inverse.
fn number(shape: [u32; 4], tile: u32, at: [u32; 4]) -> u32 {
    let (mut number, mut stride) = (0, 1);
    let mut put = |coordinate: u32, edge: u32| {
        number += coordinate * stride;
        stride *= edge;
    };
    if tile == 0 {
        shape.into_iter().zip(at).for_each(|(edge, x)| put(x, edge));
        return number;
    }
    let axes = || shape.into_iter().zip(at).filter(|(edge, _)| *edge > 1);
    axes().for_each(|(_, x)| put(x % tile, tile));
    axes().for_each(|(edge, x)| put(x / tile, edge / tile));
    number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn grids_are_numbered_without_gaps(tiles in prop::array::uniform4(1..4_u32), tile in 1..4_u32, plain: bool) {
            let shape = tiles.map(|n| if n == 1 { 1 } else { n * tile });
            let tile = if plain { 0 } else { tile };
            for neuron in 0..shape.iter().product() {
                let at = coordinates(shape, tile, neuron);
                prop_assert!(at.iter().zip(shape).all(|(x, edge)| *x < edge));
                prop_assert_eq!(number(shape, tile, at), neuron);
            }
        }
    }

    #[test]
    fn rare_sums_are_bounded() {
        assert_eq!(tail(0.0), 0.0);
        assert_eq!([tail(1e-30), tail(1.0), tail(1000.0), tail(1e8)], [1.0, 28.0, 1379.0, 100_113_159.0]);
    }

    #[test]
    fn tiles_hold_neighbours() {
        let at = |neuron| coordinates([4, 4, 1, 1], 2, neuron);
        assert_eq!([at(0), at(1), at(2), at(3), at(4)].map(|at| [at[0], at[1]]), [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0]]);
    }
}
