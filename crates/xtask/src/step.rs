//! One progress line per step, with the time it took.

use crate::{Result, board, ending};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io::{self, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much of a failed command's output is shown, in lines.
const KEPT: usize = 400;

/// How many panics are repeated at the end, and how many lines of each.
const REASONS: usize = 5;
const REASON: usize = 3;

/// How long a program may take to list its tests.
const LISTED_WITHIN: Duration = Duration::from_secs(10);

/// How many tests are named that did not end in time.
const NAMED: usize = 20;

/// Runs `command` quietly: its output is shown only if it fails, and of tests their number.
///
/// # Errors
/// It cannot be started, or it does not end with success.
pub(crate) fn run(title: &str, command: Command) -> Result {
    run_within(title, command, Duration::MAX)
}

/// The same for something that may hang: it is ended after `limit`, and what it was doing is shown.
///
/// # Errors
/// See [`run`]; or it takes longer.
pub(crate) fn run_within(title: &str, command: Command, limit: Duration) -> Result {
    let listing = (limit < Duration::MAX).then(|| list_of_tests(&command));
    let mut ended = follow(title, command, limit, '✗')?;
    if ended.overdue
        && let Some(unfinished) = listing.and_then(|listing| unfinished(listing, &ended.finished))
    {
        ended.output.push_back(format!("error: these tests had not ended: {unfinished}"));
    }
    if ended.success {
        return Ok(());
    }
    // In one piece: another step may fail at the same time.
    let output: String = ended.output.iter().map(|line| format!("    {line}\n")).collect();
    eprint!("{output}");
    let reasons: String = reasons(&ended.output).map(|line| format!("\n        {line}")).collect();
    Err(format!("{title}: failed, see above{reasons}").into())
}

/// The command that names the tests of a program of libtest; other programs may not know the word.
fn list_of_tests(command: &Command) -> Command {
    let mut list = Command::new(command.get_program());
    list.args(command.get_args()).args(["--list", "--format", "terse"]).stdin(Stdio::null());
    if let Some(folder) = command.get_current_dir() {
        list.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => list.env(name, value),
            None => list.env_remove(name),
        };
    }
    list
}

/// The tests of a program that are not among those that ended; `None` if it is no program of libtest.
fn unfinished(mut list: Command, finished: &BTreeSet<String>) -> Option<String> {
    let mut child = list.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut output = child.stdout.take()?;
    let (read, listed) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = output.read_to_string(&mut text).and_then(|_| read.send(text).map_err(io::Error::other));
    });
    // Another program may run all over again.
    let text = listed.recv_timeout(LISTED_WITHIN);
    child.kill().ok();
    child.wait().ok()?;
    let text = text.ok()?;
    let names = text.lines().filter_map(|line| line.strip_suffix(": test")).filter(|name| !finished.contains(*name));
    let names: Vec<&str> = names.collect();
    let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
    (!names.is_empty()).then(|| format!("{}{more}", names[..names.len().min(NAMED)].join(", ")))
}

/// The name in `test math::exponentials ... ok`, or with another result.
fn finished_test(line: &str) -> Option<&str> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    (!result.is_empty()).then(|| name.trim_end_matches(" - should panic"))
}

/// Each panic of a test with the lines below it, to be repeated at the end: what stands above may be cut off or far away.
fn reasons(output: &VecDeque<String>) -> impl Iterator<Item = &String> {
    let says_why = |line: &str| line.contains("panicked at") || line.starts_with("error: not finished after");
    let panics = output.iter().enumerate().filter(move |(_, line)| says_why(line));
    panics.take(REASONS).flat_map(|(at, _)| output.range(at..).take(REASON))
}

/// Runs `command` quietly where failing is an answer too: `Err` of the reason, in its own words. It may take `limit`.
///
/// # Errors
/// It cannot be started.
pub(crate) fn attempt(title: &str, command: Command, limit: Duration) -> Result<std::result::Result<(), String>> {
    let ended = follow(title, command, limit, '–')?;
    if ended.success {
        return Ok(Ok(()));
    }
    // Tools put the reason behind "error:", below it stand hints and causes.
    let reason = ended.output.iter().find(|line| line.contains("error")).or(ended.output.back());
    Ok(Err(reason.cloned().unwrap_or_else(|| "no reason given".to_owned())))
}

