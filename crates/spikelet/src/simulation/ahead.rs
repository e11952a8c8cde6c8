//! Work that the device begins before its results are requested.

use spikelet_plan::Epoch;

use super::Simulation;
use crate::Error;

impl Simulation {
    /// From now on each call of [`Simulation::advance`] begins the next `batches` epochs, of the length of its own, before it waits for its
    /// own: the device works while the caller processes results. 0, the default, begins none. Epochs never extend beyond a change of the
    /// network or a statistic, for which the device waits.
    ///
    /// Results do not depend on it. The state of the device does: it is that of [`Simulation::device_step`], which is ahead of
    /// [`Simulation::step`], and may be beyond the last requested step.
    pub fn begin_ahead(&mut self, batches: u32) {
        self.look_ahead = batches;
    }

    /// Epochs that are begun ahead end at this step at the latest, so that the device stops at the end of a run.
    pub fn begin_ahead_until(&mut self, step: u32) {
        self.horizon = step;
    }

    /// One past the last step that the device has begun: values set now apply from there on, and arrays are read there. The same as
    /// [`Simulation::step`], unless the device [runs ahead](Simulation::begin_ahead) or a condition has ended the run within a batch.
    pub fn device_step(&self) -> u32 {
        self.begun.back().map_or(self.received, |epoch| epoch.end())
    }

    /// Applies changes that are due, begins epochs, and receives the device's next epoch. `steps` is the length of the caller's batches,
    /// `end` the end of this one.
    pub(super) async fn receive_epoch(&mut self, steps: u32, end: u32) -> Result<(), Error> {
        if self.begun.is_empty() {
            self.measure().await?;
            self.make_changes().await?;
        }
        let next_change = self.runs.iter().filter_map(|run| Some(run.due().first()?.step)).min();
        let limit = next_change.unwrap_or(u32::MAX).min(self.next_measurement()).min(i32::MAX as u32);
        if self.look_ahead == 0 && self.begun.is_empty() {
            let (first, is_complete) = (self.received, self.is_complete);
            let epoch = Epoch { first, steps: end.min(limit) - first, is_complete };
            return self.advance_device(epoch).await;
        }
        while self.begun.len() <= self.look_ahead as usize && self.device_step() < limit {
            let first = self.device_step();
            let until = if first < end { end } else { first.saturating_add(steps).min(self.horizon) };
            // The caller may continue beyond the horizon.
            if until <= first {
                break;
            }
            let is_complete = self.is_complete && self.begun.is_empty();
            let epoch = Epoch { first, steps: until.min(limit) - first, is_complete };
            self.backend.begin(epoch).await?;
            self.begun.push_back(epoch);
        }
        match self.begun.front() {
            Some(epoch) => self.advance_device(*epoch).await,
            None => Ok(()),
        }
    }

    /// Receives all epochs that are begun; their results are stored.
    pub(super) async fn collect(&mut self) -> Result<(), Error> {
        while let Some(epoch) = self.begun.front() {
            self.advance_device(*epoch).await?;
        }
        Ok(())
    }

    /// Lets the device complete its epochs, and discards their results.
    pub(super) async fn discard(&mut self) {
        // Errors are irrelevant because the device is loaded again.
        _ = self.collect().await;
        self.begun.clear();
        (self.received, self.is_complete, self.unmeasured, self.suspicious) = (0, true, 0, false);
    }

    async fn advance_device(&mut self, epoch: Epoch) -> Result<(), Error> {
        let parts = self.backend.advance(epoch).await?;
        self.begun.pop_front();
        (self.received, self.is_complete) = (epoch.end(), false);
        for (run, part) in self.runs.iter_mut().zip(parts) {
            self.suspicious |= part.diverged && !run.has_ended();
            run.append(epoch, part);
        }
        // No epoch is begun beyond a step at which a statistic is taken.
        if self.begun.is_empty() { self.measure().await } else { Ok(()) }
    }
}
