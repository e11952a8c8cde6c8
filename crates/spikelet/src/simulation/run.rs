//! One trial of a simulation: all that moves.

use std::sync::Arc;

use super::condition_monitor::ConditionMonitor;
use super::events::{Changed, Stopped};
use super::history::RunHistory;
use crate::backend::{Activity, Epoch};
use crate::network::DueChange;
use crate::{Error, Network, Plan, time};

/// What a simulation runs: a network with the noise of one of its trials.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The network; trials that differ in their noise alone hold the same.
    pub network: Arc<Network>,
    /// It as arrays.
    pub plan: Arc<Plan>,
    /// Which of the trials of this seed: it decides the noise, not the network.
    pub trial: u32,
}

/// A trial on its way through time.
pub struct TrialRun {
    pub(super) number: u32,
    pub(super) network: Arc<Network>,
    pub(super) plan: Arc<Plan>,
    /// Network and plan without the changes that have happened: what a reset goes back to.
    pub(super) start: (Arc<Network>, Arc<Plan>),
    pub(super) schedule: Arc<[DueChange]>,
    pub(super) changed: Vec<Changed>,
    pub(super) watch: ConditionMonitor,
    /// The step that callers have been told up to.
    pub(super) step: u32,
    /// What the device has done since, in the order of steps; nothing beyond the end of the run.
    pub(super) waiting: Activity,
    /// The end of the run, once the device has reached it: `step` may still be before it.
    pub(super) end: Option<Stopped>,
    /// Where it broke off, likewise.
    pub(super) failure: Option<Failure>,
    pub(super) history: RunHistory,
}

/// Why a run broke off.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The step that could not be made.
    pub(super) step: u32,
    pub(super) error: Error,
}

impl TrialRun {
    pub(super) fn new(variant: Variant) -> Result<TrialRun, Error> {
        let Variant { network, plan, trial } = variant;
        let (watch, schedule) = (ConditionMonitor::new(&network, &plan)?, network.schedule().into());
        let start = (network.clone(), plan.clone());
        let past = RunHistory::new(&network, &plan);
        let (step, changed, waiting, end, failure) = (0, Vec::new(), Activity::default(), None, None);
        Ok(TrialRun { number: trial, network, plan, start, schedule, changed, watch, step, waiting, end, failure, history: past })
    }

    /// Which of the trials of this seed: it decides the noise, not the network.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The network, with all values set since it was loaded, and those that changed by themselves.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network as a reset starts it: with all values set since it was loaded, without those that changed by themselves.
    pub fn at_start(&self) -> &Network {
        &self.start.0
    }

    /// The network as arrays.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The changes of the network that have happened since the start or the last reset, in their order.
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// Why it has ended, where one of the network's conditions held.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.end.as_ref().filter(|end| end.step == self.step)
    }

    /// Why it broke off, where its state left the numbers: all that it tells is from before the step in which that happened, which is
    /// now its [`Run::step`].
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref().filter(|failure| failure.step == self.step).map(|failure| &failure.error)
    }

    /// The step that runs next, or one past the last where it has ended.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Biological time at the start of that step, in ms.
    pub fn time_ms(&self) -> f64 {
        time::of_step(self.step, self.plan.dt_ms)
    }

    /// The change that comes next, unless the run ends before.
    pub(super) fn due(&self) -> Option<&DueChange> {
        self.schedule.get(self.changed.len()).filter(|_| !self.has_ended())
    }

    /// Whether the device has reached the end of the run, however that came.
    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some() || self.failure.is_some()
    }

    /// This step, or the end of the run where that comes before.
    pub(super) fn clipped(&self, step: u32) -> u32 {
        let ends = [self.end.as_ref().map(|end| end.step), self.failure.as_ref().map(|failure| failure.step)];
        ends.into_iter().flatten().fold(step, u32::min)
    }

    /// It could not make the step, and so nothing that was heard from there on counts.
    pub(super) fn abort(&mut self, step: u32, error: Error) {
        self.waiting = self.waiting.take(self.step..step, self.plan.channels.len());
        self.end = None;
        self.failure = Some(Failure { step, error });
    }

    /// Takes what the device did in an epoch, as far as it belongs to the run.
    pub(super) fn append(&mut self, epoch: Epoch, mut part: Activity) {
        if self.has_ended() {
            return;
        }
        if let Some((last, condition)) = self.watch.observe(epoch, &part.spikes) {
            let (step, time_ms) = (last + 1, time::of_step(last + 1, self.plan.dt_ms));
            self.end = Some(Stopped { condition: condition.to_owned(), step, time_ms });
            part = part.take(epoch.first..step, self.plan.channels.len());
        }
        if self.plan.channels.iter().any(|channel| channel.factor != 1.0) {
            for row in part.samples.chunks_exact_mut(self.plan.channels.len()) {
                for (sample, channel) in row.iter_mut().zip(&self.plan.channels) {
                    *sample = (f64::from(*sample) / channel.factor) as f32;
                }
            }
        }
        self.waiting.spikes.append(&mut part.spikes);
        self.waiting.samples.append(&mut part.samples);
    }

    /// Whether the state at the start of a step, where the device is, belongs to the run.
    pub(super) fn reaches(&self, step: u32) -> bool {
        self.clipped(step) == step
    }

    /// Tells what happened before step `until`, and what was measured up to its start.
    pub(super) fn take_activity(&mut self, until: u32) -> Activity {
        let until = self.clipped(until);
        let told = self.waiting.take(self.step..until, self.plan.channels.len());
        self.step = until;
        told
    }

    /// Back to the start, as another trial.
    pub(super) fn restart(&mut self, number: u32) {
        (self.network, self.plan) = self.start.clone();
        (self.number, self.step) = (number, 0);
        self.changed.clear();
        self.watch.reset();
        self.waiting = Activity::default();
        (self.end, self.failure) = (None, None);
        self.history.restart();
    }
}
