//! Snapshots of a simulation, and continuation from them.

use std::borrow::Cow;
use std::sync::Arc;

use spikelet_plan::{Activity, Backend, Precision, time};

use super::{Simulation, Stopped, TrialRun};
use crate::snapshot::{PlanPart, SavedArray, Snapshot, TrialState};
use crate::{ArrayId, ArrayKind, Error, Owner, Plan};

/// Maximum length of the log since the checkpoint, in entries and in words, before a new checkpoint is taken.
const LOG_ENTRIES: usize = 1000;
const LOG_WORDS: usize = 1 << 24;
/// Number of steps repeated at a time, whose results are discarded.
const SILENT_STEPS: u32 = 1000;

/// The data to continue on another device.
#[derive(Default)]
pub(super) struct Resume {
    /// Start of the repetition; `None` means the start of the run.
    checkpoint: Option<Checkpoint>,
    /// The trials at their start.
    beginning: Vec<TrialState>,
    /// The operations by the caller since then.
    log: Vec<LogEntry>,
}

/// A snapshot, with earlier results that have not been returned.
#[derive(Clone)]
struct Checkpoint {
    snapshot: Arc<Snapshot>,
    /// For each trial: the step up to which results were returned, and the stored results.
    unemitted: Vec<(u32, Activity)>,
}

/// An operation on a simulation by its caller.
#[derive(Clone)]
struct LogEntry {
    /// Before this step of the device.
    step: u32,
    what: Mutation,
}

#[derive(Clone)]
enum Mutation {
    Set {
        path: String,
        value: String,
    },
    Write {
        trial: usize,
        array: ArrayId,
        words: Vec<u32>,
    },
    /// In f64.
    Values {
        trial: usize,
        array: ArrayId,
        values: Vec<f64>,
    },
}

impl Resume {
    /// From the start of these trials.
    pub(super) fn of(runs: &[TrialRun]) -> Resume {
        Resume { checkpoint: None, beginning: runs.iter().map(beginning).collect(), log: Vec::new() }
    }

    fn is_long(&self) -> bool {
        let words = |log_entry: &LogEntry| match &log_entry.what {
            Mutation::Set { .. } => 0,
            Mutation::Write { words, .. } => words.len(),
            Mutation::Values { values, .. } => 2 * values.len(),
        };
        self.log.len() > LOG_ENTRIES || self.log.iter().map(words).sum::<usize>() > LOG_WORDS
    }

    /// Start of the repetition.
    fn checkpoint(&self, precision: Precision) -> Checkpoint {
        self.checkpoint.clone().unwrap_or_else(|| {
            let unemitted = vec![(0, Activity::default()); self.beginning.len()];
            Checkpoint { snapshot: Arc::new(snapshot_of(precision, Arc::new([]), self.beginning.clone())), unemitted }
        })
    }
}

/// A trial at its start.
fn beginning(run: &TrialRun) -> TrialState {
    let (changed, received, arrays) = (Vec::new(), Vec::new(), Vec::new());
    let now = run.history.version(&run.history.start, &run.start.1);
    let (number, network) = (run.number, run.history.built.0.clone());
    let (start, stopped, is_complete, recent) = (None, None, true, Vec::new());
    TrialState { number, step: 0, network, now, start, changed, conditions: received, stopped, is_complete, recent, arrays }
}

fn snapshot_of(precision: Precision, parts: Arc<[PlanPart]>, trials: Vec<TrialState>) -> Snapshot {
    Snapshot { program: env!("CARGO_PKG_VERSION").into(), precision, parts, trials }
}

impl Simulation {
    /// The complete dynamic state at [`Simulation::device_step`], to continue later, here or elsewhere.
    ///
    /// # Errors
    /// An error of the device; the run was ended by a condition, and the device is ahead; or a trial
    /// [failed](super::TrialRun::failure).
    pub async fn snapshot(&mut self) -> Result<Snapshot, Error> {
        match self.runs.iter().find_map(|run| run.failure.as_ref()) {
            Some(failure) => Err(failure.error.clone()),
            None => self.snapshot_of_all().await,
        }
    }

