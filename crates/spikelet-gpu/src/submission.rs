//! What is between a step that is asked for and the activity that is told.

use std::collections::VecDeque;

use spikelet::{Activity, Pacing};

use crate::pace::Pace;
use crate::readback::Readback;

/// Spikes of a trial that are read back with everything else, at first; where there are more it takes a second reading.
pub(crate) const QUICK_SPIKES: usize = 1024;

/// A submission under way.
pub(crate) struct Submission {
    pub(crate) reading: Readback,
    /// Steps that it was to run, if no trial was behind.
    pub(crate) asked: u32,
    /// The part of the log that it fills.
    pub(crate) part: usize,
    /// Spikes of each trial that come with it, and rows of samples.
    pub(crate) quick: usize,
    pub(crate) rows: usize,
    pub(crate) submitted_ms: f64,
    /// Dispatches whose time stamps come last.
    pub(crate) timed: u32,
}

/// What happens between a step that is asked for and the activity that is told.
pub(crate) struct SubmissionQueue {
    pub(crate) under_way: VecDeque<Submission>,
    pub(crate) pacing: Pacing,
    /// One past the last step that was asked for, and that was submitted.
    pub(crate) asked: u32,
    pub(crate) submitted: u32,
    /// The step that each trial runs next, as far as is known; and the spikes whose rows it has still to walk.
    pub(crate) reached: Vec<u32>,
    pub(crate) left: Vec<u32>,
    /// What is known and not told yet, from step `emitted` on.
    pub(crate) gathered: Vec<Activity>,
    pub(crate) emitted: u32,
    /// One past the last step whose clocks the device has.
    pub(crate) clocks: u32,
    /// Submissions so far.
    pub(crate) count: u32,
    pub(crate) quick: usize,
    pub(crate) spare: Vec<wgpu::Buffer>,
    /// When the last submission came back.
    pub(crate) back_ms: f64,
}

impl SubmissionQueue {
    pub(crate) fn new(trials: usize, pace: Pace) -> SubmissionQueue {
        SubmissionQueue {
            under_way: VecDeque::new(),
            pacing: pace.pacing(),
            asked: 0,
            submitted: 0,
            reached: vec![0; trials],
            left: vec![0; trials],
            gathered: vec![Activity::default(); trials],
            emitted: 0,
            clocks: 0,
            count: 0,
            quick: QUICK_SPIKES,
            spare: Vec::new(),
            back_ms: 0.0,
        }
    }

    /// The step that all trials have come to.
    pub(crate) fn behind(&self) -> u32 {
        self.reached.iter().copied().min().unwrap_or(0)
    }

    pub(crate) fn forget_clocks(&mut self) {
        self.clocks = self.behind();
    }
}
