//! What a partition costs.

use spikelet_rows::{Occurrence, Partition};

use crate::problem::Problem;
use crate::sample::{ProductPart, SampledNeuron};

/// What a partition costs, as expected from the rules of the network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Synapses of the network.
    pub synapses: f64,
    /// Synapses between neurons of different ranks.
    pub cut: f64,
    /// Spikes that ranks send to others per second of biological time: a spike counts once for each other rank with at least one target.
    pub expected_spikes_exchanged: f64,
    /// The largest load of a rank divided by the mean load.
    pub imbalance: f64,
    /// The same for memory.
    pub memory_imbalance: f64,
    /// The relative standard error of the cut, as only some neurons were examined; 0 if all were.
    pub sampling_error: f64,
}

/// The sum of a number over all neurons of the network, from a sample, and its variance.
#[derive(Default)]
struct Sum {
    total: f64,
    variance: f64,
}

/// A rule whose expectations are products, for one partition.
struct RankedProduct<'a> {
    part: &'a ProductPart,
    /// For each rank the sum of the numbers of its postsynaptic neurons, and how many they are.
    posts: Vec<(f64, f64)>,
}

impl Problem<'_> {
    /// What a partition of the network costs.
    pub fn score(&self, partition: &Partition) -> Score {
        let problem = self;
        let ranks = partition.ranks();
        let rank_of = problem.ranks_of(partition);
        let products: Vec<RankedProduct<'_>> =
            problem.sample.products.iter().map(|part| RankedProduct::new(part, &rank_of, ranks)).collect();
        let (mut synapses, mut cut, mut spikes) = (0.0, Sum::default(), 0.0);
        let mut row = Row { expected: vec![0.0; ranks], absent: vec![0.0; ranks] };
        for neurons in problem.sample.neurons.chunk_by(|a, b| a.population == b.population) {
            let rate = problem.rates.of(neurons[0].population);
            let (mut sum, mut squares) = (0.0, 0.0);
            for neuron in neurons {
                row.fill(problem, neuron, &products, &rank_of);
                let own = rank_of[neuron.neuron as usize] as usize;
                let all: f64 = row.expected.iter().sum();
                let away = (all - row.expected[own]).max(0.0);
                let present = |(rank, absent): (usize, &f64)| if rank == own { 0.0 } else { 1.0 - libm::exp(*absent) };
                let reached: f64 = row.absent.iter().enumerate().map(present).sum();
                synapses += neuron.represents * all;
                spikes += neuron.represents * reached * rate;
                sum += away;
                squares += away * away;
            }
            cut.add(neurons, sum, squares);
        }
        let [load, memory] = [&problem.load, &problem.memory].map(|costs| imbalance(costs, &rank_of, ranks));
        Score {
            synapses,
            cut: cut.total,
            expected_spikes_exchanged: spikes,
            imbalance: load,
            memory_imbalance: memory,
            sampling_error: if cut.total > 0.0 { libm::sqrt(cut.variance) / cut.total } else { 0.0 },
        }
    }
}

impl Sum {
    /// Adds a population from the sum over its sample, and the sum of squares.
    fn add(&mut self, neurons: &[SampledNeuron], sum: f64, squares: f64) {
        let (count, represents) = (neurons.len() as f64, neurons[0].represents);
        self.total += sum * represents;
        if count < 2.0 || represents <= 1.0 && !neurons[0].is_thinned {
            return;
        }
        let variance = (squares - sum * sum / count).max(0.0) / (count - 1.0);
        self.variance += represents * represents * count * variance;
    }
}

/// The synapses of a neuron, by the rank of their targets.
struct Row {
    expected: Vec<f64>,
    /// The logarithm of the probability that there is none.
    absent: Vec<f64>,
}

impl Row {
    fn fill(&mut self, problem: &Problem<'_>, neuron: &SampledNeuron, products: &[RankedProduct<'_>], rank_of: &[u32]) {
        self.expected.fill(0.0);
        self.absent.fill(0.0);
        for (target, expected, every) in problem.sample.targets_of(neuron) {
            let rank = rank_of[target as usize] as usize;
            self.expected[rank] += expected * every;
            self.absent[rank] += every * libm::log1p(-expected.min(1.0));
        }
        for of in products.iter().filter(|of| of.part.ends[0].contains(&neuron.neuron)) {
            for (rank, (sum, count)) in of.posts.iter().enumerate().filter(|(_, (sum, _))| *sum > 0.0) {
                let expected = of.part.expected(neuron.neuron, *sum);
                self.expected[rank] += expected;
                self.absent[rank] += match of.part.product.occurrence {
                    Occurrence::Pairs => count * libm::log1p(-(expected / count).min(1.0)),
                    Occurrence::Draws(n) if n > 0.0 => n * of.part.kept * libm::log1p(-(expected / (n * of.part.kept)).min(1.0)),
                    Occurrence::Draws(_) | Occurrence::Poisson => -expected,
                };
            }
        }
    }
}

impl<'a> RankedProduct<'a> {
    fn new(part: &'a ProductPart, rank_of: &[u32], ranks: usize) -> RankedProduct<'a> {
        let mut posts = vec![(0.0, 0.0); ranks];
        for post in part.ends[1].clone() {
            let (sum, count) = &mut posts[rank_of[post as usize] as usize];
            *sum += part.product.of_post(post - part.ends[1].start);
            *count += 1.0;
        }
        RankedProduct { part, posts }
    }
}

/// The largest sum of a rank divided by the mean.
fn imbalance(costs: &[f64], rank_of: &[u32], ranks: usize) -> f64 {
    let mut sums = vec![0.0; ranks];
    costs.iter().zip(rank_of).for_each(|(cost, rank)| sums[*rank as usize] += cost);
    let mean = sums.iter().sum::<f64>() / ranks as f64;
    if mean > 0.0 { sums.iter().copied().fold(0.0, f64::max) / mean } else { 1.0 }
}
