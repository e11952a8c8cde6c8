//! A barrier of threads. `tests/loom` compiles this file with another [`sync`](crate::sync), and tries it in all orders of its threads.

use crate::sync::{AtomicBool, AtomicUsize, Condvar, LOOKS, Mutex, Ordering, PoisonError, spin_loop};

/// A thread has panicked and will not arrive at a [`Barrier`].
#[derive(Debug)]
pub(crate) struct TeamAborted;

/// A barrier at which threads spin briefly before they sleep.
#[derive(Debug)]
pub(crate) struct Barrier {
    count: usize,
    arrived: AtomicUsize,
    /// Completed rounds.
    round: AtomicUsize,
    abandoned: AtomicBool,
    sleepers: Mutex<usize>,
    wake: Condvar,
}

impl Barrier {
    pub(crate) fn new(count: usize) -> Barrier {
        let (arrived, round, abandoned) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        Barrier { count, arrived, round, abandoned, sleepers: Mutex::new(0), wake: Condvar::new() }
    }

    /// The calling thread will not arrive any more.
    pub(crate) fn abandon(&self) {
        let _sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        self.abandoned.store(true, Ordering::Release);
        self.wake.notify_all();
    }

    /// Returns when all threads have arrived. All previous writes of each are then visible to all.
    ///
    /// # Errors
    /// One of them will not arrive.
    pub(crate) fn wait(&self) -> Result<(), TeamAborted> {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.count {
            self.arrived.store(0, Ordering::Relaxed);
            // Under the lock, so that no thread begins to sleep between checking the round and waiting.
            let sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            if *sleepers > 0 {
                self.wake.notify_all();
            }
            return Ok(());
        }
        let is_over = || self.round.load(Ordering::Acquire) != round;
        let is_abandoned = || self.abandoned.load(Ordering::Acquire);
        for _ in 0..LOOKS {
            if is_over() {
                return Ok(());
            }
            spin_loop();
        }
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        *sleepers += 1;
        while !is_over() && !is_abandoned() {
            sleepers = self.wake.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
        *sleepers -= 1;
        if is_over() { Ok(()) } else { Err(TeamAborted) }
    }
}
