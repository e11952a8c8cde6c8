//! Ranks that are processes of MPI: built with the feature `mpi`, and started by `mpirun`.

use super::checks::Checks;
use super::native;
use super::part::Part;
use crate::step;
use crate::workspace::which;

/// What has them compiled.
const FEATURES: [&str; 2] = ["--features", "spikelet-mpi/mpi,spikelet-cli/mpi"];
/// The programs of the tests.
const TESTS: [&str; 4] = ["--test", "ranks", "--test", "mpi"];

/// Compiles and runs the tests. Lints are those of `lint`, for what only the feature compiles.
pub(super) fn run(checks: &Checks) {
    if !checks.runs(Part::Mpi) {
        return;
    }
    if !cfg!(target_os = "linux") {
        return step::note("mpi", "skipped: ranks of MPI are tested on Linux");
    }
    let cargo = |command: &[&str], rest: &[&str]| {
        let mut command = checks.workspace.cargo(&[command, &native::PACKAGES[..], &FEATURES[..], rest].concat());
        // In containers ranks may not read each other's memory, and the user may be root.
        command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("OMPI_MCA_rmaps_base_oversubscribe", "1");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    };
    if which("cargo-clippy").is_some() {
        checks.run(Part::Mpi, "clippy", cargo(&["clippy"], &["--all-targets", "--", "-D", "warnings"]));
    }
    checks.keep(step::run("mpi: compile", cargo(&["test", "--no-run"], &TESTS)));
    checks.run(Part::Mpi, "ranks", cargo(&["test"], &TESTS));
}
