//! The profile of a CPU.

use serde::Serialize;
use spikelet::{Operation, OperationTimes};

use super::Workload;
use super::advice::{self, Advice};

/// The operations of a CPU.
#[derive(Debug, Clone, Serialize)]
pub struct CpuReport {
    /// Those that took time, the slowest first.
    pub operations: Vec<OperationShare>,
    /// Threads.
    pub threads: usize,
    /// Neuron updates per second of wall time.
    pub neuron_updates_per_second: Option<f64>,
    /// Synaptic events per second of wall time.
    pub synaptic_events_per_second: Option<f64>,
    /// What to change.
    pub advice: Vec<Advice>,
}

/// The time of an operation of all threads together.
#[derive(Debug, Clone, Serialize)]
pub struct OperationShare {
    /// Its name.
    pub name: &'static str,
    /// Its seconds.
    pub seconds: f64,
    /// Fraction of the time of all operations, from 0 to 1.
    pub share: f64,
}

impl OperationShare {
    /// Those that took time, the slowest first.
    pub fn of(times: &OperationTimes) -> Vec<OperationShare> {
        let total = times.total().max(f64::MIN_POSITIVE);
        let share = |of: Operation| OperationShare { name: of.name(), seconds: times.of(of), share: times.of(of) / total };
        let mut shares: Vec<OperationShare> = Operation::ALL.into_iter().map(share).filter(|of| of.seconds > 0.0).collect();
        shares.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        shares
    }
}

impl CpuReport {
    pub(super) fn new(run: &Workload, times: &OperationTimes) -> CpuReport {
        CpuReport {
            operations: OperationShare::of(times),
            threads: run.threads,
            neuron_updates_per_second: run.neuron_updates_per_second,
            synaptic_events_per_second: run.synaptic_events_per_second,
            advice: advice::of_cpu(run, times),
        }
    }
}
