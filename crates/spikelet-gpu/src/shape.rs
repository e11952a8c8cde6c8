//! What a plan is laid out for.

use crate::options::Fusion;
use crate::sizes::EVENTS;

/// Words of a buffer that a kernel can address: places in bytes have 32 bits.
pub(crate) const ADDRESSABLE_WORDS: u64 = u32::MAX as u64 / 4;

/// What a plan is laid out for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shape {
    pub(crate) limits: Limits,
    /// How many trials.
    pub(crate) trials: u32,
    /// How much of an epoch is one dispatch; by size where it is not said.
    pub(crate) fusion: Option<Fusion>,
    /// Synaptic events that a submission of a trial may make.
    pub(crate) events: u64,
    /// Whether a CPU does the device's work.
    pub(crate) software: bool,
}

impl Shape {
    /// One trial on a device without limits.
    pub(crate) fn unlimited() -> Shape {
        Shape { limits: Limits::of_binding(u64::MAX), trials: 1, fusion: None, events: EVENTS, software: false }
    }
}

/// How large buffers may be.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Bytes of a buffer that a kernel sees.
    pub(crate) binding: u64,
    /// Bytes of a page of rows, at most as many.
    pub(crate) page: u64,
}

impl Limits {
    /// Pages as large as buffers may be.
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
