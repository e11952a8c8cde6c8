//! Sizes shared by layout, passes and kernels.

/// Invocations that share a block of neurons, or a row: a team. A workgroup has one or several.
pub(crate) const TEAM_SIZE: u32 = 64;
/// Default size of a workgroup.
pub(crate) const WORKGROUP_SIZE: u32 = 64;
/// The same for a single workgroup: the portable maximum.
pub(crate) const SINGLE_SIZE: u32 = 256;
/// Workgroup size of the kernels of a selection.
pub(crate) const SELECT_SIZE: u32 = 256;
/// Workgroup size of the first kernel of a submission.
pub(crate) const START_SIZE: u32 = 64;
/// Maximum loop iterations of an invocation on a software device, on average of its teams: llvmpipe ends all loops of an invocation after
/// 65535 iterations (Mesa, `LP_MAX_TGSI_LOOP_ITERATIONS`).
pub(crate) const ITERATIONS_SOFTWARE: u64 = 16_384;
/// Maximum synaptic events per submission, so that a network in which every neuron fires does not block the device.
pub(crate) const EVENTS: u64 = 1 << 26;
/// The same for a software device.
pub(crate) const EVENTS_SOFTWARE: u64 = 1 << 22;
