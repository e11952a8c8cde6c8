//! The seam between a plan and a device.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use crate::{ArrayId, Distribution, Error, Plan};

/// A neuron fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spike {
    /// The step whose update crossed the threshold: the crossing lies in (t, t + dt], t = step · dt.
    pub step: u32,
    /// The neuron's number in the network: populations follow each other in their order.
    pub neuron: u32,
}

/// A stretch of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    /// The first step.
    pub first: u32,
    /// How many.
    pub steps: u32,
}

impl Epoch {
    /// One past the last step.
    pub fn end(self) -> u32 {
        self.first + self.steps
    }
}

/// What happened in an epoch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Activity {
    /// Spikes, by step, then neuron.
    pub spikes: Vec<Spike>,
    /// One row for each step: the value of each of the plan's [channels](Plan::channels) before the update of that step; of a backend in
    /// the inner unit, of a [`Simulation`](crate::Simulation) in the channel's own.
    pub samples: Vec<f32>,
    /// Statistics taken by a [`Simulation`](crate::Simulation), by step; a backend leaves them out.
    pub statistics: Vec<Measurement>,
    /// Whether a variable of a neuron was infinite or no number where the device stood, at the end of the epoch or beyond. Neurons that
    /// have just fired are not looked at: their reset may make it good. A [`Simulation`](crate::Simulation) finds out which variable it
    /// was, and when, and tells of nothing from there on.
    pub diverged: bool,
}

impl Activity {
    /// Takes out what happened in these steps, the first that it holds, and what was measured up to the end of them; what came later
    /// stays. A row of samples has as many values as the plan has `channels`. Where it was found that a state left the numbers, that goes
    /// with what is taken.
    pub fn take(&mut self, steps: Range<u32>, channels: usize) -> Activity {
        let later = Activity {
            spikes: self.spikes.split_off(self.spikes.partition_point(|spike| spike.step < steps.end)),
            samples: self.samples.split_off((steps.len() * channels).min(self.samples.len())),
            statistics: self.statistics.split_off(self.statistics.partition_point(|of| of.step <= steps.end)),
            diverged: false,
        };
        std::mem::replace(self, later)
    }
}

/// A statistic at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The state at the start of this step was measured.
    pub step: u32,
    /// Index of the statistic in [`Plan::statistics`].
    pub statistic: usize,
    /// What was found.
    pub distribution: Distribution,
}

/// The answer to a question to a device. Local, since GPU handles stay on one thread in a browser.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// One of the runs that a device carries on side by side. They share all that is drawn (who is joined to whom, by what); noise and the
/// values that a sweep varies are their own.
#[derive(Debug, Clone)]
pub struct Trial {
    /// A word of the noise's counters.
    pub number: u32,
    /// What runs.
    pub plan: Arc<Plan>,
}

/// A device that can run a plan.
///
/// # Trials
///
/// A device runs one trial or several, in step. They are told apart by their place in the list that was loaded. No trial's spikes
/// depend on which others run beside it.
///
/// # The order of one step
///
/// Step k covers [t, t + dt), t = k·dt. What happens in it, and in which order, is the [schedule](crate::schedule::Schedule) of the plan: the
/// phases of [`Work`](crate::schedule::Work). Backends execute that list, in fewer phases where these can be fused, and neurons that no
/// synapse meets within a step run ahead of the others, for [`Plan::epoch_steps`] at most.
pub trait Backend {
    /// What a user calls the device.
    fn name(&self) -> String;
    /// Takes over trials, whose plans [share their rows](Plan::shares_rows_with): allocates and fills everything, at step 0 and with
    /// initial values. What was loaded before is gone. The first epoch may begin at a later step: all that happened before it is then
    /// in the arrays, which were written.
    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()>;
    /// Begins an epoch before [`Backend::advance`] is called with it, where the device can work on while its caller does something
    /// else. Several may be begun, each where the last one ends; they are then advanced in the same order. Until that is done nothing
    /// is read, written or revised.
    fn begin(&mut self, epoch: Epoch) -> Task<'_, ()> {
        let _ = epoch;
        Box::pin(async { Ok(()) })
    }
    /// Runs an epoch, which starts where the last one ended, in every trial; gives what happened in each.
    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>>;
    /// Goes on with other plans of the same networks, one for each trial: clocks and tables follow them from the next epoch on. Arrays
    /// stay as they are, and are written one by one.
    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()>;
    /// Reads an array of a trial, as it is after the last epoch, as 32-bit words.
    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>>;
    /// Replaces an array of a trial, before the next epoch. The number of words must be the array's.
    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(step: u32) -> Measurement {
        Measurement { step, statistic: 0, distribution: Distribution::default() }
    }

    #[test]
    fn what_is_taken_is_gone_and_what_comes_later_stays() {
        let spikes = |steps: &[u32]| -> Vec<Spike> { steps.iter().map(|step| Spike { step: *step, neuron: 7 }).collect() };
        let samples = |steps: Range<u32>| -> Vec<f32> { steps.flat_map(|step| [step as f32, -(step as f32)]).collect() };
        let mut activity = Activity {
            spikes: spikes(&[10, 12, 12, 13, 15]),
            samples: samples(10..16),
            statistics: [10, 13, 16].map(measured).into(),
            diverged: true,
        };
        let nothing = activity.clone().take(10..10, 2);
        assert_eq!((nothing.spikes, nothing.samples, nothing.statistics), (vec![], vec![], vec![measured(10)]));
        let first = activity.take(10..13, 2);
        assert_eq!((first.spikes, first.samples), (spikes(&[10, 12, 12]), samples(10..13)));
        assert_eq!((first.statistics, first.diverged), ([10, 13].map(measured).into(), true));
        let rest = activity.take(13..16, 2);
        assert_eq!((rest.spikes, rest.samples), (spikes(&[13, 15]), samples(13..16)));
        assert_eq!((rest.statistics, rest.diverged), (vec![measured(16)], false));
        assert_eq!(activity, Activity::default());
    }
}
