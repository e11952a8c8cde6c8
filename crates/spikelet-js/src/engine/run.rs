//! The open network and its run.

use js_sys::{Float32Array, Uint8Array, Uint32Array};
use spikelet::{Activity, Error, Pacing, Recording, Recovery, Simulation, UntilCondition};

use super::built::Build;
use super::command_error::CommandError;
use super::measured::measured;
use super::real_time::{RealTime, SpeedLimit};
use super::run_profile::{RunConditions, RunMeasurement};
use super::spike_statistics::RunStatistics;
use super::summary;
use super::time::now_ms;
use crate::protocol::{BATCHES_IN_FLIGHT, Batch, Buffer, Changed, Event, Info, RunResult, State, StopReason};

/// Number of batches that a GPU begins in advance.
const BATCHES_AHEAD: u32 = 2;

/// Target wall time of a batch, in ms: long enough to hide its overhead, short enough for commands and frames.
const BATCH_MS: f64 = 12.0;

/// Maximum number of steps per batch.
const MAX_STEPS: u32 = 1 << 14;

/// Tolerance of a duration in steps: the rounding error of a sum of times.
const SAME_STEP: f64 = 1e-6;

/// The open network.
pub(super) struct OpenNetwork {
    pub(super) simulation: Simulation,
    pub(super) build: Build,
    pub(super) recovery: Recovery,
    pub(super) statistics: RunStatistics,
    /// The current run.
    under_way: Option<ActiveRun>,
    /// Its device failed, or its state became infinite or NaN: it can be read, and a reset starts it again.
    pub(super) broken: bool,
    pacing: Pacing,
    real_time: RealTime,
    speed: SpeedLimit,
    /// End of the last batch, or start of the run.
    since_ms: f64,
    /// Number of the last batch posted, and of the last one acknowledged.
    posted: u32,
    taken: u32,
    /// Number of changes of the network that were reported.
    changes_emitted: usize,
}

/// A requested run.
struct ActiveRun {
    /// The number of its request.
    id: Option<u32>,
    first: u32,
    /// One past its last step, if known.
    end: Option<u32>,
    until: Option<RunCondition>,
}

/// The condition that ends the run.
struct RunCondition {
    text: String,
    until: UntilCondition,
}

/// Reply to the request of a run.
pub(super) type RunEnd = (Option<u32>, RunResult);

impl OpenNetwork {
    /// A network after its build, at t = 0, whose spikes are measured from a time in ms on, if at all.
    pub(super) fn new(simulation: Simulation, build: Build, measured_from: Option<f64>) -> OpenNetwork {
        let statistics = RunStatistics::new(measured_from, &simulation);
        let (recovery, since_ms, real_time) = (Recovery::new(now_ms()), now_ms(), RealTime::default());
        let pacing = Pacing::new(BATCH_MS).at_most(MAX_STEPS);
        let speed = SpeedLimit::none(simulation.plan().dt_ms);
        let (under_way, broken, posted, taken, changes_emitted) = (None, false, 0, 0, 0);
        OpenNetwork {
            simulation,
            build,
            recovery,
            statistics,
            under_way,
            broken,
            pacing,
            real_time,
            speed,
            since_ms,
            posted,
            taken,
            changes_emitted,
        }
    }

    /// The description of the open network.
    pub(super) fn info(&self) -> Info {
        summary::info(&self.simulation, self.build.backend(), self.build.seconds, self.buffers())
    }

    /// Its memory.
    pub(super) fn buffers(&self) -> Vec<Buffer> {
        summary::buffers(self.simulation.plan(), self.simulation.runs().len(), self.build.gpu().map(|(_, monitor)| monitor))
    }

    pub(super) fn is_running(&self) -> bool {
        self.under_way.is_some()
    }

    /// Wall time in ms until the next batch; none if it waits for something else.
    pub(super) fn wait_ms(&self) -> Option<f64> {
        let is_ready = self.is_running() && self.posted.wrapping_sub(self.taken) < BATCHES_IN_FLIGHT;
        let (now_ms, left) = (now_ms(), self.left());
        is_ready.then(|| {
            if self.speed.steps(now_ms, left) > 0 { 0.0 } else { self.speed.wait_ms(now_ms, left).max(f64::MIN_POSITIVE) }
        })
    }

