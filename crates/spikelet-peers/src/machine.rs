//! The machine that is measured on, and what else it does meanwhile. What the system does not tell is left out.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;
use std::time::Instant;
use std::{fmt, fs, process};

use jiff::Timestamp;
use serde::Serialize;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

use crate::Result;

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Conditions {
    /// Date and time, UTC.
    pub(crate) date: String,
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    /// What our binary says of itself.
    pub(crate) spikelet: String,
    /// The browser, where there is one to measure in.
    pub(crate) chromium: Option<String>,
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {} cores; {}", self.date, self.cpu, self.cores, self.spikelet)?;
        self.chromium.iter().try_for_each(|chromium| write!(f, "; {chromium}"))
    }
}

impl Conditions {
    /// # Errors
    /// The binary cannot be started.
    pub(crate) fn now(spikelet: &Path, chromium: Option<&Path>) -> Result<Conditions> {
        let version = first_line(Command::new(spikelet).arg("--version"));
        let commit = first_line(Command::new("git").args(["describe", "--always", "--dirty"]));
        let Some(version) = version else { return Err(format!("{} does not run", spikelet.display()).into()) };
        Ok(Conditions {
            date: Timestamp::now().strftime("%F %H:%M UTC").to_string(),
            cpu: cpu(),
            cores: available_parallelism().map_or(1, usize::from),
            spikelet: commit.map_or(version.clone(), |commit| format!("{version} ({commit})")),
            chromium: chromium.and_then(|chromium| first_line(Command::new(chromium).arg("--version"))),
        })
    }
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
}

/// What the CPU calls itself, or its architecture, and which wide vectors it has.
fn cpu() -> String {
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let brand = system.ok().and_then(|system| system.cpus().first().map(|cpu| cpu.brand().to_owned()));
    let mut parts = vec![brand.filter(|brand| !brand.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned())];
    #[cfg(target_arch = "x86_64")]
    parts.extend(
        [("avx2", is_x86_feature_detected!("avx2")), ("avx512f", is_x86_feature_detected!("avx512f"))]
            .into_iter()
            .filter(|(_, has)| *has)
            .map(|(kind, _)| kind.to_owned()),
    );
    parts.join(", ")
}

/// Processes that wanted to run, on average over the last minute.
pub(crate) fn load() -> Option<f64> {
    System::load_average().ok().map(|load| load.one)
}

/// Takes note of what the machine does while this program and its children do something.
pub(crate) struct MachineMonitor {
    started: Instant,
    others: Option<f64>,
}

impl MachineMonitor {
    pub(crate) fn start() -> MachineMonitor {
        MachineMonitor { started: Instant::now(), others: seconds_of_others() }
    }

    /// Cores that other processes used since.
    pub(crate) fn others(&self) -> Option<f64> {
        Some((seconds_of_others()? - self.others?) / self.started.elapsed().as_secs_f64())
    }
}

/// Length of the ticks that Linux counts in.
const TICK: f64 = 0.01;

/// CPU time since the start of the machine of all that is neither this process nor a descendant of it. From Linux's own files: no
/// library tells the time of descendants that have ended.
fn seconds_of_others() -> Option<f64> {
    let all = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> = all.lines().next()?.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    // Of user, nice, system, idle, iowait, irq, softirq, steal: all but idle and iowait.
    let busy: f64 = ticks.iter().take(8).enumerate().filter(|(index, _)| !(3..5).contains(index)).map(|(_, ticks)| ticks).sum();
    Some(TICK * (busy - own_ticks()))
}

/// Of this process and its descendants, those that have ended included.
fn own_ticks() -> f64 {
    let mut processes = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok())
            && let Some(process) = fs::read_to_string(entry.path().join("stat")).ok().as_deref().and_then(parent_and_ticks)
        {
            processes.insert(id, process);
        }
    }
    let is_own = |mut id: u32| loop {
        if id == process::id() {
            return true;
        }
        match processes.get(&id) {
            Some((parent, _)) if *parent != id => id = *parent,
            _ => return false,
        }
    };
    processes.iter().filter(|(id, _)| is_own(**id)).map(|(_, (_, ticks))| ticks).sum()
}

/// The parent of a process, and its ticks in user and system with those of its children that have ended; of `/proc/ID/stat`.
fn parent_and_ticks(stat: &str) -> Option<(u32, f64)> {
    // The name in parentheses may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11..15)?.iter().filter_map(|field| field.parse::<f64>().ok()).sum();
    Some((fields.get(1)?.parse().ok()?, ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_move_the_fields() {
        let stat = "42 (a) b (c) S 7 1 1 0 -1 4194304 100 200 0 0 30 5 11 4 20 0 1 0 100 1000 10";
        assert_eq!(parent_and_ticks(stat), Some((7, 50.0)));
        assert_eq!(parent_and_ticks("nothing"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn own_work_is_not_that_of_others() {
        let before = own_ticks();
        // Others may have the cores meanwhile: what counts is work, not time.
        let more_of_it = (0..1_000_000).any(|_| own_ticks() > before + 1.0);
        assert!(more_of_it, "nothing was counted");
    }
}
