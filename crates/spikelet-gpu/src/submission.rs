//! The state between requested steps and returned activity.

use std::collections::VecDeque;

use spikelet::{Activity, Pacing};

use crate::pace::Pace;
use crate::readback::Readback;

/// Initial number of spikes of a trial that are read back with the other results; more need a second transfer.
pub(crate) const QUICK_SPIKES: usize = 1024;

/// A submission in flight.
pub(crate) struct Submission {
    pub(crate) reading: Readback,
    /// Its number of steps, unless a trial is behind.
    pub(crate) asked: u32,
    /// Its part of the log.
    pub(crate) part: usize,
    /// Spikes of each trial transferred with it, and rows of samples.
    pub(crate) quick: usize,
    pub(crate) rows: usize,
    pub(crate) submitted_ms: f64,
    /// Dispatches whose timestamps come last.
    pub(crate) timed: u32,
}

/// The state between requested steps and returned activity.
pub(crate) struct SubmissionQueue {
    pub(crate) under_way: VecDeque<Submission>,
    pub(crate) pacing: Pacing,
    /// One past the last step requested, and submitted.
    pub(crate) asked: u32,
    pub(crate) submitted: u32,
    /// The next step of each trial, as far as known; and its spikes whose rows are not processed yet.
    pub(crate) reached: Vec<u32>,
    pub(crate) left: Vec<u32>,
    /// Results that are not returned yet, from step `emitted` on.
    pub(crate) gathered: Vec<Activity>,
    pub(crate) emitted: u32,
    /// One past the last step whose clocks are on the device.
    pub(crate) clocks: u32,
    /// Number of submissions.
    pub(crate) count: u32,
    pub(crate) quick: usize,
    pub(crate) spare: Vec<wgpu::Buffer>,
    /// Time of the last completed submission.
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

    /// The step that all trials have reached.
    pub(crate) fn behind(&self) -> u32 {
        self.reached.iter().copied().min().unwrap_or(0)
    }

    pub(crate) fn forget_clocks(&mut self) {
        self.clocks = self.behind();
    }
}
