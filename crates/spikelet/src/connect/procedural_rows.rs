//! Rows that are drawn from counters: any neuron's, whenever it is wanted.
//!
//! A row is made of *blocks* of posts. The counter (projection, pre, block) gives four random words: one decides how many edges the
//! block has, the others in which order its posts are taken ([`Domain`]); so each edge of a block can be drawn by itself, in any
//! order, by any thread or GPU. Only integers are compared, so every device draws the same.

use std::ops::Range;

use super::comes_true;
use super::permutation::Domain;
use crate::rng::{BinomialTable, Key, Purpose};

/// The rows of a projection, as a rule for drawing them. Indices are those of the populations.
#[derive(Debug, Clone, PartialEq)]
pub struct ProceduralRows {
    /// The network's seed.
    pub seed: u64,
    /// The projection's place in the network.
    pub projection: u32,
    /// Neurons that have rows.
    pub pre: Range<u32>,
    /// Neurons that are reached.
    pub post: Range<u32>,
    /// Whether pre and post are one population and a neuron may not reach itself.
    pub skips_self: bool,
    /// How many edges a row has, and where they lead.
    pub distribution: RowDistribution,
}

/// How many edges a row has, and where they lead.
#[derive(Debug, Clone, PartialEq)]
pub enum RowDistribution {
    /// To every post.
    All,
    /// To each post on its own with the same probability. Posts are taken in blocks of 2^`bits`, counted from the start of the slice;
    /// the last block may reach beyond its end, and what is drawn there is left out.
    Bernoulli {
        /// Posts of a block, as a power of two.
        bits: u32,
        /// How many edges a block has.
        counts: BinomialTable,
    },
    /// A number of posts, each drawn with equal probability, with or without replacement; the row is one block.
    Fixed {
        /// How many: one number for all rows, or one for each.
        counts: Vec<u32>,
        /// Whether one may be drawn twice.
        multapses: bool,
    },
    /// To neighbours on a grid.
    Footprint(Footprint),
}

/// Neighbours on a grid that neurons are joined to, each with a probability of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footprint {
    /// Neurons along each axis, 1 where there is none.
    pub shape: [u32; 4],
    /// Neurons along the edge of a tile in which they are numbered, or 0.
    pub tile: u32,
    /// Whether the grid is closed.
    pub periodic: bool,
    /// Where neighbours are, in grid steps along each axis.
    pub offsets: Vec<[i32; 4]>,
    /// For each, the 32 random bits below which it is joined; `u32::MAX` joins always.
    pub thresholds: Vec<u32>,
}

/// An edge of a row in the order in which it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The post neuron.
    pub post: u32,
    /// What tells the edge from others of its row: the post itself, or the place in the row where posts may be drawn twice. Random
    /// values of the edge are drawn for it.
    pub id: u32,
}

impl RowDistribution {
    /// Each post on its own with probability `p`, in blocks of about 64 edges.
    pub fn bernoulli(p: f64, posts: u32) -> RowDistribution {
        let wanted = (64.0 / p).min(65_536.0) as u32;
        let bits = wanted.next_power_of_two().min(posts.max(1).next_power_of_two()).clamp(256, 65_536).ilog2();
        RowDistribution::Bernoulli { bits, counts: BinomialTable::new(1 << bits, p) }
    }
}

impl ProceduralRows {
    /// Whether a pair may be joined more than once.
    pub fn has_multapses(&self) -> bool {
        matches!(self.distribution, RowDistribution::Fixed { multapses: true, .. })
    }

    /// Bytes that it keeps.
    pub fn bytes(&self) -> u64 {
        4 * match &self.distribution {
            RowDistribution::All => 0,
            RowDistribution::Bernoulli { counts, .. } => counts.thresholds().len() as u64,
            RowDistribution::Fixed { counts, .. } => counts.len() as u64,
            RowDistribution::Footprint(footprint) => 5 * footprint.offsets.len() as u64,
        }
    }

    /// Appends the edges of a pre neuron that lead to `posts`, in the order in which they are drawn.
    pub fn draw(&self, pre: u32, posts: &Range<u32>, row: &mut Vec<Edge>) {
        self.for_each(pre, posts, |edge| row.push(edge));
    }

    /// Visits the edges of a pre neuron that lead to `posts`, in the order in which they are drawn.
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
                    // 64 bits: the last block may reach beyond the last number.
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
                // A neuron that may not reach itself is passed over by those after it.
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

