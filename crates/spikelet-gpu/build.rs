//! Finds the shaders: `shaders/` of the workspace, or the copy in a package of this crate.

use std::env;
use std::path::Path;

fn main() {
    let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let found = ["shaders", "../../shaders"].map(|name| Path::new(&here).join(name)).into_iter().find(|folder| folder.is_dir());
    match found {
        Some(folder) => {
            println!("cargo::rerun-if-changed=build.rs");
            println!("cargo::rustc-env=SPIKELET_SHADERS={}", folder.display());
        }
        None => println!("cargo::error=there is no folder shaders, neither in this package nor in the workspace"),
    }
}
