//! The input of a batch.

use spikelet::{Error, Source};
use spikelet_train::{Batch, TrainingPlan};

/// Words of a spike of the input.
pub(super) const INPUT_WORDS: usize = 2;

/// The spikes of the input of a batch: for each its word from the first one of the population, and its bit. A trial has this number of `words`
/// in a step.
///
/// # Errors
/// A spike is of no neuron of the input, or has no time.
pub(super) fn input_spikes(plan: &TrainingPlan, batch: &Batch, words: u32) -> Result<Vec<u32>, Error> {
    let (of, trials) = (&plan.plan.populations[plan.input], batch.inputs.len());
    let mut spikes = Vec::new();
    for (trial, events) in batch.inputs.iter().enumerate() {
        let at = || format!("the input of trial {trial}");
        for event in events.iter() {
            if event.channel >= of.size {
                let expected = format!("channels below {}, the size of `{}`", of.size, of.name);
                return Err(Error::invalid(at(), format!("channel {}", event.channel), expected, "make the source larger"));
            }
            if event.time_ms.is_nan() || event.time_ms < 0.0 {
                let expected = "times of at least 0 ms";
                return Err(Error::invalid(at(), format!("{} ms", event.time_ms), expected, "shift the times of the data"));
            }
            // Events after the end of the sample are not part of it.
            let step = Source::step(event.time_ms, plan.plan.dt_ms);
            if step < f64::from(plan.steps) {
                let row = (step as usize * trials + trial) as u32;
                spikes.extend([row * words + event.channel / 32, 1 << (event.channel % 32)]);
            }
        }
    }
    Ok(spikes)
}
