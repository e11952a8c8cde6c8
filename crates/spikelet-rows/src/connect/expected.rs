//! Expected numbers of synapses: from a rule alone, without drawing any.

mod product;

use std::ops::Range;

use spikelet_network::connectors::{Draw, Kernel};
use spikelet_network::{Error, Rule};

use super::connectivity::Connectivity;
use super::distance;
use super::procedural_rows::Footprint;
use super::rows::Rows;
use super::space::Grid;

pub use product::{Occurrence, Product};

/// The expected synapses of a projection, or of the part of it that has one pattern: a ring with rewiring is a ring and a [`Product`].
pub struct ExpectedSynapses<'a> {
    connectivity: Connectivity<'a>,
    autapses: bool,
    projection: usize,
    ends: [usize; 2],
    pattern: Pattern,
    /// The part of the synapses that caps on degrees keep, of a product times the mean number of synapses of a pair.
    kept: f64,
    /// The mean number of synapses of a pair.
    per_pair: f64,
}

enum Pattern {
    /// The expectation of a pair is the product of a number of each neuron.
    Product(Product),
    /// A list of pairs, with the number of each postsynaptic neuron.
    Listed { rows: Rows, incoming: Vec<u32> },
    /// The k-th presynaptic neuron with the k-th postsynaptic neuron.
    OneToOne,
    /// The nearest neighbours on a ring, each with the same probability.
    Ring { k: u32, p: f64 },
    /// The neighbours of a neuron on a grid, with their probabilities.
    Footprint(Footprint, Vec<f64>),
    /// Any pair, with a probability that must be computed.
    Pairs(PairProbability),
}

impl Pattern {
    fn listed(connectivity: &Connectivity<'_>, rows: Rows) -> Pattern {
        let mut incoming = vec![0; connectivity.post.end as usize];
        rows.targets().for_each(|target| incoming[target as usize] += 1);
        Pattern::Listed { rows, incoming }
    }
}

enum PairProbability {
    Constant(f64),
    Expression,
    Distance(Kernel),
    Tiles { grids: [Grid; 2], tile: u32, reach: u32, p: f64 },
}

/// Number of neurons whose degrees are computed to estimate the effect of a cap.
const DEGREES: u32 = 64;
/// Maximum number of pairs that are computed for each of them.
const PAIRS: u32 = 1 << 14;

