//! The conditions of a measurement.

use std::thread::available_parallelism;

use jiff::Timestamp;

use serde::Serialize;
use spikelet_gpu::AdapterReport;
use spikelet_kernel::simd::Level;
use sysinfo::System;

/// Conditions on which results depend, besides the program.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Conditions {
    /// UTC, ISO 8601.
    pub(crate) date: String,
    pub(crate) version: &'static str,
    /// Operating system and architecture.
    pub(crate) system: String,
    /// Hardware threads.
    pub(crate) cores: usize,
    /// The vectors of the CPU: the best ones that it has, or those of `SPIKELET_LEVEL`.
    pub(crate) vectors: &'static str,
    /// Mean number of processes waiting for a CPU in the last minute, at the start, if known: above 0 there is other load.
    pub(crate) load: Option<f64>,
    /// The GPU with its driver; `None` if none was measured.
    pub(crate) adapter: Option<String>,
}

impl Conditions {
    pub(crate) fn now(date: Option<String>, adapter: Option<&AdapterReport>) -> Conditions {
        Conditions {
            date: date.unwrap_or_else(|| Timestamp::now().strftime("%F").to_string()),
            version: env!("CARGO_PKG_VERSION"),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: available_parallelism().map_or(1, usize::from),
            vectors: Level::best().name(),
            load: System::load_average().ok().map(|load| load.one),
            adapter: adapter.map(|of| format!("{} ({}, {})", of.name, of.api, of.driver)),
        }
    }
}
