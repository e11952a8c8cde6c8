//! Lists the files of the conformance corpus, so that tests in a browser, which see no files, can hold all of it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    // Outside of the workspace there is no such folder.
    for entry in fs::read_dir(&folder).into_iter().flatten() {
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
