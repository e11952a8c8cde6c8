//! A part of a network: exchange with the other ranks, in the same order as on the CPU.

use std::rc::Rc;

use spikelet::{Activity, Epoch, Error, Exchange, Plan, RankLink, RankTiming, Spike};

use crate::Device;
use crate::header::{Header, Progress};
use crate::monitor::Counters;
use crate::session::GpuSession;
use crate::sizes::IN_FLIGHT;

/// The link of a loaded plan to other ranks; `None` for a whole network.
///
/// # Errors
/// This device cannot simulate the part, or other ranks are missing or have ended.
pub(crate) async fn link(session: &GpuSession, exchange: Option<&Rc<dyn Exchange>>) -> Result<Option<RankLink>, Error> {
    let plan = &session.plans[0];
    if plan.part().is_whole() {
        return Ok(None);
    }
    let exchange = exchange.ok_or_else(|| {
        Error::Backend("a plan of a part was loaded without the other ranks; join them first, or load a whole plan".into())
    })?;
    if session.plans.len() > 1 {
        let count = session.plans.len();
        let way_out = "run them one after the other, or use CPU ranks";
        return Err(Error::Backend(format!("{count} trials of a part were loaded, and a GPU rank runs one at a time; {way_out}")));
    }
    check(plan)?;
    Ok(Some(RankLink::new(plan, &[], exchange.clone()).await?))
}

/// Rejects plans whose exchange is not possible on a GPU.
fn check(plan: &Plan) -> Result<(), Error> {
    if RankTiming::of(plan).stops {
        return Err(Error::Backend("neurons stop after each step; use CPU ranks".into()));
    }
    Ok(())
}

impl GpuSession {
    /// Runs an epoch of a part of a network.
    pub(crate) async fn run_rank(
        &mut self,
        device: &Device,
        counters: &mut Counters,
        link: &mut RankLink,
        epoch: Epoch,
    ) -> Result<Vec<Activity>, Error> {
        let plan = self.plans[0].clone();
        let timing = link.timing();
        link.begin(epoch);
        for part in timing.parts(epoch) {
            let before = self.submissions.gathered[0].spikes.len();
            self.request(device, counters, part.end());
            self.drain(device, counters).await?;
            let fired = &self.submissions.gathered[0].spikes[before..];
            let received = link.exchange_by_delay(&plan, fired, part.end()).await?;
            self.receive(device, counters, &received).await?;
        }
        if timing.overlaps {
            let received = link.finish().await?;
            self.receive(device, counters, &received).await?;
        }
        Ok(self.take_activity(epoch.end()))
    }

    /// Takes spikes of other ranks: their rows are propagated before the next step.
    pub(crate) async fn receive(&mut self, device: &Device, counters: &mut Counters, spikes: &[Spike]) -> Result<(), Error> {
        for spikes in spikes.chunks(self.layout.capacity as usize) {
            self.drain(device, counters).await?;
            // The next submission takes them along from another part of the log, as if they had been left over.
            let part = self.submissions.count.wrapping_add(1) % IN_FLIGHT;
            let (begin, count) = (part * self.layout.capacity as u32, spikes.len() as u32);
            let words: Vec<u32> = spikes.iter().flat_map(|spike| [spike.step, spike.neuron]).collect();
            device.queue.write_buffer(&self.buffers.spikes, u64::from(begin) * 8, bytemuck::cast_slice(&words));
            self.put_progress(device, "begin_next", begin);
            self.put_progress(device, "count", begin + count);
            self.submissions.left[0] = count;
        }
        Ok(())
    }

    /// Replaces a field of the progress of the first trial.
    fn put_progress(&self, device: &Device, field: &str, word: u32) {
        let place = Progress::FIELDS.iter().position(|of| *of == field).unwrap_or_default();
        device.queue.write_buffer(&self.buffers.header, (Header::WORDS + place) as u64 * 4, bytemuck::bytes_of(&word));
    }
}
