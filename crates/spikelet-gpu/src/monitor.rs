//! The state of a GPU while a simulation owns it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::options::Fusion;
use crate::timer::DispatchTimes;

/// The work of a GPU since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counters {
    /// Submissions.
    pub submissions: u64,
    /// Dispatches in them.
    pub dispatches: u64,
    /// Wall time of the host to record and submit them, in seconds.
    pub encode_seconds: f64,
}

/// A view of a [`Gpu`](crate::Gpu) that remains usable when a simulation owns it. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Monitor(Rc<RefCell<MonitorState>>);

#[derive(Debug, Default)]
struct MonitorState {
    buffers: Vec<(String, u64)>,
    fusion: Fusion,
    counters: Counters,
    times: DispatchTimes,
}

impl Monitor {
    /// Every buffer of kernels, by name, with its bytes; pages of rows are numbered. Empty before a plan is loaded.
    pub fn buffers(&self) -> Vec<(String, u64)> {
        self.0.borrow().buffers.clone()
    }

    /// The work of the device since it was opened.
    pub fn counters(&self) -> Counters {
        self.0.borrow().counters
    }

    /// The measured times, if requested: see [`GpuOptions::profile`](crate::GpuOptions::profile).
    pub fn times(&self) -> DispatchTimes {
        self.0.borrow().times.clone()
    }

    pub(crate) fn record_times(&self, times: &DispatchTimes) {
        self.0.borrow_mut().times.clone_from(times);
    }

    /// How much of an epoch of the loaded plan is one dispatch.
    pub fn fusion(&self) -> Fusion {
        self.0.borrow().fusion
    }

    pub(crate) fn record_loaded(&self, buffers: Vec<(String, u64)>, fusion: Fusion) {
        let mut seen = self.0.borrow_mut();
        (seen.buffers, seen.fusion) = (buffers, fusion);
    }

    pub(crate) fn record_counters(&self, counters: Counters) {
        self.0.borrow_mut().counters = counters;
    }
}
