//! Submissions: sending steps to the device, and receiving results.

use std::sync::Arc;

use spikelet::{Activity, Epoch, Error, Plan, Spike};

use crate::Device;
use crate::clock::now_ms;
use crate::header::{Header, Progress};
use crate::monitor::Counters;
use crate::readback::BufferRange;
use crate::session::GpuSession;
use crate::submission::{QUICK_SPIKES, Submission};

impl GpuSession {
    /// Begins with this epoch, if nothing was run yet: earlier effects are in the arrays.
    pub(crate) fn start_at(&mut self, device: &Device, epoch: Epoch) {
        let first = epoch.first;
        if epoch.is_complete {
            self.completed = first;
        }
        let submissions = &mut self.submissions;
        if first == 0 || submissions.asked > 0 || submissions.count > 0 {
            return;
        }
        (submissions.asked, submissions.submitted, submissions.emitted, submissions.clocks) = (first, first, first, first);
        submissions.reached.fill(first);
        let step_next = Progress::FIELDS.iter().position(|field| *field == "step_next").unwrap_or_default();
        for trial in 0..self.plans.len() {
            let at = (Header::WORDS + trial * Progress::WORDS + step_next) as u64 * 4;
            device.queue.write_buffer(&self.buffers.header, at, bytemuck::bytes_of(&first));
        }
    }

    /// Requests all steps before `end`, and submits as many as may be in flight.
    pub(crate) fn request(&mut self, device: &Device, counters: &mut Counters, end: u32) {
        self.submissions.asked = self.submissions.asked.max(end);
        self.submit(device, counters);
    }

    /// Runs until all trials have reached `end`; returns the results of each since the last call.
    pub(crate) async fn run(&mut self, device: &Device, counters: &mut Counters, end: u32) -> Result<Vec<Activity>, Error> {
        self.request(device, counters, end);
        self.run_to(device, counters, end).await?;
        Ok(self.take_activity(end))
    }

    /// Runs until all trials have reached `end`.
    async fn run_to(&mut self, device: &Device, counters: &mut Counters, end: u32) -> Result<(), Error> {
        while self.submissions.behind() < end {
            let Some(submission) = self.submissions.under_way.pop_front() else { return Err(no_step(device)) };
            let moved = self.complete(device, submission).await?;
            if !moved && self.submissions.under_way.is_empty() {
                return Err(no_step(device));
            }
            self.submit(device, counters);
        }
        Ok(())
    }

    /// Waits for all requested steps, until all events are in the delay buffers.
    pub(crate) async fn drain(&mut self, device: &Device, counters: &mut Counters) -> Result<(), Error> {
        let end = self.submissions.asked;
        self.run_to(device, counters, end).await?;
        while let Some(submission) = self.submissions.under_way.pop_front() {
            self.complete(device, submission).await?;
        }
        while self.submissions.left.iter().any(|left| *left > 0) {
            let submission = self.record(device, counters, end, end);
            if !self.complete(device, submission).await? {
                return Err(no_step(device));
            }
        }
        Ok(())
    }

    /// Submits until the maximum is in flight.
    fn submit(&mut self, device: &Device, counters: &mut Counters) {
        if self.submissions.under_way.is_empty() {
            // A trial may not have reached the requested step.
            self.submissions.submitted = self.submissions.behind();
        }
        while self.submissions.under_way.len() < self.in_flight() as usize && self.submissions.submitted < self.submissions.asked
        {
            let first = self.submissions.submitted;
            let epoch = self.layout.epoch_steps;
            let steps = (self.submissions.pacing.steps() / epoch).max(1).saturating_mul(epoch).min(self.max_steps);
            let latest = self.submissions.behind().saturating_add(self.layout.clock_rows as u32);
            let until = first.saturating_add(steps).min(self.submissions.asked).min(latest);
            if until <= first && !self.submissions.under_way.is_empty() {
                return;
            }
            let began = now_ms();
            let submission = self.record(device, counters, first, until);
            counters.encode_seconds += (now_ms() - began) / 1000.0;
            self.submissions.submitted = until;
            self.submissions.under_way.push_back(submission);
        }
    }

    /// Maximum number of submissions in flight; also the number of parts of the log.
    pub(crate) fn in_flight(&self) -> u32 {
        self.layout.shape.constants.in_flight
    }

    /// Steps of the epochs of a submission of this many: few steps are one short epoch.
    fn epoch_steps_of(&self, steps: u32) -> u32 {
        self.layout.epoch_steps.min(steps.max(1))
    }

