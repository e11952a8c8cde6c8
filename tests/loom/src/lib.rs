//! Tries the barrier of the CPU backend, the file that the backend is compiled with, in all orders of its threads. loom finds orders in
//! which a write is not visible, in which threads wait for ever, and in which two access the same value at once.

#[path = "../../../crates/spikelet-cpu/src/barrier.rs"]
#[cfg_attr(not(test), allow(dead_code))]
mod barrier;

/// What the barrier is made of, by loom.
mod sync {
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex};
    pub(crate) use std::sync::PoisonError;

    /// All further looks are like the first.
    pub(crate) const LOOKS: u32 = 1;
}

#[cfg(test)]
mod tests {
    use loom::cell::UnsafeCell;
    use loom::model::Builder;
    use loom::sync::Arc;
    use loom::thread;

    use super::barrier::Barrier;

    /// Threads that meet, and a value of each.
    struct Team {
        barrier: Barrier,
        values: Vec<UnsafeCell<usize>>,
    }

    /// Runs `work` with the number of each of some threads, in all orders with at most `preemptions` of them.
    fn in_all_orders(threads: usize, preemptions: Option<usize>, work: impl Fn(&Team, usize) + Clone + Send + Sync + 'static) {
        let mut model = Builder::new();
        model.preemption_bound = preemptions;
        model.check(move || {
            let values = (0..threads).map(|_| UnsafeCell::new(0)).collect();
            let team = Arc::new(Team { barrier: Barrier::new(threads), values });
            let start = |number: usize| {
                let (team, work) = (team.clone(), work.clone());
                thread::spawn(move || work(&team, number))
            };
            let others: Vec<_> = (1..threads).map(start).collect();
            work(&team, 0);
            others.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
        });
    }

    impl Team {
        fn write(&self, number: usize, value: usize) {
            // loom finds another access at the same time.
            self.values[number].with_mut(|own| unsafe { *own = value });
        }

        fn sum(&self) -> usize {
            self.values.iter().map(|value| value.with(|value| unsafe { *value })).sum()
        }
    }

    /// Writes before a barrier are visible after it, and the next ones wait for those who read.
    fn rounds(team: &Team, number: usize, rounds: usize) {
        for round in 1..=rounds {
            team.write(number, round);
            team.barrier.wait().expect("all arrive");
            assert_eq!(team.sum(), round * team.values.len());
            team.barrier.wait().expect("all arrive");
        }
    }

    #[test]
    fn two_threads_see_what_the_other_wrote() {
        in_all_orders(2, None, |team, number| rounds(team, number, 1));
    }

    #[test]
    fn two_threads_meet_again_and_again() {
        in_all_orders(2, Some(3), |team, number| rounds(team, number, 3));
    }

    #[test]
    fn three_threads_see_what_the_others_wrote() {
        in_all_orders(3, Some(2), |team, number| rounds(team, number, 1));
    }

    #[test]
    fn who_waits_for_one_that_has_broken_off_is_woken() {
        in_all_orders(3, Some(3), |team, number| match number {
            1 => team.barrier.abandon(),
            _ => assert!(team.barrier.wait().is_err()),
        });
    }
}
