//! Spikelet natively: the release binary, started for each run.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::Result;
use crate::subject::{Identity, Run, Subject, reason};

pub(crate) struct Native {
    spikelet: PathBuf,
    network: PathBuf,
    threads: usize,
    seconds: f64,
}

/// What is read of `spikelet run --json`.
#[derive(Deserialize)]
struct Report {
    simulate_seconds: f64,
    time_ms: f64,
    populations: Vec<Population>,
}

#[derive(Deserialize)]
struct Population {
    name: String,
    rate_hz: f64,
}

impl Native {
    pub(crate) fn new(spikelet: &Path, network: &Path, threads: usize, seconds: f64) -> Native {
        Native { spikelet: spikelet.to_owned(), network: network.to_owned(), threads, seconds }
    }
}

impl Subject for Native {
    fn identity(&self) -> Identity {
        let column = Some(format!("native, {}", self.threads));
        Identity { name: "Spikelet".to_owned(), threads: self.threads, column }
    }

    fn run(&mut self, seed: u32) -> Result<Run> {
        let mut command = Command::new(&self.spikelet);
        command.arg("run").arg(&self.network).args(["--backend", "cpu", "--json", "--quiet"]);
        command.args(["--threads", &self.threads.to_string(), "--seed", &seed.to_string()]);
        command.args(["--time", &(1000.0 * self.seconds).to_string()]);
        let output = command.output().map_err(|error| format!("cannot start {}: {error}", self.spikelet.display()))?;
        if !output.status.success() {
            return Err(reason(&String::from_utf8_lossy(&output.stderr)).into());
        }
        let report: Report = serde_json::from_slice(&output.stdout)?;
        Ok(Run {
            wall_per_second: report.simulate_seconds * 1000.0 / report.time_ms,
            rates_hz: report.populations.into_iter().map(|of| (of.name, of.rate_hz)).collect(),
        })
    }
}
