//! The trials of a run: as many side by side as there is room for.

mod groups;

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::{Activity, Pacing, Point, Recorder, Simulation, SynapseState, Variant, time};
use spikelet_gpu::{Device, Monitor};

use crate::args::RunArguments;
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::jobs::Job;
use crate::output::{RunRecording, TrialRecording};
use crate::progress::Progress;
use crate::recover::DeviceRecovery;
use crate::report::{Backend, Changed, Statistic, Stopped, TrialResult};
use crate::signal::Signal;
use crate::{device, interrupt, jobs, terminal, tune};
use groups::Groups;

/// How long a batch of steps should take, in ms: signals and the progress bar wait for it.
const BATCH_MS: f64 = 50.0;

/// A trial that was run.
pub(crate) struct FinishedTrial {
    pub(crate) job: Job,
    pub(crate) recorder: Recorder,
    pub(crate) steps: u32,
    /// Its biological time.
    pub(crate) time_ms: f64,
    pub(crate) changed: Vec<Changed>,
    /// Why it ended before its time.
    pub(crate) stopped: Option<Stopped>,
    /// Why it broke off.
    pub(crate) failure: Option<String>,
    /// Whether it ran to its end.
    pub(crate) completed: bool,
    /// Statistics; all else only where files are written.
    activity: Activity,
}

impl FinishedTrial {
    fn new(job: Job, points: &[Point]) -> FinishedTrial {
        let (recorder, activity) = (Recorder::new(&points[job.point].plan), Activity::default());
        let (changed, stopped, failure, completed) = (Vec::new(), None, None, false);
        FinishedTrial { job, recorder, steps: 0, time_ms: 0.0, changed, stopped, failure, completed, activity }
    }

    /// What it comes to once its run is over, which was to have so many steps.
    fn finish(&mut self, run: &spikelet::TrialRun, steps: u32) {
        (self.steps, self.time_ms) = (run.step(), run.time_ms());
        self.stopped = run.stopped().map(|of| Stopped { condition: of.condition.clone(), time_ms: of.time_ms });
        if let Some(error) = run.failure() {
            self.failure.get_or_insert(error.to_string());
        }
        self.completed = self.failure.is_none() && (self.stopped.is_some() || self.steps >= steps);
        let changed = |of: &spikelet::Changed| Changed {
            time_ms: time::of_step(of.step, run.plan().dt_ms),
            path: of.path.clone(),
            value: of.value.clone(),
        };
        self.changed = run.changed().iter().map(changed).collect();
    }

    /// The line of the report that is its own.
    pub(crate) fn result(&self, point: &Point) -> TrialResult {
        let rates = self.recorder.populations(self.time_ms).into_iter().map(|population| (population.name, population.rate_hz));
        TrialResult {
            values: point.values.clone(),
            trial: self.job.trial,
            time_ms: self.time_ms,
            spikes: self.recorder.spikes(),
            spikes_hash: self.recorder.spikes_hash(),
            rates_hz: rates.collect(),
            completed: self.completed,
            failure: self.failure.clone(),
            stopped: self.stopped.clone(),
            statistics: Statistic::of(&point.plan, &self.activity.statistics),
        }
    }
}

/// What the trials run on.
enum TrialDevice {
    Closed,
    Open(Box<dyn spikelet::Backend>),
    Loaded(Simulation),
}

/// The trials of a run.
pub(crate) struct Trials<'a> {
    args: &'a RunArguments,
    points: &'a [Point],
    started: Instant,
    groups: Groups,
    place: TrialDevice,
    backend: Option<Backend>,
    /// The GPU that it is, and what that says of itself.
    gpu: Option<(Device, Monitor)>,
    recover: Option<DeviceRecovery<'a>>,
    done: Vec<FinishedTrial>,
    /// What synapses have learnt, where that is to be kept.
    learned: Vec<SynapseState>,
    built: Option<Duration>,
    simulated: Duration,
    first_spike: Option<Duration>,
    progress: Progress,
    pacing: Pacing,
    /// What ends the program at a signal until the first trials stand ready.
    watch: Option<InterruptGuard>,
    /// The signal that broke it off.
    interruption: Option<Signal>,
}

