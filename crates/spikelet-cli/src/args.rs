//! The command line arguments.

mod assemblies;
mod bench;
mod check;
mod compare;
mod cost;
mod interchange;
mod list;
mod partition;
mod ranks;
mod resume;
mod run;
mod screen;
mod train;
mod value;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use assemblies::{
    AssembliesCommand, EngineArguments, Figure, FigureArguments, Grammar, Mode, OperationArguments, ParseArguments,
};
pub(crate) use bench::{BenchArguments, BenchDevice};
pub(crate) use check::{CheckArguments, DoctorArguments, Processor, VerifyArguments};
pub(crate) use compare::{CompareArguments, TableFormat};
pub(crate) use cost::{CostArguments, MachineArguments};
pub(crate) use interchange::{ExportArguments, ForeignFormat, GraphReset, ImportArguments};
pub(crate) use list::{ListArguments, ListKind, ModelForm, ModelKind, SchemaKind, ShowArguments};
pub(crate) use partition::PartitionArguments;
pub(crate) use ranks::{Balance, Division, RankArguments, RankDevice, Split};
pub(crate) use resume::ResumeArguments;
pub(crate) use run::{Format, NetworkSettings, Precision, ResultFormat, RunArguments, Sleep, Storage, Weights};
pub(crate) use screen::Screen;
pub(crate) use train::{EvaluateArguments, SamplesOf, TrainArguments, TrainingDevice, TrainingMethod};
pub(crate) use value::WorkgroupSize;

/// A simulator of spiking neural networks.
///
/// Exit codes: 0 success, 1 the run failed, 2 the input is invalid; 129, 130 or 143 if SIGHUP, SIGINT or SIGTERM interrupted a run; its
/// results so far are written.
#[derive(Debug, Parser)]
#[command(name = "spikelet", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a network and prints its results
    Run(Box<RunArguments>),
    /// Continues a run of --checkpoint-every, with the same results as if nothing had happened
    Resume(ResumeArguments),
    /// Lists networks, models, trainings or devices
    List(ListArguments),
    /// Runs a network in f32 and in f64, and shows where they begin to differ
    Compare(Box<CompareArguments>),
    /// Divides a network among ranks, and compares methods before anything runs
    Partition(Box<PartitionArguments>),
    /// Shows a model, a training, or a schema
    Show {
        #[command(subcommand)]
        what: ShowArguments,
    },
    /// Checks a network without running it
    Check(CheckArguments),
    /// Makes a network of a file of another simulator
    Import(ImportArguments),
    /// Writes a network as a file of another simulator
    Export(ExportArguments),
    /// Runs conformance cases and compares the results with the expected ones
    Verify(VerifyArguments),
    /// Measures the speed of networks
    Bench(BenchArguments),
    /// Checks this installation: a known computation on each device
    Doctor(DoctorArguments),
    /// Measures this machine, for predictions of time on many ranks
    Machine(MachineArguments),
    /// Trains a network by gradients, and evaluates it after each epoch
    #[command(after_help = train::EXAMPLES)]
    Train(Box<TrainArguments>),
    /// Evaluates a trained network: accuracy, confusions, rates, operations
    #[command(after_help = train::EVALUATE_EXAMPLES)]
    Evaluate(Box<EvaluateArguments>),
    /// Forms assemblies of neurons and computes with them, without a network file
    #[command(after_help = assemblies::EXAMPLES)]
    Assemblies {
        #[command(subcommand)]
        command: Box<AssembliesCommand>,
    },
}

impl Command {
    /// Whether it prints JSON.
    pub(crate) fn is_for_machines(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Resume(args) => args.json,
            Command::Compare(args) => args.json,
            Command::Partition(args) => args.json,
            Command::Check(args) => args.json,
            Command::List(args) => args.json,
            Command::Verify(args) => args.json,
            Command::Bench(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Machine(args) => args.json,
            Command::Train(args) => args.json,
            Command::Evaluate(args) => args.json,
            Command::Assemblies { command } => command.is_for_machines(),
            Command::Show { .. } | Command::Import(_) | Command::Export(_) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    Auto,
    Gpu,
    Cpu,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        Arguments::command().debug_assert();
    }
}
