//! Spikelet beside other simulators: the same networks, measured in turns.
//!
//! `cargo xtask bench-peers` builds what this program needs and runs it; BENCHMARKS.md says how to read what it prints.
//!
//! | module | |
//! |---|---|
//! | `model` | the networks, as Spikelet gets them |
//! | `subject` | who runs a network when asked: ours natively, ours in a browser, a peer |
//! | `native`, `browser` (with `server`), `peer` (with `environment`) | the three of them |
//! | `machine` | the conditions, and what else the machine is doing |
//! | `measure` | rounds in turns |
//! | `report` | tables, JSON |
//! | `comparison` | programs that are measured in turns: `assemblies` beside their reference, `training` beside other frameworks |

mod assemblies;
mod browser;
mod comparison;
mod environment;
mod machine;
mod measure;
mod model;
mod native;
mod peer;
mod report;
mod server;
mod subject;
mod training;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, process};

use clap::Parser;

use browser::Browser;
use measure::SubjectResult;
use model::Model;
use native::Native;
use peer::{Peer, Simulator};
use report::Report;
use subject::Subject;

/// What went wrong, as a sentence.
type Problem = Box<dyn std::error::Error + Send + Sync>;
type Result<T = ()> = std::result::Result<T, Problem>;

/// Measures Spikelet and other simulators on the same networks, in turns.
///
/// Wall seconds per biological second of the simulation loop alone, with all spikes recorded.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench-peers")]
struct Arguments {
    /// The networks
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", default_values_t = Model::names())]
    models: Vec<String>,
    /// The other simulators
    #[arg(long, value_delimiter = ',', value_enum, value_name = "NAME,…", default_values_t = Simulator::ALL)]
    peers: Vec<Simulator>,
    /// Leaves the other simulators out
    #[arg(long, conflicts_with = "peers")]
    no_peers: bool,
    /// Leaves Chromium out
    #[arg(long)]
    no_browser: bool,
    /// Numbers of threads, ours and the peers'
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Measurements of each, in turns; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// A tenth of the biological time: figures of little worth, to see that it works
    #[arg(long)]
    quick: bool,
    /// Measures the assembly calculus instead: the tests of its reference implementation in C++, and rounds beside NumPy
    #[arg(long, conflicts_with_all = ["models", "peers"])]
    assemblies: bool,
    /// Measures an epoch of training instead: beside snnTorch, Norse and Spyx
    #[arg(long, conflicts_with_all = ["models", "peers", "assemblies"])]
    training: bool,
    /// The repository of that reference: an address, or a folder with a copy
    #[arg(
        long,
        value_name = "REPOSITORY",
        requires = "assemblies",
        default_value = "https://github.com/dmitropolsky/assemblies"
    )]
    reference: String,
    /// Also writes everything that was measured to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The release binary of the command line
    #[arg(long, hide = true)]
    spikelet: PathBuf,
    /// Where the simulators are installed
    #[arg(long, hide = true)]
    cache: PathBuf,
    /// The folder of the wasm engine, where there is one
    #[arg(long, hide = true, requires = "chromium")]
    engine: Option<PathBuf>,
    /// The browser
    #[arg(long, hide = true)]
    chromium: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\n✗ {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Arguments) -> Result {
    if args.assemblies {
        return assemblies::run(args);
    }
    if args.training {
        return training::run(args);
    }
    let models = args.models.iter().map(|name| Model::named(name)).collect::<Result<Vec<_>>>()?;
    let installed = if args.no_peers { Vec::new() } else { environment::provide(&args.peers, &args.cache) };
    let scratch = Scratch::new()?;
    let chromium = args.chromium.as_deref().filter(|_| !args.no_browser);
    let conditions = machine::Conditions::now(&args.spikelet, chromium)?;
    println!("{conditions}");
    let mut report = Report::new(conditions, args.quick);
    for model in &models {
        let seconds = model.seconds * if args.quick { 0.1 } else { 1.0 };
        let load = machine::load();
        let subjects = subjects(args, model, seconds, &installed, &scratch.0)?;
        let rows: Vec<SubjectResult> = measure::in_turns(model, subjects, args.repeat);
        println!("{}", report.add(model, seconds, load, rows));
    }
    println!("{}", report.summary());
    if let Some(file) = &args.json {
        fs::write(file, report.to_json()).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}

/// A folder for what is needed meanwhile; gone with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let folder = env::temp_dir().join(format!("spikelet-peers-{}", process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Everybody who can run `model`, ready to be asked. Who cannot get ready is named and left out.
fn subjects(
    args: &Arguments,
    model: &Model,
    seconds: f64,
    installed: &[peer::Installed],
    scratch: &Path,
) -> Result<Vec<Box<dyn Subject>>> {
    let text = model.network()?.to_json();
    let file = scratch.join(format!("{}.json", model.name));
    fs::write(&file, &text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    for &threads in &args.threads {
        subjects.push(Box::new(Native::new(&args.spikelet, &file, threads, seconds)));
    }
    for &copies in args.threads.iter().filter(|threads| **threads > 1) {
        subjects.push(Box::new(Native::copies(&args.spikelet, &file, copies, seconds)));
    }
    let mut add = |name: String, ready: Result<Box<dyn Subject>>| match ready {
        Ok(subject) => subjects.push(subject),
        Err(problem) => eprintln!("– {}: {name} is left out: {problem}", model.name),
    };
    if let (Some(engine), Some(chromium), false) = (&args.engine, &args.chromium, args.no_browser) {
        for isolated in [false, true] {
            let browser = Browser::start(chromium, engine, scratch, isolated, &text, seconds);
            add(Browser::title(isolated).to_owned(), browser.map(|browser| Box::new(browser) as Box<dyn Subject>));
        }
    }
    for peer in installed.iter().filter(|peer| peer.simulator.has(model.name)) {
        for &threads in args.threads.iter().filter(|threads| peer.simulator.takes(**threads)) {
            let ready = Peer::start(peer, model.name, threads, seconds, scratch);
            add(peer.simulator.title().to_owned(), ready.map(|peer| Box::new(peer) as Box<dyn Subject>));
        }
    }
    Ok(subjects)
}
