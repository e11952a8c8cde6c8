//! `spikelet check`.

use std::path::Path;

use pollster::block_on;
use serde::Serialize;
use spikelet::cost::ExpectedMemory;
use spikelet::schedule::ScheduleReport;
use spikelet::{BuildOptions, Builder, Plan, grouped, human};
use spikelet_gpu::{AdapterReport, KernelReport, adapters, gpu_plan, validate};
use spikelet_native::memory;

use crate::args::CheckArguments;
use crate::failure::Failure;
use crate::terminal::{self, print};
use crate::{device, dry_run, source};

/// The results. The keys of its JSON are part of the command line interface.
#[derive(Serialize)]
struct Report {
    network: String,
    neurons: u64,
    synapses: u64,
    /// Whether the synapses were drawn; otherwise their number and the memory are expected ones.
    exact: bool,
    memory_bytes: u64,
    notices: Vec<String>,
    /// `None` if they were not requested.
    kernels: Option<Vec<Kernel>>,
    /// `None` if it was not requested.
    schedule: Option<Steps>,
}

/// The schedule of a step, and the number of GPU dispatches per epoch; `None` if no GPU can hold the network.
#[derive(Serialize)]
struct Steps {
    #[serde(flatten)]
    schedule: ScheduleReport,
    dispatches_per_epoch: Option<usize>,
    steps_per_dispatched_epoch: Option<u32>,
}

impl Steps {
    fn of(plan: &Plan) -> Steps {
        let dry = gpu_plan(plan, u64::MAX).ok();
        Steps {
            schedule: plan.schedule().clone().fused().report(plan),
            dispatches_per_epoch: dry.as_ref().map(|dry| dry.dispatches_per_epoch),
            steps_per_dispatched_epoch: dry.map(|dry| dry.epoch_steps),
        }
    }
}

#[derive(Serialize)]
struct Kernel {
    name: String,
    valid: bool,
    issues: Vec<Issue>,
}

#[derive(Serialize)]
struct Issue {
    message: String,
    line: Option<u32>,
    column: Option<u32>,
    source: String,
}

impl From<KernelReport> for Kernel {
    fn from(KernelReport { name, valid, issues }: KernelReport) -> Kernel {
        let issue =
            |of: spikelet_gpu::KernelIssue| Issue { message: of.message, line: of.line, column: of.column, source: of.source };
        Kernel { name, valid, issues: issues.into_iter().map(issue).collect() }
    }
}

/// Reads the network with its equations, and draws its synapses, unless there are very many: all checks before a run; on request also its
/// kernels.
pub(crate) fn check(args: &CheckArguments) -> Result<(), Failure> {
    let threads = device::build_threads(None);
    let options = BuildOptions { threads, memory: memory::free(), ..BuildOptions::default() };
    let network = source::checked(&args.network, options)?;
    let refused = |error: spikelet::Error| Failure::of_file(Path::new(&args.network), &error);
    let expected = ExpectedMemory::new(&network, options).map_err(refused)?;
    let exact = args.exact || args.kernels || args.schedule || dry_run::is_cheap(&expected);
    let plan = match exact {
        true => Builder::new(&network, options).and_then(Builder::finish).map_err(refused)?,
        // The same rules and equations, with few neurons.
        false => expected.sample.clone(),
    };
    let adapter = match &args.adapter {
        Some(selector) => {
            let mut all: Vec<AdapterReport> = block_on(adapters());
            Some(all.swap_remove(selector.pick(&all)?))
        }
        None => None,
    };
    let kernels = args.kernels.then(|| validate(&plan, adapter.as_ref())).transpose().map_err(refused)?;
    let report = Report {
        network: network.name.clone(),
        neurons: expected.number_of_neurons(),
        synapses: if exact { plan.synapses() } else { expected.estimate.synapses().round() as u64 },
        exact,
        memory_bytes: if exact { plan.memory().iter().map(|(_, bytes)| bytes).sum() } else { expected.bytes() },
        notices: spikelet::notices(&network).iter().map(ToString::to_string).collect(),
        kernels: kernels.map(|kernels| kernels.into_iter().map(Kernel::from).collect()),
        schedule: args.schedule.then(|| Steps::of(&plan)),
    };
    report.notices.iter().for_each(terminal::notice);
    if args.json {
        // Names, texts and numbers: cannot fail.
        print(&serde_json::to_string_pretty(&report).unwrap_or_default())?;
    } else {
        print(&format!(
            "{} is a network: {}, {} neurons, {}{} synapses, {}",
            args.network,
            report.network,
            grouped(report.neurons),
            if exact { "" } else { "about " },
            grouped(report.synapses),
            human(report.memory_bytes),
        ))?;
        report.kernels.iter().flatten().try_for_each(|kernel| print(&kernel.lines()))?;
        if let Some(Steps { schedule, dispatches_per_epoch, steps_per_dispatched_epoch }) = &report.schedule {
            print(&schedule.to_string().trim_end())?;
            if let Some((dispatches, steps)) = dispatches_per_epoch.zip(*steps_per_dispatched_epoch) {
                print(&format!("on a GPU: {dispatches} dispatches for epochs of {steps}"))?;
            }
        }
    }
    match report.kernels.iter().flatten().filter(|kernel| !kernel.valid).count() {
        0 => Ok(()),
        // The network is valid, but a kernel is not.
        1 => Err(Failure::Run("a kernel is not valid; use the CPU, and report this error".to_owned())),
        some => Err(Failure::Run(format!("{some} kernels are not valid; use the CPU, and report this error"))),
    }
}

impl Kernel {
    fn lines(&self) -> String {
        let mut lines = vec![format!("kernel {}: {}", self.name, if self.valid { "valid" } else { "not valid" })];
        for Issue { message, line, column, source } in &self.issues {
            let place = match (line, column) {
                (Some(line), Some(column)) => format!("line {line}, column {column}: "),
                _ => String::new(),
            };
            lines.push(format!("  {place}{message}"));
            if !source.is_empty() {
                lines.push(format!("    {source}"));
            }
        }
        lines.join("\n")
    }
}