    /// The same, including failed trials.
    async fn snapshot_of_all(&mut self) -> Result<Snapshot, Error> {
        self.collect().await?;
        let mut trials = Vec::new();
        for trial in 0..self.runs.len() {
            // A trial that has ended while others continue stays at its end, independent of its arrays.
            if self.stopped().is_some() || !self.runs[trial].has_ended() {
                self.check_in_step(trial)?;
            }
            let plan = self.runs[trial].plan.clone();
            let mut arrays = Vec::new();
            for (array, entry) in plan.arrays().iter() {
                if entry.moves() || self.runs[trial].history.written.contains(&array) {
                    arrays.push(SavedArray { name: entry.path.clone(), words: self.backend.save(trial, array).await? });
                }
            }
            let run = &self.runs[trial];
            let is_start = Arc::ptr_eq(&run.plan, &run.start.1) && run.history.now == run.history.start;
            trials.push(TrialState {
                number: run.number,
                step: run.clipped(self.received),
                network: run.history.built.0.clone(),
                now: run.history.version(&run.history.now, &run.plan),
                start: (!is_start).then(|| run.history.version(&run.history.start, &run.start.1)),
                changed: run.changed.clone(),
                conditions: run.watch.progress(),
                stopped: run.end.clone(),
                is_complete: self.is_complete,
                recent: run.recent.clone(),
                arrays,
            });
        }
        Ok(snapshot_of(self.backend.precision(), self.runs[0].history.parts(), trials))
    }

