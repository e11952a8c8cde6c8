//! The trials of a run: as many in parallel as fit.

mod agreed;
mod cadence;
mod end;
mod finished;
mod groups;
mod host;
mod loading;
mod results;
mod saving;
mod weights;

use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::{Batch, CpuProfile, Driver, Plan, Point, TrialRun};
use spikelet_gpu::{Device, Monitor};

use crate::args::RunArguments;
use crate::cell_groups::CellGroups;
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::jobs::Job;
use crate::monitor::{MonitorState, RunMonitor};
use crate::progress::Progress;
use crate::ranks::{Ranks, Spent};
use crate::records::Records;
use crate::report::Backend;
use crate::signal::Signal;
use crate::unfinished::{NewRun, Unfinished};
use crate::{device, failure, interrupt, jobs, pipelines, terminal};
use agreed::agreed;
use finished::kept_from;
pub(crate) use finished::{FinishedTrial, RunningTrial};
use groups::Groups;
use host::RunHost;
pub(crate) use results::RunResults;
use saving::Restored;
pub(crate) use weights::LastState;

/// Target duration of a batch of steps, in ms: signals and the progress bar wait for it.
const BATCH_MS: f64 = 50.0;

/// Epochs of a warm-up.
const WARM_UP_EPOCHS: u32 = 16;

/// The device of the trials.
enum TrialDevice {
    Closed,
    Open(Box<dyn spikelet::Backend>),
    Loaded(Box<Driver>),
}

/// The trials of a run.
pub(crate) struct Trials<'a> {
    args: &'a RunArguments,
    points: &'a [Point],
    ranks: &'a Ranks,
    started: Instant,
    groups: Groups,
    /// The groups of neurons of `--by`.
    cells: Option<CellGroups>,
    place: TrialDevice,
    backend: Option<Backend>,
    /// The GPU and its description, if it is one.
    gpu: Option<(Device, Monitor)>,
    /// The times of the operations of a CPU, if they are measured.
    cpu_profile: Option<CpuProfile>,
    /// Rows at intervals, if requested.
    monitor: Option<RunMonitor>,
    /// What was monitored before the run was continued.
    monitored: Option<MonitorState>,
    host: RunHost<'a>,
    done: Vec<FinishedTrial>,
    /// What is recorded, and the number of its records before the trials that run.
    records: Records,
    records_before: [usize; 3],
    /// Where the run is saved, from its first step on, and when.
    unfinished: Option<Unfinished>,
    new_run: Option<NewRun>,
    /// Whether the state of running trials was saved.
    has_saved: bool,
    /// The numbers of signals to save it that were seen, and that were followed.
    saves_seen: usize,
    saves: usize,
    /// The trials that a checkpoint continues, and how often the run was continued.
    restored: Option<Restored>,
    resumed: u32,
    /// Notices about devices, of the time before the run was continued.
    notices: Vec<String>,
    built: Option<Duration>,
    simulated: Duration,
    /// What the exchange with other ranks took of it.
    exchanged: Spent,
    first_spike: Option<Duration>,
    progress: Progress,
    has_begun: bool,
    /// Ends the program at a signal until the first trials are loaded.
    watch: Option<InterruptGuard>,
    /// The signal that interrupted it.
    interruption: Option<Signal>,
    /// Whether the last trials ended with an error of the program or the device, after which its state is not read.
    has_failed: bool,
    /// Whether the program has panicked; then nothing more is run.
    has_panicked: bool,
}

/// Where a run is saved.
pub(crate) enum Saved {
    Nowhere,
    New(NewRun),
    Resumed(Unfinished),
}

