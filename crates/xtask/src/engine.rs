//! `cargo xtask engine`: the two wasm engines and their Worker, in target/engine.

use crate::toolchain::{TARGET, Threads, Wasm};
use crate::tools::Need;
use crate::workspace::{Workspace, which};
use crate::{Result, step};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What building the engine takes.
pub(crate) const NEEDS: &[Need] = &[Need::Compiler, Need::Sources, Need::Bindgen];

/// The cargo profile of what a browser downloads; the page has it from index.html.
pub(crate) const PROFILE: &str = "wasm";

/// The folder that index.html copies.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target/engine")
}

/// Compiles crates/spikelet-js twice, `st` and `mt`, makes their JavaScript, and puts the Worker that chooses between them above.
///
/// # Errors
/// A step fails, or a file cannot be written.
pub(crate) fn build(workspace: &Workspace, wasm: &Wasm) -> Result {
    let folder = folder(workspace);
    for threads in Threads::ALL {
        build_one(workspace, &wasm.with(threads), threads.short(), &folder.join(threads.short()))?;
    }
    for script in ["worker.js", "isolate.js"] {
        let file = workspace.root.join("crates/spikelet-js/js").join(script);
        fs::copy(&file, folder.join(script)).map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
    }
    Ok(())
}

/// One of the two engines, into a folder of its own.
fn build_one(workspace: &Workspace, wasm: &Wasm, name: &str, folder: &Path) -> Result {
    // The crate is a plain library for the page, and a wasm module only here: two modules of one name would overwrite each other.
    let mut compile = wasm.cargo(workspace, &["rustc", "--package", "spikelet-js", "--lib", "--crate-type", "cdylib"]);
    compile.args(["--features", "engine", "--profile", PROFILE, "--target", TARGET]);
    step::run(&format!("engine {name}: compile"), compile)?;

    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut bindgen = Command::new("wasm-bindgen");
    wasm.settle(workspace, &mut bindgen);
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "spikelet_engine", "--out-dir"]).arg(folder);
    bindgen.arg(wasm.artifacts(PROFILE).join("spikelet_js.wasm"));
    step::run(&format!("engine {name}: wasm-bindgen"), bindgen)?;
    for file in ["spikelet_engine_bg.wasm", "spikelet_engine.js"] {
        let path = folder.join(file);
        let bytes = fs::metadata(&path)?.len();
        let zipped = gzip(&path).map_or(String::new(), |bytes| format!(", {} gzipped", kibibytes(bytes)));
        println!("    target/engine/{name}/{file}  {}{zipped}", kibibytes(bytes));
    }
    Ok(())
}

/// The size after gzip, where there is a gzip.
fn gzip(file: &Path) -> Option<u64> {
    let output = Command::new(which("gzip")?).arg("-9c").arg(file).stderr(Stdio::null()).output().ok()?;
    u64::try_from(output.stdout.len()).ok().filter(|_| output.status.success())
}

fn kibibytes(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}
