//! Embeds every file of `models/`: a file more in that folder is a model more in the library. As JSON, which is read by code that
//! programs have for networks anyway; a reader of TOML would be a hundredth of what a browser downloads.

use std::path::Path;
use std::{env, fs, io};

fn main() {
    println!("cargo:rerun-if-changed=models");
    if let Err(error) = embed() {
        // Cargo shows this line, and stops.
        println!("cargo:error=the models cannot be embedded: {error}");
    }
}

fn embed() -> io::Result<()> {
    let variable = |name| env::var(name).map_err(io::Error::other);
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("models");
    let mut models = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            return Err(io::Error::other(format!("{} is no .toml file", path.display())));
        }
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name.ok_or_else(|| io::Error::other(format!("{} has no plain name", path.display())))?;
        let model: serde_json::Value = toml::from_str(&fs::read_to_string(&path)?)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        models.push((name.to_owned(), model.to_string()));
    }
    // Folders have no order of their own.
    models.sort();
    fs::write(Path::new(&variable("OUT_DIR")?).join("models.rs"), format!("&{models:?}"))
}