    /// Continues from a snapshot of the same network. Values are those of the snapshot.
    ///
    /// # Errors
    /// The snapshot is of another network, with the difference; it is inconsistent, or of another precision; or an error of the device.
    pub async fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        snapshot.check(&self.runs[0].history.parts(), self.backend.precision())?;
        self.restore_arrays(snapshot, places).await?;
        self.runs.iter_mut().for_each(|run| run.failure = None);
        let unemitted = self.runs.iter().map(|run| (run.step, Activity::default())).collect();
        self.resume.checkpoint = Some(Checkpoint { snapshot: Arc::new(snapshot.clone()), unemitted });
        self.resume.log.clear();
        Ok(())
    }

    /// A simulation that continues from a snapshot of one trial. If the network names files of edges, or was built in another way than by
    /// [`Plan::new`], use [`Simulation::with_plan`] and [`Simulation::restore`].
    ///
    /// # Errors
    /// As [`Simulation::new`] and [`Simulation::restore`].
    pub async fn from_snapshot(snapshot: &Snapshot, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let mut simulation = Simulation::new(snapshot.network(), backend).await?;
        simulation.restore(snapshot).await?;
        Ok(simulation)
    }

    /// Stores a snapshot in memory, from which [`Simulation::resume_on`] continues. Without one it repeats from the start.
    ///
    /// # Errors
    /// As [`Simulation::snapshot`]; the previous checkpoint is then kept.
    pub async fn checkpoint(&mut self) -> Result<(), Error> {
        let snapshot = Arc::new(self.snapshot_of_all().await?);
        let unemitted = self.runs.iter().map(|run| (run.step, run.waiting.clone())).collect();
        self.resume.checkpoint = Some(Checkpoint { snapshot, unemitted });
        self.resume.log.clear();
        Ok(())
    }

    /// The step of the last checkpoint.
    pub fn checkpoint_step(&self) -> u32 {
        self.resume.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.step())
    }

    /// Continues on another device after a loss: loads the last checkpoint, and repeats up to the results of the last successful
    /// [`Simulation::advance`], with all values set and arrays written since. The caller sees no missing and no repeated results.
    ///
    /// # Errors
    /// An error of the new device; the call can be repeated with another one.
    pub async fn resume_on(&mut self, backend: Box<dyn Backend>) -> Result<(), Error> {
        self.backend = backend;
        self.begun.clear();
        self.repeat().await
    }

    /// Returns the device to [`Simulation::step`] if it is ahead, for example after a condition within a batch: reads, writes and sets then
    /// refer to that step. It repeats from the last [checkpoint](Simulation::checkpoint), or from the start.
    ///
    /// # Errors
    /// An error of the device; a value was set or written, or a checkpoint taken, while the device was ahead.
    pub async fn rewind(&mut self) -> Result<(), Error> {
        if self.device_step() == self.step() {
            return Ok(());
        }
        self.collect().await?;
        let (emitted, checkpoint) = (self.step(), self.checkpoint_step());
        let last = self.resume.log.last().map_or(checkpoint, |log_entry| log_entry.step.max(checkpoint));
        if last > emitted {
            let ms = |step: u32| time::of_step(step, self.plan().dt_ms);
            let sentence = format!(
                "the device is ahead and cannot return to {} ms, because a value was set or a checkpoint taken at {} ms; \
                 continue, or reset it",
                ms(emitted),
                ms(last)
            );
            return Err(Error::Backend(sentence));
        }
        self.repeat().await
    }

    /// Repeats from the last checkpoint to the last returned results.
    pub(super) async fn repeat(&mut self) -> Result<(), Error> {
        let (checkpoint, log) = (self.resume.checkpoint(self.backend.precision()), self.resume.log.clone());
        let emitted: Vec<u32> = self.runs.iter().map(|run| run.step).collect();
        let starts: Vec<_> = self.runs.iter().map(|run| (run.start.clone(), run.history.start.clone())).collect();
        let done = self.run_again(&checkpoint, &log, &emitted).await;
        // An error keeps the pending repetition.
        self.resume.log = log;
        if done.is_err() {
            for ((run, (start, settings)), step) in self.runs.iter_mut().zip(starts).zip(emitted) {
                (run.start, run.history.start, run.step) = (start, settings, step);
            }
        }
        done
    }

    async fn run_again(&mut self, checkpoint: &Checkpoint, log: &[LogEntry], emitted: &[u32]) -> Result<(), Error> {
        self.restore_arrays(&checkpoint.snapshot, places).await?;
        for (run, (step, waiting)) in self.runs.iter_mut().zip(&checkpoint.unemitted) {
            (run.step, run.waiting) = (*step, waiting.clone());
        }
        for LogEntry { step, what } in log {
            self.run_discarding(*step, emitted).await?;
            match what {
                Mutation::Set { path, value } => self.set(path, value).await?,
                Mutation::Write { trial, array, words } => self.write_trial(*trial, *array, words).await?,
                Mutation::Values { trial, array, values } => self.write_values(*trial, *array, values).await?,
            }
        }
        self.run_discarding(emitted.iter().copied().max().unwrap_or(0), emitted).await?;
        self.forget(emitted);
        Ok(())
    }

    /// Runs up to a step of the device; results that were returned before are discarded.
    async fn run_discarding(&mut self, until: u32, emitted: &[u32]) -> Result<(), Error> {
        while self.received < until && self.is_going_on() {
            let end = self.received + SILENT_STEPS.min(until - self.received);
            let look_ahead = std::mem::take(&mut self.look_ahead);
            let received = self.receive_epoch(SILENT_STEPS, end).await;
            self.look_ahead = look_ahead;
            received?;
            self.forget(emitted);
        }
        Ok(())
    }

    /// Discards results of each trial that were returned before.
    fn forget(&mut self, emitted: &[u32]) {
        // If no results were returned, the statistics of the start were not returned either.
        for (run, emitted) in self.runs.iter_mut().zip(emitted).filter(|(_, emitted)| **emitted > 0) {
            run.take_activity(self.received.min(*emitted).max(run.step));
        }
    }

    /// A new checkpoint if the log is long.
    pub(super) async fn shorten_log(&mut self) -> Result<(), Error> {
        let may = (0..self.runs.len()).all(|trial| self.check_in_step(trial).is_ok());
        if self.resume.is_long() && may { self.checkpoint().await } else { Ok(()) }
    }

    /// A value was set by the caller.
    pub(super) fn log_set(&mut self, path: &str, value: &str) {
        self.resume
            .log
            .push(LogEntry { step: self.received, what: Mutation::Set { path: path.to_owned(), value: value.to_owned() } });
    }

    /// An array was written by the caller.
    pub(super) fn log_write(&mut self, trial: usize, array: ArrayId, words: &[u32]) {
        let moves = self.runs[trial].plan.arrays()[array].moves();
        self.runs[trial].history.record_written(array, moves);
        self.resume.log.push(LogEntry { step: self.received, what: Mutation::Write { trial, array, words: words.to_vec() } });
    }

    /// Values of an array were set by the caller, in f64.
    pub(super) fn log_values(&mut self, trial: usize, array: ArrayId, values: &[f64]) {
        let moves = self.runs[trial].plan.arrays()[array].moves();
        self.runs[trial].history.record_written(array, moves);
        self.resume.log.push(LogEntry { step: self.received, what: Mutation::Values { trial, array, values: values.to_vec() } });
    }

    /// Moves to the snapshot, with its arrays at these indices.
    pub(super) async fn restore_arrays(
        &mut self,
        snapshot: &Snapshot,
        places: impl for<'a> Fn(&Plan, Precision, &'a TrialState) -> Result<Placed<'a>, Error>,
    ) -> Result<(), Error> {
        if snapshot.trials.len() != self.runs.len() {
            let (found, expected) = (snapshot.trials.len(), self.runs.len());
            let (found, expected) = (format!("of {found} trials"), format!("this simulation has {expected}"));
            return Err(Error::invalid(
                "the snapshot",
                found,
                expected,
                "restore it into a simulation with the same number of \
                trials",
            ));
        }
        let (mut versions, mut places_of) = (Vec::new(), Vec::new());
        for (place, (run, trial)) in self.runs.iter().zip(&snapshot.trials).enumerate() {
            // The fingerprint is that of the first; the other points of a sweep differ from it in their values. A snapshot from bytes has the
            // names of files, whose content the fingerprint covers.
            let built = &run.history.built.0;
            let is_same = || trial.network == *built || trial.network.to_json() == built.to_json();
            if place > 0 && !is_same() {
                let found = format!("whose trial {place} is of `{}` with other values", trial.network.name);
                let expected = "the trials of the simulation must be the same, in the same order";
                return Err(Error::invalid("the snapshot", found, expected, "restore it into the same trials"));
            }
            check_position(trial, run.schedule.len())?;
            let now = trial.now.of(&run.history.built.0, &run.history.built.1)?;
            let start = match &trial.start {
                Some(start) => start.of(&run.history.built.0, &run.history.built.1)?,
                None => now.clone(),
            };
            places_of.push(places(&now.1, snapshot.precision, trial)?);
            versions.push((now, start));
        }
        self.begun.clear();
        self.suspicious = false;
        for ((run, trial), (now, start)) in self.runs.iter_mut().zip(&snapshot.trials).zip(versions) {
            (run.network, run.plan) = now;
            run.start = start;
            (run.number, run.step) = (trial.number, trial.step);
            run.waiting = Activity::default();
            run.history.now.clone_from(&trial.now.settings);
            run.history.start.clone_from(&trial.start.as_ref().unwrap_or(&trial.now).settings);
            run.history.written.clear();
            run.changed.clone_from(&trial.changed);
            run.watch.resume(&trial.conditions);
            run.end.clone_from(&trial.stopped);
            run.recent.clone_from(&trial.recent);
        }
        let running = snapshot.trials.iter().filter(|trial| trial.stopped.is_none());
        let ends = snapshot.trials.iter().map(|trial| trial.step);
        self.received = running.map(|trial| trial.step).max().or(ends.max()).unwrap_or(0);
        self.is_complete = snapshot.trials.iter().any(|trial| trial.is_complete);
        // The state at the start of a step is measured at the end of the previous one.
        self.unmeasured = if self.received == 0 { 0 } else { self.received + 1 };
        self.backend.load(self.trials()).await?;
        for (trial, arrays) in places_of.into_iter().enumerate() {
            for (array, words) in arrays {
                let run = &mut self.runs[trial];
                run.history.record_written(array, run.plan.arrays()[array].moves());
                self.backend.restore(trial, array, &words).await?;
            }
        }
        Ok(())
    }
}

