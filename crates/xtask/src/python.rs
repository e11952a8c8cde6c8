//! The Python package: its environment, its extension module, and its wheel.

use crate::copy::{self, copy};
use crate::engine;
use crate::profile::Profile;
use crate::toolchain::Wasm;
use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Problem, Result, interpreter, step};
use std::env::consts::{DLL_EXTENSION, DLL_PREFIX};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder of the package.
const PACKAGE: &str = "crates/spikelet-py";
/// What builds wheels.
const MATURIN: &str = "maturin>=1.9,<2";

/// The folder of the package.
pub(crate) fn package(workspace: &Workspace) -> PathBuf {
    workspace.root.join(PACKAGE)
}

/// An environment of Python.
pub(crate) struct Environment(PathBuf);

impl Environment {
    /// One with the packages of a file of requirements, made once for each content of it, and kept for later runs.
    ///
    /// # Errors
    /// They cannot be installed.
    pub(crate) fn with(workspace: &Workspace, requirements: &Path) -> Result<Environment> {
        let mut content = DefaultHasher::new();
        fs::read(requirements)?.hash(&mut content);
        let folder = workspace.tools.join(format!("python-{:016x}", content.finish()));
        // Written last: an environment without it is a broken one.
        let complete = folder.join("complete");
        let environment = Environment(folder);
        if complete.is_file() {
            return Ok(environment);
        }
        let environment = Environment::new(&environment.0)?;
        let mut install = environment.pip(&["install", "--requirement"]);
        install.arg(requirements);
        step::run("pip install what the tests use", install)?;
        fs::write(complete, "")?;
        Ok(environment)
    }

    /// An empty one.
    ///
    /// # Errors
    /// There is no Python.
    pub(crate) fn new(folder: &Path) -> Result<Environment> {
        let python =
            interpreter::find().ok_or_else(|| Problem::from("there is no Python; `cargo xtask doctor` shows details"))?;
        let mut make = Command::new(python);
        make.args(["-m", "venv", "--clear"]).arg(folder);
        step::run("python -m venv", make)?;
        Ok(Environment(folder.to_owned()))
    }

    /// A program of it.
    fn program(&self, name: &str) -> PathBuf {
        self.0.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// Its Python.
    pub(crate) fn python(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.program("python"));
        command.args(words);
        command
    }

    /// Its pip.
    pub(crate) fn pip(&self, words: &[&str]) -> Command {
        let mut command = self.python(&["-m", "pip", "--quiet", "--disable-pip-version-check"]);
        command.args(words);
        command
    }
}

/// Puts the extension module, which was compiled with the native tests, beside the sources of the package, which can then be imported.
///
/// # Errors
/// It was not compiled.
pub(crate) fn extension(workspace: &Workspace) -> Result {
    let built = workspace.target.join("debug/deps").join(format!("{DLL_PREFIX}_spikelet.{DLL_EXTENSION}"));
    let name = if cfg!(windows) { "_spikelet.pyd" } else { "_spikelet.abi3.so" };
    let place = package(workspace).join("python/spikelet").join(name);
    // A copy under the same name would change the memory of those who have loaded the old one.
    let _ = fs::remove_file(&place);
    copy(&built, &place, copy::all)
}

/// The engine and the scripts of the widget, from the npm package in target/engine.
///
/// # Errors
/// They cannot be put together.
pub(crate) fn widget(workspace: &Workspace) -> Result {
    let mut assemble = engine::node(workspace, &[]);
    assemble.arg(package(workspace).join("widget.mjs")).arg(engine::folder(workspace));
    step::run("python: widget", assemble)
}

/// `cargo xtask wheel`: builds the wheel of this machine into target/wheels, with the engine for notebooks.
///
/// # Errors
/// Something does not compile.
pub(crate) fn wheel(workspace: &Workspace, yes: bool) -> Result {
    tools::provide(workspace, &[engine::NEEDS, &[Need::Python]].concat(), yes)?;
    engine::build(workspace, &Wasm::open(workspace)?, Profile::Release)?;
    widget(workspace)?;
    let wheel = build_wheel(workspace)?;
    println!("✓ {}", wheel.display());
    Ok(())
}

/// The wheel, with the widget that lies in the package.
///
/// # Errors
/// It does not compile.
pub(crate) fn build_wheel(workspace: &Workspace) -> Result<PathBuf> {
    let tools = Environment::new(&workspace.target.join("python-build"))?;
    step::run("pip install maturin", tools.pip(&["install", MATURIN]))?;
    let folder = workspace.target.join("wheels");
    let _ = fs::remove_dir_all(&folder);
    let mut build = Command::new(tools.program("maturin"));
    workspace.configure(&mut build);
    build.args(["build", "--release", "--strip", "--manifest-path"]).arg(package(workspace).join("Cargo.toml"));
    build.arg("--out").arg(&folder);
    step::run("python: wheel", build)?;
    let wheel = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).find(|path| path.extension().is_some());
    wheel.ok_or_else(|| format!("maturin wrote no wheel into {}", folder.display()).into())
}
