//! `cargo xtask engine`: the npm package, two wasm engines and the scripts around them, in target/engine.

use crate::toolchain::{TARGET, Threads, Wasm};
use crate::tools::{self, Need};
use crate::workspace::{Workspace, which};
use crate::{Result, step};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What building the package takes.
pub(crate) const NEEDS: &[Need] = &[Need::Compiler, Need::Sources, Need::Bindgen, Need::Node];

/// The cargo profile of what a browser downloads; the page has it from index.html.
pub(crate) const PROFILE: &str = "wasm";

/// The package, which index.html copies.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target/engine")
}

/// Where the sources of the package lie.
pub(crate) fn sources(workspace: &Workspace) -> PathBuf {
    workspace.root.join("crates/spikelet-js")
}

/// Compiles crates/spikelet-js twice, `st` and `mt`, makes their JavaScript, and puts the scripts and all else beside them.
///
/// # Errors
/// A step fails, or the package is larger than it may be.
pub(crate) fn build(workspace: &Workspace, wasm: &Wasm) -> Result {
    let folder = folder(workspace);
    for threads in Threads::ALL {
        build_one(workspace, &wasm.with(threads), threads.short(), &folder.join(threads.short()))?;
    }
    install_tools(workspace)?;
    step::show("engine: package", node(workspace, &["assemble.mjs"]))
}

/// Installs what compiles the scripts, as package-lock.json names it, unless that was done since it changed.
fn install_tools(workspace: &Workspace) -> Result {
    let sources = sources(workspace);
    let changed = |file: &str| fs::metadata(sources.join(file)).and_then(|found| found.modified()).ok();
    if changed("node_modules/.package-lock.json") > changed("package-lock.json") {
        return Ok(());
    }
    step::run("engine: npm ci", npm(&sources, &["ci", "--no-audit", "--no-fund"]))
}

/// Node, in the folder of the sources.
pub(crate) fn node(workspace: &Workspace, words: &[&str]) -> Command {
    let mut command = Command::new(tools::node(workspace).unwrap_or_else(|| PathBuf::from("node")));
    command.args(words).current_dir(sources(workspace));
    command
}

/// npm, in a folder.
pub(crate) fn npm(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(which("npm").unwrap_or_else(|| PathBuf::from(if cfg!(windows) { "npm.cmd" } else { "npm" })));
    command.args(words).current_dir(folder);
    command
}

/// One of the two engines, into a folder of its own.
fn build_one(workspace: &Workspace, wasm: &Wasm, name: &str, folder: &Path) -> Result {
    // The crate is a plain library for the page, and a wasm module only here: two modules of one name would overwrite each other.
    let mut compile = wasm.cargo(workspace, &["rustc", "--package", "spikelet-js", "--lib", "--crate-type", "cdylib"]);
    compile.args(["--features", "engine", "--profile", PROFILE, "--target", TARGET]);
    step::run(&format!("engine {name}: compile"), compile)?;

    // Scripts that it names with a hash would pile up.
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut bindgen = Command::new("wasm-bindgen");
    wasm.settle(workspace, &mut bindgen);
    bindgen.args(["--target", "web", "--out-name", "spikelet_engine", "--out-dir"]).arg(folder);
    bindgen.arg(wasm.artifacts(PROFILE).join("spikelet_js.wasm"));
    step::run(&format!("engine {name}: wasm-bindgen"), bindgen)
}
