//! The reference implementation of assemblies, in C++: a copy of its repository outside of ours, compiled with our program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Result;
use crate::subject::reason;

/// The version that is measured.
const COMMIT: &str = "81e4297";

/// The binary, compiled for this machine.
///
/// # Errors
/// There is no git, no compiler, or no copy of the repository.
pub(super) fn provide(repository: &str, folder: &Path) -> Result<PathBuf> {
    let program = super::sources().join("assemblies.cc");
    let (sources, binary) = (folder.join("sources"), folder.join(format!("assemblies{}", env::consts::EXE_SUFFIX)));
    if !sources.join("cpp/brain.cc").is_file() {
        eprintln!("→ the reference: copying {repository} into {} (once)", folder.display());
        let _ = fs::remove_dir_all(&sources);
        fs::create_dir_all(folder)?;
        run(Command::new("git").args(["clone", "--quiet", repository]).arg(&sources))?;
        run(Command::new("git").arg("-C").arg(&sources).args(["checkout", "--quiet", COMMIT]))?;
    }
    let cpp = sources.join("cpp");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O3", "-march=native", "-I"]).arg(&cpp).arg(program).arg(cpp.join("brain.cc"));
    run(compiler.arg("-o").arg(&binary))?;
    Ok(binary)
}

fn run(command: &mut Command) -> Result {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(reason(&String::from_utf8_lossy(&output.stderr)).to_owned().into())
}
