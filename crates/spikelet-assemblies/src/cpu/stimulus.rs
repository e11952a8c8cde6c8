//! The input of an area from a stimulus.

use super::newcomers;
use super::rule::Rule;
use crate::weights::{ONE, Weights};

/// The input from a stimulus. All its neurons fire together, so that all their synapses onto a neuron have learned equally often, and one
/// number for each neuron is sufficient.
pub(super) struct StimulusInput {
    size: u32,
    rule: Rule,
    /// For each neuron, the number of synapses.
    lines: Vec<u32>,
    /// For each neuron, the number of updates.
    updates: Vec<u16>,
    /// Their product, in units.
    input: Vec<u32>,
}

impl StimulusInput {
    /// The input from a stimulus of this size, onto neurons that are not known yet.
    pub(super) fn new(size: u32, rule: Rule) -> StimulusInput {
        StimulusInput { size, rule, lines: Vec::new(), updates: Vec::new(), input: Vec::new() }
    }

    pub(super) fn has_learned(&self) -> bool {
        self.updates.iter().any(|updates| *updates > 0)
    }

    /// Adds it to the sums of the neurons `first` … .
    pub(super) fn add(&self, first: u32, sums: &mut [u32]) {
        let input = &self.input[first as usize..][..sums.len()];
        sums.iter_mut().zip(input).for_each(|(sum, input)| *sum = sum.saturating_add(*input));
    }

    pub(super) fn learn(&mut self, weights: &Weights, winners: &[u32], gains: &mut Vec<(u32, u32)>) {
        for winner in winners {
            let neuron = *winner as usize;
            let (updates, before) = (weights.after(self.updates[neuron]), self.input[neuron]);
            self.updates[neuron] = updates;
            // A larger sum is reported when it is used.
            let input = u64::from(self.lines[neuron]) * u64::from(weights.units(updates));
            self.input[neuron] = u32::try_from(input).unwrap_or(u32::MAX);
            gains.push((*winner, self.input[neuron] - before));
        }
    }

    /// Draws the number of synapses onto neurons that have none yet.
    pub(super) fn draw(&mut self, known: u32) {
        let first = self.lines.len() as u32;
        if first >= known {
            return;
        }
        self.lines.resize(known as usize, 0);
        match &self.rule {
            Rule::Rows(rule) => {
                let lines = &mut self.lines;
                (0..self.size).for_each(|pre| rule.for_each(pre, &(0..known), |edge| lines[edge.post as usize] += 1));
            }
            Rule::Lazy { seed, fibre, gaps } => {
                for neuron in first..known {
                    self.lines[neuron as usize] = newcomers::lines(*seed, *fibre, neuron, self.size, gaps.p);
                }
            }
        }
        self.extend_to(known);
    }

    /// A synapse onto a newcomer.
    pub(super) fn add_line(&mut self, newcomer: u32) {
        let count = self.lines.len().max(newcomer as usize + 1);
        self.lines.resize(count, 0);
        self.lines[newcomer as usize] += 1;
    }

    /// No other synapses onto the first `known` neurons.
    pub(super) fn extend_to(&mut self, known: u32) {
        let first = self.input.len();
        self.lines.resize(known as usize, 0);
        self.updates.resize(known as usize, 0);
        self.input.extend(self.lines[first..].iter().map(|lines| lines * ONE));
    }

    /// Sets all weights back to 1.
    pub(super) fn forget(&mut self) {
        self.updates.fill(0);
        self.input.iter_mut().zip(&self.lines).for_each(|(input, lines)| *input = lines * ONE);
    }

    /// Memory of synapses and of what they have learned.
    pub(super) fn bytes(&self) -> [u64; 2] {
        [8 * self.lines.capacity() as u64, 2 * self.updates.capacity() as u64]
    }
}
