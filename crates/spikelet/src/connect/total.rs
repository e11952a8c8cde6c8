//! Rules that draw all edges of a projection, or how many each neuron has.

use std::ops::Range;

use super::Rows;
use super::connectivity::Connectivity;
use super::permutation::Domain;
use crate::connectors::Draw;
use crate::rng::{Key, Purpose};

/// How many of `n` edges begin at each pre neuron, when each edge is a pair drawn with equal probability.
pub(super) fn counts(connectivity: &Connectivity<'_>, n: u64, autapses: bool, multapses: bool) -> Vec<u32> {
    let (pres, posts) = (connectivity.pre.len() as u64, connectivity.post.len() as u64);
    let mut counts = vec![0; connectivity.pre.len()];
    let is_self = |pre: u64, post: u64| {
        connectivity.recurrent && u64::from(connectivity.pre.start) + pre == u64::from(connectivity.post.start) + post
    };
    let mut throw = |pair: u64| {
        let (pre, post) = (pair / posts, pair % posts);
        let joins = autapses || !is_self(pre, post);
        counts[pre as usize] += u32::from(joins);
        joins
    };
    let mut joined = 0;
    if multapses {
        for draw in 0.. {
            if joined == n {
                break;
            }
            joined += u64::from(throw(below(connectivity, draw, pres * posts)));
        }
    } else {
        // Pairs in a random order: the first n of them that may be joined.
        let order = PairOrder::new(connectivity, pres * posts);
        for k in 0..pres * posts {
            if joined == n {
                break;
            }
            joined += u64::from(throw(order.pair(k)));
        }
    }
    counts
}

/// A uniform integer below `n` for the k-th draw of a projection: the high word of a product with 64 random bits, with a bias of at most
/// 2⁻⁶⁴·n.
fn below(connectivity: &Connectivity<'_>, draw: u64, n: u64) -> u64 {
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

/// Rows of a kind whose edges are all drawn together; `None` for others.
pub(super) fn rows(connectivity: &Connectivity<'_>, draw: &Draw, autapses: bool) -> Option<Rows> {
    let sorted = |edges: &[[u32; 2]]| Rows::sorted(connectivity.pre.start, connectivity.pre.len(), edges.iter().copied(), false);
    match *draw {
        Draw::Indegree { n, pre_range, multapses } => {
            let sources = pre_range.map_or(connectivity.pre.clone(), |[first, end]| first..end);
            let draws = IndegreeDraws { connectivity, sources, n, autapses, multapses };
            // Drawn twice instead of stored: to count and to sort.
            let edges = connectivity.post.clone().flat_map(|post| draws.of_post(post));
            Some(Rows::sorted(connectivity.pre.start, connectivity.pre.len(), edges, false))
        }
        Draw::Attachment { n } => Some(sorted(&attachment(connectivity, n))),
        Draw::Ranked { n, gammas } => Some(sorted(&ranked(connectivity, n, gammas, autapses))),
        _ => None,
    }
}

/// `n` draws of presynaptic neurons for each postsynaptic neuron.
struct IndegreeDraws<'a> {
    connectivity: &'a Connectivity<'a>,
    sources: Range<u32>,
    n: u32,
    autapses: bool,
    multapses: bool,
}

impl IndegreeDraws<'_> {
    fn of_post(&self, post: u32) -> impl Iterator<Item = [u32; 2]> + Clone {
        let IndegreeDraws { connectivity, sources, n, autapses, multapses } = self;
        let leaves_out = connectivity.recurrent && !autapses && sources.contains(&post);
        let others = sources.len() as u32 - u32::from(leaves_out);
        let mut words = PostRandomWords { connectivity, post, index: 0, buffer: [0; 4] };
        let [_, keys @ ..] = Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, [0, post, 0]);
        let domain = Domain::new(others.max(1));
        let first = sources.start;
        let count = if others == 0 { 0 } else { *n };
        (0..count).map(move |k| {
            let place = if *multapses { words.below(others) } else { domain.permuted(keys, k) };
            // Later neurons are shifted by one if the neuron itself is excluded.
            [first + place + u32::from(leaves_out && first + place >= post), post]
        })
    }
}

