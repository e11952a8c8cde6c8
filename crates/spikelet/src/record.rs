//! Summaries of a run.

use serde::{Deserialize, Serialize};
use spikelet_rows::rng::splitmix64;

use crate::{Plan, Spike};

/// Counts of one neuron.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Counts {
    spikes: u32,
    last: u32,
    /// Interspike intervals in steps: their sum and the sum of their squares.
    sum: u64,
    squares: u64,
}

/// Summarises the spikes of a run with constant memory. It can be sent to another process as it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recorder {
    /// First neuron and size of each population, with its name.
    populations: Vec<(String, u32, u32)>,
    out_degrees: Vec<u32>,
    counts: Vec<Counts>,
    spikes: u64,
    events: u64,
    hash: u64,
}

/// The activity of a population during a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PopulationSummary {
    /// Its name.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
    /// Mean rate in Hz.
    pub rate_hz: f64,
    /// Mean coefficient of variation of the interspike intervals, over neurons with at least four spikes; `None` if there are no such
    /// neurons.
    pub cv_isi: Option<f64>,
}

impl Recorder {
    /// A recorder for a network.
    pub fn new(plan: &Plan) -> Recorder {
        Recorder {
            populations: plan.populations.iter().map(|p| (p.name.clone(), p.first, p.size)).collect(),
            out_degrees: plan.out_degrees(),
            counts: vec![Counts::default(); plan.neurons() as usize],
            spikes: 0,
            events: 0,
            hash: 0,
        }
    }

    /// Adds spikes; those of each neuron must be in the order of time.
    pub fn add(&mut self, spikes: &[Spike]) {
        for spike in spikes {
            let counts = &mut self.counts[spike.neuron as usize];
            if counts.spikes > 0 {
                let interval = u64::from(spike.step - counts.last);
                counts.sum += interval;
                counts.squares += interval * interval;
            }
            counts.spikes += 1;
            counts.last = spike.step;
            self.spikes += 1;
            self.events += u64::from(self.out_degrees[spike.neuron as usize]);
            let population = self.populations.partition_point(|(_, first, _)| *first <= spike.neuron) - 1;
            let neuron = spike.neuron - self.populations[population].1;
            self.hash = self.hash.wrapping_add(spike_hash(population as u64, neuron, spike.step.into()));
        }
    }

    /// Number of spikes.
    pub fn spikes(&self) -> u64 {
        self.spikes
    }

    /// The number of spikes of each neuron, by its number in the network.
    pub fn spikes_of_neurons(&self) -> impl ExactSizeIterator<Item = u32> {
        self.counts.iter().map(|counts| counts.spikes)
    }

    /// Number of synaptic events: for each spike, the synapses of its neuron.
    pub fn synaptic_events(&self) -> u64 {
        self.events
    }

    /// A hash of all (population, neuron, step), independent of their order, as 16 hexadecimal digits.
    pub fn spikes_hash(&self) -> String {
        format!("{:016x}", self.hash)
    }

    /// The activity of each population over `time_ms` of biological time.
    pub fn populations(&self, time_ms: f64) -> Vec<PopulationSummary> {
        let summary = |(name, first, size): &(String, u32, u32)| {
            let counts = &self.counts[*first as usize..(*first + *size) as usize];
            let spikes: u64 = counts.iter().map(|counts| u64::from(counts.spikes)).sum();
            let seconds = time_ms / 1000.0;
            let rate_hz = if seconds > 0.0 { spikes as f64 / f64::from(*size) / seconds } else { 0.0 };
            let irregular: Vec<f64> = counts.iter().filter(|counts| counts.spikes >= 4).map(cv).collect();
            let cv_isi = (!irregular.is_empty()).then(|| irregular.iter().sum::<f64>() / irregular.len() as f64);
            PopulationSummary { name: name.clone(), size: *size, rate_hz, cv_isi }
        };
        self.populations.iter().map(summary).collect()
    }
}

/// Coefficient of variation of a neuron's intervals (population standard deviation / mean).
fn cv(counts: &Counts) -> f64 {
    let intervals = f64::from(counts.spikes - 1);
    let mean = counts.sum as f64 / intervals;
    let variance = (counts.squares as f64 / intervals - mean * mean).max(0.0);
    variance.sqrt() / mean
}

/// The hash of one spike. The sum of those of all spikes, modulo 2⁶⁴, does not depend on their order.
pub fn spike_hash(population: u64, neuron: u32, step: u64) -> u64 {
    splitmix64(population ^ splitmix64(u64::from(neuron) ^ splitmix64(step)))
}
