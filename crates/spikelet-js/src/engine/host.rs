//! The Worker as the host of a run: its clock, the speed that is allowed, and a device in place of a lost one.

use spikelet::{Backend, Checkpoints, DeviceLoss, Error, Host, Next, Plan, Replacement, Simulation};

use super::built::Build;
use super::devices::EngineDevices;
use super::time::now_ms;
use crate::protocol::{BackendChoice, Event, Notice, NoticeCode};

/// Number of batches that a GPU begins in advance.
const BATCHES_AHEAD: u32 = 2;

/// The host of the open network for one batch or command.
pub(super) struct RunHost<'a> {
    pub(super) machine: &'a mut EngineDevices,
    pub(super) build: &'a mut Build,
    /// Steps that the speed limit allows now, and whether there is one.
    pub(super) allowed: u32,
    pub(super) is_limited: bool,
}

impl Host for RunHost<'_> {
    type Error = Error;

    fn now_ms(&self) -> f64 {
        now_ms()
    }

    fn next(&mut self, _: &Simulation, proposed: u32) -> Result<Next, Error> {
        Ok(Next::Run(proposed.min(self.allowed)))
    }

    /// A GPU works ahead while the page processes results, unless the speed is limited; the CPU cannot.
    fn batches_ahead(&self) -> u32 {
        if self.build.is_gpu() && !self.is_limited { BATCHES_AHEAD } else { 0 }
    }

    fn checkpoints(&self) -> Checkpoints {
        if self.build.is_gpu() { Checkpoints::Needed } else { Checkpoints::IfSmall }
    }

    async fn open(&mut self, successor: Replacement, plan: &Plan) -> Result<Box<dyn Backend>, Error> {
        self.machine.gpu.shut();
        let choice = match successor {
            Replacement::Again => self.build.choice,
            Replacement::Cpu => BackendChoice::Cpu,
        };
        Ok(self.machine.choose_replacement(self.build, choice, plan).await?.backend)
    }

    fn replaced(&mut self, simulation: &Simulation, loss: DeviceLoss) {
        self.machine.emit(Event::Info(Box::new(self.build.info(simulation))));
        self.machine.emit(Event::Notice(Notice { code: NoticeCode::DeviceLost, message: loss.to_string() }));
    }
}
