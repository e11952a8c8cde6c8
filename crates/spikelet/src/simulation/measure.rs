//! Statistics, taken between two epochs.

use spikelet_plan::Measurement;

use super::Simulation;
use crate::{Error, Owner};

impl Simulation {
    /// The next step after the current one of the device at whose start a statistic is taken.
    pub(super) fn next_measurement(&self) -> u32 {
        let statistics = &self.runs[0].plan.statistics;
        let next = statistics.iter().map(|of| (self.received / of.every + 1).saturating_mul(of.every));
        next.min().unwrap_or(u32::MAX)
    }

    /// Takes the statistics that are due at the device's step.
    pub(super) async fn measure(&mut self) -> Result<(), Error> {
        if self.unmeasured > self.received {
            return Ok(());
        }
        let (step, mut measured) = (self.received, Vec::new());
        for trial in 0..self.runs.len() {
            let plan = self.runs[trial].plan.clone();
            for (statistic, of) in plan.statistics.iter().enumerate() {
                let array =
                    plan.arrays().of(Owner::Statistic, statistic).filter(|_| of.is_due(step) && self.runs[trial].reaches(step));
                if let Some(array) = array {
                    let words = self.backend.read(trial, array).await?;
                    measured.push((trial, Measurement { step, statistic, distribution: of.distribution(&words) }));
                }
            }
        }
        // After the last operation that can fail, so that nothing is returned twice.
        measured.into_iter().for_each(|(trial, measurement)| self.runs[trial].waiting.statistics.push(measurement));
        self.unmeasured = step + 1;
        Ok(())
    }
}
