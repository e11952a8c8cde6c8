//! Times of checkpoints, and recovery after the loss of a device.

use spikelet_plan::time;

use super::{DeviceLoss, Host, Replacement};
use crate::{Error, Simulation};

/// Wall time between two checkpoints if they are cheap, in ms.
const EVERY_MS: f64 = 5000.0;

/// A checkpoint may take this fraction of the time since the previous one: 2 %.
const SHARE: f64 = 50.0;

/// If a run need not return to it, a larger checkpoint is not worth its memory.
const MAX_BYTES: u64 = 64 << 20;

/// The time of the last checkpoint, and whether the device was lost since then. Times are those of any clock, in ms.
#[derive(Debug, Clone, Default)]
pub(super) struct Recovery {
    /// None before the first run.
    last_ms: Option<f64>,
    took_ms: f64,
    /// A second device would be lost at the same step.
    lost: bool,
}

impl Recovery {
    /// A batch of a run begins.
    pub(super) fn begin(&mut self, now_ms: f64) {
        self.last_ms.get_or_insert(now_ms);
    }

    /// Whether to take a [checkpoint](Simulation::checkpoint) now. It is `needed` if the device can be lost, or may have to go back;
    /// otherwise it saves a run with an infinite or NaN state from starting again, and is taken if it is small. None is needed after the
    /// end of a run.
    pub(super) fn is_due(&self, simulation: &Simulation, needed: bool, now_ms: f64) -> bool {
        let bytes = || simulation.plan().trial_memory().saturating_mul(simulation.runs().len() as u64);
        self.is_time(now_ms) && !simulation.is_over() && (needed || bytes() <= MAX_BYTES)
    }

    fn is_time(&self, now_ms: f64) -> bool {
        self.last_ms.is_some_and(|last_ms| now_ms - last_ms >= EVERY_MS.max(SHARE * self.took_ms))
    }

    /// A checkpoint was taken, between these times.
    pub(super) fn kept(&mut self, began_ms: f64, ended_ms: f64) {
        *self = Recovery { last_ms: Some(ended_ms), took_ms: ended_ms - began_ms, lost: false };
    }

    /// Continues after a loss, of a device by its name and its message, from the last checkpoint: on a device that the host opens, first the
    /// same kind again, then the CPU if that cannot be opened, fails too, or was lost since that checkpoint.
    ///
    /// # Errors
    /// The error of the CPU, or of the host.
    pub(super) async fn resume(
        &mut self,
        simulation: &mut Simulation,
        (device, why): (&str, &str),
        host: &mut impl Host,
    ) -> Result<DeviceLoss, Error> {
        let lost_ms = simulation.time_ms();
        let lost_before = std::mem::replace(&mut self.lost, true);
        let again = if lost_before { None } else { host.open(Replacement::Again, simulation.plan()).await.ok() };
        let continues = match again {
            Some(backend) => simulation.resume_on(backend).await.is_ok(),
            None => false,
        };
        if !continues {
            let backend = host.open(Replacement::Cpu, simulation.plan()).await?;
            simulation.resume_on(backend).await?;
        }
        let from_ms = time::of_step(simulation.checkpoint_step(), simulation.plan().dt_ms);
        let successor = simulation.backend().name();
        Ok(DeviceLoss { device: device.to_owned(), why: why.to_owned(), lost_ms, from_ms, successor })
    }
}
