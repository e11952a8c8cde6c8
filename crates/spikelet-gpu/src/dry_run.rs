//! The memory of a plan on a GPU, without a GPU.

use spikelet::{Error, Plan};

use crate::options::Fusion;
use crate::passes::lay_out;
use crate::shape::{Limits, Shape};

/// The memory of a plan on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRun {
    /// Every buffer of kernels, by name, with its bytes; pages of rows are numbered.
    pub buffers: Vec<(String, u64)>,
    /// Number of pages of rows.
    pub pages: usize,
    /// The passes of an epoch, by kernel; each is counted once, also if it runs in each step.
    pub passes: usize,
    /// Dispatches per epoch; per several epochs if one does them all.
    pub dispatches_per_epoch: usize,
    /// How much of an epoch is one dispatch.
    pub fusion: Fusion,
    /// Steps of an epoch.
    pub epoch_steps: u32,
}

impl DryRun {
    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Lays out a plan for a GPU with buffers of at most `binding_bytes`. Needs no device, and copies no synapse.
///
/// # Errors
/// A buffer that is not divided into pages is larger, or a single row is: both sizes, and suggestions.
pub fn gpu_plan(plan: &Plan, binding_bytes: u64) -> Result<DryRun, Error> {
    let (layout, passes) = lay_out(plan, Shape { limits: Limits::of_binding(binding_bytes), ..Shape::unlimited() })?;
    let (buffers, pages) = (layout.named_buffers(plan), layout.pages.len());
    let (dispatches_per_epoch, fusion) = (passes.launches().len(), passes.fusion);
    let passes = passes.all().count();
    Ok(DryRun { buffers, pages, passes, dispatches_per_epoch, fusion, epoch_steps: layout.epoch_steps })
}
