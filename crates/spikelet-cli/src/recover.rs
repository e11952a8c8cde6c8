//! A run that survives the loss of its GPU, and need not be run again from its start where its state leaves the numbers.

use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::{Cpu, Error, Simulation};
use spikelet_gpu::{Chosen, Device, Kind};

use crate::args::Run;
use crate::failure::Failure;
use crate::{device, output, terminal};

/// How often there is a checkpoint, as long as it is cheap.
const EVERY: Duration = Duration::from_secs(5);
/// A checkpoint may take one part in this many of the time since the one before: 2 %.
const SHARE: u32 = 50;

/// On the CPU, which is not lost, a checkpoint of more bytes is not worth its memory.
const MOST_ON_CPU: u64 = 64 << 20;

/// What goes on where a GPU was lost.
pub(crate) struct Recovery<'a> {
    args: &'a Run,
    /// Whether the device can be lost: a CPU cannot.
    on_gpu: bool,
    /// The GPU that `--lose-device-at` destroys.
    doomed: Option<Device>,
    last: Instant,
    took: Duration,
    /// Whether a device was lost since the last checkpoint: a second one would be lost at the same place.
    lost: bool,
    /// What happened, a sentence each.
    pub(crate) notices: Vec<String>,
}

impl<'a> Recovery<'a> {
    /// For a run that begins on `chosen`.
    pub(crate) fn new(args: &'a Run, chosen: &Chosen) -> Recovery<'a> {
        let doomed = args.lose_device_at.and(chosen.gpu.as_ref().map(|(device, _)| device.clone()));
        let (on_gpu, last, took) = (chosen.kind == Kind::Gpu, Instant::now(), Duration::ZERO);
        Recovery { args, on_gpu, doomed, last, took, lost: false, notices: Vec::new() }
    }

    /// Does something with the simulation, again on another device where the one that it was on is lost.
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

    /// Takes a checkpoint now and then.
    pub(crate) fn keep(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if let Some(time_ms) = self.args.lose_device_at
            && simulation.time_ms() >= time_ms
            && let Some(device) = self.doomed.take()
        {
            device.destroy();
        }
        if self.last.elapsed() < EVERY.max(SHARE * self.took) {
            return Ok(());
        }
        let bytes = simulation.plan().trial_memory().saturating_mul(simulation.runs().len() as u64);
        // A run that has ended is not run again.
        if simulation.is_over() || !self.on_gpu && bytes > MOST_ON_CPU {
            return Ok(());
        }
        let start = Instant::now();
        self.attempt(simulation, |simulation| block_on(simulation.checkpoint()))?;
        (self.last, self.took, self.lost) = (Instant::now(), start.elapsed(), false);
        Ok(())
    }

    /// Takes the same kind of device once more, and the CPU if that fails too.
    fn go_on(&mut self, simulation: &mut Simulation, device: &str, why: &str) -> Result<(), Failure> {
        let (lost_ms, dt_ms) = (simulation.time_ms(), simulation.plan().dt_ms);
        let again = if std::mem::replace(&mut self.lost, true) { None } else { device::choose(self.args).ok() };
        let on_gpu = again.as_ref().is_some_and(|chosen| chosen.kind == Kind::Gpu);
        let resumed = again.is_some_and(|chosen| block_on(simulation.resume_on(chosen.backend)).is_ok());
        self.on_gpu = on_gpu && resumed;
        if !resumed {
            let cpu = Cpu::new(device::threads(self.args.threads)).sparing();
            block_on(simulation.resume_on(Box::new(cpu)))?;
        }
        let [lost_ms, from_ms] = [lost_ms, f64::from(simulation.checkpoint_step()) * dt_ms].map(output::without_dust);
        let name = simulation.backend().name();
        let notice = format!("{device} was lost at {lost_ms} ms ({why}); going on from {from_ms} ms on {name}");
        if !self.args.quiet {
            terminal::notice(&notice);
        }
        self.notices.push(notice);
        Ok(())
    }
}
