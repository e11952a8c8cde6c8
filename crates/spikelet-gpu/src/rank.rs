//! A part of a network: exchange with the other ranks, in the same order as on the CPU.

mod steps;

use std::rc::Rc;

use spikelet::schedule::PhaseKind;
use spikelet::{Activity, ArrayId, Epoch, Error, Exchange, Owner, RankLink, Spike, draws};

use crate::Device;
use crate::header::{Header, Progress};
use crate::monitor::Counters;
use crate::session::GpuSession;

/// The other ranks, as seen by a loaded plan.
pub(crate) struct Rank {
    pub(crate) link: RankLink,
    /// The arrays that synapses of other ranks read, with their values in the whole network.
    published: Vec<(ArrayId, Vec<u32>)>,
    /// Whether all ranks have the values of these.
    is_published: bool,
}

impl Rank {
    /// The link of a loaded plan to other ranks; `None` for a whole network.
    ///
    /// # Errors
    /// This device cannot simulate the part, or other ranks are missing or have ended.
    pub(crate) async fn of(session: &GpuSession, exchange: Option<&Rc<dyn Exchange>>) -> Result<Option<Rank>, Error> {
        let plan = &session.plans[0];
        if plan.part().is_whole() {
            return Ok(None);
        }
        let exchange = exchange.ok_or_else(|| {
            Error::Backend("a plan of a part was loaded without the other ranks; join them first, or load a whole plan".into())
        })?;
        check(session)?;
        let link = RankLink::new(plan, exchange.clone()).await?;
        let published = session.passes.of_rank.published.iter();
        let published = published.map(|array| (*array, vec![0; plan.arrays()[*array].length])).collect();
        Ok(Some(Rank { link, published, is_published: false }))
    }

    /// Values have been written that may be published.
    pub(crate) fn forget_copies(&mut self) {
        self.is_published = false;
    }
}

/// Rejects plans that a GPU cannot simulate as one of several ranks.
fn check(session: &GpuSession) -> Result<(), Error> {
    let plan = &session.plans[0];
    let refused = |why: String| Err(Error::Backend(format!("a GPU cannot be this rank, because {why}; use CPU ranks")));
    if session.plans.len() > 1 {
        return refused(format!("{} trials were loaded, and it runs one at a time", session.plans.len()));
    }
    if plan.part().neurons() == 0 {
        return refused(format!("no neuron belongs to rank {}", plan.part().rank()));
    }
    if let Some(drawing) = (0..plan.projections.len()).find(|projection| draws(plan, *projection)) {
        return refused(format!("the synapses of `{}` draw random numbers", plan.projections[drawing].name));
    }
    let steps = plan.epoch_steps;
    if session.layout.epoch_steps < steps && plan.schedule().phases.iter().any(|phase| is_of_synapses(phase.kinds[0])) {
        let most = session.layout.epoch_steps;
        return refused(format!("the ranks exchange spikes every {steps} steps, and its log has those of {most}"));
    }
    Ok(())
}

fn is_of_synapses(kind: PhaseKind) -> bool {
    kind.population().is_none() && !matches!(kind, PhaseKind::Propagate(_))
}

impl GpuSession {
    /// Runs an epoch of a part of a network.
    pub(crate) async fn run_rank(
        &mut self,
        device: &Device,
        counters: &mut Counters,
        rank: &mut Rank,
        epoch: Epoch,
    ) -> Result<Vec<Activity>, Error> {
        let plan = self.plans[0].clone();
        let timing = rank.link.timing();
        rank.link.begin(epoch);
        if !std::mem::replace(&mut rank.is_published, true) {
            self.drain(device, counters).await?;
            self.publish(device, rank, epoch.first, &(0..rank.published.len()).collect::<Vec<_>>()).await?;
        }
        for part in timing.parts(epoch) {
            if timing.stops {
                let received = self.run_steps(device, counters, rank, part).await?;
                self.receive(device, counters, &received).await?;
                continue;
            }
            let before = self.submissions.gathered[0].spikes.len();
            self.request(device, counters, part.end());
            self.drain(device, counters).await?;
            let fired = &self.submissions.gathered[0].spikes[before..];
            let received = rank.link.exchange_by_delay(&plan, fired, part.end()).await?;
            self.receive(device, counters, &received).await?;
        }
        if timing.overlaps {
            let received = rank.link.finish().await?;
            self.receive(device, counters, &received).await?;
        }
        Ok(self.take_activity(epoch.end()))
    }

    /// Takes spikes of other ranks: their rows are propagated before the next step.
    pub(crate) async fn receive(&mut self, device: &Device, counters: &mut Counters, spikes: &[Spike]) -> Result<(), Error> {
        for spikes in spikes.chunks(self.layout.capacity as usize) {
            self.drain(device, counters).await?;
            // The next submission takes them along from another part of the log, as if they had been left over.
            let part = self.submissions.count.wrapping_add(1) % self.in_flight();
            let (begin, count) = (part * self.layout.capacity as u32, spikes.len() as u32);
            let words: Vec<u32> = spikes.iter().flat_map(|spike| [spike.step, spike.neuron]).collect();
            device.queue.write_buffer(&self.buffers.spikes, u64::from(begin) * 8, bytemuck::cast_slice(&words));
            for (field, word) in [("begin_next", begin), ("count", begin + count)] {
                let place = Progress::FIELDS.iter().position(|of| *of == field).unwrap_or_default();
                device.queue.write_buffer(&self.buffers.header, (Header::WORDS + place) as u64 * 4, bytemuck::bytes_of(&word));
            }
            self.submissions.left[0] = count;
        }
        Ok(())
    }

    /// Shares values of own neurons at a step with other ranks, and stores those of all neurons for the synapses that read them.
    async fn publish(&self, device: &Device, rank: &mut Rank, step: u32, places: &[usize]) -> Result<(), Error> {
        let plan = &self.plans[0];
        let mut populations = Vec::new();
        for place in places {
            let (array, values) = &mut rank.published[*place];
            let Owner::Neurons { population } = plan.arrays()[*array].owner else { continue };
            let own = plan.own(population);
            let words =
                self.read_state(device, self.layout.populations[population].array(plan.arrays()[*array].index), own.len());
            own.iter().zip(words.await?).for_each(|(neuron, word)| values[neuron as usize] = word);
            populations.push(population);
        }
        let mut received = Vec::new();
        let word = |array: usize, neuron: u32| rank.published[places[array]].1[neuron as usize];
        rank.link
            .publish(step, plan, &populations, word, |array, neuron, word| received.push((places[array], neuron, word)))
            .await?;
        received.into_iter().for_each(|(place, neuron, word)| rank.published[place].1[neuron as usize] = word);
        for place in places {
            let (array, values) = &rank.published[*place];
            let Owner::Neurons { population } = plan.arrays()[*array].owner else { continue };
            let size = plan.populations[population].size as usize;
            let at = self.layout.populations[population].read_as_pre + plan.arrays()[*array].index * size;
            device.queue.write_buffer(&self.buffers.state, at as u64 * 4, bytemuck::cast_slice(values));
        }
        Ok(())
    }
}
