//! Rules whose edges are not drawn row by row. Each draws its edges in parts, as often as needed, always in the same order.

use std::ops::Range;

use spikelet_network::Error;
use spikelet_network::connectors::Draw;

use super::connectivity::Connectivity;
use super::edge_batch::EdgeBatch;
use super::generated::GeneratedSources;
use super::permutation::Domain;
use super::total::below;
use crate::rng::{Key, Purpose, all_words};

/// The edges of such a rule, and how many of them are drawn.
pub(super) enum EdgeSource {
    Indegree(IndegreeDraws),
    Attachment(Attachment),
    Ranked(Ranked),
    Generated(GeneratedSources),
}

impl EdgeSource {
    /// The edges of a kind of rows that are not drawn one by one; `None` for others.
    pub(super) fn new(connectivity: &Connectivity<'_>, draw: &Draw, autapses: bool) -> Option<EdgeSource> {
        Some(match *draw {
            Draw::Indegree { n, pre_range, multapses } => {
                let sources = pre_range.map_or(connectivity.pre.clone(), |[first, end]| first..end);
                EdgeSource::Indegree(IndegreeDraws { sources, n, autapses, multapses, next: connectivity.post.start })
            }
            Draw::Attachment { n } => EdgeSource::Attachment(Attachment { n: n.into(), pair: 0, partners: Vec::new() }),
            Draw::Ranked { n, gammas } => EdgeSource::Ranked(Ranked::new(connectivity, n, gammas, autapses)),
            Draw::Generated { sources: true } => {
                EdgeSource::Generated(GeneratedSources { next: connectivity.post.start, fault: None })
            }
            _ => return None,
        })
    }

    /// The first error, if any.
    pub(super) fn fault(&self) -> Option<Error> {
        if let EdgeSource::Generated(generated) = self { generated.fault.clone() } else { None }
    }

    /// Draws about `count` further edges; whether there are more.
    pub(super) fn draw(&mut self, connectivity: &Connectivity<'_>, count: usize, edges: &mut EdgeBatch) -> bool {
        edges.pre.clear();
        edges.post.clear();
        match self {
            EdgeSource::Indegree(draws) => draws.draw(connectivity, count, edges),
            EdgeSource::Attachment(attachment) => attachment.draw(connectivity, count, edges),
            EdgeSource::Ranked(ranked) => ranked.draw(connectivity, count, edges),
            EdgeSource::Generated(generated) => generated.draw(connectivity, count, edges),
        }
    }

    /// Starts again.
    pub(super) fn restart(&mut self, connectivity: &Connectivity<'_>) {
        match self {
            EdgeSource::Indegree(draws) => draws.next = connectivity.post.start,
            EdgeSource::Attachment(attachment) => attachment.pair = 0,
            EdgeSource::Ranked(ranked) => (ranked.found, ranked.next) = (0, 0),
            EdgeSource::Generated(generated) => generated.next = connectivity.post.start,
        }
    }
}

/// `n` draws of presynaptic neurons for each postsynaptic neuron.
pub(super) struct IndegreeDraws {
    sources: Range<u32>,
    n: u32,
    autapses: bool,
    multapses: bool,
    /// The next postsynaptic neuron.
    next: u32,
}

impl IndegreeDraws {
    fn draw(&mut self, connectivity: &Connectivity<'_>, count: usize, edges: &mut EdgeBatch) -> bool {
        // The edges of each neuron are its own draws. A cap of presynaptic neurons needs those of all.
        let is_wanted = |post: u32| connectivity.most[0].is_some() || connectivity.own.contains(post);
        while self.next < connectivity.post.end && edges.pre.len() < count {
            if is_wanted(self.next) {
                self.of_post(connectivity, self.next, edges);
            }
            self.next += 1;
        }
        self.next < connectivity.post.end
    }

    fn of_post(&self, connectivity: &Connectivity<'_>, post: u32, edges: &mut EdgeBatch) {
        let IndegreeDraws { ref sources, n, autapses, multapses, .. } = *self;
        let leaves_out = connectivity.recurrent && !autapses && sources.contains(&post);
        let others = sources.len() as u32 - u32::from(leaves_out);
        if others == 0 {
            return;
        }
        let start = edges.pre.len();
        let key = Key(connectivity.seed);
        if multapses {
            uniform(key, connectivity.projection, post, others, n, &mut edges.pre);
        } else {
            let [_, keys @ ..] = key.draw(Purpose::Connect, connectivity.projection, [0, post, 0]);
            Domain::new(others).first_into(keys, n, &mut edges.pre);
        }
        let first = sources.start;
        edges.pre[start..].iter_mut().for_each(|place| *place += first);
        if leaves_out {
            // Later neurons are shifted by one if the neuron itself is excluded.
            edges.pre[start..].iter_mut().for_each(|pre| *pre += u32::from(*pre >= post));
        }
        edges.post.resize(edges.pre.len(), post);
    }
}

