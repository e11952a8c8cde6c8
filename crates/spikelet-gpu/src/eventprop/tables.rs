//! What kernels only read: the buffer `tables` of `shaders/eventprop.wgsl`.

use spikelet_train::eventprop::{Delays, Kind, Network, Projection};

use super::layout::NONE;

const POPULATION_WORDS: usize = 24;
const PROJECTION_WORDS: usize = 12;
/// Where the constants of a population begin.
const CONSTANTS: usize = 4;

const IS_CELLS: u32 = 1;
const FIRES: u32 = 2;
const READS_MAXIMUM: u32 = 4;
const READS_MEAN: u32 = 8;

/// The words, the weights last.
pub(super) struct Tables {
    pub(super) words: Vec<u32>,
    /// Where projections begin.
    pub(super) projections: usize,
    /// Where the population of each neuron is.
    pub(super) neurons: usize,
    weights: usize,
}

impl Tables {
    pub(super) fn new(network: &Network<f32>) -> Tables {
        let projections = POPULATION_WORDS * network.populations.len();
        let neurons = projections + PROJECTION_WORDS * network.projections.len();
        let mut words = vec![0; neurons];
        let mut first = 0;
        for (index, of) in network.populations.iter().enumerate() {
            let mut flags = 0;
            let at = index * POPULATION_WORDS;
            if let Kind::Cells(cells) = &of.kind {
                let all = [(cells.fires(), FIRES), (cells.reads.max, READS_MAXIMUM), (cells.reads.mean, READS_MEAN)];
                flags = IS_CELLS + all.iter().map(|(is, flag)| u32::from(*is) * flag).sum::<u32>();
                let numbers = cells.constants.numbers().map(f32::to_bits);
                words[at + CONSTANTS..][..numbers.len()].copy_from_slice(&numbers);
            }
            words[at] = first;
            words[at + 1] = flags;
            first += of.size as u32;
        }
        for (index, of) in network.populations.iter().enumerate() {
            words.extend(std::iter::repeat_n(index as u32, of.size));
        }
        for (index, of) in network.populations.iter().enumerate() {
            let outgoing = words.len();
            words[index * POPULATION_WORDS + 2] = outgoing as u32;
            words[index * POPULATION_WORDS + 3] = of.out.len() as u32;
            words.extend(of.out.iter().map(|projection| *projection as u32));
        }
        for (index, of) in network.projections.iter().enumerate() {
            let rows = words.len();
            words.extend(&of.rows);
            let targets = words.len();
            words.extend(&of.targets);
            let delays = words.len();
            let is_each = match &of.delays {
                Delays::Shared(delay) => {
                    words.push(delay.to_bits());
                    false
                }
                Delays::Each(delays) => {
                    words.extend(delays.iter().map(|delay| delay.to_bits()));
                    true
                }
            };
            let all = [
                of.pre as u32,
                of.post as u32,
                rows as u32,
                targets as u32,
                0,
                delays as u32,
                u32::from(is_each),
                u32::from(repeats(of)),
                u32::from(of.pre != network.input),
                of.gradient.map_or(NONE, |first| first as u32),
            ];
            words[projections + index * PROJECTION_WORDS..][..all.len()].copy_from_slice(&all);
        }
        let weights = words.len();
        for (index, of) in network.projections.iter().enumerate() {
            words[projections + index * PROJECTION_WORDS + 4] = words.len() as u32;
            words.extend(of.weights.iter().map(|weight| weight.to_bits()));
        }
        Tables { words, projections, neurons, weights }
    }

    /// Takes over the weights of a network. Returns the words that changed, and the place of the first one.
    pub(super) fn set(&mut self, network: &Network<f32>) -> (usize, &[u32]) {
        let weights = network.projections.iter().flat_map(|of| &of.weights);
        self.words[self.weights..].iter_mut().zip(weights).for_each(|(word, weight)| *word = weight.to_bits());
        (self.weights, &self.words[self.weights..])
    }
}

/// Whether a row reaches a neuron twice: its synapses then follow each other.
fn repeats(of: &Projection<f32>) -> bool {
    of.rows.windows(2).any(|ends| {
        let mut row = of.targets[ends[0] as usize..ends[1] as usize].to_vec();
        row.sort_unstable();
        row.windows(2).any(|pair| pair[0] == pair[1])
    })
}
