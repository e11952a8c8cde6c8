//! The open network and its run.

use js_sys::{Float32Array, Uint8Array, Uint32Array};
use spikelet::{Activity, Driver, Error, Pacing, Recording, RunEnd, Simulation};

use super::built::Build;
use super::command_error::CommandError;
use super::devices::EngineDevices;
use super::host::RunHost;
use super::measured::measured;
use super::real_time::{RealTime, SpeedLimit};
use super::run_profile::{RunConditions, RunMeasurement};
use super::spike_statistics::RunStatistics;
use super::summary;
use super::time::now_ms;
use crate::protocol::{BATCHES_IN_FLIGHT, Batch, Buffer, Changed, Event, Info, RunResult, State, StopReason};

/// Target wall time of a batch, in ms: long enough to hide its overhead, short enough for commands and frames.
const BATCH_MS: f64 = 12.0;

/// Maximum number of steps per batch.
const MAX_STEPS: u32 = 1 << 14;

/// The open network.
pub(super) struct OpenNetwork {
    pub(super) driver: Driver,
    pub(super) build: Build,
    pub(super) statistics: RunStatistics,
    /// The current run.
    under_way: Option<ActiveRun>,
    /// Its device failed, or its state became infinite or NaN: it can be read, and a reset starts it again.
    pub(super) broken: bool,
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
    /// The condition that ends it.
    until: Option<String>,
}

/// The events of a batch, and why the run ends with it, if it does.
pub(super) type Posted = (Vec<Event>, Option<RunEnd>);

/// Reply to the request of a run.
pub(super) type RunReply = (Option<u32>, RunResult);

impl OpenNetwork {
    /// A network after its build, at t = 0, whose spikes are measured from a time in ms on, if at all.
    pub(super) fn new(simulation: Simulation, build: Build, measured_from: Option<f64>) -> OpenNetwork {
        let statistics = RunStatistics::new(measured_from, &simulation);
        let (since_ms, real_time) = (now_ms(), RealTime::default());
        let speed = SpeedLimit::none(simulation.plan().dt_ms);
        let driver = Driver::new(simulation, Pacing::new(BATCH_MS).at_most(MAX_STEPS));
        let (under_way, broken, posted, taken, changes_emitted) = (None, false, 0, 0, 0);
        OpenNetwork { driver, build, statistics, under_way, broken, real_time, speed, since_ms, posted, taken, changes_emitted }
    }

    /// The description of the open network.
    pub(super) fn info(&self) -> Info {
        self.build.info(&self.driver.simulation)
    }

    /// Its memory.
    pub(super) fn buffers(&self) -> Vec<Buffer> {
        self.build.buffers(&self.driver.simulation)
    }

    pub(super) fn is_running(&self) -> bool {
        self.under_way.is_some()
    }

    /// Wall time in ms until the next batch; none if it waits for something else.
    pub(super) fn wait_ms(&self) -> Option<f64> {
        let is_ready = self.is_running() && self.posted.wrapping_sub(self.taken) < BATCHES_IN_FLIGHT;
        let (now_ms, left) = (now_ms(), self.driver.steps_left());
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
        Ok(())
    }

    /// Acknowledges all batches up to this one.
    pub(super) fn acknowledge(&mut self, batch: u32) {
        self.taken = batch;
    }

    /// Begins a run; returns why it ends at once, if it does.
    pub(super) fn start(
        &mut self,
        id: Option<u32>,
        ms: Option<f64>,
        until: Option<String>,
    ) -> Result<Option<RunEnd>, CommandError> {
        if self.is_running() {
            return Err(CommandError::Running);
        }
        if self.broken {
            return Err(CommandError::Broken);
        }
        if let Some(stopped) = self.driver.simulation.stopped() {
            return Err(CommandError::Ended { condition: stopped.condition.clone(), time_ms: stopped.time_ms });
        }
        let first = self.driver.simulation.step();
        let end = ms.map(|ms| self.driver.simulation.steps_of("ms", ms)).transpose()?.map(|steps| first + steps);
        let condition = until.as_ref().map(|text| self.driver.simulation.until(text)).transpose()?;
        self.since_ms = now_ms();
        self.speed.start(self.since_ms);
        let over = self.driver.begin(end, condition)?;
        self.under_way = Some(ActiveRun { id, first, until });
        Ok(over)
    }

