//! The results of a comparison.

use serde::Serialize;

use crate::{Network, Plan, Spike};

/// Variables of a smaller range, in inner units, are at rest at 0: all that changes is their rounding error.
const REST: f64 = 1e-9;

/// A network in f32 and in f64. Pairs are in this order.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The network's name.
    pub network: String,
    /// The compared time, in ms.
    pub time_ms: f64,
    /// The time step in ms.
    pub dt_ms: f64,
    /// Why a run ended before its time: a condition, or an infinite state.
    pub ended: [Option<String>; 2],
    /// The first spike that only one of both has.
    pub first_difference: Option<Difference>,
    /// The populations, and sources that fire.
    pub populations: Vec<PopulationComparison>,
    /// The recorded variables.
    pub variables: Vec<VariableComparison>,
}

/// A spike that only one of both has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The time at the start of its step, in ms.
    pub time_ms: f64,
    /// Its step.
    pub step: u32,
    /// The population.
    pub population: String,
    /// Index of the neuron in the population.
    pub neuron: u32,
    /// The precision that has it: `f32` or `f64`.
    pub only_in: &'static str,
    /// How many steps later this neuron fires in the other one, if it does soon.
    pub steps_later_in_other: Option<u32>,
    /// Number of earlier spikes, which are the same; of all populations, or of its own.
    pub same_spikes: u64,
}

/// A population.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationComparison {
    /// Its name.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
    /// Number of spikes.
    pub spikes: [u64; 2],
    /// Mean rate in Hz.
    pub rate_hz: [f64; 2],
    /// Its first spike that only one of both has.
    pub first_difference: Option<Difference>,
}

/// The error of f32 in a variable, over the recorded neurons or synapses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariableComparison {
    /// The variable, such as `E.v`.
    pub variable: String,
    /// Its unit.
    pub unit: String,
    /// The difference of its largest and least value in f64.
    pub range: f64,
    /// Its largest magnitude in f64.
    pub largest: f64,
    /// The errors from the start up to growing times, before the first differing spike.
    pub times: Vec<TraceError>,
    /// The errors from the start up to the first differing spike, or to the end. If synapses affect the variable, it is the
    /// first one of the network, otherwise that of its population.
    pub before: TraceError,
    /// The errors after it.
    pub after: Option<TraceError>,
}

/// Errors over some time, in the unit of the variable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TraceError {
    /// The end of this time in ms.
    pub until_ms: f64,
    /// The largest one.
    pub max: f64,
    /// The root of the mean square.
    pub rms: f64,
}

impl VariableComparison {
    /// The largest error before the first differing spike, as a part of the range. The range counts as a thousandth of the largest
    /// magnitude at least, so that a variable at rest has no large error; if it is below 1e-9 inner units, there is no error.
    pub fn relative_error(&self) -> f64 {
        let range = self.range.max(self.largest / 1000.0);
        if range > REST { self.before.max / range } else { 0.0 }
    }
}

/// The first spike of a population that only one of both has.
#[derive(Clone, Copy)]
struct FirstSpike {
    spike: Spike,
    /// Which of both has it: 0 or 1.
    only: usize,
    /// How many steps later its neuron fires in the other one.
    later: Option<u32>,
    /// The number of earlier spikes of the population, and of all.
    earlier: [u64; 2],
}

/// Spikes of both runs as they are counted.
pub(super) struct Counts {
    /// By population.
    spikes: Vec<[u64; 2]>,
    /// The first difference of each population.
    first: Vec<Option<FirstSpike>>,
    populations: Vec<(u32, u32)>,
}

impl Counts {
    pub(super) fn new(plan: &Plan) -> Counts {
        let populations: Vec<(u32, u32)> = plan.populations.iter().map(|of| (of.first, of.size)).collect();
        Counts { spikes: vec![[0; 2]; populations.len()], first: vec![None; populations.len()], populations }
    }

    fn population(&self, neuron: u32) -> usize {
        self.populations.partition_point(|(first, _)| *first <= neuron) - 1
    }

