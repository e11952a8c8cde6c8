//! The parameters of a dispatch.

/// `Job` of `shaders/training.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Job {
    pub(super) trials: u32,
    pub(super) first_trial: u32,
    pub(super) steps: u32,
    pub(super) chunk: u32,
    pub(super) seed: [u32; 2],
    pub(super) zero: u32,
    pub(super) segment: u32,
    pub(super) page: u32,
    pub(super) window: u32,
    pub(super) block: u32,
    pub(super) slots: u32,
    pub(super) port_slots: u32,
    pub(super) size: u32,
    pub(super) lane_count: u32,
    pub(super) first: u32,
    pub(super) arrays: u32,
    pub(super) state: u32,
    pub(super) ring: u32,
    pub(super) spikes: u32,
    pub(super) words: u32,
    pub(super) tape: u32,
    pub(super) tape_words: u32,
    pub(super) adjoints: u32,
    pub(super) ports: u32,
    pub(super) observed: u32,
    pub(super) constants: u32,
    pub(super) units: u32,
    pub(super) clocks: u32,
    pub(super) clock_columns: u32,
    pub(super) entries: u32,
    pub(super) initial: u32,
    pub(super) tapes: u32,
    pub(super) projections: u32,
    pub(super) outgoing: u32,
    pub(super) readouts: u32,
    pub(super) count: u32,
    pub(super) results: u32,
    pub(super) lower: u32,
    pub(super) upper: u32,
    pub(super) width: u32,
    pub(super) per_step: f32,
    pub(super) per_spike: f32,
}

impl Job {
    /// Words between the jobs of two dispatches, and between the numbers of two steps: the portable alignment of uniform buffers.
    pub(super) const STRIDE_WORDS: usize = 64;
}
