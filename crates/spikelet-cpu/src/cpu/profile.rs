//! The time of each operation of the CPU threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use spikelet_plan::schedule::PhaseKind;

/// What a thread of the CPU does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Neurons: input, reset, integration, threshold, and the samples of recorded neurons.
    Update,
    /// Events of stateless synapses, added to the delay rings.
    Propagate,
    /// Work of synapses in every step: clock-driven equations, sums, statements at regular times, samples of synapses.
    Synapses,
    /// Events of synapses with state, and their traces: plasticity.
    Learn,
    /// Winners.
    Select,
    /// Exchange of spikes and values between threads and ranks, with the wait for them.
    Exchange,
    /// Collection of the spikes.
    Record,
}

impl Operation {
    /// All of them, in the order of [`OperationTimes::seconds`].
    pub const ALL: [Operation; 7] = [
        Operation::Update,
        Operation::Propagate,
        Operation::Synapses,
        Operation::Learn,
        Operation::Select,
        Operation::Exchange,
        Operation::Record,
    ];

    /// Its name: `update`, `propagate` …
    pub fn name(self) -> &'static str {
        match self {
            Operation::Update => "update",
            Operation::Propagate => "propagate",
            Operation::Synapses => "synapses",
            Operation::Learn => "learn",
            Operation::Select => "select",
            Operation::Exchange => "exchange",
            Operation::Record => "record",
        }
    }

    /// The operation that a phase is a part of.
    pub(super) fn of(kinds: &[PhaseKind]) -> Operation {
        match kinds.first() {
            Some(PhaseKind::Propagate(_)) => Operation::Propagate,
            Some(PhaseKind::OnSpike { .. } | PhaseKind::UpdateTraces(..)) => Operation::Learn,
            Some(PhaseKind::Select(_)) => Operation::Select,
            Some(kind) if kind.projection().is_some() => Operation::Synapses,
            _ => Operation::Update,
        }
    }
}

/// Times of the operations of all threads together, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OperationTimes {
    /// In the order of [`Operation::ALL`].
    pub seconds: [f64; Operation::ALL.len()],
}

impl OperationTimes {
    /// The seconds of an operation.
    pub fn of(&self, operation: Operation) -> f64 {
        self.seconds[operation as usize]
    }

    /// The seconds of all of them.
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    fn add(&mut self, other: &OperationTimes) {
        self.seconds.iter_mut().zip(other.seconds).for_each(|(sum, seconds)| *sum += seconds);
    }
}

/// The profile of a [`Cpu`](super::Cpu), which remains usable when a simulation owns it. Clones are the same one.
#[derive(Debug, Clone)]
pub struct CpuProfile(Arc<ProfileState>);

#[derive(Debug)]
struct ProfileState {
    /// A clock in seconds: the simulator has none.
    clock: fn() -> f64,
    runs: AtomicBool,
    times: Mutex<OperationTimes>,
    slept: Mutex<Vec<u64>>,
}

impl CpuProfile {
    /// A profile with a clock in seconds that never goes back. It measures nothing yet.
    pub fn new(clock: fn() -> f64) -> CpuProfile {
        CpuProfile(Arc::new(ProfileState {
            clock,
            runs: AtomicBool::new(false),
            times: Mutex::default(),
            slept: Mutex::default(),
        }))
    }

    /// Measures from the next epoch on, or no more. Without measurement there is no cost but a test per operation.
    pub fn measure(&self, runs: bool) {
        self.0.runs.store(runs, Ordering::Relaxed);
    }

    /// The measured times.
    pub fn times(&self) -> OperationTimes {
        *self.0.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For each population the steps of its neurons that were not computed because these slept, in all trials.
    pub fn slept(&self) -> Vec<u64> {
        self.0.slept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn add_slept(&self, slept: impl Iterator<Item = u64>) {
        let mut all = self.0.slept.lock().unwrap_or_else(PoisonError::into_inner);
        for (population, slept) in slept.enumerate() {
            if population == all.len() {
                all.push(0);
            }
            all[population] += slept;
        }
    }

    pub(super) fn clock(&self) -> Option<fn() -> f64> {
        self.0.runs.load(Ordering::Relaxed).then_some(self.0.clock)
    }

    pub(super) fn add(&self, of_thread: &Stopwatch) {
        self.0.times.lock().unwrap_or_else(PoisonError::into_inner).add(&of_thread.times);
    }
}

/// The times of a thread: each lap is the time since the last one.
pub(super) struct Stopwatch {
    clock: Option<fn() -> f64>,
    last: f64,
    times: OperationTimes,
}

impl Stopwatch {
    pub(super) fn new(clock: Option<fn() -> f64>) -> Stopwatch {
        Stopwatch { clock, last: 0.0, times: OperationTimes::default() }
    }

    /// Begins the first lap.
    pub(super) fn begin(&mut self) {
        if let Some(clock) = self.clock {
            self.last = clock();
        }
    }

    /// Ends a lap.
    pub(super) fn lap(&mut self, operation: Operation) {
        if let Some(clock) = self.clock {
            let now = clock();
            self.times.seconds[operation as usize] += now - self.last;
            self.last = now;
        }
    }
}
