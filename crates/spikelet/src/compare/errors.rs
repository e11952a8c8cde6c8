//! Errors of the recorded variables, step by step.

use std::ops::Range;

use super::comparison::{Counts, TraceError, VariableComparison};
use super::population_of;
use crate::Plan;

/// The times in ms up to which errors are reported.
const TIMES_MS: [f64; 6] = [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0];

/// Errors of all variables.
pub(super) struct Errors {
    variables: Vec<VariableErrors>,
    dt_ms: f64,
}

/// The errors of a variable in its recorded elements.
struct VariableErrors {
    name: String,
    unit: String,
    /// The population whose spikes alone affect it; `None` if others do.
    population: Option<usize>,
    /// Its channels.
    channels: Range<usize>,
    /// The least and the largest value in f64.
    extremes: [f64; 2],
    /// Since the start, and since the first differing spike.
    all: Sum,
    after: Sum,
    /// Up to the first differing spike, or to the end.
    before: Sum,
    times: Vec<TraceError>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    max: f64,
    squares: f64,
    count: u64,
}

impl Sum {
    fn add(&mut self, error: f64) {
        // NaN counts as an infinite error.
        self.max = if error.abs() <= self.max { self.max } else { error.abs() };
        self.squares += error * error;
        self.count += 1;
    }

    fn error(self, until_ms: f64) -> TraceError {
        TraceError { until_ms, max: self.max, rms: (self.squares / self.count.max(1) as f64).sqrt() }
    }
}

impl Errors {
    pub(super) fn new(plan: &Plan) -> Errors {
        let mut variables: Vec<VariableErrors> = Vec::new();
        for (index, channel) in plan.channels.iter().enumerate() {
            let name = channel.label.split_once('[').map_or(channel.label.as_str(), |(name, _)| name);
            match variables.last_mut().filter(|last| last.name == name) {
                Some(last) => last.channels.end = index + 1,
                None => variables.push(VariableErrors {
                    name: name.to_owned(),
                    unit: channel.unit.clone(),
                    population: population_of(plan, channel.sampled),
                    channels: index..index + 1,
                    extremes: [f64::INFINITY, f64::NEG_INFINITY],
                    all: Sum::default(),
                    before: Sum::default(),
                    after: Sum::default(),
                    times: Vec::new(),
                }),
            }
        }
        Errors { variables, dt_ms: plan.dt_ms }
    }

    /// Adds rows of samples of these steps, after their spikes were counted. A row is the state at the start of its step.
    pub(super) fn add(&mut self, counts: &Counts, steps: Range<u32>, single: &[f32], double: &[f64]) {
        let channels = self.variables.last().map_or(0, |last| last.channels.end);
        for (step, (single, double)) in steps.zip(single.chunks(channels.max(1)).zip(double.chunks(channels.max(1)))) {
            let time_ms = f64::from(step) * self.dt_ms;
            for of in &mut self.variables {
                let is_before = counts.first_difference(of.population).is_none_or(|difference| step <= difference);
                for (single, double) in single[of.channels.clone()].iter().zip(&double[of.channels.clone()]) {
                    let error = f64::from(*single) - double;
                    of.extremes = [of.extremes[0].min(*double), of.extremes[1].max(*double)];
                    of.all.add(error);
                    if is_before { of.before.add(error) } else { of.after.add(error) }
                }
                let is_due = |until: &&f64| (time_ms - **until).abs() < self.dt_ms / 2.0;
                of.times.extend(TIMES_MS.iter().find(is_due).map(|until| of.all.error(*until)));
            }
        }
    }

    /// The results, at the end of the run.
    pub(super) fn variables(self, counts: &Counts, end_ms: f64) -> Vec<VariableComparison> {
        let result = |of: VariableErrors| {
            let difference = counts.first_difference(of.population);
            let until = difference.map_or(end_ms, |step| f64::from(step) * self.dt_ms);
            let range = of.extremes[1] - of.extremes[0];
            VariableComparison {
                variable: of.name,
                unit: of.unit,
                range: if range.is_finite() { range } else { 0.0 },
                largest: of.extremes[0].abs().max(of.extremes[1].abs()),
                times: of.times.into_iter().filter(|error| error.until_ms < until).collect(),
                before: of.before.error(until),
                after: difference.map(|_| of.after.error(end_ms)),
            }
        };
        self.variables.into_iter().map(result).collect()
    }
}