    /// Limits the speed, if one is given.
    pub(super) fn limit_speed(&mut self, speed: Option<f64>) -> Result<(), CommandError> {
        let speed = speed.unwrap_or(f64::INFINITY);
        if speed.is_nan() || speed <= 0.0 {
            let expected = "a speed must be above 0: 1 is real time";
            return Err(CommandError::invalid("speed", speed, expected, "for example 0.1, or none for no limit"));
        }
        self.speed.set(speed, now_ms());
        self.follow_device();
        Ok(())
    }

    /// Steps until the end of the run.
    fn left(&self) -> u32 {
        self.under_way.as_ref().and_then(|run| run.end).map_or(u32::MAX, |end| end - self.simulation.step())
    }

    /// Whether it runs until a condition is true.
    pub(super) fn is_conditional(&self) -> bool {
        self.under_way.as_ref().is_some_and(|run| run.until.is_some())
    }

    /// Acknowledges all batches up to this one.
    pub(super) fn acknowledge(&mut self, batch: u32) {
        self.taken = batch;
    }

    /// Begins a run.
    pub(super) fn start(&mut self, id: Option<u32>, ms: Option<f64>, until: Option<String>) -> Result<(), CommandError> {
        if self.is_running() {
            return Err(CommandError::Running);
        }
        if self.broken {
            return Err(CommandError::Broken);
        }
        if let Some(stopped) = self.simulation.stopped() {
            return Err(CommandError::Ended { condition: stopped.condition.clone(), time_ms: stopped.time_ms });
        }
        let (first, dt_ms) = (self.simulation.step(), self.simulation.plan().dt_ms);
        let end = ms.map(|ms| steps(ms, dt_ms, first)).transpose()?.map(|steps| first + steps);
        let condition =
            |text: String| -> Result<RunCondition, Error> { Ok(RunCondition { until: self.simulation.until(&text)?, text }) };
        let until = until.map(condition).transpose()?;
        self.since_ms = now_ms();
        self.speed.start(self.since_ms);
        self.under_way = Some(ActiveRun { id, first, end, until });
        // The device stays where the run ends.
        self.simulation.begin_ahead_until(end.unwrap_or(u32::MAX));
        self.follow_device();
        Ok(())
    }

    /// A GPU works ahead while the page processes results, unless steps may have to be undone or the speed is limited; the CPU cannot.
    pub(super) fn follow_device(&mut self) {
        let batches = if self.build.is_gpu() && !self.is_conditional() && !self.speed.is_limited() { BATCHES_AHEAD } else { 0 };
        self.simulation.begin_ahead(batches);
    }

    /// The index of a trial.
    pub(super) fn trial(&self, number: u32) -> Result<usize, CommandError> {
        let count = self.simulation.runs().len();
        if (number as usize) < count {
            return Ok(number as usize);
        }
        let expected = format!("the network has {count}, counted from 0");
        Err(CommandError::invalid("trial", number, expected, "use one of these"))
    }

    /// Why the run ends now, if it does.
    pub(super) fn stop_reason(&self, held: bool) -> Option<StopReason> {
        let run = self.under_way.as_ref()?;
        if self.simulation.stopped().is_some() {
            Some(StopReason::Stopped)
        } else if held {
            Some(StopReason::Condition)
        } else {
            run.end.is_some_and(|end| self.simulation.step() >= end).then_some(StopReason::Time)
        }
    }

    /// Ends the run, if there is one.
    pub(super) fn end(&mut self, because: StopReason) -> Option<RunEnd> {
        let ActiveRun { id, first, until, .. } = self.under_way.take()?;
        let condition = match because {
            StopReason::Condition => until.map(|condition| condition.text),
            StopReason::Stopped => self.stopped(),
            StopReason::Time | StopReason::Paused | StopReason::Moved => None,
        };
        // After a move, the reply contains the new time only.
        let (time_ms, steps) = (self.simulation.time_ms(), self.simulation.step().saturating_sub(first));
        Some((id, RunResult { time_ms, steps, because, condition }))
    }

