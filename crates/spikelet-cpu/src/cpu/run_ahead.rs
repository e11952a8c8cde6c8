//! Neurons without synapses with state, which run ahead of the others, and sleep where they may.

use spikelet_plan::schedule::PhaseKind;
use spikelet_plan::{Plan, SleepRule, Spike};

use super::awake::{Awake, Home, Sleep};
use super::neuron_block::{NeuronOutput, Scratch, is_whole_step};
use super::program::RunAhead;
use super::shard::Shard;
use super::step_context::StepContext;

impl Shard {
    /// Runs neurons without synapses with state through the steps of a part of an epoch.
    pub(super) fn run_ahead(
        &mut self,
        program: &RunAhead,
        steps: &[StepContext<'_>],
        spikes: &mut Vec<Spike>,
        samples: &mut [f32],
    ) {
        match program {
            RunAhead::Blocks(work) => {
                for (population, work) in work.iter().enumerate() {
                    let (first, mut left) = (spikes.len(), steps);
                    while self.is_packed(population)
                        && let Some((now, later)) = left.split_first()
                    {
                        self.with_awake(population, now.slot, |awake, home, scratch| {
                            awake.step(work, now, (home, scratch), (spikes, &mut samples[now.row..]));
                        });
                        left = later;
                    }
                    if left.len() < steps.len() {
                        // Those that are awake are in no order.
                        spikes[first..].sort_unstable();
                    }
                    self.step_all((population, work), left, spikes, samples);
                }
            }
            RunAhead::Phases(phases) => {
                for now in steps {
                    phases.iter().for_each(|phase| self.run_neurons(phase, now, spikes, &mut samples[now.row..]));
                }
            }
        }
    }

    /// Runs all neurons of a population, one block after the other.
    fn step_all(
        &mut self,
        (population, work): (usize, &[PhaseKind]),
        steps: &[StepContext<'_>],
        spikes: &mut Vec<Spike>,
        samples: &mut [f32],
    ) {
        let Some(last) = steps.last() else { return };
        let (of, first) = self.blocks_of[population].clone();
        // A completed step has taken what arrived before.
        let looks = !last.is_complete && self.awake[population].as_ref().is_some_and(|awake| awake.looks(last.step));
        let is_whole = is_whole_step(work);
        let never_due = !self.scratch.has_statements(population);
        for at in of {
            for now in steps {
                let Shard { blocks, ring, columns, scratch, awake, .. } = self;
                let slot = &mut ring.as_flattened_mut()[now.slot * *columns..][..*columns];
                let block = &mut blocks[at];
                let mut look = awake[population].as_mut().filter(|_| looks && now.step == last.step);
                if let Some(awake) = &mut look {
                    awake.before(block, slot);
                }
                let mut out = NeuronOutput { slot, spikes, samples: &mut samples[now.row..] };
                // Nearly all steps are such: they are found here at less cost than in any place.
                let at_once = is_whole && !now.is_complete && (never_due || !scratch.is_due(population, now));
                if !at_once || !block.whole_step(now, scratch, &mut out) {
                    block.run(work, now, scratch, &mut out);
                }
                if let Some(awake) = look {
                    awake.after(block, now, first);
                }
            }
        }
        if looks {
            let slots = self.slots.count() as usize;
            self.with_awake(population, last.slot, |awake, home, _| awake.conclude(home, slots, last.step));
        }
    }

    /// Whether only neurons of a population that are awake are stepped.
    fn is_packed(&self, population: usize) -> bool {
        self.awake[population].as_ref().is_some_and(Awake::is_packed)
    }

    /// Does something with how the neurons of a population sleep, if they may.
    fn with_awake(&mut self, population: usize, slot: usize, work: impl FnOnce(&mut Awake, &mut Home<'_>, &mut Scratch)) {
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
    pub(super) fn write_back(&mut self) {
        (0..self.awake.len()).for_each(|population| self.with_awake(population, 0, |awake, home, _| awake.write_back(home)));
    }
}
