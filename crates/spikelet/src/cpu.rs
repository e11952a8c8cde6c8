//! The CPU backend: the referee of all others.
//!
//! Neurons are kept in blocks of 256; a thread owns a contiguous range of blocks, a [shard], with the rings of its neurons, and
//! walks all rows for its own targets. Threads meet once an epoch to hear each other's spikes.

mod shard;

use std::collections::HashMap;
use std::sync::{Arc, Barrier, PoisonError, RwLock};

use crate::Error;
use crate::backend::{Activity, Backend, Epoch, Probe, Spike, Task};
use crate::plan::{PerSynapse, Plan, Port};
use shard::Shard;

/// Values of a loaded plan that may be replaced while it runs.
#[derive(Default)]
struct Live {
    /// Constants of each population.
    constants: Vec<Vec<f32>>,
    /// What one unit of each port is worth, for each population.
    units: Vec<Vec<f32>>,
    /// Weights written since the plan was loaded, by projection and write.
    weights: HashMap<(usize, usize), PerSynapse<i32>>,
}

impl Live {
    fn new(plan: &Plan) -> Live {
        Live {
            constants: plan.populations.iter().map(|population| population.constants.clone()).collect(),
            units: plan.populations.iter().map(|population| population.ports.iter().map(Port::unit).collect()).collect(),
            weights: HashMap::new(),
        }
    }

    fn weights<'a>(&'a self, plan: &'a Plan, projection: usize, write: usize) -> &'a PerSynapse<i32> {
        // Hardly ever written: the look-up costs nothing while the map is empty.
        self.weights.get(&(projection, write)).unwrap_or(&plan.projections[projection].writes[write].weights)
    }
}

/// Plain CPU threads.
pub struct Cpu {
    threads: usize,
    plan: Option<Arc<Plan>>,
    live: Live,
    shards: Vec<Shard>,
    /// Spikes whose events are not in the rings yet.
    pending: Vec<Spike>,
}

impl Cpu {
    /// A CPU with this many threads; small networks use fewer, and wasm has one.
    pub fn new(threads: usize) -> Cpu {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.max(1) };
        Cpu { threads, plan: None, live: Live::default(), shards: Vec::new(), pending: Vec::new() }
    }

    fn plan(&self) -> Result<Arc<Plan>, Error> {
        self.plan.clone().ok_or_else(|| Error::Backend("the CPU has no plan; load one first".into()))
    }

    fn run(&mut self, epoch: Epoch, inbound: &[Spike]) -> Result<Activity, Error> {
        let plan = self.plan()?;
        self.pending.extend_from_slice(inbound);
        let mut samples = vec![0.0; epoch.steps as usize * plan.channels.len()];
        let mut spikes = if let [shard] = self.shards.as_mut_slice() {
            run_alone(shard, &plan, &self.live, epoch, &mut self.pending, &mut samples)
        } else {
            self.run_threads(&plan, epoch, &mut samples)
        };
        // Blocks run a whole epoch each; the order of a list must not depend on that.
        spikes.sort_unstable();
        Ok(Activity { spikes, samples })
    }

    fn run_threads(&mut self, plan: &Plan, epoch: Epoch, samples: &mut [f32]) -> Vec<Spike> {
        let count = self.shards.len();
        let (barrier, live) = (Barrier::new(count), &self.live);
        // Outboxes of the last epoch and of this one, by turns: one meeting an epoch is enough.
        let boxes: [Vec<RwLock<Vec<Spike>>>; 2] = std::array::from_fn(|_| (0..count).map(|_| RwLock::default()).collect());
        if let Some(first) = boxes[1].first() {
            std::mem::swap(&mut *first.write().unwrap_or_else(PoisonError::into_inner), &mut self.pending);
        }
        let results: Vec<(Vec<Spike>, Vec<f32>)> = std::thread::scope(|scope| {
            let handles: Vec<_> = self
                .shards
                .iter_mut()
                .enumerate()
                .map(|(index, shard)| {
                    let (barrier, boxes) = (&barrier, &boxes);
                    scope.spawn(move || {
                        let (mut all, mut samples) = (Vec::new(), vec![0.0; epoch.steps as usize * plan.channels.len()]);
                        for (turn, part) in parts(plan, epoch).enumerate() {
                            for inbox in &boxes[(turn + 1) % 2] {
                                shard.propagate(plan, live, &inbox.read().unwrap_or_else(PoisonError::into_inner));
                            }
                            let mut own = boxes[turn % 2][index].write().unwrap_or_else(PoisonError::into_inner);
                            own.clear();
                            shard.advance(plan, live, epoch, part, &mut own, &mut samples);
                            all.extend_from_slice(&own);
                            drop(own);
                            barrier.wait();
                        }
                        (all, samples)
                    })
                })
                .collect();
            handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
        });
        let last = (parts(plan, epoch).count() + 1) % 2;
        for outbox in &boxes[last] {
            self.pending.append(&mut outbox.write().unwrap_or_else(PoisonError::into_inner));
        }
        let mut spikes = Vec::new();
        for (own, sampled) in results {
            spikes.extend(own);
            // Each channel is sampled by the shard that owns its neuron; the others leave zeros.
            samples.iter_mut().zip(sampled).for_each(|(sample, value)| *sample += value);
        }
        spikes
    }
}

