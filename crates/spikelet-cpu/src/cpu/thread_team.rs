//! Exchange of spikes between the threads of a trial.
//!
//! Methods are futures because threads may have to wait for other [ranks](super::rank_team). Without these, they complete when they are
//! polled for the first time.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use spikelet_plan::Spike;

use super::published::LatestCopies;
use super::winners::Candidate;
use crate::barrier::{Barrier, TeamAborted};

/// When other ranks must have the spikes of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// At once.
    Now,
    /// When their delays say.
    ByDelay,
}

/// The threads of a trial, as seen by one of them.
pub(super) trait ThreadTeam: Send {
    /// Sends `spikes`, of steps before `end`, to all others, and receives theirs: all of them together. Returns the range of the caller's own.
    fn exchange(
        &mut self,
        spikes: &mut Vec<Spike>,
        urgency: Urgency,
        end: u32,
    ) -> impl Future<Output = Result<Range<usize>, TeamAborted>> + Send;
    /// Appends the spikes of other ranks that are on their way.
    fn finish(&mut self, spikes: &mut Vec<Spike>) -> impl Future<Output = Result<(), TeamAborted>> + Send;
    /// Sends the `offers` of a step to all others, and receives theirs: all of them together.
    fn gather(&mut self, step: u32, offers: &mut Vec<Candidate>) -> impl Future<Output = Result<(), TeamAborted>> + Send;
    /// Waits until all others have written the next copies of these arrays, in a step; then they are visible.
    fn synchronise(
        &mut self,
        step: u32,
        places: &[usize],
        latest: &LatestCopies,
    ) -> impl Future<Output = Result<(), TeamAborted>> + Send;
}

/// One thread.
pub(super) struct SingleThread;

impl ThreadTeam for SingleThread {
    async fn exchange(&mut self, spikes: &mut Vec<Spike>, _: Urgency, _: u32) -> Result<Range<usize>, TeamAborted> {
        Ok(0..spikes.len())
    }

    async fn finish(&mut self, _: &mut Vec<Spike>) -> Result<(), TeamAborted> {
        Ok(())
    }

    async fn gather(&mut self, _: u32, _: &mut Vec<Candidate>) -> Result<(), TeamAborted> {
        Ok(())
    }

    async fn synchronise(&mut self, _: u32, _: &[usize], _: &LatestCopies) -> Result<(), TeamAborted> {
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
    pub(super) number: usize,
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
    async fn exchange(&mut self, spikes: &mut Vec<Spike>, _: Urgency, _: u32) -> Result<Range<usize>, TeamAborted> {
        self.turns[0] += 1;
        self.send(&self.threads.spikes[self.turns[0] % 2], spikes)
    }

    async fn finish(&mut self, _: &mut Vec<Spike>) -> Result<(), TeamAborted> {
        Ok(())
    }

    async fn gather(&mut self, _: u32, offers: &mut Vec<Candidate>) -> Result<(), TeamAborted> {
        self.turns[1] += 1;
        self.send(&self.threads.offers[self.turns[1] % 2], offers).map(|_| ())
    }

    async fn synchronise(&mut self, _: u32, _: &[usize], _: &LatestCopies) -> Result<(), TeamAborted> {
        self.threads.barrier.wait()
    }
}
