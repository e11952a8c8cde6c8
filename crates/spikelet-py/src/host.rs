//! The interpreter as the host of a run: its clock, a signal that stops it, and a device in place of a lost one.

use std::time::Instant;

use spikelet::{Backend, Checkpoints, Cpu, DeviceLoss, Error, Host, Next, Plan, Replacement, Simulation};
use spikelet_gpu::DeviceKind;

use crate::device::DeviceRequest;
use crate::failure::Failure;
use crate::worker::Progress;

/// Wall time of a batch of steps in ms: the time until a signal has an effect.
pub(crate) const BATCH_MS: f64 = 50.0;

/// The host of the runs of one device.
pub(crate) struct RunHost {
    request: DeviceRequest,
    kind: DeviceKind,
    /// Reference time of its clock.
    began: Instant,
    /// Of the current run.
    pub(crate) progress: Progress,
    /// The losses of devices.
    pub(crate) losses: Vec<DeviceLoss>,
}

impl RunHost {
    /// For a device that was opened as requested.
    pub(crate) fn new(request: DeviceRequest, kind: DeviceKind) -> RunHost {
        RunHost { request, kind, began: Instant::now(), progress: Progress::default(), losses: Vec::new() }
    }
}

impl Host for RunHost {
    type Error = Failure;

    fn now_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    fn next(&mut self, _: &Simulation, proposed: u32) -> Result<Next, Failure> {
        Ok(if self.progress.is_stopped() { Next::Pause } else { Next::Run(proposed) })
    }

    fn batches_ahead(&self) -> u32 {
        1
    }

    fn checkpoints(&self) -> Checkpoints {
        if self.kind == DeviceKind::Gpu { Checkpoints::Needed } else { Checkpoints::IfSmall }
    }

    async fn open(&mut self, successor: Replacement, _: &Plan) -> Result<Box<dyn Backend>, Error> {
        let failed = |failure: Failure| Error::Backend(failure.0);
        self.kind = DeviceKind::Cpu;
        if successor == Replacement::Cpu {
            return Ok(Box::new(Cpu::new(self.request.threads().map_err(failed)?).sparing()));
        }
        let opened = self.request.open().map_err(failed)?;
        self.kind = opened.kind;
        Ok(opened.backend)
    }

    fn replaced(&mut self, _: &Simulation, loss: DeviceLoss) {
        self.losses.push(loss);
    }
}