impl<'a> ExpectedSynapses<'a> {
    /// The parts of a projection between the populations of these indices.
    ///
    /// # Errors
    /// A length of the rule is not a valid length, or a rule of distance lacks positions.
    pub fn of_projection(
        connectivity: &Connectivity<'a>,
        projection: usize,
        ends: [usize; 2],
    ) -> Result<Vec<ExpectedSynapses<'a>>, Error> {
        let (patterns, autapses) = match &connectivity.rule {
            Rule::Pairs(pairs) => (vec![Pattern::listed(connectivity, connectivity.listed(pairs))], true),
            Rule::Connector(connector) => {
                let draw = connector.draw(&format!("{}.connect", connectivity.path))?;
                (patterns(connectivity, &draw, connector.autapses())?, connector.autapses())
            }
        };
        let part = |pattern| {
            let mut connectivity = connectivity.clone();
            if let (Pattern::Product(_), Some([first, end])) = (&pattern, sources(&connectivity)) {
                connectivity.pre = first..end;
            }
            let per_pair = connectivity.mean_per_pair();
            let kept = if let Pattern::Product(_) = pattern { per_pair } else { 1.0 };
            ExpectedSynapses { connectivity, autapses, projection, ends, pattern, kept, per_pair }
        };
        let mut parts: Vec<ExpectedSynapses<'a>> = patterns.into_iter().map(part).collect();
        parts.iter_mut().for_each(|part| part.kept *= part.kept_by_caps());
        Ok(parts)
    }

    /// The index of the projection in the network.
    pub fn projection(&self) -> usize {
        self.projection
    }

    /// The presynaptic population and its neurons; populations are numbered as in [`Partition::shape`](crate::Partition::shape).
    pub fn pre(&self) -> (usize, Range<u32>) {
        (self.ends[0], self.connectivity.pre.clone())
    }

    /// The postsynaptic population and its neurons.
    pub fn post(&self) -> (usize, Range<u32>) {
        (self.ends[1], self.connectivity.post.clone())
    }

    /// The numbers whose product is the expectation of a pair, if it is one, without caps on degrees.
    pub fn product(&self) -> Option<&Product> {
        match &self.pattern {
            Pattern::Product(product) => Some(product),
            _ => None,
        }
    }

    /// Whether the k-th presynaptic neuron is connected with the k-th postsynaptic neuron.
    pub fn is_one_to_one(&self) -> bool {
        matches!(self.pattern, Pattern::OneToOne)
    }

    /// The factor of a [`Product`]: the part of the synapses that caps on degrees keep, times the number of synapses of a pair.
    pub fn kept(&self) -> f64 {
        self.kept
    }

    /// Number of pairs that a row computes, each of them as expensive as about this many steps of a loop.
    pub fn cost(&self) -> [u64; 2] {
        match &self.pattern {
            Pattern::Product(_) => [0, 1],
            Pattern::Listed { rows, .. } => [(rows.len() / self.connectivity.pre.len().max(1)) as u64 + 1, 1],
            Pattern::OneToOne => [1, 1],
            Pattern::Ring { k, .. } => [u64::from(*k), 1],
            Pattern::Footprint(_, probabilities) => [probabilities.len() as u64, 4],
            Pattern::Pairs(of) => {
                let is_text = matches!(of, PairProbability::Expression) || self.connectivity.keep.is_some();
                [self.connectivity.post.len() as u64, if is_text { 30 } else { 2 }]
            }
        }
    }

    /// Visits the possible targets of a presynaptic neuron with their expected numbers of synapses; of many pairs only one in `every`. Nothing
    /// for a [`Product`].
    pub fn row(&self, pre: u32, every: u32, mut visit: impl FnMut(u32, f64)) {
        let post = self.connectivity.post.clone();
        let joins = |target: u32| post.contains(&target) && self.connectivity.may_join(self.autapses, pre, target);
        let mut add = |target: u32, expected: f64| {
            if expected > 0.0 && joins(target) {
                visit(target, expected * self.connectivity.expected_of(pre, target) * self.kept);
            }
        };
        match &self.pattern {
            Pattern::Product(_) => {}
            Pattern::Listed { rows, .. } => {
                let row = rows.row((pre - self.connectivity.pre.start) as usize);
                row.skip(first(pre, every)).step_by(every as usize).for_each(|edge| add(rows.target(edge), 1.0));
            }
            Pattern::OneToOne => add(pre - self.connectivity.pre.start + post.start, 1.0),
            Pattern::Ring { k, p } => {
                let (own, count) = (pre - post.start, post.len() as u32);
                for steps in (1..=k / 2).skip(first(pre, every)).step_by(every as usize) {
                    add(post.start + (own + steps) % count, *p);
                    add(post.start + (own + count - steps) % count, *p);
                }
            }
            Pattern::Footprint(footprint, probabilities) => {
                let at = footprint.coordinates(pre);
                let neighbours = footprint.offsets.iter().zip(probabilities);
                for (offset, p) in neighbours.skip(first(pre, every)).step_by(every as usize) {
                    if let Some(target) = footprint.neighbour(at, *offset) {
                        add(target, *p);
                    }
                }
            }
            Pattern::Pairs(of) => {
                for target in post.clone().skip(first(pre, every)).step_by(every as usize) {
                    add(target, self.probability(of, pre, target));
                }
            }
        }
    }

    /// The expected number of synapses onto a postsynaptic neuron, from one in `every` pairs if these are computed.
    pub fn incoming(&self, post: u32, every: u32) -> f64 {
        let pres = self.connectivity.pre.clone();
        let joins = |pre: &u32| pres.contains(pre) && self.connectivity.may_join(self.autapses, *pre, post);
        let skipped = first(post, every);
        let found = match &self.pattern {
            Pattern::Product(product) => product.incoming(post - self.connectivity.post.start),
            Pattern::Listed { incoming, .. } => f64::from(incoming[post as usize]) * self.per_pair,
            Pattern::OneToOne => {
                let pre = self.connectivity.pre.start + (post - self.connectivity.post.start);
                self.connectivity.expected_of(pre, post)
            }
            Pattern::Ring { k, p } => f64::from(*k) * p * self.per_pair,
            Pattern::Footprint(footprint, probabilities) => {
                // The probability depends on distance, which is the same in both directions.
                let at = footprint.coordinates(post);
                let neighbours = footprint.offsets.iter().zip(probabilities).skip(skipped).step_by(every as usize);
                let of_offset = |(offset, p): (&_, &f64)| {
                    let pre = footprint.neighbour(at, *offset).filter(|pre| joins(pre))?;
                    Some(p * self.connectivity.expected_of(pre, post))
                };
                let joined: f64 = neighbours.filter_map(of_offset).sum();
                f64::from(every) * joined
            }
            Pattern::Pairs(of) => {
                let tested = pres.clone().skip(skipped).step_by(every as usize).filter(joins);
                f64::from(every)
                    * tested.map(|pre| self.probability(of, pre, post) * self.connectivity.expected_of(pre, post)).sum::<f64>()
            }
        };
        found * self.kept
    }

    /// The probability of a pair. Where the text of a rule gives something else, building the network reports it.
    fn probability(&self, of: &PairProbability, pre: u32, post: u32) -> f64 {
        match of {
            PairProbability::Constant(p) => *p,
            PairProbability::Expression => {
                let p = self.connectivity.probability.as_ref().map_or(0.0, |probability| probability(pre, post));
                if p.is_nan() { 0.0 } else { p.clamp(0.0, 1.0) }
            }
            PairProbability::Distance(kernel) => {
                let Some([from, to]) = &self.connectivity.spaces else { return 0.0 };
                distance::probability(kernel, to.along_axes(from.place(pre), to.place(post))).unwrap_or_default()
            }
            PairProbability::Tiles { grids: [from, to], tile, reach, p } => {
                if from.are_near(pre, to, post, *tile, *reach) {
                    *p
                } else {
                    0.0
                }
            }
        }
    }

    /// The part of the synapses that the caps keep, from the degrees of some neurons.
    fn kept_by_caps(&self) -> f64 {
        let [most_out, most_in] = self.connectivity.most;
        let (pre, post) = (&self.connectivity.pre, &self.connectivity.post);
        let every = |neurons: &Range<u32>| (neurons.len() as u32 / PAIRS).max(1);
        let mut kept = 1.0;
        if let Some(most) = most_out {
            let degree = |neuron: u32| match &self.pattern {
                Pattern::Product(product) => product.outgoing(neuron - pre.start) * self.per_pair,
                _ => {
                    let (mut mean, every) = (0.0, every(post));
                    self.row(neuron, every, |_, expected| mean += expected * f64::from(every));
                    mean
                }
            };
            kept *= kept_of(pre, most, degree, self.varies(0));
        }
        if let Some(most) = most_in {
            // What the first cap drops does not count for the second one.
            let degree = |neuron: u32| kept * self.incoming(neuron, every(pre));
            kept *= kept_of(post, most, degree, self.varies(1));
        }
        kept
    }

    /// Whether the degrees of a side are random: 0 is the presynaptic side.
    fn varies(&self, side: usize) -> bool {
        match &self.pattern {
            Pattern::Product(product) => product.varies(side),
            Pattern::Listed { .. } | Pattern::OneToOne => false,
            Pattern::Ring { .. } | Pattern::Footprint(..) | Pattern::Pairs(_) => true,
        }
    }
}

