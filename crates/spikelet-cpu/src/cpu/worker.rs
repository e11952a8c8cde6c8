//! The work of a thread in an epoch.

use std::ops::Range;

use spikelet_kernel::block::LANES;
use spikelet_network::Error;
use spikelet_plan::schedule::{PhaseGroup, Schedule};
use spikelet_plan::{Epoch, NOT_SAMPLED, Plan, Spike};

use super::profile::{Operation, Stopwatch};
use super::program::ThreadProgram;
use super::published::LatestCopies;
use super::shard::Shard;
use super::step_context::{ClockRows, RuntimeValues, StepContext};
use super::thread_team::{ThreadTeam, Urgency};
use super::{block_cost, winners};
use crate::barrier::TeamAborted;

/// A thread's part of a trial.
pub(super) struct Worker {
    /// Neurons that run ahead to the end of an epoch; no population has a gap in its shard.
    pub(super) ahead: Vec<Shard>,
    /// Neurons that stop after each step, with the synapses with state.
    pub(super) stopping: Option<Shard>,
}

/// Data that the threads of a trial read.
pub(super) struct TrialShared<'a> {
    pub(super) plan: &'a Plan,
    pub(super) program: &'a ThreadProgram,
    pub(super) live: &'a RuntimeValues,
    pub(super) clocks: &'a ClockRows,
    pub(super) trial: u32,
    /// The steps of this call.
    pub(super) epoch: Epoch,
    /// A clock in seconds, if operations are measured.
    pub(super) clock: Option<fn() -> f64>,
}

impl TrialShared<'_> {
    fn moment(&self, step: u32) -> StepContext<'_> {
        let (clocks, is_complete) = (self.clocks.at(step), self.epoch.is_complete_at(step));
        let TrialShared { plan, live, trial, .. } = *self;
        let row = (step - self.epoch.first) as usize * plan.sampling.columns.len();
        let slot = (step % plan.ring.slots) as usize;
        StepContext { plan, live, step, trial, clocks, is_complete, slot, row }
    }
}

/// The results of a thread.
pub(super) struct WorkerOutput {
    /// All spikes of own neurons of the trial, by step, then neuron: each thread receives all of them, and one records them.
    pub(super) spikes: Option<Vec<Spike>>,
    /// Samples of its own neurons and synapses; 0 for all others.
    pub(super) samples: Vec<f32>,
    /// Whether a state of its own neurons is infinite or NaN at the end of the epoch.
    pub(super) diverged: bool,
    /// The latest copies of published arrays, the same for all threads.
    pub(super) latest: LatestCopies,
    /// The time of its operations.
    pub(super) watch: Stopwatch,
}

impl WorkerOutput {
    pub(super) fn new(common: &TrialShared<'_>, with_spikes: bool, latest: LatestCopies) -> WorkerOutput {
        let samples = vec![NOT_SAMPLED; common.epoch.steps as usize * common.plan.sampling.columns.len()];
        WorkerOutput { spikes: with_spikes.then(Vec::new), samples, diverged: false, latest, watch: Stopwatch::new(common.clock) }
    }
}

impl Worker {
    /// All its shards.
    pub(super) fn shards(&self) -> impl Iterator<Item = &Shard> {
        self.ahead.iter().chain(&self.stopping)
    }

    /// The same, mutable.
    pub(super) fn shards_mut(&mut self) -> impl Iterator<Item = &mut Shard> {
        self.ahead.iter_mut().chain(&mut self.stopping)
    }

    /// The first event that exceeded its port.
    pub(super) fn take_fault(&mut self) -> Option<Error> {
        self.stopping.as_mut()?.fault.take()
    }

