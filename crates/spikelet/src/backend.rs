//! The seam between a plan and a device.

use std::future::Future;
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
/// Step k covers [t, t + dt), t = k·dt. Each backend codes this order once:
///
/// 1. `take`: slot k of every port ring is added to the variables (events of step k − 1 and before), except to those that are
///    `unless refractory` in a neuron that was refractory in step k − 1; the slot is cleared;
/// 2. `reset`: the neurons that fired in step k − 1 run their reset statements;
/// 3. `hold`: what is constant over the step is computed, then channels are sampled: the state at t;
/// 4. `couple`: summed variables are computed from the state at t, for each neuron over its synapses in the order of presynaptic
///    neurons, projection after projection;
/// 5. `update`: the state moves to t + dt, and the threshold is tested; a spike is stamped k; then the clock-driven equations of
///    synapses, which see the new state of the neurons;
/// 6. `propagate`: each event of a synapse without a state adds to slot k + 1 + delay of its ring, so even a delay of 0 leaves one
///    whole step between a spike and its effect;
/// 7. `arrive`: spikes of step k − delay reach the synapses that have a state: those of pre neurons, projection after projection and
///    pathway after pathway, then those of post neurons likewise. The code of the synapses runs, and what it adds goes to slot k + 1; then
///    the neurons that fired change their traces. Pathways that write to a neuron in any other way run event after event, in the order
///    of the presynaptic neurons.
///
/// Where no synapse has a state ([`Plan::memory_steps`] is 0), 4 and 7 are empty, and events never depend on what happens to their
/// target: steps 1–5 may run for [`Plan::epoch_steps`] (the shortest delay + 1) steps before the events of those steps are
/// propagated.
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
    /// Runs an epoch, which starts where the last one ended, in every trial; gives what happened in each. `inbound` are spikes of
    /// neurons elsewhere, from before the epoch.
    fn advance<'a>(&'a mut self, epoch: Epoch, inbound: &'a [Spike]) -> Task<'a, Vec<Activity>>;
    /// Goes on with other plans of the same networks, one for each trial: clocks and tables follow them from the next epoch on. Arrays
    /// stay as they are, and are written one by one.
    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()>;
    /// Reads an array of a trial, as it is after the last epoch, as 32-bit words.
    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>>;
    /// Replaces an array of a trial, before the next epoch. The number of words must be the array's.
    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()>;
}
