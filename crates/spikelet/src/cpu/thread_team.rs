//! How the threads of a trial hear of each other.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use crate::backend::Spike;
use crate::pool::{Barrier, TeamAborted};

/// Those who run a trial together, as one of them sees them.
pub(super) trait ThreadTeam {
    /// Gives `spikes` to all others, and takes theirs: all of them together. Returns which are the caller's own.
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted>;
    /// Waits for all others: what each of them did before is seen afterwards.
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

/// What several threads share.
pub(super) struct Threads {
    barrier: Barrier,
    /// What each has to tell, in this turn and in the last, so that one meeting a turn is enough.
    boxes: [Vec<RwLock<Vec<Spike>>>; 2],
}

impl Threads {
    pub(super) fn new(count: usize) -> Threads {
        Threads { barrier: Barrier::new(count), boxes: std::array::from_fn(|_| (0..count).map(|_| RwLock::default()).collect()) }
    }

    /// One of them never comes again.
    pub(super) fn abandon(&self) {
        self.barrier.abandon();
    }

    /// As the thread with this number sees them.
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
        for (number, told) in boxes.iter().enumerate() {
            let first = spikes.len();
            spikes.extend_from_slice(&told.read().unwrap_or_else(PoisonError::into_inner));
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
