//! Recovery of a run after the loss of its device, or after a failure.

use spikelet::{Backend, Error, Plan, Replacement};

use super::command_error::CommandError;
use super::devices::EngineDevices;
use super::run::OpenNetwork;
use super::time::now_ms;
use crate::protocol::{BackendChoice, Event, Notice, NoticeCode};

impl OpenNetwork {
    /// Takes checkpoints: on a GPU, because it can be lost; before conditions that can become true within a batch; and for small networks.
    pub(super) async fn checkpoint_if_due(&mut self) -> Result<(), Error> {
        let needed = self.build.is_gpu() || self.is_conditional();
        let is_due = self.is_running() && self.recovery.is_due(&self.simulation, needed, now_ms());
        if is_due { self.checkpoint().await } else { Ok(()) }
    }

    /// Takes a checkpoint before a run that can end within a batch, unless there is one at this step: then only this run is repeated.
    pub(super) async fn checkpoint_start(&mut self) -> Result<(), Error> {
        let kept = self.simulation.checkpoint_step() == self.simulation.step();
        let ahead = self.simulation.device_step() > self.simulation.step();
        if self.is_conditional() && !kept && !ahead { self.checkpoint().await } else { Ok(()) }
    }

    async fn checkpoint(&mut self) -> Result<(), Error> {
        let began_ms = now_ms();
        self.simulation.checkpoint().await?;
        self.recovery.kept(began_ms, now_ms());
        Ok(())
    }
}

impl EngineDevices {
    /// Continues after the loss of a device, and reports it.
    ///
    /// # Errors
    /// No other device is available.
    pub(super) async fn resume(&mut self, run: &mut OpenNetwork, device: &str, why: &str) -> Result<(), Error> {
        self.gpu.shut();
        let OpenNetwork { simulation, build, recovery, .. } = run;
        let open = async |successor: Replacement, plan: &Plan| -> Result<Box<dyn Backend>, Error> {
            let choice = match successor {
                Replacement::Again => build.choice,
                Replacement::Cpu => BackendChoice::Cpu,
            };
            Ok(self.choose_replacement(build, choice, plan).await?.backend)
        };
        let message = recovery.resume(simulation, device, why, open).await?.to_string();
        run.follow_device();
        self.emit(Event::Info(Box::new(run.info())));
        self.emit(Event::Notice(Notice { code: NoticeCode::DeviceLost, message }));
        Ok(())
    }

    /// Gives a failed run a working device, at its start.
    pub(super) async fn rebuild(&mut self, run: &mut OpenNetwork) -> Result<(), CommandError> {
        let OpenNetwork { simulation, build, .. } = run;
        let choice = build.choice;
        let chosen = self.choose_replacement(build, choice, simulation.plan()).await?;
        simulation.restart_on(chosen.backend).await?;
        run.broken = false;
        self.emit(Event::Info(Box::new(run.info())));
        Ok(())
    }
}
