//! What a plan would take of a GPU, without one.

use spikelet::{Error, Plan};

use crate::passes::lay_out;
use crate::shape::{Limits, Shape};

/// What a plan would take of a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRun {
    /// Every buffer that kernels see, by name, with its bytes; pages of rows are numbered.
    pub buffers: Vec<(String, u64)>,
    /// Buffers that the rows are cut into.
    pub pages: usize,
    /// Dispatches of an epoch, unless one does it all.
    pub dispatches_per_epoch: usize,
    /// Whether the network is so small that one dispatch runs all epochs of a submission.
    pub single_dispatch: bool,
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
    let (layout, passes) = lay_out(plan, Shape { limits: Limits::of_binding(binding_bytes), ..Shape::unlimited() })?;
    let (buffers, pages) = (layout.named_buffers(plan), layout.pages.len());
    let (dispatches_per_epoch, single_dispatch) = (passes.list.len(), passes.single_dispatch);
    Ok(DryRun { buffers, pages, dispatches_per_epoch, single_dispatch, epoch_steps: layout.epoch_steps })
}
