//! Exchange of spikes between the threads of a trial.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use crate::backend::Spike;
use crate::pool::{Barrier, TeamAborted};

/// The threads of a trial, as seen by one of them.
pub(super) trait ThreadTeam {
    /// Sends `spikes` to all others, and receives theirs: all of them together. Returns the range of the caller's own.
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted>;
    /// Waits for all others: their previous writes are then visible.
    fn synchronise(&self) -> Result<(), TeamAborted>;
}

/// One thread.
pub(super) struct SingleThread;

impl ThreadTeam for SingleThread {
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted> {
        Ok(0..spikes.len())
    }

    fn synchronise(&self) -> Result<(), TeamAborted> {
        Ok(())
    }
}

/// Data shared by several threads.
pub(super) struct Threads {
    barrier: Barrier,
    /// The spikes of each, in this turn and in the previous one, so that one synchronisation per turn is sufficient.
    boxes: [Vec<RwLock<Vec<Spike>>>; 2],
}

impl Threads {
    pub(super) fn new(count: usize) -> Threads {
        Threads { barrier: Barrier::new(count), boxes: std::array::from_fn(|_| (0..count).map(|_| RwLock::default()).collect()) }
    }

    /// One of them has failed.
    pub(super) fn abandon(&self) {
        self.barrier.abandon();
    }

    /// As seen by the thread with this number.
    pub(super) fn seen_by(&self, number: usize) -> TeamMember<'_> {
        TeamMember { threads: self, number, turn: 0 }
    }
}

/// One of several threads.
pub(super) struct TeamMember<'a> {
    threads: &'a Threads,
    number: usize,
    turn: usize,
}

impl ThreadTeam for TeamMember<'_> {
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted> {
        let boxes = &self.threads.boxes[self.turn % 2];
        self.turn += 1;
        std::mem::swap(&mut *boxes[self.number].write().unwrap_or_else(PoisonError::into_inner), spikes);
        self.threads.barrier.wait()?;
        spikes.clear();
        let mut own = 0..0;
        for (number, emitted) in boxes.iter().enumerate() {
            let first = spikes.len();
            spikes.extend_from_slice(&emitted.read().unwrap_or_else(PoisonError::into_inner));
            if number == self.number {
                own = first..spikes.len();
            }
        }
        Ok(own)
    }

    fn synchronise(&self) -> Result<(), TeamAborted> {
        self.threads.barrier.wait()
    }
}
