//! `spikelet verify`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pollster::block_on;
use serde::Serialize;
use spikelet::{Backend, Cpu};
use spikelet_gpu::{Device, Gpu};
use spikelet_verify::{Case, Measure, Options, Outcome, verify};

use crate::args::{Processor, Verify};
use crate::device::threads;
use crate::failure::Failure;
use crate::output::print;

/// Steps of neurons, over all seeds, from which on a statistical case is long for a GPU that a CPU plays.
const LONG: f64 = 2e7;
/// Reasons of a case that are printed; `--json` has all.
const SHOWN: usize = 2;

pub(crate) fn run(args: &Verify) -> Result<(), Failure> {
    let files = files(&args.paths)?;
    let device = match args.backend {
        Processor::Cpu => None,
        Processor::Gpu => Some(block_on(Device::open())?),
    };
    let mut cases = Vec::new();
    for path in files {
        let started = Instant::now();
        let mut case = judge(&path, args, device.as_ref());
        case.seconds = started.elapsed().as_secs_f64();
        if !args.json {
            print(&case.line())?;
        }
        cases.push(case);
    }
    let count = |outcome: Outcome| cases.iter().filter(|case| case.outcome == outcome).count();
    let (passed, failed, skipped) = (count(Outcome::Passed), count(Outcome::Failed), count(Outcome::Skipped));
    if args.json {
        let backend = device.map_or_else(|| "cpu".to_owned(), |device| format!("gpu: {}", device.report().name));
        let report = Report { backend, seeds: args.seeds.get(), passed, failed, skipped, cases };
        // Names, texts and numbers: it cannot fail.
        print(&serde_json::to_string_pretty(&report).unwrap_or_default())?;
    } else {
        let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        print(&format!("{passed} passed, {failed} failed{skipped}"))?;
    }
    match failed {
        0 => Ok(()),
        1 => Err(Failure::Run("a case failed".to_owned())),
        _ => Err(Failure::Run(format!("{failed} cases failed"))),
    }
}

/// All of it. The keys of its JSON are part of the command line's interface.
#[derive(Serialize)]
struct Report {
    backend: String,
    seeds: u32,
    passed: usize,
    failed: usize,
    skipped: usize,
    cases: Vec<Judged>,
}

/// A file, and how it came out.
#[derive(Serialize)]
struct Judged {
    path: String,
    /// That of the case; that of the file where it is no case.
    name: String,
    /// Of a file that is no case: none.
    family: Option<String>,
    outcome: Outcome,
    reasons: Vec<String>,
    measures: Vec<Measure>,
    seconds: f64,
}

impl Judged {
    /// In one line.
    fn line(&self) -> String {
        let first_lines = self.reasons.iter().map(|reason| reason.lines().next().unwrap_or_default().trim());
        let mut reasons = first_lines.take(SHOWN).collect::<Vec<_>>().join("; ");
        if self.reasons.len() > SHOWN {
            reasons += &format!("; and {} more", self.reasons.len() - SHOWN);
        }
        match self.outcome {
            Outcome::Passed => format!("ok   {}", self.name),
            Outcome::Failed => format!("FAIL {}: {reasons}", self.name),
            Outcome::Skipped => format!("skip {}: {reasons}", self.name),
        }
    }
}

fn judge(path: &Path, args: &Verify, device: Option<&Device>) -> Judged {
    let read = fs::read_to_string(path).map_err(|error| format!("it cannot be read: {error}"));
    let read = read.and_then(|text| Case::from_json(&text).map_err(|malformed| malformed.to_string()));
    let shown = path.display().to_string();
    let case = match read {
        Ok(case) => case,
        Err(reason) => {
            let (outcome, reasons) = (Outcome::Failed, vec![reason]);
            return Judged {
                name: shown.clone(),
                path: shown,
                family: None,
                outcome,
                reasons,
                measures: Vec::new(),
                seconds: 0.0,
            };
        }
    };
    let options = Options { seeds: args.seeds.get() };
    let software = device.is_some_and(|device| device.report().software);
    let verdict = if software && !args.full && case.is_statistical() && case.cost() * f64::from(options.seeds) > LONG {
        case.skipped("long; --full runs it")
    } else {
        let mut backend = || -> spikelet::Task<'static, Box<dyn Backend>> {
            let backend: Box<dyn Backend> = match device {
                Some(device) => Box::new(Gpu::new(device.clone())),
                None => Box::new(Cpu::new(threads(None))),
            };
            Box::pin(async { Ok(backend) })
        };
        block_on(verify(&case, &mut backend, &options))
    };
    Judged {
        path: shown,
        name: verdict.name,
        family: Some(verdict.family),
        outcome: verdict.outcome,
        reasons: verdict.reasons,
        measures: verdict.measures,
        seconds: 0.0,
    }
}

/// The files named, and those in the folders named: all that end in `.json`, in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let unreadable = |error: io::Error| {
            Failure::Input(match error.kind() {
                io::ErrorKind::NotFound => format!("there is no file or folder {}; check the path", path.display()),
                _ => format!("{} cannot be read: {error}; check that you may read it", path.display()),
            })
        };
        if fs::metadata(path).map_err(unreadable)?.is_dir() {
            let before = files.len();
            add_folder(path, &mut files).map_err(unreadable)?;
            if files.len() == before {
                let folder = path.display();
                return Err(Failure::Input(format!("{folder} holds no case; a case is a file that ends in .json")));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn add_folder(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a folder is not followed: it may lead in a circle.
        if entry.file_type()?.is_dir() {
            add_folder(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    Ok(())
}
