//! A trial on CPU threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use spikelet_kernel::block::Compiled;
use spikelet_network::Error;
use spikelet_plan::{Activity, Epoch, Plan, Pool, Spike, Trial};

use super::awake::Sleep;
use super::profile::CpuProfile;
use super::program::ThreadProgram;
use super::published::LatestCopies;
use super::rank_team::{RankMember, RequestDesk, answer, share};
use super::shard::Shard;
use super::step_context::{ClockRows, RuntimeValues, StepContext};
use super::thread_team::{SingleThread, ThreadTeam, Threads};
use super::worker::{self, TrialShared, Worker, WorkerOutput};
use crate::barrier::TeamAborted;
use crate::exchange::RankLink;

/// A trial with its dynamic state.
pub(super) struct CpuTrial {
    pub(super) plan: Arc<Plan>,
    number: u32,
    pub(super) live: RuntimeValues,
    pub(super) program: ThreadProgram,
    workers: Vec<Worker>,
    /// Spikes whose events have not been added to the delay buffers.
    pub(super) pending: Vec<Spike>,
    /// The latest copies of published arrays; `None` if values have been written since.
    latest: Option<LatestCopies>,
    /// Where the times of operations are added, if these are measured.
    pub(super) profile: Option<CpuProfile>,
}

impl CpuTrial {
    pub(super) fn new(trial: Trial, threads: usize, (fuses, sleep): (bool, Sleep)) -> CpuTrial {
        let Trial { number, plan } = trial;
        let mut workers = worker::workers(&plan, plan.schedule(), threads);
        // Those that stop after each step are read by others within it.
        workers.iter_mut().flat_map(|worker| &mut worker.ahead).for_each(|shard| shard.let_sleep(&plan, sleep));
        let stopping = workers.iter().filter(|worker| worker.stopping.is_some()).count();
        let runs_ahead = workers.iter().any(|worker| !worker.ahead.is_empty());
        let program = ThreadProgram::new(&plan, fuses, stopping, runs_ahead);
        let live = RuntimeValues::new(&plan);
        CpuTrial { live, plan, number, program, workers, pending: Vec::new(), latest: None, profile: None }
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
        self.forget_copies();
    }

    /// Values have been written that may be published, or on which steps depend.
    pub(super) fn forget_copies(&mut self) {
        self.latest = None;
        self.shards_mut().for_each(Shard::wake);
    }

