//! `spikelet run --profile`: the time of each operation of the CPU or kernel of a GPU, and what to change.

mod advice;
mod cpu;
mod gpu;

use std::fmt;

use serde::Serialize;
use spikelet::{CpuProfile, Plan};
use spikelet_gpu::{Device, Monitor};

use crate::args::RunArguments;
use crate::failure::Failure;
pub(crate) use cpu::OperationShare;

/// A profile. The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Report {
    Cpu(cpu::Report),
    Gpu(gpu::Report),
}

/// What else was measured of a run.
pub(crate) struct RunFigures {
    pub(crate) trials: u32,
    /// Threads of the CPU; 0 for a GPU.
    pub(crate) threads: usize,
    /// Wall time of the simulation.
    pub(crate) simulate_seconds: f64,
    pub(crate) neuron_updates_per_second: Option<f64>,
    pub(crate) synaptic_events_per_second: Option<f64>,
}

/// The measurements of a run; `None` with a notice if nothing was measured.
pub(crate) fn of_run(
    args: &RunArguments,
    gpu: Option<&(Device, Monitor)>,
    cpu: Option<&CpuProfile>,
    plan: &Plan,
    run: &RunFigures,
) -> Result<Option<Report>, Failure> {
    if let Some(gpu) = gpu {
        return gpu::of_run(args, gpu, plan, run).map(|report| Some(Report::Gpu(report)));
    }
    Ok(cpu::of_run(args, cpu, plan, run).map(Report::Cpu))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self {
            Report::Cpu(report) => {
                write!(f, "{report}")?;
                &report.advice
            }
            Report::Gpu(report) => {
                write!(f, "{report}")?;
                &report.advice
            }
        };
        advice.iter().try_for_each(|advice| write!(f, "\ntry {}: {}", advice.change, advice.reason))
    }
}
