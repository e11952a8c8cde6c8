//! Snapshots: everything that moves in a simulation, to go on from as if it had never stopped.
//!
//! `docs/snapshot.md` describes the bytes of a file.

mod bytes;
mod fingerprint;
mod format;

use std::sync::Arc;

use indexmap::IndexMap;

use crate::plan::Revision;
use crate::{Changed, Error, Network, Plan, Stopped, time};
pub(crate) use fingerprint::{PlanPart, fingerprint};
use fingerprint::{check_network, check_same};

/// A simulation between two steps: [`Simulation::restore`](crate::Simulation::restore) goes on from it.
///
/// On the same backend what follows is the same, bit by bit, as if nothing had happened; on another one it is the same up to what
/// backends differ in anyway (software GPUs and CPUs do not). It holds what moves and what was set, not what is drawn: synapses are
/// drawn again from the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Version of the program that made it.
    pub(crate) program: String,
    /// What it fits.
    pub(crate) parts: Arc<[PlanPart]>,
    pub(crate) trials: Vec<TrialState>,
}

/// A trial between two steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrialState {
    /// A word of the noise's counters.
    pub(crate) number: u32,
    /// The step that runs next.
    pub(crate) step: u32,
    /// The network as it was built.
    pub(crate) network: Arc<Network>,
    /// What runs now.
    pub(crate) now: NetworkLog,
    /// What a reset starts from, where that is something else.
    pub(crate) start: Option<NetworkLog>,
    pub(crate) changed: Vec<Changed>,
    /// What the conditions that end a run have heard.
    pub(crate) heard: Vec<ConditionProgress>,
    pub(crate) stopped: Option<Stopped>,
    /// All arrays of the device; none at step 0 with initial values.
    pub(crate) arrays: Vec<SavedArray>,
}

/// Values set since a network was built, by path, in the order in which they were first set.
pub(crate) type Settings = IndexMap<String, String>;

/// What became of a network since it was built.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NetworkLog {
    pub(crate) settings: Settings,
    pub(crate) revision: Revision,
}

/// What a condition that ends a run has heard.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ConditionProgress {
    /// Spikes from the start, or in the window.
    pub(crate) count: u64,
    /// Steps of the window that had spikes, with their number.
    pub(crate) recent: Vec<(u32, u64)>,
}

/// An array of the device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SavedArray {
    pub(crate) name: String,
    pub(crate) words: Vec<u32>,
}

impl Snapshot {
    /// The network that it is a snapshot of, as it was built. Of [files](Network::resolve) one that was read from bytes holds the
    /// names.
    pub fn network(&self) -> &Arc<Network> {
        &self.trials[0].network
    }

    /// The step that runs next.
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

    /// Refuses to go on as another network than that whose parts these are.
    ///
    /// # Errors
    /// What differs.
    pub(crate) fn check(&self, network: &Network, parts: &[PlanPart]) -> Result<(), Error> {
        check_same(&self.parts, parts, &self.program)?;
        // What nobody has hashed is compared.
        let is_hashed = self.parts.iter().zip(parts).all(|(there, here)| there.hash != 0 || here.hash == 0);
        if is_hashed { Ok(()) } else { check_network(self.network(), network) }
    }
}

impl NetworkLog {
    /// The network with these values, and its plan, from those that were built.
    ///
    /// # Errors
    /// A value that the network does not take.
    pub(crate) fn of(&self, network: &Arc<Network>, plan: &Arc<Plan>) -> Result<(Arc<Network>, Arc<Plan>), Error> {
        if self.settings.is_empty() {
            return Ok((network.clone(), plan.clone()));
        }
        let mut now = (**network).clone();
        now.set_again(self.settings.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
        let object = |path: &String| path.split_once('.').map_or(path.clone(), |(object, _)| object.to_owned());
        let objects: Vec<String> = self.settings.keys().map(object).collect();
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let plan = plan.restored(&now, &objects, &self.revision)?;
        Ok((Arc::new(now), Arc::new(plan)))
    }
}

#[cfg(test)]
mod tests;
