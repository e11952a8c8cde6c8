//! `--assemblies`: the assembly calculus beside its reference implementation in C++ and a loop in NumPy.

mod protocols;
mod reference;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use spikelet_assemblies::{AreaOptions, Brain, BrainOptions, Mode};

use crate::comparison::{self, Outcome, Program, Report, compare, timed};
use crate::machine::{self, Conditions};
use crate::measure::median;
use crate::{Arguments, Result, environment};
use protocols::Test;

/// Measures all of it, and prints a table.
///
/// # Errors
/// Our own program fails, or the results cannot be written. A reference that cannot be built is reported and left out.
pub(crate) fn run(args: &Arguments) -> Result {
    let conditions = Conditions::now(&args.spikelet, None)?;
    println!("{conditions}");
    let (reference, numpy) = if args.options.no_peers { (None, None) } else { peers(args) };
    let load = machine::load();
    let mut comparisons = Vec::new();
    for test in Test::ALL.into_iter().filter(|test| !args.options.quick || *test != Test::ExplicitProjection) {
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
            let run = move |seed: u64| comparison::output(Command::new(binary).args([test.name(), &seed.to_string()]));
            programs.push(("reference, C++".into(), Box::new(run)));
        }
        comparisons.push(compare(test.name().into(), programs, args.options.repeat));
    }
    let mut programs: Vec<(String, Program)> = Vec::new();
    let small = Rounds { mode: Mode::Explicit, n: 10_000, k: 100, p: 0.01, beta: 0.1, rounds: 20 };
    programs.push(("spikelet, explicit".into(), Box::new(|seed| small.run(1, seed))));
    if let Some(python) = &numpy {
        let script = environment::scripts().join("run_assemblies.py");
        programs.push((
            "NumPy".into(),
            Box::new(move |seed| comparison::output(Command::new(python).arg(&script).arg(seed.to_string()))),
        ));
    }
    comparisons.push(compare("a round of n = 10⁴, k = 100, p = 0.01".into(), programs, args.options.repeat));
    let large = Rounds { mode: Mode::Procedural, n: 1_000_000, k: 1000, p: 0.001, beta: 0.05, rounds: 50 };
    let of_threads = |threads: &usize| {
        let threads = *threads;
        let run: Program = Box::new(move |seed| large.run(threads, seed));
        (format!("spikelet, procedural, {threads} threads"), run)
    };
    comparisons.push(compare(
        "a round of n = 10⁶, k = 1000, p = 0.001".into(),
        args.options.threads.iter().map(of_threads).collect(),
        args.options.repeat,
    ));
    Report { conditions, load, comparisons }.write(args.options.json.as_deref())
}

/// The binary of the reference, and the Python of the loop, where they can be had.
fn peers(args: &Arguments) -> (Option<std::path::PathBuf>, Option<std::path::PathBuf>) {
    let report = |name: &str, found: Result<std::path::PathBuf>| {
        found.map_err(|problem| eprintln!("– {name} is left out: {problem}")).ok()
    };
    let reference = reference::provide(&args.options.reference, &args.cache.join("assemblies"));
    (report("the reference", reference), report("NumPy", environment::python("NumPy", "numpy", &args.cache)))
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
