//! `spikelet assemblies`.

mod figure;
mod operation;
mod parse;
mod report;

use spikelet_assemblies::{Brain, BrainOptions, Error};

use crate::args::{AssembliesCommand, Backend, EngineArguments, Mode};
use crate::failure::Failure;
use crate::{device, memory};
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

/// The options of a brain.
fn options(p: f64, w_max: f64, args: &EngineArguments) -> Result<BrainOptions, Failure> {
    if args.backend == Backend::Gpu {
        return Err(Failure::Input(
            "--backend gpu: assemblies are computed on CPU threads so far; use --backend cpu, or describe the areas as populations with \
             `winners` in a network, which `spikelet run` computes on a GPU"
                .into(),
        ));
    }
    device::check_threads(args.threads)?;
    // A lazy area is so small that threads would wait for each other most of the time.
    let threads = if args.mode == Mode::Lazy && args.threads.is_none() { 1 } else { device::threads(args.threads) };
    let memory = args.memory.or_else(memory::free).unwrap_or(u64::MAX);
    Ok(BrainOptions { p, seed: 1, mode: args.mode.into(), w_max, threads, memory })
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
