//! The native tests: cargo builds all test programs at once, so that it compiles nothing twice; they are run part by part.

use super::checks::Checks;
use super::part::{Part, Tier};
use crate::workspace::Workspace;
use crate::{Result, engine, step};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that run on this machine itself. Each native step names them alike, for the same reason.
pub(crate) const PACKAGES: [&str; 3] = ["--workspace", "--exclude", "spikelet-js"];

/// Those of the first tier: without what is made for a browser or for Python, whose dependencies take longer to compile than they do.
const QUICK: [&str; 15] = [
    "--workspace",
    "--exclude",
    "spikelet-js",
    "--exclude",
    "spikelet-web",
    "--exclude",
    "spikelet-py",
    "--exclude",
    "spikelet-assemblies-js",
    "--exclude",
    "spikelet-train-js",
    "--exclude",
    "spikelet-interchange-js",
    "--exclude",
    "spikelet-gpu-kit",
];

/// The packages whose native tests a run compiles.
pub(super) fn packages(checks: &Checks) -> &'static [&'static str] {
    let is_left_out = |part: &Part| matches!(part, Part::Kit | Part::Python | Part::Page | Part::Package);
    if checks.tier == Tier::Quick && !checks.parts.iter().any(is_left_out) { &QUICK } else { &PACKAGES }
}

/// The program of what holds across backends.
pub(super) const SYSTEM: &str = "spikelet-tests all";

/// The tests that the first tier leaves out, by program: three quarters of the time. Conformance is on the CPU then, and the CPU beside the GPU,
/// step by step, on fewer networks.
pub(super) const LEFT_TO_ALL: [(&str, &[&str]); 4] = [
    (
        "spikelet-plan",
        &[
            "set::bindings::tests::what_is_bound_comes_to_what_is_built_anew_in_all_networks",
            "set::bindings::tests::what_is_varied_as_it_is_bound_comes_to_what_is_built",
            "part::tests::parts_of_the_catalogue_are_the_whole",
        ],
    ),
    ("spikelet-cli cli", &["faults::", "parity::every_command_prints_what_the_page_shows"]),
    ("spikelet-random random_networks", &["many::"]),
    (
        SYSTEM,
        &[
            "conformance::cases_pass_on_the_gpu",
            "estimates::",
            "failures::",
            "from_brian::",
            "gpu::",
            "gpu_ranks::",
            "lockstep::catalogue",
            "lockstep::paged",
            "lockstep::synapses_of_the_library",
            "lockstep::wide_rows",
            "neuroml::",
            "precision::",
            "published::competition::",
            "published::learning::",
            "random_gpu::",
            "ranks::",
            "referee::",
            "snapshots::",
            "sonata::",
            "third::",
            "to_pre::",
            "trials::",
            "typed::",
            "winners::",
            "worlds::the_same_spikes_on_every_device",
        ],
    ),
];

/// A program that cargo has built of tests.
#[derive(Debug)]
pub(super) struct Program {
    package: String,
    target: String,
    file: PathBuf,
    /// The folder of the package, in which cargo runs its tests.
    folder: PathBuf,
}

/// Compiles all test programs.
///
/// # Errors
/// One does not compile.
pub(super) fn build(checks: &Checks) -> Result<Vec<Program>> {
    let workspace = checks.workspace;
    let compile = [&["test", "--no-run"], packages(checks)].concat();
    step::run("native: compile", workspace.cargo(&compile))?;
    engine::binder_is_compiled();
    // All is fresh now: cargo only names what it has built.
    let mut list = workspace.cargo(&compile);
    let output = list.args(["--quiet", "--message-format", "json"]).output()?;
    String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect()
}

/// The test program in a message of cargo, if it has one.
fn program(message: &str) -> Option<Result<Program>> {
    let message: Value = serde_json::from_str(message).ok()?;
    let file = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let read = || {
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        // `path+file:///clone/crates/spikelet#0.1.0`, or `…/tests#spikelet-tests@0.1.0` where the folder has another name.
        let (place, version) = message["package_id"].as_str()?.split_once('#')?;
        let package = version.split_once('@').map_or_else(|| place.rsplit('/').next(), |(name, _)| Some(name))?;
        Some(Program { package: package.to_owned(), target: text(&message["target"]["name"])?, file: file.into(), folder })
    };
    Some(read().ok_or_else(|| format!("cargo's message on {file} has no package, target or folder").into()))
}

impl Program {
    /// # Errors
    /// No part names its package.
    pub(super) fn part(&self) -> Result<Part> {
        Part::of_program(&self.package, &self.target)
            .ok_or_else(|| format!("{} belongs to no part: add it in crates/xtask/src/test/part.rs", self.package).into())
    }

    /// `spikelet-gpu devices`, or `spikelet-gpu` for the unit tests of a crate.
    pub(super) fn title(&self) -> String {
        if self.target.replace('_', "-") == self.package.replace('_', "-") {
            self.package.clone()
        } else {
            format!("{} {}", self.package, self.target)
        }
    }

    /// The tests of it that a tier leaves out.
    pub(super) fn left_out(&self, tier: Tier) -> &'static [&'static str] {
        let title = self.title();
        let of = LEFT_TO_ALL.iter().find(|(program, _)| tier == Tier::Quick && *program == title);
        of.map_or(&[], |(_, tests)| tests)
    }

    /// As cargo runs it: in the folder of its package, where proptest keeps failures.
    pub(super) fn command(&self, workspace: &Workspace) -> Command {
        let mut command = Command::new(&self.file);
        workspace.configure(&mut command);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn tests_that_are_left_out_are_there() {
        let workspace = Workspace::open().expect("a clone");
        let sources = [
            "crates/spikelet-plan/src/lib.rs",
            "crates/spikelet-cli/tests/cli/main.rs",
            "crates/spikelet-random/tests/random_networks.rs",
            "tests/main.rs",
        ];
        for ((program, tests), source) in LEFT_TO_ALL.into_iter().zip(sources) {
            let source = fs::read_to_string(workspace.root.join(source)).expect("the program is there");
            for test in tests {
                let module = test.split("::").next().unwrap_or_default();
                assert!(source.contains(&format!("mod {module}")), "{program} has no module {module}");
            }
        }
    }

    #[test]
    fn a_message_of_cargo_names_package_and_program() {
        let message = |id: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///c/{id}","manifest_path":"/c/tests/Cargo.toml",
                "target":{{"kind":["test"],"name":"flows"}},"profile":{{"test":{test}}},"executable":"/c/target/debug/deps/flows-1"}}"#
            )
        };
        let read = |id| program(&message(id, true)).expect("a program").expect("a whole message");
        let flows = read("tests#spikelet-tests@0.1.0");
        assert_eq!((flows.title().as_str(), flows.part().expect("known")), ("spikelet-tests flows", Part::Page));
        assert_eq!(flows.folder, Path::new("/c/tests"));
        assert_eq!(read("crates/spikelet-gpu#0.1.0").part().expect("known"), Part::Gpu);
        assert!(read("crates/new#0.1.0").part().is_err());
        assert!(program(&message("spikelet#0.1.0", false)).is_none());
        assert!(program("   Compiling spikelet").is_none());
    }
}
