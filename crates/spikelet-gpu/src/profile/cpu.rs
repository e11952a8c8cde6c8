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
    /// The populations that slept.
    pub asleep: Vec<SleepShare>,
    /// Threads.
    pub threads: usize,
    /// Neuron updates per second of wall time.
    pub neuron_updates_per_second: Option<f64>,
    /// Synaptic events per second of wall time.
    pub synaptic_events_per_second: Option<f64>,
    /// What to change.
    pub advice: Vec<Advice>,
}

/// How much the neurons of a population slept.
#[derive(Debug, Clone, Serialize)]
pub struct SleepShare {
    /// Its name.
    pub population: String,
    /// The fraction of the steps of its neurons that were not computed, from 0 to 1.
    pub share: f64,
}

impl SleepShare {
    /// Those that slept.
    fn of(run: &Workload, slept: &[u64]) -> Vec<SleepShare> {
        let updates = run.neuron_updates_per_second.unwrap_or(0.0) * run.seconds;
        let steps = (updates / f64::from(run.plan.neurons().max(1))).max(1.0);
        let shares = run.plan.populations.iter().zip(slept).filter(|(_, slept)| **slept > 0);
        let share = |size: u32, slept: u64| (slept as f64 / (steps * f64::from(size))).min(1.0);
        shares.map(|(of, slept)| SleepShare { population: of.name.clone(), share: share(of.size, *slept) }).collect()
    }
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
    pub(super) fn new(run: &Workload, times: &OperationTimes, slept: &[u64]) -> CpuReport {
        CpuReport {
            operations: OperationShare::of(times),
            asleep: SleepShare::of(run, slept),
            threads: run.threads,
            neuron_updates_per_second: run.neuron_updates_per_second,
            synaptic_events_per_second: run.synaptic_events_per_second,
            advice: advice::of_cpu(run, times),
        }
    }
}
