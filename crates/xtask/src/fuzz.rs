//! `cargo xtask fuzz`: the targets of `tests/fuzz`, which give any bytes to what reads them, and keep those that reach new code.

use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Result, step};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;
use std::{fmt, fs};

/// The crate, and what it is built into, in the target folder.
const CRATE: &str = "tests/fuzz";
const BUILT: &str = "fuzz";

/// An input that takes longer, in seconds, or needs more memory, in MiB, is kept as a failure.
const LONGEST: u32 = 10;
const MEMORY: u32 = 2048;
/// Inputs are not longer, in bytes: the longest files that tests have.
const LONGEST_INPUT: u32 = 40_000;

/// A target.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// Folders of files to begin with, which tests have for another purpose.
    seeds: Vec<String>,
}

/// All targets: the programs of the crate, as its `seeds.json` lists them.
pub(crate) fn targets() -> &'static [Target] {
    static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
        let seeds: BTreeMap<String, Vec<String>> =
            serde_json::from_str(include_str!("../../../tests/fuzz/seeds.json")).expect("a test reads it");
        seeds.into_iter().map(|(name, seeds)| Target { name, seeds }).collect()
    });
    &TARGETS
}

/// Runs the targets of these names, or all, one after the other; each for some seconds.
///
/// # Errors
/// A tool is missing, a target does not compile, or it finds a failure; its input is kept.
pub(crate) fn run(workspace: &Workspace, names: &[String], seconds: u32, yes: bool) -> Result {
    tools::provide(workspace, &[Need::Fuzz], yes)?;
    build(workspace)?;
    let chosen: Vec<&Target> = targets().iter().filter(|target| names.is_empty() || names.contains(&target.name)).collect();
    let found = fuzz(workspace, &chosen, &Effort { seconds, at_once: 1, seed: 0 })?;
    println!("\n{HEAD}");
    found.iter().for_each(|(target, outcome)| println!("{:<14} {outcome}", target.name));
    failures(&found)
}

/// Compiles all targets, with coverage and without a sanitizer: safe code needs none, and each doubles the time.
///
/// # Errors
/// One does not compile.
pub(crate) fn build(workspace: &Workspace) -> Result {
    let mut command = Command::new(program(workspace)?);
    workspace.configure(&mut command);
    // What makes coverage is unstable; so a stable compiler has it, too.
    command.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTFLAGS");
    command.args(["build", "--fuzz-dir", CRATE, "--sanitizer", "none", "--codegen-units", "16", "--target-dir"]);
    command.arg(workspace.target.join(BUILT));
    step::run("fuzz: compile", command)
}

/// How targets are run.
pub(crate) struct Effort {
    /// For how long each.
    pub(crate) seconds: u32,
    /// How many at a time.
    pub(crate) at_once: usize,
    /// Where the random changes of inputs begin; 0: elsewhere each time.
    pub(crate) seed: u32,
}

/// Runs targets; gives what each found, in their order.
///
/// # Errors
/// A program cannot be started, or a folder cannot be made.
pub(crate) fn fuzz<'a>(workspace: &Workspace, targets: &[&'a Target], effort: &Effort) -> Result<Vec<(&'a Target, Outcome)>> {
    let (waiting, found) = (Mutex::new(targets.iter().copied().enumerate()), Mutex::new(Vec::new()));
    let work = || -> Result {
        loop {
            let next = waiting.lock().expect("no thread panics").next();
            let Some((place, target)) = next else { return Ok(()) };
            let outcome = target.fuzz(workspace, effort)?;
            found.lock().expect("no thread panics").push((place, target, outcome));
        }
    };
    let tasks = (0..effort.at_once).map(|_| Box::new(work) as crate::engine::Task<'_>).collect();
    crate::engine::side_by_side(tasks)?;
    let mut found = found.into_inner().expect("no thread panics");
    found.sort_by_key(|(place, ..)| *place);
    Ok(found.into_iter().map(|(_, target, outcome)| (target, outcome)).collect())
}

/// # Errors
/// The targets that found something, with the place of the input.
pub(crate) fn failures(found: &[(&Target, Outcome)]) -> Result {
    let failed: Vec<String> = found
        .iter()
        .filter_map(|(target, outcome)| Some(format!("\n    {}: {}", target.name, outcome.failure.as_ref()?)))
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("fuzzing found inputs that fail:{}", failed.concat()).into()) }
}