/// The random words of one postsynaptic neuron of a rule with fixed in-degree.
#[derive(Clone)]
struct PostRandomWords<'a> {
    connectivity: &'a Connectivity<'a>,
    post: u32,
    index: u32,
    buffer: [u32; 4],
}

impl PostRandomWords<'_> {
    fn next(&mut self) -> u32 {
        let place = self.index % 4;
        if place == 0 {
            let Connectivity { seed, projection, .. } = *self.connectivity;
            self.buffer = Key(seed).draw(Purpose::Connect, projection, [self.index / 4, self.post, 0]);
        }
        self.index += 1;
        self.buffer[place as usize]
    }

    /// A uniform integer below `n` (Lemire 2019, "Fast random integer generation in an interval").
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

/// Preferential attachment: drawing any end of an earlier pair gives a neuron with probability proportional to its degree. Each end follows
/// from its own draw, so nothing is stored (Sanders & Schulz 2016, "Scalable generation of scale-free graphs", Inf Process Lett 116:489).
fn attachment(connectivity: &Connectivity<'_>, n: u32) -> Vec<[u32; 2]> {
    let (first, count) = (connectivity.pre.start, connectivity.pre.len() as u64);
    // Ends 2k and 2k + 1 are those of pair k. The first n + 1 neurons form a ring; two neurons form one pair.
    let n = u64::from(n);
    let seeds = n + 1;
    let ring = if seeds == 2 { 1 } else { seeds };
    let newcomer = |pair: u64| if pair < ring { pair } else { seeds + (pair - ring) / n };
    let end = |mut place: u64| {
        loop {
            let pair = place / 2;
            if place.is_multiple_of(2) {
                return newcomer(pair);
            }
            if pair < ring {
                return (pair + 1) % seeds;
            }
            // An end of one of the pairs of earlier neurons.
            let before = ring + (newcomer(pair) - seeds) * n;
            place = below(connectivity, pair, 2 * before);
        }
    };
    let pairs = ring + (count - seeds) * n;
    let mut edges = Vec::with_capacity(2 * pairs as usize);
    let mut partners: Vec<u64> = Vec::new();
    for pair in 0..pairs {
        let (new, partner) = (newcomer(pair), end(2 * pair + 1));
        if pair < ring || (pair - ring).is_multiple_of(n) {
            partners.clear();
        }
        // Two neurons that are drawn repeatedly are connected once.
        if !partners.contains(&partner) {
            partners.push(partner);
            let [new, partner] = [new, partner].map(|neuron| first + neuron as u32);
            edges.extend([[new, partner], [partner, new]]);
        }
    }
    edges
}

/// Edges between neurons drawn with probabilities k^(−1/(γ−1)); the ranks are random on each side.
fn ranked(connectivity: &Connectivity<'_>, n: u64, gammas: [f64; 2], autapses: bool) -> Vec<[u32; 2]> {
    let side = |side: u32, of: &Range<u32>, gamma: f64| {
        let mut sum = 0.0;
        let sums: Vec<f64> = (1..=of.len())
            .map(|k| {
                sum += libm::pow(k as f64, -1.0 / (gamma - 1.0));
                sum
            })
            .collect();
        let [keys @ .., _] = Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, [side, 0, u32::MAX - 1]);
        let (domain, first) = (Domain::new(of.len() as u32), of.start);
        move |bits: u64| {
            let unit = (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0) * sum;
            let rank = sums.partition_point(|sum| *sum <= unit).min(sums.len() - 1);
            first + domain.permuted(keys, rank as u32)
        }
    };
    let (pre, post) = (side(0, &connectivity.pre, gammas[0]), side(1, &connectivity.post, gammas[1]));
    let mut edges = Vec::with_capacity(n as usize);
    for draw in 0_u64.. {
        if edges.len() as u64 == n {
            break;
        }
        let words =
            Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, [draw as u32, (draw >> 32) as u32, u32::MAX]);
        let bits = |at: usize| u64::from(words[at]) << 32 | u64::from(words[at + 1]);
        let edge = [pre(bits(0)), post(bits(2))];
        if autapses || !connectivity.recurrent || edge[0] != edge[1] {
            edges.push(edge);
        }
    }
    edges
}
