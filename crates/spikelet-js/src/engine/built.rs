//! How the open network came to run, and on what.

use spikelet_gpu::{Monitor, SelectedBackend};

use super::summary;
use super::threads::Threads;
use crate::protocol::{BackendChoice, BackendKind, BackendSummary, BuildSeconds};

/// How a network came to run, and on what.
pub(super) struct Build {
    pub(super) choice: BackendChoice,
    /// What it may have of them.
    pub(super) threads: Threads,
    backend: BackendSummary,
    monitor: Option<Monitor>,
    pub(super) seconds: BuildSeconds,
}

impl Build {
    /// On what was chosen, with what it may have of threads.
    pub(super) fn new(choice: BackendChoice, threads: Threads, chosen: &SelectedBackend, seconds: BuildSeconds) -> Build {
        let (backend, monitor) = (summary::backend(chosen, &threads), monitor(chosen));
        Build { choice, threads, backend, monitor, seconds }
    }

    /// It runs elsewhere from now on.
    pub(super) fn settle_on(&mut self, chosen: &SelectedBackend) {
        (self.backend, self.monitor) = (summary::backend(chosen, &self.threads), monitor(chosen));
    }

    /// What the GPU says of itself, if it is one.
    pub(super) fn monitor(&self) -> Option<&Monitor> {
        self.monitor.as_ref()
    }

    pub(super) fn is_gpu(&self) -> bool {
        self.backend.kind == BackendKind::Gpu
    }

    /// What it runs on, and why.
    pub(super) fn backend(&self) -> &BackendSummary {
        &self.backend
    }
}

fn monitor(chosen: &SelectedBackend) -> Option<Monitor> {
    chosen.gpu.as_ref().map(|(_, monitor)| monitor.clone())
}
