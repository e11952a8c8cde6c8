//! What a plan would take of a GPU, without one.

use spikelet::{Error, Plan};

use crate::layout::{Layout, Limits};

/// What a plan would take of a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRun {
    /// Every buffer that kernels see, by name, with its bytes; pages of rows are numbered.
    pub buffers: Vec<(String, u64)>,
    /// Buffers that the rows are cut into.
    pub pages: usize,
    /// Dispatches of an epoch.
    pub dispatches_per_epoch: usize,
    /// Steps of an epoch.
    pub epoch_steps: u32,
}

impl DryRun {
    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Lays out a plan for a GPU whose kernels see at most `binding_bytes` of a buffer. Needs no device, and copies no synapse.
///
/// # Errors
/// A buffer that is not cut into pages is larger, or a single row is: both sizes, and what would make it fit.
pub fn gpu_plan(plan: &Plan, binding_bytes: u64) -> Result<DryRun, Error> {
    let layout = Layout::new(plan, Limits::of_binding(binding_bytes))?;
    let mut pages = 0;
    let named = |(name, words): (&str, u64)| {
        pages += usize::from(name == "rows");
        // As large as they are made: a binding cannot be empty.
        (if name == "rows" { format!("rows {pages}") } else { name.into() }, (words * 4).max(16))
    };
    let buffers = layout.buffers(plan).into_iter().map(named).collect();
    Ok(DryRun { buffers, pages, dispatches_per_epoch: layout.passes.len(), epoch_steps: layout.epoch_steps })
}
