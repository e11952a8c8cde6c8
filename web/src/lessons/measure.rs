//! Measures of spikes over a span of time, computed as the spikes arrive, with memory that does not grow with their number.

use std::{collections::VecDeque, ops::Range};

use serde::{Deserialize, Serialize};

/// Spikes of a volley are at most this far apart, in ms.
const VOLLEY_MS: f64 = 2.0;
/// Fewer spikes of a neuron give no coefficient of variation.
const MIN_SPIKES: u32 = 4;
/// The weakest correlation that is called a rhythm.
const WEAKEST_RHYTHM: f64 = 0.1;

/// The periods of a rhythm that are searched without others, and the width of bins, in ms.
const PERIODS_MS: [f64; 3] = [10.0, 50.0, 1.0];

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quantity {
    /// Mean rate of the neurons, in Hz.
    Rate,
    /// The largest of the mean rates of several populations, in Hz.
    HighestRate,
    /// Mean coefficient of variation of the interspike intervals, over neurons with at least four spikes.
    Cv,
    /// Frequency of the population's rhythm in Hz: the delay, within given limits, at which counts of spikes correlate best with
    /// themselves.
    Frequency,
    /// Number of spikes.
    Spikes,
    /// Share of the neurons that fired, in percent.
    Active,
    /// The largest number of spikes within 2 ms.
    Volley,
    /// Time of the first spike after the start of the span, in ms.
    FirstSpike,
    /// Share of the spikes whose neuron also fired in the step before, in percent.
    Stays,
    /// Of the neurons that fired in the last fifth of the span, the share that also fired in the first fifth, in percent.
    Shared,
    /// Mean of the synaptic variable that the network summarises.
    MeanWeight,
    /// Standard deviation of it.
    WeightSpread,
}

impl Quantity {
    /// Its unit; empty for pure numbers.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Quantity::Rate | Quantity::HighestRate | Quantity::Frequency => "Hz",
            Quantity::FirstSpike => "ms",
            Quantity::Active | Quantity::Stays | Quantity::Shared => "%",
            Quantity::Cv | Quantity::Spikes | Quantity::Volley | Quantity::MeanWeight | Quantity::WeightSpread => "",
        }
    }

    /// Its name, in lower case.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Quantity::Rate => "mean rate",
            Quantity::HighestRate => "higher rate",
            Quantity::Cv => "CV of intervals",
            Quantity::Frequency => "rhythm",
            Quantity::Spikes => "spikes",
            Quantity::Active => "active neurons",
            Quantity::Volley => "largest volley",
            Quantity::FirstSpike => "first spike after",
            Quantity::Stays => "winners that stay",
            Quantity::Shared => "shared neurons",
            Quantity::MeanWeight => "mean weight",
            Quantity::WeightSpread => "spread of weights",
        }
    }

    /// Whether it is read from the statistics of synapses instead of spikes.
    pub(crate) fn is_of_weights(self) -> bool {
        matches!(self, Quantity::MeanWeight | Quantity::WeightSpread)
    }
}

/// A measure of a population, as a lesson states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measure {
    /// What is measured.
    pub(crate) quantity: Quantity,
    /// Name of the population; several, separated by spaces, for the highest rate; a projection for weights.
    pub(crate) of: String,
    /// The measured neurons of the population, from the first to before the last; all without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) neurons: Option<[u32; 2]>,
    /// The shortest and the longest period of a rhythm, and the width of the bins, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) periods_ms: Option<[f64; 3]>,
}

/// A measurement over a span of steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gauge {
    quantity: Quantity,
    /// Numbers of the measured neurons in the network, a range for each population.
    neurons: Vec<Range<u32>>,
    span: Range<u32>,
    dt_ms: f64,
    collected: Collected,
    /// The last mean and standard deviation of weights, and whether those of the end of the span are known.
    weights: Option<[f64; 2]>,
    has_last_weights: bool,
}

/// What a gauge stores of the spikes.
#[derive(Debug, Clone, PartialEq)]
enum Collected {
    /// Spikes of each range.
    Counts(Vec<u64>),
    /// Intervals of each neuron.
    Intervals(Vec<Intervals>),
    /// Counts in bins, with the shortest and the longest period as numbers of bins.
    Bins { steps: f64, counts: Vec<u32>, periods: Range<usize> },
    /// Which neurons fired.
    Active(Vec<bool>),
    /// The latest steps with spikes, and the most of them so far.
    Volley { latest: VecDeque<u32>, most: usize },
    /// The first step with a spike.
    First(Option<u32>),
    /// The step at which each neuron fired last, spikes since the second step, and those that repeat one of the step before.
    Repeats { last: Vec<Option<u32>>, spikes: u64, repeated: u64 },
    /// Which neurons fired in the first and in the last fifth.
    Fifths { first: Vec<bool>, last: Vec<bool> },
    /// Nothing: weights are measured by the engine.
    Nothing,
}

