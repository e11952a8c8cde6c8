//! What a network answers to samples, and what that costs.

use spikelet_network::Error;
use spikelet_plan::PopulationPlan;

use super::{Score, Trainer, simulate};
use crate::Sample;

/// What a network answers to samples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// Losses, and how many are right.
    pub score: Score,
    /// The class that is answered to each sample, if any neuron has fired; empty if the loss compares no classes.
    pub classes: Vec<Option<u32>>,
    /// What the first term of the loss reads of each sample: `[sample][unit]`, or `[sample][step][unit]`.
    pub readings: Vec<f32>,
    /// Spikes of each neuron of the network in all samples, populations before sources.
    pub spikes: Vec<u64>,
}

impl Answers {
    /// Mean number of spikes of a neuron of a population in a sample.
    pub fn spikes_of(&self, population: &PopulationPlan) -> f64 {
        let spikes: u64 = self.spikes[population.first as usize..][..population.size as usize].iter().sum();
        spikes as f64 / (f64::from(population.size) * f64::from(self.score.samples)).max(1.0)
    }
}

impl Trainer {
    /// Simulates samples, and answers.
    ///
    /// # Errors
    /// An error of the device, or a loss that is not finite.
    pub async fn answers(&mut self, samples: &[Sample]) -> Result<Answers, Error> {
        let neurons: u32 = self.plan.plan.populations.iter().map(|of| of.size).sum();
        let mut answers = Answers { spikes: vec![0; neurons as usize], ..Answers::default() };
        for samples in samples.chunks(self.training.batch as usize) {
            let (evaluation, readings) = simulate(&mut *self.device, &self.loss, samples, answers.score.samples).await?;
            answers.score.add(samples.len(), evaluation.loss, evaluation.correct);
            answers.classes.extend(evaluation.answers);
            answers.readings.extend(readings.0.first().into_iter().flatten());
            for trial in 0..samples.len() {
                for spike in self.device.spikes(trial).await? {
                    answers.spikes[spike.neuron as usize] += 1;
                }
            }
        }
        Ok(answers)
    }
}
