//! `cargo xtask`: the project's commands, instead of shell scripts.
//!
//! | module | |
//! |---|---|
//! | `options` | what was typed |
//! | `workspace` | folders, versions from Cargo.lock, native cargo |
//! | `toolchain` | a compiler for wasm32: rustup's target, or Debian's compiler that builds `std` itself |
//! | `tools` | everything else a machine needs: found, else installed |
//! | `python` | environments, the extension module and the wheel of the Python package |
//! | `engine`, `dist`, `serve`, `test`, `doctor`, `bench_peers`, `fuzz`, `release`, `instructions` | the commands; `test` has a file for each kind of check |
//! | `gpu` | the folder that measures a GPU, and its results in documents |
//! | `trunk` | plain `trunk serve`, for its test |
//! | `page`, `policy` | the page, put together from index.html, and what it may load |
//! | `fresh` | what has changed since something was made |
//! | `step`, `board`, `ending` | one progress line per step, what runs at the moment, and its end when xtask is ended |

mod bench_peers;
mod board;
mod copy;
mod dist;
mod doctor;
mod ending;
mod engine;
mod fresh;
mod fuzz;
mod gpu;
mod installed;
mod instructions;
mod interpreter;
mod offline;
mod options;
mod page;
mod policy;
mod profile;
mod python;
mod release;
mod serve;
mod step;
mod test;
mod toolchain;
mod tools;
mod trunk;
mod workspace;

use clap::Parser;
use options::{Command, Options};
use profile::Profile;
use std::process::ExitCode;
use test::{Part, Selection, Tier};
use toolchain::Wasm;
use workspace::Workspace;

/// What went wrong, as a sentence for the person who typed the command.
type Problem = Box<dyn std::error::Error + Send + Sync>;
type Result<T = ()> = std::result::Result<T, Problem>;

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\n✗ {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result {
    ending::pass_signals_on()?;
    let workspace = Workspace::open()?;
    match options.command {
        Command::Doctor => doctor::report(&workspace),
        Command::Engine => {
            tools::provide(&workspace, engine::NEEDS, options.yes)?;
            engine::build(&workspace, &Wasm::open(&workspace)?, Profile::Release)?;
            engine::check_sizes(&workspace)?;
        }
        Command::Dist { folder, measure } => dist::run(&workspace, folder.as_deref(), measure, options.yes)?,
        Command::TrunkHook => {
            tools::provide(&workspace, engine::NEEDS, options.yes)?;
            engine::build(&workspace, &Wasm::open(&workspace)?, Profile::of_trunk())?;
        }
        Command::Serve { port, release } => {
            let profile = if release { Profile::Release } else { Profile::Quick };
            serve::serve(&workspace, port, profile, options.yes)?;
        }
        Command::Test { parts, all, full, changed } => {
            let tier = match () {
                () if full => Tier::Full,
                // Who names a part wants to know all of it.
                () if all || !parts.is_empty() => Tier::All,
                () => Tier::Quick,
            };
            let selection = match changed {
                Some(since) => Selection::Changed(since),
                None if parts.is_empty() => Selection::Parts(Part::of_tier(tier)),
                None => Selection::Parts(parts),
            };
            test::run(&workspace, selection, tier, options.yes)?;
        }
        Command::Wheel => python::wheel(&workspace, options.yes)?,
        Command::BenchPeers(peers) => bench_peers::run(&workspace, &peers, options.yes)?,
        Command::Fuzz { targets, seconds } => fuzz::run(&workspace, &targets, seconds, options.yes)?,
        Command::Release { parts, dry_run } => release::run(&workspace, &parts, dry_run, options.yes)?,
        Command::Instructions { record } => instructions::run(&workspace, record)?,
        Command::Gpu { command } => gpu::run(&workspace, &command)?,
    }
    Ok(())
}
