//! The folder that measures a GPU.

use crate::step;
use crate::test::PACKAGES;
use crate::workspace::Workspace;
use crate::{Result, copy};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum size of the folder, in bytes.
const LIMIT: u64 = 55_000_000;

/// The file of the Vulkan loader.
const LOADER: &str = "libvulkan.so.1";

/// The text in the folder.
const README: &str = "\
Start `./run` (on Windows `run.exe`) on the machine with the GPU. It needs the driver of the GPU, and nothing else. On Linux the folder `lib` has
the Vulkan loader of the Khronos Group (Apache-2.0), which is used if the machine has none.

    ./run --seconds 400 --out results     measures; the time is a maximum, results are kept as they come
    ./run --rehearse                      a test of this folder, on any machine with a Vulkan driver
    ./run --help

Then `cargo xtask gpu take results`, in a clone of the project, writes the tables.
";

/// Where the folder is if it is not named.
pub(super) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("gpu-kit")
}

/// The name of the program that measures.
pub(super) fn run_name() -> String {
    format!("run{EXE_SUFFIX}")
}

/// Builds the folder. A quick one has the programs of the profile `dev`, compiled with the features that tests use.
///
/// # Errors
/// A program cannot be built, the folder belongs to something else, or it is too large.
pub(super) fn build(workspace: &Workspace, folder: &Path, quick: bool) -> Result {
    let words = if quick {
        // As the checks compile them: other words are other features, with which everything would be compiled once more.
        [&["test", "--no-run"], &PACKAGES[..]].concat()
    } else {
        vec!["build", "--release", "--package", "spikelet-cli", "--package", "spikelet-gpu-kit"]
    };
    step::run("gpu kit: compile", workspace.cargo(&words))?;
    begin(folder)?;
    let profile = if quick { "debug" } else { "release" };
    for (name, to) in [("spikelet", "spikelet"), ("spikelet-gpu-kit", "run")] {
        let from = workspace.target.join(profile).join(format!("{name}{EXE_SUFFIX}"));
        let to = folder.join(format!("{to}{EXE_SUFFIX}"));
        copy::copy(&from, &to, copy::all)?;
    }
    let is_network = |from: &Path, _: &Path| from.extension().is_some_and(|extension| extension == "json");
    copy::copy(&workspace.root.join("tests/networks"), &folder.join("networks"), is_network)?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    loader(folder)?;
    write("README", README)?;
    write("commit", &commit(workspace))?;
    let size = size(folder)?;
    println!("{}: {:.1} MB; start `run` in it on the machine with the GPU", folder.display(), size as f64 / 1e6);
    if !quick && size > LIMIT {
        return Err(format!("{} has {size} bytes, more than the {LIMIT} of its limit", folder.display()).into());
    }
    Ok(())
}

/// Copies the Vulkan loader of this machine: a machine for computing may have a driver and no loader.
fn loader(folder: &Path) -> Result {
    const FOLDERS: [&str; 4] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let is_there = |folder: &&&str| Path::new(folder).join(LOADER).is_file();
    match FOLDERS.iter().find(is_there) {
        Some(found) => {
            let lib = folder.join("lib");
            fs::create_dir_all(&lib).map_err(|error| format!("cannot make {}: {error}", lib.display()))?;
            copy::copy(&Path::new(found).join(LOADER), &lib.join(LOADER), copy::all)
        }
        None => {
            step::note(
                "gpu kit",
                "this machine has no Vulkan loader (libvulkan1), so the kit has none for machines with a driver alone",
            );
            Ok(())
        }
    }
}

/// Empties the folder of an earlier kit, or makes a new one.
fn begin(folder: &Path) -> Result {
    let failed = |error| format!("cannot make the folder {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let is_empty = fs::read_dir(folder).map_err(failed)?.next().is_none();
    let is_kit = folder.join("networks").is_dir() && folder.join("commit").is_file();
    if !is_empty && !is_kit {
        return Err(format!("{} is neither empty nor an earlier kit; name another folder", folder.display()).into());
    }
    // Results beside it stay.
    if is_kit {
        fs::remove_dir_all(folder.join("networks")).map_err(failed)?;
    }
    Ok(())
}

/// The commit of the clone, with a `+` if it was changed; empty without git.
fn commit(workspace: &Workspace) -> String {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(&workspace.root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=8", "HEAD"]) else { return String::new() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|status| !status.is_empty());
    format!("{commit}{}", if changed { "+" } else { "" })
}

/// Bytes of all files of the kit.
fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.path().is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_something_else_are_left_alone() {
        let folder = std::env::temp_dir().join(format!("spikelet-kit-{}", std::process::id()));
        begin(&folder).expect("a new folder");
        fs::write(folder.join("thesis.tex"), "text").expect("a file");
        let problem = begin(&folder).expect_err("it is not ours").to_string();
        assert!(problem.contains("neither empty nor an earlier kit"), "{problem}");
        fs::create_dir(folder.join("networks")).expect("a folder");
        fs::write(folder.join("commit"), "").expect("a file");
        begin(&folder).expect("an earlier kit");
        assert!(folder.join("thesis.tex").is_file() && !folder.join("networks").exists());
        assert_eq!(size(&folder).expect("it is read"), 4);
        fs::remove_dir_all(&folder).expect("it goes");
    }
}
