//! The end of the last step, at which values are read and set.

use super::Simulation;
use crate::Error;

impl Simulation {
    /// Brings the device to the end of its last step: after its inputs, resets and statements of events, which it does at the start of the
    /// next step if nothing is read or set before (rule 3.14 of docs/language.md).
    pub(super) async fn complete_step(&mut self) -> Result<(), Error> {
        self.collect().await?;
        if !self.is_complete {
            self.backend.complete_step(self.received).await?;
            self.is_complete = true;
        }
        Ok(())
    }

    /// Computes pending input of a trial again: spikes that are on their way act with the present weights (rule 7.3).
    pub(super) async fn refill(&mut self, trial: usize) -> Result<(), Error> {
        let recent = self.runs[trial].recent.clone();
        self.backend.refill(trial, &recent, self.received).await
    }
}
