//! `cargo xtask release`: all files of a version, in `target/published/VERSION`. Publishing is left to a person, with the commands that it prints.

mod crates;
mod notes;
mod sbom;

use crate::copy::{self, copy};
use crate::engine;
use crate::profile::Profile;
use crate::toolchain::Wasm;
use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Result, dist, python, step};
use clap::ValueEnum;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of all crates, of the npm package and of the wheel.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// A `.crate` of each crate, compiled from what it contains
    Crates,
    /// The tarball of the npm package
    Npm,
    /// The page as a folder for a static host, and as an archive
    Site,
    /// The wheel of the Python package for this machine
    Wheel,
}

/// Makes the files of some parts, or of all, with checksums, a list of components, and the notes.
///
/// A `dry_run` may have uncommitted changes, and leaves CHANGELOG.md as it is.
///
/// # Errors
/// Versions differ, the tree has changes, or something cannot be built.
pub(crate) fn run(workspace: &Workspace, parts: &[Part], dry_run: bool, yes: bool) -> Result {
    check_versions(workspace)?;
    let is_clean = output(workspace, "git", &["status", "--porcelain"])?.is_empty();
    if !dry_run && !is_clean {
        return Err("the tree has changes that are not committed: commit them, or try the release with --dry-run".into());
    }
    let date = output(workspace, "git", &["log", "-1", "--format=%cs"])?;
    let changelog = workspace.root.join("CHANGELOG.md");
    let cut = notes::cut(&fs::read_to_string(&changelog)?, VERSION, date.trim())?;

    let folder = workspace.root.join("target/published").join(VERSION);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let runs = |part: Part| parts.is_empty() || parts.contains(&part);
    if runs(Part::Crates) {
        crates::package(workspace, &folder.join("crates"))?;
    }
    if runs(Part::Npm) {
        tools::provide(workspace, engine::NEEDS, yes)?;
        engine::build(workspace, &Wasm::open(workspace)?, Profile::Release)?;
        engine::check_sizes(workspace)?;
        if let Some(address) = address(&metadata(workspace)?) {
            let words = [
                "pkg",
                "set",
                &format!("homepage={address}"),
                &format!("bugs={address}/issues"),
                &format!("repository={address}"),
            ];
            step::run("release: addresses", engine::npm(&engine::folder(workspace), &words))?;
        }
        engine::pack(workspace, &folder.join(format!("spikelet-{VERSION}.tgz")))?;
    }
    if runs(Part::Site) {
        tools::provide(workspace, engine::NEEDS, yes)?;
        let site = dist::write(workspace, &Wasm::open(workspace)?, None)?;
        archive(&site, &folder.join(format!("spikelet-page-{VERSION}.tar.gz")))?;
    }
    if runs(Part::Wheel) {
        tools::provide(workspace, &[engine::NEEDS, &[Need::Python]].concat(), yes)?;
        engine::build(workspace, &Wasm::open(workspace)?, Profile::Release)?;
        python::widget(workspace)?;
        copy_into(&python::build_wheel(workspace)?, &folder)?;
    }
    fs::write(folder.join("sbom.cdx.json"), sbom::of(workspace)?)?;
    fs::write(folder.join("NOTES.md"), &cut.notes)?;
    step::run("release: checksums", engine::node(workspace, &["checksums.mjs", &folder.to_string_lossy()]))?;
    if !dry_run {
        fs::write(&changelog, &cut.changelog)?;
    }
    println!("\n{}\n\n{}", folder.display(), next_steps(dry_run));
    Ok(())
}

/// What a person does with the files.
fn next_steps(dry_run: bool) -> String {
    if dry_run {
        return "Nothing is published and CHANGELOG.md is as it was: without --dry-run the same files are made, and it is cut."
            .to_owned();
    }
    format!(
        "CHANGELOG.md is cut. Publish with:\n\n  git commit -am \"Release {VERSION}\" && git tag v{VERSION}\n  \
         cargo publish --workspace    (in target/published/crates-source)\n  npm publish spikelet-{VERSION}.tgz\n  \
         twine upload *.whl\n\nand put spikelet-page-{VERSION}.tar.gz on a static host: docs/deploy.md."
    )
}

/// There is one version: that of Cargo.toml.
fn check_versions(workspace: &Workspace) -> Result {
    for file in ["package.json", "package-lock.json"] {
        let path = engine::sources(workspace).join(file);
        let manifest: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        if manifest["version"] != VERSION {
            let problem = format!("{}: the version is {}, and that of Cargo.toml {VERSION}", path.display(), manifest["version"]);
            return Err(problem.into());
        }
    }
    let manifest = fs::read_to_string(workspace.root.join("Cargo.toml"))?;
    let own = manifest.lines().filter(|line| line.starts_with("spikelet") && line.contains("path ="));
    for line in own {
        if !line.contains(&format!("version = \"{VERSION}\"")) {
            return Err(format!("Cargo.toml: the version of this package is not {VERSION}: {line}").into());
        }
    }
    Ok(())
}

/// What cargo says of the workspace.
fn metadata(workspace: &Workspace) -> Result<Value> {
    Ok(serde_json::from_str(&output(workspace, "cargo", &["metadata", "--format-version=1", "--no-deps"])?)?)
}

/// The address of the project, where its publisher has filled it in: `[workspace.metadata.published]` of Cargo.toml.
fn address(metadata: &Value) -> Option<&str> {
    metadata["metadata"]["published"]["repository"].as_str()
}

/// Packs a folder; names in the archive are relative to it, and it has the same bytes whenever it is made of the same files.
fn archive(folder: &Path, to: &Path) -> Result {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-czf"])
        .arg(to)
        .arg("-C")
        .arg(folder)
        .arg(".");
    tar.env("GZIP", "-n");
    step::run("release: archive of the page", tar)
}

fn copy_into(file: &Path, folder: &Path) -> Result<PathBuf> {
    let to = folder.join(file.file_name().unwrap_or_default());
    copy(file, &to, copy::all)?;
    Ok(to)
}

/// What a program prints.
///
/// # Errors
/// It cannot be started, or it fails.
fn output(workspace: &Workspace, program: &str, words: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    workspace.configure(&mut command);
    let output = command.args(words).output().map_err(|error| format!("cannot start {program}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{program} {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_version() {
        check_versions(&Workspace::open().expect("a clone")).expect("they are the same");
    }

    #[test]
    fn no_address_is_published_that_nobody_has() {
        let root = Workspace::open().expect("a clone").root;
        for file in
            ["Cargo.toml", "crates/spikelet-js/package.json", "crates/spikelet-js/README.md", "crates/spikelet-py/pyproject.toml"]
        {
            let text = fs::read_to_string(root.join(file)).expect("a manifest");
            assert!(!text.contains("github.com/spikelet"), "{file}");
        }
    }
}
