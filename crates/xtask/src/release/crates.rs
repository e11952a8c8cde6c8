//! A `.crate` of each crate, as a registry gets it.

use super::metadata;
use crate::copy::{self, copy};
use crate::workspace::Workspace;
use crate::{Result, step};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What lies outside of a crate in the clone, and inside it in its package: the crate, the file or folder, and its name there. The build scripts of
/// these crates look for both.
const OUTSIDE: [(&str, &str, &str); 3] = [
    ("crates/spikelet-gpu", "shaders", "shaders"),
    ("crates/spikelet-verify", "tests/conformance", "conformance"),
    ("crates/spikelet-verify", "tests/hashes.json", "hashes.json"),
];

/// Packages all crates that are published into `folder`, and compiles each of them from its package alone.
///
/// # Errors
/// A package lacks something, or it does not compile.
pub(super) fn package(workspace: &Workspace, folder: &Path) -> Result {
    let source = workspace.root.join("target/published/crates-source");
    let _ = fs::remove_dir_all(&source);
    fs::create_dir_all(&source)?;
    check_out(workspace, &source)?;
    for (of, from, name) in OUTSIDE {
        copy(&source.join(from), &source.join(of).join(name), copy::all)?;
    }
    let packages = metadata(workspace)?;
    if let Some(address) = super::address(&packages) {
        for manifest in manifests(&packages, &workspace.root) {
            add_address(&source.join(manifest), address)?;
        }
    }
    let target = workspace.root.join("target/published/crates-target");
    let mut package = workspace.cargo(&["package", "--workspace", "--allow-dirty", "--locked"]);
    for name in unpublished(&packages) {
        package.arg("--exclude").arg(name);
    }
    package.current_dir(&source).env("CARGO_TARGET_DIR", &target);
    step::run("release: crates", package)?;
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(target.join("package"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "crate") {
            copy(&path, &folder.join(path.file_name().unwrap_or_default()), copy::all)?;
        }
    }
    Ok(())
}

/// The files of the last commit.
fn check_out(workspace: &Workspace, to: &Path) -> Result {
    let mut archive = Command::new("git");
    workspace.configure(&mut archive);
    let mut archive = archive.args(["archive", "--format=tar", "HEAD"]).stdout(Stdio::piped()).spawn()?;
    let content = archive.stdout.take().ok_or("git has no output")?;
    let unpacked = Command::new("tar").args(["-xf", "-", "-C"]).arg(to).stdin(content).status()?;
    if archive.wait()?.success() && unpacked.success() { Ok(()) } else { Err("git archive: failed".into()) }
}

/// The crates of the workspace that no registry gets.
fn unpublished(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    // An empty list of registries is `publish = false`.
    let stays = packages.filter(|package| package["publish"].as_array().is_some_and(Vec::is_empty));
    stays.filter_map(|package| package["name"].as_str().map(str::to_owned)).collect()
}

/// The manifests of all crates, relative to the root.
fn manifests(metadata: &Value, root: &Path) -> Vec<PathBuf> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let paths = packages.filter_map(|package| package["manifest_path"].as_str());
    paths.filter_map(|path| Path::new(path).strip_prefix(root).ok().map(Path::to_owned)).collect()
}

/// Names the project's address in a manifest.
fn add_address(manifest: &Path, address: &str) -> Result {
    let text = fs::read_to_string(manifest).map_err(|error| format!("cannot read {}: {error}", manifest.display()))?;
    let text = text.replacen("[package]\n", &format!("[package]\nrepository = {address:?}\n"), 1);
    fs::write(manifest, text).map_err(|error| format!("cannot write {}: {error}", manifest.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_added_to_each_manifest() {
        let workspace = Workspace::open().expect("a clone");
        let of_all = manifests(&metadata(&workspace).expect("the crates"), &workspace.root);
        assert!(of_all.len() > 20 && of_all.iter().all(|file| workspace.root.join(file).is_file()), "{of_all:?}");
        let file = std::env::temp_dir().join(format!("spikelet-manifest-{}.toml", std::process::id()));
        fs::write(&file, "[package]\nname = \"a\"\n").expect("a file");
        add_address(&file, "https://example.org/a").expect("it is added");
        let text = fs::read_to_string(&file).expect("the file");
        assert_eq!(text, "[package]\nrepository = \"https://example.org/a\"\nname = \"a\"\n");
        fs::remove_file(&file).expect("it goes");
    }

    #[test]
    fn what_a_package_contains_is_there() {
        let workspace = Workspace::open().expect("a clone");
        for (of, from, name) in OUTSIDE {
            assert!(workspace.root.join(from).exists(), "{from}");
            let script = fs::read_to_string(workspace.root.join(of).join("build.rs")).expect("a build script");
            assert!(script.contains(&format!("\"{name}\"")) && script.contains(from), "{of}/build.rs");
        }
    }

    /// A crate of a registry has no dependency that is not there.
    #[test]
    fn published_crates_need_published_ones() {
        let workspace = Workspace::open().expect("a clone");
        let metadata = metadata(&workspace).expect("the crates");
        let stays = unpublished(&metadata);
        assert!(stays.iter().any(|name| name == "xtask") && !stays.iter().any(|name| name == "spikelet"), "{stays:?}");
        for package in metadata["packages"].as_array().expect("packages") {
            let name = package["name"].as_str().expect("a name");
            if stays.iter().any(|other| other == name) {
                continue;
            }
            assert!(package["description"].is_string() && package["license"].is_string(), "{name}");
            for needed in package["dependencies"].as_array().expect("dependencies") {
                let other = needed["name"].as_str().expect("a name");
                let is_needed = needed["kind"] != "dev";
                assert!(!(is_needed && stays.iter().any(|name| name == other)), "{name} needs {other}, which is not published");
            }
        }
    }
}