/// Spikes of a neuron, and sums over its intervals in steps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Intervals {
    spikes: u32,
    last: u32,
    sum: u64,
    squares: u64,
}

impl Gauge {
    /// A measurement over a span of steps; `None` if there is no such population, or it lacks these neurons. `populations` are those of
    /// the network, with the numbers of their neurons.
    pub(crate) fn of(measure: &Measure, populations: &[(String, Range<u32>)], span: Range<u32>, dt_ms: f64) -> Option<Gauge> {
        let find = |name: &str| populations.iter().find(|(of, _)| of == name).map(|(_, neurons)| neurons.clone());
        let within = |neurons: Range<u32>| match measure.neurons {
            Some([from, to]) if from < to && neurons.start + to <= neurons.end => Some(neurons.start + from..neurons.start + to),
            Some(_) => None,
            None => Some(neurons),
        };
        let neurons: Option<Vec<_>> = if measure.quantity.is_of_weights() {
            Some(Vec::new())
        } else {
            measure.of.split_whitespace().map(|name| within(find(name)?)).collect()
        };
        Some(Gauge::new(measure.quantity, neurons?, span, dt_ms, measure.periods_ms.unwrap_or(PERIODS_MS)))
    }

    /// A measurement of neurons from the first step of a span to before its end. `periods_ms` as in [`Measure::periods_ms`].
    pub(crate) fn new(quantity: Quantity, neurons: Vec<Range<u32>>, span: Range<u32>, dt_ms: f64, periods_ms: [f64; 3]) -> Gauge {
        let size: usize = neurons.iter().map(ExactSizeIterator::len).sum();
        let collected = match quantity {
            Quantity::Rate | Quantity::HighestRate | Quantity::Spikes => Collected::Counts(vec![0; neurons.len()]),
            Quantity::Cv => Collected::Intervals(vec![Intervals::default(); size]),
            Quantity::Frequency => {
                let [shortest, longest, width] = periods_ms;
                let steps = (width / dt_ms).max(1.0).round();
                let bins = |ms: f64| (ms / dt_ms / steps).round() as usize;
                let counts = vec![0; (span.len() as f64 / steps) as usize];
                Collected::Bins { steps, counts, periods: bins(shortest).max(1)..bins(longest) + 1 }
            }
            Quantity::Active => Collected::Active(vec![false; size]),
            Quantity::Volley => Collected::Volley { latest: VecDeque::new(), most: 0 },
            Quantity::FirstSpike => Collected::First(None),
            Quantity::Stays => Collected::Repeats { last: vec![None; size], spikes: 0, repeated: 0 },
            Quantity::Shared => Collected::Fifths { first: vec![false; size], last: vec![false; size] },
            Quantity::MeanWeight | Quantity::WeightSpread => Collected::Nothing,
        };
        Gauge { quantity, neurons, span, dt_ms, collected, weights: None, has_last_weights: false }
    }

    /// Adds a spike; spikes are in the order of steps.
    pub(crate) fn add(&mut self, neuron: u32, step: u32) {
        if !self.span.contains(&step) {
            return;
        }
        let mut first = 0;
        let found = self.neurons.iter().enumerate().find_map(|(range, neurons)| {
            let place = neurons.contains(&neuron).then(|| (range, first + (neuron - neurons.start) as usize));
            first += neurons.len();
            place
        });
        let Some((range, place)) = found else { return };
        match &mut self.collected {
            Collected::Counts(counts) => counts[range] += 1,
            Collected::Intervals(all) => all[place].add(step),
            Collected::Bins { steps, counts, .. } => {
                let bin = (f64::from(step - self.span.start) / *steps) as usize;
                if let Some(count) = counts.get_mut(bin) {
                    *count += 1;
                }
            }
            Collected::Active(fired) => fired[place] = true,
            Collected::Volley { latest, most } => {
                latest.push_back(step);
                let within = (VOLLEY_MS / self.dt_ms).round() as u32;
                while latest.front().is_some_and(|first| step - first >= within) {
                    latest.pop_front();
                }
                *most = (*most).max(latest.len());
            }
            Collected::First(first) => *first = first.or(Some(step)),
            Collected::Repeats { last, spikes, repeated } => {
                if step > self.span.start {
                    *spikes += 1;
                    *repeated += u64::from(last[place].is_some_and(|last| last + 1 == step));
                }
                last[place] = Some(step);
            }
            Collected::Fifths { first, last } => match 5 * u64::from(step - self.span.start) / self.span.len() as u64 {
                0 => first[place] = true,
                4 => last[place] = true,
                _ => {}
            },
            Collected::Nothing => {}
        }
    }

