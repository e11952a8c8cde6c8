//! Tests of time-outs, load and scheduling, while other work takes the machine: what depends on time there fails here.

use super::checks::Checks;
use super::native::Program;
use super::part::Part;
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Threads that are busy meanwhile.
const BUSY: usize = 9;

/// The tests: the program, and words in their names.
const TESTS: [(&str, &[&str]); 9] = [
    ("spikelet", &["policy"]),
    ("spikelet-plan", &["pool"]),
    ("spikelet-cpu", &["barrier", "exchange", "ranks"]),
    ("spikelet-cli", &["interrupt", "progress", "ranks"]),
    ("spikelet-cli cli", &["endings", "unfinished", "ranks", "limits"]),
    ("spikelet-host", &[""]),
    ("spikelet-kernel all", &["any_text"]),
    ("spikelet-tests all", &["ranks", "failures"]),
    ("xtask", &["step", "ending", "engine"]),
];

/// Runs them, with `--full` or by name.
pub(super) fn run(checks: &Checks, programs: &[Program]) {
    if !checks.runs(Part::Stress) {
        return;
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        for (title, words) in TESTS {
            match programs.iter().find(|program| program.title() == title) {
                Some(program) => {
                    let mut command = program.command(checks.workspace);
                    command.args(words);
                    checks.run(Part::Stress, title, command);
                }
                None => checks.keep(Err(format!("stress: there is no program of tests {title}").into())),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
}
