//! Spikelet in headless Chromium: the npm package, on a page that does nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use crate::Result;
use crate::server::Server;
use crate::subject::{Identity, Rates, Subject, SubjectRun};

/// What keeps a browser quiet on a machine that is measured on.
const FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
];

/// A run that is not over by then never will be.
const PATIENCE: Duration = Duration::from_secs(600);

/// A browser of its own, on a page that waits for jobs.
pub(crate) struct Browser {
    chromium: Child,
    profile: PathBuf,
    server: Server,
    isolated: bool,
    network: String,
    seconds: f64,
    /// What the engine says.
    threads: usize,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PageEvent {
    Done { wall_seconds: f64, time_ms: f64, threads: usize, rates_hz: Rates },
    Failed { error: String },
}

impl Browser {
    pub(crate) fn title(isolated: bool) -> &'static str {
        if isolated { "Spikelet, Chromium mt" } else { "Spikelet, Chromium st" }
    }

    /// Starts Chromium, cross-origin isolated or not, and runs a moment of the network, which warms it up.
    ///
    /// # Errors
    /// Chromium cannot be started, or the engine in it.
    pub(crate) fn start(
        chromium: &Path,
        engine: &Path,
        scratch: &Path,
        isolated: bool,
        network: &str,
        seconds: f64,
    ) -> Result<Browser> {
        let server = Server::start(engine, isolated)?;
        let profile = scratch.join(if isolated { "profile-mt" } else { "profile-st" });
        let mut command = Command::new(chromium);
        command.args(FLAGS).arg(format!("--user-data-dir={}", profile.display()));
        command.arg(format!("http://127.0.0.1:{}/", server.port));
        fs::create_dir_all(&profile)?;
        command.env("TMPDIR", &profile);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("cannot start {}: {error}", chromium.display()))?;
        let network = network.to_owned();
        let mut browser = Browser { chromium: child, profile, server, isolated, network, seconds, threads: 1 };
        browser.job(1, 1.0)?;
        Ok(browser)
    }

    fn job(&mut self, seed: u32, time_ms: f64) -> Result<SubjectRun> {
        let job = json!({ "network": self.network, "seed": seed, "timeMs": time_ms });
        self.server.jobs.send(job.to_string())?;
        match serde_json::from_str(&self.result()?)? {
            PageEvent::Done { wall_seconds, time_ms, threads, rates_hz } => {
                self.threads = threads;
                Ok(SubjectRun { wall_per_second: wall_seconds * 1000.0 / time_ms, rates_hz })
            }
            PageEvent::Failed { error } => Err(error.into()),
        }
    }

    /// What the page tells next.
    fn result(&mut self) -> Result<String> {
        let started = Instant::now();
        loop {
            match self.server.results.recv_timeout(Duration::from_millis(200)) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) if started.elapsed() < PATIENCE => {}
                Err(_) => return Err(format!("the page has sent no message for {} s", PATIENCE.as_secs()).into()),
            }
            if let Some(status) = self.chromium.try_wait()? {
                return Err(format!("Chromium ended with {status}").into());
            }
        }
    }
}

impl Subject for Browser {
    fn identity(&self) -> Identity {
        let name = Browser::title(self.isolated).to_owned();
        let column = Some(name.replace("Spikelet, ", ""));
        Identity { name, threads: self.threads, column }
    }

    fn run(&mut self, seed: u32) -> Result<SubjectRun> {
        self.job(seed, 1000.0 * self.seconds)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its other processes end with the first.
        let _ = self.chromium.kill();
        let _ = self.chromium.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
