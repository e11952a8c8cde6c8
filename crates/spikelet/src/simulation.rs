//! Networks running on a device.

mod ahead;
mod condition_monitor;
mod diverge;
mod events;
mod history;
mod learned;
mod measure;
mod record;
mod run;
mod snapshot;
mod until;
mod values;
mod variables;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::backend::{Activity, Backend, Epoch, Trial};
use crate::{ArrayId, Error, Network, Plan, time};

use snapshot::Resume;

pub use events::{Changed, Stopped};
pub use run::{TrialRun, Variant};
pub use until::UntilCondition;

/// A network on its way through time, in one trial or in several side by side.
///
/// # Trials
///
/// [`Simulation::new`] runs one trial; [`Simulation::of_trials`] runs any number that [share their rows](Plan::shares_rows_with), and
/// [`Simulation::runs`] tells of each. No trial depends on which others run beside it. What is said of *the* network, plan or
/// trial of a simulation is said of its first.
///
/// # Protocol
///
/// The [changes](Network::changes) of a network happen by themselves, each before the step that begins at its time, however the
/// run is cut into calls of [`Simulation::advance`].
///
/// The [conditions](Network::stop) that end a run are looked at for every step, in each trial by itself. The first step for which one
/// holds is the last of the run: the activity ends with it, [`Simulation::stopped`] says why, and only [`Simulation::reset`] leads on;
/// other trials go on. The device works in batches and has gone on to the end of its batch by then: its state is that of a later time,
/// and so [`Simulation::read`] and [`Simulation::write`] refuse it. What is reported depends on no batch's length. Who wants the
/// very state of the last step runs the same trial again for as many steps.
///
/// # Statistics
///
/// [Statistics](Network::statistics) are taken at the start, and then of the state that the network has reached after each multiple of
/// their time: before the network's own changes of that time. They come with the [activity](Activity::statistics) of the
/// steps before; those of the start with that of the first.
///
/// # Looking ahead
///
/// With [`Simulation::look_ahead`] the device works on while its caller looks at what it did. Who only advances gets the same, only sooner.
/// Who reads, writes or sets meets the device where it stands, at [`Simulation::device_step`]: what it has done until there is
/// kept for the next calls of [`Simulation::advance`].
pub struct Simulation {
    runs: Vec<TrialRun>,
    backend: Box<dyn Backend>,
    /// One past the last step that the device has given the activity of.
    heard: u32,
    /// The first step whose statistics are still to be taken.
    unmeasured: u32,
    /// Epochs that the device has begun, the next one to be heard first.
    begun: VecDeque<Epoch>,
    look_ahead: u32,
    /// No epoch is begun ahead beyond this step.
    horizon: u32,
    /// Whether the device has found a state that left the numbers, and nobody has looked when that was.
    suspicious: bool,
    resume: Resume,
}

impl Simulation {
    /// Plans the network and loads it onto the device.
    ///
    /// # Errors
    /// What [`Plan::new`] finds, or the device's refusal.
    pub async fn new(network: &Network, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let plan = Arc::new(Plan::new(network)?);
        Simulation::with_plan(network, plan, backend).await
    }

    /// As [`Simulation::new`], with a plan made before.
    ///
    /// # Errors
    /// The device's refusal.
    pub async fn with_plan(network: &Network, plan: Arc<Plan>, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        Simulation::of_trials(vec![Variant { network: Arc::new(network.clone()), plan, trial: 0 }], backend).await
    }

    /// Loads trials onto the device, to run side by side.
    ///
    /// # Errors
    /// The device's refusal; there are none, or two of them do not [share their rows](Plan::shares_rows_with).
    pub async fn of_trials(variants: Vec<Variant>, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let (heard, unmeasured, begun, resume) = (0, 0, VecDeque::new(), Resume::default());
        let (look_ahead, horizon, suspicious, runs) = (0, u32::MAX, false, Vec::new());
        let mut simulation = Simulation { runs, backend, heard, unmeasured, begun, look_ahead, horizon, suspicious, resume };
        simulation.load(variants).await?;
        Ok(simulation)
    }

    /// Takes other trials, at their start. Those that were loaded before are gone, even where the new ones are refused by the device.
    ///
    /// # Errors
    /// As [`Simulation::of_trials`].
    pub async fn load(&mut self, variants: Vec<Variant>) -> Result<(), Error> {
        let runs: Vec<TrialRun> = variants.into_iter().map(TrialRun::new).collect::<Result<_, _>>()?;
        let Some(first) = runs.first() else {
            return Err(Error::Backend("a simulation needs at least one trial; none was given".into()));
        };
        if let Some(index) = runs.iter().position(|run| !run.plan.shares_rows_with(&first.plan)) {
            return Err(Error::Backend(format!(
                "trial {index} of {} has other connectivity than the first; parallel trials can differ in noise and in values \
                 shared by a whole population or projection; run it separately",
                runs.len()
            )));
        }
        self.discard().await;
        self.resume = Resume::of(&runs);
        self.runs = runs;
        self.backend.load(self.trials()).await
    }