/// Runs `command` quietly, for at most `limit`, where its last lines are the result: whether it succeeded, and those lines.
///
/// # Errors
/// It cannot be started.
pub(crate) fn watch(title: &str, command: Command, limit: Duration) -> Result<(bool, VecDeque<String>)> {
    let ended = follow(title, command, limit, '✗')?;
    Ok((ended.success, ended.output))
}

/// Runs `command` with its output in view.
///
/// # Errors
/// It cannot be started, or it does not end with success.
pub(crate) fn show(title: &str, mut command: Command) -> Result {
    let started = Instant::now();
    println!("→ {title}");
    let mut child = ending::start(&mut command).map_err(|error| cannot_start(&command, &error))?;
    let status = child.wait()?;
    ending::ended(&child);
    keep(title, started.elapsed());
    if status.success() {
        println!("✓ {title}  {}\n", board::seconds(started.elapsed()));
        return Ok(());
    }
    println!("✗ {title}  {}\n", board::seconds(started.elapsed()));
    Err(format!("{title}: failed, see above").into())
}

/// Steps of at least a second that are over, with their times.
static ENDED: Mutex<Vec<(String, Duration)>> = Mutex::new(Vec::new());

/// The tests of all steps.
static TESTS: Mutex<Tests> = Mutex::new(Tests { passed: 0, failed: 0, skipped: 0 });

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tests {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tests {
    /// Those of all steps that are over.
    pub(crate) fn of_all_steps() -> Tests {
        *TESTS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what a line of a test runner reports: `test result: ok. 12 passed; 0 failed; 1 ignored; …` of libtest and wasm-bindgen,
    /// `ℹ pass 12` of Node, `12 passed, 1 skipped in 3.21s` of pytest.
    fn read(&mut self, line: &str) {
        let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        let of_pytest = line.rsplit_once(" in ").filter(|(counts, time)| is_number(counts) && is_number(time));
        let count_first = line.strip_prefix("test result: ").or(of_pytest.map(|(counts, _)| counts));
        let words = |text: &str| -> Vec<String> {
            text.split([' ', ';', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let pairs: Vec<(String, String)> = match (count_first, line.strip_prefix("ℹ ")) {
            (Some(rest), _) => words(rest).windows(2).map(|pair| (pair[1].clone(), pair[0].clone())).collect(),
            (None, Some(rest)) => words(rest).chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect(),
            (None, None) => return,
        };
        for (what, count) in pairs {
            let Ok(count) = count.parse::<usize>() else { continue };
            match what.as_str() {
                "passed" | "pass" => self.passed += count,
                "failed" | "fail" => self.failed += count,
                "ignored" | "skipped" => self.skipped += count,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(f, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

fn keep(title: &str, time: Duration) {
    if time >= Duration::from_secs(1) {
        ENDED.lock().unwrap_or_else(PoisonError::into_inner).push((title.to_owned(), time));
    }
}

/// Prints where the time went: the steps, in the order in which they ended.
pub(crate) fn print_times() {
    let ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    let widest = ended.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    for (title, time) in ended.iter() {
        println!("  {title:<widest$}  {:>12}", board::seconds(*time));
    }
}

/// A step that had nothing to do.
pub(crate) fn note(title: &str, text: &str) {
    println!("– {title}: {text}");
}

struct Ended {
    success: bool,
    /// Whether it was ended at its limit.
    overdue: bool,
    /// The tests of libtest that ended.
    finished: BTreeSet<String>,
    output: VecDeque<String>,
}

/// Runs `command` to its end, or to `limit`; meanwhile the [`board`] tells how far it is. The line of a command that failed starts with
/// `failed`.
fn follow(title: &str, mut command: Command, limit: Duration, failed: char) -> Result<Ended> {
    let started = Instant::now();
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    // Cargo counts the crates for terminals only.
    command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "100");
    let mut child = ending::start(&mut command).map_err(|error| cannot_start(&command, &error))?;
    drop(command); // it holds the pipe's other end

    let (lines, arriving) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        for byte in BufReader::new(reader).bytes().map_while(io::Result::ok) {
            // What overwrites itself ends with a return.
            if byte != b'\n' && byte != b'\r' {
                line.push(byte);
            } else if lines.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            } else {
                line.clear();
            }
        }
        let _ = lines.send(String::from_utf8_lossy(&line).trim_end().to_owned());
    });

    let shown = board::show(title);
    let mut output = VecDeque::new();
    let mut tests = Tests::default();
    let mut finished = BTreeSet::new();
    let mut overdue = false;
    loop {
        match arriving.recv_timeout(Duration::from_millis(200)) {
            Ok(line) if line.is_empty() => {}
            Ok(line) => match board::progress(&line) {
                Some(progress) => shown.say(&progress),
                None => {
                    shown.say(line.trim_start());
                    tests.read(&line);
                    finished.extend(finished_test(&line).map(str::to_owned));
                    if output.len() == KEPT {
                        output.pop_front();
                    }
                    output.push_back(line);
                }
            },
            // A process that the command left behind may hold the pipe open: the command's own end counts.
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if !overdue && started.elapsed() > limit {
            overdue = true;
            ending::kill(&mut child)?;
        }
        shown.tick();
    }
    let success = child.wait()?.success();
    ending::ended(&child);
    keep(title, started.elapsed());
    if overdue {
        output.push_back(format!("error: not finished after {}", board::seconds(limit)));
    }
    let mark = if success { '✓' } else { failed };
    let mut last = format!("{mark} {title}  {}", board::seconds(started.elapsed()));
    if tests != Tests::default() {
        last += &format!("  {tests}");
        let mut all = TESTS.lock().unwrap_or_else(PoisonError::into_inner);
        all.passed += tests.passed;
        all.failed += tests.failed;
        all.skipped += tests.skipped;
    }
    shown.end(&last);
    Ok(Ended { success, overdue, finished, output })
}

fn cannot_start(command: &Command, error: &io::Error) -> String {
    format!("cannot start `{}`: {error}", command.get_program().display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(board::seconds(Duration::from_millis(1_234)), "1.2 s");
        assert_eq!(board::seconds(Duration::from_secs(185)), "3 min 05 s");
    }

    #[test]
    fn tests_are_counted_in_the_output_of_each_runner() {
        let mut tests = Tests::default();
        for line in [
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.10s",
            "test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out",
            "ℹ tests 7",
            "ℹ pass 6",
            "ℹ fail 1",
            "ℹ duration_ms 20.5",
            "running 12 tests",
            "1 failed, 3 passed, 2 skipped, 7 warnings in 20.11s",
            "12 neurons in 3 steps",
        ] {
            tests.read(line);
        }
        assert_eq!(tests, Tests { passed: 23, failed: 6, skipped: 3 });
        assert_eq!(tests.to_string(), "23 passed, 6 failed, 3 skipped");
    }

    #[cfg(unix)]
    #[test]
    fn what_hangs_is_ended_with_all_that_it_started_and_names_its_tests() {
        // A program of three tests: one ends, one hangs with a process of its own.
        let script = "case \"$*\" in *--list*) printf 'a::one: test\\na::two: test\\nb: test\\n'; exit 0;; esac; \
            echo 'test a::one ... ok'; echo 'test b ... FAILED'; sleep 60 & echo child $!; wait";
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]);
        let started = Instant::now();
        let problem = run_within("hanging", command, Duration::from_millis(500)).expect_err("it hangs").to_string();
        assert!(started.elapsed() < Duration::from_secs(30));
        let lines: Vec<&str> = problem.lines().map(str::trim).collect();
        let expected =
            ["hanging: failed, see above", "error: not finished after 0.5 s", "error: these tests had not ended: a::two"];
        assert_eq!(lines, expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_failure_ends_with_the_panics() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "echo one; echo \"thread 'x' panicked at y.rs:1:2:\"; echo left is not right; echo end; echo more; false",
        ]);
        let problem = run("bad", command).expect_err("it fails").to_string();
        let lines: Vec<&str> = problem.lines().map(str::trim).collect();
        assert_eq!(lines, ["bad: failed, see above", "thread 'x' panicked at y.rs:1:2:", "left is not right", "end"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_attempt_gives_the_reason_and_keeps_the_limit() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let long = Duration::from_secs(60);
        assert_eq!(attempt("good", shell("true"), long).expect("sh"), Ok(()));
        let bad = attempt("bad", shell("echo one; echo error: two; echo three; false"), long);
        assert_eq!(bad.expect("sh"), Err("error: two".to_owned()));
        let slow = attempt("slow", shell("exec sleep 60"), Duration::from_millis(300));
        assert!(slow.expect("sh").expect_err("killed").contains("not finished"));
        assert!(run("absent", Command::new("spikelet-no-such-program")).is_err());
    }
}
