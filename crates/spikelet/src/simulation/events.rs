//! What may happen to a run on its way.

/// A [change](crate::Change) that has happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The first step that saw it.
    pub step: u32,
    /// What was set, such as `E.I`.
    pub path: String,
    /// The new value, as in [`Network::set`](crate::Network::set).
    pub value: String,
}

/// Why a run ended before its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// The condition that held, as it was written.
    pub condition: String,
    /// One past the last step of the run: the condition held at the end of the step before.
    pub step: u32,
    /// The end of the run, in ms of biological time.
    pub time_ms: f64,
}
