//! `cargo xtask engine`: the npm package, two wasm engines, the modules of assemblies, of training and of files of other tools, and the scripts around them, in target/engine.

use crate::fresh::Note;
use crate::profile::Profile;
use crate::toolchain::{Threads, Wasm};
use crate::tools::{self, Need};
use crate::workspace::{Workspace, which};
use crate::{Result, step};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// What building the package takes.
pub(crate) const NEEDS: &[Need] = &[Need::Compiler, Need::Sources, Need::Node];

/// The program of the crate that is the module, and the name of its files in the package.
const MODULE: &str = "spikelet_engine";

/// A module beside the engines, with one thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Module {
    /// The crate.
    package: &'static str,
    /// The name of its files.
    name: &'static str,
    /// Its folder in the package.
    folder: &'static str,
}

/// The modules beside the engines.
pub(crate) const MODULES: [Module; 3] = [
    Module { package: "spikelet-assemblies-js", name: "spikelet_assemblies", folder: "assemblies" },
    Module { package: "spikelet-train-js", name: "spikelet_training", folder: "training" },
    Module { package: "spikelet-interchange-js", name: "spikelet_interchange", folder: "interchange" },
];

/// The package, which index.html copies.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target/engine")
}

/// Where the sources of the package lie.
pub(crate) fn sources(workspace: &Workspace) -> PathBuf {
    workspace.root.join("crates/spikelet-js")
}

/// The whole package: both engines, the modules beside them, the scripts, and the help that is made of them.
///
/// # Errors
/// A step fails.
pub(crate) fn build(workspace: &Workspace, wasm: &Wasm, profile: Profile) -> Result {
    side_by_side(vec![
        Box::new(|| compile(workspace, wasm, profile, Threads::One)),
        Box::new(|| compile(workspace, wasm, profile, Threads::Many)),
        Box::new(|| compile_modules(workspace, wasm, profile)),
        Box::new(|| install_tools(workspace)),
    ])?;
    scripts(workspace, Types::Checked)?;
    help(workspace)
}

/// Holds what a browser downloads to `size-budget.json`, and prints it.
///
/// # Errors
/// The package is larger than it may be.
pub(crate) fn check_sizes(workspace: &Workspace) -> Result {
    step::show("engine: sizes", node(workspace, &["sizes.mjs", "package"]))
}

/// A part of a build.
pub(crate) type Task<'a> = Box<dyn FnOnce() -> Result + Send + 'a>;

/// Runs tasks at once.
///
/// # Errors
/// That of the first of them, in their order; the others are finished all the same.
pub(crate) fn side_by_side(tasks: Vec<Task<'_>>) -> Result {
    thread::scope(|scope| {
        let running: Vec<_> = tasks.into_iter().map(|task| scope.spawn(task)).collect();
        let ended: Vec<Result> =
            running.into_iter().map(|task| task.join().unwrap_or_else(|_| Err("a step has panicked".into()))).collect();
        ended.into_iter().collect()
    })
}

/// Compiles one of the two engines, and makes its JavaScript, into a folder of its own.
///
/// # Errors
/// A step fails.
pub(crate) fn compile(workspace: &Workspace, wasm: &Wasm, profile: Profile, threads: Threads) -> Result {
    let (wasm, name) = (wasm.with(threads), threads.short());
    let words = ["rustc", "--package", "spikelet-js", "--bin", MODULE, "--features", "engine", "--profile", profile.of_engine()];
    let mut compile = wasm.compile(workspace, profile, &words);
    if profile == Profile::Release {
        // Whole-program optimisation takes the level of the crate that is linked, and vectorises no loops below this one.
        compile.args(["--", "-Copt-level=3"]);
    }
    step::run(&format!("engine {name}: compile"), compile)?;
    let module = wasm.artifacts(profile.of_engine()).join(format!("{MODULE}.wasm"));
    publish(workspace, profile, &format!("engine {name}"), &module, name, MODULE)
}

/// Compiles the modules beside the engines, and makes their JavaScript.
///
/// # Errors
/// A step fails.
pub(crate) fn compile_modules(workspace: &Workspace, wasm: &Wasm, profile: Profile) -> Result {
    let wasm = wasm.with(Threads::One);
    for Module { package, name, folder } in MODULES {
        let words = ["rustc", "--package", package, "--lib", "--crate-type", "cdylib", "--profile", profile.of_engine()];
        step::run(&format!("{folder}: compile"), wasm.compile(workspace, profile, &words))?;
        let module = wasm.artifacts(profile.of_engine()).join(format!("{}.wasm", package.replace('-', "_")));
        publish(workspace, profile, folder, &module, folder, name)?;
    }
    Ok(())
}

/// Makes the JavaScript of a module in its folder of the package, unless that was done since it was compiled.
fn publish(workspace: &Workspace, profile: Profile, title: &str, module: &Path, place: &str, name: &str) -> Result {
    let folder = folder(workspace).join(place);
    let note = Note::on(workspace, &title.replace(' ', "-"));
    let inputs = [module.to_owned()];
    if note.holds(profile.of_engine(), &folder, &inputs) {
        return Ok(());
    }
    note.after(profile.of_engine(), || {
        // Scripts that it names with a hash would pile up.
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
        }
        bind(workspace, profile, title, module, &folder, name)
    })
}

