//! `spikelet verify`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pollster::block_on;
use serde::Serialize;
use spikelet::{Backend, Cpu, Task};
use spikelet_gpu::{Device, Gpu};
use spikelet_verify::{Case, Options, Outcome, Verdict, verify};

use crate::args::{Processor, VerifyArguments};
use crate::device::threads;
use crate::failure::Failure;
use crate::terminal::print;

pub(crate) fn run(args: &VerifyArguments) -> Result<(), Failure> {
    let device = match (args.backend, &args.adapter) {
        (Processor::Cpu, None) => None,
        (Processor::Cpu, Some(adapter)) => {
            return Err(Failure::Input(format!("--adapter {adapter} needs --backend gpu, and cases run on the CPU; add it")));
        }
        (Processor::Gpu, adapter) => Some(block_on(Device::open_with(&adapter.clone().unwrap_or_default()))?),
    };
    let files = files(&args.paths)?;
    let mut cases = Vec::new();
    for path in files {
        let started = Instant::now();
        let verdict = judge(&path, args, device.as_ref());
        if !args.json {
            print(&verdict)?;
        }
        cases.push(CaseResult { path: path.display().to_string(), verdict, seconds: started.elapsed().as_secs_f64() });
    }
    let count = |outcome: Outcome| cases.iter().filter(|case| case.verdict.outcome == outcome).count();
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
    cases: Vec<CaseResult>,
}

/// A file, and how it came out.
#[derive(Serialize)]
struct CaseResult {
    path: String,
    #[serde(flatten)]
    verdict: Verdict,
    seconds: f64,
}

fn judge(path: &Path, args: &VerifyArguments, device: Option<&Device>) -> Verdict {
    let read = fs::read_to_string(path).map_err(|error| format!("it cannot be read: {error}"));
    let case = match read.and_then(|text| Case::from_json(&text).map_err(|malformed| malformed.to_string())) {
        Ok(case) => case,
        Err(reason) => return Verdict::malformed(path.display().to_string(), reason),
    };
    let options = Options { seeds: args.seeds.get() };
    if device.is_some_and(|device| device.report().software) && !args.full && options.is_long(&case) {
        return case.skipped("long; use --full to run it");
    }
    let mut backend = || -> Task<'static, Box<dyn Backend>> {
        let backend: Box<dyn Backend> = match device {
            Some(device) => Box::new(Gpu::new(device.clone())),
            None => Box::new(Cpu::new(threads(None))),
        };
        Box::pin(async { Ok(backend) })
    };
    block_on(verify(&case, &mut backend, &options))
}

/// The files named, and those in the folders named: all that end in `.json`, in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let unreadable = |error: io::Error| {
            Failure::Input(match error.kind() {
                io::ErrorKind::NotFound => format!("there is no file or folder {}; check the path", path.display()),
                _ => format!("{} cannot be read: {error}; check its permissions", path.display()),
            })
        };
        if fs::metadata(path).map_err(unreadable)?.is_dir() {
            let before = files.len();
            add_folder(path, &mut files).map_err(unreadable)?;
            if files.len() == before {
                let folder = path.display();
                return Err(Failure::Input(format!("{folder} contains no case; a case is a file that ends in .json")));
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
