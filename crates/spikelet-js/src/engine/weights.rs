//! What synapses learn: statistics of it, and files.

use std::io::Cursor;

use js_sys::{Float64Array, Uint8Array, Uint32Array};
use spikelet::{Error, Learned, Measurement, Plan};

use super::desk::Run;
use crate::protocol::Measured;

/// What was measured in a batch, by statistic; nothing of those that were not due.
pub(super) fn measured(id: u32, plan: &Plan, measurements: &[Measurement]) -> Vec<Measured> {
    let of = |statistic: usize| {
        let own = || measurements.iter().filter(move |of| of.statistic == statistic);
        let steps: Vec<u32> = own().map(|of| of.step).collect();
        let found = || own().map(|of| &of.distribution);
        let moments: Vec<f64> = found().flat_map(|of| [of.mean, of.sd, of.min, of.max]).collect();
        let counts = found().flat_map(|of| [of.not_finite, of.below, of.above].into_iter().chain(of.counts.iter().copied()));
        let counts: Vec<u32> = counts.collect();
        (!steps.is_empty()).then(|| Measured {
            id,
            statistic: statistic as u32,
            steps: Uint32Array::from(steps.as_slice()),
            moments: Float64Array::from(moments.as_slice()),
            counts: Uint32Array::from(counts.as_slice()),
        })
    };
    (0..plan.statistics.len()).filter_map(of).collect()
}

impl Run {
    /// What its synapses have learnt, as a file.
    pub(super) async fn weights(&mut self) -> Result<Uint8Array, Error> {
        let learned = self.simulation.learned(0).await?;
        let file = Learned::write(&learned, Cursor::new(Vec::new()));
        let file = file.map_err(|error| Error::Backend(format!("the weights cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.get_ref().as_slice()))
    }

    /// Gives its synapses the values of a file.
    pub(super) async fn take_weights(&mut self, file: &str, content: &[u8]) -> Result<(), Error> {
        let learned = Learned::read(file, content, &|_| true)?;
        self.simulation.learn(0, file, &learned).await
    }
}
