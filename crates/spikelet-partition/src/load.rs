//! The load and the memory of each neuron.

use spikelet_network::{Network, Projection};
use spikelet_plan::{NeuronPositions, bytes_per_synapse};
use spikelet_rows::ExpectedSynapses;

use crate::rates::Rates;

/// Cost of a step of a neuron of a population and of a source, in ns.
const UPDATE: [f64; 2] = [2.0, 0.5];
/// Cost of an event of a synapse without and with state, in ns: the former is that of the CPU backend.
const EVENT: [f64; 2] = [0.8, 4.0];
/// Cost of a synapse that is computed in every step, in ns.
const SUMMED: f64 = 1.0;
/// Bytes of a neuron.
const NEURON: f64 = 64.0;

/// Steps of loops over pairs; about 0.1 s.
const BUDGET: u64 = 30_000_000;
/// About this number of neurons represent the others if all would exceed the budget.
const REPRESENTATIVES: u32 = 1024;

/// What each neuron of a network costs, by its number in the network.
pub(crate) struct Costs {
    /// Nanoseconds of work per second of biological time.
    pub(crate) load: Vec<f64>,
    /// Bytes.
    pub(crate) memory: Vec<f64>,
}

impl Costs {
    /// `first` has the number of the first neuron of each population, and at its end that of all neurons.
    pub(crate) fn new(
        network: &Network,
        rates: &Rates,
        synapses: &[ExpectedSynapses<'_>],
        positions: &[Option<NeuronPositions>],
        first: &[u32],
    ) -> Costs {
        let steps = 1000.0 / network.dt_ms;
        let neurons = first.last().copied().unwrap_or_default() as usize;
        let mut costs = Costs { load: vec![steps * UPDATE[0]; neurons], memory: vec![NEURON; neurons] };
        costs.load[first[network.populations.len()] as usize..].fill(steps * UPDATE[1]);
        for part in synapses {
            let projection = &network.projections[part.projection()];
            let bytes = bytes_per_synapse(network, projection);
            let load = rates.of(part.pre().0) * EVENT[usize::from(has_state(projection))] + steps * each_step(projection);
            let (population, posts) = part.post();
            let incoming = incoming(part, positions[population].as_ref());
            for (at, post) in posts.enumerate() {
                let synapses = if incoming.len() == 1 { incoming[0] } else { incoming[at] };
                let neuron = (first[population] + post) as usize;
                costs.load[neuron] += synapses * load;
                costs.memory[neuron] += synapses * bytes;
            }
        }
        costs
    }
}

/// Whether events execute the code of synapses.
fn has_state(projection: &Projection) -> bool {
    projection.model.is_some() || projection.on_post.is_some() || projection.third.is_some()
}

/// The cost of a synapse in every step, in ns.
fn each_step(projection: &Projection) -> f64 {
    if projection.equations.as_ref().is_some_and(|text| text.contains("(summed)")) { SUMMED } else { 0.0 }
}

/// The expected number of synapses onto each neuron of the slice, or one number for all.
fn incoming(part: &ExpectedSynapses<'_>, positions: Option<&NeuronPositions>) -> Vec<f64> {
    let (_, posts) = part.post();
    if part.product().is_some_and(|product| product.post.len() == 1) {
        return vec![part.incoming(posts.start, 1)];
    }
    let [pairs, cost] = part.cost();
    let count = posts.len() as u64;
    if pairs * cost * count <= BUDGET {
        return posts.map(|post| part.incoming(post, 1)).collect();
    }
    let boxes = positions.map(|positions| (Boxes::of(positions), positions));
    let place = |post: u32| match &boxes {
        Some((boxes, positions)) => boxes.place(positions.points[post as usize]),
        None => ((u64::from(post - posts.start) * u64::from(REPRESENTATIVES) / count) as usize, 0.0),
    };
    // The neuron nearest to the centre of each box.
    let mut nearest: Vec<Option<(f64, u32)>> = Vec::new();
    for post in posts.clone() {
        let (number, off) = place(post);
        if nearest.len() <= number {
            nearest.resize(number + 1, None);
        }
        if nearest[number].is_none_or(|(least, _)| off < least) {
            nearest[number] = Some((off, post));
        }
    }
    let chosen = nearest.iter().flatten().count() as u64;
    let every = (pairs * cost * chosen / BUDGET).max(1) as u32;
    let degrees: Vec<f64> = nearest.into_iter().map(|of| of.map_or(0.0, |(_, post)| part.incoming(post, every))).collect();
    posts.clone().map(|post| degrees[place(post).0]).collect()
}

/// Equal boxes that together have all neurons of a population.
struct Boxes {
    least: [f64; 4],
    edge: [f64; 4],
    along: usize,
    dimensions: usize,
}

impl Boxes {
    fn of(positions: &NeuronPositions) -> Boxes {
        let dimensions = positions.dimensions.clamp(1, 4);
        let along = libm::floor(libm::pow(f64::from(REPRESENTATIVES), 1.0 / dimensions as f64) + 1e-9) as usize;
        let (mut least, mut most) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
        for point in &positions.points {
            for axis in 0..4 {
                least[axis] = least[axis].min(point[axis]);
                most[axis] = most[axis].max(point[axis]);
            }
        }
        Boxes { least, edge: std::array::from_fn(|axis| (most[axis] - least[axis]) / along as f64), along, dimensions }
    }

    /// The box of a point, and the square of its distance from the centre, in boxes.
    fn place(&self, point: [f64; 4]) -> (usize, f64) {
        let mut found = (0, 0.0);
        for (axis, x) in point.into_iter().enumerate().take(self.dimensions) {
            let place = if self.edge[axis] > 0.0 { (x - self.least[axis]) / self.edge[axis] } else { 0.5 };
            let at = (place as usize).min(self.along - 1);
            let off = place - at as f64 - 0.5;
            found = (found.0 * self.along + at, found.1 + off * off);
        }
        found
    }
}
