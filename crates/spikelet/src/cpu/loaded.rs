//! A trial on CPU threads.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::shard::{self, Shard};
use crate::Error;
use crate::backend::{Activity, Epoch, Spike, Trial};
use crate::plan::{PerSynapse, Plan, Port, WritePlan};
use crate::pool::{Barrier, Pool};

/// Values of a loaded plan that may be replaced while it runs.
#[derive(Default)]
pub(super) struct Live {
    /// Constants of each population.
    pub(super) constants: Vec<Vec<f32>>,
    /// What one unit of each port is worth, and one of what is left over, for each population.
    pub(super) units: Vec<Vec<[f32; 2]>>,
    /// Weights written since the plan was loaded, by projection and write.
    pub(super) weights: HashMap<(usize, usize), PerSynapse<i32>>,
    /// Constants of each projection whose synapses have a state.
    pub(super) synapse_constants: Vec<Vec<f32>>,
}

impl Live {
    fn new(plan: &Plan) -> Live {
        let constants = |projection: &Arc<crate::ProjectionPlan>| {
            projection.state.as_ref().map(|state| state.constants.clone()).unwrap_or_default()
        };
        Live {
            constants: plan.populations.iter().map(|population| population.constants.clone()).collect(),
            units: plan.populations.iter().map(|population| population.ports.iter().map(Port::units).collect()).collect(),
            weights: HashMap::new(),
            synapse_constants: plan.projections.iter().map(constants).collect(),
        }
    }

    pub(super) fn weights<'a>(&'a self, of: &'a WritePlan, projection: usize, write: usize) -> &'a PerSynapse<i32> {
        // Hardly ever written: the look-up costs nothing while the map is empty.
        self.weights.get(&(projection, write)).unwrap_or(&of.weights)
    }
}

/// What code runs with, and when.
pub(super) struct Moment<'a> {
    pub(super) plan: &'a Plan,
    pub(super) live: &'a Live,
    pub(super) step: u32,
    pub(super) trial: u32,
    /// The plan's clocks in this step.
    pub(super) clocks: &'a [f32],
}

/// The clocks of some steps, computed once for all threads.
pub(super) struct ClockRows {
    first: u32,
    rows: Vec<Vec<f32>>,
}

impl ClockRows {
    /// Those of an epoch and of the step before, whose spikes may still be on their way.
    fn new(plan: &Plan, epoch: Epoch) -> ClockRows {
        let first = epoch.first.saturating_sub(1);
        let steps = if plan.clock_lanes > 0 { first..epoch.end().max(first + 1) } else { 0..0 };
        ClockRows { first, rows: steps.map(|step| plan.clocks(step)).collect() }
    }

    pub(super) fn at(&self, step: u32) -> &[f32] {
        self.rows.get((step - self.first) as usize).map_or(&[], Vec::as_slice)
    }
}

/// A trial, with everything that moves.
pub(super) struct Loaded {
    pub(super) plan: Arc<Plan>,
    pub(super) live: Live,
    pub(super) shards: Vec<Shard>,
    /// Spikes whose events are not in the rings yet.
    pending: Vec<Spike>,
    /// The step that runs next; none before the first epoch, which finds all that happened before it in the arrays.
    step: Option<u32>,
}

impl Loaded {
    pub(super) fn new(trial: Trial, threads: usize) -> Loaded {
        let Trial { number, plan } = trial;
        let (live, shards) = (Live::new(&plan), shard::cut(&plan, threads, number));
        Loaded { plan, live, shards, pending: Vec::new(), step: None }
    }

    /// Threads that it runs on.
    pub(super) fn threads(&self) -> usize {
        self.shards.len()
    }

    pub(super) fn revise(&mut self, plan: Arc<Plan>) {
        self.settle_states();
        self.plan = plan;
    }

    pub(super) fn run(&mut self, pool: &Pool, epoch: Epoch, inbound: &[Spike]) -> Result<Activity, Error> {
        let plan = self.plan.clone();
        if self.step.is_none() {
            self.shards.iter_mut().for_each(|shard| shard.begin(epoch.first));
        }
        // Values change between runs alone.
        self.shards.iter_mut().for_each(|shard| shard.look_at(&self.live));
        self.pending.extend_from_slice(inbound);
        let mut samples = vec![0.0; epoch.steps as usize * plan.channels.len()];
        let clocks = ClockRows::new(&plan, epoch);
        let (mut spikes, diverged) = if let [shard] = self.shards.as_mut_slice() {
            let spikes = run_alone(shard, &plan, &self.live, &clocks, epoch, &mut self.pending, &mut samples);
            (spikes, shard.diverges(epoch.end()))
        } else {
            self.run_threads(pool, &plan, &clocks, epoch, &mut samples)?
        };
        self.step = Some(epoch.end());
        // So that a fault of the last step is one of this call.
        self.settle_states();
        if let Some(fault) = self.shards.iter_mut().find_map(|shard| shard.fault.take()) {
            return Err(fault);
        }
        // Threads fill a list each; its order must not depend on that.
        if self.shards.len() > 1 {
            spikes.sort_unstable();
        }
        Ok(Activity { spikes, samples, diverged, ..Activity::default() })
    }

