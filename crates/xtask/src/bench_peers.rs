//! `cargo xtask bench-peers`: builds what `crates/spikelet-peers` measures with, and runs it.

use crate::options::peers;
use crate::profile::Profile;
use crate::toolchain::Wasm;
use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Result, engine, step};
use std::env::{self, consts::EXE_SUFFIX};
use std::path::PathBuf;
use std::process::Command;

/// # Errors
/// Our own binary cannot be built, or a measurement cannot be made. A missing browser is only reported.
pub(crate) fn run(workspace: &Workspace, options: &peers::Options, yes: bool) -> Result {
    // As they were typed: xtask has read them, and knows that they are right.
    let words: Vec<String> = env::args()
        .skip_while(|word| word != "bench-peers")
        .skip(1)
        .filter(|word| !["-y", "--yes"].contains(&word.as_str()))
        .collect();
    let wants_browser = !(options.no_browser || options.assemblies || options.training);
    let packages = ["build", "--release", "--package", "spikelet-cli", "--package", "spikelet-peers"];
    step::run("native: compile", workspace.cargo(&packages))?;
    let release = |name: &str| workspace.target.join("release").join(format!("{name}{EXE_SUFFIX}"));
    let mut measure = Command::new(release("spikelet-peers"));
    workspace.configure(&mut measure);
    measure.arg("--spikelet").arg(release("spikelet")).arg("--cache").arg(workspace.tools.join("peers"));
    if wants_browser {
        match browser(workspace, yes) {
            Ok(chromium) => {
                measure.arg("--engine").arg(engine::folder(workspace)).arg("--chromium").arg(chromium);
            }
            Err(problem) => step::note("Chromium", &format!("left out: {problem}")),
        }
    }
    step::show("bench-peers", {
        measure.args(words);
        measure
    })
}

/// Builds the engine; gives the browser to run it in.
fn browser(workspace: &Workspace, yes: bool) -> Result<PathBuf> {
    tools::provide(workspace, &[engine::NEEDS, &[Need::Browser]].concat(), yes)?;
    engine::build(workspace, &Wasm::open(workspace)?, Profile::Release)?;
    tools::browser().ok_or_else(|| "there is no Chromium".into())
}