impl<'a> Trials<'a> {
    pub(crate) fn new(
        args: &'a RunArguments,
        points: &'a [Point],
        started: Instant,
        watch: InterruptGuard,
    ) -> Result<Trials<'a>, Failure> {
        let jobs = jobs::all(args, points)?;
        let total_ms: f64 = jobs.iter().map(|job| points[job.point].network.duration_ms).sum();
        let trials = Trials {
            args,
            points,
            started,
            groups: Groups::new(points, jobs)?,
            place: TrialDevice::Closed,
            backend: None,
            gpu: None,
            recover: None,
            done: Vec::new(),
            learned: Vec::new(),
            built: None,
            simulated: Duration::ZERO,
            first_spike: None,
            progress: Progress::new(total_ms, args.quiet),
            pacing: Pacing::new(BATCH_MS),
            watch: Some(watch),
            interruption: None,
        };
        trials.groups.notice(points).iter().for_each(|notice| trials.notice(notice));
        Ok(trials)
    }

    fn notice(&self, sentence: &str) {
        if !self.args.quiet {
            terminal::notice(&sentence);
        }
    }

    /// Runs all of them, or as far as a signal lets it. A trial that fails leaves the others alone.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        // Where a signal comes before anything is recorded, the watch ends the program.
        while interrupt::asked().is_none() || self.watch.is_some() {
            let Some(group) = self.groups.next() else { break };
            let taken = match self.load(&group) {
                Ok(taken) => taken,
                Err(failure) if self.done.is_empty() => return Err(failure),
                Err(failure) => {
                    let failed =
                        |job: &Job| FinishedTrial { failure: Some(failure.to_string()), ..FinishedTrial::new(*job, self.points) };
                    self.done.extend(group.iter().map(failed));
                    continue;
                }
            };
            let (group, rest) = group.split_at(taken);
            self.groups.put_back(rest);
            self.watch = None;
            self.run_group(group)?;
        }
        let is_whole = self.groups.is_empty() && self.done.iter().all(|done| done.completed || done.failure.is_some());
        self.interruption = interrupt::asked().filter(|_| !is_whole);
        self.progress.clear();
        self.done.sort_by_key(|done| done.job);
        Ok(())
    }

    /// Puts as many of these trials onto the device as it takes, the first ones; tells how many.
    fn load(&mut self, jobs: &[Job]) -> Result<usize, Failure> {
        let (mut count, mut why) = (jobs.len(), None);
        loop {
            self.open()?;
            if self.built.is_none()
                && self.backend.as_ref().is_some_and(|backend| backend.kind == "cpu")
                && let Some((room, sentence)) = groups::room(&self.points[jobs[0].point].plan, self.args.memory)
                && room < count
            {
                (count, why) = (room, Some(sentence));
            }
            match self.put(&jobs[..count]) {
                Ok(()) => break,
                Err(error) if count == 1 => return Err(error),
                Err(error) => (count, why) = (count.div_ceil(2), Some(error.to_string())),
            }
        }
        self.built.get_or_insert(self.started.elapsed());
        if let Some(why) = why {
            self.notice(&format!("{count} of {} trials run in parallel, and the others after them: {why}", jobs.len()));
            self.groups.limit(count);
        }
        Ok(count)
    }

    /// Chooses a device, where none is open.
    fn open(&mut self) -> Result<(), Failure> {
        if let TrialDevice::Closed = self.place {
            let Point { network, plan, .. } = &self.points[0];
            let chosen = tune::tuned(self.args, network, plan, device::choose(self.args)?)?;
            self.recover.get_or_insert_with(|| DeviceRecovery::new(self.args, &chosen));
            self.gpu = chosen.gpu;
            let (kind, name, threads, reason) = (chosen.kind.to_string(), chosen.name, chosen.threads, chosen.reason);
            self.backend = Some(Backend { kind, name, threads, reason });
            self.place = TrialDevice::Open(chosen.backend);
        }
        Ok(())
    }

    /// Loads trials; a device that refuses them is closed.
    fn put(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let variant = |job: &Job| {
            let Point { network, plan, .. } = &self.points[job.point];
            Variant { network: network.clone(), plan: plan.clone(), trial: job.trial }
        };
        let variants: Vec<Variant> = jobs.iter().map(variant).collect();
        let simulation = match std::mem::replace(&mut self.place, TrialDevice::Closed) {
            TrialDevice::Loaded(mut simulation) => {
                block_on(simulation.load(variants))?;
                simulation
            }
            TrialDevice::Open(backend) => block_on(Simulation::of_trials(variants, backend))?,
            TrialDevice::Closed => return Err(Failure::Run("there is no device for the trials; report this error".into())),
        };
        self.place = TrialDevice::Loaded(simulation);
        Ok(())
    }

    /// Runs what is loaded to its end, or until one of the conditions holds in each, or until a signal.
    fn run_group(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let steps = jobs::steps(&self.points[jobs[0].point].network)?;
        let mut group: Vec<FinishedTrial> = jobs.iter().map(|job| FinishedTrial::new(*job, self.points)).collect();
        match self.advance(steps, &mut group).and_then(|()| self.learn()) {
            Ok(()) => {}
            Err(failure) if jobs.len() > 1 => {
                self.notice(&format!("one of {} trials failed: each is run again separately ({failure})", jobs.len()));
                self.groups.part(jobs);
                return Ok(());
            }
            // What was recorded before stays.
            Err(failure) => group[0].failure = Some(failure.to_string()),
        }
        let TrialDevice::Loaded(simulation) = &self.place else { return Ok(()) };
        group.iter_mut().zip(simulation.runs()).for_each(|(done, run)| done.finish(run, steps));
        self.done.append(&mut group);
        Ok(())
    }

    /// Runs up to `steps`, and takes down what happens.
    fn advance(&mut self, steps: u32, group: &mut [FinishedTrial]) -> Result<(), Failure> {
        let (TrialDevice::Loaded(simulation), Some(recover)) = (&mut self.place, &mut self.recover) else { return Ok(()) };
        let before_ms: f64 = self.done.iter().map(|done| done.time_ms).sum();
        while simulation.step() < steps && !simulation.is_over() {
            // What the device has begun is heard, so that all ends at one step.
            let (left, begun) = (steps - simulation.step(), simulation.device_step().saturating_sub(simulation.step()));
            let batch = match interrupt::asked() {
                None => self.args.batch_steps.map_or_else(|| self.pacing.steps(), NonZeroU32::get).min(left),
                Some(_) if begun > 0 => begun.min(left),
                Some(_) => break,
            };
            // While this batch is written down, the device has the next; none goes beyond the end.
            simulation.begin_ahead(u32::from(left >= 2 * batch && interrupt::asked().is_none()));
            let start = Instant::now();
            let activities = recover.attempt(simulation, |simulation| block_on(simulation.advance_trials(batch)))?;
            self.pacing.record(batch, batch, start.elapsed().as_secs_f64() * 1000.0);
            recover.keep(simulation)?;
            self.simulated += start.elapsed();

            if self.first_spike.is_none() && activities.iter().any(|activity| !activity.spikes.is_empty()) {
                self.first_spike = Some(self.started.elapsed());
            }
            for (done, mut activity) in group.iter_mut().zip(activities) {
                done.recorder.add(&activity.spikes);
                done.activity.statistics.append(&mut activity.statistics);
                if self.args.out.is_some() {
                    done.activity.spikes.append(&mut activity.spikes);
                    done.activity.samples.append(&mut activity.samples);
                }
            }
            let now_ms: f64 = simulation.runs().iter().map(spikelet::TrialRun::time_ms).sum();
            self.progress.show(before_ms + now_ms, self.simulated);
        }
        Ok(())
    }

    /// Takes down what synapses have learnt, where that is to be kept.
    fn learn(&mut self) -> Result<(), Failure> {
        let (TrialDevice::Loaded(simulation), Some(recover)) = (&mut self.place, &mut self.recover) else { return Ok(()) };
        if self.args.save_weights.is_some() {
            self.learned = recover.attempt(simulation, |simulation| block_on(at_its_end(simulation)))?;
        }
        Ok(())
    }

    /// Those that were run, in the order of points and trials.
    pub(crate) fn done(&self) -> &[FinishedTrial] {
        &self.done
    }

    /// What synapses have learnt, where that is to be kept.
    pub(crate) fn learned(&self) -> &[SynapseState] {
        &self.learned
    }

    /// The device.
    pub(crate) fn backend(&self) -> Option<&Backend> {
        self.backend.as_ref()
    }

    /// The same, where it is a GPU, and what that says of itself.
    pub(crate) fn gpu(&self) -> Option<&(Device, Monitor)> {
        self.gpu.as_ref()
    }

    /// What happened to the device, a sentence each.
    pub(crate) fn notices(&self) -> &[String] {
        self.recover.as_ref().map_or(&[], |recover| &recover.notices)
    }

    /// Wall time until the first trials stood ready.
    pub(crate) fn built(&self) -> Duration {
        self.built.unwrap_or_default()
    }

    /// Wall time of all trials, without building.
    pub(crate) fn simulated(&self) -> Duration {
        self.simulated
    }

    /// Wall time until the first spike was known.
    pub(crate) fn first_spike(&self) -> Option<Duration> {
        self.first_spike
    }

    /// The signal that broke it off.
    pub(crate) fn interruption(&self) -> Option<Signal> {
        self.interruption
    }

    /// All spikes and samples, for files.
    pub(crate) fn recording(&mut self) -> RunRecording {
        let plan = &self.points[0].plan;
        let of = |done: &mut FinishedTrial| TrialRecording {
            variant: done.job.point as u32,
            trial: done.job.trial,
            activity: std::mem::take(&mut done.activity),
        };
        RunRecording {
            dt_ms: plan.dt_ms,
            populations: plan.populations.iter().map(|p| (p.name.clone(), p.first)).collect(),
            channels: plan.channels.iter().map(|channel| format!("{} ({})", channel.label, channel.unit)).collect(),
            statistics: plan.statistics.clone(),
            variants: if self.args.sweep.is_empty() {
                Vec::new()
            } else {
                self.points.iter().map(|p| p.values.clone()).collect()
            },
            trials: self.done.iter_mut().map(of).collect(),
        }
    }
}

/// What synapses had learnt in the last step of a run. The device may have gone on beyond the step in which a condition ended the run:
/// then it runs up to there once more.
async fn at_its_end(simulation: &mut Simulation) -> Result<Vec<SynapseState>, spikelet::Error> {
    if let Some(end) = simulation.stopped().map(|stopped| stopped.step)
        && end < simulation.device_step()
    {
        simulation.begin_ahead(0);
        simulation.restart().await?;
        simulation.advance(end).await?;
    }
    simulation.synapse_state(0).await
}
