//! The target of a layout.

use crate::options::{Fusion, GpuConstants};
use crate::sizes::EVENTS;

/// Maximum words of a buffer: offsets in bytes have 32 bits.
pub(crate) const ADDRESSABLE_WORDS: u64 = u32::MAX as u64 / 4;

/// The target of a layout.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shape {
    pub(crate) limits: Limits,
    /// Number of trials.
    pub(crate) trials: u32,
    /// How much of an epoch is one dispatch; chosen by size if not set.
    pub(crate) fusion: Option<Fusion>,
    /// Maximum synaptic events of a submission of a trial.
    pub(crate) events: u64,
    /// Whether it is a software device.
    pub(crate) software: bool,
    /// Sizes that only affect the speed.
    pub(crate) constants: GpuConstants,
}

impl Shape {
    /// One trial on a device without limits.
    pub(crate) fn unlimited() -> Shape {
        let (limits, constants) = (Limits::of_binding(u64::MAX), GpuConstants::default());
        Shape { limits, trials: 1, fusion: None, events: EVENTS, software: false, constants }
    }
}

/// How large buffers may be.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Maximum bytes of a buffer in a kernel.
    pub(crate) binding: u64,
    /// Maximum bytes of a page of rows.
    pub(crate) page: u64,
}

impl Limits {
    /// Pages as large as buffers can be.
    pub(crate) fn of_binding(binding: u64) -> Limits {
        Limits { binding, page: binding }
    }

    /// Words of a buffer.
    pub(crate) fn binding_words(self) -> u64 {
        (self.binding / 4).min(ADDRESSABLE_WORDS)
    }

    /// Words of a page.
    pub(crate) fn page_words(self) -> u64 {
        (self.page / 4).min(self.binding_words())
    }
}
