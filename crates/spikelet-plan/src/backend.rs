//! The interface between a plan and a device.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spikelet_network::Error;
use spikelet_rows::Distribution;

use crate::learned::SynapseList;
use crate::{ArrayId, Exchange, Plan, SampleRows, Task};

/// A neuron fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Spike {
    /// The step whose update crossed the threshold; the crossing is in (t, t + dt], t = step · dt.
    pub step: u32,
    /// The neuron's number in the network: populations are numbered one after the other, in their order.
    pub neuron: u32,
}

/// A range of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    /// The first step.
    pub first: u32,
    /// Number of steps.
    pub steps: u32,
    /// Whether what precedes the first step is done: see [`Backend::complete_step`].
    pub is_complete: bool,
}

impl Epoch {
    /// These steps. Step 0 has none before it; before others, the state is not settled.
    pub fn new(first: u32, steps: u32) -> Epoch {
        Epoch { first, steps, is_complete: first == 0 }
    }

    /// One past the last step.
    pub fn end(self) -> u32 {
        self.first + self.steps
    }

    /// Parts of at most this many steps.
    pub fn in_parts(self, steps: u32) -> impl Iterator<Item = Epoch> {
        (self.first..self.end()).step_by(steps as usize).map(move |first| Epoch {
            first,
            steps: steps.min(self.end() - first),
            is_complete: self.is_complete_at(first),
        })
    }

    /// Whether a step begins with a settled state.
    pub fn is_complete_at(self, step: u32) -> bool {
        self.is_complete && step == self.first
    }
}

/// The results of an epoch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Spikes, by step, then neuron.
    pub spikes: Vec<Spike>,
    /// From a `Simulation` one row per multiple of the [interval](Plan::sample_rows): the value of each
    /// [channel](Plan::channels) of the plan before the update of that step, in its unit; NaN where it has a longer interval. From a backend one row
    /// per step with a value for each [column](crate::Sampling::columns), in inner units.
    pub samples: Vec<f32>,
    /// Statistics taken by a `Simulation`, by step; a backend leaves them empty.
    pub statistics: Vec<Measurement>,
    /// Whether a variable of a neuron was infinite or NaN at the end of the epoch or later. Neurons that have just fired are not checked,
    /// because their reset may replace the value. A `Simulation` finds the variable and the step, and discards the
    /// results from that step on.
    pub diverged: bool,
}

impl Activity {
    /// Removes and returns the results of these steps, which must be the first ones, and the statistics up to their end; later ones stay.
    /// `rows` is the shape of the samples. The divergence flag is returned with them.
    pub fn take(&mut self, steps: Range<u32>, rows: SampleRows) -> Activity {
        let later = Activity {
            spikes: self.spikes.split_off(self.spikes.partition_point(|spike| spike.step < steps.end)),
            samples: self.samples.split_off(rows.values_in(steps.clone()).min(self.samples.len())),
            statistics: self.statistics.split_off(self.statistics.partition_point(|of| of.step <= steps.end)),
            diverged: false,
        };
        std::mem::replace(self, later)
    }
}

/// A statistic at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The step at whose start the state was measured.
    pub step: u32,
    /// Index of the statistic in [`Plan::statistics`].
    pub statistic: usize,
    /// Its values.
    pub distribution: Distribution,
}

/// One of several parallel runs of a device. They share everything that is drawn, such as connectivity; noise, and the values varied by a
/// sweep, differ.
#[derive(Debug, Clone)]
pub struct Trial {
    /// A word of the counters of the noise.
    pub number: u32,
    /// The plan.
    pub plan: Arc<Plan>,
}

/// The precision of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// State in f32, input in fixed point.
    Single,
    /// State and input in f64.
    Double,
}