    fn run_threads(
        &mut self,
        pool: &Pool,
        plan: &Plan,
        clocks: &ClockRows,
        epoch: Epoch,
        samples: &mut [f32],
    ) -> Result<(Vec<Spike>, bool), Error> {
        let count = self.shards.len();
        // The turn in which a thread broke off.
        let (barrier, broken, live) = (Barrier::new(count), AtomicUsize::new(usize::MAX), &self.live);
        // Outboxes of the last epoch and of this one, by turns: one meeting an epoch is enough.
        let boxes: [Vec<RwLock<Vec<Spike>>>; 2] = std::array::from_fn(|_| (0..count).map(|_| RwLock::default()).collect());
        if let Some(first) = boxes[1].first() {
            std::mem::swap(&mut *first.write().unwrap_or_else(PoisonError::into_inner), &mut self.pending);
        }
        let channels = epoch.steps as usize * plan.channels.len();
        // Each is locked once, by its thread.
        let desks: Vec<Mutex<Desk<'_>>> = self.shards.iter_mut().map(|shard| Mutex::new(Desk::new(shard, channels))).collect();
        pool.run(count, |index| {
            let mut desk = desks[index].lock().unwrap_or_else(PoisonError::into_inner);
            let Desk { shard, spikes, samples, inbox, diverged } = &mut *desk;
            for (turn, part) in parts(plan, epoch).enumerate() {
                let work = || {
                    inbox.clear();
                    for heard in &boxes[(turn + 1) % 2] {
                        inbox.extend_from_slice(&heard.read().unwrap_or_else(PoisonError::into_inner));
                    }
                    // As in `run_alone`.
                    inbox.sort_unstable();
                    shard.deliver(plan, live, clocks, inbox, part.first);
                    let mut own = boxes[turn % 2][index].write().unwrap_or_else(PoisonError::into_inner);
                    own.clear();
                    shard.advance(plan, live, clocks, epoch, part, &mut own, samples);
                    spikes.extend_from_slice(&own);
                };
                // A thread that breaks off still meets the others, which would wait for it for ever.
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    broken.fetch_min(turn, Ordering::Relaxed);
                }
                barrier.wait();
                // A faster thread may have broken off in the next turn already: then the others meet it there.
                if broken.load(Ordering::Relaxed) <= turn {
                    return;
                }
            }
            *diverged = shard.diverges(epoch.end());
        });
        if broken.into_inner() < usize::MAX {
            return Err(broke_off());
        }
        let last = (parts(plan, epoch).count() + 1) % 2;
        for outbox in &boxes[last] {
            self.pending.append(&mut outbox.write().unwrap_or_else(PoisonError::into_inner));
        }
        let (mut all, mut diverged) = (Vec::new(), false);
        for desk in desks {
            let desk = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
            diverged |= desk.diverged;
            all.extend(desk.spikes);
            // Each channel is sampled by the shard that owns its neuron; the others leave zeros.
            samples.iter_mut().zip(desk.samples).for_each(|(sample, value)| *sample += value);
        }
        Ok((all, diverged))
    }

    /// The code of synapses with a state belongs to the step of its spikes: it sees the values of that step, and what it writes to
    /// neurons is there when the step is over.
    pub(super) fn settle_states(&mut self) {
        if self.plan.memory_steps > 0 {
            let plan = self.plan.clone();
            self.settle(&plan);
        }
    }

    /// Events of the last epoch are kept as spikes until the next one; a ring that is looked at holds them.
    pub(super) fn settle(&mut self, plan: &Plan) {
        let Some(step) = self.step else { return };
        let clocks = ClockRows::new(plan, Epoch { first: step, steps: 0 });
        for shard in &mut self.shards {
            shard.deliver(plan, &self.live, &clocks, &self.pending, step);
        }
        self.pending.clear();
    }
}

/// A thread's work: its shard, and what that brings about.
struct Desk<'a> {
    shard: &'a mut Shard,
    spikes: Vec<Spike>,
    samples: Vec<f32>,
    /// The spikes of all shards in the last part.
    inbox: Vec<Spike>,
    /// Whether a neuron of the shard has left the numbers by the end of the epoch.
    diverged: bool,
}

impl<'a> Desk<'a> {
    fn new(shard: &'a mut Shard, samples: usize) -> Desk<'a> {
        Desk { shard, spikes: Vec::new(), samples: vec![0.0; samples], inbox: Vec::new(), diverged: false }
    }
}

pub(super) fn broke_off() -> Error {
    Error::Backend("a thread of the CPU broke off; reset the simulation, and report it".into())
}

fn run_alone(
    shard: &mut Shard,
    plan: &Plan,
    live: &Live,
    clocks: &ClockRows,
    epoch: Epoch,
    pending: &mut Vec<Spike>,
    samples: &mut [f32],
) -> Vec<Spike> {
    let mut all = Vec::new();
    for part in parts(plan, epoch) {
        shard.deliver(plan, live, clocks, pending, part.first);
        pending.clear();
        shard.advance(plan, live, clocks, epoch, part, pending, samples);
        // Blocks run the whole part each. In the order of steps events reach the same slots for a while, which stay at hand.
        pending.sort_unstable();
        all.extend_from_slice(pending);
    }
    all
}

/// An epoch in stretches during which neurons need not hear of each other.
fn parts(plan: &Plan, epoch: Epoch) -> impl Iterator<Item = Epoch> {
    let length = plan.epoch_steps;
    (epoch.first..epoch.end()).step_by(length as usize).map(move |first| Epoch { first, steps: length.min(epoch.end() - first) })
}
