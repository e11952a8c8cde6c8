//! One trial of a simulation, with its dynamic state.

use std::sync::Arc;

use spikelet_plan::{Activity, Epoch, Spike, time};

use super::condition_monitor::ConditionMonitor;
use super::events::{Changed, Stopped};
use super::history::RunHistory;
use crate::network::DueChange;
use crate::{Error, Network, Plan};

/// A network with the noise of one of its trials.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The network; trials that differ only in their noise share it.
    pub network: Arc<Network>,
    /// Its plan.
    pub plan: Arc<Plan>,
    /// The trial of this seed: it determines the noise, not the network.
    pub trial: u32,
}

/// A running trial.
pub struct TrialRun {
    pub(super) number: u32,
    pub(super) network: Arc<Network>,
    pub(super) plan: Arc<Plan>,
    /// Network and plan without applied changes, for a reset.
    pub(super) start: (Arc<Network>, Arc<Plan>),
    pub(super) schedule: Arc<[DueChange]>,
    pub(super) changed: Vec<Changed>,
    pub(super) watch: ConditionMonitor,
    /// The step up to which results were returned.
    pub(super) step: u32,
    /// Later results of the device, in the order of steps; nothing beyond the end of the run.
    pub(super) waiting: Activity,
    /// The end of the run, once the device has reached it: `step` may still be before it.
    pub(super) end: Option<Stopped>,
    /// The step of a failure, likewise.
    pub(super) failure: Option<Failure>,
    pub(super) history: RunHistory,
    /// The spikes of the last steps, as many as the delay ring has slots: input is pending of these only.
    pub(super) recent: Vec<Spike>,
}

/// Why a run failed.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The step that could not be computed.
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
        let (number, history, recent) = (trial, past, Vec::new());
        Ok(TrialRun { number, network, plan, start, schedule, changed, watch, step, waiting, end, failure, history, recent })
    }

    /// The trial of this seed: it determines the noise, not the network.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The current network, with all values that were set, and its own changes.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network that a reset starts with: with all values that were set, without its own changes.
    pub fn at_start(&self) -> &Network {
        &self.start.0
    }

    /// The network as arrays.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The changes of the network applied since the start or the last reset, in their order.
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// The stop condition of the network that ended it.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.end.as_ref().filter(|end| end.step == self.step)
    }

    /// The error, if a state became infinite or NaN: all results are of earlier steps than the failed one, which is now its [`TrialRun::step`].
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref().filter(|failure| failure.step == self.step).map(|failure| &failure.error)
    }

    /// The next step, or one past the last if it has ended.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Biological time at the start of that step, in ms.
    pub fn time_ms(&self) -> f64 {
        time::of_step(self.step, self.plan.dt_ms)
    }

    /// The values of the next change, which are set together; none if the run ends before.
    pub(super) fn due(&self) -> &[DueChange] {
        let left = if self.has_ended() { &[] } else { &self.schedule[self.changed.len()..] };
        left.chunk_by(|one, next| one.change == next.change).next().unwrap_or_default()
    }

    /// Whether the device has reached the end of the run, by a condition or an error.
    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some() || self.failure.is_some()
    }

    /// This step, or the end of the run if that is earlier.
    pub(super) fn clipped(&self, step: u32) -> u32 {
        let ends = [self.end.as_ref().map(|end| end.step), self.failure.as_ref().map(|failure| failure.step)];
        ends.into_iter().flatten().fold(step, u32::min)
    }

    /// The step failed, so later results do not count.
    pub(super) fn abort(&mut self, step: u32, error: Error) {
        self.waiting = self.waiting.take(self.step..step, self.plan.sample_rows());
        self.end = None;
        self.failure = Some(Failure { step, error });
    }

    /// Takes the results of an epoch, as far as they belong to the run.
    pub(super) fn append(&mut self, epoch: Epoch, mut part: Activity) {
        if self.has_ended() {
            return;
        }
        if let Some((last, condition)) = self.watch.observe(epoch, &part.spikes) {
            let (step, time_ms) = (last + 1, time::of_step(last + 1, self.plan.dt_ms));
            self.end = Some(Stopped { condition: condition.to_owned(), step, time_ms });
            part = part.take(epoch.first..step, self.plan.sampling.of_backend());
        }
        let oldest = epoch.end().saturating_sub(self.plan.ring.slots);
        self.recent.drain(..self.recent.partition_point(|spike| spike.step < oldest));
        self.recent.extend_from_slice(&part.spikes[part.spikes.partition_point(|spike| spike.step < oldest)..]);
        self.waiting.spikes.append(&mut part.spikes);
        self.waiting.samples.append(&mut self.plan.recorded(epoch.first, part.samples));
    }

    /// Whether the state at the start of the device's step belongs to the run.
    pub(super) fn reaches(&self, step: u32) -> bool {
        self.clipped(step) == step
    }

    /// Returns the results before step `until`, and the statistics up to its start.
    pub(super) fn take_activity(&mut self, until: u32) -> Activity {
        let until = self.clipped(until);
        let emitted = self.waiting.take(self.step..until, self.plan.sample_rows());
        self.step = until;
        emitted
    }

    /// Returns to the start, as another trial.
    pub(super) fn restart(&mut self, number: u32) {
        (self.network, self.plan) = self.start.clone();
        (self.number, self.step) = (number, 0);
        self.changed.clear();
        self.watch.reset();
        self.waiting = Activity::default();
        (self.end, self.failure) = (None, None);
        self.history.restart();
        self.recent.clear();
    }
}
