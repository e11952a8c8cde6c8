//! The neurons of all trials of a chunk in blocks: lane `trial · size + neuron`.

use std::cell::RefCell;

use spikelet_kernel::block::{Block, InputSums, LANES, Lanes, NeuronIndices, Prepared, ProgramInputs, Registers};
use spikelet_rows::rng::{NoiseWords, Words, noise_bits, noise_words_of_trials};

/// The trial and the neuron of each lane of a block.
pub(super) struct LaneIndices {
    /// In the population.
    neurons: [u32; LANES],
    /// The number of the trial, for noise.
    trials: [u32; LANES],
}

impl LaneIndices {
    /// Those of a block of a population. Lanes after the last neuron repeat it: they are computed and discarded.
    pub(super) fn new(block: usize, size: usize, trials: usize, first_trial: u32) -> LaneIndices {
        let lane = |lane: usize| (block * LANES + lane).min(size * trials - 1);
        LaneIndices {
            neurons: std::array::from_fn(|at| (lane(at) % size) as u32),
            trials: std::array::from_fn(|at| first_trial.wrapping_add((lane(at) / size) as u32)),
        }
    }

    /// The neuron of a lane.
    pub(super) fn neuron(&self, lane: usize) -> usize {
        self.neurons[lane] as usize
    }
}

/// What a code of a block is executed with in a step.
pub(super) struct BlockStep<'a> {
    pub(super) seed: u64,
    /// Number in the network of the first neuron of the population.
    pub(super) first: u32,
    pub(super) step: u32,
    pub(super) constants: &'a [f32],
    pub(super) clocks: &'a [f32],
    pub(super) tables: &'a [f32],
    pub(super) units: &'a [[f32; 2]],
}

/// The input of a block: sums, and the first lane of each port.
#[derive(Clone, Copy)]
pub(super) struct BlockInput<'a> {
    pub(super) sums: &'a [i32],
    pub(super) starts: &'a [(usize, Option<usize>)],
    pub(super) last_spikes: &'a [i32; LANES],
}

impl BlockStep<'_> {
    /// Runs a code. Returns the lanes of its condition, if it has one.
    pub(super) fn run<'a>(
        &self,
        code: &Prepared,
        variables: &mut [Lanes],
        input: BlockInput<'_>,
        (indices, noise): (&LaneIndices, &mut NoiseWords),
        registers: &'a mut Registers,
    ) -> Option<&'a Lanes> {
        let noise = RefCell::new(noise);
        let bits = |site: u32, bits: &mut [u32; LANES]| {
            let draw = |level, quarter, words: &mut Words| {
                let at = (quarter, self.first);
                noise_words_of_trials(level, self.seed, site, at, (&indices.neurons, &indices.trials), words);
            };
            noise.borrow_mut().at(site, self.step, draw, bits);
        };
        let more_bits = |site: u32, lane: usize| {
            let place = [self.step, self.first + indices.neurons[lane], indices.trials[lane]];
            noise_bits(self.seed, site, place)[1]
        };
        let inputs = ProgramInputs {
            arrivals: InputSums { sums: input.sums, starts: input.starts, units: self.units },
            last_spike: input.last_spikes,
            constants: self.constants,
            clocks: self.clocks,
            tables: self.tables,
            step: self.step,
            neurons: NeuronIndices::Each(&indices.neurons),
            bits: &bits,
            more_bits: &more_bits,
        };
        code.run(&mut Block { variables, inputs: &inputs }, registers)
    }
}
