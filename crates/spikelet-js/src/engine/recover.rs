//! A run that goes on where its GPU is lost.

use spikelet::{Error, Pool};
use spikelet_gpu::Kind;

use super::desk::{Desk, Run};
use super::{summary, turn::now_ms};
use crate::protocol::{BackendChoice, Event};

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
    /// Takes a checkpoint now and then, on a GPU, which can be lost.
    pub(super) async fn keep(&mut self) -> Result<(), Error> {
        let due_ms = self.checkpoints.last_ms + EVERY_MS.max(SHARE * self.checkpoints.took_ms);
        if !self.is_gpu || self.simulation.stopped().is_some() || now_ms() < due_ms {
            return Ok(());
        }
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
        self.run = Some(run);
        (self.post)(done?);
        Ok(())
    }

    async fn move_run(&mut self, run: &mut Run, device: &str, why: &str) -> Result<Event, Error> {
        let lost_ms = run.simulation.time_ms();
        if !std::mem::replace(&mut run.checkpoints.lost, true)
            && let Ok(event) = self.move_to(run, run.choice, device, why, lost_ms).await
        {
            return Ok(event);
        }
        self.move_to(run, BackendChoice::Cpu, device, why, lost_ms).await
    }

    async fn move_to(
        &mut self,
        run: &mut Run,
        choice: BackendChoice,
        device: &str,
        why: &str,
        lost_ms: f64,
    ) -> Result<Event, Error> {
        let chosen = self.choose(choice, run.simulation.plan(), Pool::new(1)).await?;
        let (backend, is_gpu) = (summary::backend(&chosen, &self.threads), chosen.kind == Kind::Gpu);
        let monitor = chosen.gpu.as_ref().map(|(_, monitor)| monitor.clone());
        run.simulation.resume_on(chosen.backend).await?;
        run.settle_on(is_gpu);
        let from_ms = f64::from(run.simulation.checkpoint_step()) * run.simulation.plan().dt_ms;
        let message =
            format!("{device} was lost at {lost_ms:.1} ms ({why}); the run went on from {from_ms:.1} ms on {}", backend.name);
        Ok(summary::moved(run.id, &run.simulation, backend, monitor.as_ref(), message))
    }
}
