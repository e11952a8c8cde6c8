//! Processes that do the work, so that one that hangs can be ended without losing what it has found.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    /// With success.
    Done,
    /// It was ended, because it was out of time.
    Limit,
    /// Without success: what it wrote last to standard error, or how it ended.
    Failed(String),
}

/// Lines of standard error that are kept.
const KEPT: usize = 8;
/// How long to wait for a process that was killed. One that waits for a driver may never end.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(20);

/// Runs a process until `deadline`, and for at most `quiet` without a line of standard output; each of its lines is passed on as it comes.
pub(crate) fn watch(mut command: Command, deadline: Instant, quiet: Duration, mut each: impl FnMut(&str)) -> End {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return End::Failed(format!("{} cannot be started: {error}", command.get_program().display())),
    };
    let (sender, lines) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            let whole = BufReader::new(output).lines().map_while(Result::ok);
            // The receiver is dropped when the process is out of time.
            whole.into_iter().take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
    }
    let errors = child.stderr.take().map(last_lines);
    loop {
        let now = Instant::now();
        let wait = deadline.saturating_duration_since(now).min(quiet);
        match lines.recv_timeout(wait) {
            Ok(line) => each(&line),
            Err(RecvTimeoutError::Timeout) => {
                end(&mut child);
                return End::Limit;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Its output has ended, and it has, too, unless it closed the output itself.
    while Instant::now() < deadline.max(Instant::now() + POLL) {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return End::Done,
            Ok(Some(status)) => {
                let said = errors.and_then(|errors| errors.join().ok()).unwrap_or_default();
                let said = said.trim_start_matches("error: ");
                return End::Failed(match (said, status.code()) {
                    ("", _) => format!("it ended with {status}"),
                    (said, None) => format!("it ended with {status}: {said}"),
                    (said, Some(_)) => said.to_owned(),
                });
            }
            Ok(None) => thread::sleep(POLL),
            Err(error) => return End::Failed(format!("it cannot be waited for: {error}")),
        }
    }
    end(&mut child);
    End::Limit
}

/// Drivers complain about screens.
fn is_noise(line: &str) -> bool {
    line.trim().is_empty() || line.contains("XDG_RUNTIME_DIR")
}

/// Collects the last lines of a stream in one sentence.
fn last_lines(stream: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut kept = VecDeque::new();
        for line in BufReader::new(stream).lines().map_while(Result::ok).filter(|line| !is_noise(line)) {
            kept.push_back(line);
            if kept.len() > KEPT {
                kept.pop_front();
            }
        }
        // What the program itself says is an error or a panic.
        let said = kept.iter().position(|line| line.starts_with("error: "));
        let said = said.or_else(|| kept.iter().position(|line| line.contains("panicked at")));
        kept.into_iter().skip(said.unwrap_or(0)).collect::<Vec<_>>().join(" | ")
    })
}

/// Kills a process.
fn end(child: &mut Child) {
    // It may have ended meanwhile.
    _ = child.kill();
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(POLL);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, seconds: f64, quiet: f64) -> (End, Vec<String>, f64) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let (begun, mut lines) = (Instant::now(), Vec::new());
        let limit = Duration::from_secs_f64(seconds);
        let end = watch(command, begun + limit, Duration::from_secs_f64(quiet), |line| lines.push(line.to_owned()));
        (end, lines, begun.elapsed().as_secs_f64())
    }

    #[test]
    fn all_lines_of_a_process_are_passed_on() {
        let (end, lines, _) = run("echo one; echo two; echo three", 60.0, 60.0);
        assert_eq!((end, lines.join(" ")), (End::Done, "one two three".to_owned()));
    }

    #[test]
    fn a_process_that_is_out_of_time_is_ended_and_its_lines_are_kept() {
        let (end, lines, seconds) = run("echo one; exec sleep 60", 0.5, 60.0);
        assert_eq!((end, lines.join(" ")), (End::Limit, "one".to_owned()));
        assert!(seconds < 30.0, "{seconds} s");
    }

    #[test]
    fn a_process_that_says_nothing_is_ended() {
        let (end, lines, seconds) = run("echo one; sleep 0.2; echo two; exec sleep 60", 60.0, 1.5);
        assert_eq!((end, lines.join(" ")), (End::Limit, "one two".to_owned()));
        assert!(seconds < 30.0, "{seconds} s");
    }

    #[test]
    fn a_failure_has_its_reason() {
        let script = "echo one; echo 'error: XDG_RUNTIME_DIR is not set' >&2; echo 'error: no memory' >&2; exit 3";
        assert_eq!(run(script, 60.0, 60.0).0, End::Failed("no memory".to_owned()));
        let killed = run("echo note >&2; kill -9 $$", 60.0, 60.0).0;
        assert!(matches!(&killed, End::Failed(reason) if reason.contains("signal: 9") && reason.ends_with("note")), "{killed:?}");
        assert_eq!(run("exit 3", 60.0, 60.0).0, End::Failed("it ended with exit status: 3".to_owned()));
        let missing = watch(Command::new("/nonexistent/program"), Instant::now(), POLL, |_| {});
        assert!(matches!(&missing, End::Failed(reason) if reason.contains("/nonexistent/program")), "{missing:?}");
    }
}
