//! What the page shows of a profile that the package has measured.

use serde::Deserialize;

/// An operation of the CPU threads, or a kernel of the GPU.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ProfileRow {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    /// Fraction of the time of all, from 0 to 1.
    pub(crate) share: f64,
}

/// A change, and the measured reason.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Advice {
    pub(crate) change: String,
    pub(crate) reason: String,
}

/// What the page shows of a profile.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Profile {
    /// Of a CPU.
    #[serde(default)]
    pub(crate) operations: Vec<ProfileRow>,
    /// Of a GPU.
    #[serde(default)]
    pub(crate) kernels: Vec<ProfileRow>,
    pub(crate) neuron_updates_per_second: Option<f64>,
    pub(crate) synaptic_events_per_second: Option<f64>,
    /// What limits the speed of a GPU.
    pub(crate) bottleneck: Option<String>,
    pub(crate) advice: Vec<Advice>,
}
