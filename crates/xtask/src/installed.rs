//! Programs of other projects that xtask installs for itself.

use crate::workspace::{Workspace, version_line, which};
use std::env;
use std::path::PathBuf;

/// 0.22 wants a newer compiler than the workspace does.
pub(crate) const TRUNK: &str = "0.21.14";

/// The folders of wasm-bindgen and trunk, for a PATH.
pub(crate) fn folders(workspace: &Workspace) -> Vec<PathBuf> {
    let bindgen = workspace.locked("wasm-bindgen").ok().and_then(|version| program(workspace, "wasm-bindgen", version));
    let mut folders: Vec<PathBuf> = [bindgen, program(workspace, "trunk", TRUNK)]
        .into_iter()
        .flatten()
        .filter_map(|program| Some(program.parent()?.to_owned()))
        .collect();
    folders.dedup();
    folders
}

/// A program of exactly this version: xtask's own, else one on the PATH.
pub(crate) fn program(workspace: &Workspace, name: &str, version: &str) -> Option<PathBuf> {
    let own = workspace.tools.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let line = format!("{name} {version}");
    [Some(own), which(name)].into_iter().flatten().find(|program| version_line(program).as_ref() == Some(&line))
}