/// The first tested pair of a neuron, if one in `every` is: not the same for all neurons.
fn first(neuron: u32, every: u32) -> usize {
    ((neuron.wrapping_mul(0x9E37_79B1) >> 8) % every) as usize
}

/// The mean part of the synapses of neurons that is left of at most this many.
fn kept_of(neurons: &Range<u32>, most: u32, degree: impl Fn(u32) -> f64, varies: bool) -> f64 {
    let (mut all, mut left) = (0.0, 0.0);
    let count = DEGREES.min(neurons.len() as u32);
    for k in 0..count {
        let mean = degree(neurons.start + (u64::from(k) * neurons.len() as u64 / u64::from(count)) as u32);
        all += mean;
        left += at_most(mean, if varies { mean } else { 0.0 }, f64::from(most));
    }
    if all > 0.0 { left / all } else { 1.0 }
}

/// The mean of the smaller of a normally distributed number and a limit.
fn at_most(mean: f64, variance: f64, limit: f64) -> f64 {
    if variance <= 0.0 {
        return mean.min(limit);
    }
    let deviation = libm::sqrt(variance);
    let z = (limit - mean) / deviation;
    let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI);
    let below = 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
    mean * below + limit * (1.0 - below) - deviation * density
}

/// The presynaptic neurons that a rule restricts itself to.
fn sources(connectivity: &Connectivity<'_>) -> Option<[u32; 2]> {
    match &connectivity.rule {
        Rule::Connector(connector) => match connector.draw(&connectivity.path) {
            Ok(Draw::Indegree { pre_range, .. }) => pre_range,
            _ => None,
        },
        Rule::Pairs(_) => None,
    }
}

