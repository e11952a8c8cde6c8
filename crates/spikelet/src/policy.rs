//! How a run is carried through wall time: how many steps at once, when a checkpoint is taken, and what becomes of it where its device is
//! lost. Whoever drives a [`Simulation`](crate::Simulation) has a clock and tells the time; nothing here reads one.

mod pacing;
mod recovery;

pub use pacing::Pacing;
pub use recovery::{DeviceLoss, Recovery, Replacement};
