//! `--training`: an epoch of training beside frameworks in PyTorch and JAX. `python/run_training.py` has the same networks.

use std::path::Path;
use std::process::Command;
use std::{fmt, fs};

use serde::Deserialize;

use crate::comparison::{self, Outcome, Program, Report, compare};
use crate::machine::{self, Conditions};
use crate::subject::reason;
use crate::{Arguments, Result, Scratch, environment};

/// A network with its data.
#[derive(Debug, Clone, Copy)]
enum Task {
    YinYang,
    RandomSpikes,
}

impl Task {
    const ALL: [Task; 2] = [Task::YinYang, Task::RandomSpikes];

    fn title(self) -> &'static str {
        match self {
            Task::YinYang => "Yin-Yang, 5-200-3, 250 steps",
            Task::RandomSpikes => "random spikes, 700-128-20, 100 steps",
        }
    }

    /// The training, as `spikelet train` reads it.
    fn file(self) -> &'static str {
        match self {
            Task::YinYang => include_str!("../training/yin-yang.json"),
            Task::RandomSpikes => include_str!("../training/random-spikes.json"),
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Task::YinYang => "yin-yang",
            Task::RandomSpikes => "random-spikes",
        })
    }
}

/// A framework that can be measured beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framework {
    SnnTorch,
    Norse,
    Spyx,
}

impl Framework {
    const ALL: [Framework; 3] = [Framework::SnnTorch, Framework::Norse, Framework::Spyx];

    fn title(self) -> &'static str {
        match self {
            Framework::SnnTorch => "snnTorch",
            Framework::Norse => "Norse",
            Framework::Spyx => "Spyx",
        }
    }

    /// The environment of Python that has it.
    fn environment(self) -> &'static str {
        if self == Framework::Spyx { "spyx" } else { "torch" }
    }

    /// Whether its number of threads can be set.
    fn takes(self, threads: usize) -> bool {
        // XLA spreads one operation over all cores or none; the size of its pool cannot be set.
        self != Framework::Spyx || threads == 1
    }
}

/// Measures all of it, and prints a table.
///
/// # Errors
/// Our own program fails, or the results cannot be written. A framework that cannot be installed is reported and left out.
pub(crate) fn run(args: &Arguments) -> Result {
    let conditions = Conditions::now(&args.spikelet, None)?;
    println!("{conditions}");
    let scratch = Scratch::new()?;
    let mut installed = Vec::new();
    for framework in Framework::ALL.into_iter().filter(|_| !args.options.no_peers) {
        match environment::python(framework.title(), framework.environment(), &args.cache) {
            Ok(python) => installed.push((framework, python)),
            Err(problem) => eprintln!("– {} is left out: {problem}", framework.title()),
        }
    }
    let load = machine::load();
    let mut comparisons = Vec::new();
    for task in Task::ALL {
        let file = scratch.0.join(format!("{task}.json"));
        fs::write(&file, task.file()).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        let mut programs: Vec<(String, Program)> = Vec::new();
        for &threads in &args.options.threads {
            let (file, name) = (file.clone(), named("Spikelet", threads));
            programs.push((name, Box::new(move |seed| ours(&args.spikelet, &file, threads, seed))));
        }
        for (framework, python) in &installed {
            for &threads in args.options.threads.iter().filter(|threads| framework.takes(**threads)) {
                let run = move |seed: u64| {
                    let script = environment::scripts().join("run_training.py");
                    let words = [framework.title().to_lowercase(), task.to_string(), threads.to_string(), seed.to_string()];
                    comparison::output(Command::new(python).arg(script).args(words))
                };
                programs.push((named(framework.title(), threads), Box::new(run)));
            }
        }
        comparisons.push(compare(task.title().into(), programs, args.options.repeat));
    }
    Report { conditions, load, comparisons }.write(args.options.json.as_deref())
}

fn named(title: &str, threads: usize) -> String {
    if threads == 1 { format!("{title}, 1 thread") } else { format!("{title}, {threads} threads") }
}

/// A line that `spikelet train` prints for an epoch; its last line has no epoch.
#[derive(Deserialize)]
struct EpochLine {
    seconds: Option<f64>,
    accuracy_train: Option<f64>,
}

/// Two epochs, of which the second counts: the first also reserves memory.
fn ours(spikelet: &Path, file: &Path, threads: usize, seed: u64) -> Result<Outcome> {
    let mut command = Command::new(spikelet);
    command.arg("train").arg(file).args(["--epochs", "2", "--backend", "cpu", "--json", "--threads", &threads.to_string()]);
    let output = command.args(["--seed", &seed.to_string()]).output()?;
    if !output.status.success() {
        return Err(reason(&String::from_utf8_lossy(&output.stderr)).into());
    }
    let printed = String::from_utf8(output.stdout)?;
    let line = printed.lines().nth(1).ok_or("it printed no second epoch")?;
    let EpochLine { seconds, accuracy_train } = serde_json::from_str(line)?;
    let percent = (100.0 * accuracy_train.unwrap_or_default()).round() as u64;
    Ok(Outcome { seconds: seconds.ok_or("its second line is no epoch")?, values: [("accuracy %".to_owned(), percent)].into() })
}
