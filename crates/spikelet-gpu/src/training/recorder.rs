//! Commands, submitted in parts so that no submission becomes too long.

use super::job::Job;
use super::jobs::Dispatch;
use super::program::Program;
use crate::Device;

/// Dispatches of a submission: a driver may end one that takes seconds.
const DISPATCHES: usize = 512;
/// Workgroups along the first dimension of a dispatch, below the portable maximum.
const MAX_COLUMNS: u32 = 32_768;
/// Bytes between the jobs of two dispatches, and between the numbers of two steps.
const STRIDE: u32 = 4 * Job::STRIDE_WORDS as u32;

/// Records the commands of a batch.
pub(super) struct Recorder<'a> {
    device: &'a Device,
    program: &'a Program,
    /// By page of the tape.
    bindings: &'a [wgpu::BindGroup],
    encoder: wgpu::CommandEncoder,
    /// The pass of dispatches without other commands between them.
    pass: Option<wgpu::ComputePass<'static>>,
    dispatches: usize,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(device: &'a Device, program: &'a Program, bindings: &'a [wgpu::BindGroup]) -> Recorder<'a> {
        let encoder = device.device.create_command_encoder(&Default::default());
        Recorder { device, program, bindings, encoder, pass: None, dispatches: 0 }
    }

    /// Sets words to 0.
    pub(super) fn clear(&mut self, buffer: &wgpu::Buffer, at: u64, words: u64) {
        self.pass = None;
        if words > 0 {
            self.encoder.clear_buffer(buffer, 4 * at, Some(4 * words));
        }
    }

    /// Copies words.
    pub(super) fn copy(&mut self, (from, at): (&wgpu::Buffer, u64), (to, onto): (&wgpu::Buffer, u64), words: u64) {
        self.pass = None;
        if words > 0 {
            self.encoder.copy_buffer_to_buffer(from, 4 * at, to, 4 * onto, 4 * words);
        }
    }

    /// Dispatches of a step, with a page of the tape.
    pub(super) fn each(&mut self, dispatches: &[Dispatch], step: u32, page: usize) {
        let bindings = &self.bindings[page];
        dispatches.iter().for_each(|dispatch| self.with(bindings, *dispatch, step));
    }

    /// A dispatch with these buffers.
    pub(super) fn with(&mut self, bindings: &wgpu::BindGroup, dispatch: Dispatch, step: u32) {
        let Some(pipeline) = self.program.pipeline(dispatch.kernel).filter(|_| dispatch.groups > 0) else { return };
        if self.dispatches == DISPATCHES {
            self.pass = None;
            let next = self.device.device.create_command_encoder(&Default::default());
            let full = std::mem::replace(&mut self.encoder, next);
            self.device.queue.submit([full.finish()]);
            self.dispatches = 0;
        }
        let pass = self.pass.get_or_insert_with(|| self.encoder.begin_compute_pass(&Default::default()).forget_lifetime());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, bindings, &[dispatch.job as u32 * STRIDE, step * STRIDE]);
        // Workgroups beyond the last one do nothing.
        let columns = dispatch.groups.min(MAX_COLUMNS);
        pass.dispatch_workgroups(columns, dispatch.groups.div_ceil(columns), 1);
        self.dispatches += 1;
    }

    /// The last commands, which are not submitted yet.
    pub(super) fn finish(self) -> wgpu::CommandEncoder {
        drop(self.pass);
        self.encoder
    }
}
