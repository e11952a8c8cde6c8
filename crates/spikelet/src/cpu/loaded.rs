//! A trial on CPU threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::company::{Alone, Threads};
use super::moment::{ClockRows, Live};
use super::program::Program;
use super::shard::Shard;
use super::worker::{self, Common, Outcome, Worker};
use crate::backend::{Activity, Epoch, Probe, Spike, Trial};
use crate::half;
use crate::plan::schedule::Schedule;
use crate::plan::{PerSynapse, Plan, StatisticPlan};
use crate::pool::Pool;
use crate::{Error, Tally};

/// A trial, with everything that moves.
pub(super) struct Loaded {
    plan: Arc<Plan>,
    number: u32,
    live: Live,
    program: Program,
    workers: Vec<Worker>,
    /// Spikes whose events are not in the rings yet.
    pending: Vec<Spike>,
}

impl Loaded {
    pub(super) fn new(trial: Trial, threads: usize, fuses: bool) -> Loaded {
        let Trial { number, plan } = trial;
        let schedule = Schedule::new(&plan);
        let workers = worker::workers(&plan, &schedule, threads);
        let stopping = workers.iter().filter(|worker| worker.stopping.is_some()).count();
        let runs_ahead = workers.iter().any(|worker| !worker.ahead.is_empty());
        let program = Program::new(&plan, schedule, fuses, stopping, runs_ahead);
        Loaded { live: Live::new(&plan), plan, number, program, workers, pending: Vec::new() }
    }

    /// Threads that it runs on.
    pub(super) fn threads(&self) -> usize {
        self.workers.len()
    }

    pub(super) fn revise(&mut self, plan: Arc<Plan>) {
        self.plan = plan;
    }

    pub(super) fn run(&mut self, pool: &Pool, epoch: Epoch) -> Result<Activity, Error> {
        let Loaded { plan, number, live, program, workers, pending } = self;
        let clocks = ClockRows::new(plan, epoch);
        // Values change between runs alone.
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.look_at(live));
        for place in 0..program.published.len() {
            let (population, variable) = program.published.variable(place);
            let shards = workers.iter().flat_map(Worker::shards);
            shards.for_each(|shard| shard.values(population, variable, program.published.first_copy(place)));
        }
        let common = Common { plan, program, live, clocks: &clocks, trial: *number, epoch };
        let outcomes = match workers.as_mut_slice() {
            [worker] => run_alone(worker, &common, pending),
            workers => run_threads(pool, workers, &common, pending),
        }?;
        if let Some(fault) = workers.iter_mut().find_map(Worker::take_fault) {
            return Err(fault);
        }
        let diverged = workers.iter().flat_map(Worker::shards).any(|shard| shard.diverges(epoch.end()));
        let mut activity = Activity { diverged, ..Activity::default() };
        for Outcome { spikes, samples } in outcomes {
            activity.spikes.extend(spikes.into_iter().flatten());
            // Each samples its own neurons, and leaves zeros for others.
            if activity.samples.is_empty() {
                activity.samples = samples;
            } else {
                activity.samples.iter_mut().zip(samples).for_each(|(sum, sample)| *sum += sample);
            }
        }
        Ok(activity)
    }

    fn shards(&self) -> impl Iterator<Item = &Shard> {
        self.workers.iter().flat_map(Worker::shards)
    }

    fn shards_mut(&mut self) -> impl Iterator<Item = &mut Shard> {
        self.workers.iter_mut().flat_map(Worker::shards_mut)
    }

    /// The shards that have neurons of a population, in their order.
    fn shards_of(&self, population: usize) -> Vec<&Shard> {
        let mut shards: Vec<&Shard> = self.shards().filter(|shard| !shard.neurons(population).is_empty()).collect();
        shards.sort_by_key(|shard| shard.neurons(population).start);
        shards
    }

    pub(super) fn read(&mut self, probe: Probe) -> Vec<u32> {
        let plan = self.plan.clone();
        match probe {
            Probe::Constants { population } => return bits(&self.live.constants[population]),
            Probe::Scales { population } => return bits(self.live.units[population].as_flattened()),
            Probe::SynapseConstants { projection } => return bits(&self.live.synapse_constants[projection]),
            Probe::Weights { projection, write } => {
                let Some((_, of)) = plan.projections[projection].writes().nth(write) else { return Vec::new() };
                let weights = self.live.weights(of, projection, write);
                return weights.units().map(|weight| weight as u32).collect();
            }
            Probe::Synapses { projection, array } => {
                let mut words = vec![0; probe.words(&plan)];
                for synapses in self.shards().filter_map(|shard| shard.synapses(projection)) {
                    synapses.read(array).for_each(|(number, word)| words[number as usize] = word);
                }
                return words;
            }
            Probe::Traces { projection, trace } => {
                let Some(of) = plan.projections[projection].state.as_ref().map(|state| &state.traces[trace]) else {
                    return Vec::new();
                };
                let mut words = vec![of.initial.to_bits(); probe.words(&plan)];
                for synapses in self.shards().filter_map(|shard| shard.synapses(projection)) {
                    let followed = (0..).zip(&mut words).zip(synapses.trace(trace));
                    let followed = followed.filter(|((neuron, _), _)| synapses.follows(of.end, *neuron));
                    followed.for_each(|((_, word), value)| *word = value);
                }
                return words;
            }
            Probe::Statistic { statistic } => {
                let StatisticPlan { projection, array, edges, .. } = &plan.statistics[statistic];
                let values = floats(&self.read(Probe::Synapses { projection: *projection, array: *array }));
                return Tally::of(&values, edges).to_words();
            }
            Probe::Remembered { population } => {
                let shard = self.workers.iter().find_map(|worker| worker.stopping.as_ref());
                return shard.map_or_else(|| vec![0; probe.words(&plan)], |shard| shard.remembered(&plan, population));
            }
            Probe::Ring { .. } => self.settle(),
            Probe::Variable { .. } | Probe::LastSpike { .. } => {}
        }
        let of = match probe {
            Probe::Variable { population, .. } | Probe::LastSpike { population } | Probe::Ring { population, .. } => population,
            _ => return Vec::new(),
        };
        let parts: Vec<Vec<u32>> = self.shards_of(of).into_iter().map(|shard| shard.read(&plan, probe)).collect();
        // A ring comes slot by slot, each slot from all shards, and so does what is left over.
        let slots = match probe {
            Probe::Ring { population, port } => (plan.ring.slots * plan.populations[population].ports[port].width()) as usize,
            _ => 1,
        };
        let slot = |part: &Vec<u32>, slot: usize| part[part.len() / slots * slot..part.len() / slots * (slot + 1)].to_vec();
        (0..slots).flat_map(|k| parts.iter().flat_map(move |part| slot(part, k)).collect::<Vec<_>>()).collect()
    }

    pub(super) fn write(&mut self, probe: Probe, words: &[u32]) -> Result<(), Error> {
        let plan = self.plan.clone();
        probe.check_write(&plan, words.len())?;
        match probe {
            Probe::Constants { population } => self.live.constants[population] = floats(words),
            Probe::Scales { population } => {
                self.live.units[population] = floats(words).chunks_exact(2).map(|units| [units[0], units[1]]).collect();
            }
            Probe::SynapseConstants { projection } => self.live.synapse_constants[projection] = floats(words),
            Probe::Synapses { projection, array } => {
                for synapses in self.shards_mut().filter_map(|shard| shard.synapses_mut(projection)) {
                    synapses.write(array, words);
                }
            }
            Probe::Traces { projection, trace } => {
                for synapses in self.shards_mut().filter_map(|shard| shard.synapses_mut(projection)) {
                    synapses.write_trace(trace, words);
                }
            }
            Probe::Weights { projection, write } => {
                // Spikes that were fired before carry the weights of their time.
                self.settle();
                let each = words.iter().map(|word| *word as i32);
                let weights = match plan.projections[projection].writes().nth(write).map(|(_, of)| &of.weights) {
                    Some(PerSynapse::Shared(_)) => PerSynapse::Shared(each.sum()),
                    Some(PerSynapse::Each(_)) => PerSynapse::Each(Arc::new(each.collect())),
                    Some(PerSynapse::Half(_)) => PerSynapse::Half(Arc::new(each.map(half::encode).collect())),
                    // Those that are drawn follow the plan.
                    Some(PerSynapse::Packed(_) | PerSynapse::Drawn(_)) | None => return Ok(()),
                };
                self.live.weights.insert((projection, write), weights);
            }
            Probe::Remembered { population } => {
                self.shards_mut().for_each(|shard| shard.set_remembered(&plan, population, words));
            }
            Probe::Ring { .. } => {
                self.settle();
                self.shards_mut().for_each(|shard| shard.write(&plan, probe, words));
            }
            Probe::Variable { .. } | Probe::LastSpike { .. } => {
                self.shards_mut().for_each(|shard| shard.write(&plan, probe, words));
            }
            // Refused above.
            Probe::Statistic { .. } => {}
        }
        Ok(())
    }

    /// Events of the last epoch are kept as spikes until the next one; a ring that is looked at holds them.
    fn settle(&mut self) {
        let Loaded { plan, live, workers, pending, .. } = self;
        workers.iter_mut().flat_map(Worker::shards_mut).for_each(|shard| shard.propagate(plan, live, pending));
        pending.clear();
    }
}

