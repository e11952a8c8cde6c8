//! `--assemblies`: the assembly calculus beside its reference implementation in C++ and a loop in NumPy.

mod protocols;
mod reference;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use spikelet_assemblies::{AreaOptions, Brain, BrainOptions, Mode};

use crate::machine::{self, Conditions, MachineMonitor};
use crate::measure::median;
use crate::subject::reason;
use crate::{Arguments, Result, environment};
use protocols::{Test, Values};

/// What came of one run of a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    seconds: f64,
    values: Values,
}

/// A program that runs with a seed.
type Program<'a> = Box<dyn FnMut(u64) -> Result<Outcome> + 'a>;

/// Something that is measured, with all who do it.
#[derive(Serialize)]
struct Comparison {
    name: String,
    measured: Vec<ProgramRuns>,
}

/// The runs of a program.
#[derive(Serialize)]
struct ProgramRuns {
    program: String,
    runs: Vec<Outcome>,
    /// Cores that other processes used meanwhile, in each run.
    others: Vec<f64>,
}

#[derive(Serialize)]
struct Report {
    conditions: Conditions,
    load: Option<f64>,
    comparisons: Vec<Comparison>,
}

/// Measures all of it, and prints a table.
///
/// # Errors
/// Our own program fails, or the results cannot be written. A reference that cannot be built is reported and left out.
pub(crate) fn run(args: &Arguments) -> Result {
    let conditions = Conditions::now(&args.spikelet, None)?;
    println!("{conditions}");
    let (reference, numpy) = if args.no_peers { (None, None) } else { peers(args) };
    let load = machine::load();
    let mut comparisons = Vec::new();
    for test in Test::ALL.into_iter().filter(|test| !args.quick || *test != Test::ExplicitProjection) {
        let mut programs: Vec<(String, Program)> = Vec::new();
        let mut ours = |mode: Mode| {
            let run = move |seed| timed(|| test.run(mode, seed));
            programs.push((format!("Spikelet, {mode:?}").to_lowercase(), Box::new(run)));
        };
        ours(Mode::Lazy);
        if test.mode() != Mode::Lazy {
            ours(test.mode());
        }
        if let Some(binary) = &reference {
            let run = move |seed: u64| output(Command::new(binary).args([test.name(), &seed.to_string()]));
            programs.push(("reference, C++".into(), Box::new(run)));
        }
        comparisons.push(compare(test.name().into(), programs, args.repeat));
    }
    let mut programs: Vec<(String, Program)> = Vec::new();
    let small = Rounds { mode: Mode::Explicit, n: 10_000, k: 100, p: 0.01, beta: 0.1, rounds: 20 };
    programs.push(("spikelet, explicit".into(), Box::new(|seed| small.run(1, seed))));
    if let Some(python) = &numpy {
        let script = environment::scripts().join("run_assemblies.py");
        programs.push(("NumPy".into(), Box::new(move |seed| output(Command::new(python).arg(&script).arg(seed.to_string())))));
    }
    comparisons.push(compare("a round of n = 10⁴, k = 100, p = 0.01".into(), programs, args.repeat));
    let large = Rounds { mode: Mode::Procedural, n: 1_000_000, k: 1000, p: 0.001, beta: 0.05, rounds: 50 };
    let of_threads = |threads: &usize| {
        let threads = *threads;
        let run: Program = Box::new(move |seed| large.run(threads, seed));
        (format!("spikelet, procedural, {threads} threads"), run)
    };
    comparisons.push(compare(
        "a round of n = 10⁶, k = 1000, p = 0.001".into(),
        args.threads.iter().map(of_threads).collect(),
        args.repeat,
    ));
    if let Some(file) = &args.json {
        let report = serde_json::to_string_pretty(&Report { conditions, load, comparisons })? + "\n";
        fs::write(file, report).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}

/// The binary of the reference, and the Python of the loop, where they can be had.
fn peers(args: &Arguments) -> (Option<std::path::PathBuf>, Option<std::path::PathBuf>) {
    let report = |name: &str, found: Result<std::path::PathBuf>| {
        found.map_err(|problem| eprintln!("– {name} is left out: {problem}")).ok()
    };
    let reference = reference::provide(&args.reference, &args.cache.join("assemblies"));
    (report("the reference", reference), report("NumPy", environment::python("NumPy", "numpy", &args.cache)))
}

/// Lets the programs take turns, and prints a table. One that fails is named and left out.
fn compare(name: String, programs: Vec<(String, Program)>, repeat: u32) -> Comparison {
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

fn timed(run: impl FnOnce() -> Result<Values>) -> Result<Outcome> {
    let start = Instant::now();
    let values = run()?;
    Ok(Outcome { seconds: start.elapsed().as_secs_f64(), values })
}

/// The JSON object that a program prints.
fn output(command: &mut Command) -> Result<Outcome> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(reason(&String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Rounds of one area with a stimulus.
#[derive(Clone, Copy)]
struct Rounds {
    mode: Mode,
    n: u32,
    k: u32,
    p: f64,
    beta: f64,
    rounds: u32,
}

impl Rounds {
    /// The median time of a round; synapses are drawn in the first rounds.
    fn run(self, threads: usize, seed: u64) -> Result<Outcome> {
        let mut brain = Brain::new(BrainOptions { p: self.p, seed, mode: self.mode, threads, ..BrainOptions::default() })?;
        let stimulus = brain.add_stimulus("to A", self.k)?;
        let area = brain.add_area("A", AreaOptions::new(self.n, self.k, self.beta))?;
        let mut seconds = Vec::new();
        let mut before = Vec::new();
        for _ in 0..self.rounds {
            before = brain.winners(area).to_vec();
            let start = Instant::now();
            brain.project(&[(stimulus.into(), area), (area.into(), area)], 1)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        let kept = brain.winners(area).iter().filter(|neuron| before.binary_search(neuron).is_ok()).count() as u64;
        let microseconds = (seconds.iter().sum::<f64>() / f64::from(self.rounds) * 1e6) as u64;
        let values = [("kept", kept), ("support", brain.support(area).into()), ("mean µs with drawing", microseconds)];
        let values = values.map(|(name, value)| (name.to_owned(), value)).into();
        Ok(Outcome { seconds: median(seconds), values })
    }
}

/// The folder of our program that is compiled with the reference.
fn sources() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp")
}