    /// The mean and the standard deviation of the weights at a step.
    pub(crate) fn add_weights(&mut self, step: u32, moments: [f64; 2]) {
        if step >= self.span.start && step <= self.span.end {
            self.weights = Some(moments);
        }
        self.has_last_weights |= step >= self.span.end;
    }

    /// Whether everything in the span is known when all spikes before step `now` are. Weights follow the spikes.
    pub(crate) fn is_complete(&self, now: u32) -> bool {
        if self.quantity.is_of_weights() { self.has_last_weights } else { self.span.end <= now }
    }

    /// The value over the whole span; `None` if the spikes do not define it.
    pub(crate) fn value(&self) -> Option<f64> {
        let span_ms = self.span.len() as f64 * self.dt_ms;
        match &self.collected {
            Collected::Counts(counts) if self.quantity == Quantity::Spikes => Some(counts.iter().sum::<u64>() as f64),
            Collected::Counts(counts) => {
                let rate = |(count, neurons): (&u64, &Range<u32>)| *count as f64 / neurons.len() as f64 / span_ms * 1000.0;
                counts.iter().zip(&self.neurons).map(rate).reduce(f64::max)
            }
            Collected::Intervals(all) => {
                let enough = all.iter().filter(|of| of.spikes >= MIN_SPIKES).map(Intervals::cv);
                let (count, sum) = enough.fold((0, 0.0), |(count, sum), cv| (count + 1, sum + cv));
                (count > 0).then(|| sum / f64::from(count))
            }
            Collected::Bins { steps, counts, periods } => {
                let (period, strength) = rhythm(counts, periods.clone())?;
                (strength >= WEAKEST_RHYTHM).then(|| 1000.0 / (period as f64 * steps * self.dt_ms))
            }
            Collected::Active(fired) => {
                Some(100.0 * fired.iter().filter(|fired| **fired).count() as f64 / fired.len().max(1) as f64)
            }
            Collected::Volley { most, .. } => Some(*most as f64),
            Collected::First(first) => first.map(|first| f64::from(first - self.span.start) * self.dt_ms),
            Collected::Repeats { spikes, repeated, .. } => (*spikes > 0).then(|| 100.0 * *repeated as f64 / *spikes as f64),
            Collected::Fifths { first, last } => {
                let fired = last.iter().filter(|fired| **fired).count();
                let both = first.iter().zip(last).filter(|(first, last)| **first && **last).count();
                (fired > 0).then(|| 100.0 * both as f64 / fired as f64)
            }
            Collected::Nothing => self.weights.map(|[mean, sd]| if self.quantity == Quantity::MeanWeight { mean } else { sd }),
        }
    }
}

impl Intervals {
    fn add(&mut self, step: u32) {
        if self.spikes > 0 {
            let interval = u64::from(step - self.last);
            self.sum += interval;
            self.squares += interval * interval;
        }
        self.spikes += 1;
        self.last = step;
    }

    /// Standard deviation ÷ mean of the intervals.
    fn cv(&self) -> f64 {
        let intervals = f64::from(self.spikes - 1);
        let mean = self.sum as f64 / intervals;
        (self.squares as f64 / intervals - mean * mean).max(0.0).sqrt() / mean
    }
}