/// The indices that an expression generates: they are known without other draws. Where they are wrong, building the network reports it.
fn generated(connectivity: &Connectivity<'_>, sources: bool) -> Result<Pattern, Error> {
    let neurons = if sources { &connectivity.post } else { &connectivity.pre };
    let (mut edges, mut indices) = (Vec::new(), Vec::new());
    for neuron in neurons.clone() {
        indices.clear();
        connectivity.generate(neuron, &mut indices)?;
        edges.extend(indices.iter().map(|index| if sources { [*index, neuron] } else { [neuron, *index] }));
    }
    let pres = connectivity.pre.len();
    let rows = Rows::of_list(connectivity.pre.start, pres, connectivity.post.end, edges.iter().copied());
    Ok(Pattern::listed(connectivity, rows))
}

/// The patterns of a kind of rows.
fn patterns(connectivity: &Connectivity<'_>, draw: &Draw, autapses: bool) -> Result<Vec<Pattern>, Error> {
    let is_filtered = connectivity.keep.is_some();
    let pairs = |of| Ok(vec![Pattern::Pairs(of)]);
    match draw {
        Draw::All if is_filtered => pairs(PairProbability::Constant(1.0)),
        Draw::Bernoulli { p } if is_filtered => pairs(PairProbability::Constant(*p)),
        Draw::Pairs => pairs(PairProbability::Expression),
        Draw::OneToOne => Ok(vec![Pattern::OneToOne]),
        Draw::Ring { k, rewire } => {
            let moved = Product::moved(connectivity, f64::from(*k) * rewire);
            Ok(vec![Pattern::Ring { k: *k, p: 1.0 - rewire }, Pattern::Product(moved)])
        }
        Draw::Kernel(kernel) => match (distance::footprint(connectivity, kernel), &connectivity.spaces) {
            (Some(footprint), _) => {
                let probability = |threshold: &u32| match *threshold {
                    u32::MAX => 1.0,
                    below => f64::from(below) / 4_294_967_296.0,
                };
                let probabilities = footprint.thresholds.iter().map(probability).collect();
                Ok(vec![Pattern::Footprint(footprint, probabilities)])
            }
            (None, Some(_)) => pairs(PairProbability::Distance(kernel.clone())),
            (None, None) => Err(distance::no_distances(connectivity)),
        },
        Draw::Tiles { tile, reach, p } => {
            match connectivity.spaces.as_ref().and_then(|[pre, post]| Some([pre.grid()?, post.grid()?])) {
                Some(grids) => pairs(PairProbability::Tiles { grids, tile: *tile, reach: *reach, p: *p }),
                None => Err(distance::no_grids(connectivity)),
            }
        }
        Draw::Generated { sources } => generated(connectivity, *sources).map(|pattern| vec![pattern]),
        Draw::All
        | Draw::Bernoulli { .. }
        | Draw::Indegree { .. }
        | Draw::Outdegree { .. }
        | Draw::Total { .. }
        | Draw::Attachment { .. }
        | Draw::Ranked { .. } => Ok(vec![Pattern::Product(Product::new(connectivity, draw, autapses))]),
    }
}
