//! Options of a GPU.

mod constants;

use spikelet::lang::wgsl::Arithmetic;

use crate::pace::Pace;
use crate::sizes::WORKGROUP_SIZE;

pub use constants::{CONSTANTS, GpuConstants};

/// Options of a GPU. Spikes depend on none of them but `arithmetic`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuOptions {
    /// Invocations of a workgroup: 64, 128 or more, as a power of two.
    pub workgroup_size: u32,
    /// Target duration of a submission.
    pub pace: Pace,
    /// How much of an epoch is one dispatch, if possible; default: as much as one workgroup can do.
    pub fusion: Option<Fusion>,
    /// Maximum number of synaptic events per submission, of all trials together, so that a network in which every neuron fires does not
    /// block the device; default: as many as a slow GPU processes in some tens of milliseconds.
    pub events_per_submission: Option<u64>,
    /// Whether every dispatch is measured, if the device has timestamps: each is then a separate pass, which has a cost.
    pub profile: bool,
    /// How the code of neurons and synapses with state is rounded: exactly, so that spikes are those of a CPU, or fast.
    pub arithmetic: Arithmetic,
    /// Sizes that only affect the speed.
    pub constants: GpuConstants,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions {
            workgroup_size: WORKGROUP_SIZE,
            pace: Pace::default(),
            fusion: None,
            events_per_submission: None,
            profile: false,
            arithmetic: Arithmetic::Exact,
            constants: GpuConstants::default(),
        }
    }
}

/// How much of an epoch is one dispatch, in one workgroup per trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// Nothing: each pass is a dispatch, in every step if necessary.
    #[default]
    None,
    /// All steps of the neurons that stop after each.
    Steps,
    /// Everything, and the following epochs.
    All,
}