    /// Runs the epoch. `received` are spikes of the whole trial, and of other ranks, whose events are not in the delay buffers, before and
    /// afterwards.
    pub(super) async fn run(
        &mut self,
        common: &TrialShared<'_>,
        team: &mut impl ThreadTeam,
        received: &mut Vec<Spike>,
        outcome: &mut WorkerOutput,
    ) -> Result<(), TeamAborted> {
        let TrialShared { plan, program, live, .. } = *common;
        let (mut fired, mut moments) = (Vec::new(), Vec::new());
        outcome.watch.begin();
        for part in common.epoch.in_parts(program.epoch_steps) {
            self.shards_mut().for_each(|shard| shard.propagate(plan, live, received));
            received.clear();
            outcome.watch.lap(Operation::Propagate);
            moments.clear();
            moments.extend((part.first..part.end()).map(|step| common.moment(step)));
            for shard in &mut self.ahead {
                shard.run_ahead(&program.ahead, &moments, &mut fired, &mut outcome.samples);
            }
            outcome.watch.lap(Operation::Update);
            if program.runs_ahead {
                // Those that stop may receive them in this part.
                let urgency = if program.stops { Urgency::Now } else { Urgency::ByDelay };
                team.exchange(&mut fired, urgency, part.end()).await?;
                outcome.watch.lap(Operation::Exchange);
            }
            if program.stops {
                if let Some(shard) = &mut self.stopping {
                    shard.forget(part);
                    shard.remember(&fired);
                }
                received.append(&mut fired);
                self.step_through(common, team, part, received, outcome).await?;
            } else {
                std::mem::swap(received, &mut fired);
            }
            // In the order of steps, events use the same slots for a while, which stay in the cache.
            received.sort_unstable();
            if let Some(spikes) = &mut outcome.spikes {
                let is_own = |spike: &&Spike| {
                    let (population, neuron) = plan.locate(spike.neuron);
                    plan.own(population).contains(neuron)
                };
                match plan.part().is_whole() {
                    true => spikes.extend_from_slice(received),
                    false => spikes.extend(received.iter().filter(is_own)),
                }
            }
            outcome.watch.lap(Operation::Record);
        }
        if program.overlaps {
            team.finish(received).await?;
            outcome.watch.lap(Operation::Exchange);
        }
        self.shards_mut().for_each(Shard::write_back);
        outcome.diverged = self.shards().any(|shard| shard.diverges(common.epoch.end()))
            || self.stopping.as_mut().is_some_and(|shard| shard.winners.take_not_a_number());
        Ok(())
    }

    /// Runs the neurons that stop through a part of the epoch, and adds their spikes, of all threads, to `received`.
    async fn step_through(
        &mut self,
        common: &TrialShared<'_>,
        team: &mut impl ThreadTeam,
        part: Epoch,
        received: &mut Vec<Spike>,
        outcome: &mut WorkerOutput,
    ) -> Result<(), TeamAborted> {
        let program = common.program;
        let WorkerOutput { samples, latest, watch, .. } = outcome;
        // A thread with all of them receives their spikes at once.
        let apart = program.apart;
        let mut fired = Vec::new();
        for until_received in part.in_parts(if apart { program.exchange_steps } else { part.steps }) {
            for step in until_received.first..until_received.end() {
                let now = common.moment(step);
                let row = &mut samples[now.row..];
                let first = fired.len();
                self.run_stages(&program.before_spikes, &now, program, team, latest, (&mut fired, &mut *row, &mut *watch))
                    .await?;
                if let Some(shard) = &mut self.stopping {
                    shard.remember(&fired[first..]);
                }
                if step + 1 == until_received.end() && (apart || step + 1 == part.end()) {
                    let own = team.exchange(&mut fired, Urgency::Now, step + 1).await?;
                    if let Some(shard) = &mut self.stopping {
                        shard.remember(&fired[..own.start]);
                        shard.remember(&fired[own.end..]);
                    }
                    watch.lap(Operation::Exchange);
                }
                self.run_stages(&program.after_spikes, &now, program, team, latest, (&mut Vec::new(), row, &mut *watch)).await?;
            }
            received.append(&mut fired);
        }
        Ok(())
    }

