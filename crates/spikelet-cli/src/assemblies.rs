//! `spikelet assemblies`.

mod figure;
mod operation;
mod parse;
mod report;

use pollster::block_on;
use spikelet_assemblies::{Brain, BrainOptions, Error};
use spikelet_gpu::{Device, GpuAssemblies};
use spikelet_native::memory;

use crate::args::{AssembliesCommand, Backend, EngineArguments, Mode};
use crate::device;
use crate::failure::Failure;
use operation::Operation;

pub(crate) fn run(command: &AssembliesCommand) -> Result<(), Failure> {
    match command {
        AssembliesCommand::Project(args) => operation::run(Operation::Project, args),
        AssembliesCommand::Associate(args) => operation::run(Operation::Associate, args),
        AssembliesCommand::Merge(args) => operation::run(Operation::Merge, args),
        AssembliesCommand::Complete { operation, keep, recall } => {
            operation::run(Operation::Complete(*keep, recall.get()), operation)
        }
        AssembliesCommand::Sequence { operation, length } => operation::run(Operation::Sequence(*length), operation),
        AssembliesCommand::Parse(args) => parse::run(args),
        AssembliesCommand::Figure(args) => figure::run(args),
    }
}

/// Where rounds are computed, and with which options.
#[derive(Clone)]
struct Workplace {
    options: BrainOptions,
    gpu: Option<Device>,
}

impl Workplace {
    fn new(p: f64, w_max: f64, args: &EngineArguments) -> Result<Workplace, Failure> {
        device::check_threads(args.threads)?;
        // A lazy area is so small that threads would wait for each other most of the time.
        let threads = if args.mode == Mode::Lazy && args.threads.is_none() { 1 } else { device::threads(args.threads) };
        let memory = args.memory.or_else(memory::free).unwrap_or(u64::MAX);
        let options = BrainOptions { p, seed: 1, mode: args.mode.into(), w_max, threads, memory };
        let option = if args.adapter.is_some() { "--adapter" } else { "--backend gpu" };
        let gpu = match args.backend {
            Backend::Cpu | Backend::Auto if args.adapter.is_none() => None,
            Backend::Cpu => {
                return Err(Failure::Input("--adapter names a GPU, and --backend cpu is the CPU; remove one of the two".into()));
            }
            _ if args.mode == Mode::Lazy => {
                return Err(Failure::Input(format!(
                    "{option} needs another mode than `lazy`, which computes few neurons one after the other on the CPU; add --mode \
                     procedural, or use --backend cpu"
                )));
            }
            _ => Some(block_on(Device::open_with(&args.adapter.clone().unwrap_or_default()))?),
        };
        Ok(Workplace { options, gpu })
    }

    /// A brain without areas.
    fn brain(&self, seed: u64) -> Result<Brain, Error> {
        let options = BrainOptions { seed, ..self.options };
        match &self.gpu {
            Some(device) => Brain::with_engine(options, Box::new(GpuAssemblies::new(device, &options)?)),
            None => Brain::new(options),
        }
    }

    /// What computes, for users.
    fn name(&self) -> String {
        match (&self.gpu, self.options.threads) {
            (Some(device), _) => device.report().name.clone(),
            (None, 1) => "CPU, 1 thread".to_owned(),
            (None, threads) => format!("CPU, {threads} threads"),
        }
    }
}

/// An error of a brain, with its memory by parts if there is not enough.
fn failure(error: &Error, brain: Option<&Brain>) -> Failure {
    let is_input = matches!(
        error,
        Error::Probability(_)
            | Error::Winners { .. }
            | Error::Value { .. }
            | Error::Fraction { .. }
            | Error::NameTaken(_)
            | Error::UnknownName { .. }
    );
    if is_input {
        return Failure::Input(error.to_string());
    }
    let mut text = error.to_string();
    if let (Error::Memory { .. }, Some(brain)) = (error, brain) {
        let items = brain.memory();
        text.extend(items.iter().map(|item| format!("\n  {}: {}", item.what, spikelet::human(item.bytes))));
    }
    Failure::Run(text)
}

/// The name of a mode.
fn mode_name(mode: spikelet_assemblies::Mode) -> &'static str {
    match mode {
        spikelet_assemblies::Mode::Lazy => "lazy",
        spikelet_assemblies::Mode::Procedural => "procedural",
        spikelet_assemblies::Mode::Explicit => "explicit",
    }
}

impl From<Mode> for spikelet_assemblies::Mode {
    fn from(mode: Mode) -> spikelet_assemblies::Mode {
        match mode {
            Mode::Lazy => spikelet_assemblies::Mode::Lazy,
            Mode::Procedural => spikelet_assemblies::Mode::Procedural,
            Mode::Explicit => spikelet_assemblies::Mode::Explicit,
        }
    }
}
