//! The barrier between threads of a pool.

use std::sync::atomic::{AtomicUsize, Ordering};

use spikelet_plan::Pool;

use crate::barrier::Barrier;

/// More threads than cores: some sleep.
#[test]
fn nobody_passes_a_barrier_before_all_have_come() {
    let pool = Pool::new(8);
    let (barrier, sum) = (Barrier::new(8), AtomicUsize::new(0));
    pool.run(8, |_| {
        for round in 1..=200 {
            sum.fetch_add(1, Ordering::Relaxed);
            barrier.wait().unwrap();
            assert_eq!(sum.load(Ordering::Relaxed), 8 * round);
            barrier.wait().unwrap();
        }
    });
}

#[test]
fn nobody_waits_for_one_who_has_broken_off() {
    let pool = Pool::new(3);
    let (barrier, left) = (Barrier::new(3), AtomicUsize::new(0));
    pool.run(3, |number| {
        barrier.wait().unwrap();
        match number {
            1 => barrier.abandon(),
            _ => assert!(barrier.wait().is_err()),
        }
        left.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(left.into_inner(), 3);
}
