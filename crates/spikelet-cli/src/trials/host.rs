//! The program as the host of a run: its clock, signals, what ranks agree upon, and a device in place of a lost one.

use std::num::NonZeroU32;
use std::time::Instant;

use spikelet::{Backend, Checkpoints, Cpu, DeviceLoss, Error, Host, Next, Plan, Replacement, Simulation};
use spikelet_gpu::{Device, DeviceKind, SelectedBackend};

use super::agreed::{self, Agreed, agreed};
use super::cadence::Cadence;
use crate::args::RunArguments;
use crate::failure::Failure;
use crate::ranks::Ranks;
use crate::{device, terminal};

/// The host of the trials of a run.
pub(crate) struct RunHost<'a> {
    args: &'a RunArguments,
    ranks: &'a Ranks,
    pub(super) cadence: Cadence,
    /// Whether the device can be lost: a CPU cannot.
    on_gpu: bool,
    /// The GPU that `--lose-device-at` destroys.
    doomed: Option<Device>,
    /// Reference time of its clock.
    began: Instant,
    /// Whether a signal wants the state to be saved.
    pub(super) must_save: bool,
    /// What was agreed upon before the last batch.
    pub(super) agreed: Agreed,
    /// The notices about devices.
    pub(super) notices: Vec<String>,
}

impl<'a> RunHost<'a> {
    /// For a run whose steps have this length.
    pub(super) fn new(args: &'a RunArguments, ranks: &'a Ranks, dt_ms: f64) -> RunHost<'a> {
        let (cadence, began) = (Cadence::new(args, dt_ms), Instant::now());
        let (on_gpu, doomed, must_save, agreed, notices) = (false, None, false, Agreed::default(), Vec::new());
        RunHost { args, ranks, cadence, on_gpu, doomed, began, must_save, agreed, notices }
    }

    /// A device was chosen.
    pub(super) fn opened(&mut self, chosen: &SelectedBackend) {
        self.on_gpu = chosen.kind == DeviceKind::Gpu;
        self.doomed = self.args.lose_device_at.and(chosen.gpu.as_ref().map(|(device, _)| device.clone()));
    }
}

impl Host for RunHost<'_> {
    type Error = Failure;

    fn now_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    fn next(&mut self, simulation: &Simulation, proposed: u32) -> Result<Next, Failure> {
        let (step, now_ms) = (simulation.step(), simulation.time_ms());
        let wanted = self.args.batch_steps.map_or(proposed, NonZeroU32::get);
        self.agreed = agreed(self.ranks, wanted, self.must_save || self.cadence.is_due(step))?;
        if self.args.lose_device_at.is_some_and(|ms| now_ms >= ms)
            && let Some(device) = self.doomed.take()
        {
            device.destroy();
        }
        if self.agreed.pauses() {
            return Ok(Next::Pause);
        }
        // A hidden option, to test the end by a panic.
        assert!(self.args.panic_at.is_none_or(|ms| now_ms < ms), "--panic-at");
        agreed::hang_at(self.args.hang_at, now_ms, self.ranks);
        Ok(Next::Run(self.agreed.steps))
    }

    fn batches_ahead(&self) -> u32 {
        1
    }

    fn device_until(&self) -> u32 {
        self.cadence.next_step()
    }

    fn checkpoints(&self) -> Checkpoints {
        // One part of a network cannot return to an earlier state alone.
        match (self.ranks.share_network(), self.on_gpu) {
            (true, _) => Checkpoints::Never,
            (false, true) => Checkpoints::Needed,
            (false, false) => Checkpoints::IfSmall,
        }
    }

    async fn open(&mut self, successor: Replacement, _: &Plan) -> Result<Box<dyn Backend>, Error> {
        self.on_gpu = false;
        if successor == Replacement::Cpu {
            return Ok(Box::new(Cpu::new(device::threads(self.args.threads)).sparing()));
        }
        let chosen = device::choose(self.args, None)?;
        self.on_gpu = chosen.kind == DeviceKind::Gpu;
        Ok(chosen.backend)
    }

    fn replaced(&mut self, _: &Simulation, loss: DeviceLoss) {
        let notice = loss.to_string();
        if !self.args.quiet {
            terminal::notice(&notice);
        }
        self.notices.push(notice);
    }
}
