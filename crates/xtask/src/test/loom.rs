//! The barrier of the CPU threads in all orders of its threads, by loom: `tests/loom`, a workspace of its own.

use super::checks::Checks;
use super::part::Part;
use crate::step;

/// With `--full`, since loom is compiled for it alone.
pub(super) fn run(checks: &Checks) {
    if !checks.runs(Part::Core) {
        return;
    }
    if !checks.full() {
        return step::note("core: orders of threads", "skipped: only in --full");
    }
    let mut test = checks.workspace.cargo(&["test", "--manifest-path", "tests/loom/Cargo.toml", "--target-dir"]);
    test.arg(checks.workspace.target.join("loom"));
    checks.run(Part::Core, "orders of threads", test);
}