    /// Adds the spikes of both in the next steps, by step, then neuron.
    pub(super) fn add(&mut self, spikes: [&[Spike]; 2]) {
        let [single, double] = spikes;
        let [mut at, mut other] = [0, 0];
        // Merges both; a spike that is next in only one of them is a difference.
        while at < single.len() || other < double.len() {
            let (one, two) = (single.get(at), double.get(other));
            let (spike, only) = match (one, two) {
                (Some(one), Some(two)) if one == two => (*one, None),
                (Some(one), Some(two)) if one < two => (*one, Some(0)),
                (Some(one), None) => (*one, Some(0)),
                (_, Some(two)) => (*two, Some(1)),
                (None, None) => break,
            };
            let population = self.population(spike.neuron);
            if let Some(only) = only
                && self.first[population].is_none()
            {
                let rest = if only == 0 { &double[other..] } else { &single[at..] };
                let later = rest.iter().find(|later| later.neuron == spike.neuron).map(|later| later.step - spike.step);
                let all = self.spikes.iter().map(|counts| counts[only]).sum();
                self.first[population] = Some(FirstSpike { spike, only, later, earlier: [self.spikes[population][only], all] });
            }
            if only != Some(1) {
                self.spikes[population][0] += 1;
                at += 1;
            }
            if only != Some(0) {
                self.spikes[population][1] += 1;
                other += 1;
            }
        }
    }

    /// The step of the first difference of a population, or of all.
    pub(super) fn first_difference(&self, population: Option<usize>) -> Option<u32> {
        match population {
            Some(population) => self.first[population].map(|first| first.spike.step),
            None => self.first.iter().flatten().map(|first| first.spike.step).min(),
        }
    }

    fn difference(&self, plan: &Plan, population: usize, of_all: bool) -> Option<Difference> {
        let FirstSpike { spike, only, later, earlier: [own, all] } = self.first[population]?;
        let of = &plan.populations[population];
        Some(Difference {
            time_ms: f64::from(spike.step) * plan.dt_ms,
            step: spike.step,
            population: of.name.clone(),
            neuron: spike.neuron - of.first,
            only_in: ["f32", "f64"][only],
            steps_later_in_other: later,
            same_spikes: if of_all { all } else { own },
        })
    }
}

impl Comparison {
    pub(super) fn new(
        network: &Network,
        plan: &Plan,
        steps: u32,
        ended: [Option<String>; 2],
        counts: &Counts,
        variables: Vec<VariableComparison>,
    ) -> Comparison {
        let time_ms = f64::from(steps) * plan.dt_ms;
        let population = |(index, of): (usize, &crate::PopulationPlan)| PopulationComparison {
            name: of.name.clone(),
            size: of.size,
            spikes: counts.spikes[index],
            rate_hz: counts.spikes[index]
                .map(|spikes| spikes as f64 / f64::from(of.size) / (time_ms / 1000.0).max(f64::MIN_POSITIVE)),
            first_difference: counts.difference(plan, index, false),
        };
        let first = (0..counts.first.len()).filter_map(|index| Some((counts.first[index]?.spike, index))).min();
        Comparison {
            network: network.name.clone(),
            time_ms,
            dt_ms: plan.dt_ms,
            ended,
            first_difference: first.and_then(|(_, index)| counts.difference(plan, index, true)),
            populations: plan.populations.iter().enumerate().map(population).collect(),
            variables,
        }
    }

    /// The number of spikes of all populations.
    pub fn spikes(&self) -> [u64; 2] {
        [0, 1].map(|precision| self.populations.iter().map(|of| of.spikes[precision]).sum())
    }

    /// The variable with the largest error relative to its range, before the first differing spike.
    pub fn largest_error(&self) -> Option<&VariableComparison> {
        self.variables.iter().max_by(|one, other| one.relative_error().total_cmp(&other.relative_error()))
    }

    /// One sentence.
    pub fn judgement(&self) -> String {
        let error = self.largest_error().map_or(String::new(), |of| {
            format!("; the largest error before is {:.1e} of the range of {}", of.relative_error(), of.variable)
        });
        let [single, double] = self.spikes();
        match &self.first_difference {
            None => {
                let error = error.replace("error before", "error");
                format!("f32 and f64 have the same spikes ({double}) in {} ms{error}", round(self.time_ms))
            }
            Some(Difference { time_ms, population, neuron, only_in, steps_later_in_other, same_spikes, .. }) => {
                let other = if *only_in == "f32" { "f64" } else { "f32" };
                let later = match steps_later_in_other {
                    Some(1) => format!(", in {other} one step later"),
                    Some(steps) => format!(", in {other} {steps} steps later"),
                    None => format!(", in {other} not soon after"),
                };
                format!(
                    "f32 and f64 have the same spikes ({same_spikes}) until {} ms, when neuron {neuron} of {population} fires in \
                     {only_in}{later}{error}; in all {single} spikes in f32 and {double} in f64",
                    round(*time_ms)
                )
            }
        }
    }
}

/// A time without the noise of its last digits.
fn round(time_ms: f64) -> f64 {
    (time_ms * 1e6).round() / 1e6
}