    /// Runs a batch and posts its results; returns whether the condition of the run is true.
    pub(super) async fn batch(&mut self) -> Result<(Vec<Event>, bool), Error> {
        let steps = self.speed.steps(now_ms(), self.left());
        // The limit may have changed since the batch was due.
        if steps == 0 { Ok((Vec::new(), false)) } else { self.advance(self.pacing.steps().min(steps)).await }
    }

    /// Posts the results of steps that the device has already computed, so that it has the state that the page sees.
    pub(super) async fn catch_up_with_device(&mut self) -> Result<(Vec<Event>, bool), Error> {
        let device = self.simulation.device_step();
        self.simulation.begin_ahead_until(device);
        match device - self.simulation.step() {
            0 => Ok((Vec::new(), false)),
            // Results after the step of the condition are posted when the run continues.
            _ if !self.is_running() || self.is_conditional() => Ok((Vec::new(), false)),
            steps => self.advance(steps).await,
        }
    }

    /// Moves the device to the step that the page sees, before the state is read or changed: after a condition within a batch, the device
    /// is ahead. During a run it may be a few batches ahead.
    pub(super) async fn align_device(&mut self) -> Result<(), Error> {
        if self.is_running() || self.broken { Ok(()) } else { self.simulation.rewind().await }
    }

    /// The complete state as a file.
    pub(super) async fn snapshot(&mut self) -> Result<Uint8Array, CommandError> {
        self.align_device().await?;
        let snapshot = self.simulation.snapshot().await?;
        Ok(Uint8Array::from(snapshot.to_bytes().as_slice()))
    }

    /// The profile of all runs as JSON.
    pub(super) async fn profile(&self) -> Result<String, CommandError> {
        let Build { measurement, threads, code, .. } = &self.build;
        let backend = self.build.backend();
        let run = RunConditions {
            plan: self.simulation.plan(),
            trials: self.simulation.runs().len() as u32,
            threads: backend.threads as usize,
            max_threads: threads.most,
            has_requested_workgroup_size: code.workgroup_size.is_some(),
        };
        measurement.as_ref().ok_or_else(RunMeasurement::missing)?.json(run, self.build.gpu()).await
    }

    /// Replaces the recordings.
    pub(super) async fn record(&mut self, recordings: Vec<Recording>) -> Result<(), CommandError> {
        // It may work ahead again.
        let end = self.under_way.as_ref().and_then(|run| run.end);
        let done = self.simulation.record(recordings).await;
        self.simulation.begin_ahead_until(end.unwrap_or(u32::MAX));
        Ok(done?)
    }

    async fn advance(&mut self, steps: u32) -> Result<(Vec<Event>, bool), Error> {
        let firsts: Vec<u32> = self.simulation.runs().iter().map(spikelet::TrialRun::step).collect();
        let (before_ms, began) = (self.simulation.time_ms(), now_ms());
        let condition = self.under_way.as_mut().and_then(|run| run.until.as_mut());
        let (activities, held) = match condition {
            Some(condition) => self.simulation.advance_until(steps, &mut condition.until).await?,
            None => (self.simulation.advance_trials(steps).await?, false),
        };
        let ended = now_ms();
        let passed = self.simulation.step() - firsts.iter().copied().max().unwrap_or_default();
        self.pacing.record(steps, passed, ended - began);
        self.speed.passed(passed, ended);
        self.real_time.passed(ended - self.since_ms, self.simulation.time_ms() - before_ms);
        if let Some(measurement) = &mut self.build.measurement {
            let steps = self.simulation.runs().iter().zip(&firsts).map(|(run, first)| u64::from(run.step() - first)).sum();
            measurement.add(steps, &activities, ended - self.since_ms);
        }
        self.since_ms = ended;
        self.posted = self.posted.wrapping_add(1);
        let mut events = Vec::new();
        for (trial, (activity, first)) in activities.iter().zip(firsts).enumerate() {
            self.statistics.add(trial, &activity.spikes, self.simulation.runs()[trial].step());
            events.extend(self.batch_of(trial, first, activity).map(Event::Batch));
            events.extend(measured(trial as u32, self.simulation.plan(), &activity.statistics).map(Event::Measured));
        }
        events.extend(self.changes());
        Ok((events, held))
    }

