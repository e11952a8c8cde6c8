//! The control of a run in wall time: the length of batches, the times of checkpoints, and the recovery after the loss of a device. The
//! caller of a [`Simulation`](crate::Simulation) has a clock and passes the time; nothing here reads one.

mod pacing;
mod recovery;

pub use pacing::Pacing;
pub use recovery::{DeviceLoss, Recovery, Replacement};
