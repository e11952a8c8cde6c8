//! Sizes that layout, passes and kernels agree on.

/// Invocations that share a block of neurons, or a row: a team. A workgroup is one or several.
pub(crate) const TEAM_SIZE: u32 = 64;
/// Invocations of a workgroup where nobody says how many.
pub(crate) const WORKGROUP_SIZE: u32 = 64;
/// The same where one workgroup does everything: as many as every device has.
pub(crate) const SINGLE_SIZE: u32 = 256;
/// Neurons that one workgroup runs alone, at most.
pub(crate) const SINGLE_NEURONS: u32 = 1024;
/// Invocations of a workgroup of what begins a submission.
pub(crate) const START_SIZE: u32 = 64;
/// Submissions under way at a time; as many parts has the log.
pub(crate) const IN_FLIGHT: u32 = 3;
/// Loop iterations that an invocation may come to where a CPU does the device's work, on average of its teams: llvmpipe leaves all loops
/// of an invocation after 65535 of them (Mesa, `LP_MAX_TGSI_LOOP_ITERATIONS`).
pub(crate) const ITERATIONS_SOFTWARE: u64 = 16_384;
/// Synaptic events that one submission may make, so that a network in which every neuron fires does not hold the device for long.
pub(crate) const EVENTS: u64 = 1 << 26;
/// The same where a CPU does a GPU's work.
pub(crate) const EVENTS_SOFTWARE: u64 = 1 << 22;
