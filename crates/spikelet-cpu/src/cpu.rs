//! The CPU backend, the reference of all others.
//!
//! It executes the [schedule](spikelet_plan::schedule) of a plan. Neurons are divided into blocks of 256. A thread owns ranges of blocks,
//! [shards](shard), with their delay buffers, and processes all rows for its own targets. Neurons that no synapse with state reads or
//! writes within a step run ahead to the end of an epoch; the others follow step by step, with the synapses with state. Threads synchronise
//! to exchange spikes, and where synapses read neurons of another thread. If there are at least as many trials as threads, each trial runs
//! on one thread without synchronisation.

mod arrays;
mod awake;
mod block_cost;
mod lane_neurons;
mod neuron_block;
mod packed_lanes;
mod profile;
mod program;
mod propagate;
mod published;
mod rank_team;
mod run_ahead;
mod shard;
mod step_context;
mod synapses;
mod thread_team;
mod trial;
mod winners;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use spikelet_kernel::block::{Compiled, Compiler};
use spikelet_network::Error;
use spikelet_plan::{Activity, ArrayId, Backend, Epoch, Exchange, Owner, Plan, Pool, Spike, Task, Trial};

use crate::exchange::{RankLink, drawing_synapses};
pub use arrays::refilled;
pub use awake::Sleep;
pub use block_cost::{step_cost, synapse_costs};
pub use profile::{CpuProfile, Operation, OperationTimes};
pub use propagate::drawn_values;
use trial::CpuTrial;

/// CPU threads.
pub struct Cpu {
    pool: Pool,
    /// Whether the number of threads is limited to those that make the network faster.
    sparing: bool,
    trials: Vec<CpuTrial>,
    /// Whether threads process whole trials.
    by_trials: bool,
    /// Whether phases are fused.
    fuses: bool,
    /// When neurons sleep.
    sleep: Sleep,
    /// What compiles the programs of neurons, if they are not interpreted.
    compiler: Option<Arc<dyn Compiler>>,
    /// Where the times of operations are added, if these are measured.
    profile: Option<CpuProfile>,
    /// The other ranks, and the link of each trial to them.
    exchange: Option<Rc<dyn Exchange>>,
    links: Vec<RankLink>,
}

impl Cpu {
    /// A CPU with this many threads; networks with fewer blocks of neurons use fewer, and wasm has one.
    pub fn new(threads: usize) -> Cpu {
        Cpu::on(Pool::new(threads))
    }

    /// A CPU with the threads of a pool.
    pub fn on(pool: Pool) -> Cpu {
        let (trials, links) = (Vec::new(), Vec::new());
        let (compiler, profile, exchange) = (None, None, None);
        let sleep = Sleep::default();
        Cpu { pool, sparing: false, trials, by_trials: false, fuses: true, sleep, compiler, profile, exchange, links }
    }

    /// Each network uses only as many threads as make it faster, for a small network one.
    pub fn sparing(self) -> Cpu {
        Cpu { sparing: true, ..self }
    }

    /// Its maximum number of threads.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Programs of neurons are compiled, where the compiler can; the results are the same.
    pub fn with_compiler(self, compiler: Arc<dyn Compiler>) -> Cpu {
        Cpu { compiler: Some(compiler), ..self }
    }

    /// Adds the times of the operations of all threads to a profile, while this measures.
    pub fn with_profile(self, profile: CpuProfile) -> Cpu {
        Cpu { profile: Some(profile), ..self }
    }

    /// Neurons sleep at other times; the results are the same.
    pub fn with_sleep(self, sleep: Sleep) -> Cpu {
        Cpu { sleep, ..self }
    }

    /// Executes each phase of the schedule separately, in its order: for comparison, the results are the same.
    pub fn unfused(self) -> Cpu {
        Cpu { fuses: false, ..self }
    }

    /// The number of threads, up to `most`, that make a network faster, for a caller that starts the threads itself.
    pub fn threads_worth(plan: &Plan, most: usize) -> usize {
        block_cost::worth(plan).clamp(1, most.max(1))
    }

    fn trial(&mut self, trial: usize) -> Result<&mut CpuTrial, Error> {
        self.trials.get_mut(trial).ok_or_else(|| Error::Backend("the CPU has not loaded this trial; load it first".into()))
    }
}

impl Cpu {
    /// Receives all spikes of other ranks on which an array depends, or whose effect depends on it.
    async fn receive_deferred_for(&mut self, trial: usize, array: ArrayId) -> Result<(), Error> {
        match self.trial(trial)?.plan.arrays().get(array)?.owner {
            Owner::RingColumns { .. } | Owner::Events { .. } => self.receive_deferred(trial).await,
            _ => Ok(()),
        }
    }

