//! Steps of neurons that stop, with other ranks: a submission ends where these must answer.

use spikelet::{Epoch, Error, Select, Spike, inhibited, sum_of_winners};

use super::Rank;
use crate::Device;
use crate::header::{Header, Progress};
use crate::monitor::Counters;
use crate::passes::RankGroup;
use crate::readback::BufferRange;
use crate::session::GpuSession;
use crate::submission::QUICK_SPIKES;

/// What is known of the current part.
struct CurrentPart {
    part: Epoch,
    /// Dispatches that are not submitted yet.
    dispatches: Vec<usize>,
    /// The place in the log of the first spike that the host has not read, and the end of the part of the log.
    unread: usize,
    log_end: usize,
    /// The spikes of own neurons since the last exchange.
    fired: Vec<Spike>,
    /// Spikes whose rows are still to be propagated, and that are not in the log: those of other ranks, and of winners.
    pending: Vec<Spike>,
    /// The spike history of each step.
    history: Vec<Vec<u32>>,
}

impl GpuSession {
    /// Runs a part of an epoch. Returns the spikes whose rows are still to be propagated.
    pub(super) async fn run_steps(
        &mut self,
        device: &Device,
        counters: &mut Counters,
        rank: &mut Rank,
        part: Epoch,
    ) -> Result<Vec<Spike>, Error> {
        self.drain(device, counters).await?;
        let (plan, timing) = (self.plans[0].clone(), rank.link.timing());
        let log = self.submissions.count % self.in_flight();
        self.submissions.count = self.submissions.count.wrapping_add(1);
        let words = [part.end(), log, self.walks, part.steps, self.completed];
        device.queue.write_buffer(&self.buffers.header, 0, bytemuck::cast_slice(&words));
        self.put_clocks(device, part.end());
        let unread = log as usize * self.layout.capacity as usize;
        let mut now = CurrentPart {
            part,
            dispatches: Vec::new(),
            unread,
            log_end: unread + self.layout.capacity as usize,
            fired: Vec::new(),
            pending: Vec::new(),
            history: vec![vec![0; self.layout.memory_words as usize]; part.steps as usize],
        };
        // Room for the spikes of the part, and of the step after it.
        let empty = vec![0; self.layout.memory_words as usize];
        (part.first..=part.end()).take(plan.memory_steps as usize).for_each(|step| self.put_history(device, step, &empty));
        let mut encoder = device.device.create_command_encoder(&Default::default());
        self.encode(&mut encoder, std::iter::once((&self.kernels.start, 0, 0, 1)));
        device.queue.submit([encoder.finish()]);
        let (ahead, each_step) = (self.passes.ahead.len(), self.passes.each_step.len());
        now.dispatches.extend(0..ahead);
        if timing.runs_ahead {
            self.exchange(device, rank, &mut now, part).await?;
        }
        let groups = self.passes.of_rank.clone();
        for until_received in part.in_parts(timing.exchange_steps) {
            for step in until_received.first..until_received.end() {
                let first = ahead + (step - part.first) as usize * each_step;
                for group in &groups.before_spikes {
                    self.run_group(device, rank, &mut now, group, (first, step)).await?;
                }
                if step + 1 == until_received.end() {
                    self.exchange(device, rank, &mut now, until_received).await?;
                }
                for group in &groups.after_spikes {
                    self.run_group(device, rank, &mut now, group, (first, step)).await?;
                }
                // One step at a time, so that the device is not busy for long.
                self.submit_dispatches(device, &mut now);
            }
        }
        let rows = ahead + each_step * self.layout.epoch_steps as usize..self.kernels.dispatches.len();
        let mut encoder = device.device.create_command_encoder(&Default::default());
        self.encode_dispatches(&mut encoder, rows);
        counters.submissions += 1;
        counters.dispatches += 1 + (ahead + each_step * part.steps as usize) as u64;
        (self.submissions.asked, self.submissions.submitted) = (part.end(), part.end());
        let submission = self.read_results(device, encoder, (log, part.steps, part.steps as usize), None, &mut Vec::new());
        self.complete(device, submission).await?;
        Ok(now.pending)
    }

    /// Executes a group of phases, after the answers of other ranks that it needs.
    async fn run_group(
        &mut self,
        device: &Device,
        rank: &mut Rank,
        now: &mut CurrentPart,
        group: &RankGroup,
        (first, step): (usize, u32),
    ) -> Result<(), Error> {
        if !group.publishes.is_empty() || !group.selects.is_empty() {
            self.submit_dispatches(device, now);
        }
        if !group.publishes.is_empty() {
            self.publish(device, rank, step, &group.publishes).await?;
        }
        if !group.selects.is_empty() {
            self.select(device, rank, now, &group.selects, step).await?;
        }
        now.dispatches.extend(group.passes.start + first..group.passes.end + first);
        Ok(())
    }

    fn submit_dispatches(&self, device: &Device, now: &mut CurrentPart) {
        let mut encoder = device.device.create_command_encoder(&Default::default());
        self.encode_dispatches(&mut encoder, now.dispatches.drain(..));
        device.queue.submit([encoder.finish()]);
    }

    fn encode_dispatches(&self, encoder: &mut wgpu::CommandEncoder, dispatches: impl Iterator<Item = usize>) {
        let stride = self.buffers.job_stride;
        let of = dispatches.map(|index| (index as u32 * stride, &self.kernels.dispatches[index]));
        self.encode(encoder, of.map(|(job, of)| (&of.pipeline, of.page, job, of.workgroups)));
    }

