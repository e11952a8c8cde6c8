//! The steps of a run, one after the other, each in a process that is ended when it is out of time.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sysinfo::{CpuRefreshKind, RefreshKind, System};

use crate::Problem;
use crate::child::{End, watch};
use crate::drivers::{self, Variables};
use crate::jobs::{self, Job, Program};
use crate::journal::Journal;
use crate::options::Options;
use crate::step::{Step, ends};
use crate::tune;

/// Version of the format of results.
const FORMAT: u32 = 1;
/// What a step must have left to begin something.
const LEAST: Duration = Duration::from_secs(1);

/// A run.
struct Conductor<'a> {
    options: &'a Options,
    journal: Journal,
    /// The first error of the file of results: nothing that follows would be kept.
    problem: Option<Problem>,
    started: Instant,
    /// The speeds of all values of constants.
    tuned: Vec<Value>,
    /// With which the GPU was found.
    variables: Variables,
}

/// Does all steps.
///
/// # Errors
/// Results cannot be written, or there is no GPU.
pub(crate) fn run(options: &Options) -> Result<(), Problem> {
    let journal = Journal::open(&options.out)?;
    println!("results go to {}", journal.path().display());
    let mut run =
        Conductor { options, journal, problem: None, started: Instant::now(), tuned: Vec::new(), variables: Variables::new() };
    run.write(&report(options));
    run.write(&machine());
    let (steps, total) = (options.steps(), Duration::from_secs(options.seconds().into()));
    for (step, end) in steps.iter().zip(ends(&steps, total)) {
        let begun = Instant::now();
        // No result belongs anywhere without the adapter.
        let end = if *step == Step::Adapter { end.max(step.item_limit()) } else { end };
        let is_late = run.started.elapsed() + LEAST > end;
        let outcome = if is_late { End::Limit } else { run.step(*step, run.started + end) };
        run.note(*step, None, begun.elapsed(), &outcome);
        if let Some(problem) = run.problem.take() {
            return Err(problem);
        }
        if let (Step::Adapter, End::Failed(reason)) = (step, outcome) {
            return Err(Problem::Adapter(reason));
        }
    }
    println!("{:.0} s; results are in {}", run.started.elapsed().as_secs_f64(), run.journal.path().display());
    Ok(())
}

fn report(options: &Options) -> Value {
    let mut report = json!({"kind": "report", "format": FORMAT, "spikelet": env!("CARGO_PKG_VERSION")});
    if let Some(commit) = kit_commit() {
        report["commit"] = commit.into();
    }
    let date = Timestamp::now().strftime("%FT%TZ").to_string();
    report["date"] = date.into();
    report["from"] = "native".into();
    report["command"] = options.line().into();
    report["rehearsal"] = options.rehearse.into();
    report
}

fn machine() -> Value {
    let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let cpus = System::new_with_specifics(cpus).ok();
    let cpu = cpus.and_then(|system| system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()));
    let name = System::name().unwrap_or_else(|_| env::consts::OS.to_owned());
    let system = format!("{name} {} {}", System::kernel_version().unwrap_or_default(), env::consts::ARCH);
    let threads = available_parallelism().map_or(1, usize::from);
    let mut machine = json!({"kind": "machine", "system": system, "threads": threads});
    if let Some(cpu) = cpu.filter(|cpu| !cpu.is_empty()) {
        machine["cpu"] = cpu.into();
    }
    machine
}

/// The folder of the kit: that of this program.
pub(crate) fn kit() -> PathBuf {
    let own = env::current_exe().unwrap_or_default();
    own.parent().map(PathBuf::from).unwrap_or_default()
}

/// The commit that the kit was built from, which is in a file beside this program.
fn kit_commit() -> Option<String> {
    let text = std::fs::read_to_string(kit().join("commit")).ok()?;
    Some(text.trim().to_owned()).filter(|commit| !commit.is_empty())
}