    /// What the device is loaded with.
    fn trials(&self) -> Vec<Trial> {
        self.runs.iter().map(|run| Trial { number: run.number, plan: run.plan.clone() }).collect()
    }

    /// The trials, in the order in which they were given.
    pub fn runs(&self) -> &[TrialRun] {
        &self.runs
    }

    /// The network, with all values set since it was loaded, and those that changed by themselves.
    pub fn network(&self) -> &Network {
        self.runs[0].network()
    }

    /// The network as [`Simulation::reset`] starts it: with all values set since it was loaded, without those that changed by
    /// themselves.
    pub fn at_start(&self) -> &Network {
        self.runs[0].at_start()
    }

    /// The changes of the network that have happened since the start or the last reset, in their order.
    pub fn changed(&self) -> &[Changed] {
        self.runs[0].changed()
    }

    /// Why the run has ended, where one of the network's conditions held: of several trials, of the one that was the last to end, once all
    /// have.
    pub fn stopped(&self) -> Option<&Stopped> {
        let ends: Option<Vec<&Stopped>> = self.runs.iter().map(TrialRun::stopped).collect();
        ends?.into_iter().max_by_key(|end| end.step)
    }

    /// Why the first trial that broke off did so: see [`Run::failure`].
    pub fn failure(&self) -> Option<&Error> {
        self.runs.iter().find_map(TrialRun::failure)
    }

    /// Whether all trials have ended, each because a condition held or because it broke off, and all of it was told.
    pub fn is_over(&self) -> bool {
        self.runs.iter().all(|run| run.stopped().is_some() || run.failure().is_some())
    }

    /// The network as arrays.
    pub fn plan(&self) -> &Plan {
        self.runs[0].plan()
    }

    /// The device.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The step that runs next; of several trials, in those that have not ended.
    pub fn step(&self) -> u32 {
        self.runs.iter().map(TrialRun::step).max().unwrap_or(0)
    }

    /// Biological time at the start of that step, in ms.
    pub fn time_ms(&self) -> f64 {
        time::of_step(self.step(), self.plan().dt_ms)
    }

    /// Which of the trials of this seed runs: it decides the noise, not the network.
    pub fn trial(&self) -> u32 {
        self.runs[0].number()
    }

    /// Runs `steps` steps, or fewer where a condition that ends the run holds before: see [`Simulation::stopped`]. Changes that are due
    /// happen on the way.
    ///
    /// # Errors
    /// The device's failure; the run is longer than 2³¹ steps, or has ended; a change that a running network cannot follow; there are
    /// several trials. What had happened before a failure is not lost: the next call tells it. Where the state leaves the numbers
    /// ([`Run::failure`]), a call tells what happened before, in fewer steps, and the next is refused with [`Error::Diverged`].
    pub async fn advance(&mut self, steps: u32) -> Result<Activity, Error> {
        self.check_single("advance_trials")?;
        Ok(self.advance_trials(steps).await?.pop().unwrap_or_default())
    }

    /// Runs `steps` steps of all trials, as [`Simulation::advance`] does of one. A trial that has ended adds nothing more.
    ///
    /// # Errors
    /// The device's failure; the run is longer than 2³¹ steps; all trials have ended; a change that a running network cannot follow. A trial
    /// that breaks off ([`Run::failure`]) leaves the others alone.
    pub async fn advance_trials(&mut self, steps: u32) -> Result<Vec<Activity>, Error> {
        let end = self.run_device_to(steps).await?;
        Ok(self.take_activity(end))
    }

    /// Has the device run at least `steps` steps beyond those that were told, or to the end of all trials; gives the step where that is.
    async fn run_device_to(&mut self, steps: u32) -> Result<u32, Error> {
        if let Some(Stopped { condition, time_ms, .. }) = self.stopped() {
            let last = if self.runs.len() > 1 { "the last trial" } else { "the run" };
            let sentence = format!("{last} ended at {time_ms} ms, when `{condition}` was true; reset it to run it again");
            return Err(Error::Backend(sentence));
        }
        if let (true, Some(error)) = (self.is_over(), self.failure()) {
            return Err(error.clone());
        }
        let Some(end) = self.step().checked_add(steps).filter(|end| *end <= i32::MAX as u32) else {
            return Err(Error::Backend(format!("a run has at most {} steps; reset it, or use a longer dt", i32::MAX)));
        };
        self.shorten_log().await?;
        if self.suspicious {
            self.abort_diverged(self.device_step()).await?;
        }
        while self.heard < end && self.is_going_on() {
            self.receive_or_abort(steps, end).await?;
        }
        Ok(end)
    }

