//! Networks running on a device.

mod ahead;
mod complete_step;
mod condition_monitor;
mod diverge;
mod events;
mod feed;
mod history;
mod learned;
mod measure;
mod record;
mod run;
mod snapshot;
mod synapse_sample;
mod traces;
mod until;
mod values;
mod variables;

use std::collections::VecDeque;
use std::sync::Arc;

use spikelet_plan::{Activity, Backend, Epoch, Precision, Trial, time};

use crate::{ArrayId, BuildOptions, Builder, Error, Network, Owner, Plan, network};

use snapshot::Resume;

pub use events::{Changed, Stopped};
pub use run::{TrialRun, Variant};
pub use synapse_sample::{SynapseQuery, SynapseSample};
pub use until::UntilCondition;

/// A running network, in one trial or in several parallel ones.
///
/// # Trials
///
/// [`Simulation::new`] runs one trial; [`Simulation::of_trials`] runs any number of trials that [share their rows](Plan::shares_rows_with),
/// and [`Simulation::runs`] lists them. No trial depends on the others. *The* network, plan or trial of a simulation is the first one.
///
/// # Protocol
///
/// The [changes](Network::changes) of a network are applied automatically before the step that begins at their time, for any division of
/// the run into calls of [`Simulation::advance`].
///
/// The [stop conditions](Network::stop) are tested for every step, in each trial separately. The first step for which one is true is the
/// last of the run: the activity ends with it, [`Simulation::stopped`] gives the reason, and only [`Simulation::reset`] is possible; other
/// trials continue. The device works in batches and has continued to the end of its batch: its state is of a later time, so
/// [`Simulation::read`] and [`Simulation::write`] reject the call. Results do not depend on the length of batches. To get the state of the
/// last step, run the same trial again for that number of steps.
///
/// # Statistics
///
/// [Statistics](Network::statistics) are taken at the start, and then after each multiple of their interval, before the network's changes
/// of that time. They are returned with the [activity](Activity::statistics) of the previous steps; those of the start with that of the
/// first.
///
/// # Looking ahead
///
/// With [`Simulation::begin_ahead`] the device works while its caller processes results. For calls of advance only the timing differs.
/// Reading, writing and setting refer to the step of the device, [`Simulation::device_step`]: earlier results are kept for the next calls
/// of [`Simulation::advance`].
pub struct Simulation {
    runs: Vec<TrialRun>,
    backend: Box<dyn Backend>,
    /// One past the last step whose activity the device has returned.
    received: u32,
    /// Whether the device has completed the step before that one, if there is one: [`Backend::complete_step`].
    is_complete: bool,
    /// The first step whose statistics have not been taken.
    unmeasured: u32,
    /// Epochs that the device has begun, the next one first.
    begun: VecDeque<Epoch>,
    look_ahead: u32,
    /// No epoch is begun ahead beyond this step.
    horizon: u32,
    /// Whether the device has reported an infinite or NaN state that has not been located.
    suspicious: bool,
    resume: Resume,
}

impl Simulation {
    /// Plans the network and loads it onto the device.
    ///
    /// # Errors
    /// An error of [`Plan::new`], or of the device.
    pub async fn new(network: &Network, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let options = BuildOptions { exact: backend.precision() == Precision::Double, ..BuildOptions::default() };
        let plan = Arc::new(Builder::new(network, options)?.finish()?);
        Simulation::with_plan(network, plan, backend).await
    }

    /// As [`Simulation::new`], with an existing plan.
    ///
    /// # Errors
    /// An error of the device.
    pub async fn with_plan(network: &Network, plan: Arc<Plan>, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        Simulation::of_trials(vec![Variant { network: Arc::new(network.clone()), plan, trial: 0 }], backend).await
    }

    /// Loads trials onto the device, to run in parallel.
    ///
    /// # Errors
    /// An error of the device; there are no trials, or two of them do not [share their rows](Plan::shares_rows_with).
    pub async fn of_trials(variants: Vec<Variant>, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let (received, unmeasured, begun, resume) = (0, 0, VecDeque::new(), Resume::default());
        let (look_ahead, horizon, suspicious, is_complete, runs) = (0, u32::MAX, false, true, Vec::new());
        let mut simulation =
            Simulation { runs, backend, received, is_complete, unmeasured, begun, look_ahead, horizon, suspicious, resume };
        simulation.load(variants).await?;
        Ok(simulation)
    }

