//! 256 neurons of a population, through a step.

use std::ops::Range;

use spikelet_lang::block::{self, Block, LANES, Lanes, Registers};

use super::{Live, Moment};
use crate::backend::Spike;
use crate::plan::{Plan, Sampled};
use crate::ring;
use crate::rng::{Key, Purpose};

/// Steps since a spike count up to here; beyond it f32 would skip numbers.
const LONG_AGO: i32 = 1 << 24;

/// 256 neurons of a population.
pub(super) struct Neurons {
    pub(super) population: usize,
    /// Index in the population of the first one.
    pub(super) first: u32,
    /// How many lanes hold neurons.
    pub(super) count: usize,
    pub(super) variables: Vec<Lanes>,
    pub(super) last_spike: Box<[i32; LANES]>,
    /// First lane in the shard's ring of each port, and of what is left over where a port keeps that.
    lanes: Vec<(usize, Option<usize>)>,
    /// Channel, variable and lane of what is sampled here.
    channels: Vec<(usize, usize, usize)>,
}

/// Memory that blocks use in turn.
pub(super) struct Scratch {
    pub(super) registers: Registers,
    ports: Vec<Lanes>,
}

impl Scratch {
    pub(super) fn new(plan: &Plan) -> Scratch {
        let neurons = plan.populations.iter().flat_map(|population| population.program.codes());
        let states = plan.projections.iter().filter_map(|projection| projection.state.as_ref());
        let most_ports = plan.populations.iter().map(|population| population.ports.len()).max().unwrap_or(0);
        Scratch {
            registers: Registers::for_codes(neurons.chain(states.flat_map(|state| state.program.codes()))),
            ports: vec![[0.0; LANES]; most_ports],
        }
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
        for (port, ((first, fine), units)) in self.lanes.iter().zip(&live.units[self.population]).enumerate() {
            let values = &mut scratch.ports[port];
            for (value, sum) in values.iter_mut().zip(&mut slot[*first..*first + LANES]) {
                *value = ring::value(*sum, units[0]);
                *sum = 0;
            }
            for (value, sum) in values.iter_mut().zip(fine.iter().flat_map(|fine| *fine..*fine + LANES)) {
                *value += ring::value(slot[sum], units[1]);
                slot[sum] = 0;
            }
        }
        let program = &plan.populations[self.population].program;
        let fired: [bool; LANES] = std::array::from_fn(|lane| self.last_spike[lane] == now.step as i32 - 1);
        self.run(plan, live, now, scratch, |block, registers| {
            block::run(&program.take, block, registers, None);
            if fired.contains(&true) {
                block::run(&program.reset, block, registers, Some(&fired));
            }
            block::run(&program.hold, block, registers, None);
        });
        for (channel, variable, lane) in &self.channels {
            sample(*channel, self.variables[*variable][*lane]);
        }
    }

    /// `update` of a step, and its spikes.
    pub(super) fn update(&mut self, plan: &Plan, live: &Live, now: &Moment<'_>, scratch: &mut Scratch, spikes: &mut Vec<Spike>) {
        let population = &plan.populations[self.population];
        let above = self.run(plan, live, now, scratch, |block, registers| {
            block::run(&population.program.update, block, registers, None).copied()
        });
        let Some(above) = above else { return };
        let first_number = population.first + self.first;
        for ((neuron, above), last_spike) in (first_number..).zip(&above[..self.count]).zip(self.last_spike.iter_mut()) {
            if *above != 0.0 {
                *last_spike = now.step as i32;
                spikes.push(Spike { step: now.step, neuron });
            }
        }
    }

    fn run<T>(
        &mut self,
        plan: &Plan,
        live: &Live,
        now: &Moment<'_>,
        scratch: &mut Scratch,
        codes: impl FnOnce(&mut Block<'_>, &mut Registers) -> T,
    ) -> T {
        let population = &plan.populations[self.population];
        let since_spike: Lanes = std::array::from_fn(|lane| self.since_spike(lane, now.step));
        let first_number = population.first + self.first;
        let bits = |lane: usize, site: u32| {
            Key(plan.seed).draw(Purpose::Noise, site / 4, [now.step, first_number + lane as u32, now.trial])[site as usize % 4]
        };
        let mut block = Block {
            variables: &mut self.variables,
            ports: &scratch.ports,
            since_spike: &since_spike,
            constants: &live.constants[self.population],
            clocks: &now.clocks[population.first_clock as usize..][..population.clocks.len()],
            tables: &population.clocks.tables,
            step: now.step,
            first: self.first,
            bits: &bits,
        };
        codes(&mut block, &mut scratch.registers)
    }
}