impl<'a> Trials<'a> {
    pub(crate) fn new(
        args: &'a RunArguments,
        points: &'a [Point],
        ranks: &'a Ranks,
        started: Instant,
        watch: Option<InterruptGuard>,
        saved: Saved,
    ) -> Result<Trials<'a>, Failure> {
        let jobs = ranks.own(jobs::all(args, points)?);
        let total_ms: f64 = jobs.iter().map(|job| points[job.point].network.duration_ms).sum();
        let plan = &points[0].plan;
        let (unfinished, new_run) = match saved {
            Saved::Nowhere => (None, None),
            Saved::New(run) => (None, Some(run)),
            Saved::Resumed(unfinished) => (Some(unfinished), None),
        };
        let mut trials = Trials {
            args,
            points,
            ranks,
            started,
            groups: Groups::new(points),
            cells: args.by.as_ref().map(|column| CellGroups::new(&points[0].network, column)).transpose()?,
            place: TrialDevice::Closed,
            backend: None,
            gpu: None,
            cpu_profile: args.profile.then(|| CpuProfile::new(device::clock)),
            monitor: None,
            monitored: None,
            host: RunHost::new(args, ranks, plan.dt_ms),
            done: Vec::new(),
            records: records(args, plan, ranks, unfinished.as_ref())?,
            records_before: [0; 3],
            unfinished,
            new_run,
            has_saved: false,
            saves_seen: 0,
            saves: 0,
            restored: None,
            resumed: 0,
            notices: Vec::new(),
            built: None,
            simulated: Duration::ZERO,
            exchanged: Spent::default(),
            first_spike: None,
            progress: Progress::new(total_ms, args.quiet),
            has_begun: false,
            watch,
            interruption: None,
            has_failed: false,
            has_panicked: false,
        };
        if args.resumed.is_some() {
            trials.restore(&jobs)?;
        }
        let running: Vec<Job> = trials.restored.iter().flat_map(Restored::jobs).collect();
        let is_left = |job: &Job| !running.contains(job) && trials.done.iter().all(|done| done.job != *job);
        trials.groups.add(jobs.into_iter().filter(is_left));
        trials.groups.put_back(&running);
        trials.groups.notice(points).iter().for_each(|notice| trials.notice(notice));
        Ok(trials)
    }

    fn notice(&self, sentence: &str) {
        if !self.args.quiet {
            terminal::notice(&sentence);
        }
    }

    fn run_all(&mut self) -> Result<(), Failure> {
        // Before the first results, a signal ends the program.
        loop {
            let next = agreed(self.ranks, 0, self.host.cadence.is_due_between())?;
            if next.checkpoint && !self.done.is_empty() && self.restored.is_none() {
                self.save_between()?;
            }
            if next.signal.is_some() && self.built.is_some() {
                break;
            }
            let Some(group) = self.groups.next() else { break };
            let taken = match self.load(&group) {
                Ok(taken) => taken,
                Err(failure) if self.done.is_empty() || self.restored.is_some() => return Err(failure),
                Err(failure) => {
                    let failed = |job: &Job| RunningTrial::new(*job, self.points, None).failed(failure.to_string());
                    let failed: Vec<FinishedTrial> = group.iter().map(failed).collect();
                    self.done.extend(failed);
                    continue;
                }
            };
            let (group, rest) = group.split_at(taken);
            self.groups.put_back(rest);
            self.watch = None;
            if !self.has_begun {
                self.has_begun = true;
                self.begin(group)?;
            }
            self.run_group(group)?;
            if self.has_panicked {
                self.progress.clear();
                return Ok(());
            }
        }
        if let Some((device, _)) = &self.gpu {
            pipelines::store(device, self.args.quiet);
        }
        let is_whole = self.groups.is_empty() && self.done.iter().all(|done| done.completed || done.failure.is_some());
        self.interruption = agreed(self.ranks, 0, false)?.signal.filter(|_| !is_whole);
        if self.interruption.is_none() {
            // If the results cannot be written, they are not computed again.
            self.save_between()?;
        }
        self.progress.clear();
        Ok(())
    }

    /// Whether a signal wants the state to be saved, and it can be.
    fn must_save(&mut self) -> bool {
        self.saves_seen = interrupt::saves();
        if self.saves_seen == self.saves {
            return false;
        }
        if self.unfinished.is_some() {
            return true;
        }
        self.notice("a signal came to save the state, but there is no folder for it; name one with --out");
        self.saves = self.saves_seen;
        false
    }

    /// Prepares the first trials: a warm-up, if requested, and then the measurements of the run.
    fn begin(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let steps = self.points[jobs[0].point].network.checked_steps()?;
        if let (true, TrialDevice::Loaded(driver)) = (self.args.warm_up, &mut self.place) {
            let steps = steps.min(WARM_UP_EPOCHS * self.points[jobs[0].point].plan.epoch_steps);
            block_on(driver.simulation.advance_trials(steps))?;
            block_on(driver.simulation.restart())?;
            self.built = Some(self.started.elapsed());
        }
        // Until here all is as an earlier run has left it.
        if let (Some(run), Some(out)) = (self.new_run.take(), &self.args.out) {
            let unfinished = Unfinished::begin(out, self.ranks, &run)?;
            self.records = records(self.args, &self.points[0].plan, self.ranks, Some(&unfinished))?;
            self.unfinished = Some(unfinished);
        }
        self.cpu_profile.iter().for_each(|profile| profile.measure(true));
        let prints = !self.args.quiet && !self.args.json;
        let is_first = self.ranks.is_first();
        let monitor = self.args.monitor.filter(|_| is_first).map(|seconds| RunMonitor::new(seconds, self.started, prints));
        let state = self.monitored.take();
        self.monitor = monitor.map(|monitor| monitor.after(state.unwrap_or_default()));
        Ok(())
    }

    /// Runs the loaded trials to their end, until each has met a stop condition, or until a signal.
    fn run_group(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let steps = self.points[jobs[0].point].network.checked_steps()?;
        let mut group = self.start(jobs)?;
        let failure = match self.advance_to_panic(steps, &mut group).and_then(|()| self.save_end(&group)) {
            Ok(()) => None,
            Err(failure @ Failure::Output(_)) => return Err(failure),
            // Without the other ranks nothing more is run.
            Err(failure) if self.ranks.ended().is_some() => return Err(failure),
            Err(failure) if jobs.len() > 1 && !self.has_panicked => {
                self.notice(&format!("one of {} trials failed: each is run again separately ({failure})", jobs.len()));
                self.take_back()?;
                self.groups.part(jobs);
                return Ok(());
            }
            // Earlier results are kept.
            Err(failure) => Some(failure.to_string()),
        };
        self.has_failed = failure.is_some();
        self.records.flush()?;
        let TrialDevice::Loaded(driver) = &self.place else { return Ok(()) };
        let simulation = &driver.simulation;
        let kept = kept_from(self.args.keep, &group, simulation);
        self.records.drop_before(&kept)?;
        for (place, (trial, run)) in group.into_iter().zip(simulation.runs()).enumerate() {
            let kept_from = kept.get(place).map_or(0, |(_, from)| *from);
            self.done.push(FinishedTrial { kept_from, ..trial.finish(run, steps, failure.clone(), self.cells.as_ref()) });
        }
        if self.has_panicked {
            // Its threads may be gone: neither is it used again, nor does anything wait for them.
            std::mem::forget(std::mem::replace(&mut self.place, TrialDevice::Closed));
        }
        Ok(())
    }

    /// Runs up to `steps`. A panic is an error of the trials that run, whose results so far are written; with several ranks, which would wait for each
    /// other, it ends the program after what waits is written.
    fn advance_to_panic(&mut self, steps: u32, group: &mut [RunningTrial]) -> Result<(), Failure> {
        let advanced = panic::catch_unwind(AssertUnwindSafe(|| self.advance(steps, group)));
        advanced.unwrap_or_else(|payload| {
            self.has_panicked = true;
            if self.ranks.size() > 1 {
                _ = self.records.flush();
                panic::resume_unwind(payload);
            }
            Err(Failure::Run(format!("the program has panicked: {}; report this error", failure::of_panic(&*payload))))
        })
    }

    /// Runs up to `steps`, and records the results.
    fn advance(&mut self, steps: u32, group: &mut [RunningTrial]) -> Result<(), Failure> {
        // Of ranks that share the network the first one writes the results of all.
        let is_writer = self.ranks.is_first() || !self.ranks.share_network();
        let before_ms: f64 = self.done.iter().map(|done| done.time_ms).sum();
        let mut dropped = 0;
        if let TrialDevice::Loaded(driver) = &mut self.place
            && !driver.simulation.is_over()
        {
            driver.begin(Some(steps), None)?;
        }
        loop {
            self.host.must_save = self.must_save();
            let TrialDevice::Loaded(driver) = &mut self.place else { break };
            if !driver.is_running() {
                break;
            }
            let (start, spent) = (Instant::now(), self.ranks.spent());
            let Some(Batch { activities, .. }) = block_on(driver.batch(&mut self.host))? else {
                if self.host.cadence.is_on() || self.host.agreed.checkpoint {
                    self.save_running(group)?;
                }
                match self.host.agreed.signal {
                    Some(_) => break,
                    None => continue,
                }
            };
            self.simulated += start.elapsed();
            self.exchanged.add(spent, self.ranks.spent());
            let simulation = &driver.simulation;

            if self.first_spike.is_none() && activities.iter().any(|activity| !activity.spikes.is_empty()) {
                self.first_spike = Some(self.started.elapsed());
            }
            let now_ms: f64 = simulation.runs().iter().map(TrialRun::time_ms).sum();
            if let Some(monitor) = &mut self.monitor {
                monitor.count(&self.points[0].plan, &activities, before_ms + now_ms);
            }
            for ((trial, activity), run) in group.iter_mut().zip(&activities).zip(simulation.runs()) {
                trial.add(activity, run.step());
                if !is_writer {
                    continue;
                }
                self.records.add_statistics(trial.job, &activity.statistics)?;
                if self.args.out.is_some() {
                    self.records.add(trial.job, activity, trial.rows)?;
                    trial.rows += self.records.rows_of(activity);
                }
            }
            let kept = kept_from(self.args.keep, group, simulation);
            if let Some(from) = kept.iter().map(|(_, from)| *from).max()
                && from.saturating_sub(dropped) >= simulation.step() - from
            {
                // As much is dropped as is kept, so that each record is moved once.
                self.records.drop_before(&kept)?;
                dropped = from;
            }
            self.progress.show(before_ms + now_ms, self.simulated);
        }
        Ok(())
    }
}

/// The tables of a rank. What is dropped again stays in memory. Of ranks that share the network the first one writes the results of all.
fn records(args: &RunArguments, plan: &Plan, ranks: &Ranks, unfinished: Option<&Unfinished>) -> Result<Records, Failure> {
    let in_files = args.keep.is_none() && (ranks.is_first() || !ranks.share_network());
    Records::new(plan, unfinished.filter(|_| in_files).map(Unfinished::folder))
}
