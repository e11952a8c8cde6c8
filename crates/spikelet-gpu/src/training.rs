//! Backpropagation through time on a GPU, with the bits of [`spikelet_train::bptt::Cpu`](spikelet_train::bptt).
//!
//! The state of all trials of a batch lies on the device, a lane for each neuron of a trial. A step forward is a dispatch for each population
//! and one for each projection; a step back is a dispatch for each population that is trained. Spikes are bits. Gradients of weights and
//! readings follow block by block. All steps are recorded one after the other: nothing is read back in between.
//!
//! The tape has pages, each a buffer, so that it may be larger than what a kernel can use. The order of all sums is that of the CPU.

mod buffers;
mod input;
mod job;
mod jobs;
mod layout;
mod program;
mod recorder;
mod session;
mod tables;

use std::sync::Arc;

use spikelet::{Error, Spike, Task};
use spikelet_train::{Batch, DeviceValues, Differentiable, RawGradient, Readings, TrainingPlan};

use crate::Device;
use session::TrainingSession;

/// Backpropagation through time on a GPU.
pub struct GpuBptt {
    device: Device,
    session: Option<TrainingSession>,
}

impl GpuBptt {
    /// On an open device.
    pub fn new(device: Device) -> GpuBptt {
        GpuBptt { device, session: None }
    }
}

fn not_loaded() -> Error {
    Error::Backend("there is no batch; call `load`, `set` and `forward` first".into())
}

impl Differentiable for GpuBptt {
    fn name(&self) -> String {
        format!("backpropagation through time, {}", self.device.report().name)
    }

    fn load(&mut self, plan: Arc<TrainingPlan>, trials: usize) -> Task<'_, ()> {
        Box::pin(async move {
            // Frees the memory of what was there first.
            self.session = None;
            self.session = Some(TrainingSession::new(&self.device, plan, trials).await?);
            Ok(())
        })
    }

    fn set(&mut self, values: Arc<DeviceValues>) -> Task<'_, ()> {
        Box::pin(async move { self.session.as_mut().ok_or_else(not_loaded)?.set(&values) })
    }

    fn forward<'a>(&'a mut self, batch: &'a Batch, tape: bool) -> Task<'a, Readings> {
        Box::pin(async move { self.session.as_mut().ok_or_else(not_loaded)?.forward(batch, tape).await })
    }

    fn backward<'a>(&'a mut self, adjoints: &'a Readings) -> Task<'a, RawGradient> {
        Box::pin(async move { self.session.as_mut().ok_or_else(not_loaded)?.backward(adjoints).await })
    }

    fn spikes(&mut self, trial: usize) -> Task<'_, Vec<Spike>> {
        Box::pin(async move { self.session.as_mut().ok_or_else(not_loaded)?.spikes(trial).await })
    }

    fn tape_bytes(&self) -> u64 {
        self.session.as_ref().map_or(0, TrainingSession::tape_bytes)
    }
}
