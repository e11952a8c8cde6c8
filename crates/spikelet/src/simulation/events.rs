//! Events of a run.

/// An applied [change](crate::Change).
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The first step with the new value.
    pub step: u32,
    /// The path, such as `E.I`.
    pub path: String,
    /// The new value, as in [`Network::set`](crate::Network::set).
    pub value: String,
}

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// The condition that was true.
    pub condition: String,
    /// One past the last step of the run: the condition was true at the end of the previous step.
    pub step: u32,
    /// The end of the run, in ms of biological time.
    pub time_ms: f64,
}
