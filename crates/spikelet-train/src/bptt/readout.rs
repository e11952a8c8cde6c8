//! What a loss reads of a chunk, and where its adjoints enter.

use spikelet_kernel::block::LANES;

use crate::{Reading, Readout};

use super::setup::Setup;
use super::state::Chunk;

/// The step of something that never was.
const NEVER: u32 = u32::MAX;

/// What one readout has read of the trials of a chunk.
pub(super) struct ReadNumbers {
    pub(super) values: Vec<f32>,
    /// For [`Reading::Max`] and [`Reading::FirstSpike`] the step that was read of each lane.
    steps: Vec<u32>,
}

impl ReadNumbers {
    pub(super) fn new(setup: &Setup, readout: &Readout, trials: usize) -> ReadNumbers {
        let lanes = setup.cells[readout.population].size * trials;
        let steps = if readout.reading.is_by_step() { setup.plan.steps as usize } else { 1 };
        let value = match readout.reading {
            Reading::FirstSpike => f32::INFINITY,
            Reading::Max => f32::NEG_INFINITY,
            _ => 0.0,
        };
        let by_lane = matches!(readout.reading, Reading::Max | Reading::FirstSpike);
        ReadNumbers { values: vec![value; lanes * steps], steps: vec![NEVER; if by_lane { lanes } else { 0 }] }
    }

    /// Reads a step that has just been simulated.
    pub(super) fn read(&mut self, setup: &Setup, readout: &Readout, chunk: &Chunk, step: u32) {
        let (population, size) = (readout.population, setup.cells[readout.population].size);
        let place = |lane: usize| (lane / size * setup.plan.steps as usize + step as usize) * size + lane % size;
        let spikes = || chunk.logs[population].at(step).iter().map(|lane| *lane as usize);
        let Some(observed) = readout.observed else {
            match readout.reading {
                Reading::Count => spikes().for_each(|lane| self.values[lane] += 1.0),
                Reading::FirstSpike => {
                    for lane in spikes().filter(|lane| self.steps[*lane] == NEVER).collect::<Vec<_>>() {
                        self.steps[lane] = step;
                        self.values[lane] = (f64::from(step) * setup.plan.plan.dt_ms) as f32;
                    }
                }
                _ => spikes().for_each(|lane| self.values[place(lane)] = 1.0),
            }
            return;
        };
        let array = setup.cells[population].layout.observation(observed);
        let last = step + 1 == setup.plan.steps;
        if readout.reading == Reading::Trace {
            let blocks = chunk.array(population, array).flatten();
            blocks.take(size * chunk.trials).enumerate().for_each(|(lane, value)| self.values[place(lane)] = *value);
            return;
        }
        for (block, lanes) in chunk.array(population, array).enumerate() {
            let range = block * LANES..((block + 1) * LANES).min(self.values.len());
            let values = self.values[range.clone()].iter_mut().zip(lanes);
            match readout.reading {
                Reading::Max => {
                    for ((best, value), at) in values.zip(&mut self.steps[range]) {
                        let is_better = *value > *best || step == 0;
                        *best = if is_better { *value } else { *best };
                        *at = if is_better { step } else { *at };
                    }
                }
                Reading::Mean if last => values.for_each(|(sum, value)| *sum = (*sum + value) * setup.per_step()),
                Reading::Mean => values.for_each(|(sum, value)| *sum += value),
                Reading::Last if last => values.for_each(|(read, value)| *read = *value),
                _ => {}
            }
        }
    }

    /// Adds the adjoints that the loss has of spikes (without `observed`) or of a variable in a step; `adjoints` are those of the numbers
    /// of the chunk.
    pub(super) fn add_adjoints(&self, setup: &Setup, readout: &Readout, adjoints: &[f32], step: u32, sums: &mut [f32]) {
        let size = setup.cells[readout.population].size;
        match readout.reading {
            Reading::Count => sums.iter_mut().zip(adjoints).for_each(|(sum, adjoint)| *sum += adjoint),
            Reading::Mean => sums.iter_mut().zip(adjoints).for_each(|(sum, adjoint)| *sum += adjoint * setup.per_step()),
            Reading::Last if step + 1 == setup.plan.steps => {
                sums.iter_mut().zip(adjoints).for_each(|(sum, adjoint)| *sum += adjoint);
            }
            Reading::Last => {}
            Reading::Max | Reading::FirstSpike => {
                let factor = if readout.reading == Reading::Max { 1.0 } else { -setup.plan.plan.dt_ms as f32 };
                for ((sum, adjoint), read) in sums.iter_mut().zip(adjoints).zip(&self.steps) {
                    if *read == step {
                        *sum += factor * adjoint;
                    }
                }
            }
            Reading::Spikes | Reading::Trace => {
                for (sums, adjoints) in sums.chunks_mut(size).zip(adjoints.chunks(size * setup.plan.steps as usize)) {
                    let adjoints = &adjoints[step as usize * size..][..size];
                    sums.iter_mut().zip(adjoints).for_each(|(sum, adjoint)| *sum += adjoint);
                }
            }
        }
    }
}
