//! Runs until a condition of the caller is true.

use spikelet_plan::{Activity, Epoch};

use super::Simulation;
use super::condition_monitor::ConditionMonitor;
use crate::{Error, Network};

/// A condition for [`Simulation::advance_until`], with its counts.
///
/// It has the form of [`Network::stop`], and counts from its creation on: `spikes > 10` counts from there, and a rate is compared as
/// "below" only after a full window. It is therefore true at the end of the first step at the earliest.
pub struct UntilCondition {
    /// One per trial.
    watches: Vec<ConditionMonitor>,
}

impl Simulation {
    /// A condition from the next returned step on.
    ///
    /// # Errors
    /// It is invalid: place, column and what was expected.
    pub fn until(&self, condition: &str) -> Result<UntilCondition, Error> {
        let network: &Network = self.network();
        let condition = network.condition("until", condition)?;
        let watch = |run: &super::TrialRun| ConditionMonitor::of(vec![condition.clone()], &run.plan, run.step);
        Ok(UntilCondition { watches: self.runs.iter().map(watch).collect() })
    }

    /// As [`Simulation::advance_trials`], but results end with the first step at whose end the condition is true in any of the trials;
    /// returns whether there was one. All trials are then at that step, unless they have ended before, and the next call continues from
    /// there without missing or repeated results.
    ///
    /// The device works in batches, and has continued to the end of its batch: those results are returned next. Values are set, read or
    /// written at [`Simulation::device_step`], unless [`Simulation::rewind`] returns the device.
    ///
    /// # Errors
    /// As [`Simulation::advance_trials`].
    pub async fn advance_until(&mut self, steps: u32, until: &mut UntilCondition) -> Result<(Vec<Activity>, bool), Error> {
        let end = self.run_device_to(steps).await?;
        let received = self.runs.iter().zip(&mut until.watches).filter_map(|(run, watch)| {
            let last = run.clipped(end);
            let spikes = &run.waiting.spikes[..run.waiting.spikes.partition_point(|spike| spike.step < last)];
            let (step, _) = watch.observe(Epoch::new(run.step, last - run.step), spikes)?;
            Some(step + 1)
        });
        let held = received.min();
        Ok((self.take_activity(held.unwrap_or(end)), held.is_some()))
    }
}
