//! Everything that a GPU has to say, in one command: the program `run` of the folder that `cargo xtask gpu kit` builds. That folder needs
//! nothing else on the machine that is measured, only the driver of its GPU.
//!
//! | module | |
//! |---|---|
//! | `options` | what was typed |
//! | `step`, `conduct` | the steps of a run with their time, and the order in which they run |
//! | `child`, `journal` | processes that can be ended, and the file of results |
//! | `drivers` | a Vulkan loader for machines that have a driver alone |
//! | `items` | a step in a process of its own, item by item |
//! | `networks`, `difference` | networks on the CPU and on the GPU: spikes and arrays, and where they first differ |
//! | `jobs`, `readers` | figures and profiles by the program `spikelet`, and what it prints |
//! | `select`, `gathering` | figures without a network of the catalogue |
//! | `tune` | the constants of the GPU backend, one by one |

mod child;
mod conduct;
mod difference;
mod drivers;
mod gathering;
mod item;
mod items;
mod jobs;
mod journal;
mod networks;
mod options;
mod readers;
mod select;
mod step;
mod tune;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use options::Options;

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
enum Problem {
    /// Results cannot be written.
    #[error("{} cannot be written: {error}; name another folder by --out", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    /// A file of the kit is missing or unreadable.
    #[error("{} cannot be read: {error}; copy the whole folder of the kit", path.display())]
    Kit { path: PathBuf, error: std::io::Error },
    /// The GPU, or a network.
    #[error("{0}")]
    Simulator(#[from] spikelet::Error),
    /// No adapter, or an unusable one.
    #[error("{0}")]
    Adapter(String),
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match options.child {
        Some(step) => items::run(step, &options),
        None => conduct::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}
