//! What became of a trial since it was built.

use std::sync::{Arc, OnceLock};

use crate::snapshot::{NetworkLog, PlanPart, Settings, fingerprint};
use crate::{ArrayId, Network, Plan};

/// What became of a trial since it was built.
pub(super) struct RunHistory {
    /// Network and plan as they were given, before any value was set.
    pub(super) built: (Arc<Network>, Arc<Plan>),
    parts: OnceLock<Arc<[PlanPart]>>,
    /// Values set since: those that run, and those that a reset starts from.
    pub(super) now: Settings,
    pub(super) start: Settings,
    /// Arrays that were written although they follow from values: they no longer do.
    pub(super) written: Vec<ArrayId>,
}

impl RunHistory {
    pub(super) fn new(network: &Arc<Network>, plan: &Arc<Plan>) -> RunHistory {
        let (now, start) = (Settings::new(), Settings::new());
        RunHistory { built: (network.clone(), plan.clone()), parts: OnceLock::new(), now, start, written: Vec::new() }
    }

    /// A value was set from outside.
    pub(super) fn set(&mut self, path: &str, value: &str) {
        self.start.insert(path.to_owned(), value.to_owned());
    }

    /// A value was given to what runs, from outside or by a change.
    pub(super) fn assign(&mut self, path: &str, value: &str) {
        self.now.insert(path.to_owned(), value.to_owned());
    }

    /// The trial is at its start again.
    pub(super) fn restart(&mut self) {
        self.now = self.start.clone();
        self.written.clear();
    }

    /// The trial records something else than what it was built to.
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
