//! What the checks of one run share: which parts they are of, what failed, and how long each part took.

use super::part::{Part, Tier};
use crate::workspace::Workspace;
use crate::{Result, board, step, tools};
use std::collections::BTreeMap;
use std::env;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The checks of one run.
pub(super) struct Checks<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) parts: Vec<Part>,
    /// How much of each part runs.
    pub(super) tier: Tier,
    failures: Mutex<Vec<String>>,
    times: Mutex<BTreeMap<Part, Duration>>,
}

impl Checks<'_> {
    pub(super) fn new(workspace: &Workspace, parts: Vec<Part>, tier: Tier) -> Checks<'_> {
        Checks { workspace, parts, tier, failures: Mutex::default(), times: Mutex::default() }
    }

    pub(super) fn runs(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Whether the long cases run, too.
    pub(super) fn full(&self) -> bool {
        self.tier == Tier::Full
    }

    /// Runs a command for a part; a failure is kept, so that the next check runs.
    pub(super) fn run(&self, part: Part, what: &str, mut command: Command) {
        self.configure(&mut command);
        let started = Instant::now();
        self.keep(step::run_within(&format!("{}: {what}", part.name()), command, limit(self.tier)));
        self.spend(part, started.elapsed());
    }

    /// Adds to the time of a part.
    pub(super) fn spend(&self, part: Part, time: Duration) {
        *lock(&self.times).entry(part).or_default() += time;
    }

    /// Keeps a failure.
    pub(super) fn keep(&self, result: Result) {
        lock(&self.failures).extend(result.err().map(|problem| problem.to_string()));
    }

    /// Sets the environment variables of the tests.
    fn configure(&self, command: &mut Command) {
        // Linux has a software adapter by now; of other systems not every machine has one.
        if cfg!(target_os = "linux") {
            command.env("SPIKELET_REQUIRE_ADAPTER", "1");
        }
        if self.full() {
            command.env("SPIKELET_FULL", "1");
        } else if env::var_os("PROPTEST_RNG_SEED").is_none() {
            // The usual checks are the same in every run; the long ones, and `cargo test`, draw other values each time.
            command.env("PROPTEST_RNG_SEED", "1");
        }
        // Mesa complains about its absence once per device, on machines where no user is logged in.
        if env::var_os("XDG_RUNTIME_DIR").is_none() {
            command.env("XDG_RUNTIME_DIR", env::temp_dir());
        }
        if let Some(driver) = tools::chromedriver() {
            command.env("CHROMEDRIVER", driver);
        }
    }

    /// Prints the time of each part beside its budget.
    pub(super) fn print_times(&self) {
        for (part, time) in lock(&self.times).iter() {
            let (name, budget) = (part.name(), part.budget(self.tier));
            let over = if *time > budget { "  over its budget" } else { "" };
            println!("  {name:<8} {:>12} of {:>12}{over}", board::seconds(*time), board::seconds(budget));
        }
    }

    /// What the last line says if the parts took more than four thirds of their budgets together; nothing if not.
    pub(super) fn lateness(&self) -> String {
        let times = lock(&self.times);
        let (time, budget): (Duration, Duration) = (times.values().sum(), times.keys().map(|part| part.budget(self.tier)).sum());
        if 3 * time <= 4 * budget {
            return String::new();
        }
        format!("; its checks took {}, a third more than their budget of {}", board::seconds(time), board::seconds(budget))
    }

    pub(super) fn failures(self) -> Vec<String> {
        self.failures.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long one program may take: three times as long as the longest does on a machine with much else to do. `--full` runs the long cases.
fn limit(tier: Tier) -> Duration {
    let minutes = match tier {
        Tier::Quick => 15,
        Tier::All => 40,
        Tier::Full => 180,
    };
    Duration::from_secs(60 * minutes)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