/// The number of bins after which counts correlate best with themselves, and this correlation.
fn rhythm(counts: &[u32], periods: Range<usize>) -> Option<(usize, f64)> {
    let mean = counts.iter().copied().map(f64::from).sum::<f64>() / counts.len().max(1) as f64;
    let deviations: Vec<f64> = counts.iter().map(|count| f64::from(*count) - mean).collect();
    let product = |lag: usize| deviations.iter().zip(&deviations[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let all = product(0);
    if all == 0.0 {
        return None;
    }
    let lags = periods.filter(|lag| *lag < deviations.len());
    lags.map(|lag| (lag, product(lag) / all)).max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one population")]
mod tests {
    use super::*;

    fn measured(quantity: Quantity, neurons: &[Range<u32>], span: Range<u32>, spikes: &[(u32, u32)]) -> Option<f64> {
        let mut gauge = Gauge::new(quantity, neurons.to_vec(), span, 0.5, [5.0, 60.0, 1.0]);
        spikes.iter().for_each(|(neuron, step)| gauge.add(*neuron, *step));
        gauge.value()
    }

    /// Neuron 3 fires every 20 steps, neuron 4 twice; steps of 0.5 ms.
    fn spikes() -> Vec<(u32, u32)> {
        let mut spikes: Vec<(u32, u32)> = (0..20).map(|k| (3, 20 * k)).chain([(4, 40), (4, 41)]).collect();
        spikes.sort_by_key(|(_, step)| *step);
        spikes
    }

    #[test]
    fn rates_count_neurons_and_time() {
        // 20 + 2 spikes of two neurons in 200 ms.
        assert_eq!(measured(Quantity::Rate, &[3..5], 0..400, &spikes()), Some(55.0));
        // Only what is in the span, and in the range.
        assert_eq!(measured(Quantity::Rate, &[3..4], 100..300, &spikes()), Some(100.0));
        assert_eq!(measured(Quantity::Rate, &[0..3], 0..400, &spikes()), Some(0.0));
        assert_eq!(measured(Quantity::HighestRate, &[3..4, 4..5], 0..400, &spikes()), Some(100.0));
        assert_eq!(measured(Quantity::Spikes, &[0..5], 0..42, &spikes()), Some(5.0));
    }

    #[test]
    fn regular_intervals_do_not_vary() {
        assert_eq!(measured(Quantity::Cv, &[0..5], 0..400, &spikes()), Some(0.0));
        assert_eq!(measured(Quantity::Cv, &[4..5], 0..400, &spikes()), None, "two spikes have one interval");
        // Intervals 1, 1, 4: mean 2, deviation √2.
        let cv = measured(Quantity::Cv, &[0..1], 0..400, &[(0, 0), (0, 1), (0, 2), (0, 6)]).unwrap();
        assert!((cv - 2f64.sqrt() / 2.0).abs() < 1e-12, "{cv}");
    }

    #[test]
    fn a_rhythm_has_the_frequency_of_its_volleys() {
        // Volleys of three neurons every 25 ms for 1 s.
        let volleys: Vec<(u32, u32)> = (0..40).flat_map(|k| (0..3).map(move |neuron| (neuron, 50 * k))).collect();
        assert_eq!(measured(Quantity::Frequency, &[0..3], 0..2000, &volleys), Some(40.0));
        assert_eq!(measured(Quantity::Frequency, &[0..3], 0..2000, &[]), None);
        assert_eq!(measured(Quantity::Frequency, &[0..3], 0..2000, &[(0, 700)]), None, "a single spike is no rhythm");
    }

    #[test]
    fn volleys_first_spikes_and_repeats() {
        assert_eq!(measured(Quantity::Volley, &[0..5], 0..400, &[(0, 0), (1, 3), (2, 4), (3, 6), (4, 30)]), Some(3.0));
        assert_eq!(measured(Quantity::FirstSpike, &[4..5], 20..400, &spikes()), Some(10.0));
        assert_eq!(measured(Quantity::FirstSpike, &[0..2], 20..400, &spikes()), None);
        assert_eq!(measured(Quantity::Active, &[0..5], 0..400, &spikes()), Some(40.0));
        // Of the spikes after the first step, those of neuron 0 repeat.
        let winners = [(0, 0), (1, 0), (0, 1), (2, 1), (0, 2), (3, 2)];
        assert_eq!(measured(Quantity::Stays, &[0..5], 0..10, &winners), Some(50.0));
        // Neurons 0 and 1 at first, 1, 2, 3 and 4 at last.
        let fifths = [(0, 0), (1, 1), (2, 5), (1, 8), (2, 8), (3, 9), (4, 9)];
        assert_eq!(measured(Quantity::Shared, &[0..5], 0..10, &fifths), Some(25.0));
    }

    #[test]
    fn weights_are_those_of_the_span() {
        let mut gauge = Gauge::new(Quantity::WeightSpread, Vec::new(), 10..20, 0.5, [0.0; 3]);
        assert_eq!(gauge.value(), None);
        for (step, sd, is_complete) in [(5, 1.0, false), (15, 2.0, false), (20, 0.25, true), (21, 3.0, true)] {
            gauge.add_weights(step, [0.5, sd]);
            assert_eq!(gauge.is_complete(30), is_complete, "{step}");
        }
        assert_eq!(gauge.value(), Some(0.25));
    }
}