/// A device that can run a plan.
///
/// # Trials
///
/// A device runs one trial or several in lockstep. They are identified by their index in the loaded list. The spikes of a trial do not
/// depend on the other trials.
///
/// # The order of one step
///
/// Step k covers [t, t + dt), t = k·dt. The [schedule](crate::schedule::Schedule) of the plan defines its phases of
/// [`PhaseKind`](crate::schedule::PhaseKind) and their order. Backends execute this list, with fused phases where possible. Neurons that no synapse
/// with state reads or writes within a step run ahead of the others, by at most [`Plan::epoch_steps`].
pub trait Backend {
    /// The name of the device for users.
    fn name(&self) -> String;
    /// Its precision. A device in f64 needs plans with [exact values](crate::BuildOptions::exact), and its words of arrays
    /// are those of f32 numbers; see [`Backend::read_exact`] and [`Backend::save`].
    fn precision(&self) -> Precision {
        Precision::Single
    }
    /// Makes this device one of several ranks. It then loads plans of its [part](Plan::part), and exchanges spikes and whatever else the
    /// phases of other ranks read within [`Backend::advance`], whose results have the spikes of its own neurons and zeros for samples of
    /// others. Arrays that are read and written have the values of own neurons and of synapses onto them.
    ///
    /// # Errors
    /// The device cannot simulate a part of a network.
    fn join(&mut self, exchange: Rc<dyn Exchange>) -> Result<(), Error> {
        let (name, rank) = (self.name(), exchange.rank());
        Err(Error::Backend(format!("{name} cannot simulate a part of a network (rank {rank}); use the CPU or a GPU for it")))
    }
    /// Loads trials, whose plans [share their rows](Plan::shares_rows_with): allocates and fills all arrays, at step 0 and with initial
    /// values. Earlier trials are dropped. The first epoch may begin at a later step: the arrays then contain everything before it, because
    /// they were written.
    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()>;
    /// Begins an epoch before [`Backend::advance`] is called for it, so that the device works while the caller does. Several epochs may be
    /// begun, each at the end of the previous one; they must be advanced in the same order. Until then no array may be read or written, and
    /// no plan revised.
    fn begin(&mut self, epoch: Epoch) -> Task<'_, ()> {
        let _ = epoch;
        Box::pin(async { Ok(()) })
    }
    /// Runs an epoch, which starts at the end of the previous one, in every trial; returns the results of each.
    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>>;
    /// Replaces the plans by others of the same networks, one per trial: clocks and tables change from the next epoch on. Arrays are not
    /// changed; they are written one by one.
    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()>;
    /// What all ranks say, in their order, with `own` as the words of this one: for decisions that depend on own neurons, and that all ranks
    /// must take in the same way.
    fn ask_all(&mut self, own: Vec<u32>) -> Task<'_, Vec<Vec<u32>>> {
        Box::pin(async move { Ok(vec![own]) })
    }
    /// Reads an array of a trial after the last epoch, as 32-bit words.
    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>>;
    /// The values of an array of variables or parameters as f64, in a device in f64; `None` for others, and for other arrays.
    fn read_exact(&mut self, trial: usize, array: ArrayId) -> Result<Option<Vec<f64>>, Error> {
        let _ = (trial, array);
        Ok(None)
    }
    /// Replaces these values; returns whether the device has any.
    fn write_exact(&mut self, trial: usize, array: ArrayId, values: &[f64]) -> Result<bool, Error> {
        let _ = (trial, array, values);
        Ok(false)
    }
    /// The words of an array for a snapshot: those of [`Backend::read`], unless the device has more digits than these hold.
    fn save(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        self.read(trial, array)
    }
    /// Replaces an array by words of [`Backend::save`].
    fn restore<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        self.write(trial, array, words)
    }
    /// The synapses of a projection of a loaded plan, in the order of its arrays.
    fn synapses<'a>(&'a mut self, plan: &'a Plan, projection: usize) -> Task<'a, SynapseList> {
        Box::pin(async move { Ok(SynapseList::of(plan, projection)) })
    }
    /// Brings all trials to the end of the step before `step`: adds its input, resets the neurons that fired, and executes the statements of
    /// its events, all of which a device otherwise does at the start of `step`. An epoch that begins there must then say so
    /// ([`Epoch::is_complete`]).
    fn complete_step(&mut self, step: u32) -> Task<'_, ()>;
    /// Computes the pending input of a trial again, with its present weights, from the last spikes of all neurons: those of as many steps as
    /// the delay ring has slots, in their order. The state before `step` [is settled](Backend::complete_step).
    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()>;
    /// Replaces an array of a trial, before the next epoch. The number of words must be that of the array.
    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()>;
    /// Replaces an array of a trial by its initial values in a plan of the same network, before the next epoch.
    fn follow<'a>(&'a mut self, trial: usize, array: ArrayId, plan: &'a Plan) -> Task<'a, ()> {
        Box::pin(async move { self.write(trial, array, &plan.initial_words(array)).await })
    }
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
        let rows = SampleRows { width: 2, every: 1 };
        let nothing = activity.clone().take(10..10, rows);
        assert_eq!((nothing.spikes, nothing.samples, nothing.statistics), (vec![], vec![], vec![measured(10)]));
        let first = activity.take(10..13, rows);
        assert_eq!((first.spikes, first.samples), (spikes(&[10, 12, 12]), samples(10..13)));
        assert_eq!((first.statistics, first.diverged), ([10, 13].map(measured).into(), true));
        let rest = activity.take(13..16, rows);
        assert_eq!((rest.spikes, rest.samples), (spikes(&[13, 15]), samples(13..16)));
        assert_eq!((rest.statistics, rest.diverged), (vec![measured(16)], false));
        assert_eq!(activity, Activity::default());
    }
}