    /// Records and submits the steps before `until`.
    fn record(&mut self, device: &Device, counters: &mut Counters, first: u32, until: u32) -> Submission {
        let part = self.submissions.count % self.in_flight();
        self.submissions.count = self.submissions.count.wrapping_add(1);
        let steps = until - first;
        let epoch_steps = self.epoch_steps_of(steps);
        device.queue.write_buffer(
            &self.buffers.header,
            0,
            bytemuck::cast_slice(&[until, part, self.walks, epoch_steps, self.completed]),
        );
        self.put_clocks(device, until);
        // The rows of spikes of other ranks take an epoch of their own, before the first step.
        let received = !self.plans[0].part().is_whole() && steps > 0 && self.submissions.left[0] > 0;
        let rounds = steps.div_ceil(epoch_steps).div_ceil(self.kernels.epochs).max(1) + u32::from(received);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let jobs = || (0..).step_by(self.buffers.job_stride as usize);
        let round = || jobs().zip(&self.kernels.dispatches).filter(|(_, of)| of.first_step < epoch_steps);
        let dispatches = (0..rounds).flat_map(|_| round()).map(|(job, of)| (&of.pipeline, of.page, job, of.workgroups));
        let dispatches = std::iter::once((&self.kernels.start, 0, 0, 1)).chain(dispatches);
        let mut spare = std::mem::take(&mut self.submissions.spare);
        let timed = match &self.timer {
            None => {
                self.encode(&mut encoder, dispatches);
                None
            }
            Some(timer) => {
                let mut count = 0;
                for dispatch in dispatches {
                    let timestamp_writes = timer.around(count);
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
                    self.put_dispatch(&mut pass, dispatch);
                    count += 1;
                }
                Some(timer.resolve(&mut encoder, count))
            }
        };
        counters.submissions += 1;
        counters.dispatches += 1 + u64::from(rounds) * round().count() as u64;
        // A trial that is behind runs no more steps than were recorded.
        let recorded = rounds.saturating_mul(self.kernels.epochs).saturating_mul(epoch_steps);
        let rows = u64::from(recorded).min(self.layout.batch_steps) as usize;
        let submission = self.read_results(device, encoder, (part, steps, rows), timed, &mut spare);
        self.submissions.spare = spare;
        submission
    }

