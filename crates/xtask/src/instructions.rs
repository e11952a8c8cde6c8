//! `cargo xtask instructions`: how many instructions the CPU engine takes, counted by callgrind: a figure without noise, so that a change
//! can be judged on a busy machine. It says nothing of caches, branches or the width of vectors: valgrind knows no AVX-512, so the AVX2
//! code is what runs. Steps are run in batches of one length: what is done once in a batch, such as to look for states that have left the
//! numbers, would otherwise hang on how fast the machine is.

use crate::workspace::{Workspace, version_line, which};
use crate::{Result, step};
use std::env::consts::EXE_SUFFIX;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where the counts are kept.
const FILE: &str = "docs/instructions.toml";

/// A network of the catalogue at a scale, and how long it runs.
struct Bench {
    network: &'static str,
    scale: &'static str,
    steps: u32,
}

/// Steps of a batch: about what an idle machine runs between two looks at the clock.
const BATCH_STEPS: u32 = 250;

/// Steps of the shorter run, more than are tried out beforehand.
const STEPS_BEFORE: u32 = 1000;

/// Steps of 0.1 ms.
const BENCHES: [Bench; 3] = [
    Bench { network: "cuba", scale: "1", steps: 4000 },
    Bench { network: "brunel_ai", scale: "0.08", steps: 2000 },
    Bench { network: "cobahh", scale: "0.25", steps: 1000 },
];

/// Counts, and compares with what is written down; or writes down.
///
/// # Errors
/// There is no valgrind, a run fails, or the file cannot be read or written.
pub(crate) fn run(workspace: &Workspace, record: bool) -> Result {
    let valgrind = which("valgrind").ok_or("valgrind is not installed; install it (Debian: apt-get install valgrind)")?;
    step::run("native: compile", workspace.cargo(&["build", "--release", "--package", "spikelet-cli"]))?;
    let spikelet = workspace.target.join("release").join(format!("spikelet{EXE_SUFFIX}"));
    let file = workspace.root.join(FILE);
    let written = match (record, fs::read_to_string(&file)) {
        (true, _) => String::new(),
        (false, Ok(text)) => text,
        (false, Err(error)) => return Err(format!("cannot read {FILE}: {error}; create it with --record").into()),
    };
    let mut text = format!(
        "# Instructions per step of the simulation loop, on one thread, including the work once per batch of {BATCH_STEPS} \
         steps; written by\n# `cargo xtask instructions --record`. The build is not included. The counts are for comparisons \
         between versions: AVX2 code as run by\n# valgrind, all instructions with equal weight, without effects of caches and \
         branches.\n# {}, {}\n",
        version_line(Path::new("rustc")).unwrap_or_default(),
        version_line(&valgrind).unwrap_or_default(),
    );
    println!("{:<20} {:>14} {:>14} {:>9}", "instructions a step", "now", "recorded", "change");
    for bench in &BENCHES {
        let per_step = bench.count(&valgrind, &spikelet)?;
        let before = recorded(&written, bench.network);
        let change = before.map(|before| format!("{:+.2} %", 100.0 * (per_step as f64 / before as f64 - 1.0)));
        let before = before.map_or("–".to_owned(), |before| before.to_string());
        println!("{:<20} {per_step:>14} {before:>14} {:>9}", bench.network, change.unwrap_or_default());
        writeln!(text, "{} = {per_step} # at scale {}, mean of {} steps", bench.network, bench.scale, bench.steps)?;
    }
    if record {
        fs::write(&file, text).map_err(|error| format!("cannot write {FILE}: {error}"))?;
        println!("written to {FILE}");
    }
    Ok(())
}

impl Bench {
    /// Instructions of a step: those of a run, less those of a shorter one, so that building is not in it.
    fn count(&self, valgrind: &Path, spikelet: &Path) -> Result<u64> {
        let run = |steps: u32| {
            let mut command = Command::new(valgrind);
            command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(spikelet);
            command.args(["run", self.network, "--scale", self.scale, "--backend", "cpu", "--threads", "1", "--quiet"]);
            command.args(["--seed", "1", "--time", &format!("{}", f64::from(steps) * 0.1)]);
            command.args(["--batch-steps", &BATCH_STEPS.to_string()]);
            let output = command.output().map_err(|error| format!("cannot start {}: {error}", valgrind.display()))?;
            let said = String::from_utf8_lossy(&output.stderr);
            collected(&said).filter(|_| output.status.success()).ok_or_else(|| format!("{} under valgrind: {said}", self.network))
        };
        // What is done once is in both: also the first steps that are tried out, to warn where nothing ever fires.
        let (few, all) = (run(STEPS_BEFORE)?, run(STEPS_BEFORE + self.steps)?);
        Ok(all.saturating_sub(few) / u64::from(self.steps))
    }
}

/// The count in what callgrind says at its end: `==12== Collected : 1234`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected :"))?.1;
    line.split_whitespace().next()?.parse().ok()
}

/// What the file says of a network: `name = 1234 # …`.
fn recorded(text: &str, network: &str) -> Option<u64> {
    let value = |line: &str| line.strip_prefix(network)?.trim_start().strip_prefix('=')?.split('#').next()?.trim().parse().ok();
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_callgrind_and_from_the_file() {
        let said = "==7== Callgrind, a call-graph generating cache profiler\n==7== Collected : 1264\n==7== \n==7== I   refs:      1,264\n";
        assert_eq!(collected(said), Some(1264));
        assert_eq!(collected("==7== killed"), None);
        let text = "# rustc\ncuba = 1000 # at scale 1\ncobahh = 2000 # at scale 0.25\n";
        assert_eq!((recorded(text, "cuba"), recorded(text, "cobahh"), recorded(text, "coba")), (Some(1000), Some(2000), None));
    }
}