    /// Runs an epoch, with other ranks if there is a link to them.
    pub(super) async fn run(&mut self, pool: &Pool, epoch: Epoch, mut link: Option<&mut RankLink>) -> Result<Activity, Error> {
        let CpuTrial { plan, number, live, program, workers, pending, latest, profile } = self;
        let clocks = ClockRows::new(plan, epoch);
        // Values change only between runs.
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.look_at(live));
        if let Some(link) = &mut link {
            link.begin(epoch);
        }
        let latest = match latest {
            Some(latest) => latest,
            None => latest.insert(first_copies(epoch.first, plan, program, workers, link.as_deref()).await?),
        };
        let common = TrialShared {
            plan,
            program,
            live,
            clocks: &clocks,
            trial: *number,
            epoch,
            clock: profile.as_ref().and_then(CpuProfile::clock),
        };
        let outcomes = match (workers.as_mut_slice(), link) {
            ([worker], None) => run_alone(worker, &common, pending, latest),
            (workers, None) => {
                let threads = Threads::new(workers.len());
                let member = |number: usize| threads.seen_by(number);
                run_threads(pool, workers, &common, pending, latest, (&threads, member), None).await
            }
            (workers, Some(link)) => {
                let (threads, desk) = (Threads::new(workers.len()), RequestDesk::default());
                let member = |number: usize| RankMember { team: threads.seen_by(number), desk: &desk };
                run_threads(pool, workers, &common, pending, latest, (&threads, member), Some((link, &desk))).await
            }
        }?;
        if let Some(profile) = profile.as_ref().filter(|profile| profile.clock().is_some()) {
            workers.iter_mut().flat_map(|worker| &mut worker.ahead).for_each(|shard| profile.add_slept(shard.take_slept()));
        }
        if let Some(fault) = workers.iter_mut().find_map(Worker::take_fault) {
            return Err(fault);
        }
        let mut activity = Activity::default();
        for WorkerOutput { spikes, samples, diverged, latest: copies, watch } in outcomes {
            *latest = copies;
            profile.iter().for_each(|profile| profile.add(&watch));
            activity.diverged |= diverged;
            activity.spikes.extend(spikes.into_iter().flatten());
            // Each adds what it samples itself.
            if activity.samples.is_empty() {
                activity.samples = samples;
            } else {
                activity.samples.iter_mut().zip(samples).for_each(|(sum, sample)| *sum += sample);
            }
        }
        if !plan.part().is_whole() {
            // Those that other ranks have sent late are of earlier steps.
            activity.spikes.sort_unstable();
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

    /// Completes the step before this one: see [`Backend::complete_step`](spikelet_plan::Backend::complete_step).
    pub(super) fn complete_step(&mut self, step: u32) {
        self.propagate_pending();
        self.forget_copies();
        let CpuTrial { plan, number, live, workers, .. } = self;
        let clocks = ClockRows::new(plan, Epoch::new(step, 1));
        let (slot, clocks) = ((step % plan.ring.slots) as usize, clocks.at(step));
        let now = StepContext { plan, live, step, trial: *number, clocks, is_complete: false, slot, row: 0 };
        for shard in workers.iter_mut().flat_map(Worker::shards_mut) {
            shard.look_at(live);
            shard.complete_step(&now);
        }
    }

    /// Computes pending input again, from the last spikes, which are in order.
    pub(super) fn refill(&mut self, spikes: &[Spike], step: u32) {
        let CpuTrial { plan, live, workers, pending, .. } = self;
        pending.clear();
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.refill(plan, live, spikes, step));
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

/// Publishes the values of neurons before a step.
async fn first_copies(
    step: u32,
    plan: &Plan,
    program: &ThreadProgram,
    workers: &[Worker],
    link: Option<&RankLink>,
) -> Result<LatestCopies, Error> {
    let published = &program.published;
    for place in 0..published.len() {
        let (population, variable) = published.variable(place);
        let shards = workers.iter().flat_map(Worker::shards);
        shards.for_each(|shard| shard.values(population, variable, published.first_copy(place)));
    }
    if let Some(link) = link {
        let copies: Vec<(usize, usize)> = (0..published.len()).map(|place| (place, 0)).collect();
        share(link, step, plan, published, &copies).await?;
    }
    Ok(published.latest())
}

fn run_alone(
    worker: &mut Worker,
    common: &TrialShared<'_>,
    pending: &mut Vec<Spike>,
    latest: &LatestCopies,
) -> Result<Vec<WorkerOutput>, Error> {
    let mut outcome = WorkerOutput::new(common, true, latest.clone());
    let mut team = SingleThread;
    let done = poll(pin!(worker.run(common, &mut team, pending, &mut outcome)));
    if matches!(done, Poll::Ready(Ok(()))) { Ok(vec![outcome]) } else { Err(thread_failed()) }
}

/// The work of a thread, and what it leaves: its output, and the spikes whose events have not been added to the delay buffers.
type ThreadTask<'a> = Pin<Box<dyn Future<Output = Result<(WorkerOutput, Vec<Spike>), TeamAborted>> + Send + 'a>>;

/// The work of a thread until it is done. Each is locked by its thread only.
enum ThreadWork<'a> {
    Working(ThreadTask<'a>),
    Done(WorkerOutput, Vec<Spike>),
    Failed,
}

async fn run_threads<'a, T: ThreadTeam + 'a>(
    pool: &Pool,
    workers: &'a mut [Worker],
    common: &'a TrialShared<'a>,
    pending: &mut Vec<Spike>,
    latest: &LatestCopies,
    (threads, member): (&Threads, impl Fn(usize) -> T),
    mut others: Option<(&mut RankLink, &RequestDesk)>,
) -> Result<Vec<WorkerOutput>, Error> {
    let work = |(number, worker): (usize, &'a mut Worker)| {
        let mut outcome = WorkerOutput::new(common, number == 0, latest.clone());
        let (mut received, mut team) = (pending.clone(), member(number));
        Mutex::new(ThreadWork::Working(Box::pin(async move {
            worker.run(common, &mut team, &mut received, &mut outcome).await?;
            Ok((outcome, received))
        })))
    };
    let desks: Vec<Mutex<ThreadWork<'a>>> = workers.iter_mut().enumerate().map(work).collect();
    loop {
        pool.run(desks.len(), |number| {
            let mut desk = desks[number].lock().unwrap_or_else(PoisonError::into_inner);
            let ThreadWork::Working(task) = &mut *desk else { return };
            match catch_unwind(AssertUnwindSafe(|| poll(task.as_mut()))) {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready(Ok((outcome, received)))) => *desk = ThreadWork::Done(outcome, received),
                Ok(Poll::Ready(Err(TeamAborted))) | Err(_) => {
                    *desk = ThreadWork::Failed;
                    // Otherwise the others would wait for a failed thread for ever.
                    threads.abandon();
                }
            }
        });
        // All threads wait for the same, or have all finished.
        let Some((link, requests)) = &mut others else { break };
        let Some(request) = requests.take() else { break };
        answer(link, request, common.plan, &common.program.published, requests).await?;
    }
    let mut outcomes = Vec::new();
    for desk in desks {
        let ThreadWork::Done(outcome, received) = desk.into_inner().unwrap_or_else(PoisonError::into_inner) else {
            return Err(thread_failed());
        };
        outcomes.push(outcome);
        *pending = received;
    }
    Ok(outcomes)
}

/// Lets a task work. Tasks that wait for other ranks are polled again when these have answered.
pub(super) fn poll<F: Future + ?Sized>(task: Pin<&mut F>) -> Poll<F::Output> {
    task.poll(&mut Context::from_waker(Waker::noop()))
}
