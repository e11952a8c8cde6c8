//! The device of the open network, and why it was chosen.

use spikelet::Simulation;
use spikelet::lang::wgsl::Arithmetic;
use spikelet_gpu::{Device, Fusion, GpuOptions, Monitor, Pace, SelectedBackend};

use super::run_profile::RunMeasurement;
use super::summary;
use super::threads::Threads;
use crate::protocol::{BackendChoice, BackendKind, BackendSummary, Buffer, BuildSeconds, Create, Info};

/// How the code of neurons and synapses runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeOptions {
    /// Whether neuron models are compiled on the CPU.
    pub(super) compile: bool,
    /// How a GPU rounds.
    pub(super) arithmetic: Arithmetic,
    /// Invocations per workgroup of a GPU, if requested.
    pub(super) workgroup_size: Option<u32>,
    /// Whether runs are measured.
    pub(super) profile: bool,
}

impl CodeOptions {
    pub(super) fn of(create: &Create) -> CodeOptions {
        let arithmetic = if create.fast_math { Arithmetic::Fast } else { Arithmetic::Exact };
        let Create { compile, workgroup_size, profile, .. } = *create;
        CodeOptions { compile, arithmetic, workgroup_size, profile }
    }

    /// Those of a GPU. Kernels that are measured are dispatched one by one.
    pub(super) fn of_gpu(self) -> GpuOptions {
        let CodeOptions { arithmetic, workgroup_size, profile, .. } = self;
        let usual = GpuOptions::default();
        GpuOptions {
            pace: Pace::Shared,
            arithmetic,
            workgroup_size: workgroup_size.unwrap_or(usual.workgroup_size),
            profile,
            fusion: profile.then_some(Fusion::None),
            ..usual
        }
    }
}

/// The device of a network, and why it was chosen.
pub(super) struct Build {
    pub(super) choice: BackendChoice,
    pub(super) code: CodeOptions,
    /// The memory and threads available to it.
    pub(super) threads: Threads,
    backend: BackendSummary,
    gpu: Option<(Device, Monitor)>,
    /// Of all runs on the device, if they are measured.
    pub(super) measurement: Option<RunMeasurement>,
    pub(super) seconds: BuildSeconds,
}

impl Build {
    /// With the chosen device, the available threads, and how neuron models run on the CPU.
    pub(super) fn new(
        (choice, code): (BackendChoice, CodeOptions),
        threads: Threads,
        (chosen, measurement): (&SelectedBackend, Option<RunMeasurement>),
        neuron_code: String,
    ) -> Build {
        let (backend, gpu) = (summary::backend(chosen, &threads, neuron_code), chosen.gpu.clone());
        Build { choice, code, threads, backend, gpu, measurement, seconds: BuildSeconds::default() }
    }

    /// Records a change of the device.
    pub(super) fn settle_on(&mut self, (chosen, measurement): (&SelectedBackend, Option<RunMeasurement>), neuron_code: String) {
        (self.backend, self.gpu) = (summary::backend(chosen, &self.threads, neuron_code), chosen.gpu.clone());
        self.measurement = measurement;
    }

    /// The GPU, if it is one.
    pub(super) fn gpu(&self) -> Option<(&Device, &Monitor)> {
        self.gpu.as_ref().map(|(device, monitor)| (device, monitor))
    }

    pub(super) fn is_gpu(&self) -> bool {
        self.backend.kind == BackendKind::Gpu
    }

    /// The description of a network on it.
    pub(super) fn info(&self, simulation: &Simulation) -> Info {
        summary::info(simulation, &self.backend, self.seconds, self.buffers(simulation))
    }

    /// The memory of a network on it.
    pub(super) fn buffers(&self, simulation: &Simulation) -> Vec<Buffer> {
        summary::buffers(simulation.plan(), simulation.runs().len(), self.gpu().map(|(_, monitor)| monitor))
    }

    /// The device, and why it was chosen.
    pub(super) fn backend(&self) -> &BackendSummary {
        &self.backend
    }
}
