//! `cargo xtask test`: the checks, in three tiers ([`Tier`]). A check that fails does not hide the next one; the last lines list which did.
//!
//! Environment variables of the tests:
//!
//! | variable | for | meaning |
//! |---|---|---|
//! | `SPIKELET_REQUIRE_ADAPTER=1` | all, on Linux | a test that finds no GPU adapter fails instead of saying `skipped: no adapter` |
//! | `SPIKELET_CASE=lif_,stdp` | system | only the conformance cases with one of these in their names |
//! | `SPIKELET_FULL=1` | all | the long cases too; set by `--full` |
//! | `PROPTEST_RNG_SEED` | all | from which random values are drawn; 1 without `--full`, so that each run checks the same ones |
//! | `SPIKELET_PACKAGE` | package | the npm package, packed; unset: the examples say `skipped: no package` |
//! | `SPIKELET_PAGE_URL` | page | where the page is served, `http://127.0.0.1:<port>/`; unset: the flows say `skipped: no page` |
//! | `SPIKELET_PAGE_FOLDER` | page | what is served there, for flows that bring a host of their own |
//! | `SPIKELET_BROWSER` | page, package | the browser: `chromium` (default), `firefox` or `webkit` |
//! | `CHROMEDRIVER` | wasm, page, package | the driver program; each test starts its own, and passes on the capabilities in webdriver.json |
//! | `GECKODRIVER` | wasm, package, browsers | the driver program of Firefox; with it, the tests of `wasm` that need no WebGPU run there instead of in Chromium |

mod aarch64;
mod browsers;
mod changed;
mod checks;
mod fuzz;
mod kit;
mod lint;
mod loom;
mod mpi;
mod native;
mod part;
mod python;
mod stress;

use crate::step::{self, Tests};
use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Result, board, engine};
use checks::Checks;
use native::Program;
use std::time::Instant;

pub(crate) use native::PACKAGES;
pub(crate) use part::{Part, Tier};

/// Which checks run.
#[derive(Debug, PartialEq)]
pub(crate) enum Selection {
    /// Those of some parts.
    Parts(Vec<Part>),
    /// Those that the changes since a commit can have broken; since the merge base with `main` where none is named.
    Changed(Option<String>),
}

/// # Errors
/// Something cannot be installed, or a check fails.
pub(crate) fn run(workspace: &Workspace, selection: Selection, tier: Tier, yes: bool) -> Result {
    let parts = match selection {
        Selection::Parts(parts) => parts,
        Selection::Changed(since) => changed::parts(workspace, since.as_deref(), tier)?,
    };
    let checks = Checks::new(workspace, parts, tier);
    let started = Instant::now();
    tools::provide(workspace, &needs(&checks), yes)?;
    println!("✓ set up  {}\n", board::seconds(started.elapsed()));

    let started = Instant::now();
    lint::run(&checks);
    // Before all others: it compiles the same programs with another feature.
    mpi::run(&checks);
    // Only these have no native tests.
    let programs = if checks.parts.iter().any(|part| !matches!(part, Part::Wasm | Part::Mpi | Part::Fuzz)) {
        native::build(&checks).unwrap_or_else(|problem| {
            checks.keep(Err(problem));
            Vec::new()
        })
    } else {
        Vec::new()
    };
    if checks.runs(Part::Python) {
        checks.keep(python::run(&checks));
    }
    // Tests in a browser use less than the whole machine: engines are linked on one core, and pages are waited for.
    engine::side_by_side(vec![
        Box::new(|| {
            run_programs(&checks, &programs);
            kit::run(&checks);
            fuzz::run(&checks);
            Ok(())
        }),
        Box::new(|| {
            browsers::run(&checks, &programs);
            Ok(())
        }),
    ])?;

    // Beside nothing else: it is about what happens beside it.
    stress::run(&checks, &programs);

    println!();
    step::print_times();
    println!("\ntime of each part, and its budget on two idle cores with everything built");
    checks.print_times();
    let time = board::seconds(started.elapsed());
    println!("\n{}\n", Tests::of_all_steps());
    let late = checks.lateness();
    let failures = checks.failures();
    if failures.is_empty() {
        println!("✓ all checks passed  {time}, after the set-up{late}");
        return Ok(());
    }
    let list: String = failures.iter().map(|failure| format!("\n    {failure}")).collect();
    Err(format!("failed, after {time}:{list}").into())
}

/// What the parts of this run need.
fn needs(checks: &Checks) -> Vec<Need> {
    let runs = |parts: &[Part]| parts.iter().any(|part| checks.runs(*part));
    let in_browser = checks.parts.iter().any(|part| part.in_browser());
    let is_needed = |need: &Need| match need {
        Need::Vulkan => runs(&[Part::Core, Part::Gpu, Part::Cli, Part::System, Part::Kit, Part::Browsers, Part::Stress]),
        Need::Compiler => in_browser || checks.tier == Tier::Quick && checks.runs(Part::Lint),
        Need::Sources | Need::Browser => in_browser,
        Need::Bindgen => checks.runs(Part::Wasm) || checks.runs(Part::Page) && checks.full(),
        Need::Node => runs(&[Part::Page, Part::Package, Part::Python, Part::Browsers]),
        Need::Trunk => checks.runs(Part::Page) && checks.full(),
        Need::Browsers | Need::Geckodriver => checks.runs(Part::Browsers) && cfg!(target_os = "linux"),
        Need::Mpi => checks.runs(Part::Mpi),
        Need::Valgrind => checks.runs(Part::Cli) && checks.full(),
        Need::Python => checks.runs(Part::Python),
        Need::Fuzz => checks.runs(Part::Fuzz) && cfg!(unix),
        Need::Deny => checks.runs(Part::Lint) && checks.full(),
    };
    Need::ALL.into_iter().filter(is_needed).collect()
}

/// The native tests of each part; those that need a page or a package run with it.
fn run_programs(checks: &Checks, programs: &[Program]) {
    for part in &checks.parts {
        for program in programs {
            match program.part() {
                Ok(of) if of == *part && !browsers::runs(program) => {
                    let mut command = program.command(checks.workspace);
                    command.args(program.left_out(checks.tier).iter().flat_map(|tests| ["--skip", tests]));
                    checks.run(of, &program.title(), command);
                }
                Ok(_) => {}
                Err(problem) => checks.keep(Err(problem)),
            }
        }
    }
    if checks.runs(Part::Core) && checks.tier >= Tier::All {
        let examples = [&["test", "--doc"], &native::PACKAGES[..]].concat();
        checks.run(Part::Core, "examples in documents", checks.workspace.cargo(&examples));
    }
    loom::run(checks);
    aarch64::run(checks);
}
