//! Work that the device begins before its results are asked for.

use super::Simulation;
use crate::Error;
use crate::backend::Epoch;

impl Simulation {
    /// From now on each call of [`Simulation::advance`] begins the next `batches` epochs, as long as its own, before it waits for its
    /// own: the device has work while the caller looks at results. 0, as at first, begins none. Epochs never reach across a change that the
    /// network makes by itself, or a statistic: the device waits for its caller there.
    ///
    /// What is told does not depend on it. The device's state does: it is that of [`Simulation::device_step`], which is ahead of
    /// [`Simulation::step`], and may be beyond the last step that is ever asked for.
    pub fn begin_ahead(&mut self, batches: u32) {
        self.look_ahead = batches;
    }

    /// Epochs that are begun ahead end at this step at the latest: a run that is to end there then leaves the device where it ends.
    pub fn begin_ahead_until(&mut self, step: u32) {
        self.horizon = step;
    }

    /// One past the last step that the device has begun: a value that is set now holds from there on, and an array that is read is as it is
    /// there. The same as [`Simulation::step`], unless the device [looks ahead](Simulation::look_ahead) or a condition has ended
    /// the run within a batch.
    pub fn device_step(&self) -> u32 {
        self.begun.back().map_or(self.heard, |epoch| epoch.end())
    }

    /// Makes the changes that are due, begins what is to be begun, and hears the device's next epoch. `steps` is how long the caller's
    /// batches are, `end` where this one ends.
    pub(super) async fn receive_epoch(&mut self, steps: u32, end: u32) -> Result<(), Error> {
        if self.begun.is_empty() {
            self.measure().await?;
            self.make_changes().await?;
        }
        let next_change = self.runs.iter().filter_map(|run| Some(run.due()?.step)).min();
        let limit = next_change.unwrap_or(u32::MAX).min(self.next_measurement()).min(i32::MAX as u32);
        if self.look_ahead == 0 && self.begun.is_empty() {
            let epoch = Epoch { first: self.heard, steps: end.min(limit) - self.heard };
            return self.advance_device(epoch).await;
        }
        while self.begun.len() <= self.look_ahead as usize && self.device_step() < limit {
            let first = self.device_step();
            let until = if first < end { end } else { first.saturating_add(steps).min(self.horizon) };
            if until == first {
                break;
            }
            let epoch = Epoch { first, steps: until.min(limit) - first };
            self.backend.begin(epoch).await?;
            self.begun.push_back(epoch);
        }
        match self.begun.front() {
            Some(epoch) => self.advance_device(*epoch).await,
            None => Ok(()),
        }
    }

    /// Hears of all epochs that are begun; what happened in them waits to be told.
    pub(super) async fn collect(&mut self) -> Result<(), Error> {
        while let Some(epoch) = self.begun.front() {
            self.advance_device(*epoch).await?;
        }
        Ok(())
    }

    /// Lets the device finish what it has begun, for nobody.
    pub(super) async fn discard(&mut self) {
        // What a device could not do is no trouble for one that is loaded anew.
        _ = self.collect().await;
        self.begun.clear();
        (self.heard, self.unmeasured, self.suspicious) = (0, 0, false);
    }

    async fn advance_device(&mut self, epoch: Epoch) -> Result<(), Error> {
        let parts = self.backend.advance(epoch).await?;
        self.begun.pop_front();
        self.heard = epoch.end();
        for (run, part) in self.runs.iter_mut().zip(parts) {
            self.suspicious |= part.diverged && !run.has_ended();
            run.append(epoch, part);
        }
        // Nothing is begun beyond a step at which something is measured.
        if self.begun.is_empty() { self.measure().await } else { Ok(()) }
    }
}
