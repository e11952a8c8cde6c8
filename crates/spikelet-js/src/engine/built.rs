//! The device of the open network, and why it was chosen.

use spikelet::lang::wgsl::Arithmetic;
use spikelet_gpu::{GpuOptions, Monitor, SelectedBackend};

use super::summary;
use super::threads::Threads;
use crate::protocol::{BackendChoice, BackendKind, BackendSummary, BuildSeconds, Create};

/// How the code of neurons and synapses runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeOptions {
    /// Whether neuron models are compiled on the CPU.
    pub(super) compile: bool,
    /// How a GPU rounds.
    pub(super) arithmetic: Arithmetic,
    /// Invocations per workgroup of a GPU.
    pub(super) workgroup_size: u32,
}

impl CodeOptions {
    pub(super) fn of(create: &Create) -> CodeOptions {
        let arithmetic = if create.fast_math { Arithmetic::Fast } else { Arithmetic::Exact };
        let workgroup_size = create.workgroup_size.unwrap_or(GpuOptions::default().workgroup_size);
        CodeOptions { compile: create.compile, arithmetic, workgroup_size }
    }
}

/// The device of a network, and why it was chosen.
pub(super) struct Build {
    pub(super) choice: BackendChoice,
    pub(super) code: CodeOptions,
    /// The memory and threads available to it.
    pub(super) threads: Threads,
    backend: BackendSummary,
    monitor: Option<Monitor>,
    pub(super) seconds: BuildSeconds,
}

impl Build {
    /// With the chosen device, the available threads, and how neuron models run on the CPU.
    pub(super) fn new(
        (choice, code): (BackendChoice, CodeOptions),
        threads: Threads,
        chosen: &SelectedBackend,
        neuron_code: String,
    ) -> Build {
        let (backend, monitor) = (summary::backend(chosen, &threads, neuron_code), monitor(chosen));
        Build { choice, code, threads, backend, monitor, seconds: BuildSeconds::default() }
    }

    /// Records a change of the device.
    pub(super) fn settle_on(&mut self, chosen: &SelectedBackend, neuron_code: String) {
        (self.backend, self.monitor) = (summary::backend(chosen, &self.threads, neuron_code), monitor(chosen));
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
