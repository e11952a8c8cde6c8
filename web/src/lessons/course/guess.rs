//! What the learner predicts of a step, and what the run then shows; the pause at a first spike.

use super::Course;
use crate::lessons::predict::{Counts, Guess, How, Prediction};

impl Course {
    /// The question that the current step waits for.
    pub(crate) fn awaited(&self) -> Option<&Prediction> {
        self.lesson.steps.get(self.at)?.predict.as_ref().filter(|_| !self.guesses.contains_key(&self.at))
    }

    /// What was predicted of a step.
    pub(crate) fn guess_of(&self, step: usize) -> Option<&Guess> {
        self.guesses.get(&step)
    }

    /// The measured rates of the neurons of a step whose curve was predicted.
    pub(crate) fn curve_of(&self, step: usize) -> Option<&[f64]> {
        self.curves.get(&step).map(Vec::as_slice)
    }

    /// The learner answers the question of the current step, which can run then.
    pub(crate) fn guess(&mut self, guess: Guess) {
        if self.awaited().is_some() {
            self.guesses.insert(self.at, guess);
            self.has_begun = false;
            self.enter();
        }
    }

    /// The time of the first spike at which the current step has paused, in ms.
    pub(crate) fn frozen_ms(&self) -> Option<f64> {
        self.frozen
    }

    /// Forgets all of it.
    pub(super) fn forget_guesses(&mut self) {
        self.guesses.clear();
        self.curves.clear();
    }

    /// Begins to count the spikes of neurons whose curve is predicted in the current step.
    pub(super) fn begin_counts(&mut self) {
        self.frozen = None;
        let drawn = self.lesson.steps.get(self.at).and_then(|step| match &step.predict.as_ref()?.how {
            How::Draw(axes) => Some(axes.of.clone()),
            How::Choices(_) => None,
        });
        self.counts = drawn.and_then(|of| {
            let (_, neurons) = self.scene.populations.iter().find(|(name, _)| *name == of)?;
            Some(Counts::of(neurons.clone()))
        });
    }

    /// Whether the current step pauses at its first spike, and has not yet.
    pub(super) fn freezes(&self) -> bool {
        let freezes = self.lesson.steps.get(self.at).is_some_and(|step| step.freeze.is_some());
        freezes && self.frozen.is_none() && self.is_followed && self.has_begun
    }

    /// Keeps the measured curve of the current step, which is done.
    pub(super) fn keep_curve(&mut self) {
        if let Some(counts) = &self.counts {
            self.curves.insert(self.at, counts.rates(self.scene.dt_ms));
        }
    }
}
