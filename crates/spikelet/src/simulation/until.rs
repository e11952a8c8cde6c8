//! Runs until a condition holds that is not the network's own.

use super::Simulation;
use super::condition_monitor::ConditionMonitor;
use crate::backend::{Activity, Epoch};
use crate::{Error, Network};

/// A condition that [`Simulation::advance_until`] looks for, with what it has heard so far.
///
/// It is written as those of [`Network::stop`], and hears of the steps that are told from then on when it was made:
/// `spikes > 10` counts from there, and a rate can be below its limit once its window has passed since. So it holds at the end of the first
/// step at the earliest.
pub struct UntilCondition {
    /// One for each trial.
    watches: Vec<ConditionMonitor>,
}

impl Simulation {
    /// A condition to look for from the step on that is told next.
    ///
    /// # Errors
    /// It cannot be read: where, and what was expected.
    pub fn until(&self, condition: &str) -> Result<UntilCondition, Error> {
        let network: &Network = self.network();
        let condition = network.condition("until", condition)?;
        let watch = |run: &super::TrialRun| ConditionMonitor::of(vec![condition.clone()], &run.plan, run.step);
        Ok(UntilCondition { watches: self.runs.iter().map(watch).collect() })
    }

    /// As [`Simulation::advance_trials`], but what is told ends with the first step at whose end the condition holds, in any of
    /// the trials; whether there was one. All trials then stand at that step, unless they have ended before, and the next call
    /// goes on from there: nothing is lost, and nothing comes twice.
    ///
    /// The device works in batches, and has gone on to the end of its batch by then: what it has done there is told next. Values that
    /// are set, read or written meet it at [`Simulation::device_step`], unless [`Simulation::rewind`] takes it back.
    ///
    /// # Errors
    /// As [`Simulation::advance_trials`].
    pub async fn advance_until(&mut self, steps: u32, until: &mut UntilCondition) -> Result<(Vec<Activity>, bool), Error> {
        let end = self.run_device_to(steps).await?;
        let heard = self.runs.iter().zip(&mut until.watches).filter_map(|(run, watch)| {
            let last = run.clipped(end);
            let spikes = &run.waiting.spikes[..run.waiting.spikes.partition_point(|spike| spike.step < last)];
            let (step, _) = watch.observe(Epoch { first: run.step, steps: last - run.step }, spikes)?;
            Some(step + 1)
        });
        let held = heard.min();
        Ok((self.take_activity(held.unwrap_or(end)), held.is_some()))
    }
}
