//! A trial on CPU threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use spikelet_lang::block::Compiled;

use super::program::ThreadProgram;
use super::shard::Shard;
use super::step_context::{ClockRows, RuntimeValues};
use super::thread_team::{SingleThread, Threads};
use super::worker::{self, TrialShared, Worker, WorkerOutput};
use crate::Error;
use crate::backend::{Activity, Epoch, Spike, Trial};
use crate::plan::Plan;
use crate::pool::Pool;

/// A trial with its dynamic state.
pub(super) struct CpuTrial {
    pub(super) plan: Arc<Plan>,
    number: u32,
    pub(super) live: RuntimeValues,
    program: ThreadProgram,
    workers: Vec<Worker>,
    /// Spikes whose events have not been added to the delay buffers.
    pending: Vec<Spike>,
}

impl CpuTrial {
    pub(super) fn new(trial: Trial, threads: usize, fuses: bool) -> CpuTrial {
        let Trial { number, plan } = trial;
        let workers = worker::workers(&plan, plan.schedule(), threads);
        let stopping = workers.iter().filter(|worker| worker.stopping.is_some()).count();
        let runs_ahead = workers.iter().any(|worker| !worker.ahead.is_empty());
        let program = ThreadProgram::new(&plan, fuses, stopping, runs_ahead);
        CpuTrial { live: RuntimeValues::new(&plan), plan, number, program, workers, pending: Vec::new() }
    }

    /// Runs compiled code from now on, for each population that has some.
    pub(super) fn compile(&mut self, compiled: &[Option<Compiled>]) {
        let CpuTrial { plan, workers, .. } = self;
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.compile(plan, compiled));
    }

    /// Number of its threads.
    pub(super) fn threads(&self) -> usize {
        self.workers.len()
    }

    pub(super) fn revise(&mut self, plan: Arc<Plan>) {
        self.plan = plan;
    }

    pub(super) fn run(&mut self, pool: &Pool, epoch: Epoch) -> Result<Activity, Error> {
        let CpuTrial { plan, number, live, program, workers, pending } = self;
        let clocks = ClockRows::new(plan, epoch);
        // Values change only between runs.
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.look_at(live));
        for place in 0..program.published.len() {
            let (population, variable) = program.published.variable(place);
            let shards = workers.iter().flat_map(Worker::shards);
            shards.for_each(|shard| shard.values(population, variable, program.published.first_copy(place)));
        }
        let common = TrialShared { plan, program, live, clocks: &clocks, trial: *number, epoch };
        let outcomes = match workers.as_mut_slice() {
            [worker] => run_alone(worker, &common, pending),
            workers => run_threads(pool, workers, &common, pending),
        }?;
        if let Some(fault) = workers.iter_mut().find_map(Worker::take_fault) {
            return Err(fault);
        }
        let mut activity = Activity::default();
        for WorkerOutput { spikes, samples, diverged } in outcomes {
            activity.diverged |= diverged;
            activity.spikes.extend(spikes.into_iter().flatten());
            // Each samples its own neurons, and writes zeros for others.
            if activity.samples.is_empty() {
                activity.samples = samples;
            } else {
                activity.samples.iter_mut().zip(samples).for_each(|(sum, sample)| *sum += sample);
            }
        }
        Ok(activity)
    }

    pub(super) fn shards(&self) -> impl Iterator<Item = &Shard> {
        self.workers.iter().flat_map(Worker::shards)
    }

    pub(super) fn shards_mut(&mut self) -> impl Iterator<Item = &mut Shard> {
        self.workers.iter_mut().flat_map(Worker::shards_mut)
    }

    /// The shard of a thread with neurons that stop after each step.
    pub(super) fn stopping(&self) -> Option<&Shard> {
        self.workers.iter().find_map(|worker| worker.stopping.as_ref())
    }

    /// The shards with neurons of a population, in their order, without gaps.
    pub(super) fn shards_of(&self, population: usize) -> Vec<&Shard> {
        let beginning = |first: u32| {
            self.shards().find(|shard| !shard.neurons(population).is_empty() && shard.neurons(population).start == first)
        };
        std::iter::successors(beginning(0), |shard| beginning(shard.neurons(population).end)).collect()
    }

    /// Events of the last epoch are stored as spikes until the next one; they are added before a delay buffer is read.
    pub(super) fn propagate_pending(&mut self) {
        let CpuTrial { plan, live, workers, pending, .. } = self;
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.propagate(plan, live, pending));
        pending.clear();
    }
}

pub(super) fn thread_failed() -> Error {
    Error::Backend("a thread of the CPU failed; reset the simulation, and report this error".into())
}

fn run_alone(worker: &mut Worker, common: &TrialShared<'_>, pending: &mut Vec<Spike>) -> Result<Vec<WorkerOutput>, Error> {
    let mut outcome = WorkerOutput::new(common, true);
    worker.run(common, &mut SingleThread, pending, &mut outcome).map_err(|_| thread_failed())?;
    Ok(vec![outcome])
}

fn run_threads(
    pool: &Pool,
    workers: &mut [Worker],
    common: &TrialShared<'_>,
    pending: &mut Vec<Spike>,
) -> Result<Vec<WorkerOutput>, Error> {
    let threads = Threads::new(workers.len());
    // Each is locked once, by its thread.
    let desk = |(number, worker)| Mutex::new((worker, WorkerOutput::new(common, number == 0), pending.clone()));
    let desks: Vec<Mutex<(&mut Worker, WorkerOutput, Vec<Spike>)>> = workers.iter_mut().enumerate().map(desk).collect();
    let broken = AtomicBool::new(false);
    pool.run(desks.len(), |number| {
        let mut desk = desks[number].lock().unwrap_or_else(PoisonError::into_inner);
        let (worker, outcome, received) = &mut *desk;
        let work = || worker.run(common, &mut threads.seen_by(number), received, outcome);
        // Otherwise the others would wait for a failed thread for ever.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            broken.store(true, Ordering::Relaxed);
            threads.abandon();
        }
    });
    if broken.into_inner() {
        return Err(thread_failed());
    }
    let mut outcomes = Vec::new();
    for desk in desks {
        let (_, outcome, received) = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.push(outcome);
        *pending = received;
    }
    Ok(outcomes)
}
