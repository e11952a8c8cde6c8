//! What a device is given, and what a loss reads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Event;

/// Samples that are simulated together, as trials of the same network.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The input of each trial, by time.
    pub inputs: Vec<Arc<[Event]>>,
    /// The number of the first trial, for the counters of noise; the others follow.
    pub first_trial: u32,
}

/// What a loss reads of a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The number of spikes of each neuron.
    Count,
    /// The time of the first spike of each neuron in ms; infinite if there is none.
    FirstSpike,
    /// The spikes of each neuron in each step, 1 or 0.
    Spikes,
    /// The largest value of a variable; of equal ones the first.
    Max,
    /// Its mean over all steps.
    Mean,
    /// Its value in the last step.
    Last,
    /// Its value in each step.
    Trace,
}

impl Reading {
    /// Whether it reads a variable.
    pub fn reads_variable(self) -> bool {
        matches!(self, Reading::Max | Reading::Mean | Reading::Last | Reading::Trace)
    }

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Reading::Count => "count",
            Reading::FirstSpike => "first_spike",
            Reading::Spikes => "spikes",
            Reading::Max => "max",
            Reading::Mean => "mean",
            Reading::Last => "last",
            Reading::Trace => "trace",
        }
    }

    /// Whether it has a number for each step.
    pub fn is_by_step(self) -> bool {
        matches!(self, Reading::Spikes | Reading::Trace)
    }
}

/// A population and what is read of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readout {
    /// Index of the population in the plan.
    pub population: usize,
    /// For a variable: its index in [`GradientLayout::observed`](spikelet_lang::gradient::GradientLayout::observed).
    pub observed: Option<usize>,
    /// What is read.
    pub reading: Reading,
}

/// The numbers that were read, or their adjoints: for each [`Readout`] of the plan `[trial][unit]`, or `[trial][step][unit]` if it is
/// [by step](Reading::is_by_step). Variables are in inner units, before the update of a step, as recordings have them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readings(pub Vec<Vec<f32>>);