fn run_alone(
    shard: &mut Shard,
    plan: &Plan,
    live: &Live,
    epoch: Epoch,
    pending: &mut Vec<Spike>,
    samples: &mut [f32],
) -> Vec<Spike> {
    let mut all = Vec::new();
    for part in parts(plan, epoch) {
        shard.propagate(plan, live, pending);
        pending.clear();
        shard.advance(plan, live, epoch, part, pending, samples);
        all.extend_from_slice(pending);
    }
    all
}

/// An epoch in stretches during which neurons need not hear of each other.
fn parts(plan: &Plan, epoch: Epoch) -> impl Iterator<Item = Epoch> {
    let length = plan.epoch_steps;
    (epoch.first..epoch.end()).step_by(length as usize).map(move |first| Epoch { first, steps: length.min(epoch.end() - first) })
}

impl Backend for Cpu {
    fn name(&self) -> String {
        match self.shards.len().max(1) {
            1 => "CPU, 1 thread".into(),
            threads => format!("CPU, {threads} threads"),
        }
    }

    fn load(&mut self, plan: Arc<Plan>, trial: u32) -> Task<'_, ()> {
        self.shards = shard::cut(&plan, self.threads, trial);
        self.pending.clear();
        self.live = Live::new(&plan);
        self.plan = Some(plan);
        Box::pin(async { Ok(()) })
    }

    fn advance<'a>(&'a mut self, epoch: Epoch, inbound: &'a [Spike]) -> Task<'a, Activity> {
        Box::pin(async move { self.run(epoch, inbound) })
    }

    fn read(&mut self, probe: Probe) -> Task<'_, Vec<u32>> {
        Box::pin(async move {
            let plan = self.plan()?;
            match probe {
                Probe::Constants { population } => return Ok(bits(&self.live.constants[population])),
                Probe::Scales { population } => return Ok(bits(&self.live.units[population])),
                Probe::Weights { projection, write } => {
                    let weights = self.live.weights(&plan, projection, write);
                    return Ok(weights.as_slice().iter().map(|weight| *weight as u32).collect());
                }
                Probe::Ring { .. } => self.settle(&plan),
                Probe::Variable { .. } | Probe::LastSpike { .. } => {}
            }
            let parts: Vec<Vec<u32>> = self.shards.iter().map(|shard| shard.read(&plan, probe)).collect();
            // A ring comes slot by slot, each slot from all shards.
            let slots = if matches!(probe, Probe::Ring { .. }) { plan.ring.slots as usize } else { 1 };
            let slot = |part: &Vec<u32>, slot: usize| part[part.len() / slots * slot..part.len() / slots * (slot + 1)].to_vec();
            Ok((0..slots).flat_map(|k| parts.iter().flat_map(move |part| slot(part, k)).collect::<Vec<_>>()).collect())
        })
    }

    fn write<'a>(&'a mut self, probe: Probe, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move {
            let plan = self.plan()?;
            probe.check_length(&plan, words.len())?;
            match probe {
                Probe::Constants { population } => self.live.constants[population] = floats(words),
                Probe::Scales { population } => self.live.units[population] = floats(words),
                Probe::Weights { projection, write } => {
                    // Spikes that were fired before carry the weights of their time.
                    self.settle(&plan);
                    let each = words.iter().map(|word| *word as i32);
                    let weights = match plan.projections[projection].writes[write].weights {
                        PerSynapse::Shared(_) => PerSynapse::Shared(each.sum()),
                        PerSynapse::Each(_) => PerSynapse::Each(each.collect()),
                    };
                    self.live.weights.insert((projection, write), weights);
                }
                Probe::Ring { .. } => {
                    self.settle(&plan);
                    self.shards.iter_mut().for_each(|shard| shard.write(&plan, probe, words));
                }
                Probe::Variable { .. } | Probe::LastSpike { .. } => {
                    self.shards.iter_mut().for_each(|shard| shard.write(&plan, probe, words));
                }
            }
            Ok(())
        })
    }
}

impl Cpu {
    /// Events of the last epoch are kept as spikes until the next one; a ring that is looked at holds them.
    fn settle(&mut self, plan: &Plan) {
        for shard in &mut self.shards {
            shard.propagate(plan, &self.live, &self.pending);
        }
        self.pending.clear();
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}
