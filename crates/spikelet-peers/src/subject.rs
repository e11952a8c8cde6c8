//! Who runs a network when asked.

use indexmap::IndexMap;
use serde::Serialize;

use crate::Result;

/// A simulator that is ready to run one network.
pub(crate) trait Subject {
    /// Who it is, with its version.
    fn identity(&self) -> Identity;

    /// Runs the network from its start.
    ///
    /// # Errors
    /// It cannot, and why.
    fn run(&mut self, seed: u32) -> Result<SubjectRun>;
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) threads: usize,
    /// One of ours: its column in the summary. None of a peer.
    pub(crate) column: Option<String>,
}

/// Mean rates of populations, in Hz, by their names.
pub(crate) type Rates = IndexMap<String, f64>;

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SubjectRun {
    /// Wall time of the simulation loop over biological time.
    pub(crate) wall_per_second: f64,
    /// Of each population, over the whole run.
    pub(crate) rates_hz: Rates,
}

/// The line that says most about why a program failed: one with "error" in it, else the last.
pub(crate) fn reason(output: &str) -> &str {
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
    let last = lines.clone().next().unwrap_or("no reason given");
    lines.find(|line| line.to_lowercase().contains("error")).unwrap_or(last)
}
