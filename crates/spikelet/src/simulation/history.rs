//! The changes of a trial since it was built.

use std::sync::{Arc, OnceLock};

use crate::snapshot::{NetworkLog, PlanPart, Settings, fingerprint};
use crate::{ArrayId, Network, Plan};

/// The changes of a trial since it was built.
pub(super) struct RunHistory {
    /// Original network and plan, before any value was set.
    pub(super) built: (Arc<Network>, Arc<Plan>),
    parts: OnceLock<Arc<[PlanPart]>>,
    /// Values set since: the current ones, and those that a reset starts from.
    pub(super) now: Settings,
    pub(super) start: Settings,
    /// Arrays of derived values that were written directly.
    pub(super) written: Vec<ArrayId>,
}

impl RunHistory {
    pub(super) fn new(network: &Arc<Network>, plan: &Arc<Plan>) -> RunHistory {
        let (now, start) = (Settings::new(), Settings::new());
        RunHistory { built: (network.clone(), plan.clone()), parts: OnceLock::new(), now, start, written: Vec::new() }
    }

    /// A value was set by the caller.
    pub(super) fn set(&mut self, path: &str, value: &str) {
        self.start.insert(path.to_owned(), value.to_owned());
    }

    /// A current value was set, by the caller or by a change.
    pub(super) fn assign(&mut self, path: &str, value: &str) {
        self.now.insert(path.to_owned(), value.to_owned());
    }

    /// The trial has returned to its start.
    pub(super) fn restart(&mut self) {
        self.now = self.start.clone();
        self.written.clear();
    }

    /// The trial has other recordings than in its build.
    pub(super) fn rebuild(&mut self, network: &Arc<Network>, plan: &Arc<Plan>) {
        (self.built, self.parts) = ((network.clone(), plan.clone()), OnceLock::new());
    }

    pub(super) fn record_written(&mut self, array: ArrayId, moves: bool) {
        if !moves && !self.written.contains(&array) {
            self.written.push(array);
        }
    }

    pub(super) fn parts(&self) -> Arc<[PlanPart]> {
        self.parts.get_or_init(|| fingerprint(&self.built.0, &self.built.1)).clone()
    }

    pub(super) fn version(&self, settings: &Settings, plan: &Plan) -> NetworkLog {
        NetworkLog { settings: settings.clone(), revision: self.built.1.revision(plan) }
    }
}