    /// Receives all spikes of other ranks.
    async fn receive_deferred(&mut self, trial: usize) -> Result<(), Error> {
        if let (Some(link), Some(trial)) = (self.links.get_mut(trial), self.trials.get_mut(trial)) {
            trial.pending.extend(link.receive_deferred().await?);
        }
        Ok(())
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        let of_trial = self.trials.iter().map(CpuTrial::threads).max().unwrap_or(1);
        match if self.by_trials { self.pool.threads() } else { of_trial } {
            1 => "CPU, 1 thread".into(),
            threads => format!("CPU, {threads} threads"),
        }
    }

    fn join(&mut self, exchange: Rc<dyn Exchange>) -> Result<(), Error> {
        self.exchange = Some(exchange);
        Ok(())
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        if let Err(error) = trials.iter().try_for_each(|trial| trial.plan.check_functions()) {
            return Box::pin(async { Err(error) });
        }
        let is_whole = trials.iter().all(|trial| trial.plan.part().is_whole());
        self.by_trials = is_whole && trials.len() >= self.pool.threads();
        let threads = if self.by_trials { 1 } else { self.pool.threads() };
        // Frees the memory of earlier trials first.
        self.trials.clear();
        self.links.clear();
        self.trials.extend(trials.into_iter().map(|trial| {
            let threads = if self.sparing { Cpu::threads_worth(&trial.plan, threads) } else { threads };
            let compiled = self.compiler.as_ref().map(|compiler| compile(&trial.plan, compiler.as_ref()));
            let mut trial = CpuTrial::new(trial, threads, (self.fuses, self.sleep));
            if let Some(compiled) = compiled {
                trial.compile(&compiled);
            }
            trial.profile.clone_from(&self.profile);
            trial
        }));
        Box::pin(async move {
            if is_whole {
                return Ok(());
            }
            let joined = self.exchange.clone().ok_or_else(|| {
                Error::Backend(
                    "a plan of a part was loaded without the other ranks; join them first, or load a whole plan".into(),
                )
            })?;
            for trial in &mut self.trials {
                self.links.push(RankLink::new(&trial.plan, joined.clone()).await?);
                for (projection, numbers) in drawing_synapses(&trial.plan, joined.as_ref()).await? {
                    let synapses = trial.shards_mut().filter_map(|shard| shard.synapses_mut(projection));
                    synapses.for_each(|synapses| synapses.set_whole_numbers(&numbers));
                }
            }
            Ok(())
        })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.trials.iter_mut().zip(plans).for_each(|(trial, plan)| trial.revise(plan));
        Box::pin(async { Ok(()) })
    }

    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>> {
        Box::pin(async move {
            if self.by_trials && self.pool.threads() > 1 {
                return side_by_side(&mut self.trials, &self.pool, epoch);
            }
            let mut activities = Vec::with_capacity(self.trials.len());
            let mut links = self.links.iter_mut();
            for trial in &mut self.trials {
                activities.push(trial.run(&self.pool, epoch, links.next()).await?);
            }
            Ok(activities)
        })
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        Box::pin(async move {
            self.receive_deferred_for(trial, array).await?;
            self.trial(trial)?.read(array)
        })
    }

    fn complete_step(&mut self, step: u32) -> Task<'_, ()> {
        Box::pin(async move {
            for trial in 0..self.trials.len() {
                self.receive_deferred(trial).await?;
                self.trials[trial].complete_step(step);
            }
            Ok(())
        })
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()> {
        Box::pin(async move {
            self.receive_deferred(trial).await?;
            self.trial(trial)?.refill(spikes, step);
            Ok(())
        })
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move {
            self.receive_deferred_for(trial, array).await?;
            self.trial(trial)?.write(array, words)
        })
    }
}

/// The program of each population, compiled.
fn compile(plan: &Plan, compiler: &dyn Compiler) -> Vec<Option<Compiled>> {
    plan.populations.iter().map(|population| compiler.compile(&population.program, &population.split_precision())).collect()
}

/// Runs an epoch of all trials, each on one of the threads.
fn side_by_side(trials: &mut [CpuTrial], pool: &Pool, epoch: Epoch) -> Result<Vec<Activity>, Error> {
    let run = |trial: &mut CpuTrial| catch_unwind(AssertUnwindSafe(|| trial::poll(pin!(trial.run(pool, epoch, None)))));
    let done = pool.by_turns(trials.iter_mut(), run);
    let result = |done| if let Ok(Poll::Ready(result)) = done { result } else { Err(trial::thread_failed()) };
    done.into_iter().map(result).collect()
}

#[cfg(test)]
mod tests;