    /// The index of a trial.
    pub(super) fn trial(&self, number: u32) -> Result<usize, CommandError> {
        let count = self.driver.simulation.runs().len();
        if (number as usize) < count {
            return Ok(number as usize);
        }
        let expected = format!("the network has {count}, counted from 0");
        Err(CommandError::invalid("trial", number, expected, "use one of these"))
    }

    /// Ends the run, if there is one.
    pub(super) fn end(&mut self, because: StopReason) -> Option<RunReply> {
        let ActiveRun { id, first, until } = self.under_way.take()?;
        self.driver.finish();
        let condition = match because {
            StopReason::Condition => until,
            StopReason::Stopped => self.stopped(),
            StopReason::Time | StopReason::Paused | StopReason::Moved => None,
        };
        // After a move, the reply contains the new time only.
        let (time_ms, steps) = (self.driver.simulation.time_ms(), self.driver.simulation.step().saturating_sub(first));
        Some((id, RunResult { time_ms, steps, because, condition }))
    }

    /// What the run needs of the Worker.
    fn host<'a>(&'a mut self, machine: &'a mut EngineDevices) -> (&'a mut Driver, RunHost<'a>) {
        let (allowed, is_limited) = (self.speed.steps(now_ms(), self.driver.steps_left()), self.speed.is_limited());
        (&mut self.driver, RunHost { machine, build: &mut self.build, allowed, is_limited })
    }

    /// Runs a batch and posts its results; nothing if the speed limit has changed since it was due.
    pub(super) async fn batch(&mut self, machine: &mut EngineDevices) -> Result<Option<Posted>, Error> {
        let before_ms = self.driver.simulation.time_ms();
        let (driver, mut host) = self.host(machine);
        let batch = driver.batch(&mut host).await?;
        Ok(batch.map(|batch| self.post(batch, before_ms)))
    }

    /// Posts the results of steps that the device has already computed, so that it has the state that the page sees.
    pub(super) async fn catch_up_with_device(&mut self, machine: &mut EngineDevices) -> Result<Option<Posted>, Error> {
        let before_ms = self.driver.simulation.time_ms();
        let (driver, mut host) = self.host(machine);
        let batch = driver.catch_up(&mut host).await?;
        Ok(batch.map(|batch| self.post(batch, before_ms)))
    }

    /// Continues on another device after a loss, and reports it.
    pub(super) async fn resume(&mut self, machine: &mut EngineDevices, device: &str, why: &str) -> Result<(), Error> {
        let (driver, mut host) = self.host(machine);
        driver.replace_device(&mut host, device, why).await
    }

    /// Gives a failed run a working device, at its start.
    pub(super) async fn rebuild(&mut self, machine: &mut EngineDevices) -> Result<(), CommandError> {
        let OpenNetwork { driver, build, .. } = self;
        let choice = build.choice;
        let chosen = machine.choose_replacement(build, choice, driver.simulation.plan()).await?;
        driver.simulation.restart_on(chosen.backend).await?;
        self.broken = false;
        machine.emit(Event::Info(Box::new(self.info())));
        Ok(())
    }

    /// Moves the device to the step that the page sees, before the state is read or changed: after a condition within a batch, the device
    /// is ahead. During a run it may be a few batches ahead.
    pub(super) async fn align_device(&mut self) -> Result<(), Error> {
        if self.broken { Ok(()) } else { self.driver.align().await }
    }

    /// The complete state as a file.
    pub(super) async fn snapshot(&mut self) -> Result<Uint8Array, CommandError> {
        self.align_device().await?;
        let snapshot = self.driver.simulation.snapshot().await?;
        Ok(Uint8Array::from(snapshot.to_bytes().as_slice()))
    }

    /// The profile of all runs as JSON.
    pub(super) async fn profile(&self) -> Result<String, CommandError> {
        let Build { measurement, threads, code, .. } = &self.build;
        let backend = self.build.backend();
        let run = RunConditions {
            plan: self.driver.simulation.plan(),
            trials: self.driver.simulation.runs().len() as u32,
            threads: backend.threads as usize,
            max_threads: threads.most,
            has_requested_workgroup_size: code.workgroup_size.is_some(),
        };
        measurement.as_ref().ok_or_else(RunMeasurement::missing)?.json(run, self.build.gpu()).await
    }

    /// Replaces the recordings.
    pub(super) async fn record(&mut self, recordings: Vec<Recording>) -> Result<(), CommandError> {
        Ok(self.driver.simulation.record(recordings).await?)
    }

    /// The events of a batch that began at this biological time.
    fn post(&mut self, batch: spikelet::Batch, before_ms: f64) -> Posted {
        let (simulation, ended) = (&self.driver.simulation, now_ms());
        let spikelet::Batch { activities, first_steps, end, .. } = batch;
        let passed = simulation.step() - first_steps.iter().copied().max().unwrap_or_default();
        self.speed.passed(passed, ended);
        self.real_time.passed(ended - self.since_ms, simulation.time_ms() - before_ms);
        if let Some(measurement) = &mut self.build.measurement {
            let steps = simulation.runs().iter().zip(&first_steps).map(|(run, first)| u64::from(run.step() - first)).sum();
            measurement.add(steps, &activities, ended - self.since_ms);
        }
        self.since_ms = ended;
        self.posted = self.posted.wrapping_add(1);
        let mut events = Vec::new();
        for (trial, (activity, first)) in activities.iter().zip(first_steps).enumerate() {
            let simulation = &self.driver.simulation;
            self.statistics.add(trial, &activity.spikes, simulation.runs()[trial].step());
            events.extend(self.batch_of(trial, first, activity).map(Event::Batch));
            events.extend(measured(trial as u32, self.driver.simulation.plan(), &activity.statistics).map(Event::Measured));
        }
        events.extend(self.changes());
        (events, end)
    }

    /// The results of a trial; none if it has ended before.
    fn batch_of(&self, trial: usize, first_step: u32, activity: &Activity) -> Option<Batch> {
        let run = &self.driver.simulation.runs()[trial];
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
        let changed = self.driver.simulation.changed();
        let seen = changed.partition_point(|changed| changed.step < self.driver.simulation.step());
        let new = changed.get(self.changes_emitted..seen).unwrap_or_default();
        let events =
            new.iter().map(|changed| Event::Changed(self.changed(changed.path.clone(), changed.step, true, None))).collect();
        self.changes_emitted = seen;
        events
    }

    /// The current value of a parameter.
    pub(super) fn changed(&self, path: String, step: u32, scheduled: bool, text: Option<String>) -> Changed {
        let value = summary::parameter(&self.driver.simulation, &path).map_or(f64::NAN, |parameter| parameter.value);
        Changed { value, step, path, scheduled, text }
    }

    /// Returns it to its start, if it is not running. Reports changes of the network that were undone.
    pub(super) async fn restart(&mut self) -> Result<Vec<Event>, Error> {
        let emitted = self.driver.simulation.changed().iter().take(self.changes_emitted);
        let mut undone: Vec<String> = emitted.map(|changed| changed.path.clone()).collect();
        undone.sort_unstable();
        undone.dedup();
        self.driver.simulation.restart().await?;
        self.moved();
        Ok(undone.into_iter().map(|path| Event::Changed(self.changed(path, 0, true, None))).collect())
    }

    /// Its time was set.
    pub(super) fn moved(&mut self) {
        let changed = self.driver.simulation.changed();
        self.changes_emitted = changed.partition_point(|changed| changed.step < self.driver.simulation.step());
        self.statistics.begin(&self.driver.simulation);
    }

    /// Whether it runs, and its time; whether its time was set (`moved`).
    pub(super) fn state(&self, moved: bool) -> Event {
        self.state_after(moved, false)
    }

    /// The same; whether its time was set within the same run (`rewound`).
    pub(super) fn state_after(&self, moved: bool, rewound: bool) -> Event {
        let (running, time_ms, stopped) = (self.is_running(), self.driver.simulation.time_ms(), self.stopped());
        Event::State(State { running, time_ms, moved, rewound, stopped })
    }

    fn stopped(&self) -> Option<String> {
        self.driver.simulation.stopped().map(|stopped| stopped.condition.clone())
    }
}