    /// Tells what happened before step `end`, trial by trial.
    fn take_activity(&mut self, end: u32) -> Vec<Activity> {
        self.runs.iter_mut().map(|run| run.take_activity(end)).collect()
    }

    /// Refuses several trials where one is meant.
    fn check_single(&self, instead: &str) -> Result<(), Error> {
        match self.runs.len() {
            1 => Ok(()),
            count => Err(Error::Backend(format!("the simulation has {count} trials, not one; call `{instead}`"))),
        }
    }

    /// An array of the device, as 32-bit words, as it is at [`Simulation::device_step`].
    ///
    /// # Errors
    /// The device's failure; the run has ended by a condition, and the device is ahead of its end; there are several trials.
    pub async fn read(&mut self, array: ArrayId) -> Result<Vec<u32>, Error> {
        self.check_single("read_trial")?;
        self.read_trial(0, array).await
    }

    /// The same, of a trial by its place among [`Simulation::runs`].
    ///
    /// # Errors
    /// As [`Simulation::read`]; there is no such trial.
    pub async fn read_trial(&mut self, trial: usize, array: ArrayId) -> Result<Vec<u32>, Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        self.backend.read(trial, array).await
    }

    /// Replaces an array of the device, at [`Simulation::device_step`].
    ///
    /// # Errors
    /// Another number of words than the array has, or the device's failure; as for [`Simulation::read`].
    pub async fn write(&mut self, array: ArrayId, words: &[u32]) -> Result<(), Error> {
        self.check_single("write_trial")?;
        self.write_trial(0, array, words).await
    }

    /// The same, of a trial by its place among [`Simulation::runs`].
    ///
    /// # Errors
    /// As [`Simulation::write`]; there is no such trial.
    pub async fn write_trial(&mut self, trial: usize, array: ArrayId, words: &[u32]) -> Result<(), Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        self.backend.write(trial, array, words).await?;
        self.log_write(trial, array, words);
        Ok(())
    }

    /// Refuses a trial that does not exist, and a device that is ahead of the trial's end.
    fn check_in_step(&self, trial: usize) -> Result<(), Error> {
        let Some(run) = self.runs.get(trial) else {
            let count = self.runs.len();
            return Err(Error::Backend(format!("there is no trial {trial}: the simulation has {count}, counted from 0")));
        };
        match run.stopped() {
            Some(stopped) if self.heard > stopped.step => Err(Error::Backend(format!(
                "the run ended at {} ms, when `{}` was true, and the device has continued to {} ms; to see the end, reset it \
                 and advance by {} steps at most",
                stopped.time_ms,
                stopped.condition,
                time::of_step(self.heard, run.plan.dt_ms),
                stopped.step
            ))),
            _ => Ok(()),
        }
    }

    /// Back to step 0 and the initial values, for a trial. Values [set](Simulation::set) since then stay; those that changed by
    /// themselves are as they were at first, and change again in their time.
    ///
    /// # Errors
    /// The device's failure; there are several trials, which [`Simulation::restart`] takes back.
    pub async fn reset(&mut self, trial: u32) -> Result<(), Error> {
        self.check_single("restart")?;
        self.restart_as(|_| trial).await
    }

    /// All trials back to step 0 and their initial values, each with its own noise again.
    ///
    /// # Errors
    /// The device's failure.
    pub async fn restart(&mut self) -> Result<(), Error> {
        self.restart_as(TrialRun::number).await
    }

    /// As [`Simulation::restart`], on another device than the one that failed.
    ///
    /// # Errors
    /// The new device's failure.
    pub async fn restart_on(&mut self, backend: Box<dyn Backend>) -> Result<(), Error> {
        self.backend = backend;
        self.begun.clear();
        self.restart().await
    }

    async fn restart_as(&mut self, number: impl Fn(&TrialRun) -> u32) -> Result<(), Error> {
        self.discard().await;
        for run in &mut self.runs {
            run.restart(number(run));
        }
        self.resume = Resume::of(&self.runs);
        self.backend.load(self.trials()).await
    }
}

#[cfg(test)]
mod tests;
