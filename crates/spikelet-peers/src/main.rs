//! Spikelet beside other simulators: the same networks, measured in turns.
//!
//! `cargo xtask bench-peers` builds what this program needs and runs it; BENCHMARKS.md says how to read what it prints.
//!
//! | module | |
//! |---|---|
//! | `options` | what is typed |
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
mod options;
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
use options::Options;
use peer::Peer;
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
    #[command(flatten)]
    options: Options,
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
    if args.options.assemblies {
        return assemblies::run(args);
    }
    if args.options.training {
        return training::run(args);
    }
    let models = args.options.models.iter().map(|name| Model::named(name)).collect::<Result<Vec<_>>>()?;
    let installed = if args.options.no_peers { Vec::new() } else { environment::provide(&args.options.peers, &args.cache) };
    let scratch = Scratch::new()?;
    let chromium = args.chromium.as_deref().filter(|_| !args.options.no_browser);
    let conditions = machine::Conditions::now(&args.spikelet, chromium)?;
    println!("{conditions}");
    let mut report = Report::new(conditions, args.options.quick);
    for model in &models {
        let seconds = model.seconds * if args.options.quick { 0.1 } else { 1.0 };
        let load = machine::load();
        let subjects = subjects(args, model, seconds, &installed, &scratch.0)?;
        let rows: Vec<SubjectResult> = measure::in_turns(model, subjects, args.options.repeat);
        println!("{}", report.add(model, seconds, load, rows));
    }
    println!("{}", report.summary());
    if let Some(file) = &args.options.json {
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
    installed: &[environment::Installed],
    scratch: &Path,
) -> Result<Vec<Box<dyn Subject>>> {
    let text = model.network()?.to_json();
    let file = scratch.join(format!("{}.json", model.name));
    fs::write(&file, &text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    for &threads in &args.options.threads {
        subjects.push(Box::new(Native::new(&args.spikelet, &file, threads, seconds)));
    }
    for &copies in args.options.threads.iter().filter(|threads| **threads > 1) {
        subjects.push(Box::new(Native::copies(&args.spikelet, &file, copies, seconds)));
    }
    let mut add = |name: String, ready: Result<Box<dyn Subject>>| match ready {
        Ok(subject) => subjects.push(subject),
        Err(problem) => eprintln!("– {}: {name} is left out: {problem}", model.name),
    };
    if let (Some(engine), Some(chromium), false) = (&args.engine, &args.chromium, args.options.no_browser) {
        for isolated in [false, true] {
            let browser = Browser::start(chromium, engine, scratch, isolated, &text, seconds);
            add(Browser::title(isolated).to_owned(), browser.map(|browser| Box::new(browser) as Box<dyn Subject>));
        }
    }
    for peer in installed.iter().filter(|peer| peer.simulator.has(model.name)) {
        for &threads in args.options.threads.iter().filter(|threads| peer.simulator.takes(**threads)) {
            let ready = Peer::start(peer, model.name, threads, seconds, scratch);
            add(peer.simulator.title().to_owned(), ready.map(|peer| Box::new(peer) as Box<dyn Subject>));
        }
    }
    Ok(subjects)
}
