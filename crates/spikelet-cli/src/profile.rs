//! `spikelet run --profile`: the time of each operation of the CPU or kernel of a GPU, and what to change.

mod advice;
mod cpu;
mod gpu;

use std::fmt;

use serde::Serialize;
use spikelet::Plan;

use crate::args::RunArguments;
use crate::failure::Failure;
use crate::report;
use crate::trials::Trials;

/// A profile. The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Report {
    Cpu(cpu::Report),
    Gpu(gpu::Report),
}

/// The measurements of a run; `None` with a notice if nothing was measured.
pub(crate) fn of_run(args: &RunArguments, trials: &Trials, plan: &Plan, run: &report::Report) -> Result<Option<Report>, Failure> {
    if let Some(gpu) = trials.gpu() {
        return gpu::of_run(args, gpu, plan, run).map(|report| Some(Report::Gpu(report)));
    }
    Ok(cpu::of_run(args, trials.cpu_profile(), plan, run).map(Report::Cpu))
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
