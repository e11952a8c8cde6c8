//! Snapshots of a simulation, and going on from them.

use std::sync::{Arc, OnceLock};

use super::{Simulation, Stopped};
use crate::backend::{Backend, Probe, Trial};
use crate::snapshot::{Kept, Part, Settings, Snapshot, TrialState, Version, check_same, fingerprint};
use crate::{Error, Network, Plan};

/// How long the log of what was done since the checkpoint may grow, in entries and in words, before there is a new checkpoint.
const LOG_DEEDS: usize = 1000;
const LOG_WORDS: usize = 1 << 24;
/// Steps that are run again at a time: what happens in them is dropped.
const SILENT_STEPS: u32 = 1000;

/// What a simulation needs to begin again, or to go on elsewhere.
pub(super) struct Past {
    /// Network and plan as they were given, before any value was set.
    built: (Arc<Network>, Arc<Plan>),
    parts: OnceLock<Arc<[Part]>>,
    /// Values set since: those that run, and those that a reset starts from.
    now: Settings,
    start: Settings,
    /// Weights that were written, by projection and write: they follow no value.
    weights: Vec<(usize, usize)>,
    /// Where to begin again.
    checkpoint: Arc<Snapshot>,
    /// What was done since, by whoever holds the simulation.
    log: Vec<Deed>,
    /// The step up to which activity was told: where to be again.
    told: u32,
}

/// Something that was done to a simulation from outside.
#[derive(Clone)]
struct Deed {
    /// Before this step.
    step: u32,
    what: What,
}

#[derive(Clone)]
enum What {
    Set { path: String, value: String },
    Write { probe: Probe, words: Vec<u32> },
}

impl Past {
    pub(super) fn new(network: &Arc<Network>, plan: &Arc<Plan>) -> Past {
        let (now, start) = (Settings::new(), Settings::new());
        let checkpoint = Arc::new(beginning(0, network, Version { revision: plan.revision(plan), ..Version::default() }));
        let built = (network.clone(), plan.clone());
        Past { built, parts: OnceLock::new(), now, start, weights: Vec::new(), checkpoint, log: Vec::new(), told: 0 }
    }

    /// Activity was told up to this step.
    pub(super) fn tell(&mut self, step: u32) {
        self.told = step;
    }

    /// A value was set from outside.
    pub(super) fn set(&mut self, path: &str, value: &str) {
        self.start.insert(path.to_owned(), value.to_owned());
        self.log.push(Deed { step: self.told, what: What::Set { path: path.to_owned(), value: value.to_owned() } });
    }

    /// A value was given to what runs, from outside or by a change.
    pub(super) fn assign(&mut self, path: &str, value: &str) {
        self.now.insert(path.to_owned(), value.to_owned());
    }

    /// An array was written from outside.
    pub(super) fn write(&mut self, probe: Probe, words: &[u32]) {
        self.note_weights(probe);
        self.log.push(Deed { step: self.told, what: What::Write { probe, words: words.to_vec() } });
    }

    fn note_weights(&mut self, probe: Probe) {
        if let Probe::Weights { projection, write } = probe
            && !self.weights.contains(&(projection, write))
        {
            self.weights.push((projection, write));
        }
    }

    /// The simulation is at its start again.
    pub(super) fn reset(&mut self, trial: u32, start: &Plan) {
        self.now = self.start.clone();
        self.weights.clear();
        self.log.clear();
        self.told = 0;
        let version = Version { settings: self.start.clone(), revision: self.built.1.revision(start) };
        self.checkpoint = Arc::new(beginning(trial, &self.built.0, version));
    }

    fn parts(&self) -> Arc<[Part]> {
        self.parts.get_or_init(|| fingerprint(&self.built.1)).clone()
    }

    fn is_long(&self) -> bool {
        let words = |deed: &Deed| match &deed.what {
            What::Set { .. } => 0,
            What::Write { words, .. } => words.len(),
        };
        self.log.len() > LOG_DEEDS || self.log.iter().map(words).sum::<usize>() > LOG_WORDS
    }
}

/// A trial at its start.
fn beginning(number: u32, network: &Arc<Network>, now: Version) -> Snapshot {
    let (changed, heard, arrays) = (Vec::new(), Vec::new(), Vec::new());
    let trial = TrialState { number, step: 0, network: network.clone(), now, start: None, changed, heard, stopped: None, arrays };
    Snapshot { program: env!("CARGO_PKG_VERSION").into(), parts: Arc::new([]), trials: vec![trial] }
}

