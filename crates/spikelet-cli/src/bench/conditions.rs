//! The conditions of a measurement.

use std::fs;
use std::thread::available_parallelism;
use std::time::SystemTime;

use serde::Serialize;
use spikelet_gpu::AdapterReport;

/// Conditions on which results depend, besides the program.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Conditions {
    pub(super) date: String,
    pub(super) version: &'static str,
    /// Operating system and architecture.
    pub(super) system: String,
    /// Hardware threads.
    pub(super) cores: usize,
    /// Mean number of processes waiting for a CPU in the last minute, at the start, if known: above 0 there is other load.
    pub(super) load: Option<f64>,
    /// The GPU with its driver; `None` if none was measured.
    pub(super) adapter: Option<String>,
}

impl Conditions {
    pub(super) fn now(date: Option<String>, adapter: Option<&AdapterReport>) -> Conditions {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").ok();
        Conditions {
            date: date.unwrap_or_else(|| day(since.as_secs() / 86_400)),
            version: env!("CARGO_PKG_VERSION"),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: available_parallelism().map_or(1, usize::from),
            load: load.and_then(|text| text.split_whitespace().next()?.parse().ok()),
            adapter: adapter.map(|of| format!("{} ({}, {})", of.name, of.api, of.driver)),
        }
    }
}

/// A day since 1970-01-01 as ISO 8601 date.
fn day(mut days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(
            [0, 59, 11_016, 20_454, 47_540].map(day),
            ["1970-01-01", "1970-03-01", "2000-02-29", "2026-01-01", "2100-02-28"]
        );
        assert_eq!(day(47_541), "2100-03-01");
    }
}
