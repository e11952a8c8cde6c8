//! `spikelet run --profile`: the time of each operation of the CPU or kernel of a GPU, and what to change.

mod trace;

use std::fmt;

use pollster::block_on;
use serde::Serialize;
use spikelet::CpuProfile;
use spikelet_gpu::{
    CpuReport, Device, Fusion, GpuReport, KernelProfile, Monitor, OperationShare, RunProfile, SleepShare, Workload,
    gpu_plan_of_trials,
};

use crate::args::RunArguments;
use crate::failure::Failure;
use crate::terminal;
use crate::text::{metric, short};

/// A profile as a table.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub(crate) struct Report(RunProfile);

/// The measurements of a run; `None` with a notice if nothing was measured.
pub(crate) fn of_run(
    args: &RunArguments,
    gpu: Option<&(Device, Monitor)>,
    cpu: Option<&CpuProfile>,
    run: &Workload,
) -> Result<Option<Report>, Failure> {
    let profile = match gpu {
        Some((device, monitor)) => {
            let is_fused = |of: spikelet_gpu::DryRun| of.fusion != Fusion::None;
            if gpu_plan_of_trials(run.plan, device.report().max_binding_bytes(), run.trials).is_ok_and(is_fused) && !args.quiet {
                terminal::notice(
                    &"--profile dispatches each kernel by itself, to measure it; without it, one dispatch does the work of many",
                );
            }
            Some(block_on(RunProfile::of_gpu(run, device, monitor))?)
        }
        None => cpu.and_then(|profile| RunProfile::of_cpu(run, profile)),
    };
    if profile.is_none() && cpu.is_some() {
        terminal::notice(&"--profile measured nothing: the run had no steps, was in f64, or lost its GPU");
    }
    Ok(profile.map(Report))
}

/// Writes the file of `--trace`, after the results of the run.
pub(crate) fn write_trace(args: &RunArguments, gpu: Option<&(Device, Monitor)>) -> Result<(), Failure> {
    match (&args.trace, gpu) {
        (Some(file), Some((device, monitor))) if args.profile => {
            trace::write(file, &device.report().name, &monitor.times().spans)
        }
        _ => Ok(()),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            RunProfile::Cpu(report) => of_cpu(report, f)?,
            RunProfile::Gpu(report) => of_gpu(report, f)?,
        }
        self.0.advice().iter().try_for_each(|advice| write!(f, "\ntry {}: {}", advice.change, advice.reason))
    }
}

fn of_cpu(report: &CpuReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n{:<16} {:>10} {:>7}", "operation", "seconds", "share")?;
    for OperationShare { name, seconds, share } in &report.operations {
        writeln!(f, "{name:<16} {:>10} {:>5.1} %", short(*seconds), 100.0 * share)?;
    }
    if !report.asleep.is_empty() {
        let share = |of: &SleepShare| format!("{} {:.1} %", of.population, 100.0 * of.share);
        writeln!(f, "asleep: {} of the steps of their neurons", report.asleep.iter().map(share).collect::<Vec<_>>().join(", "))?;
    }
    let speed = |value: Option<f64>| value.map_or("0".to_owned(), metric);
    let (updates, events) = (speed(report.neuron_updates_per_second), speed(report.synaptic_events_per_second));
    let threads = if report.threads == 1 { "1 thread" } else { "all threads together" };
    write!(f, "seconds of {threads}, with the cost of the clock; {updates} neuron updates/s, {events} events/s")
}

fn of_gpu(report: &GpuReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let gigabytes = |bytes: f64| short(bytes / 1e9);
    writeln!(f, "\n{:<16} {:>12} {:>10} {:>7} {:>10}", "kernel", "dispatches", "seconds", "share", "GB/s")?;
    for KernelProfile { name, dispatches, seconds, share, bytes_per_second } in &report.kernels {
        let rate = bytes_per_second.map_or("-".to_owned(), gigabytes);
        writeln!(f, "{name:<16} {dispatches:>12} {:>10} {:>5.1} % {rate:>10}", short(*seconds), 100.0 * share)?;
    }
    let busy = report.busy.map_or(String::new(), |busy| format!("; the device works {:.0} % of the time", 100.0 * busy));
    writeln!(
        f,
        "{} dispatches in {} submissions, {} a step, recorded in {} s{busy}; {} events/s; a copy moves {} GB/s",
        report.dispatches,
        report.submissions,
        short(report.dispatches_per_step),
        short(report.encode_seconds),
        short(report.events_per_second),
        gigabytes(report.copy_bytes_per_second)
    )?;
    f.write_str(&report.bottleneck)
}
