//! The CPU backend on aarch64, whose vectors are NEON: built for it, and run by an emulator. The results must have the same bits.

use super::checks::Checks;
use super::part::Part;
use crate::step;
use crate::workspace::which;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
/// The libraries of Debian's cross compiler.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
/// Crates without devices or browsers.
const TESTS: [&str; 16] = [
    "test",
    "--package",
    "spikelet-lang",
    "--package",
    "spikelet-kernel",
    "--package",
    "spikelet-rows",
    "--package",
    "spikelet-plan",
    "--package",
    "spikelet-cpu",
    "--package",
    "spikelet",
    "--package",
    "spikelet-verify",
    "--tests",
];

/// Runs the tests, with `--full` and if the machine has what they need.
pub(super) fn run(checks: &Checks) {
    if !checks.full() || !checks.runs(Part::Core) {
        return;
    }
    let missing: Vec<&str> = [LINKER, EMULATOR].into_iter().filter(|program| which(program).is_none()).collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        let install = "Debian: apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross";
        return step::note("core: aarch64", &format!("skipped: {list} not installed ({install}; rustup target add {TARGET})"));
    }
    let mut command = checks.workspace.cargo(&[&TESTS[..], &["--target", TARGET]].concat());
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{EMULATOR} -L {LIBRARIES}"));
    // The long cases would take hours in an emulator.
    checks.keep(step::run("core: aarch64", command));
}