    /// Loads other trials, at their start. Earlier ones are dropped, even if the device fails.
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
        if self.backend.precision() == Precision::Single {
            runs.iter().try_for_each(|run| run.plan.check_integers())?;
        }
        self.discard().await;
        self.resume = Resume::of(&runs);
        self.runs = runs;
        self.backend.load(self.trials()).await
    }

    /// The plans that the device loads.
    fn trials(&self) -> Vec<Trial> {
        self.runs.iter().map(|run| Trial { number: run.number, plan: run.plan.clone() }).collect()
    }

    /// The trials, in the order in which they were given.
    pub fn runs(&self) -> &[TrialRun] {
        &self.runs
    }

    /// The current network, with all values that were set, and its own changes.
    pub fn network(&self) -> &Network {
        self.runs[0].network()
    }

    /// The network that [`Simulation::reset`] starts with: with all values that were set, without its own changes.
    pub fn at_start(&self) -> &Network {
        self.runs[0].at_start()
    }

    /// The changes of the network applied since the start or the last reset, in their order.
    pub fn changed(&self) -> &[Changed] {
        self.runs[0].changed()
    }

    /// The stop condition that ended the run; of several trials, of the one that ended last, once all have ended.
    pub fn stopped(&self) -> Option<&Stopped> {
        let ends: Option<Vec<&Stopped>> = self.runs.iter().map(TrialRun::stopped).collect();
        ends?.into_iter().max_by_key(|end| end.step)
    }

    /// The error of the first failed trial: see [`TrialRun::failure`].
    pub fn failure(&self) -> Option<&Error> {
        self.runs.iter().find_map(TrialRun::failure)
    }

    /// Whether all trials have ended by a condition or by an error, and all results were returned.
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

    /// The next step; of several trials, in those that have not ended.
    pub fn step(&self) -> u32 {
        self.runs.iter().map(TrialRun::step).max().unwrap_or(0)
    }

    /// Biological time at the start of that step, in ms.
    pub fn time_ms(&self) -> f64 {
        time::of_step(self.step(), self.plan().dt_ms)
    }

    /// Number of steps of a run of a duration in ms from there on, which a caller gave by the name `path`.
    ///
    /// # Errors
    /// It is negative, no whole number of steps, or too long.
    pub fn steps_of(&self, path: &str, ms: f64) -> Result<u32, Error> {
        network::run_steps(path, ms, self.plan().dt_ms, self.step())
    }

    /// The trial of this seed: it determines the noise, not the network.
    pub fn trial(&self) -> u32 {
        self.runs[0].number()
    }

    /// Runs `steps` steps, or fewer if a stop condition is true before: see [`Simulation::stopped`]. Applies changes that are due.
    ///
    /// # Errors
    /// An error of the device; the run is longer than 2³¹ steps, or has ended; a change that is not possible during a run; there are
    /// several trials. Results before an error are returned by the next call. If a state becomes infinite or NaN ([`TrialRun::failure`]), a call
    /// returns the results before, with fewer steps, and the next one fails with [`Error::Diverged`].
    pub async fn advance(&mut self, steps: u32) -> Result<Activity, Error> {
        self.check_single("advance_trials")?;
        Ok(self.advance_trials(steps).await?.pop().unwrap_or_default())
    }

    /// Runs `steps` steps of all trials, as [`Simulation::advance`]. Trials that have ended add no results.
    ///
    /// # Errors
    /// An error of the device; the run is longer than 2³¹ steps; all trials have ended; a change that is not possible during a run. A
    /// failed trial ([`TrialRun::failure`]) does not affect the others.
    pub async fn advance_trials(&mut self, steps: u32) -> Result<Vec<Activity>, Error> {
        let end = self.run_device_to(steps).await?;
        Ok(self.take_activity(end))
    }

    /// Runs the device for at least `steps` steps beyond the returned results, or to the end of all trials; returns that step.
    async fn run_device_to(&mut self, steps: u32) -> Result<u32, Error> {
        self.check_continues()?;
        let Some(end) = self.step().checked_add(steps).filter(|end| *end <= i32::MAX as u32) else {
            return Err(Error::Backend(format!("a run has at most {} steps; reset it, or use a longer dt", i32::MAX)));
        };
        self.shorten_log().await?;
        if self.suspicious {
            self.abort_diverged(self.device_step()).await?;
        }
        while self.received < end && self.is_going_on() {
            self.receive_or_abort(steps, end).await?;
        }
        Ok(end)
    }

    /// Rejects a simulation whose trials have all ended.
    pub(crate) fn check_continues(&self) -> Result<(), Error> {
        if let Some(Stopped { condition, time_ms, .. }) = self.stopped() {
            let last = if self.runs.len() > 1 { "the last trial" } else { "the run" };
            let sentence = format!("{last} ended at {time_ms} ms, when `{condition}` was true; reset it to run it again");
            return Err(Error::Backend(sentence));
        }
        match self.failure() {
            Some(error) if self.is_over() => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Returns the results before step `end`, trial by trial.
    fn take_activity(&mut self, end: u32) -> Vec<Activity> {
        self.runs.iter_mut().map(|run| run.take_activity(end)).collect()
    }

    /// Rejects several trials where one is expected.
    fn check_single(&self, instead: &str) -> Result<(), Error> {
        match self.runs.len() {
            1 => Ok(()),
            count => Err(Error::Backend(format!("the simulation has {count} trials, not one; call `{instead}`"))),
        }
    }

    /// An array of the device as 32-bit words, at [`Simulation::device_step`].
    ///
    /// # Errors
    /// An error of the device; the run was ended by a condition, and the device is ahead; there are several trials.
    pub async fn read(&mut self, array: ArrayId) -> Result<Vec<u32>, Error> {
        self.check_single("read_trial")?;
        self.read_trial(0, array).await
    }

    /// The same for a trial by its index in [`Simulation::runs`].
    ///
    /// # Errors
    /// As [`Simulation::read`]; there is no such trial.
    pub async fn read_trial(&mut self, trial: usize, array: ArrayId) -> Result<Vec<u32>, Error> {
        self.complete_step().await?;
        self.check_in_step(trial)?;
        self.backend.read(trial, array).await
    }

    /// Replaces an array of the device, at [`Simulation::device_step`].
    ///
    /// # Errors
    /// A wrong number of words, or an error of the device; as for [`Simulation::read`].
    pub async fn write(&mut self, array: ArrayId, words: &[u32]) -> Result<(), Error> {
        self.check_single("write_trial")?;
        self.write_trial(0, array, words).await
    }

    /// The same for a trial by its index in [`Simulation::runs`].
    ///
    /// # Errors
    /// As [`Simulation::write`]; there is no such trial.
    pub async fn write_trial(&mut self, trial: usize, array: ArrayId, words: &[u32]) -> Result<(), Error> {
        self.complete_step().await?;
        self.check_in_step(trial)?;
        self.backend.write(trial, array, words).await?;
        if let Owner::Events { .. } = self.runs[trial].plan.arrays()[array].owner {
            self.refill(trial).await?;
        }
        self.log_write(trial, array, words);
        Ok(())
    }

    /// Rejects a trial that does not exist, and a device that is ahead of the trial's end.
    fn check_in_step(&self, trial: usize) -> Result<(), Error> {
        let Some(run) = self.runs.get(trial) else {
            let count = self.runs.len();
            return Err(Error::Backend(format!("there is no trial {trial}: the simulation has {count}, counted from 0")));
        };
        match run.stopped() {
            Some(stopped) if self.received > stopped.step => Err(Error::Backend(format!(
                "the run ended at {} ms, when `{}` was true, and the device has continued to {} ms; to see the end, reset it \
                 and advance by {} steps at most",
                stopped.time_ms,
                stopped.condition,
                time::of_step(self.received, run.plan.dt_ms),
                stopped.step
            ))),
            _ => Ok(()),
        }
    }

    /// Returns to step 0 and the initial values, for a trial. Values that were [set](Simulation::set) are kept; the network's own changes
    /// are undone and applied again at their times.
    ///
    /// # Errors
    /// An error of the device; there are several trials, for which [`Simulation::restart`] is used.
    pub async fn reset(&mut self, trial: u32) -> Result<(), Error> {
        self.check_single("restart")?;
        self.restart_as(|_| trial).await
    }

    /// Returns all trials to step 0 and their initial values, each with its own noise.
    ///
    /// # Errors
    /// An error of the device.
    pub async fn restart(&mut self) -> Result<(), Error> {
        self.restart_as(TrialRun::number).await
    }

    /// As [`Simulation::restart`], on another device after a failure.
    ///
    /// # Errors
    /// An error of the new device.
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
