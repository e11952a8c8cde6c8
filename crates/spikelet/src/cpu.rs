//! The CPU backend: the referee of all others.
//!
//! Neurons are kept in blocks of 256; a thread owns a contiguous range of blocks, a [shard], with the rings of its neurons, and
//! walks all rows for its own targets. Threads meet once an epoch to hear each other's spikes. Where there are as many trials as
//! threads, or more, each trial is one shard, and threads take trials by turns instead: they never meet.

mod loaded;
mod neurons;
mod propagate;
mod shard;
mod synapses;

use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::backend::{Activity, Backend, Epoch, Probe, Spike, Task, Trial};
use crate::plan::Plan;
use loaded::{ClockRows, Live, Loaded, Moment};

/// Plain CPU threads.
pub struct Cpu {
    threads: usize,
    trials: Vec<Loaded>,
    /// Whether threads take whole trials.
    by_trials: bool,
}

impl Cpu {
    /// A CPU with this many threads; small networks use fewer, and wasm has one.
    pub fn new(threads: usize) -> Cpu {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.max(1) };
        Cpu { threads, trials: Vec::new(), by_trials: false }
    }

    fn trial(&mut self, trial: usize) -> Result<&mut Loaded, Error> {
        self.trials.get_mut(trial).ok_or_else(|| Error::Backend("the CPU has no such trial; load it first".into()))
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        let of_trial = self.trials.iter().map(Loaded::threads).max().unwrap_or(1);
        match if self.by_trials { self.threads } else { of_trial } {
            1 => "CPU, 1 thread".into(),
            threads => format!("CPU, {threads} threads"),
        }
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        self.by_trials = trials.len() >= self.threads;
        let threads = if self.by_trials { 1 } else { self.threads };
        // What was loaded before makes room first.
        self.trials.clear();
        self.trials.extend(trials.into_iter().map(|trial| Loaded::new(trial, threads)));
        Box::pin(async { Ok(()) })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.trials.iter_mut().zip(plans).for_each(|(trial, plan)| trial.revise(plan));
        Box::pin(async { Ok(()) })
    }

    fn advance<'a>(&'a mut self, epoch: Epoch, inbound: &'a [Spike]) -> Task<'a, Vec<Activity>> {
        Box::pin(async move {
            if self.by_trials && self.threads > 1 {
                return side_by_side(&mut self.trials, self.threads, epoch, inbound);
            }
            self.trials.iter_mut().map(|trial| trial.run(epoch, inbound)).collect()
        })
    }

    fn read(&mut self, trial: usize, probe: Probe) -> Task<'_, Vec<u32>> {
        Box::pin(async move { Ok(self.trial(trial)?.read(probe)) })
    }

    fn write<'a>(&'a mut self, trial: usize, probe: Probe, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move { self.trial(trial)?.write(probe, words) })
    }
}

/// Runs an epoch of all trials, each on one of the threads.
fn side_by_side(trials: &mut [Loaded], threads: usize, epoch: Epoch, inbound: &[Spike]) -> Result<Vec<Activity>, Error> {
    let mut done: Vec<Option<Result<Activity, Error>>> = trials.iter().map(|_| None).collect();
    let waiting = Mutex::new(trials.iter_mut().zip(&mut done));
    let work = || {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((trial, done)) = next else { return };
            *done = Some(trial.run(epoch, inbound));
        }
    };
    // One of them is this thread: wasm has no other.
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        work();
        // What a thread that broke off leaves undone is found below.
        others.into_iter().for_each(|other| drop(other.join()));
    });
    done.into_iter().map(|done| done.unwrap_or_else(|| Err(loaded::broke_off()))).collect()
}