impl Simulation {
    /// Everything that moves, as it is before the next step, to go on from later, here or elsewhere.
    ///
    /// # Errors
    /// The device's failure; the run has ended by a condition, and the device is ahead of its end.
    pub async fn snapshot(&mut self) -> Result<Snapshot, Error> {
        self.check_in_step()?;
        let plan = self.plan.clone();
        let weights = self.past.weights.iter().map(|(projection, write)| Probe::of_weights(&plan, *projection, *write));
        let mut arrays = Vec::new();
        for (name, probe) in Probe::of_state(&plan).into_iter().chain(weights.collect::<Vec<_>>()) {
            arrays.push(Kept { name, words: self.backend.read(0, probe).await? });
        }
        let built = &self.past.built;
        let version = |settings: &Settings, plan: &Plan| Version { settings: settings.clone(), revision: built.1.revision(plan) };
        let is_start = Arc::ptr_eq(&self.plan, &self.start.1) && self.past.now == self.past.start;
        let trial = TrialState {
            number: self.trial,
            step: self.step,
            network: built.0.clone(),
            now: version(&self.past.now, &self.plan),
            start: (!is_start).then(|| version(&self.past.start, &self.start.1)),
            changed: self.changed.clone(),
            heard: self.watch.heard(),
            stopped: self.stopped.clone(),
            arrays,
        };
        Ok(Snapshot { program: env!("CARGO_PKG_VERSION").into(), parts: self.past.parts(), trials: vec![trial] })
    }

    /// Goes on from a snapshot of the same network, wherever this simulation was. Values that were set here are as they were there.
    ///
    /// # Errors
    /// The snapshot is of another network: what differs; it does not hold together; or the device's failure.
    pub async fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        check_same(&snapshot.parts, &self.past.parts(), &snapshot.program)?;
        self.take_up(snapshot).await?;
        self.past.checkpoint = Arc::new(snapshot.clone());
        self.past.log.clear();
        self.past.told = self.step;
        Ok(())
    }

    /// A simulation that goes on from a snapshot. Where the network names files of edges, or was built in another way than
    /// [`Plan::new`] builds it, use [`Simulation::with_plan`] and [`Simulation::restore`].
    ///
    /// # Errors
    /// As [`Simulation::new`] and [`Simulation::restore`].
    pub async fn from_snapshot(snapshot: &Snapshot, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let mut simulation = Simulation::new(snapshot.network(), backend).await?;
        simulation.restore(snapshot).await?;
        Ok(simulation)
    }

    /// Keeps a snapshot, in memory, that [`Simulation::resume_on`] begins from: the later it is, the less is run again. Without one that is
    /// the start.
    ///
    /// # Errors
    /// As [`Simulation::snapshot`]; the checkpoint before is then kept.
    pub async fn checkpoint(&mut self) -> Result<(), Error> {
        self.past.checkpoint = Arc::new(self.snapshot().await?);
        self.past.log.clear();
        Ok(())
    }

    /// The step of the last checkpoint.
    pub fn checkpoint_step(&self) -> u32 {
        self.past.checkpoint.step()
    }

    /// Goes on on another device where this one was lost: loads the last checkpoint there, and runs to where the last call of
    /// [`Simulation::advance`] that returned activity left off, with all that was set and written since. Who holds the
    /// simulation sees no gap, and nothing twice.
    ///
    /// # Errors
    /// The new device's failure; it can then be called once more with another one.
    pub async fn resume_on(&mut self, backend: Box<dyn Backend>) -> Result<(), Error> {
        self.backend = backend;
        let (told, log) = (self.past.told, self.past.log.clone());
        let checkpoint = self.past.checkpoint.clone();
        let (start, settings) = (self.start.clone(), self.past.start.clone());
        let done = self.run_again(&checkpoint, &log, told).await;
        // A failure on the way leaves what was to be done as it was.
        (self.past.log, self.past.told) = (log, told);
        if done.is_err() {
            (self.start, self.past.start) = (start, settings);
        }
        done
    }

    async fn run_again(&mut self, checkpoint: &Snapshot, log: &[Deed], told: u32) -> Result<(), Error> {
        self.take_up(checkpoint).await?;
        for Deed { step, what } in log {
            self.run_silently(*step).await?;
            match what {
                What::Set { path, value } => self.set(path, value).await?,
                What::Write { probe, words } => self.write(*probe, words).await?,
            }
        }
        self.run_silently(told).await
    }

    async fn run_silently(&mut self, until: u32) -> Result<(), Error> {
        while self.step < until && self.stopped.is_none() {
            self.run(self.step + SILENT_STEPS.min(until - self.step)).await?;
        }
        Ok(())
    }

    /// A new checkpoint where the log has become long.
    pub(super) async fn shorten_log(&mut self) -> Result<(), Error> {
        if self.past.is_long() && self.check_in_step().is_ok() { self.checkpoint().await } else { Ok(()) }
    }

    /// Is where the snapshot is.
    async fn take_up(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let [trial] = snapshot.trials.as_slice() else {
            let (found, expected) = (format!("of {} trials", snapshot.trials.len()), "this simulation has one");
            return Err(Error::invalid("the snapshot", found, expected, "restore it into a simulation of as many"));
        };
        let TrialState { number, step, now, start, changed, heard, stopped, arrays, .. } = trial;
        check_position(trial, self.schedule.len())?;
        let (network, plan) = now.of(&self.past.built.0, &self.past.built.1)?;
        let start_with = match start {
            Some(start) => start.of(&self.past.built.0, &self.past.built.1)?,
            None => (network.clone(), plan.clone()),
        };
        let arrays = places(&plan, *step, arrays)?;
        self.backend.load(vec![Trial { number: *number, plan: plan.clone() }]).await?;
        self.past.weights.clear();
        for (probe, words) in arrays {
            self.past.note_weights(probe);
            self.backend.write(0, probe, words).await?;
        }
        self.past.now.clone_from(&now.settings);
        self.past.start.clone_from(&start.as_ref().unwrap_or(now).settings);
        (self.network, self.plan, self.start) = (network, plan, start_with);
        (self.step, self.device_step, self.trial) = (*step, *step, *number);
        self.changed.clone_from(changed);
        self.watch.resume(heard);
        self.stopped.clone_from(stopped);
        Ok(())
    }
}

