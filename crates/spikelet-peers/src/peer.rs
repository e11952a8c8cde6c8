//! Another simulator: a script that gets a network ready once and then runs it at each request. `python/common.py` says how.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;
use crate::environment::Installed;
use crate::options::Simulator;
use crate::subject::{Identity, Rates, Subject, SubjectRun, reason};

impl Simulator {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Simulator::Brian2 => "Brian 2",
            Simulator::Nest => "NEST",
            Simulator::Brainpy => "BrainPy",
        }
    }

    /// Whether its script has this network.
    pub(crate) fn has(self, model: &str) -> bool {
        self != Simulator::Brainpy || !["pd14", "plastic_cuba"].contains(&model)
    }

    /// Whether its number of threads can be set.
    pub(crate) fn takes(self, threads: usize) -> bool {
        // XLA spreads one operation over all cores or none; the size of its pool cannot be set.
        self != Simulator::Brainpy || threads == 1
    }

    /// What it compiles its networks with.
    pub(crate) fn compiler(self) -> Option<&'static str> {
        (self == Simulator::Brian2).then_some("g++")
    }
}

/// A script at work, with one network.
pub(crate) struct Peer {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Its error output; an unread pipe would fill up and block it.
    errors: PathBuf,
    version: String,
    threads: usize,
    seconds: f64,
}

#[derive(Deserialize)]
struct Ready {
    version: String,
}

#[derive(Deserialize)]
struct Answer {
    wall_seconds: f64,
    rates_hz: Rates,
}

impl Peer {
    /// Comes back when the network is ready.
    ///
    /// # Errors
    /// The script cannot be started, or fails.
    pub(crate) fn start(peer: &Installed, model: &str, threads: usize, seconds: f64, scratch: &Path) -> Result<Peer> {
        let script = crate::environment::scripts().join(format!("run_{}.py", peer.simulator));
        let mut command = Command::new(&peer.python);
        command.arg(script).arg(model).args(["--threads", &threads.to_string(), "--seconds", &seconds.to_string()]);
        let errors = scratch.join(format!("{}-{threads}.txt", peer.simulator));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&errors)?);
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("TMPDIR", scratch);
        let mut child = command.spawn().map_err(|error| format!("cannot start {}: {error}", peer.python.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("its input and output are not pipes".into());
        };
        let answers = BufReader::new(answers);
        let mut peer = Peer { child, requests: Some(requests), answers, errors, version: String::new(), threads, seconds };
        peer.version = peer.next_line::<Ready>("READY ")?.version;
        Ok(peer)
    }

    /// The next line that starts with `word`; the simulators print others.
    fn next_line<T: DeserializeOwned>(&mut self, word: &str) -> Result<T> {
        let mut line = String::new();
        while self.answers.read_line(&mut line)? > 0 {
            if let Some(json) = line.strip_prefix(word) {
                return Ok(serde_json::from_str(json)?);
            }
            line.clear();
        }
        let errors = fs::read(&self.errors)?;
        Err(reason(&String::from_utf8_lossy(&errors)).to_owned().into())
    }
}

impl Subject for Peer {
    fn identity(&self) -> Identity {
        Identity { name: self.version.clone(), threads: self.threads, column: None }
    }

    fn run(&mut self, seed: u32) -> Result<SubjectRun> {
        if let Some(requests) = &mut self.requests {
            writeln!(requests, "{seed}")?;
        }
        let answer: Answer = self.next_line("RESULT ")?;
        Ok(SubjectRun { wall_per_second: answer.wall_seconds / self.seconds, rates_hz: answer.rates_hz })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends with its input, and removes what it has compiled.
        self.requests = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::scripts;
    use crate::options::MODELS;

    /// Each script and its list of versions are there, and the script has just the models that it is asked for.
    #[test]
    fn the_scripts_have_the_models() {
        for simulator in Simulator::ALL {
            let script = fs::read_to_string(scripts().join(format!("run_{simulator}.py"))).unwrap();
            let models = script.lines().find(|line| line.starts_with("MODELS = ")).unwrap();
            let models: Vec<&str> = models.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            for name in MODELS {
                assert_eq!(models.contains(&name), simulator.has(name), "{simulator}: {name}");
            }
            let versions = fs::read_to_string(scripts().join(format!("requirements/{simulator}.txt"))).unwrap();
            assert!(versions.lines().all(|line| line.contains("==")), "{simulator}: {versions}");
        }
    }
}
