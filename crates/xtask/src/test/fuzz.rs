//! Fuzzing: each target for some seconds.

use super::checks::Checks;
use super::part::Part;
use crate::fuzz::{self, Effort, Target, targets};
use crate::{Result, step};
use std::time::Instant;

/// Two minutes of computing in all, which begin at the same place in every run of the checks.
const EFFORT: Effort = Effort { seconds: 8, at_once: 2, seed: 1 };

/// Compiles the targets, and runs them.
pub(super) fn run(checks: &Checks) {
    if !checks.runs(Part::Fuzz) {
        return;
    }
    if !cfg!(unix) {
        return step::note("fuzz", "skipped: libFuzzer is for Linux and macOS");
    }
    checks.keep(all(checks));
}

fn all(checks: &Checks) -> Result {
    fuzz::build(checks.workspace)?;
    let started = Instant::now();
    let found = fuzz::fuzz(checks.workspace, &targets().iter().collect::<Vec<&Target>>(), &EFFORT);
    checks.spend(Part::Fuzz, started.elapsed());
    fuzz::failures(&found?)
}
