//! The profile of a run: the time of each operation of a CPU or kernel of a GPU, and what to change.

mod advice;
mod cpu;
mod gpu;
mod kernels;

use serde::Serialize;
use spikelet::{CpuProfile, Error, Plan};

use crate::{Device, Monitor};
pub use advice::{Advice, Interface};
pub use cpu::{CpuReport, OperationShare, SleepShare};
pub use gpu::{GpuReport, KernelProfile};
use kernels::{KernelShare, KernelTime, Measurement, Profile, min_bytes};

/// What was run, to profile it.
#[derive(Debug, Clone, Copy)]
pub struct Workload<'a> {
    /// The plan of the first trial.
    pub plan: &'a Plan,
    /// Parallel trials.
    pub trials: u32,
    /// Threads of the CPU; 0 for a GPU.
    pub threads: usize,
    /// Threads of the machine.
    pub max_threads: usize,
    /// Whether the number of threads was requested.
    pub has_requested_threads: bool,
    /// Whether the size of workgroups was requested.
    pub has_requested_workgroup_size: bool,
    /// Wall time of the simulation, in seconds.
    pub seconds: f64,
    /// Neuron updates per second of wall time; `None` before there is a step.
    pub neuron_updates_per_second: Option<f64>,
    /// Synaptic events per second of wall time; `None` before there is a step.
    pub synaptic_events_per_second: Option<f64>,
    /// Where options are given.
    pub interface: Interface,
}

/// The profile of a run. The keys of its JSON are part of the interfaces.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum RunProfile {
    /// Of a CPU.
    Cpu(CpuReport),
    /// Of a GPU.
    Gpu(GpuReport),
}

impl RunProfile {
    /// That of a CPU; `None` if nothing was measured.
    pub fn of_cpu(run: &Workload, profile: &CpuProfile) -> Option<RunProfile> {
        let times = profile.times();
        (times.total() > 0.0).then(|| RunProfile::Cpu(CpuReport::new(run, &times, &profile.slept())))
    }

    /// That of a GPU with [`GpuOptions::profile`](crate::GpuOptions::profile). Measures the bandwidth of its memory.
    ///
    /// # Errors
    /// An error of the device.
    pub async fn of_gpu(run: &Workload<'_>, device: &Device, monitor: &Monitor) -> Result<RunProfile, Error> {
        Ok(RunProfile::Gpu(GpuReport::new(run, device, monitor).await?))
    }

    /// What to change, the most important first.
    pub fn advice(&self) -> &[Advice] {
        match self {
            RunProfile::Cpu(report) => &report.advice,
            RunProfile::Gpu(report) => &report.advice,
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
