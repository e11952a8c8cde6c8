//! How a GPU is used.

use crate::pace::Pace;
use crate::sizes::WORKGROUP_SIZE;

/// How a GPU is used. None of it changes a spike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuOptions {
    /// Invocations of a workgroup: 64, 128 or more, as a power of two.
    pub workgroup_size: u32,
    /// How long the device is busy with one submission.
    pub pace: Pace,
    /// How much of an epoch is one dispatch, as far as that is possible; where not given, as much as one workgroup can do.
    pub fusion: Option<Fusion>,
    /// Synaptic events that one submission may make, of all trials together, so that a network in which every neuron fires holds the
    /// device for no longer than another; where not given, as many as a slow GPU makes in some tens of milliseconds.
    pub events_per_submission: Option<u64>,
    /// Whether every dispatch is timed, where the device has time stamps: each is a pass of its own then, which costs time itself.
    pub profile: bool,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions {
            workgroup_size: WORKGROUP_SIZE,
            pace: Pace::default(),
            fusion: None,
            events_per_submission: None,
            profile: false,
        }
    }
}

/// How much of an epoch is one dispatch, in one workgroup for each trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// Nothing: each pass is a dispatch, those of each step in every step.
    #[default]
    None,
    /// All steps of the neurons that stop after each.
    Steps,
    /// Everything, and the epochs that follow.
    All,
}