/// Refuses a trial at a place where no trial can be.
fn check_position(trial: &TrialState, schedule: usize) -> Result<(), Error> {
    let wrong = |value: String, expected: &str| {
        Err(Error::invalid("the snapshot", value, expected, "take another one, or run the network from its start"))
    };
    if trial.step > i32::MAX as u32 {
        return wrong(format!("of step {}", trial.step), "a run has at most 2147483647 steps");
    }
    if trial.changed.len() > schedule {
        return wrong(format!("of a run with {} changes", trial.changed.len()), "the network has fewer in store");
    }
    match &trial.stopped {
        Some(Stopped { step, .. }) if *step != trial.step => {
            wrong(format!("of step {} of a run that ended at step {step}", trial.step), "both are the same")
        }
        _ => Ok(()),
    }
}

/// The arrays of a snapshot, each with its place in the plan.
fn places<'a>(plan: &Plan, step: u32, arrays: &'a [Kept]) -> Result<Vec<(Probe, &'a [u32])>, Error> {
    let way_out = "take another snapshot, or run the network from its start";
    let expected = Probe::of_state(plan);
    let at_start = step == 0 && arrays.is_empty();
    if let Some((name, _)) = expected.iter().find(|(name, _)| !at_start && !arrays.iter().any(|array| array.name == *name)) {
        return Err(Error::invalid("the snapshot", format!("without the array `{name}`"), "the network has it", way_out));
    }
    let writes = plan
        .projections
        .iter()
        .enumerate()
        .flat_map(|(projection, of)| (0..of.writes().count()).map(move |write| Probe::of_weights(plan, projection, write)));
    let known: Vec<(String, Probe)> = expected.into_iter().chain(writes).collect();
    let place = |Kept { name, words }: &'a Kept| {
        let Some((_, probe)) = known.iter().find(|(known, _)| known == name) else {
            return Err(Error::invalid("the snapshot", format!("with an array `{name}`"), "the network has none", way_out));
        };
        let length = probe.words(plan);
        if words.len() != length {
            let (path, expected) = (format!("the array `{name}` of the snapshot"), format!("here it has {length}"));
            return Err(Error::invalid(path, format!("{} words long", words.len()), expected, way_out));
        }
        Ok((*probe, words.as_slice()))
    };
    arrays.iter().map(place).collect()
}
