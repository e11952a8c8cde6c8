//! The command line of Spikelet.

mod args;
mod assemblies;
mod bench;
mod build;
mod check;
mod compare;
mod device;
mod doctor;
mod dry_run;
mod energy;
mod export;
mod failure;
mod files;
mod forecast;
mod import;
mod interrupt;
mod jobs;
mod list;
mod machine;
mod mistakes;
mod monitor;
mod output;
mod partition;
mod pipelines;
mod plot;
mod profile;
mod progress;
mod ranks;
mod records;
mod recover;
mod report;
mod resume;
mod run;
mod run_description;
mod show;
mod signal;
mod source;
mod startup;
mod terminal;
mod text;
mod train;
mod trials;
mod tune;
mod tuned;
mod unfinished;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use failure::Failure;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: spikelet_native::LargePages = spikelet_native::LargePages;

fn main() -> ExitCode {
    startup::silence_drivers();
    startup::tell_without_memory();
    let command = Arguments::parse().command;
    let json = command.is_for_machines();
    let done = startup::limit_level().and_then(|()| execute(command));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::fail(&failure, json);
            failure.exit_code()
        }
    }
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Partition(args) => partition::run(&args),
        Command::List(args) => list::list(&args),
        Command::Show { what } => show::show(&what),
        Command::Check(args) => check::check(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Machine(args) => machine::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Assemblies { command } => assemblies::run(&command),
    }
}