impl Conductor<'_> {
    fn write(&mut self, line: &Value) {
        if self.problem.is_none() {
            self.problem = self.journal.write(line).err();
        }
    }

    /// A result: written, and printed in short.
    fn result(&mut self, line: &Value) {
        self.tuned.extend((line["kind"] == "tune").then(|| line.clone()));
        self.write(line);
        println!("{}", short(line));
    }

    /// How a step, or an item of it, ended.
    fn note(&mut self, step: Step, case: Option<&str>, took: Duration, end: &End) {
        let mut line = Map::new();
        line.insert("kind".into(), "step".into());
        line.insert("step".into(), step.name().into());
        line.extend(case.map(|case| ("case".to_owned(), case.into())));
        line.insert("seconds".into(), ((took.as_secs_f64() * 10.0).round() / 10.0).into());
        let (word, reason) = match end {
            End::Done => ("done", None),
            End::Limit => ("limit", None),
            End::Failed(reason) => ("failed", Some(reason.as_str())),
        };
        line.insert("end".into(), word.into());
        line.extend(reason.map(|reason| ("reason".to_owned(), reason.into())));
        self.result(&Value::Object(line));
    }

    fn step(&mut self, step: Step, deadline: Instant) -> End {
        match step {
            Step::Adapter => self.adapter(deadline),
            Step::Figures => self.jobs(step, jobs::figures(self.options), deadline),
            Step::Profile => self.jobs(step, jobs::profiles(self.options), deadline),
            Step::Tune => {
                let end = self.items(step, deadline);
                tune::best(&self.tuned).iter().for_each(|line| self.result(line));
                end
            }
            _ => self.items(step, deadline),
        }
    }

    /// This program as the process of a step.
    fn own(&self, step: Step, from: usize) -> Command {
        let mut command = Command::new(env::current_exe().unwrap_or_default());
        command.args(["--child", step.name(), "--from", &from.to_string()]);
        command.args(self.options.rehearse.then_some("--rehearse"));
        command.envs(self.variables.iter().cloned());
        command.args(self.options.adapter.iter().flat_map(|adapter| ["--adapter", adapter]));
        command
    }

    /// Finds the GPU: in the usual way, or else with the loader of the kit. A software GPU only if there is no other.
    fn adapter(&mut self, deadline: Instant) -> End {
        let mut found: Option<(Value, Variables)> = None;
        let mut outcome = End::Limit;
        for variables in drivers::environments(&kit()) {
            self.variables = variables;
            let mut adapter = None;
            let end = watch(self.own(Step::Adapter, 0), deadline, Step::Adapter.item_limit(), |line| {
                let line = serde_json::from_str(line).ok().filter(|line: &Value| line["kind"] == "adapter");
                adapter = line.or(adapter.take());
            });
            let is_software = |adapter: &Value| adapter["type"] == "software";
            let is_better = |found: &Option<(Value, Variables)>, adapter: &Value| {
                found.as_ref().is_none_or(|(found, _)| is_software(found) && !is_software(adapter))
            };
            if let Some(adapter) = adapter.filter(|adapter| is_better(&found, adapter)) {
                found = Some((adapter, self.variables.clone()));
            } else if end != End::Done && outcome == End::Limit {
                // The first reason is that of the machine as it is.
                outcome = end;
            }
            if found.as_ref().is_some_and(|(adapter, _)| self.options.rehearse || !is_software(adapter)) {
                break;
            }
        }
        let Some((adapter, variables)) = found else { return outcome };
        self.variables = variables;
        if adapter["type"] == "software" && !self.options.rehearse {
            println!("this is a software GPU: its numbers are no figures, and `cargo xtask gpu take` rejects them");
        }
        self.result(&adapter);
        End::Done
    }

    /// All items of a step in one process; after one that fails or hangs, the others in the next process.
    fn items(&mut self, step: Step, deadline: Instant) -> End {
        let (mut from, mut outcome) = (0, End::Done);
        loop {
            let (command, begun) = (self.own(step, from), Instant::now());
            let mut current: Option<(usize, String)> = None;
            let mut since = begun;
            let end = watch(command, deadline, step.item_limit(), |line| match serde_json::from_str::<Value>(line) {
                Ok(line) if line["kind"] == "begin" => {
                    let name = line["name"].as_str().unwrap_or_default().to_owned();
                    current = Some((line["item"].as_u64().unwrap_or(0) as usize, name));
                    since = Instant::now();
                }
                Ok(line) => self.result(&line),
                // Drivers print what they like.
                Err(_) => {}
            });
            let Some((item, name)) = current.filter(|_| end != End::Done) else {
                return if outcome == End::Done || end != End::Done { end } else { outcome };
            };
            self.note(step, Some(&name), since.elapsed(), &end);
            outcome = end;
            if Instant::now() + LEAST > deadline {
                return outcome;
            }
            from = item + 1;
        }
    }

    /// Programs one after the other.
    fn jobs(&mut self, step: Step, jobs: Vec<Job>, deadline: Instant) -> End {
        let mut outcome = End::Done;
        for job in jobs {
            let begun = Instant::now();
            let end = if begun + LEAST > deadline { End::Limit } else { self.job(step, &job, deadline) };
            if end != End::Done {
                self.note(step, Some(&job.name), begun.elapsed(), &end);
                outcome = end;
            }
        }
        outcome
    }

    fn job(&mut self, step: Step, job: &Job, deadline: Instant) -> End {
        let command = match &job.program {
            Program::Own(item) => self.own(step, *item),
            Program::Spikelet(words) => {
                let mut command = Command::new(kit().join(format!("spikelet{}", env::consts::EXE_SUFFIX)));
                command.envs(self.variables.iter().cloned());
                command.args(words).args(self.options.adapter.iter().flat_map(|adapter| ["--adapter", adapter]));
                command
            }
        };
        let mut text = String::new();
        let limit = deadline.min(Instant::now() + job.limit);
        let end = watch(command, limit, job.limit, |line| {
            text.push_str(line);
            text.push('\n');
        });
        // A program that fails may have measured something before.
        match (job.read)(&job.name, &text) {
            Ok(lines) => lines.iter().for_each(|line| self.result(line)),
            Err(reason) if end == End::Done => return End::Failed(reason),
            Err(_) => {}
        }
        end
    }
}

/// A result in a line for the person who waits.
fn short(line: &Value) -> String {
    let parts = line.as_object().into_iter().flatten().filter(|(key, _)| *key != "kind");
    let said = parts.map(|(key, value)| match value {
        Value::String(text) => format!("{key} {text}"),
        Value::Object(_) | Value::Array(_) => format!("{key} …"),
        Value::Number(number) => format!("{key} {}", number.as_f64().map_or_else(|| number.to_string(), rounded)),
        other => format!("{key} {other}"),
    });
    format!("{:<10} {}", line["kind"].as_str().unwrap_or("?"), said.collect::<Vec<_>>().join(", "))
}

fn rounded(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value}") } else { format!("{value:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_printed_in_short() {
        let line = json!({"kind": "figure", "case": "cuba", "steps_per_s": 1234.5678, "spikes": 12, "list": [1, 2]});
        assert_eq!(short(&line), "figure     case cuba, steps_per_s 1234.5678, spikes 12, list …");
    }

    #[test]
    fn the_machine_has_threads_and_a_system() {
        let machine = machine();
        assert!(machine["threads"].as_u64() > Some(0) && machine["system"].as_str().is_some_and(|system| !system.is_empty()));
    }
}
