//! What happened in a population during a trial.

use spikelet_lang::gradient::GradientLayout;

use crate::{Reading, Readout};

/// A population, step by step.
pub(super) struct Trace {
    pub(super) size: usize,
    pub(super) arrays: usize,
    /// The arrays before each step and after the last one: `[step][array][neuron]`.
    pub(super) states: Vec<Vec<f64>>,
    /// The input of each step: `[step][port][neuron]`.
    pub(super) inputs: Vec<Vec<f64>>,
    /// The step of the last spike before each step.
    pub(super) last_spikes: Vec<Vec<i32>>,
    /// Spike values of each step.
    pub(super) spikes: Vec<Vec<f64>>,
    /// `[step][observed][neuron]`
    pub(super) observed: Vec<Vec<f64>>,
    pub(super) tables: Vec<f64>,
    pub(super) dt: f64,
}

impl Trace {
    /// What a readout reads of a trial.
    pub(super) fn read(&self, of: &Readout) -> Vec<f64> {
        let (steps, dt) = (self.spikes.len(), self.dt);
        let units = 0..self.size;
        let series = |unit: usize| (0..steps).map(move |step| self.value(of, step, unit));
        match of.reading {
            Reading::Spikes | Reading::Trace => {
                (0..steps).flat_map(|step| units.clone().map(move |unit| self.value(of, step, unit))).collect()
            }
            Reading::Count => units.map(|unit| series(unit).sum()).collect(),
            Reading::Mean => units.map(|unit| series(unit).sum::<f64>() / steps as f64).collect(),
            Reading::Last => units.map(|unit| self.value(of, steps - 1, unit)).collect(),
            Reading::Max => units.map(|unit| series(unit).fold(f64::NEG_INFINITY, f64::max)).collect(),
            Reading::FirstSpike => {
                let time = |unit| self.first_spike(unit).map_or(f64::INFINITY, |step| step as f64 * dt);
                units.map(time).collect()
            }
        }
    }

    /// The adjoint that the loss has of what is read in a step; `adjoints` are those of the trial.
    pub(super) fn adjoint(&self, of: &Readout, adjoints: &[f64], step: usize, unit: usize) -> f64 {
        let steps = self.spikes.len();
        match of.reading {
            Reading::Spikes | Reading::Trace => adjoints[step * self.size + unit],
            Reading::Count => adjoints[unit],
            Reading::Mean => adjoints[unit] / steps as f64,
            Reading::Last if step + 1 == steps => adjoints[unit],
            Reading::Max => {
                let series = (0..steps).map(|step| self.value(of, step, unit)).enumerate();
                let first = series.fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
                if first.0 == step { adjoints[unit] } else { 0.0 }
            }
            Reading::FirstSpike if self.first_spike(unit) == Some(step) => -self.dt * adjoints[unit],
            Reading::Last | Reading::FirstSpike => 0.0,
        }
    }

    /// An array that a code reads before a step.
    pub(super) fn before(&self, layout: &GradientLayout, array: usize, step: u32, neuron: usize) -> f64 {
        if array < self.arrays {
            return self.states[step as usize][array * self.size + neuron];
        }
        let is_spike = array == layout.spike();
        step.checked_sub(1).filter(|_| is_spike).map_or(0.0, |before| self.spikes[before as usize][neuron])
    }

    /// What a readout reads in a step.
    fn value(&self, of: &Readout, step: usize, unit: usize) -> f64 {
        match of.observed {
            Some(observed) => self.observed[step][observed * self.size + unit],
            None => self.spikes[step][unit],
        }
    }

    fn first_spike(&self, unit: usize) -> Option<usize> {
        (0..self.spikes.len()).find(|step| self.last_spikes[step + 1][unit] == *step as i32)
    }
}
