//! The CPU backend: the referee of all others.
//!
//! Neurons are kept in blocks of 256; a thread owns a contiguous range of blocks, a [shard], with the rings of its neurons, and
//! walks all rows for its own targets. Threads meet once an epoch to hear each other's spikes.

mod loaded;
mod neurons;
mod propagate;
mod shard;
mod synapses;

use std::sync::Arc;

use crate::Error;
use crate::backend::{Activity, Backend, Epoch, Probe, Spike, Task, Trial};
use crate::plan::Plan;
use loaded::{ClockRows, Live, Loaded, Moment};

/// Plain CPU threads.
pub struct Cpu {
    threads: usize,
    trials: Vec<Loaded>,
}

impl Cpu {
    /// A CPU with this many threads; small networks use fewer, and wasm has one.
    pub fn new(threads: usize) -> Cpu {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.max(1) };
        Cpu { threads, trials: Vec::new() }
    }

    fn trial(&mut self, trial: usize) -> Result<&mut Loaded, Error> {
        self.trials.get_mut(trial).ok_or_else(|| Error::Backend("the CPU has no such trial; load it first".into()))
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        match self.trials.iter().map(Loaded::threads).max().unwrap_or(1) {
            1 => "CPU, 1 thread".into(),
            threads => format!("CPU, {threads} threads"),
        }
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        self.trials = trials.into_iter().map(|trial| Loaded::new(trial, self.threads)).collect();
        Box::pin(async { Ok(()) })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.trials.iter_mut().zip(plans).for_each(|(trial, plan)| trial.revise(plan));
        Box::pin(async { Ok(()) })
    }

    fn advance<'a>(&'a mut self, epoch: Epoch, inbound: &'a [Spike]) -> Task<'a, Vec<Activity>> {
        Box::pin(async move { self.trials.iter_mut().map(|trial| trial.run(epoch, inbound)).collect() })
    }

    fn read(&mut self, trial: usize, probe: Probe) -> Task<'_, Vec<u32>> {
        Box::pin(async move { Ok(self.trial(trial)?.read(probe)) })
    }

    fn write<'a>(&'a mut self, trial: usize, probe: Probe, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move { self.trial(trial)?.write(probe, words) })
    }
}
