//! Spikelet natively: the release binary, started for each run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use crate::Result;
use crate::subject::{Identity, Subject, SubjectRun, reason};

pub(crate) struct Native {
    spikelet: PathBuf,
    network: PathBuf,
    seconds: f64,
    threads: usize,
    copies: usize,
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
    /// One process with this number of threads.
    pub(crate) fn new(spikelet: &Path, network: &Path, threads: usize, seconds: f64) -> Native {
        Native { spikelet: spikelet.to_owned(), network: network.to_owned(), seconds, threads, copies: 1 }
    }

    /// This number of processes at once, with one thread each, whose time is divided by their number: what as many threads could reach at best
    /// on this machine.
    pub(crate) fn copies(spikelet: &Path, network: &Path, copies: usize, seconds: f64) -> Native {
        Native { copies, ..Native::new(spikelet, network, 1, seconds) }
    }

    fn start(&self, seed: u32) -> Result<Child> {
        let mut command = Command::new(&self.spikelet);
        command.arg("run").arg(&self.network).args(["--backend", "cpu", "--json", "--quiet"]);
        command.args(["--threads", &self.threads.to_string(), "--seed", &seed.to_string()]);
        command.args(["--time", &(1000.0 * self.seconds).to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| format!("cannot start {}: {error}", self.spikelet.display()).into())
    }
}

impl Subject for Native {
    fn identity(&self) -> Identity {
        if self.copies > 1 {
            let name = format!("Spikelet, {} copies at once", self.copies);
            let column = Some(format!("{} copies", self.copies));
            return Identity { name, threads: 1, column };
        }
        let column = Some(format!("native, {}", self.threads));
        Identity { name: "Spikelet".to_owned(), threads: self.threads, column }
    }

    fn run(&mut self, seed: u32) -> Result<SubjectRun> {
        let copies = (0..self.copies).map(|_| self.start(seed)).collect::<Result<Vec<Child>>>()?;
        let reports = copies.into_iter().map(report).collect::<Result<Vec<Report>>>()?;
        let copies = self.copies as f64;
        let wall = |report: &Report| report.simulate_seconds * 1000.0 / report.time_ms;
        let wall_per_second = reports.iter().map(wall).sum::<f64>() / copies / copies;
        let rates = reports.into_iter().take(1).flat_map(|report| report.populations).map(|of| (of.name, of.rate_hz));
        Ok(SubjectRun { wall_per_second, rates_hz: rates.collect() })
    }
}

/// What a process says at its end.
fn report(process: Child) -> Result<Report> {
    let output = process.wait_with_output()?;
    if !output.status.success() {
        return Err(reason(&String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
