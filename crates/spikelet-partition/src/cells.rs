//! Cells of neurons that are near each other and have one rank, with the expected synapses between cells.

use crate::groups::Group;
use crate::problem::{FREE, Problem};
use crate::rcb;
use crate::sample::{ProductPart, Sample};

/// Number of cells of a rank, and limits for all ranks together.
const PER_RANK: usize = 128;
const CELLS: [usize; 2] = [1024, 4096];

/// Cells, and the rank of each.
pub(crate) struct Cells {
    /// The cell of each neuron, by its number in the network.
    pub(crate) of: Vec<u32>,
    pub(crate) rank: Vec<u32>,
    /// Load and memory of each.
    pub(crate) costs: Vec<[f64; 2]>,
}

/// Expected synapses between cells.
pub(crate) struct CellGraph {
    /// Of each cell the others that it is connected with, in either direction.
    pub(crate) edges: Vec<Vec<(u32, f64)>>,
    /// Of each rule whose expectations are products, the numbers of each cell: pre- and postsynaptic.
    pub(crate) products: Vec<Vec<[f64; 2]>>,
}

impl Cells {
    /// Divides the neurons of each rank; large cells of many neurons, or one of each neuron if there are few.
    pub(crate) fn new(problem: &Problem<'_>, rank_of: &[u32], ranks: usize) -> Cells {
        let all: f64 = problem.weights.iter().sum();
        let density = (PER_RANK * ranks).clamp(CELLS[0], CELLS[1]) as f64 / all.max(f64::MIN_POSITIVE);
        let mut cells = Cells { of: vec![FREE; rank_of.len()], rank: Vec::new(), costs: Vec::new() };
        let mut is_placed = vec![false; rank_of.len()];
        for group in &problem.groups {
            group.neurons.iter().for_each(|neuron| is_placed[*neuron as usize] = true);
            let weights: Vec<f64> = group.neurons.iter().map(|neuron| problem.weights[*neuron as usize]).collect();
            for mut places in by_rank(group.neurons.iter().map(|neuron| rank_of[*neuron as usize]), ranks) {
                cells.divide(group, &weights, &mut places, density, rank_of);
            }
        }
        for population in 0..problem.shape.len() {
            let neurons = problem.first[population]..problem.first[population + 1];
            let free: Vec<u32> =
                neurons.filter(|neuron| !is_placed[*neuron as usize] && rank_of[*neuron as usize] != FREE).collect();
            for places in by_rank(free.iter().map(|neuron| rank_of[*neuron as usize]), ranks) {
                let own: Vec<u32> = places.iter().map(|place| free[*place as usize]).collect();
                cells.chunk(&own, &problem.weights, density, rank_of);
            }
        }
        problem.followers.iter().for_each(|(source, target)| cells.of[*source as usize] = cells.of[*target as usize]);
        let costs = problem.weights.iter().zip(&problem.memory);
        for (cell, (load, memory)) in cells.of.iter().zip(costs).filter(|(cell, _)| **cell != FREE) {
            let of_cell = &mut cells.costs[*cell as usize];
            *of_cell = [of_cell[0] + load, of_cell[1] + memory];
        }
        cells
    }

    /// Adds boxes of the neurons of a rank.
    fn divide(&mut self, group: &Group, weights: &[f64], places: &mut [u32], density: f64, rank_of: &[u32]) {
        let Some(place) = places.first() else { return };
        let rank = rank_of[group.neurons[*place as usize] as usize];
        let weight: f64 = places.iter().map(|place| weights[*place as usize]).sum();
        let count = ((weight * density) as usize).clamp(1, places.len()) as u32;
        let first = self.add(count, rank);
        rcb::bisect(group, weights, places, 0..count, &mut |place, part| {
            self.of[group.neurons[place as usize] as usize] = first + part;
        });
    }

    /// Adds chunks of consecutive neurons of a rank.
    fn chunk(&mut self, own: &[u32], weights: &[f64], density: f64, rank_of: &[u32]) {
        let Some(neuron) = own.first() else { return };
        let weight: f64 = own.iter().map(|neuron| weights[*neuron as usize]).sum();
        let count = ((weight * density) as usize).clamp(1, own.len());
        let first = self.add(count as u32, rank_of[*neuron as usize]);
        for (at, neuron) in own.iter().enumerate() {
            self.of[*neuron as usize] = first + (at * count / own.len()) as u32;
        }
    }

    fn add(&mut self, count: u32, rank: u32) -> u32 {
        let first = self.rank.len() as u32;
        self.rank.resize(self.rank.len() + count as usize, rank);
        self.costs.resize(self.rank.len(), [0.0; 2]);
        first
    }
}

/// The places of each rank in a list of ranks.
fn by_rank(rank_of: impl Iterator<Item = u32>, ranks: usize) -> Vec<Vec<u32>> {
    let mut places = vec![Vec::new(); ranks];
    (0..).zip(rank_of).for_each(|(place, rank)| places[rank as usize].push(place));
    places
}

impl CellGraph {
    pub(crate) fn new(problem: &Problem<'_>, cells: &Cells) -> CellGraph {
        let count = cells.rank.len();
        // Another sample than that of the score, which would otherwise favour what fits it by chance.
        let own = (!problem.sample.is_complete()).then(|| Sample::of_many(&problem.synapses, &problem.first));
        let sample = own.as_ref().unwrap_or(&problem.sample);
        let mut sampled: Vec<(u32, usize)> = sample.neurons.iter().map(|of| cells.of[of.neuron as usize]).zip(0..).collect();
        sampled.sort_unstable();
        let mut edges: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        let (mut sums, mut reached) = (vec![0.0; count], Vec::new());
        for of_cell in sampled.chunk_by(|a, b| a.0 == b.0) {
            let cell = of_cell[0].0;
            for (_, index) in of_cell {
                let neuron = &sample.neurons[*index];
                for (target, expected, every) in sample.targets_of(neuron) {
                    let other = cells.of[target as usize];
                    if sums[other as usize] == 0.0 {
                        reached.push(other);
                    }
                    sums[other as usize] += expected * every * neuron.represents;
                }
            }
            for other in reached.drain(..) {
                let sum = std::mem::take(&mut sums[other as usize]);
                if other != cell {
                    edges[cell as usize].push((other, sum));
                    edges[other as usize].push((cell, sum));
                }
            }
        }
        edges.iter_mut().for_each(merge);
        let product = |part: &ProductPart| {
            let mut numbers = vec![[0.0; 2]; count];
            let [pres, posts] = &part.ends;
            for pre in pres.clone() {
                numbers[cells.of[pre as usize] as usize][0] += part.expected(pre, 1.0);
            }
            for post in posts.clone() {
                numbers[cells.of[post as usize] as usize][1] += part.product.of_post(post - posts.start);
            }
            numbers
        };
        CellGraph { edges, products: sample.products.iter().map(product).collect() }
    }
}

/// Adds the edges with the same cell.
fn merge(edges: &mut Vec<(u32, f64)>) {
    edges.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    edges.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
}
