//! `cargo xtask gpu`: everything that a GPU has to say, in one command. `kit` builds a folder with the program `run`, which measures another
//! machine; `take` writes what it found into the documents.

mod kit;
mod report;
mod tables;
mod take;

use crate::workspace::Workspace;
use crate::{Result, step};
use clap::Subcommand;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

/// What `cargo xtask gpu` does.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum Command {
    /// Build the folder that measures a GPU: copy it to a machine with nothing but a driver, and start `run` in it
    Kit {
        /// A new folder, or one of an earlier kit; target/gpu-kit where it is not named
        folder: Option<PathBuf>,
        /// The programs that tests compile, too: quick to build, slow and large
        #[arg(long)]
        quick: bool,
    },
    /// Write tables of results into BENCHMARKS.md and docs, a section for each GPU
    Take {
        /// The folder of `run --out`, or a file with the lines that a page saves
        results: PathBuf,
        /// Write to copies of the documents in this folder instead
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
        /// Accept also a rehearsal and a software GPU, whose numbers are no figures; needs --into
        #[arg(long, requires = "into")]
        rehearsal: bool,
    },
    /// Check all of this in a minute on a software GPU: build a quick kit, rehearse with it, and write its tables to copies of the documents
    Rehearse,
}

/// # Errors
/// Something cannot be built, read or written; or the results are those of a rehearsal.
pub(crate) fn run(workspace: &Workspace, command: &Command) -> Result {
    match command {
        Command::Kit { folder, quick } => {
            kit::build(workspace, &folder.clone().unwrap_or_else(|| kit::folder(workspace)), *quick)
        }
        Command::Take { results, into, rehearsal } => {
            let root = into.as_deref().unwrap_or(&workspace.root);
            take::copy_documents(&workspace.root, root)?;
            let taken = take::take(results, root, *rehearsal)?;
            taken.iter().for_each(|line| println!("{line}"));
            Ok(())
        }
        Command::Rehearse => rehearse(workspace),
    }
}

/// The check of all of this, for a GPU of software: builds a quick kit, runs it in an empty folder, and takes its results into copies of the
/// documents.
///
/// # Errors
/// One of these steps fails, or a step of the rehearsal does.
pub(crate) fn rehearse(workspace: &Workspace) -> Result {
    let folder = std::env::temp_dir().join(format!("spikelet-gpu-kit-{}", std::process::id()));
    let done = rehearse_in(workspace, &folder);
    // Only what this function made.
    _ = fs::remove_dir_all(&folder);
    done
}

fn rehearse_in(workspace: &Workspace, folder: &Path) -> Result {
    let (kit, results, documents) = (folder.join("kit"), folder.join("results"), folder.join("documents"));
    kit::build(workspace, &kit, true)?;
    let mut rehearsal = Process::new(kit.join(kit::run_name()));
    // Nothing of the clone is beside it, nor in its environment.
    rehearsal.args(["--rehearse", "--out"]).arg(&results).current_dir(folder);
    step::run("gpu kit: rehearse", rehearsal)?;
    let failed = report::failed(&results)?;
    if let Some(problem) = failed.first() {
        return Err(format!("the rehearsal of the GPU kit: {problem}").into());
    }
    take::copy_documents(&workspace.root, &documents)?;
    take::take(&results, &documents, true)?;
    let text = fs::read_to_string(documents.join("BENCHMARKS.md"))?;
    match text.contains("rehearsal") {
        true => Ok(()),
        false => Err("the results of the rehearsal are not in the copy of BENCHMARKS.md".into()),
    }
}
