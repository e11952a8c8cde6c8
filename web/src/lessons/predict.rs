//! What the learner expects before a step runs: one of some choices, or a curve that is drawn.

use std::ops::Range;

use serde::Deserialize;

/// A question before a step runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prediction {
    /// The question.
    pub(crate) question: String,
    /// How it is answered.
    #[serde(flatten)]
    pub(crate) how: How,
}

/// How a prediction is made.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum How {
    /// One of these: the first measure of the step decides.
    Choices(Vec<Choice>),
    /// A curve of the rate of each neuron.
    Draw(Axes),
}

/// A possible result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    /// The text.
    pub(crate) text: String,
    /// The measured values that it stands for, from the first to before the second; `null` for no limit.
    pub(crate) range: [Option<f64>; 2],
}

/// The axes of a curve: the rate of the neurons of a population, which differ by a value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axes {
    /// The population.
    pub(crate) of: String,
    /// The name of the horizontal axis, with its unit.
    pub(crate) x: String,
    /// The values of the first and of the last neuron.
    pub(crate) range: [f64; 2],
    /// The name of the vertical axis, with its unit: Hz.
    pub(crate) y: String,
    /// Its largest value.
    pub(crate) most: f64,
    /// How many points are drawn.
    pub(crate) points: usize,
}

/// What the learner expects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Guess {
    /// The learner wants to see it without a guess.
    Skipped,
    /// A choice, by its place.
    Choice(usize),
    /// The values of the points of a curve.
    Curve(Vec<f64>),
}

impl Choice {
    /// Whether a measured value is what this choice stands for.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let [low, high] = self.range;
        low.is_none_or(|low| value >= low) && high.is_none_or(|high| value < high)
    }
}

impl Axes {
    /// The horizontal value of a point that is drawn.
    pub(crate) fn at(&self, point: usize) -> f64 {
        let [from, to] = self.range;
        from + (to - from) * point as f64 / self.points.saturating_sub(1).max(1) as f64
    }

    /// The curve that is drawn at the horizontal value of each of some neurons, between its points.
    pub(crate) fn between(&self, drawn: &[f64], neurons: usize) -> Vec<f64> {
        let Some(last) = drawn.len().checked_sub(1) else { return Vec::new() };
        let value = |neuron: usize| {
            let place = neuron as f64 / neurons.saturating_sub(1).max(1) as f64 * last as f64;
            let before = (place as usize).min(last);
            let after = (before + 1).min(last);
            drawn[before] + (drawn[after] - drawn[before]) * (place - before as f64)
        };
        (0..neurons).map(value).collect()
    }

    /// How far a curve that is drawn is from the measured rates, on average.
    pub(crate) fn distance(&self, drawn: &[f64], rates: &[f64]) -> f64 {
        let differences = self.between(drawn, rates.len()).into_iter().zip(rates).map(|(drawn, rate)| (drawn - rate).abs());
        differences.sum::<f64>() / rates.len().max(1) as f64
    }
}

/// Spikes of each neuron of a population, for its curve of rates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    neurons: Range<u32>,
    spikes: Vec<u32>,
    steps: u32,
}

impl Counts {
    /// None yet.
    pub(crate) fn of(neurons: Range<u32>) -> Counts {
        Counts { spikes: vec![0; neurons.len()], neurons, steps: 0 }
    }

    /// Adds a spike.
    pub(crate) fn add(&mut self, neuron: u32) {
        if self.neurons.contains(&neuron) {
            self.spikes[(neuron - self.neurons.start) as usize] += 1;
        }
    }

    /// Adds time, in steps.
    pub(crate) fn pass(&mut self, steps: u32) {
        self.steps += steps;
    }

    /// The rate of each neuron in Hz.
    pub(crate) fn rates(&self, dt_ms: f64) -> Vec<f64> {
        let seconds = f64::from(self.steps.max(1)) * dt_ms / 1000.0;
        self.spikes.iter().map(|spikes| f64::from(*spikes) / seconds).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes() -> Axes {
        Axes { of: "cells".into(), x: "I in pA".into(), range: [0.0, 40.0], y: "rate in Hz".into(), most: 100.0, points: 3 }
    }

    #[test]
    fn a_curve_is_compared_between_its_points() {
        let axes = axes();
        assert_eq!([0, 1, 2].map(|point| axes.at(point)), [0.0, 20.0, 40.0]);
        assert_eq!(axes.between(&[0.0, 0.0, 100.0], 5), [0.0, 0.0, 0.0, 50.0, 100.0]);
        assert_eq!(axes.distance(&[0.0, 0.0, 100.0], &[0.0, 0.0, 10.0, 40.0, 100.0]), 4.0);
        assert_eq!((axes.between(&[], 5), axes.between(&[7.0], 2)), (vec![], vec![7.0, 7.0]));
        assert_eq!(axes.distance(&[0.0; 3], &[]), 0.0);
    }

    #[test]
    fn rates_count_each_neuron_of_the_population() {
        let mut counts = Counts::of(10..13);
        [9, 10, 12, 12, 13].into_iter().for_each(|neuron| counts.add(neuron));
        counts.pass(400);
        assert_eq!(counts.rates(0.5), [5.0, 0.0, 10.0]);
    }

    #[test]
    fn a_prediction_is_one_of_two_kinds() {
        let choices: Prediction =
            serde_json::from_str(r#"{"question": "?", "choices": [{"text": "few", "range": [null, 3]}]}"#).unwrap();
        let How::Choices(choices) = choices.how else { panic!("{choices:?}") };
        assert_eq!([2.9, 3.0].map(|value| choices[0].holds(value)), [true, false]);
        assert!(serde_json::from_str::<Prediction>(r#"{"question": "?"}"#).is_err());
        assert!(serde_json::from_str::<Prediction>(r#"{"question": "?", "choices": [], "other": 1}"#).is_err());
    }
}
