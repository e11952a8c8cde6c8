//! What the system says of memory, on Linux.

use std::fs;

/// Bytes that are free.
pub(crate) fn free() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:")
}

/// Bytes that this process holds now.
pub(crate) fn resident() -> Option<u64> {
    field("/proc/self/status", "VmRSS:")
}

fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