fn program(workspace: &Workspace) -> Result<PathBuf> {
    tools::cargo_fuzz(workspace).ok_or_else(|| "there is no cargo-fuzz; `cargo install cargo-fuzz`".into())
}

impl Target {
    fn fuzz(&self, workspace: &Workspace, effort: &Effort) -> Result<Outcome> {
        let folder = |name: &str| workspace.target.join("fuzz").join(name).join(&self.name);
        let (corpus, kept) = (folder("corpus"), folder("failures"));
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&kept)?;
        let mut command = Command::new(self.file(workspace)?);
        workspace.configure(&mut command);
        // New inputs go to the first folder.
        command.arg(corpus);
        let own = format!("{CRATE}/corpus/{}", self.name);
        let folders =
            self.seeds.iter().map(String::as_str).chain([own.as_str()]).filter(|folder| workspace.root.join(folder).is_dir());
        command.args(folders);
        let dictionary = format!("{CRATE}/dictionaries/{}.dict", self.name);
        if workspace.root.join(&dictionary).is_file() {
            command.arg(format!("-dict={dictionary}"));
        }
        command.arg(format!("-artifact_prefix={}/", kept.display()));
        command.args([
            format!("-max_total_time={}", effort.seconds),
            format!("-seed={}", effort.seed),
            format!("-timeout={LONGEST}"),
            format!("-rss_limit_mb={MEMORY}"),
            format!("-max_len={LONGEST_INPUT}"),
            "-print_final_stats=1".to_owned(),
        ]);
        let limit = Duration::from_secs(u64::from(effort.seconds + LONGEST) + 60);
        let (success, lines) = step::watch(&format!("fuzz: {}", self.name), command, limit)?;
        Ok(Outcome::of(success, lines.iter().map(String::as_str)))
    }

    /// Its program, in the folder of the only platform that it was compiled for.
    fn file(&self, workspace: &Workspace) -> Result<PathBuf> {
        let platforms = fs::read_dir(workspace.target.join(BUILT))?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files =
            platforms.map(|platform| platform.join("release").join(&self.name)).filter(|file: &PathBuf| Path::is_file(file));
        files.next().ok_or_else(|| format!("there is no program of the fuzz target {}", self.name).into())
    }
}

/// The columns of what is printed.
const HEAD: &str = "target               inputs   per second  coverage    corpus  result";

/// What a run of a target gave.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Inputs that were tried, and in a second.
    inputs: u64,
    rate: u64,
    /// Places of the code that were reached.
    coverage: u64,
    /// Inputs that each reach something.
    corpus: u64,
    /// What failed, and where the input is.
    failure: Option<String>,
}