/// Makes the JavaScript of a module, `title`'s. What is published has the names of its functions in a file of their own.
///
/// # Errors
/// A step fails.
pub(crate) fn bind(workspace: &Workspace, profile: Profile, title: &str, module: &Path, folder: &Path, name: &str) -> Result {
    let mut bind = Command::new(binder(workspace)?);
    workspace.configure(&mut bind);
    bind.arg(module).arg(folder).arg(name).args((profile == Profile::Release).then_some("split-names"));
    step::run(&format!("{title}: wasm-bindgen"), bind)
}

/// Whether the program that makes the JavaScript of modules is compiled.
static BINDER: Mutex<bool> = Mutex::new(false);

/// The native tests have compiled it.
pub(crate) fn binder_is_compiled() {
    *BINDER.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = true;
}

/// The program that makes the JavaScript of modules; compiled when it is first needed.
pub(crate) fn binder(workspace: &Workspace) -> Result<PathBuf> {
    let mut compiled = BINDER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !*compiled {
        step::run("wasm-bindgen: compile", workspace.cargo(&["build", "--package", "spikelet-bindgen"]))?;
        *compiled = true;
    }
    Ok(workspace.target.join("debug").join(format!("spikelet-bindgen{EXE_SUFFIX}")))
}

/// Whether the types in the scripts are checked, for which both engines must be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Types {
    Checked,
    Believed,
}

/// Compiles the scripts of the package, and puts all else that belongs to it beside them.
///
/// # Errors
/// A step fails.
pub(crate) fn scripts(workspace: &Workspace, types: Types) -> Result {
    install_tools(workspace)?;
    let folder = folder(workspace);
    let inputs = ["ts", "js", "README.md", "package.json", "package-lock.json", "tsconfig.json", "assemble.mjs"];
    let inputs = inputs.map(|name| sources(workspace).join(name));
    let inputs = [&inputs[..], &[workspace.root.join("docs/network.schema.json")]].concat();
    let note = Note::on(workspace, "scripts");
    let (how, words): (_, &[_]) = match types {
        Types::Checked => ("checked", &["assemble.mjs"]),
        Types::Believed => ("", &["assemble.mjs", "--noCheck"]),
    };
    let holds = |how| note.holds(how, &folder.join("js"), &inputs);
    // A checked output is not replaced by an unchecked one.
    if holds("checked") || holds(how) {
        return Ok(());
    }
    note.after(how, || step::run("engine: scripts", node(workspace, words)))
}

/// The page's help, in target/help: the reference of the scripts, and docs.
///
/// # Errors
/// A step fails.
pub(crate) fn help(workspace: &Workspace) -> Result {
    let sources = sources(workspace);
    let inputs = ["ts", "README.md", "tsconfig.json", "typedoc.mjs", "package-lock.json"].map(|name| sources.join(name));
    let inputs = [&inputs[..], &[workspace.root.join("docs")]].concat();
    let note = Note::on(workspace, "help");
    if note.holds("", &workspace.root.join("target/help"), &inputs) {
        return Ok(());
    }
    let words = ["node_modules/typedoc/bin/typedoc", "--options", "typedoc.mjs"];
    note.after("", || step::run("help", node(workspace, &words)))
}

/// Installs what compiles the scripts, as package-lock.json names it, unless that was done since it changed.
///
/// # Errors
/// npm cannot.
pub(crate) fn install_tools(workspace: &Workspace) -> Result {
    let sources = sources(workspace);
    let changed = |file: &str| fs::metadata(sources.join(file)).and_then(|found| found.modified()).ok();
    if changed("node_modules/.package-lock.json") > changed("package-lock.json") {
        return Ok(());
    }
    step::run("engine: npm ci", npm(&sources, &["ci", "--no-audit", "--no-fund"]))
}

/// Packs the package, as npm would publish it.
///
/// # Errors
/// npm cannot.
pub(crate) fn pack(workspace: &Workspace, tarball: &Path) -> Result {
    let to = tarball.parent().unwrap_or(&workspace.root);
    let mut pack = npm(&folder(workspace), &["pack", "--silent", "--pack-destination"]);
    pack.arg(to);
    step::run("package: npm pack", pack)?;
    let packed = to.join(format!("spikelet-{}.tgz", env!("CARGO_PKG_VERSION")));
    if packed != tarball {
        fs::rename(&packed, tarball)?;
    }
    Ok(())
}

/// Node, in the folder of the sources.
pub(crate) fn node(workspace: &Workspace, words: &[&str]) -> Command {
    let mut command = Command::new(tools::node(workspace).unwrap_or_else(|| PathBuf::from("node")));
    command.args(words).current_dir(sources(workspace));
    command
}

/// npm, in a folder.
pub(crate) fn npm(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(which("npm").unwrap_or_else(|| PathBuf::from(if cfg!(windows) { "npm.cmd" } else { "npm" })));
    command.args(words).current_dir(folder);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_run_at_once_and_the_first_failure_is_told() {
        let (to_second, from_first) = std::sync::mpsc::channel();
        side_by_side(vec![
            Box::new(move || from_first.recv().map_err(Into::into)),
            Box::new(move || to_second.send(()).map_err(Into::into)),
        ])
        .expect("neither waits for the other's end");
        let failing = side_by_side(vec![Box::new(|| Ok(())), Box::new(|| Err("one".into())), Box::new(|| Err("two".into()))]);
        assert_eq!(failing.expect_err("two fail").to_string(), "one");
    }
}
