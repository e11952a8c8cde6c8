//! Snapshots: the complete dynamic state of a simulation, to continue from.
//!
//! `docs/snapshot.md` describes the bytes of a file.

mod bytes;
mod fingerprint;
mod format;

use std::sync::Arc;

use indexmap::IndexMap;
use spikelet_plan::{Precision, Revision, Spike, time};

use crate::{Changed, Error, Network, Plan, Stopped};
use fingerprint::check_same;
pub(crate) use fingerprint::{PlanPart, fingerprint};

/// A simulation between two steps: [`Simulation::restore`](crate::Simulation::restore) continues from it.
///
/// On the same backend the continuation is the same bit by bit; on another one up to the differences between backends (none between
/// software GPUs and CPUs). It contains the dynamic state and values that were set, not what is drawn: synapses are drawn again from the
/// network.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Version of the program that made it.
    pub(crate) program: String,
    /// The precision of the device. In double precision, an array of values has two words for each.
    pub(crate) precision: Precision,
    /// The network that it belongs to.
    pub(crate) parts: Arc<[PlanPart]>,
    pub(crate) trials: Vec<TrialState>,
}

/// A trial between two steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrialState {
    /// A word of the noise's counters.
    pub(crate) number: u32,
    /// The next step.
    pub(crate) step: u32,
    /// The network as it was built.
    pub(crate) network: Arc<Network>,
    /// The current version.
    pub(crate) now: NetworkLog,
    /// The version to which a reset returns, if it differs.
    pub(crate) start: Option<NetworkLog>,
    pub(crate) changed: Vec<Changed>,
    /// The counts of the stop conditions.
    pub(crate) conditions: Vec<ConditionProgress>,
    pub(crate) stopped: Option<Stopped>,
    /// Whether the step before is [complete](crate::Backend::complete_step).
    pub(crate) is_complete: bool,
    /// The spikes of which input may be pending.
    pub(crate) recent: Vec<Spike>,
    /// All arrays of the device; empty at step 0 with initial values.
    pub(crate) arrays: Vec<SavedArray>,
}

/// Values set since a network was built, by path, in the order in which they were first set.
pub(crate) type Settings = IndexMap<String, String>;

/// The changes of a network since it was built.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NetworkLog {
    pub(crate) settings: Settings,
    pub(crate) revision: Revision,
}

/// The counts of a stop condition.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ConditionProgress {
    /// Spikes from the start, or in the window.
    pub(crate) count: u64,
    /// Steps of the window with spikes, with their number.
    pub(crate) recent: Vec<(u32, u64)>,
}

impl ConditionProgress {
    /// Whether the counts can be those of spikes before this step: their steps are in order, and no sum exceeds the count.
    fn is_of_steps_before(&self, step: u32) -> bool {
        let in_order = self.recent.is_sorted_by(|(one, _), (next, _)| one < next);
        let of_window = self.recent.iter().try_fold(0_u64, |sum, (_, spikes)| sum.checked_add(*spikes));
        let last = self.recent.last().map_or(0, |(last, _)| last.saturating_add(1));
        in_order && last <= step && of_window.is_some_and(|sum| sum <= self.count) && self.count <= u64::from(step) << 32
    }
}

/// An array of the device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SavedArray {
    pub(crate) name: String,
    pub(crate) words: Vec<u32>,
}

impl Snapshot {
    /// The network of the snapshot, as it was built. For [files](Network::resolve), a network read from bytes contains the names.
    pub fn network(&self) -> &Arc<Network> {
        &self.trials[0].network
    }

    /// The next step.
    pub fn step(&self) -> u32 {
        self.trials[0].step
    }

    /// Biological time at the start of that step, in ms.
    pub fn time_ms(&self) -> f64 {
        time::of_step(self.step(), self.network().dt_ms)
    }

    /// The version of the program that made it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The same without arrays. Of ranks that share a network, one stores the arrays of all, and the others what differs between ranks.
    #[must_use]
    pub fn without_arrays(mut self) -> Snapshot {
        self.trials.iter_mut().for_each(|trial| trial.arrays.clear());
        self
    }

    /// The same with the arrays of another one: that of another rank, at the same step.
    #[must_use]
    pub fn with_arrays_of(mut self, other: &Snapshot) -> Snapshot {
        for (trial, other) in self.trials.iter_mut().zip(&other.trials) {
            trial.arrays.clone_from(&other.arrays);
        }
        self
    }

    /// Rejects a network with other parts, and a device of another precision, which would continue with other values.
    ///
    /// # Errors
    /// The difference.
    pub(crate) fn check(&self, parts: &[PlanPart], precision: Precision) -> Result<(), Error> {
        check_same(&self.parts, parts, &self.program)?;
        if self.precision == precision {
            return Ok(());
        }
        let name = |precision: Precision| if precision == Precision::Double { "f64" } else { "f32" };
        let (found, expected) = (format!("of a run in {}", name(self.precision)), format!("this run is in {}", name(precision)));
        Err(Error::invalid("the snapshot", found, expected, "continue it in the precision in which it began"))
    }
}

impl NetworkLog {
    /// The network with these values, and its plan, from those that were built.
    ///
    /// # Errors
    /// An invalid value.
    pub(crate) fn of(&self, network: &Arc<Network>, plan: &Arc<Plan>) -> Result<(Arc<Network>, Arc<Plan>), Error> {
        if self.settings.is_empty() {
            return Ok((network.clone(), plan.clone()));
        }
        let mut now = (**network).clone();
        now.set_again(self.settings.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
        let paths: Vec<&str> = self.settings.keys().map(String::as_str).collect();
        let plan = plan.restored(&now, &paths, &self.revision)?;
        Ok((Arc::new(now), Arc::new(plan)))
    }
}

#[cfg(test)]
mod tests;
