//! What runs at this moment, and how far it is: on a terminal one line that is written over, elsewhere a line now and then.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Where nothing can be written over, this often a line says that something is still at work.
const NOW_AND_THEN: Duration = Duration::from_secs(20);

/// How wide a bar is.
const BAR: usize = 20;

static RUNNING: Mutex<Vec<Line>> = Mutex::new(Vec::new());

struct Line {
    title: String,
    started: Instant,
    /// What it said last.
    latest: String,
    /// When that was last shown where nothing is written over.
    told: Instant,
}

/// One of the things that run, until [`Shown::end`].
pub(crate) struct Shown {
    title: String,
}

pub(crate) fn show(title: &str) -> Shown {
    let now = Instant::now();
    running().push(Line { title: title.to_owned(), started: now, latest: String::new(), told: now });
    if !io::stdout().is_terminal() {
        println!("→ {title}");
    }
    Shown { title: title.to_owned() }
}

impl Shown {
    /// Remembers what the command says.
    pub(crate) fn say(&self, latest: &str) {
        if let Some(line) = running().iter_mut().find(|line| line.title == self.title) {
            latest.clone_into(&mut line.latest);
        }
    }

    /// Shows all that run.
    pub(crate) fn tick(&self) {
        let mut running = running();
        if io::stdout().is_terminal() {
            print!("\r\x1b[2K{}", together(&running, width()));
            let _ = io::stdout().flush();
        } else if let Some(line) = running.iter_mut().find(|line| line.title == self.title)
            && line.told.elapsed() > NOW_AND_THEN
        {
            line.told = Instant::now();
            println!("… {}", line.text());
        }
    }

    /// It is over: `last` stays.
    pub(crate) fn end(self, last: &str) {
        let mut running = running();
        running.retain(|line| line.title != self.title);
        let clear = if io::stdout().is_terminal() { "\r\x1b[2K" } else { "" };
        println!("{clear}{last}");
    }
}

impl Line {
    fn text(&self) -> String {
        format!("{}  {}  {}", self.title, seconds(self.started.elapsed()), self.latest)
    }
}

fn running() -> MutexGuard<'static, Vec<Line>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All lines in one, each with its share of the width.
fn together(running: &[Line], width: usize) -> String {
    let share = (width / running.len().max(1)).saturating_sub(3);
    let cut = |line: &Line| format!("… {}", line.text()).chars().take(share).collect::<String>();
    running.iter().map(cut).collect::<Vec<_>>().join(" │ ")
}

/// Columns of the terminal, as far as the shell tells; one line must not become two.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80)
}

/// Cargo's `Building [==> ] 12/34: wgpu, naga`, as a bar with what it stands at.
pub(crate) fn progress(line: &str) -> Option<String> {
    let (before, after) = line.split_once("] ")?;
    let verb = before.split('[').next()?.trim();
    if !["Building", "Compiling", "Checking"].iter().any(|word| verb.ends_with(word)) {
        return None;
    }
    let (counts, crates) = after.split_once(':').unwrap_or((after, ""));
    let (done, all) = counts.trim().split_once('/')?;
    let (done, all): (usize, usize) = (done.parse().ok()?, all.parse().ok()?);
    let full = (BAR * done).checked_div(all)?.min(BAR);
    Some(format!("{}{} {done} of {all}:{crates}", "█".repeat(full), "░".repeat(BAR - full)))
}

/// "12.3 s", "3 min 05 s".
pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_of_cargo_becomes_a_bar() {
        let bar = progress("    Building [====>        ] 50/100: wgpu, naga(build)");
        assert_eq!(bar.as_deref(), Some("██████████░░░░░░░░░░ 50 of 100: wgpu, naga(build)"));
        for line in
            ["   Compiling wgpu v30.0.1", "error[E0308]: [a] 1/2", "", "    Building [] 0/0", "    Building [==>  ] x/3: y"]
        {
            assert_eq!(progress(line), None, "{line}");
        }
    }

    #[test]
    fn those_that_run_side_by_side_share_a_line() {
        let now = Instant::now();
        let line = |title: &str| Line { title: title.to_owned(), started: now, latest: "wgpu ".repeat(40), told: now };
        let text = together(&[line("page"), line("engine")], 80);
        assert!(text.chars().count() <= 80 && text.contains("… page") && text.contains("│ … engine"), "{text}");
    }
}
