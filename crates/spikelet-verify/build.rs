//! Lists the files of the conformance corpus, so that tests in a browser, which see no files, can hold all of it, and finds the hashes of first
//! spikes. They lie in the workspace, or in the package of this crate.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = |name: &str, of_workspace: &str| {
        let packaged = here.join(name);
        if packaged.exists() { packaged } else { here.join(of_workspace) }
    };
    println!("cargo::rustc-env=SPIKELET_HASHES={}", found("hashes.json", "../../tests/hashes.json").display());
    let folder = found("conformance", "../../tests/conformance");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut list = String::from("[\n");
    for path in paths {
        let (name, path) = (path.file_stem().unwrap_or_default().display(), path.display().to_string());
        _ = writeln!(list, "    ({:?}, include_str!({path:?})),", name.to_string());
    }
    list.push(']');
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("corpus.rs"), list)
}