    /// Exchanges the spikes of own neurons in these steps with other ranks.
    async fn exchange(&mut self, device: &Device, rank: &mut Rank, now: &mut CurrentPart, steps: Epoch) -> Result<(), Error> {
        self.submit_dispatches(device, now);
        let quick = QUICK_SPIKES.min(now.log_end - now.unread);
        let pieces = [
            BufferRange { buffer: &self.buffers.header, at: Header::WORDS, words: Progress::WORDS },
            BufferRange { buffer: &self.buffers.spikes, at: 2 * now.unread, words: 2 * quick },
        ];
        let encoder = device.device.create_command_encoder(&Default::default());
        let mut words = device.read_after(encoder, &pieces).await?;
        let count = Progress::of_words(&words).count as usize - now.unread;
        words.drain(..Progress::WORDS);
        if count > quick {
            let piece = BufferRange { buffer: &self.buffers.spikes, at: 2 * now.unread, words: 2 * count };
            words = device.read_after(device.device.create_command_encoder(&Default::default()), &[piece]).await?;
        }
        now.unread += count;
        let logged = words.chunks_exact(2).take(count).map(|spike| Spike { step: spike[0], neuron: spike[1] });
        now.fired.extend(logged);
        let received = rank.link.exchange_now(&self.plans[0], &now.fired, steps.end()).await?;
        for spike in now.fired.iter().chain(&received) {
            let (population, neuron) = self.plans[0].locate(spike.neuron);
            let word = self.layout.populations[population].memory as usize + neuron as usize / 32;
            now.history[(spike.step - now.part.first) as usize][word] |= 1 << (neuron % 32);
        }
        (steps.first..steps.end())
            .for_each(|step| self.put_history(device, step, &now.history[(step - now.part.first) as usize]));
        now.pending.extend(received);
        now.fired.clear();
        Ok(())
    }

    /// Replaces the spike history of a step.
    fn put_history(&self, device: &Device, step: u32, words: &[u32]) {
        let steps = self.plans[0].memory_steps;
        if steps > 0 {
            let at = self.layout.memory_offset + u64::from(step % steps) * u64::from(self.layout.memory_words);
            device.queue.write_buffer(&self.buffers.ring, at * 4, bytemuck::cast_slice(words));
        }
    }

    /// Finds the winners of populations among the neurons of all ranks, and fires own ones.
    async fn select(
        &mut self,
        device: &Device,
        rank: &mut Rank,
        now: &mut CurrentPart,
        populations: &[usize],
        step: u32,
    ) -> Result<(), Error> {
        let (plan, mut select, mut offers) = (self.plans[0].clone(), Select::default(), Vec::new());
        for &population in populations {
            let (of, own, place) = (&plan.populations[population], plan.own(population), &self.layout.populations[population]);
            let (Some(rule), Some(score)) = (of.winners, of.program.score) else { continue };
            let keys = self.read_state(device, place.keys, own.len()).await?;
            let scores = self.read_state(device, place.array(score), own.len()).await?;
            // Neurons that are not above threshold have no key.
            let above = own.iter().zip(keys.iter().zip(&scores)).filter(|(_, (key, _))| **key != 0);
            let candidates: Vec<(u32, f32)> =
                above.map(|(neuron, (_, score))| (of.first + neuron, f32::from_bits(*score))).collect();
            let values: Vec<f32> = candidates.iter().map(|(_, value)| *value).collect();
            match select.winners(rule, &values) {
                Ok(winners) => offers.extend(winners.iter().map(|at| candidates[*at as usize])),
                Err(wrong) => offers.push(candidates[wrong.index]),
            }
        }
        let others = rank.link.offer(step, offers.iter().copied()).await?;
        offers.extend(others);
        offers.sort_by_key(|(neuron, _)| *neuron);
        let (mut sums, mut chosen) = (Vec::new(), Vec::new());
        for &population in populations {
            let of = &plan.populations[population];
            let Some(rule) = of.winners else { continue };
            let at = |neuron: u32| offers.partition_point(|(other, _)| *other < neuron);
            let offers = &offers[at(of.first)..at(of.first + of.size)];
            let values: Vec<f32> = offers.iter().map(|(_, value)| *value).collect();
            let winners = select.winners(rule, &values);
            self.submissions.gathered[0].diverged |= winners.is_err();
            let winners = winners.unwrap_or_default();
            let is_compared = of.group.is_some() && !winners.is_empty();
            sums.push((population, is_compared.then(|| sum_of_winners(winners.iter().map(|at| values[*at as usize])))));
            chosen.push((population, winners.iter().map(|at| offers[*at as usize].0).collect::<Vec<u32>>()));
        }
        let inhibited = inhibited(&plan, &sums);
        for (population, winners) in chosen.into_iter().filter(|(population, _)| !inhibited.contains(population)) {
            let (of, layout) = (&plan.populations[population], &self.layout.populations[population]);
            let last_spikes = layout.array(of.program.variables.len());
            for number in winners {
                let Some(place) = plan.own(population).place(number - of.first) else { continue };
                let at = (last_spikes + place as usize) as u64 * 4;
                device.queue.write_buffer(&self.buffers.state, at, bytemuck::bytes_of(&step));
                let spike = Spike { step, neuron: number };
                now.fired.push(spike);
                now.pending.push(spike);
                self.submissions.gathered[0].spikes.push(spike);
            }
        }
        Ok(())
    }
}
