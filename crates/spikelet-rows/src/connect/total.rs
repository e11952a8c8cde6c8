//! A total number of edges, as a number of edges of each row.

use super::connectivity::Connectivity;
use crate::rng::{Key, Purpose};

/// How many of `n` edges begin at each presynaptic neuron, when each edge is a pair drawn with equal probability; found in parts.
pub(super) struct TotalCounts {
    n: u64,
    autapses: bool,
    /// Without multapses: pairs in a random order, of which the first n that may be joined are taken.
    order: Option<PairOrder>,
    /// The next draw, and the number of pairs that were joined.
    draw: u64,
    joined: u64,
    counts: Vec<u32>,
}

impl TotalCounts {
    pub(super) fn new(connectivity: &Connectivity<'_>, n: u64, autapses: bool, multapses: bool) -> TotalCounts {
        let pairs = connectivity.pre.len() as u64 * connectivity.post.len() as u64;
        let order = (!multapses).then(|| PairOrder::new(connectivity, pairs));
        TotalCounts { n, autapses, order, draw: 0, joined: 0, counts: vec![0; connectivity.pre.len()] }
    }

    /// Draws up to this many pairs; the counts after the last one.
    pub(super) fn advance(&mut self, connectivity: &Connectivity<'_>, pairs: u64) -> Option<Vec<u32>> {
        let (pres, posts) = (connectivity.pre.len() as u64, connectivity.post.len() as u64);
        let is_self = |pre: u64, post: u64| {
            connectivity.recurrent && u64::from(connectivity.pre.start) + pre == u64::from(connectivity.post.start) + post
        };
        let end = if self.order.is_some() { pres * posts } else { u64::MAX };
        for _ in 0..pairs {
            if self.joined == self.n || self.draw == end {
                return Some(std::mem::take(&mut self.counts));
            }
            let pair = match &self.order {
                Some(order) => order.pair(self.draw),
                None => below(connectivity, self.draw, pres * posts),
            };
            self.draw += 1;
            let (pre, post) = (pair / posts, pair % posts);
            let joins = self.autapses || !is_self(pre, post);
            self.counts[pre as usize] += u32::from(joins);
            self.joined += u64::from(joins);
        }
        None
    }

    /// The number of pairs found so far.
    pub(super) fn found(&self) -> u64 {
        self.joined
    }
}

/// A uniform integer below `n` for the k-th draw of a projection: the high word of a product with 64 random bits, with a bias of at most
/// 2⁻⁶⁴·n.
pub(super) fn below(connectivity: &Connectivity<'_>, draw: u64, n: u64) -> u64 {
    let half = draw / 2;
    let words =
        Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, [half as u32, (half >> 32) as u32, u32::MAX]);
    let at = draw as usize % 2 * 2;
    let bits = u64::from(words[at]) << 32 | u64::from(words[at + 1]);
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

/// A random permutation of the pairs of a projection: a Feistel network over their numbers, like [`Domain`] for 32 bits.
struct PairOrder {
    pairs: u64,
    half: u32,
    keys: [u64; 8],
}

impl PairOrder {
    fn new(connectivity: &Connectivity<'_>, pairs: u64) -> PairOrder {
        let bits = (u64::BITS - pairs.saturating_sub(1).leading_zeros()).max(8);
        let key = |round: usize| {
            let words = Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, [round as u32, 0, u32::MAX]);
            u64::from(words[0]) << 32 | u64::from(words[1])
        };
        PairOrder { pairs, half: bits.div_ceil(2), keys: std::array::from_fn(key) }
    }

    fn pair(&self, k: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let mut x = k;
        loop {
            let (mut low, mut high) = (x & mask, x >> self.half);
            for key in self.keys {
                // The multiplier is that of splitmix64 (Steele, Lea & Flood 2014).
                let mixed = ((high ^ key).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ key >> 32).wrapping_mul(0x94D0_49BB_1331_11EB);
                (low, high) = (high, (low ^ mixed >> (64 - self.half)) & mask);
            }
            x = high << self.half | low;
            if x < self.pairs {
                return x;
            }
        }
    }
}