impl Outcome {
    /// Reads what libFuzzer prints: `#8192 NEW cov: 31 ft: 52 corp: 7/80b …`, `stat::average_exec_per_sec: 830`,
    /// `Test unit written to target/fuzz/…`.
    fn of<'a>(success: bool, lines: impl Iterator<Item = &'a str>) -> Outcome {
        let mut outcome = Outcome::default();
        let (mut reason, mut input) = (None, None);
        for line in lines {
            let after = |word: &str| line.split_once(word)?.1.split_whitespace().next();
            let number = |word: &str| after(word).and_then(|text| text.split('/').next()?.parse().ok());
            if line.starts_with('#') {
                outcome.inputs = number("#").unwrap_or(outcome.inputs);
                outcome.coverage = number("cov:").unwrap_or(outcome.coverage);
                outcome.corpus = number("corp:").unwrap_or(outcome.corpus);
            }
            outcome.inputs = number("number_of_executed_units:").unwrap_or(outcome.inputs);
            outcome.rate = number("average_exec_per_sec:").unwrap_or(outcome.rate);
            if line.contains("panicked at") || line.contains("ERROR: libFuzzer: ") && reason.is_none() {
                reason = Some(line.to_owned());
            }
            input = after("Test unit written to ").map(str::to_owned).or(input);
        }
        if !success || input.is_some() {
            let (reason, input) = (reason.unwrap_or("it ended".to_owned()), input.unwrap_or("not kept".to_owned()));
            outcome.failure = Some(format!("{reason}; the input is {input}"));
        }
        outcome
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { inputs, rate, coverage, corpus, failure } = self;
        let result = failure.as_deref().unwrap_or("passed");
        write!(f, "{inputs:>12} {rate:>12} {coverage:>9} {corpus:>9}  {result}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_output_of_a_target_is_read() {
        let passed = [
            "#2\tINITED cov: 31 ft: 31 corp: 1/1b exec/s: 0 rss: 30Mb",
            "#8192\tDONE   cov: 1614 ft: 6210 corp: 754/86Kb lim: 1158 exec/s: 8529 rss: 31Mb",
            "stat::number_of_executed_units: 110888",
            "stat::average_exec_per_sec:     8529",
        ];
        let expected = Outcome { inputs: 110_888, rate: 8529, coverage: 1614, corpus: 754, failure: None };
        assert_eq!(Outcome::of(true, passed.into_iter()), expected);
        assert_eq!(expected.to_string(), "      110888         8529      1614       754  passed");
        let failed = [
            "#64\tNEW    cov: 40 ft: 52 corp: 7/80b lim: 4 exec/s: 0 rss: 30Mb L: 4/4 MS: 1 ChangeBit-",
            "thread '<unnamed>' (7) panicked at crates/a.rs:1:2:",
            "==7== ERROR: libFuzzer: deadly signal",
            "artifact_prefix='t/'; Test unit written to t/crash-0a",
        ];
        let outcome = Outcome::of(false, failed.into_iter());
        let reason = "thread '<unnamed>' (7) panicked at crates/a.rs:1:2:; the input is t/crash-0a";
        assert_eq!(
            outcome,
            Outcome { inputs: 64, coverage: 40, corpus: 7, failure: Some(reason.to_owned()), ..Outcome::default() }
        );
        let network = targets().iter().find(|target| target.name == "network").expect("a target");
        let problem = failures(&[(network, outcome)]).expect_err("it failed").to_string();
        assert!(problem.contains("network: thread") && problem.contains("t/crash-0a"), "{problem}");
        assert!(Outcome::of(false, [].into_iter()).failure.is_some());
    }

    #[test]
    fn the_targets_are_the_programs_of_the_crate_and_their_seeds_are_there() {
        let workspace = Workspace::open().expect("a clone");
        let files = fs::read_dir(workspace.root.join(CRATE).join("targets")).expect("the crate");
        let stem = |entry: fs::DirEntry| entry.path().file_stem().map(|name| name.to_string_lossy().into_owned());
        let programs: BTreeSet<String> = files.filter_map(|entry| stem(entry.ok()?)).collect();
        assert_eq!(programs, targets().iter().map(|target| target.name.clone()).collect());
        for target in targets() {
            let own = format!("{CRATE}/corpus/{}", target.name);
            let has_files =
                |folder: &str| fs::read_dir(workspace.root.join(folder)).is_ok_and(|mut files| files.next().is_some());
            assert!(target.seeds.iter().all(|folder| has_files(folder)), "{}", target.name);
            assert!(!target.seeds.is_empty() || has_files(&own), "{} has nothing to begin with", target.name);
        }
    }
}
