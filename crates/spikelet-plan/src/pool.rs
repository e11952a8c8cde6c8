//! CPU threads that wait for work between runs.

use std::sync::{Mutex, PoisonError};

use rayon_core::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use spikelet_network::Error;

/// CPU threads: the calling one, and others that wait for it.
///
/// They end when the pool is dropped.
#[derive(Debug)]
pub struct Pool {
    /// `None` for one thread.
    others: Option<ThreadPool>,
    threads: usize,
}

/// A place of a thread in a [`Pool`].
#[derive(Debug)]
pub struct ThreadSlot(ThreadBuilder);

impl ThreadSlot {
    /// Works for the pool until it is dropped.
    pub fn serve(self) {
        self.0.run();
    }
}

impl Pool {
    /// A pool of this many system threads; if the system starts fewer, half as many, and so on: see [`Pool::threads`]. In wasm, which
    /// cannot start threads, only the calling one.
    pub fn new(threads: usize) -> Pool {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.max(1) };
        if threads == 1 {
            return Pool { others: None, threads };
        }
        let others = ThreadPoolBuilder::new().num_threads(threads - 1).thread_name(|k| format!("spikelet {}", k + 1)).build();
        match others {
            Ok(others) => Pool { others: Some(others), threads },
            Err(_) => Pool::new(threads.div_ceil(2)),
        }
    }

    /// A pool of `threads` threads, with a seat for each except the calling one: the caller starts the threads (a page starts Workers) and
    /// lets each of them [`serve`](ThreadSlot::serve). A pool runs nothing before all seats are taken.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn with_seats(threads: usize) -> Result<(Pool, Vec<ThreadSlot>), Error> {
        let threads = threads.max(1);
        if threads == 1 {
            return Ok((Pool { others: None, threads }, Vec::new()));
        }
        let mut seats = Vec::new();
        let others = ThreadPoolBuilder::new().num_threads(threads - 1).spawn_handler(|seat| {
            seats.push(ThreadSlot(seat));
            Ok(())
        });
        let others = others.build().map_err(|error| Error::Backend(format!("{threads} threads: {error}; use fewer")))?;
        Ok((Pool { others: Some(others), threads }, seats))
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on each of the first `threads` threads at once with the thread's number, and returns when all have finished.
    ///
    /// # Panics
    /// `work` panics on any thread.
    pub fn run(&self, threads: usize, work: impl Fn(usize) + Sync) {
        match &self.others {
            Some(others) if threads > 1 => others.in_place_scope(|scope| {
                let work = &work;
                scope.spawn_broadcast(move |_, context| {
                    let number = context.index() + 1;
                    if number < threads {
                        work(number);
                    }
                });
                work(0);
            }),
            _ => work(0),
        }
    }
}

impl Pool {
    /// Runs `work` on each of the items, which are distributed to the threads. Returns the results in the order of the items.
    ///
    /// # Panics
    /// `work` panics on any thread.
    pub fn by_turns<T, R: Send>(&self, items: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) -> R + Sync) -> Vec<R> {
        let count = items.len();
        let mut done: Vec<Option<R>> = (0..count).map(|_| None).collect();
        let waiting = Mutex::new(items.zip(&mut done));
        self.run(self.threads.min(count), |_| {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((item, done)) = next else { return };
                *done = Some(work(item));
            }
        });
        done.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_thread_works_once_in_each_run() {
        let pool = Pool::new(4);
        for threads in [1, 2, 4] {
            let counts: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
            for _ in 0..100 {
                pool.run(threads, |k| {
                    counts[k].fetch_add(1, Ordering::Relaxed);
                });
            }
            let counts: Vec<usize> = counts.into_iter().map(AtomicUsize::into_inner).collect();
            assert_eq!(counts, (0..4).map(|k| if k < threads { 100 } else { 0 }).collect::<Vec<_>>());
        }
    }

    #[test]
    fn seats_are_taken_by_anybodys_threads() {
        let (pool, seats) = Pool::with_seats(3).unwrap();
        assert_eq!((pool.threads(), seats.len()), (3, 2));
        let threads: Vec<_> = seats.into_iter().map(|seat| std::thread::spawn(|| seat.serve())).collect();
        let sum = AtomicUsize::new(0);
        pool.run(3, |k| {
            sum.fetch_add(k, Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 3);
        drop(pool);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
