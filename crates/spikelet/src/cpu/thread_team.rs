//! Exchange of spikes between the threads of a trial.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use super::winners::Candidate;
use crate::backend::Spike;
use crate::pool::{Barrier, TeamAborted};

/// The threads of a trial, as seen by one of them.
pub(super) trait ThreadTeam {
    /// Sends `spikes` to all others, and receives theirs: all of them together. Returns the range of the caller's own.
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted>;
    /// Sends `offers` to all others, and receives theirs: all of them together.
    fn gather(&mut self, offers: &mut Vec<Candidate>) -> Result<(), TeamAborted>;
    /// Waits for all others: their previous writes are then visible.
    fn synchronise(&self) -> Result<(), TeamAborted>;
}

/// One thread.
pub(super) struct SingleThread;

impl ThreadTeam for SingleThread {
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted> {
        Ok(0..spikes.len())
    }

    fn gather(&mut self, _: &mut Vec<Candidate>) -> Result<(), TeamAborted> {
        Ok(())
    }

    fn synchronise(&self) -> Result<(), TeamAborted> {
        Ok(())
    }
}

/// Data shared by several threads.
pub(super) struct Threads {
    barrier: Barrier,
    spikes: Boxes<Spike>,
    offers: Boxes<Candidate>,
}

/// What each thread sends, in this turn and in the previous one, so that one synchronisation per turn is sufficient.
type Boxes<T> = [Vec<RwLock<Vec<T>>>; 2];

fn boxes<T>(count: usize) -> Boxes<T> {
    std::array::from_fn(|_| (0..count).map(|_| RwLock::default()).collect())
}

impl Threads {
    pub(super) fn new(count: usize) -> Threads {
        Threads { barrier: Barrier::new(count), spikes: boxes(count), offers: boxes(count) }
    }

    /// One of them has failed.
    pub(super) fn abandon(&self) {
        self.barrier.abandon();
    }

    /// As seen by the thread with this number.
    pub(super) fn seen_by(&self, number: usize) -> TeamMember<'_> {
        TeamMember { threads: self, number, turns: [0; 2] }
    }
}

/// One of several threads.
pub(super) struct TeamMember<'a> {
    threads: &'a Threads,
    number: usize,
    /// Turns of spikes and of offers.
    turns: [usize; 2],
}

impl TeamMember<'_> {
    fn send<T: Copy>(&self, boxes: &[RwLock<Vec<T>>], sent: &mut Vec<T>) -> Result<Range<usize>, TeamAborted> {
        std::mem::swap(&mut *boxes[self.number].write().unwrap_or_else(PoisonError::into_inner), sent);
        self.threads.barrier.wait()?;
        sent.clear();
        let mut own = 0..0;
        for (number, of_thread) in boxes.iter().enumerate() {
            let first = sent.len();
            sent.extend_from_slice(&of_thread.read().unwrap_or_else(PoisonError::into_inner));
            if number == self.number {
                own = first..sent.len();
            }
        }
        Ok(own)
    }
}

impl ThreadTeam for TeamMember<'_> {
    fn exchange(&mut self, spikes: &mut Vec<Spike>) -> Result<Range<usize>, TeamAborted> {
        self.turns[0] += 1;
        self.send(&self.threads.spikes[self.turns[0] % 2], spikes)
    }

    fn gather(&mut self, offers: &mut Vec<Candidate>) -> Result<(), TeamAborted> {
        self.turns[1] += 1;
        self.send(&self.threads.offers[self.turns[1] % 2], offers).map(|_| ())
    }

    fn synchronise(&self) -> Result<(), TeamAborted> {
        self.threads.barrier.wait()
    }
}
