//! The Python package: its style, its tests with the extension that the native tests use, the scripts of its widget; with `--full` its wheel in
//! an empty environment, comparisons with Brian 2, and the widget in notebooks.

use super::checks::Checks;
use super::part::Part;
use crate::python::{self, Environment};
use crate::{Result, engine, step};
use std::fs;

/// What an environment without any other package runs.
const EMPTY: &str = "import spikelet\n\
    simulation = spikelet.Simulation('cuba', backend='cpu')\n\
    simulation.run(100)\n\
    print(simulation.report()['spikes_hash'], simulation.spikes('E'))\n";

/// The tests of the widget's scripts.
const SCRIPTS: &str = "tests/widget";

/// After the native tests have been compiled.
pub(super) fn run(checks: &Checks) -> Result {
    let workspace = checks.workspace;
    let package = python::package(workspace);
    let environment = Environment::with(workspace, &package.join("tests/requirements.txt"))?;
    let python = |words: &[&str]| {
        let mut command = environment.python(words);
        command.current_dir(&package).env("PYTHONPATH", package.join("python")).env("MPLBACKEND", "Agg");
        command
    };
    checks.run(Part::Python, "format", python(&["-m", "ruff", "format", "--check", "."]));
    checks.run(Part::Python, "lint", python(&["-m", "ruff", "check", "."]));
    python::extension(workspace)?;
    checks.run(Part::Python, "tests", python(&["-m", "pytest"]));
    if !checks.full() {
        step::note("python: wheel", "skipped: only in --full, and in `cargo xtask wheel`");
        step::note("python: comparisons with Brian 2", "skipped: only in --full");
        return Ok(());
    }
    let wheel = python::build_wheel(workspace)?;
    let empty = Environment::new(&workspace.target.join("python-empty"))?;
    let mut install = empty.pip(&["install"]);
    install.arg(wheel);
    step::run("pip install the wheel", install)?;
    checks.run(Part::Python, "wheel in an empty environment", empty.python(&["-c", EMPTY]));
    let mut random = python(&["tests/random_brian.py", "--out"]);
    random.arg(workspace.target.join("brian-differences"));
    checks.run(Part::Python, "random scripts of Brian 2", random);
    checks.run(Part::Python, "Brian 2's own tests", python(&["tests/brian_suite.py"]));
    checks.run(Part::Python, "exports to Brian 2", python(&["tests/brian_exports.py"]));
    Ok(())
}

/// The widget of notebooks, from the npm package in target/engine; with `--full` in JupyterLab, Notebook and marimo, in Chromium.
pub(super) fn widget(checks: &Checks) -> Result {
    let workspace = checks.workspace;
    if !engine::folder(workspace).join("package.json").is_file() {
        step::note("python: widget", "skipped: there is no npm package; `cargo xtask test package python` builds it");
        return Ok(());
    }
    let package = python::package(workspace);
    engine::install_tools(workspace)?;
    python::widget(workspace)?;
    let mut scripts = engine::node(workspace, &["--test", "--test-reporter=spec", "--test-timeout=60000"]);
    for entry in fs::read_dir(package.join(SCRIPTS))? {
        scripts.arg(entry?.path());
    }
    checks.run(Part::Python, "widget in Node", scripts);
    if !checks.full() {
        step::note("python: notebooks", "skipped: only in --full");
        return Ok(());
    }
    let environment = Environment::with(workspace, &package.join("tests/notebook/requirements.txt"))?;
    python::extension(workspace)?;
    let mut notebooks = environment.python(&["tests/notebook/check.py"]);
    notebooks.current_dir(&package).env("PYTHONPATH", package.join("python"));
    checks.run(Part::Python, "notebooks in Chromium", notebooks);
    Ok(())
}
