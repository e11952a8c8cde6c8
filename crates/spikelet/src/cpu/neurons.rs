//! 256 neurons of a population, through a step.

use std::ops::Range;

use spikelet_lang::Program;
use spikelet_lang::block::{Arrivals, Block, Inputs, LANES, LONG_AGO, Lanes, Prepared, Registers, Reset};

use super::{Live, Moment};
use crate::backend::Spike;
use crate::plan::{Plan, Sampled};
use crate::rng::{Key, Purpose};

/// Lanes that are asked together whether any of them fired.
const CHUNK: usize = 32;

/// The codes of a program, prepared.
struct Codes {
    take: Prepared,
    reset: Reset,
    hold: Prepared,
    update: Prepared,
}

impl Codes {
    fn new(Program { take, reset, hold, update, .. }: &Program) -> Codes {
        let [take, hold, update] = [take, hold, update].map(Prepared::new);
        Codes { take, reset: Reset::new(reset), hold, update }
    }
}

/// 256 neurons of a population.
pub(super) struct Neurons {
    pub(super) population: usize,
    /// Index in the population of the first one.
    pub(super) first: u32,
    /// How many lanes hold neurons.
    pub(super) count: usize,
    pub(super) variables: Vec<Lanes>,
    pub(super) last_spike: Box<[i32; LANES]>,
    /// The latest of them.
    latest: i32,
    /// First lane in the shard's ring of each port, and of what is left over where a port keeps that.
    lanes: Vec<(usize, Option<usize>)>,
    /// Channel, variable and lane of what is sampled here.
    channels: Vec<(usize, usize, usize)>,
}

/// What blocks use in turn: memory, and the codes of each population.
pub(super) struct Scratch {
    pub(super) registers: Registers,
    codes: Vec<Codes>,
}

impl Scratch {
    pub(super) fn new(plan: &Plan) -> Scratch {
        let codes = plan.populations.iter().map(|population| Codes::new(&population.program)).collect();
        Scratch { registers: Registers::default(), codes }
    }
}

impl Neurons {
    /// A block of the part `range` of a population, whose ports begin at these lanes of the shard's ring.
    pub(super) fn new(
        plan: &Plan,
        population: usize,
        first: u32,
        (range, starts): &(Range<u32>, Vec<(usize, Option<usize>)>),
    ) -> Neurons {
        let of = &plan.populations[population];
        let count = (of.size - first).min(LANES as u32) as usize;
        // Lanes past the last neuron repeat it: they are computed, and thrown away.
        let neuron = |lane: usize| first as usize + lane.min(count - 1);
        let variables = (0..of.program.variables.len()).map(|array| std::array::from_fn(|lane| of.initial(array, neuron(lane))));
        let channels = plan.channels.iter().enumerate().filter_map(|(k, channel)| match channel.sampled {
            Sampled::Neuron { population: sampled, variable, neuron } => {
                let lane = neuron.wrapping_sub(first) as usize;
                (sampled == population && lane < count).then_some((k, variable, lane))
            }
            Sampled::Synapse { .. } => None,
        });
        let into = (first - range.start) as usize;
        Neurons {
            population,
            first,
            count,
            variables: variables.collect(),
            last_spike: Box::new([i32::MIN / 2; LANES]),
            latest: i32::MIN / 2,
            lanes: starts.iter().map(|(start, fine)| (start + into, fine.map(|fine| fine + into))).collect(),
            channels: channels.collect(),
        }
    }

    /// Steps from the last spike of a lane to this step.
    pub(super) fn since_spike(&self, lane: usize, step: u32) -> f32 {
        (step as i32 - self.last_spike[lane]).min(LONG_AGO) as f32
    }

    /// `take`, `reset` and `hold` of a step, and its samples.
    pub(super) fn settle(
        &mut self,
        plan: &Plan,
        live: &Live,
        now: &Moment<'_>,
        slot: &mut [i32],
        scratch: &mut Scratch,
        mut sample: impl FnMut(usize, f32),
    ) {
        let fired = self.latest == now.step as i32 - 1;
        self.run(plan, live, now, slot, scratch, |codes, block, registers| {
            codes.take.run(block, registers);
            if fired {
                codes.reset.run(block, registers);
            }
            codes.hold.run(block, registers);
        });
        for start in self.lanes.iter().flat_map(|(first, fine)| [Some(*first), *fine]).flatten() {
            slot[start..start + LANES].fill(0);
        }
        for (channel, variable, lane) in &self.channels {
            sample(*channel, self.variables[*variable][*lane]);
        }
    }

    /// `update` of a step, and its spikes.
    pub(super) fn update(&mut self, plan: &Plan, live: &Live, now: &Moment<'_>, scratch: &mut Scratch, spikes: &mut Vec<Spike>) {
        let above = self.run(plan, live, now, &[], scratch, |codes, block, registers| codes.update.run(block, registers));
        let Some(above) = above else { return };
        let first_number = plan.populations[self.population].first + self.first;
        for (chunk, above) in above.as_chunks::<CHUNK>().0.iter().enumerate() {
            // Almost always there is none, and asking all of them at once is a vector loop.
            if !above.iter().fold(false, |any, above| any | (*above != 0.0)) {
                continue;
            }
            let lanes = (chunk * CHUNK..self.count).zip(above).filter(|(_, above)| **above != 0.0);
            for lane in lanes.map(|(lane, _)| lane) {
                self.last_spike[lane] = now.step as i32;
                self.latest = now.step as i32;
                spikes.push(Spike { step: now.step, neuron: first_number + lane as u32 });
            }
        }
    }

    /// Replaces the last spikes.
    pub(super) fn set_last_spikes(&mut self, steps: impl IntoIterator<Item = i32>) {
        self.last_spike.iter_mut().zip(steps).for_each(|(step, new)| *step = new);
        self.latest = self.last_spike.iter().copied().fold(i32::MIN, i32::max);
    }

    fn run<'a, T>(
        &mut self,
        plan: &Plan,
        live: &Live,
        now: &Moment<'_>,
        slot: &[i32],
        scratch: &'a mut Scratch,
        codes: impl FnOnce(&Codes, &mut Block<'_>, &'a mut Registers) -> T,
    ) -> T {
        let population = &plan.populations[self.population];
        let first_number = population.first + self.first;
        let bits = |lane: usize, site: u32| {
            Key(plan.seed).draw(Purpose::Noise, site / 4, [now.step, first_number + lane as u32, now.trial])[site as usize % 4]
        };
        let inputs = Inputs {
            arrivals: Arrivals { sums: slot, starts: &self.lanes, units: &live.units[self.population] },
            last_spike: &self.last_spike,
            constants: &live.constants[self.population],
            clocks: &now.clocks[population.first_clock as usize..][..population.clocks.len()],
            tables: &population.clocks.tables,
            step: now.step,
            first: self.first,
            bits: &bits,
        };
        let mut block = Block { variables: &mut self.variables, inputs: &inputs };
        codes(&scratch.codes[self.population], &mut block, &mut scratch.registers)
    }
}
