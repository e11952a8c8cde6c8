//! EventProp on a GPU, with the bits of [`spikelet_train::EventPropCpu`].
//!
//! A workgroup simulates a trial event by event: its invocations share the search for the next event and the neurons that it reaches. On
//! the way back a workgroup passes the trials of a chunk one after the other, which is the order in which the CPU adds up their gradients.
//! State and events of a trial lie in one buffer. If the spikes of a batch do not fit, the buffer grows and the batch is simulated again.

mod layout;
mod program;
mod session;
mod tables;

use std::sync::Arc;

use spikelet::{Error, Notice, Spike, Task};
use spikelet_train::eventprop::{CLIP, limited_notice};
use spikelet_train::{Batch, DeviceValues, Differentiable, RawGradient, Readings, TrainingPlan};

use crate::Device;
use session::EventPropSession;

/// EventProp on a GPU.
pub struct GpuEventProp {
    device: Device,
    session: Option<EventPropSession>,
}

impl GpuEventProp {
    /// On an open device.
    pub fn new(device: Device) -> GpuEventProp {
        GpuEventProp { device, session: None }
    }

    fn session(&mut self) -> Result<&mut EventPropSession, Error> {
        self.session.as_mut().ok_or_else(not_loaded)
    }
}

fn not_loaded() -> Error {
    Error::Backend("there is no batch; call `load`, `set` and `forward` first".into())
}

impl Differentiable for GpuEventProp {
    fn name(&self) -> String {
        format!("EventProp, {}", self.device.report().name)
    }

    fn load(&mut self, plan: Arc<TrainingPlan>, trials: usize) -> Task<'_, ()> {
        Box::pin(async move {
            // Frees the memory of what was there first.
            self.session = None;
            self.session = Some(EventPropSession::new(&self.device, plan, trials).await?);
            Ok(())
        })
    }

    fn set(&mut self, values: Arc<DeviceValues>) -> Task<'_, ()> {
        Box::pin(async move { self.session()?.set(&values) })
    }

    fn forward<'a>(&'a mut self, batch: &'a Batch, _tape: bool) -> Task<'a, Readings> {
        Box::pin(async move { self.session()?.forward(batch).await })
    }

    fn backward<'a>(&'a mut self, adjoints: &'a Readings) -> Task<'a, RawGradient> {
        Box::pin(async move { self.session()?.backward(adjoints).await })
    }

    fn spikes(&mut self, trial: usize) -> Task<'_, Vec<Spike>> {
        Box::pin(async move { self.session()?.spikes(trial).await })
    }

    fn notices(&self) -> Vec<Notice> {
        limited_notice(self.session.as_ref().map_or(0, EventPropSession::limited), CLIP)
    }

    fn tape_bytes(&self) -> u64 {
        self.session.as_ref().map_or(0, EventPropSession::tape_bytes)
    }
}
