//! A run that goes on where its device is lost, and one that starts again where it broke off.

use spikelet::Error;

use super::desk::Desk;
use super::refusal::Refusal;
use super::run::Run;
use super::time::now_ms;
use crate::protocol::{BackendChoice, Event, Notice, NoticeCode};

/// Wall time between two checkpoints, as long as they are cheap, in ms.
const EVERY_MS: f64 = 5000.0;
/// A checkpoint may take one part in this many of the time since the one before.
const SHARE: f64 = 50.0;

/// When there was a checkpoint, and what it took.
pub(super) struct Checkpoints {
    last_ms: f64,
    took_ms: f64,
    /// Whether a device was lost since: a second one would be lost at the same place.
    lost: bool,
}

impl Checkpoints {
    pub(super) fn new() -> Checkpoints {
        Checkpoints { last_ms: now_ms(), took_ms: 0.0, lost: false }
    }
}

impl Run {
    /// Takes a checkpoint now and then: on a GPU, which can be lost, and where a condition may hold within a batch, which is then to be
    /// run again.
    pub(super) async fn keep(&mut self) -> Result<(), Error> {
        let due_ms = self.checkpoints.last_ms + EVERY_MS.max(SHARE * self.checkpoints.took_ms);
        let wanted = self.is_running() && (self.build.is_gpu() || self.is_conditional());
        if wanted && now_ms() >= due_ms { self.checkpoint().await } else { Ok(()) }
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
        self.checkpoints = Checkpoints { last_ms: now_ms(), took_ms: now_ms() - began_ms, lost: false };
        Ok(())
    }
}

impl Desk {
    /// Goes on with the open network after its device was lost: on a new one if there is, else on the CPU. Tells so.
    ///
    /// # Errors
    /// It cannot go on anywhere.
    pub(super) async fn go_on(&mut self, device: &str, why: &str) -> Result<(), Error> {
        let Some(mut run) = self.run.take() else { return Ok(()) };
        self.gpu.shut();
        let done = self.move_run(&mut run, device, why).await;
        if let Ok(notice) = &done {
            self.tell(Event::Info(Box::new(run.info())));
            self.tell(Event::Notice(notice.clone()));
        }
        self.run = Some(run);
        done.map(|_| ())
    }

    async fn move_run(&mut self, run: &mut Run, device: &str, why: &str) -> Result<Notice, Error> {
        let lost_ms = run.simulation.time_ms();
        let lost_before = std::mem::replace(&mut run.checkpoints.lost, true);
        if lost_before || self.move_to(run, run.build.choice).await.is_err() {
            self.move_to(run, BackendChoice::Cpu).await?;
        }
        let from_ms = f64::from(run.simulation.checkpoint_step()) * run.simulation.plan().dt_ms;
        let name = &run.build.backend().name;
        let message = format!("{device} was lost at {lost_ms:.1} ms ({why}); the run went on from {from_ms:.1} ms on {name}");
        Ok(Notice { code: NoticeCode::DeviceLost, message })
    }

    async fn move_to(&mut self, run: &mut Run, choice: BackendChoice) -> Result<(), Error> {
        let chosen = self.choose_again(run, choice).await?;
        run.simulation.resume_on(chosen.backend).await?;
        run.follow_device();
        Ok(())
    }

    /// Gives a run that broke off a device that works, at its start.
    pub(super) async fn mend(&mut self, run: &mut Run) -> Result<(), Refusal> {
        let chosen = self.choose_again(run, run.build.choice).await?;
        run.simulation.restart_on(chosen.backend).await?;
        run.broken = false;
        self.tell(Event::Info(Box::new(run.info())));
        Ok(())
    }
}
