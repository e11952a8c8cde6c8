//! The forward simulation of a chunk of trials.

use spikelet_kernel::block::{Aligned, LANES, Lanes, Registers, crossed};
use spikelet_kernel::simd::Level;
use spikelet_rows::rng::NoiseWords;

use super::events::{Ends, LaneRing};
use super::lanes::{BlockInput, BlockStep, LaneIndices};
use super::setup::{Setup, Values};
use super::tape::Segment;

/// The spikes of a population, step by step, as lanes in increasing order.
#[derive(Debug, Clone, Default)]
pub(super) struct SpikeLog {
    /// The end of each step in `lanes`.
    ends: Vec<u32>,
    lanes: Vec<u32>,
}

impl SpikeLog {
    /// Those of a step.
    pub(super) fn at(&self, step: u32) -> &[u32] {
        let end = |step: u32| self.ends[step as usize] as usize;
        &self.lanes[if step == 0 { 0 } else { end(step - 1) }..end(step)]
    }

    /// Those of the step before.
    pub(super) fn before(&self, step: u32) -> &[u32] {
        step.checked_sub(1).map_or(&[], |step| self.at(step))
    }

    /// Ends a step; returns whether it is new, not one that is computed again.
    fn push(&mut self, step: u32, lanes: &[u32]) {
        if self.ends.len() == step as usize {
            self.lanes.extend_from_slice(lanes);
            self.ends.push(self.lanes.len() as u32);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (4 * (self.ends.len() + self.lanes.len())) as u64
    }
}

/// The neurons of a population in a chunk.
struct Neurons {
    indices: Vec<LaneIndices>,
    /// For each block the arrays of the code of a step.
    blocks: Vec<Aligned<f32>>,
    last_spikes: Aligned<i32>,
    ring: LaneRing<i32>,
    noise: Vec<NoiseWords>,
    /// First lane of each port in a slot, for each block.
    starts: Vec<Vec<(usize, Option<usize>)>>,
}

/// A chunk of trials.
pub(super) struct Chunk {
    pub(super) trials: usize,
    neurons: Vec<Neurons>,
    pub(super) logs: Vec<SpikeLog>,
    /// The next step.
    step: u32,
    fired: Vec<u32>,
}

/// First lanes of the ports of a population in a slot, for each block.
pub(super) fn starts(blocks: usize, ports: usize) -> Vec<Vec<(usize, Option<usize>)>> {
    let of_block = |block: usize| (0..ports).map(|port| ((port * blocks + block) * LANES, None)).collect();
    (0..blocks).map(of_block).collect()
}

/// The value of an array that has one for all neurons, or one each.
pub(super) fn at(values: &[f32], neuron: usize) -> f32 {
    if values.len() == 1 { values[0] } else { values[neuron] }
}

/// Which lanes fired in the step before, as 1 or 0.
fn fired_before(level: Level, last_spikes: &[i32; LANES], step: u32, fired: &mut Lanes) {
    let before = step.wrapping_sub(1) as i32;
    level.run(
        #[inline(always)]
        || {
            for (fired, last) in fired.iter_mut().zip(last_spikes) {
                *fired = if *last == before { 1.0 } else { 0.0 };
            }
        },
    );
}

impl Chunk {
    /// Trials from number `first` on, before their first step.
    pub(super) fn new(setup: &Setup, values: &Values, trials: usize, first: u32) -> Chunk {
        let neurons = setup.cells.iter().zip(&values.of.rounded_initial).map(|(cell, initial)| {
            let blocks = cell.blocks(trials);
            let indices: Vec<_> = (0..blocks).map(|block| LaneIndices::new(block, cell.size, trials, first)).collect();
            let arrays = cell.layout.observation(cell.layout.observed.len());
            let of_block = |indices: &LaneIndices| {
                let value = |array: usize, lane: usize| initial.get(array).map_or(0.0, |of| at(of, indices.neuron(lane)));
                (0..arrays).map(|array| std::array::from_fn(|lane| value(array, lane))).collect()
            };
            Neurons {
                blocks: indices.iter().map(of_block).collect(),
                last_spikes: std::iter::repeat_n([i32::MIN / 2; LANES], blocks).collect(),
                ring: LaneRing::new(cell.slots, cell.layout.ports, blocks * LANES),
                noise: (0..blocks).map(|_| NoiseWords::default()).collect(),
                starts: starts(blocks, cell.layout.ports),
                indices,
            }
        });
        let logs = vec![SpikeLog::default(); setup.cells.len()];
        Chunk { trials, neurons: neurons.collect(), logs, step: 0, fired: Vec::new() }
    }