    async fn run_stages(
        &mut self,
        stages: &[PhaseGroup],
        now: &StepContext<'_>,
        program: &ThreadProgram,
        team: &mut impl ThreadTeam,
        latest: &mut LatestCopies,
        (spikes, samples, watch): (&mut Vec<Spike>, &mut [f32], &mut Stopwatch),
    ) -> Result<(), TeamAborted> {
        for PhaseGroup { publishes, selects, phases } in stages {
            if !publishes.is_empty() {
                if let Some(shard) = &self.stopping {
                    for place in publishes {
                        let (population, variable) = program.published.variable(*place);
                        shard.values(population, variable, program.published.next_copy(*place, latest));
                    }
                }
                team.synchronise(now.step, publishes, latest).await?;
                publishes.iter().for_each(|place| latest.turn(*place));
                watch.lap(Operation::Exchange);
            }
            if !selects.is_empty() {
                self.select(selects, now, program, team).await?;
                watch.lap(Operation::Select);
            }
            if let Some(shard) = &mut self.stopping {
                for phase in phases {
                    shard.run(phase, now, (&program.published, latest), spikes, samples);
                    watch.lap(Operation::of(&phase.kinds));
                }
            }
        }
        Ok(())
    }

    /// Finds the winners of populations. Threads select among their own neurons first, and then, all in the same way, among the rest.
    async fn select(
        &mut self,
        populations: &[usize],
        now: &StepContext<'_>,
        program: &ThreadProgram,
        team: &mut impl ThreadTeam,
    ) -> Result<(), TeamAborted> {
        let plan = now.plan;
        if !program.apart {
            if let Some(shard) = &mut self.stopping {
                shard.select(plan, populations, None);
            }
            return Ok(());
        }
        let mut offers = Vec::new();
        if let Some(shard) = &mut self.stopping {
            populations.iter().for_each(|population| shard.offer(plan, *population, &mut offers));
        }
        team.gather(now.step, &mut offers).await?;
        if let Some(shard) = &mut self.stopping {
            winners::sort(&mut offers);
            shard.select(plan, populations, Some(&offers));
        }
        Ok(())
    }
}

/// The work of each of at most `count` threads.
pub(super) fn workers(plan: &Plan, schedule: &Schedule, count: usize) -> Vec<Worker> {
    let [ahead, stopping] = block_cost::blocks(plan, schedule);
    let few = if ahead.is_empty() && !schedule.inseparable {
        count
    } else {
        block_cost::threads_of_stopping(&stopping, schedule).min(count)
    };
    let stopping = if stopping.is_empty() { Vec::new() } else { block_cost::cut(&stopping, &vec![1.0; few]) };
    // Threads with neurons that stop get fewer of the others.
    let each = (block_cost::total(&ahead) + stopping.iter().map(|blocks| block_cost::total(blocks)).sum::<f64>()) / count as f64;
    let left = |number: usize| stopping.get(number).map_or(each, |blocks| (each - block_cost::total(blocks)).max(0.0));
    let left: Vec<f64> = (0..count).map(left).collect();
    let ahead = if ahead.is_empty() { Vec::new() } else { block_cost::cut(&ahead, &left) };
    // The places of whole blocks that stop, of each population.
    let stops = |population: usize| {
        let firsts =
            || stopping.iter().copied().flatten().filter(|block| block.population == population).map(|block| block.first);
        let end = firsts().max().map_or(0, |last| plan.own(population).len().min(last + LANES as u32));
        firsts().min().unwrap_or(0)..end
    };
    let stops: Vec<Range<u32>> = (0..plan.populations.len()).map(stops).collect();
    // A rank without neurons that stop has the spike history of all, too.
    let remembers = !plan.part().is_whole() && schedule.stepwise.iter().any(|neurons| !neurons.is_empty());
    let stopping = if stopping.is_empty() && remembers { vec![[].as_slice()] } else { stopping };
    let worker = |number: usize| Worker {
        ahead: ahead.get(number).map_or_else(Vec::new, |blocks| {
            block_cost::without_gaps(blocks).into_iter().map(|blocks| Shard::new(plan, blocks, None)).collect()
        }),
        stopping: stopping.get(number).map(|blocks| Shard::new(plan, blocks, Some(&stops))),
    };
    (0..ahead.len().max(stopping.len()).max(1)).map(worker).collect()
}
