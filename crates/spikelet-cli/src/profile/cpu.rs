//! The profile of a CPU.

use std::fmt;

use serde::Serialize;
use spikelet::{CpuProfile, Operation, OperationTimes, Plan};

use super::RunFigures;
use super::advice::{self, Advice, Workload};
use crate::args::RunArguments;
use crate::terminal;
use crate::text::{metric, short};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// Those that took time, the slowest first.
    operations: Vec<OperationShare>,
    threads: usize,
    neuron_updates_per_second: Option<f64>,
    synaptic_events_per_second: Option<f64>,
    pub(super) advice: Vec<Advice>,
}

/// The time of an operation of all threads together.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OperationShare {
    pub(crate) name: &'static str,
    pub(crate) seconds: f64,
    /// Fraction of the time of all operations, from 0 to 1.
    pub(crate) share: f64,
}

impl OperationShare {
    /// Those that took time, the slowest first.
    pub(crate) fn of(times: &OperationTimes) -> Vec<OperationShare> {
        let total = times.total().max(f64::MIN_POSITIVE);
        let share = |of: Operation| OperationShare { name: of.name(), seconds: times.of(of), share: times.of(of) / total };
        let mut shares: Vec<OperationShare> = Operation::ALL.into_iter().map(share).filter(|of| of.seconds > 0.0).collect();
        shares.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        shares
    }
}

/// The profile of a run; `None` with a notice if its device measures nothing.
pub(super) fn of_run(args: &RunArguments, profile: Option<&CpuProfile>, plan: &Plan, run: &RunFigures) -> Option<Report> {
    let times = profile?.times();
    if times.total() <= 0.0 {
        terminal::notice(&"--profile measured nothing: the run had no steps, was in f64, or lost its GPU");
        return None;
    }
    let workload = Workload::new(args, plan, run);
    Some(Report {
        operations: OperationShare::of(&times),
        threads: run.threads,
        neuron_updates_per_second: run.neuron_updates_per_second,
        synaptic_events_per_second: run.synaptic_events_per_second,
        advice: advice::of_cpu(&workload, &times),
    })
}

/// The table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{:<16} {:>10} {:>7}", "operation", "seconds", "share")?;
        for OperationShare { name, seconds, share } in &self.operations {
            writeln!(f, "{name:<16} {:>10} {:>5.1} %", short(*seconds), 100.0 * share)?;
        }
        let speed = |value: Option<f64>| value.map_or("0".to_owned(), metric);
        let (updates, events) = (speed(self.neuron_updates_per_second), speed(self.synaptic_events_per_second));
        let threads = if self.threads == 1 { "1 thread" } else { "all threads together" };
        write!(f, "seconds of {threads}, with the cost of the clock; {updates} neuron updates/s, {events} events/s")
    }
}
