//! The device of the open network, and why it was chosen.

use spikelet_gpu::{Monitor, SelectedBackend};

use super::summary;
use super::threads::Threads;
use crate::protocol::{BackendChoice, BackendKind, BackendSummary, BuildSeconds};

/// The device of a network, and why it was chosen.
pub(super) struct Build {
    pub(super) choice: BackendChoice,
    /// The memory and threads available to it.
    pub(super) threads: Threads,
    backend: BackendSummary,
    monitor: Option<Monitor>,
    pub(super) seconds: BuildSeconds,
}

impl Build {
    /// With the chosen device and the available threads.
    pub(super) fn new(choice: BackendChoice, threads: Threads, chosen: &SelectedBackend, seconds: BuildSeconds) -> Build {
        let (backend, monitor) = (summary::backend(chosen, &threads), monitor(chosen));
        Build { choice, threads, backend, monitor, seconds }
    }

    /// Records a change of the device.
    pub(super) fn settle_on(&mut self, chosen: &SelectedBackend) {
        (self.backend, self.monitor) = (summary::backend(chosen, &self.threads), monitor(chosen));
    }

    /// Facts about the GPU, if it is one.
    pub(super) fn monitor(&self) -> Option<&Monitor> {
        self.monitor.as_ref()
    }

    pub(super) fn is_gpu(&self) -> bool {
        self.backend.kind == BackendKind::Gpu
    }

    /// The device, and why it was chosen.
    pub(super) fn backend(&self) -> &BackendSummary {
        &self.backend
    }
}

fn monitor(chosen: &SelectedBackend) -> Option<Monitor> {
    chosen.gpu.as_ref().map(|(_, monitor)| monitor.clone())
}
