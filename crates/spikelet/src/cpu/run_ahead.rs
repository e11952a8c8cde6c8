//! Neurons without synapses with state, which run ahead of the others, and sleep where they may.

use std::ops::Range;

use super::awake::{Awake, Home, Sleep};
use super::neuron_block::{NeuronOutput, Scratch};
use super::program::RunAhead;
use super::shard::Shard;
use super::step_context::StepContext;
use crate::backend::{Epoch, Spike};
use crate::plan::schedule::PhaseKind;
use crate::plan::{Plan, SleepRule};

impl Shard {
    /// Runs neurons without synapses with state through `part` of an epoch. `row` is the first row of the samples of a step.
    pub(super) fn run_ahead<'a>(
        &mut self,
        program: &RunAhead,
        part: Epoch,
        moment: impl Fn(u32) -> StepContext<'a>,
        spikes: &mut Vec<Spike>,
        row: impl Fn(u32) -> usize,
        samples: &mut [f32],
    ) {
        let steps = || part.first..part.end();
        match program {
            RunAhead::Blocks(work) => {
                for (population, work) in work.iter().enumerate() {
                    let first = spikes.len();
                    let mut left = steps();
                    while self.is_packed(population)
                        && let Some(step) = left.next()
                    {
                        let (now, samples) = (moment(step), &mut samples[row(step)..]);
                        self.with_awake(population, step, |awake, home, scratch| {
                            awake.step(work, &now, (home, scratch), (spikes, samples));
                        });
                    }
                    // Those that are awake are in no order.
                    spikes[first..].sort_unstable();
                    self.step_all((population, work), (left, &moment), spikes, (&row, samples));
                }
            }
            RunAhead::Phases(phases) => {
                for step in steps() {
                    let now = moment(step);
                    phases.iter().for_each(|phase| self.run_neurons(phase, &now, spikes, &mut samples[row(step)..]));
                }
            }
        }
    }

    /// Runs all neurons of a population, one block after the other.
    fn step_all<'a>(
        &mut self,
        (population, work): (usize, &[PhaseKind]),
        (steps, moment): (Range<u32>, impl Fn(u32) -> StepContext<'a>),
        spikes: &mut Vec<Spike>,
        (row, samples): (impl Fn(u32) -> usize, &mut [f32]),
    ) {
        let Some(last) = steps.clone().last() else { return };
        let (of, first) = self.blocks_of[population].clone();
        // A completed step has taken what arrived before.
        let looks = !moment(last).is_complete && self.awake[population].as_ref().is_some_and(|awake| awake.looks(last));
        for at in of {
            for step in steps.clone() {
                let (now, slot) = (moment(step), self.slot(step));
                let Shard { blocks, ring, scratch, awake, .. } = self;
                let (block, slot) = (&mut blocks[at], &mut ring.as_flattened_mut()[slot]);
                let mut look = awake[population].as_mut().filter(|_| looks && step == last);
                if let Some(awake) = &mut look {
                    awake.before(block, slot);
                }
                block.run(work, &now, scratch, &mut NeuronOutput { slot, spikes, samples: &mut samples[row(step)..] });
                if let Some(awake) = look {
                    awake.after(block, &now, first);
                }
            }
        }
        if looks {
            let slots = self.slots.count() as usize;
            self.with_awake(population, last, |awake, home, _| awake.conclude(home, slots, last));
        }
    }

    /// Whether only neurons of a population that are awake are stepped.
    fn is_packed(&self, population: usize) -> bool {
        self.awake[population].as_ref().is_some_and(Awake::is_packed)
    }

    /// Does something with how the neurons of a population sleep, if they may.
    fn with_awake(&mut self, population: usize, step: u32, work: impl FnOnce(&mut Awake, &mut Home<'_>, &mut Scratch)) {
        let slot = self.slots.slot(step);
        let Shard { awake, blocks, blocks_of, parts, ring, columns, scratch, .. } = self;
        if let Some(Some(awake)) = awake.get_mut(population) {
            let (blocks, ports) = (&mut blocks[blocks_of[population].0.clone()], &parts[population].1);
            work(awake, &mut Home { blocks, ring: ring.as_flattened_mut(), columns: *columns, ports, slot }, scratch);
        }
    }

    /// Lets neurons sleep from now on, where they may.
    pub(super) fn let_sleep(&mut self, plan: &Plan, sleep: Sleep) {
        let of = |population: usize| {
            let neurons = self.parts[population].0.len();
            let rule = (neurons > 0 && sleep != Sleep::Never).then(|| SleepRule::of(plan, population).ok())??;
            Some(Awake::new(population, rule, sleep, neurons))
        };
        self.awake = (0..plan.populations.len()).map(of).collect();
    }

    /// For each population the steps of its neurons here that were not computed since this was last called.
    pub(super) fn take_slept(&mut self) -> impl Iterator<Item = u64> {
        self.awake.iter_mut().map(|awake| awake.as_mut().map_or(0, Awake::take_slept))
    }

    /// Wakes all neurons: something else than a step is going to change them, or what steps depend on.
    pub(super) fn wake(&mut self) {
        (0..self.awake.len()).for_each(|population| self.with_awake(population, 0, |awake, home, _| awake.wake(home)));
    }

    /// Stores the state of neurons that are awake where that of all is.
    pub(super) fn settle(&mut self) {
        (0..self.awake.len()).for_each(|population| self.with_awake(population, 0, |awake, home, _| awake.settle(home)));
    }
}
