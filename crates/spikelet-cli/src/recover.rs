//! Recovery after the loss of the GPU, and checkpoints to locate infinite or NaN states.

use std::time::Instant;

use pollster::block_on;
use spikelet::{Backend, Cpu, Error, Plan, Recovery, Replacement, Simulation};
use spikelet_gpu::{Device, DeviceKind, SelectedBackend};

use crate::args::RunArguments;
use crate::failure::Failure;
use crate::{device, terminal};

/// Recovery of a run.
pub(crate) struct DeviceRecovery<'a> {
    args: &'a RunArguments,
    /// Whether the device can be lost: a CPU cannot.
    on_gpu: bool,
    /// The GPU that `--lose-device-at` destroys.
    doomed: Option<Device>,
    recovery: Recovery,
    /// Reference time of checkpoints.
    began: Instant,
    /// The notices.
    pub(crate) notices: Vec<String>,
}

impl<'a> DeviceRecovery<'a> {
    /// For a run that begins on `chosen`.
    pub(crate) fn new(args: &'a RunArguments, chosen: &SelectedBackend) -> DeviceRecovery<'a> {
        let doomed = args.lose_device_at.and(chosen.gpu.as_ref().map(|(device, _)| device.clone()));
        let (on_gpu, recovery, began) = (chosen.kind == DeviceKind::Gpu, Recovery::new(0.0), Instant::now());
        DeviceRecovery { args, on_gpu, doomed, recovery, began, notices: Vec::new() }
    }

    fn now_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    /// Calls a function of the simulation, again on another device if the current one is lost.
    pub(crate) fn attempt<T>(
        &mut self,
        simulation: &mut Simulation,
        mut call: impl FnMut(&mut Simulation) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        loop {
            match call(simulation) {
                Ok(done) => return Ok(done),
                Err(Error::DeviceLost { device, why }) => self.go_on(simulation, &device, &why)?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes a checkpoint if one is due.
    pub(crate) fn keep(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if let Some(time_ms) = self.args.lose_device_at
            && simulation.time_ms() >= time_ms
            && let Some(device) = self.doomed.take()
        {
            device.destroy();
        }
        let began_ms = self.now_ms();
        if self.recovery.is_due(simulation, self.on_gpu, began_ms) {
            self.attempt(simulation, |simulation| block_on(simulation.checkpoint()))?;
            self.recovery.kept(began_ms, self.now_ms());
        }
        Ok(())
    }

    fn go_on(&mut self, simulation: &mut Simulation, device: &str, why: &str) -> Result<(), Failure> {
        let (args, on_gpu) = (self.args, &mut self.on_gpu);
        let open = async |successor: Replacement, _: &Plan| -> Result<Box<dyn Backend>, Error> {
            *on_gpu = false;
            if successor == Replacement::Cpu {
                let cpu: Box<dyn Backend> = Box::new(Cpu::new(device::threads(args.threads)).sparing());
                return Ok(cpu);
            }
            let chosen = device::choose(args, None)?;
            *on_gpu = chosen.kind == DeviceKind::Gpu;
            Ok(chosen.backend)
        };
        let notice = block_on(self.recovery.resume(simulation, device, why, open))?.to_string();
        if !self.args.quiet {
            terminal::notice(&notice);
        }
        self.notices.push(notice);
        Ok(())
    }
}
