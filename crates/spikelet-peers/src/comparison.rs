//! Programs that do the same, measured in turns.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::machine::{Conditions, MachineMonitor};
use crate::measure::median;
use crate::subject::reason;

/// What a program measures besides time, by name.
pub(crate) type Values = IndexMap<String, u64>;

/// What came of one run of a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    pub(crate) values: Values,
}

/// A program that runs with a seed.
pub(crate) type Program<'a> = Box<dyn FnMut(u64) -> Result<Outcome> + 'a>;

/// Something that is measured, with all who do it.
#[derive(Serialize)]
pub(crate) struct Comparison {
    name: String,
    measured: Vec<ProgramRuns>,
}

/// The runs of a program.
#[derive(Serialize)]
pub(crate) struct ProgramRuns {
    program: String,
    runs: Vec<Outcome>,
    /// Cores that other processes used meanwhile, in each run.
    others: Vec<f64>,
}

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) conditions: Conditions,
    pub(crate) load: Option<f64>,
    pub(crate) comparisons: Vec<Comparison>,
}

impl Report {
    /// Writes it as JSON, if there is a file for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self, file: Option<&Path>) -> Result {
        let Some(file) = file else { return Ok(()) };
        let report = serde_json::to_string_pretty(self)? + "\n";
        Ok(fs::write(file, report).map_err(|error| format!("cannot write {}: {error}", file.display()))?)
    }
}

/// Lets the programs take turns, and prints a table. One that fails is named and left out.
pub(crate) fn compare(name: String, programs: Vec<(String, Program)>, repeat: u32) -> Comparison {
    println!("\n{:<42} {:>10} {:>23} {:>8} {:>7}", name, "seconds", "of all runs", "to ours", "others");
    let (mut programs, names): (Vec<_>, Vec<_>) = programs.into_iter().map(|(name, program)| (program, name)).unzip();
    let mut measured: Vec<ProgramRuns> =
        names.into_iter().map(|program| ProgramRuns { program, runs: Vec::new(), others: Vec::new() }).collect();
    for seed in 1..=u64::from(repeat) {
        for (program, measured) in programs.iter_mut().zip(&mut measured) {
            let watch = MachineMonitor::start();
            match program(seed) {
                Ok(outcome) => measured.runs.push(outcome),
                Err(problem) => eprintln!("– {name}: {}: {problem}", measured.program),
            }
            measured.others.extend(watch.others());
        }
    }
    measured.retain(|measured| measured.runs.len() == repeat as usize);
    let ours = measured.first().map_or(f64::NAN, ProgramRuns::seconds);
    measured.iter().for_each(|measured| println!("{}", measured.row(ours)));
    Comparison { name, measured }
}

impl ProgramRuns {
    fn seconds(&self) -> f64 {
        median(self.runs.iter().map(|run| run.seconds).collect())
    }

    fn row(&self, ours: f64) -> String {
        let all = self.runs.iter().map(|run| run.seconds);
        let (least, most) = all.fold((f64::INFINITY, 0.0_f64), |(least, most), one| (least.min(one), most.max(one)));
        // What the system counts in ticks can be below zero for a short run.
        let others = (self.others.iter().sum::<f64>() / self.others.len() as f64).max(0.0);
        let values: Vec<String> = self.runs[0].values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!(
            "{:<42} {:>10.6} {:>23} {:>8.2} {others:>7.2}   {}",
            self.program,
            self.seconds(),
            format!("{least:.6} … {most:.6}"),
            self.seconds() / ours,
            values.join(", ")
        )
    }
}

pub(crate) fn timed(run: impl FnOnce() -> Result<Values>) -> Result<Outcome> {
    let start = Instant::now();
    let values = run()?;
    Ok(Outcome { seconds: start.elapsed().as_secs_f64(), values })
}

/// The JSON object that a program prints.
pub(crate) fn output(command: &mut Command) -> Result<Outcome> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(reason(&String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
