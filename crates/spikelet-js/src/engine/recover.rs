//! A run that goes on where its device is lost, and one that starts again where it broke off.

use spikelet::{Backend, Error, Plan, Successor};

use super::machine::Machine;
use super::refusal::Refusal;
use super::run::Run;
use super::time::now_ms;
use crate::protocol::{BackendChoice, Event, Notice, NoticeCode};

impl Run {
    /// Takes a checkpoint now and then: on a GPU, which can be lost, where a condition may hold within a batch, which is then to be run
    /// again, and of what is small.
    pub(super) async fn keep(&mut self) -> Result<(), Error> {
        let needed = self.build.is_gpu() || self.is_conditional();
        let is_due = self.is_running() && self.recovery.is_due(&self.simulation, needed, now_ms());
        if is_due { self.checkpoint().await } else { Ok(()) }
    }

    /// Takes one before a run that may end within a batch, unless there was one here: then that run alone is to be run again.
    pub(super) async fn keep_start(&mut self) -> Result<(), Error> {
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

impl Machine {
    /// Goes on with a network after its device was lost, and tells so.
    ///
    /// # Errors
    /// It cannot go on anywhere.
    pub(super) async fn go_on(&mut self, run: &mut Run, device: &str, why: &str) -> Result<(), Error> {
        self.gpu.shut();
        let Run { simulation, build, recovery, .. } = run;
        let open = async |successor: Successor, plan: &Plan| -> Result<Box<dyn Backend>, Error> {
            let choice = match successor {
                Successor::Again => build.choice,
                Successor::Cpu => BackendChoice::Cpu,
            };
            Ok(self.choose_again(build, choice, plan).await?.backend)
        };
        let message = recovery.go_on(simulation, device, why, open).await?.to_string();
        run.follow_device();
        self.tell(Event::Info(Box::new(run.info())));
        self.tell(Event::Notice(Notice { code: NoticeCode::DeviceLost, message }));
        Ok(())
    }

    /// Gives a run that broke off a device that works, at its start.
    pub(super) async fn mend(&mut self, run: &mut Run) -> Result<(), Refusal> {
        let Run { simulation, build, .. } = run;
        let choice = build.choice;
        let chosen = self.choose_again(build, choice, simulation.plan()).await?;
        simulation.restart_on(chosen.backend).await?;
        run.broken = false;
        self.tell(Event::Info(Box::new(run.info())));
        Ok(())
    }
}