/// Appends `count` uniform integers below `n`, from the random words of a neuron (Lemire 2019, "Fast random integer generation in an
/// interval").
fn uniform(key: Key, projection: u32, neuron: u32, n: u32, count: u32, numbers: &mut Vec<u32>) {
    let (unfair, start, wanted) = (n.wrapping_neg() % n, numbers.len(), count as usize);
    let mut first = 0;
    while numbers.len() - start < wanted {
        let (from, missing) = (numbers.len(), wanted - (numbers.len() - start));
        let blocks = first..first + missing.div_ceil(4) as u32;
        first = blocks.end;
        all_words(key, Purpose::Connect, projection, blocks, neuron, numbers);
        // Nearly always all of them are fair, and the test is a vector loop.
        let are_fair = numbers[from..].iter().fold(true, |all, word| all & (word.wrapping_mul(n) >= unfair));
        if !are_fair {
            let mut end = from;
            for at in from..numbers.len() {
                let word = numbers[at];
                numbers[end] = word;
                end += usize::from(word.wrapping_mul(n) >= unfair);
            }
            numbers.truncate(end);
        }
        numbers.truncate(start + wanted);
        numbers[from..].iter_mut().for_each(|word| *word = ((u64::from(*word) * u64::from(n)) >> 32) as u32);
    }
}

/// Preferential attachment: drawing any end of an earlier pair gives a neuron with probability proportional to its degree. Each end follows
/// from its own draw, so nothing is stored (Sanders & Schulz 2016, "Scalable generation of scale-free graphs", Inf Process Lett 116:489).
pub(super) struct Attachment {
    n: u64,
    /// The next pair, and the partners that its newcomer already has.
    pair: u64,
    partners: Vec<u64>,
}

impl Attachment {
    fn draw(&mut self, connectivity: &Connectivity<'_>, count: usize, edges: &mut EdgeBatch) -> bool {
        let (first, neurons) = (connectivity.pre.start, connectivity.pre.len() as u64);
        // Ends 2k and 2k + 1 are those of pair k. The first n + 1 neurons form a ring; two neurons form one pair.
        let n = self.n;
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
        let pairs = ring + (neurons - seeds) * n;
        while self.pair < pairs && edges.pre.len() < count {
            let (new, partner) = (newcomer(self.pair), end(2 * self.pair + 1));
            if self.pair < ring || (self.pair - ring).is_multiple_of(n) {
                self.partners.clear();
            }
            // Two neurons that are drawn repeatedly are connected once.
            if !self.partners.contains(&partner) {
                self.partners.push(partner);
                let [new, partner] = [new, partner].map(|neuron| first + neuron as u32);
                edges.push([new, partner]);
                edges.push([partner, new]);
            }
            self.pair += 1;
        }
        self.pair < pairs
    }
}

/// Edges between neurons drawn with probabilities k^(−1/(γ−1)); the ranks are random on each side.
pub(super) struct Ranked {
    n: u64,
    autapses: bool,
    sides: [RankedSide; 2],
    /// The next draw, and the number of edges.
    next: u64,
    found: u64,
}

/// The neurons of one side, by rank.
struct RankedSide {
    /// Sums of the probabilities up to each rank.
    sums: Vec<f64>,
    first: u32,
    domain: Domain,
    keys: [u32; 3],
}

impl RankedSide {
    fn neuron(&self, bits: u64) -> u32 {
        let sum = self.sums.last().copied().unwrap_or_default();
        let unit = (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0) * sum;
        let rank = self.sums.partition_point(|sum| *sum <= unit).min(self.sums.len() - 1);
        self.first + self.domain.permuted(self.keys, rank as u32)
    }
}

/// The probabilities of the neurons of both sides of a rule that draws them by rank, up to a factor.
pub(super) fn ranked_weights(connectivity: &Connectivity<'_>, gammas: [f64; 2]) -> [Vec<f64>; 2] {
    let Ranked { sides, .. } = Ranked::new(connectivity, 0, gammas, true);
    sides.map(|side| {
        let mut weights = vec![0.0; side.sums.len()];
        let mut before = 0.0;
        for (rank, sum) in (0..).zip(&side.sums) {
            weights[side.domain.permuted(side.keys, rank) as usize] = sum - before;
            before = *sum;
        }
        weights
    })
}

impl Ranked {
    fn new(connectivity: &Connectivity<'_>, n: u64, gammas: [f64; 2], autapses: bool) -> Ranked {
        let side = |side: u32, of: &Range<u32>, gamma: f64| {
            let sums = (1..=of.len()).scan(0.0, |sum, k| {
                *sum += libm::pow(k as f64, -1.0 / (gamma - 1.0));
                Some(*sum)
            });
            let [keys @ .., _] = Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, [side, 0, u32::MAX - 1]);
            RankedSide { sums: sums.collect(), first: of.start, domain: Domain::new(of.len() as u32), keys }
        };
        let sides = [side(0, &connectivity.pre, gammas[0]), side(1, &connectivity.post, gammas[1])];
        Ranked { n, autapses, sides, next: 0, found: 0 }
    }

    fn draw(&mut self, connectivity: &Connectivity<'_>, count: usize, edges: &mut EdgeBatch) -> bool {
        let [pre, post] = &self.sides;
        for _ in 0..count {
            if self.found == self.n {
                break;
            }
            let index = [self.next as u32, (self.next >> 32) as u32, u32::MAX];
            let words = Key(connectivity.seed).draw(Purpose::Connect, connectivity.projection, index);
            let bits = |at: usize| u64::from(words[at]) << 32 | u64::from(words[at + 1]);
            let edge = [pre.neuron(bits(0)), post.neuron(bits(2))];
            self.next += 1;
            if self.autapses || !connectivity.recurrent || edge[0] != edge[1] {
                edges.push(edge);
                self.found += 1;
            }
        }
        self.found < self.n
    }
}
