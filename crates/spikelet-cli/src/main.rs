//! The command line of Spikelet.

mod args;
mod build;
mod device;
mod dry_run;
mod failure;
mod interrupt;
mod list;
mod memory;
mod output;
mod progress;
mod recover;
mod report;
mod run;
mod show;
mod source;
mod verify;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use spikelet::Plan;

use args::{Arguments, Command};
use failure::Failure;

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Run(args) => run::run(&args),
        Command::List(args) => list::list(&args),
        Command::Show { what } => show::show(&what),
        Command::Check { file } => check(&file),
        Command::Verify(args) => verify::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

/// Reads the network, its equations included, and draws its synapses: all that could be refused before a run.
fn check(file: &Path) -> Result<(), Failure> {
    let network = source::file(file)?;
    let plan = Plan::new(&network).map_err(|error| Failure::of_file(file, &error))?;
    network.notices().iter().for_each(|notice| eprintln!("notice: {notice}"));
    let memory = plan.memory().iter().map(|(_, bytes)| bytes).sum();
    output::print(&format!(
        "{} is a network: {}, {} neurons, {} synapses, {}",
        file.display(),
        network.name,
        report::grouped(plan.neurons().into()),
        report::grouped(plan.synapses()),
        report::bytes(memory),
    ))
}