/// Rejects an impossible step of a trial.
fn check_position(trial: &TrialState, schedule: usize) -> Result<(), Error> {
    let wrong = |value: String, expected: &str| {
        Err(Error::invalid("the snapshot", value, expected, "use another one, or run the network from its start"))
    };
    if trial.step > i32::MAX as u32 {
        return wrong(format!("of step {}", trial.step), "a run has at most 2147483647 steps");
    }
    if trial.changed.len() > schedule {
        return wrong(format!("of a run with {} changes", trial.changed.len()), "the network has fewer changes");
    }
    match &trial.stopped {
        Some(Stopped { step, .. }) if *step != trial.step => {
            wrong(format!("of step {} of a run that ended at step {step}", trial.step), "both must be the same")
        }
        _ => Ok(()),
    }
}

/// Arrays with their indices in a plan.
pub(super) type Placed<'a> = Vec<(ArrayId, Cow<'a, [u32]>)>;

/// The arrays of a snapshot with their indices in the plan.
fn places<'a>(plan: &Plan, precision: Precision, trial: &'a TrialState) -> Result<Placed<'a>, Error> {
    let TrialState { step, arrays, .. } = trial;
    let way_out = "use another snapshot, or run the network from its start";
    let at_start = *step == 0 && arrays.is_empty();
    let is_kept = |path: &str| arrays.iter().any(|array| array.name == path);
    if let Some((_, entry)) = plan.arrays().moving().find(|(_, entry)| !at_start && !is_kept(&entry.path)) {
        let value = format!("without the array `{}`", entry.path);
        return Err(Error::invalid("the snapshot", value, "the network has it", way_out));
    }
    let place = |SavedArray { name, words }: &'a SavedArray| {
        let found = plan.arrays().iter().find(|(_, entry)| entry.path == *name && entry.kind != ArrayKind::Reduced);
        let Some((array, entry)) = found else {
            return Err(Error::invalid(
                "the snapshot",
                format!("with an array `{name}`"),
                "the network does not have it",
                way_out,
            ));
        };
        let anew = || match entry.owner {
            Owner::Memory { population } => resized_memory(plan, population, *step, words),
            _ => None,
        };
        if words.len() != entry.length {
            if let Some(words) = anew() {
                return Ok((array, Cow::Owned(words)));
            }
            // In f64 the device knows how many words it has.
            if precision == Precision::Double && !matches!(entry.owner, Owner::Memory { .. }) {
                return Ok((array, Cow::Borrowed(words.as_slice())));
            }
            let (path, expected) =
                (format!("the array `{name}` of the snapshot"), format!("in this network it has {}", entry.length));
            return Err(Error::invalid(path, format!("{} words long", words.len()), expected, way_out));
        }
        Ok((array, Cow::Borrowed(words.as_slice())))
    };
    arrays.iter().map(place).collect()
}

/// The spike history of a population before a step, from words for another number of steps: versions may store different numbers. `None` if
/// they are not whole steps.
fn resized_memory(plan: &Plan, population: usize, step: u32, words: &[u32]) -> Option<Vec<u32>> {
    let width = plan.populations[population].size.div_ceil(32) as usize;
    let (kept, steps) = (words.len().checked_div(width)? as u32, plan.memory_steps);
    if kept == 0 || words.len() != kept as usize * width {
        return None;
    }
    let mut anew = vec![0; steps as usize * width];
    let place = |step: u32, steps: u32| (step % steps) as usize * width..(step % steps + 1) as usize * width;
    // The index of the next step is empty.
    for before in step.saturating_sub(kept.min(steps) - 1)..step {
        anew[place(before, steps)].copy_from_slice(&words[place(before, kept)]);
    }
    Some(anew)
}
