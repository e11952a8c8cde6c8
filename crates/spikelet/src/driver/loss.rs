//! The loss of a device.

use std::fmt;

/// The replacement of a lost device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// A device chosen like the first one.
    Again,
    /// The CPU, which cannot be lost.
    Cpu,
}

/// A lost device, and its replacement. Its `Display` is a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceLoss {
    /// The lost device.
    pub device: String,
    /// Its message.
    pub why: String,
    /// The time up to which results were returned, in ms of biological time.
    pub lost_ms: f64,
    /// The time of the checkpoint from which it continued.
    pub from_ms: f64,
    /// The replacement.
    pub successor: String,
}

impl fmt::Display for DeviceLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceLoss { device, why, lost_ms, from_ms, successor } = self;
        write!(f, "{device} was lost at {lost_ms} ms ({why}); the run continued from {from_ms} ms on {successor}")
    }
}
