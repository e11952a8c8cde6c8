//! Where the other simulators are installed: a virtual environment of Python each, with the versions of `python/requirements`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Result;
use crate::options::Simulator;
use crate::subject::reason;

/// The Python that the versions are for, best first.
const PYTHONS: [&str; 2] = ["python3.11", "python3"];

/// A simulator with the Python that it is installed for.
pub(crate) struct Installed {
    pub(crate) simulator: Simulator,
    pub(crate) python: PathBuf,
}

/// The folder of the peers' scripts.
pub(crate) fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python")
}

/// Installs missing simulators; reports those that cannot be installed, and continues without them.
pub(crate) fn provide(simulators: &[Simulator], cache: &Path) -> Vec<Installed> {
    let mut installed = Vec::new();
    for &simulator in simulators {
        match install(simulator, cache) {
            Ok(python) => installed.push(Installed { simulator, python }),
            Err(problem) => eprintln!("– {} is left out: {problem}", simulator.title()),
        }
    }
    installed
}

fn install(simulator: Simulator, cache: &Path) -> Result<PathBuf> {
    if let Some(compiler) = simulator.compiler()
        && !Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
    {
        return Err(format!("it compiles its networks with {compiler}, which is not there").into());
    }
    python(simulator.title(), &simulator.to_string(), cache)
}

/// The Python of an environment that holds just the versions of `python/requirements/NAME.txt`.
///
/// # Errors
/// The versions cannot be read or installed.
pub(crate) fn python(title: &str, name: &str, cache: &Path) -> Result<PathBuf> {
    let wanted = scripts().join(format!("requirements/{name}.txt"));
    let wanted = &fs::read_to_string(&wanted).map_err(|error| format!("cannot read {}: {error}", wanted.display()))?;
    let folder = &cache.join(name);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Written last, so an interrupted installation starts again.
    let mark = folder.join("requirements.txt");
    if fs::read_to_string(&mark).is_ok_and(|held| held == *wanted) && python.is_file() {
        return Ok(python);
    }
    eprintln!("→ {}: installing into {} (once, a minute or two)", title, folder.display());
    let _ = fs::remove_dir_all(folder);
    let base =
        PYTHONS.iter().find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()));
    let base = base.ok_or_else(|| format!("there is no Python ({})", PYTHONS.join(", ")))?;
    run(Command::new(base).args(["-m", "venv"]).arg(folder))?;
    let list = folder.join("wanted.txt");
    fs::write(&list, wanted)?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&list))?;
    fs::rename(&list, &mark)?;
    Ok(python)
}

fn run(command: &mut Command) -> Result {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(reason(&String::from_utf8_lossy(&output.stderr)).to_owned().into())
}
