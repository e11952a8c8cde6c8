//! The Python of this machine.

use crate::workspace::{release, version_line, which};
use std::path::PathBuf;
use std::process::Command;

/// The oldest Python of the package.
pub(crate) const OLDEST: (u32, u32) = (3, 10);

/// A Python that is new enough and can make environments.
pub(crate) fn find() -> Option<PathBuf> {
    ["python3", "python"].iter().filter_map(|name| which(name)).find(|program| {
        let version = version_line(program).unwrap_or_default();
        let makes_environments = || {
            let modules = Command::new(program).args(["-c", "import venv, ensurepip"]).output();
            modules.is_ok_and(|output| output.status.success())
        };
        release(version.trim_start_matches("Python ")) >= Some(OLDEST) && makes_environments()
    })
}
