//! Format, lints and docs of native code, and what the workspace depends on.

use super::checks::Checks;
use super::native;
use super::part::{Part, Tier};
use crate::profile::Profile;
use crate::toolchain::{TARGET, Wasm};
use crate::workspace::which;
use crate::{Result, step, tools};
use std::process::Command;
use std::time::Duration;

/// How long the database of security advisories may take to arrive.
const FETCH_LIMIT: Duration = Duration::from_secs(120);

pub(super) fn run(checks: &Checks) {
    if !checks.runs(Part::Lint) {
        return;
    }
    let cargo = |words: &[&str]| checks.workspace.cargo(words);
    if which("rustfmt").is_some() {
        checks.run(Part::Lint, "format", cargo(&["fmt", "--all", "--check"]));
    } else {
        step::note("lint: format", "skipped: rustfmt is not installed (rustup component add rustfmt)");
    }
    if which("cargo-clippy").is_some() {
        // Of tests in each tier but the first: they are most of the lines.
        let targets: &[&str] = if checks.tier == Tier::Quick { &[] } else { &["--all-targets"] };
        let words = [&["clippy"], native::packages(checks), targets, &["--", "-D", "warnings"]].concat();
        checks.run(Part::Lint, "clippy", cargo(&words));
    } else {
        step::note("lint: clippy", "skipped: clippy is not installed (rustup component add clippy)");
    }
    if checks.tier == Tier::Quick {
        return checks.keep(wasm(checks));
    }
    let mut docs = cargo(&[&["doc", "--no-deps"], &native::PACKAGES[..]].concat());
    docs.env("RUSTDOCFLAGS", "-D warnings");
    checks.run(Part::Lint, "docs", docs);
    dependencies(checks);
}

/// Whether what browsers load compiles; other tiers compile it all the way, and run it.
fn wasm(checks: &Checks) -> Result {
    let wasm = Wasm::open(checks.workspace)?;
    let words = ["check", "--profile", Profile::Quick.of_engine(), "--target", TARGET];
    let packages = ["spikelet-js", "spikelet-web", "spikelet-assemblies-js", "spikelet-train-js", "spikelet-interchange-js"];
    let packages: Vec<&str> = packages.iter().flat_map(|package| ["--package", package]).collect();
    checks.run(Part::Lint, "check of wasm", wasm.cargo(checks.workspace, &[&words[..], &packages].concat()));
    Ok(())
}

/// Licences, duplicates and sources of the dependencies; with `--full` security advisories, whose database is fetched.
fn dependencies(checks: &Checks) {
    let Some(program) = tools::cargo_deny(checks.workspace) else {
        step::note(
            "lint: dependencies",
            "skipped: cargo-deny is not installed (cargo install --locked cargo-deny; --full installs it)",
        );
        return;
    };
    let deny = |words: &[&str]| {
        let mut command = Command::new(&program);
        checks.workspace.configure(&mut command);
        command.args(words);
        command
    };
    checks.run(Part::Lint, "dependencies", deny(&["check", "licenses", "bans", "sources"]));
    if checks.full() {
        match step::attempt("lint: fetch security advisories", deny(&["fetch", "db"]), FETCH_LIMIT) {
            Ok(Ok(())) => checks.run(Part::Lint, "security advisories", deny(&["--offline", "check", "advisories"])),
            Ok(Err(reason)) => step::note("lint: security advisories", &format!("skipped: no database ({reason})")),
            Err(problem) => checks.keep(Err(problem)),
        }
    }
}
