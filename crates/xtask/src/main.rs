//! `cargo xtask`: the project's commands, instead of shell scripts.
//!
//! | module | |
//! |---|---|
//! | `options` | what was typed |
//! | `workspace` | folders, versions from Cargo.lock, native cargo |
//! | `toolchain` | a compiler for wasm32: rustup's target, or Debian's compiler that builds `std` itself |
//! | `tools` | everything else a machine needs: found, else installed |
//! | `engine`, `serve`, `test`, `doctor`, `bench_peers`, `instructions` | the commands |
//! | `trunk` | plain `trunk serve`, for its test |
//! | `page` | the page, put together from index.html |
//! | `fresh` | what has changed since something was made |
//! | `step`, `board`, `ending` | one progress line per step, what runs at the moment, and its end when xtask is ended |

mod bench_peers;
mod board;
mod doctor;
mod ending;
mod engine;
mod fresh;
mod instructions;
mod options;
mod page;
mod serve;
mod step;
mod test;
mod toolchain;
mod tools;
mod trunk;
mod workspace;

use engine::Profile;
use options::{Command, Options};
use std::process::ExitCode;
use toolchain::Wasm;
use workspace::Workspace;

/// What went wrong, as a sentence for the person who typed the command.
type Problem = Box<dyn std::error::Error + Send + Sync>;
type Result<T = ()> = std::result::Result<T, Problem>;

const HELP: &str = "\
The project's commands. Each one first installs what this machine lacks, and says so.

    cargo xtask serve [--port 8080]            build engine and page quickly, serve them at http://127.0.0.1:8080; edits are rebuilt
    cargo xtask serve --release                the same, as small and fast as what is published; slow to build
    cargo xtask test [native|wasm|package|page|all]   every check: native and GPU tests, tests in Chromium, the npm package, page flows
    cargo xtask engine                         build the npm package, with both wasm engines, into target/engine
    cargo xtask doctor                         what is on this machine, what is missing, what would be done
    cargo xtask ci                             doctor, then test --yes
    cargo xtask bench-peers [--help]           Spikelet beside other simulators, in one run
    cargo xtask instructions [--record]        instructions of some runs, beside those in docs/instructions.toml

    --yes     install system packages without asking (root is never asked)
    --help    this text
";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\n✗ {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result {
    ending::pass_signals_on()?;
    let workspace = Workspace::open()?;
    match &options.command {
        Command::Help => print!("{HELP}"),
        Command::Doctor => doctor::report(&workspace),
        Command::Engine => {
            tools::provide(&workspace, engine::NEEDS, options.yes)?;
            engine::build(&workspace, &Wasm::open(&workspace)?, Profile::Release)?;
            engine::check_sizes(&workspace)?;
        }
        Command::TrunkHook => {
            tools::provide(&workspace, engine::NEEDS, options.yes)?;
            engine::build(&workspace, &Wasm::open(&workspace)?, Profile::of_trunk())?;
        }
        Command::Serve { port, profile } => serve::serve(&workspace, *port, *profile, options.yes)?,
        Command::Test(part) => test::run(&workspace, *part, options.yes)?,
        Command::Ci => {
            doctor::report(&workspace);
            test::run(&workspace, options::Part::All, true)?;
        }
        Command::BenchPeers(words) => bench_peers::run(&workspace, words, options.yes)?,
        Command::Instructions { record } => instructions::run(&workspace, *record)?,
    }
    Ok(())
}