    /// The results of a trial; none if it has ended before.
    fn batch_of(&self, trial: usize, first_step: u32, activity: &Activity) -> Option<Batch> {
        let run = &self.simulation.runs()[trial];
        let (neurons, at): (Vec<u32>, Vec<u32>) = activity.spikes.iter().map(|spike| (spike.neuron, spike.step)).unzip();
        (run.step() > first_step).then(|| Batch {
            number: self.posted,
            trial: trial as u32,
            first_step,
            steps: run.step() - first_step,
            time_ms: run.time_ms(),
            real_time_factor: self.real_time.factor(),
            spike_neurons: Uint32Array::from(neurons.as_slice()),
            spike_steps: Uint32Array::from(at.as_slice()),
            samples: Float32Array::from(activity.samples.as_slice()),
        })
    }

    /// Changes of the network that the posted steps include and that were not reported before.
    fn changes(&mut self) -> Vec<Event> {
        let changed = self.simulation.changed();
        let seen = changed.partition_point(|changed| changed.step < self.simulation.step());
        let new = changed.get(self.changes_emitted..seen).unwrap_or_default();
        let events =
            new.iter().map(|changed| Event::Changed(self.changed(changed.path.clone(), changed.step, true, None))).collect();
        self.changes_emitted = seen;
        events
    }

    /// The current value of a parameter.
    pub(super) fn changed(&self, path: String, step: u32, scheduled: bool, text: Option<String>) -> Changed {
        let value = summary::parameter(&self.simulation, &path).map_or(f64::NAN, |parameter| parameter.value);
        Changed { value, step, path, scheduled, text }
    }

    /// Returns it to its start, if it is not running. Reports changes of the network that were undone.
    pub(super) async fn restart(&mut self) -> Result<Vec<Event>, Error> {
        let emitted = self.simulation.changed().iter().take(self.changes_emitted);
        let mut undone: Vec<String> = emitted.map(|changed| changed.path.clone()).collect();
        undone.sort_unstable();
        undone.dedup();
        self.simulation.restart().await?;
        self.moved();
        Ok(undone.into_iter().map(|path| Event::Changed(self.changed(path, 0, true, None))).collect())
    }

    /// Its time was set.
    pub(super) fn moved(&mut self) {
        let changed = self.simulation.changed();
        self.changes_emitted = changed.partition_point(|changed| changed.step < self.simulation.step());
        self.statistics.begin(&self.simulation);
    }

    /// Whether it runs, and its time; whether its time was set (`moved`).
    pub(super) fn state(&self, moved: bool) -> Event {
        self.state_after(moved, false)
    }

    /// The same; whether its time was set within the same run (`rewound`).
    pub(super) fn state_after(&self, moved: bool, rewound: bool) -> Event {
        let (running, time_ms, stopped) = (self.is_running(), self.simulation.time_ms(), self.stopped());
        Event::State(State { running, time_ms, moved, rewound, stopped })
    }

    fn stopped(&self) -> Option<String> {
        self.simulation.stopped().map(|stopped| stopped.condition.clone())
    }
}

/// A time in steps.
fn steps(ms: f64, dt_ms: f64, first: u32) -> Result<u32, CommandError> {
    let steps = ms / dt_ms;
    if !(ms.is_finite() && ms >= 0.0) {
        let expected = "a duration must be a finite number of milliseconds, 0 or more";
        return Err(CommandError::invalid("ms", ms, expected, "for example 1000, or none to run until it is paused"));
    }
    if (steps - steps.round()).abs() > SAME_STEP {
        let expected = format!("a duration must be a whole number of steps, and dt_ms is {dt_ms}");
        let [below, above] = [steps.floor(), steps.ceil()].map(|steps| (steps * dt_ms * 1e9).round() / 1e9);
        return Err(CommandError::invalid("ms", ms, expected, format!("the nearest ones are {below} and {above}")));
    }
    let most = i32::MAX as u32 - first;
    if steps.round() > f64::from(most) {
        let expected = format!("a run has at most {} steps, which leaves {most} of {dt_ms} ms", i32::MAX);
        return Err(CommandError::invalid("ms", ms, expected, "reset it, or run it for a shorter time"));
    }
    Ok(steps.round() as u32)
}
