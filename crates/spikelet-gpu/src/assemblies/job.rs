//! The parameters of a dispatch.

/// `Job` of `shaders/assemblies.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Job {
    pub(super) seed: [u32; 2],
    pub(super) neurons: u32,
    pub(super) first_sum: u32,
    pub(super) fibre: u32,
    pub(super) firing: u32,
    pub(super) first_firing: u32,
    pub(super) blocks: u32,
    pub(super) bits: u32,
    pub(super) least: u32,
    pub(super) first_threshold: u32,
    pub(super) thresholds: u32,
    pub(super) first_weight: u32,
    pub(super) max_updates: u32,
    pub(super) firing_marks: u32,
    pub(super) winner_marks: u32,
    pub(super) k: u32,
    pub(super) first_winner: u32,
    pub(super) first_log: u32,
    pub(super) first_slot: u32,
    pub(super) slots: u32,
    pub(super) used: u32,
    pub(super) stimulus: u32,
    pub(super) round: u32,
    pub(super) area: u32,
    pub(super) digit: u32,
    pub(super) chunk: u32,
    pub(super) chunks: u32,
}

impl Job {
    /// Words between the jobs of two dispatches: the portable alignment of uniform buffers.
    pub(super) const STRIDE_WORDS: usize = 64;
}