pub(super) fn broke_off() -> Error {
    Error::Backend("a thread of the CPU broke off; reset the simulation, and report it".into())
}

fn run_alone(worker: &mut Worker, common: &Common<'_>, pending: &mut Vec<Spike>) -> Result<Vec<Outcome>, Error> {
    let mut outcome = Outcome::new(common, true);
    worker.run(common, &mut Alone, pending, &mut outcome).map_err(|_| broke_off())?;
    Ok(vec![outcome])
}

fn run_threads(
    pool: &Pool,
    workers: &mut [Worker],
    common: &Common<'_>,
    pending: &mut Vec<Spike>,
) -> Result<Vec<Outcome>, Error> {
    let threads = Threads::new(workers.len());
    // Each is locked once, by its thread.
    let desk = |(number, worker)| Mutex::new((worker, Outcome::new(common, number == 0), pending.clone()));
    let desks: Vec<Mutex<(&mut Worker, Outcome, Vec<Spike>)>> = workers.iter_mut().enumerate().map(desk).collect();
    let broken = AtomicBool::new(false);
    pool.run(desks.len(), |number| {
        let mut desk = desks[number].lock().unwrap_or_else(PoisonError::into_inner);
        let (worker, outcome, heard) = &mut *desk;
        let work = || worker.run(common, &mut threads.seen_by(number), heard, outcome);
        // Those who wait for a thread that has broken off would do so for ever.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            broken.store(true, Ordering::Relaxed);
            threads.abandon();
        }
    });
    if broken.into_inner() {
        return Err(broke_off());
    }
    let mut outcomes = Vec::new();
    for desk in desks {
        let (_, outcome, heard) = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.push(outcome);
        *pending = heard;
    }
    Ok(outcomes)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}