    /// An array of a population, block by block: the values that the last step left.
    pub(super) fn array(&self, population: usize, array: usize) -> impl Iterator<Item = &Lanes> {
        self.neurons[population].blocks.iter().map(move |block| &block[array])
    }

    /// Simulates a step, in which the input fires in these lanes. With a segment of the tape, records what the gradient reads.
    pub(super) fn step(
        &mut self,
        setup: &Setup,
        values: &Values,
        input: &[u32],
        mut segment: Option<&mut Segment>,
        registers: &mut Registers,
    ) {
        let (step, level) = (self.step, registers.level());
        for (index, cell) in setup.cells.iter().enumerate() {
            self.fired.clear();
            if index == setup.plan.input {
                self.logs[index].push(step, input);
                continue;
            }
            let of = &setup.plan.plan.populations[index];
            let now = BlockStep {
                seed: setup.plan.plan.seed,
                first: of.first,
                step,
                constants: &values.of.constants[index].1,
                clocks: setup.clocks(index, step),
                tables: &of.clocks.tables,
                units: &values.units[index],
            };
            let Neurons { indices, blocks, last_spikes, ring, noise, starts } = &mut self.neurons[index];
            let (slot, spike, lanes) = (ring.slot(step as usize), cell.layout.spike(), cell.size * self.trials);
            for (block, variables) in blocks.iter_mut().enumerate() {
                if let Some(segment) = segment.as_deref_mut().filter(|_| cell.gradient.is_some()) {
                    segment.record(cell, (index, block, step), variables, slot, &starts[block], &last_spikes[block]);
                }
                fired_before(level, &last_spikes[block], step, &mut variables[spike]);
                let input = BlockInput { sums: slot, starts: &starts[block], last_spikes: &last_spikes[block] };
                let above = now.run(&cell.step, variables, input, (&indices[block], &mut noise[block]), registers);
                let Some(above) = above else { continue };
                let count = LANES.min(lanes - block * LANES);
                crossed(level, above, count, |lane| {
                    last_spikes[block][lane] = step as i32;
                    self.fired.push((block * LANES + lane) as u32);
                });
            }
            slot.fill(0);
            self.logs[index].push(step, &self.fired);
        }
        for (projection, of) in setup.plan.projections.iter().enumerate() {
            let (ends, units) = (Ends::of(setup, projection), values.units_of(projection));
            ends.deliver(level, self.logs[of.pre].at(step), step, units, &mut self.neurons[of.post].ring);
        }
        self.step += 1;
    }

    /// The state between two steps, as words.
    pub(super) fn save(&self, setup: &Setup, words: &mut Vec<u32>) {
        for (cell, neurons) in setup.cells.iter().zip(&self.neurons) {
            for variables in &neurons.blocks {
                cell.moving.iter().for_each(|array| words.extend(variables[*array].iter().map(|value| value.to_bits())));
            }
            words.extend(neurons.last_spikes.as_flattened().iter().map(|step| *step as u32));
            words.extend(neurons.ring.all().iter().map(|sum| *sum as u32));
        }
    }

    /// Continues from a state before a step.
    pub(super) fn restore(&mut self, setup: &Setup, words: &[u32], step: u32) {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        for (cell, neurons) in setup.cells.iter().zip(&mut self.neurons) {
            for variables in &mut neurons.blocks {
                cell.moving.iter().for_each(|array| variables[*array].fill_with(|| f32::from_bits(next())));
            }
            neurons.last_spikes.as_flattened_mut().fill_with(|| next() as i32);
            neurons.ring.all_mut().fill_with(|| next() as i32);
        }
        self.step = step;
    }
}
