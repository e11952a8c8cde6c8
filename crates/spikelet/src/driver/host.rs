//! What a run needs of the program that it is in.

use crate::{Backend, Error, Plan, Simulation};

use super::{DeviceLoss, Replacement};

/// The program that a run is in: it has the clock, says how far the next batch goes, and opens devices.
#[expect(async_fn_in_trait, reason = "the loop is bound to the thread of its device")]
pub trait Host {
    /// Errors of the host, besides those of the simulation.
    type Error: From<Error>;

    /// Wall time in ms, from any point on.
    fn now_ms(&self) -> f64;

    /// What to do now, at the simulation's step. `proposed` steps take about the time that batches should have.
    ///
    /// # Errors
    /// Any of the host: it ends the batch.
    fn next(&mut self, simulation: &Simulation, proposed: u32) -> Result<Next, Self::Error>;

    /// Number of batches that the device begins while the results of one are processed.
    fn batches_ahead(&self) -> u32 {
        0
    }

    /// A step at which the device stops, and a batch ends: the state is read there.
    fn device_until(&self) -> u32 {
        u32::MAX
    }

    /// Whether the state is kept in memory from time to time.
    fn checkpoints(&self) -> Checkpoints;

    /// Opens the successor of a lost device.
    ///
    /// # Errors
    /// There is none.
    async fn open(&mut self, successor: Replacement, plan: &Plan) -> Result<Box<dyn Backend>, Error>;

    /// The simulation has continued on another device.
    fn replaced(&mut self, simulation: &Simulation, loss: DeviceLoss);
}

/// What a run does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A batch of at most this many steps; 0 is none now.
    Run(u32),
    /// Only the steps that the device has begun, if any.
    Pause,
}

/// When the state is kept in memory, to continue from after a loss or a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoints {
    /// The device can be lost.
    Needed,
    /// If the state is small: an infinite or NaN state is then located without a repetition of the whole run.
    IfSmall,
    /// A checkpoint is taken elsewhere, or is not possible.
    Never,
}