    /// Encodes dispatches: for each its pipeline, page, job, and workgroups per trial.
    pub(crate) fn encode<'a>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        dispatches: impl Iterator<Item = (&'a wgpu::ComputePipeline, usize, u32, u32)>,
    ) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        dispatches.for_each(|dispatch| self.put_dispatch(&mut pass, dispatch));
    }

    fn put_dispatch(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        (pipeline, page, job, workgroups): (&wgpu::ComputePipeline, usize, u32, u32),
    ) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bindings.storage[page], &[]);
        pass.set_bind_group(1, &self.bindings.job, &[job]);
        pass.dispatch_workgroups(workgroups, self.plans.len() as u32, 1);
    }

    /// Submits the last commands of a submission with this part of the log, number of steps and rows of samples, and reads its results.
    pub(crate) fn read_results(
        &self,
        device: &Device,
        encoder: wgpu::CommandEncoder,
        (part, steps, rows): (u32, u32, usize),
        timed: Option<BufferRange<'_>>,
        spare: &mut Vec<wgpu::Buffer>,
    ) -> Submission {
        let trials = self.plans.len();
        let quick = self.submissions.quick.min(self.layout.capacity as usize);
        let plan = &self.plans[0];
        let words = self.layout.words_of_trial(plan);
        let mut pieces = vec![BufferRange { buffer: &self.buffers.header, at: Header::WORDS, words: trials * Progress::WORDS }];
        for trial in 0..trials {
            let log = (trial * self.in_flight() as usize + part as usize) * self.layout.capacity as usize;
            pieces.push(BufferRange { buffer: &self.buffers.spikes, at: 2 * log, words: 2 * quick });
            let samples = trial * words.samples as usize;
            pieces.push(BufferRange { buffer: &self.buffers.samples, at: samples, words: rows * plan.sampling.columns.len() });
        }
        let stamps = timed.as_ref().map_or(0, |piece| piece.words as u32);
        pieces.extend(timed);
        let reading = device.submit(encoder, &pieces, spare);
        Submission { reading, asked: steps, part: part as usize, quick, rows, submitted_ms: now_ms(), timed: stamps / 4 }
    }

    /// Sends the clocks of all steps before `until`.
    pub(crate) fn put_clocks(&mut self, device: &Device, until: u32) {
        let first = self.submissions.clocks.max(self.submissions.behind());
        self.submissions.clocks = self.submissions.clocks.max(until);
        let (plan, rows) = (&self.plans[0], self.layout.clock_rows as u32);
        if plan.clock_columns == 0 || until <= first {
            return;
        }
        let words = self.layout.words_of_trial(plan).clocks;
        let mut from = first;
        while from < until {
            // Up to the wrap-around of the rows.
            let to = until.min((from / rows + 1) * rows);
            let mut emitted: Option<(&Arc<Plan>, Vec<f32>)> = None;
            for (trial, plan) in (0..).zip(&self.plans) {
                // Trials that differ only in their noise have the same clocks.
                let same = emitted.take().filter(|(known, _)| Arc::ptr_eq(known, plan));
                let (_, clocks) =
                    emitted.insert(same.unwrap_or_else(|| (plan, (from..to).flat_map(|step| plan.clocks(step)).collect())));
                let at = trial * words + u64::from(from % rows) * u64::from(plan.clock_columns);
                device.queue.write_buffer(&self.buffers.clocks, at * 4, bytemuck::cast_slice(clocks));
            }
            from = to;
        }
    }

    /// Processes the results of a submission; returns whether any trial made progress.
    pub(crate) async fn complete(&mut self, device: &Device, submission: Submission) -> Result<bool, Error> {
        let Submission { reading, asked, part, quick, rows, submitted_ms, timed } = submission;
        let words = device.finish(reading, &mut self.submissions.spare).await?;
        let back_ms = now_ms();
        let busy_ms = back_ms - submitted_ms.max(self.submissions.back_ms);
        self.submissions.back_ms = back_ms;
        let (progress, rest) = words.split_at(self.plans.len() * Progress::WORDS);
        let progress: Vec<Progress> = progress.chunks_exact(Progress::WORDS).map(Progress::of_words).collect();
        if let Some(fault) = progress.iter().zip(&self.plans).find_map(|(progress, plan)| fault(progress, plan)) {
            return Err(fault);
        }
        let channels = self.plans[0].sampling.columns.len();
        let (mut max_steps, mut max_spikes, mut moved) = (0, 0, false);
        for (trial, (progress, words)) in progress.iter().zip(rest.chunks_exact((2 * quick + rows * channels).max(1))).enumerate()
        {
            let (log, samples) = words.split_at(2 * quick);
            let begin = (trial * self.in_flight() as usize + part) * self.layout.capacity as usize;
            let (emitted, count) = (progress.log_begin as usize - begin, progress.count as usize - begin);
            let more;
            let log = if count <= quick {
                &log[2 * emitted..2 * count]
            } else {
                let piece = BufferRange { buffer: &self.buffers.spikes, at: 2 * (begin + emitted), words: 2 * (count - emitted) };
                let encoder = device.device.create_command_encoder(&Default::default());
                more = device.read_after(encoder, &[piece]).await?;
                &more
            };
            let gathered = &mut self.submissions.gathered[trial];
            gathered.diverged |= progress.diverged > 0 && progress.diverged == progress.step_next;
            // It may be a number again in the next step.
            gathered.diverged |= progress.not_comparable > progress.origin;
            let before = gathered.spikes.len();
            gathered.spikes.extend(log.chunks_exact(2).map(|spike| Spike { step: spike[0], neuron: spike[1] }));
            let steps = progress.step_next - progress.origin;
            if let Some(times) = &mut self.times {
                times.happened(steps, gathered.spikes[before..].iter());
            }
            gathered.samples.extend(samples[..steps as usize * channels].iter().map(|word| f32::from_bits(*word)));
            let left = progress.count - progress.begin_next;
            moved |= steps > 0 || left != self.submissions.left[trial];
            self.submissions.left[trial] = left;
            self.submissions.reached[trial] = progress.step_next;
            max_steps = max_steps.max(steps);
            max_spikes = max_spikes.max(count);
        }
        let epoch_steps = self.epoch_steps_of(asked);
        if let Some(times) = &mut self.times {
            let dispatches = self.kernels.dispatches.iter().filter(|dispatch| dispatch.first_step < epoch_steps);
            let names = std::iter::once("start").chain(dispatches.map(|dispatch| dispatch.name).cycle());
            times.stamped(&words[words.len() - 4 * timed as usize..], names, device.queue.get_timestamp_period().into());
        }
        // Reserve of a factor of two, so that usually one transfer is sufficient.
        let wanted = (2 * max_spikes).next_power_of_two().max(QUICK_SPIKES.div_ceil(self.plans.len()));
        self.submissions.quick = if wanted > self.submissions.quick { wanted } else { (self.submissions.quick / 2).max(wanted) };
        self.submissions.pacing.record(asked, max_steps, busy_ms);
        Ok(moved)
    }

    /// Results before step `end` that were not returned yet.
    pub(crate) fn take_activity(&mut self, end: u32) -> Vec<Activity> {
        let steps = std::mem::replace(&mut self.submissions.emitted, end)..end;
        let emitted = self.submissions.gathered.iter_mut().map(|gathered| {
            gathered.spikes.sort_unstable();
            gathered.take(steps.clone(), self.plans[0].sampling.of_backend())
        });
        emitted.collect()
    }
}

fn no_step(device: &Device) -> Error {
    device.device_lost_or(Error::Backend(format!(
        "{} completed no step; reset the simulation, or use the CPU",
        device.report().name
    )))
}

/// The event that was too large, if there was one.
fn fault(progress: &Progress, plan: &Plan) -> Option<Error> {
    let projection = &plan.projections[progress.fault.checked_sub(1)? as usize];
    let port = progress.fault_port as usize;
    let of = &plan.populations[projection.post].ports[port];
    Some(projection.state.as_ref()?.too_large(&projection.name, port, of, f32::from_bits(progress.fault_value)))
}
