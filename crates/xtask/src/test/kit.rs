//! The kit that measures GPUs, rehearsed on the software GPU of this machine.

use super::checks::Checks;
use super::part::Part;
use crate::gpu;
use std::time::Instant;

/// Builds it of the programs that the native tests have compiled, runs it in an empty folder, and takes its results.
pub(super) fn run(checks: &Checks) {
    if !checks.runs(Part::Kit) {
        return;
    }
    let started = Instant::now();
    checks.keep(gpu::rehearse(checks.workspace));
    checks.spend(Part::Kit, started.elapsed());
}
