//! Loads trials onto a device.

use pollster::block_on;
use spikelet::{Driver, Pacing, Point, Simulation, Variant};

use super::{BATCH_MS, TrialDevice, Trials, groups};
use crate::failure::Failure;
use crate::jobs::Job;
use crate::report::Backend;
use crate::{device, tune};

impl Trials<'_> {
    /// Loads as many of these trials as fit onto the device, in order; returns their number.
    pub(super) fn load(&mut self, jobs: &[Job]) -> Result<usize, Failure> {
        let (mut count, mut why) = (jobs.len(), None);
        loop {
            self.open()?;
            if self.built.is_none() {
                let on_cpu = self.backend.as_ref().is_some_and(|backend| backend.kind == "cpu");
                let room = if on_cpu { groups::room(&self.points[jobs[0].point].plan, self.args.memory) } else { None };
                let (room, sentence) = room.unwrap_or((usize::MAX, String::new()));
                let room = self.ranks.share_of_room(room)?;
                if room < count {
                    (count, why) =
                        (room, Some(if sentence.is_empty() { "another rank has less memory".into() } else { sentence }));
                }
            }
            match self.put(&jobs[..count]) {
                Ok(()) => break,
                Err(error) if count == 1 || self.ranks.share_network() => return Err(error),
                Err(error) => (count, why) = (count.div_ceil(2), Some(error.to_string())),
            }
        }
        self.built.get_or_insert(self.started.elapsed());
        if let Some(why) = why {
            self.notice(&format!("{count} of {} trials run in parallel, and the others after them: {why}", jobs.len()));
            self.groups.limit(count);
        }
        Ok(count)
    }

    /// Chooses a device, if none is open.
    fn open(&mut self) -> Result<(), Failure> {
        if let TrialDevice::Closed = self.place {
            let Point { network, plan, .. } = &self.points[0];
            let chosen = tune::tuned(self.args, network, plan, device::choose(self.args, self.cpu_profile.as_ref())?)?;
            self.host.opened(&chosen);
            self.gpu = chosen.gpu;
            let (kind, name, threads, reason) = (chosen.kind.to_string(), chosen.name, chosen.threads, chosen.reason);
            self.backend = Some(Backend { kind, name, threads, reason });
            self.place = TrialDevice::Open(self.ranks.join(chosen.backend)?);
        }
        Ok(())
    }

    /// Loads trials; a device that fails is closed.
    fn put(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let variants: Vec<Variant> = jobs.iter().map(|job| self.points[job.point].variant(job.trial)).collect();
        let driver = match std::mem::replace(&mut self.place, TrialDevice::Closed) {
            TrialDevice::Loaded(mut driver) => {
                block_on(driver.simulation.load(variants))?;
                driver
            }
            TrialDevice::Open(backend) => {
                Box::new(Driver::new(block_on(Simulation::of_trials(variants, backend))?, Pacing::new(BATCH_MS)))
            }
            TrialDevice::Closed => return Err(Failure::Run("there is no device for the trials; report this error".into())),
        };
        self.place = TrialDevice::Loaded(driver);
        Ok(())
    }
}
