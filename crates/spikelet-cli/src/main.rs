//! The command line of Spikelet.
//!
//! | modules | |
//! |---|---|
//! | `args` | what is typed; the documentation of a field is the text of `--help` |
//! | `source`, `build`, `device` | reads the network, builds its plan, opens the device |
//! | `run`, `trials`, `ranks` | a run: its trials, checkpoints, and its view of other ranks |
//! | `records`, `unfinished`, `output`, `report` | what a run records while it goes, and the files at its end |
//! | `forecast`, `machine`, `energy` | predictions for ranks, what a machine can do, and the energy of a run |
//! | `import`, `export`, `train`, `assemblies` and others | a file for each command |

mod args;
mod assemblies;
mod bench;
mod build;
mod cell_groups;
mod check;
mod compare;
mod device;
mod doctor;
mod dry_run;
mod energy;
mod evaluate;
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
mod overlap;
mod partition;
mod pipelines;
mod plot;
mod profile;
mod progress;
mod ranks;
mod records;
mod report;
mod resume;
mod run;
mod run_description;
mod screen;
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

use std::panic::{self, AssertUnwindSafe};
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
    let done = startup::limit_level().and_then(|()| execute_to_panic(command));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::fail(&failure, json);
            failure.exit_code()
        }
    }
}

/// A panic is an error; what was recorded until then is in files.
fn execute_to_panic(command: Command) -> Result<(), Failure> {
    let folder = match &command {
        Command::Run(args) => args.out.clone(),
        Command::Resume(args) => Some(args.folder.clone()),
        _ => None,
    };
    panic::catch_unwind(AssertUnwindSafe(|| execute(command))).unwrap_or_else(|payload| {
        let mut sentence = format!("the program has panicked: {}; report this error", failure::of_panic(&*payload));
        if let Some(folder) = folder {
            sentence += &format!("; what was recorded until then is in {}", folder.display());
        }
        Err(Failure::Run(sentence))
    })
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
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Assemblies { command } => assemblies::run(&command),
    }
}
