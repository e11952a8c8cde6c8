//! What a GPU says of itself while a simulation owns it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::options::Fusion;
use crate::timer::DispatchTimes;

/// What a GPU was given to do since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counters {
    /// Submissions.
    pub submissions: u64,
    /// Dispatches in them.
    pub dispatches: u64,
    /// Wall time that the host took to record and submit them, in seconds.
    pub encode_seconds: f64,
}

/// A view of a [`Gpu`](crate::Gpu) that stays when it is handed to a simulation. Clones are the same one.
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
    /// Every buffer that kernels see, by name, with its bytes; pages of rows are numbered. Empty before something is loaded.
    pub fn buffers(&self) -> Vec<(String, u64)> {
        self.0.borrow().buffers.clone()
    }

    /// What the device was given to do since it was opened.
    pub fn counters(&self) -> Counters {
        self.0.borrow().counters
    }

    /// What was timed, where that was asked for: see [`GpuOptions::profile`](crate::GpuOptions::profile).
    pub fn times(&self) -> DispatchTimes {
        self.0.borrow().times.clone()
    }

    pub(crate) fn record_times(&self, times: &DispatchTimes) {
        self.0.borrow_mut().times.clone_from(times);
    }

    /// How much of an epoch of what is loaded is one dispatch.
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
