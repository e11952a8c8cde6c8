//! What synapses learn: statistics of it, and files.

use std::io::Cursor;

use js_sys::{Float64Array, Uint8Array, Uint32Array};
use spikelet::{Error, Learned, Measurement, Plan};

use super::refusal::Refusal;
use super::run::Run;
use crate::protocol::Measured;

/// What was measured in a batch, by statistic; nothing of those that were not due.
pub(super) fn measured<'a>(trial: u32, plan: &Plan, measurements: &'a [Measurement]) -> impl Iterator<Item = Measured> + use<'a> {
    let of = move |statistic: usize| {
        let own = || measurements.iter().filter(move |of| of.statistic == statistic);
        let steps: Vec<u32> = own().map(|of| of.step).collect();
        let found = || own().map(|of| &of.distribution);
        let moments: Vec<f64> = found().flat_map(|of| [of.mean, of.sd, of.min, of.max]).collect();
        let counts = found().flat_map(|of| [of.not_finite, of.below, of.above].into_iter().chain(of.counts.iter().copied()));
        let counts: Vec<u32> = counts.collect();
        (!steps.is_empty()).then(|| Measured {
            trial,
            statistic: statistic as u32,
            steps: Uint32Array::from(steps.as_slice()),
            moments: Float64Array::from(moments.as_slice()),
            counts: Uint32Array::from(counts.as_slice()),
        })
    };
    (0..plan.statistics.len()).filter_map(of)
}

impl Run {
    /// What its synapses have learnt in a trial, as a file.
    pub(super) async fn weights(&mut self, trial: u32) -> Result<Uint8Array, Refusal> {
        let trial = self.trial(trial)?;
        let learned = self.simulation.learned(trial).await?;
        let file = Learned::write(&learned, Cursor::new(Vec::new()));
        let file = file.map_err(|error| Error::Backend(format!("the weights cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.get_ref().as_slice()))
    }

    /// Gives its synapses the values of a file, in a trial.
    pub(super) async fn take_weights(&mut self, trial: u32, file: &str, content: &[u8]) -> Result<(), Refusal> {
        let trial = self.trial(trial)?;
        let learned = Learned::read(file, content, &|_| true)?;
        Ok(self.simulation.learn(trial, file, &learned).await?)
    }
}