    /// How many edges the row of a pre neuron has, without drawing more of it than that takes.
    pub fn length(&self, pre: u32) -> u32 {
        let posts = self.post.len() as u32;
        match &self.distribution {
            RowDistribution::All => self.posts_of(pre),
            RowDistribution::Fixed { .. } if posts > 0 => self.fixed(pre),
            RowDistribution::Bernoulli { bits, counts } if posts > 0 => {
                // Where the neuron itself may have been drawn, or posts beyond the last one, edges are looked at one by one.
                let own = self.omits_self(pre).then(|| (pre - self.post.start) >> bits);
                let count = |block: u32| {
                    let first = block << bits;
                    let end = u64::from(first) + (1 << bits);
                    if own == Some(block) || end > u64::from(posts) {
                        let part = self.post.start + first..(u64::from(self.post.start) + end).min(self.post.end.into()) as u32;
                        let mut found = 0;
                        self.for_each(pre, &part, |_| found += 1);
                        found
                    } else {
                        counts.count(self.words(pre, block)[0])
                    }
                };
                (0..=(posts - 1) >> bits).map(count).sum()
            }
            RowDistribution::Footprint(_) => {
                let mut found = 0;
                self.for_each(pre, &self.post, |_| found += 1);
                found
            }
            RowDistribution::Fixed { .. } | RowDistribution::Bernoulli { .. } => 0,
        }
    }

    /// Edges that no post neuron exceeds: for certain, or but once in e⁶⁴ neurons, by the tail of the law.
    pub fn max_incoming(&self) -> u32 {
        let (pres, posts) = (self.pre.len() as f64, self.post.len() as f64);
        let (mean, most) = match &self.distribution {
            RowDistribution::All => return self.pre.len() as u32,
            RowDistribution::Bernoulli { bits, counts } => (pres * counts.mean() / libm::ldexp(1.0, *bits as i32), pres),
            RowDistribution::Fixed { counts, multapses } => {
                let edges = counts.iter().map(|count| f64::from(*count)).sum::<f64>();
                let edges = if counts.len() == 1 { edges * pres } else { edges };
                // Rows of which one post is left out have as many edges for one post fewer.
                let others = (posts - f64::from(u8::from(self.skips_self))).max(1.0);
                (edges / others, if *multapses { edges } else { pres })
            }
            RowDistribution::Footprint(footprint) => (f64::INFINITY, footprint.offsets.len() as f64),
        };
        tail(mean).min(most) as u32
    }

    /// How many edges the row of a [fixed](Law::Fixed) law has.
    fn fixed(&self, pre: u32) -> u32 {
        let RowDistribution::Fixed { counts, .. } = &self.distribution else { return 0 };
        if counts.len() == 1 { counts[0] } else { counts[(pre - self.pre.start) as usize] }
    }

    fn is_self(&self, pre: u32, post: u32) -> bool {
        self.skips_self && pre == post
    }

    /// Whether one of the posts is the neuron itself, and left out.
    fn omits_self(&self, pre: u32) -> bool {
        self.skips_self && self.post.contains(&pre)
    }

    /// How many posts a pre neuron may reach.
    pub fn posts_of(&self, pre: u32) -> u32 {
        self.post.len() as u32 - u32::from(self.omits_self(pre))
    }

    /// Four random words of a block of a row.
    fn words(&self, pre: u32, block: u32) -> [u32; 4] {
        Key(self.seed).draw(Purpose::Connect, self.projection, [block, pre, 0])
    }

    /// A whole number below `n` for the k-th draw of a row, each equally likely, after the first attempt was rejected (Lemire 2019,
    /// "Fast random integer generation in an interval").
    #[cold]
    fn again(&self, pre: u32, k: u32, n: u32) -> u32 {
        let unfair = n.wrapping_neg() % n;
        let draw = |attempt| Key(self.seed).draw(Purpose::Connect, self.projection, [k / 4, pre, attempt])[k as usize % 4];
        let products = (1..).map(|attempt| u64::from(draw(attempt)) * u64::from(n));
        let fair = products.into_iter().find(|product| *product as u32 >= unfair);
        fair.map_or(0, |product| (product >> 32) as u32)
    }
}

/// What a sum of independent events, each 0 or 1, exceeds at most once in e⁶⁴ times, by its mean (Chernoff 1952, "A measure of
/// asymptotic efficiency for tests of a hypothesis based on the sum of observations").
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

    /// The neuron so many grid steps away, if there is one.
    fn neighbour(&self, at: [u32; 4], offset: [i32; 4]) -> Option<u32> {
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

/// Grid coordinates of a neuron, the first running fastest; with tiles, tile after tile.
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

/// The reverse.
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
