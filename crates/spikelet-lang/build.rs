//! Embeds every file of `models/`: a file more in that folder is a model more in the library.

use std::path::Path;
use std::{env, fmt, fs, io};

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
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            return Err(io::Error::other(format!("{} is no .toml file", path.display())));
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        names.push(name.ok_or_else(|| io::Error::other(format!("{} has no plain name", path.display())))?);
    }
    // Folders have no order of their own.
    names.sort();
    let list: String = names.iter().map(|name| Included(name).to_string()).collect();
    fs::write(Path::new(&variable("OUT_DIR")?).join("models.rs"), format!("&[\n{list}]\n"))
}

struct Included<'a>(&'a str);

impl fmt::Display for Included<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = format!("/models/{}.toml", self.0);
        writeln!(f, "    ({:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?}))),", self.0)
    }
}
