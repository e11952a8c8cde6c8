//! Backpropagation through time on the CPU, with surrogates of the threshold (Neftci, Mostafa & Zenke 2019, IEEE Signal Processing
//! Magazine 36(6)).
//!
//! The forward simulation is that of the CPU backend, bit by bit. A *chunk* is some consecutive trials of a batch
//! ([`TrainingPlan::chunk`](crate::TrainingPlan::chunk)). Threads take chunks; the lanes of a population are the neurons of all its
//! trials, `trial · size + neuron`.
//!
//! # The order of sums
//!
//! Every device that computes these gradients does so in this order in f32, with each product and each sum rounded by itself, so that all
//! have the same bits (except for the signs of zeros). In a chunk, from the last step to the first:
//!
//! 1. At the end of a [window](crate::Tape::window) (where step + 1 is a multiple of it), the adjoints of the state, of the last spikes
//!    and of the inputs of all later steps become 0.
//! 2. The adjoint of the spike of each neuron: the adjoints of the loss, readout by readout; plus the adjoint of the last spike that the
//!    code of the gradient stored in step + 1; plus, for each projection from its population in the order of the plan through which
//!    adjoints [pass](crate::TrainedProjection::passes_adjoints), and for each synapse of its row, w · a. Here w is its weight in units, as f32, times the unit, and a is the adjoint of the port of its target in
//!    step + 1 + delay, 0 after the last step. Terms whose a is 0 are left out.
//! 3. The gradient of the weights: trial by trial, for each spike of the step by its neuron, for each synapse of its row, plus a.
//! 4. The code of the gradient of each population. It reads the state before the step, and the adjoints after it; constants have a sum in
//!    each lane.
//!
//! Then the constants: in each trial the sum over its neurons, from 0; these are added trial by trial, from 0. Adjoints of initial values
//! are added trial by trial, from 0. Last, the chunks are added in pairs of neighbours, and their sums again; an odd last one waits.
//!
//! # Readings
//!
//! A mean is the sum over the steps times the f32 nearest to 1/steps; its adjoint is multiplied by the same number. A maximum belongs to
//! its first step. The adjoint of the time of a first spike is multiplied by −dt and passes to that spike: a spike that is larger by one
//! comes a step earlier. A neuron that does not fire has none.

mod adjoint;
mod connectivity;
mod double;
mod events;
mod lanes;
mod readout;
mod setup;
mod state;
mod tape;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use spikelet_kernel::block::Registers;
use spikelet_network::{Error, Source};
use spikelet_plan::{Pool, Spike, Task};

use crate::{Batch, DeviceValues, Differentiable, RawGradient, Readings, TrainingPlan};

pub use double::{Double, Spikes};

use adjoint::{Adjoints, ChunkGradient, LossAdjoints, tree};
use readout::ReadNumbers;
use setup::{Setup, Values};
use state::Chunk;
use tape::{Segment, TapePlan};

/// Backpropagation through time on CPU threads.
pub struct Cpu {
    pool: Pool,
    free_memory: Option<u64>,
    loaded: Option<Loaded>,
}

/// A plan on the device.
struct Loaded {
    setup: Setup,
    /// Trials of the largest batch.
    trials: usize,
    tape: TapePlan,
    values: Option<Values>,
    chunks: Vec<LoadedChunk>,
    /// Whether the last batch has a tape.
    is_taped: bool,
    scratch: Mutex<Vec<Scratch>>,
}

/// What a thread works with.
#[derive(Default)]
struct Scratch {
    registers: Registers,
    segment: Segment,
}

/// A chunk of the last batch.
struct LoadedChunk {
    first_trial: u32,
    state: Chunk,
    read: Vec<ReadNumbers>,
    /// Lanes of the input in each step.
    input: Vec<Vec<u32>>,
    /// The whole tape, if it is in one segment.
    tape: Segment,
    /// States at the starts of segments.
    states: Vec<Vec<u32>>,
}

impl Cpu {
    /// On this number of threads.
    pub fn new(threads: usize) -> Cpu {
        Cpu::on(Pool::new(threads))
    }

    /// On these threads.
    pub fn on(pool: Pool) -> Cpu {
        Cpu { pool, free_memory: None, loaded: None }
    }

    /// With this number of bytes for the tape, unless the training says another.
    #[must_use]
    pub fn with_free_memory(self, bytes: u64) -> Cpu {
        Cpu { free_memory: Some(bytes), ..self }
    }
}

fn not_loaded() -> Error {
    Error::Backend("there is nothing to train on the CPU yet; call `load`, `set` and `forward` first".into())
}

impl Loaded {
    /// Work on each chunk, by all threads.
    fn each<R: Send>(
        &mut self,
        pool: &Pool,
        work: impl Fn(&ChunkWork<'_>, &mut LoadedChunk, &mut Scratch) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        let Loaded { setup, tape, values, chunks, scratch, .. } = self;
        let values = values.as_ref().ok_or_else(not_loaded)?;
        let scratch = &*scratch;
        let shared = ChunkWork { setup, values, tape };
        Ok(pool.by_turns(chunks.iter_mut(), |chunk| {
            let taken = || scratch.lock().unwrap_or_else(PoisonError::into_inner);
            let mut own = taken().pop().unwrap_or_default();
            let result = work(&shared, chunk, &mut own);
            taken().push(own);
            result
        }))
    }
}

/// What chunks share.
struct ChunkWork<'a> {
    setup: &'a Setup,
    values: &'a Values,
    tape: &'a TapePlan,
}

impl LoadedChunk {
    fn forward(&mut self, work: &ChunkWork<'_>, tape: bool, scratch: &mut Scratch) {
        let ChunkWork { setup, values, .. } = *work;
        let whole = work.tape.segment >= setup.plan.steps;
        if tape && whole {
            self.tape.begin(setup, self.state.trials, 0, setup.plan.steps);
        }
        for step in 0..setup.plan.steps {
            if tape && !whole && step.is_multiple_of(work.tape.segment) {
                let mut words = Vec::new();
                self.state.save(setup, &mut words);
                self.states.push(words);
            }
            let segment = (tape && whole).then_some(&mut self.tape);
            self.state.step(setup, values, &self.input[step as usize], segment, &mut scratch.registers);
            for (read, of) in self.read.iter_mut().zip(&setup.plan.readouts) {
                read.read(setup, of, &self.state, step);
            }
        }
    }

    fn backward(&mut self, work: &ChunkWork<'_>, adjoints: Vec<&[f32]>, scratch: &mut Scratch) -> ChunkGradient {
        let ChunkWork { setup, values, tape } = *work;
        let Scratch { registers, segment } = scratch;
        let loss = LossAdjoints { read: &self.read, adjoints };
        let mut back = Adjoints::new(setup, values, self.state.trials, self.first_trial);
        if self.states.is_empty() {
            (0..setup.plan.steps).rev().for_each(|step| back.step(step, &loss, &self.state.logs, &self.tape, registers));
            return back.finish();
        }
        for (index, words) in self.states.iter().enumerate().rev() {
            let first = index as u32 * tape.segment;
            let steps = first..(first + tape.segment).min(setup.plan.steps);
            self.state.restore(setup, words, first);
            segment.begin(setup, self.state.trials, first, steps.end - first);
            for step in steps.clone() {
                self.state.step(setup, values, &self.input[step as usize], Some(segment), registers);
            }
            steps.rev().for_each(|step| back.step(step, &loss, &self.state.logs, segment, registers));
        }
        back.finish()
    }
}

/// The lanes in which the input of some trials fires, step by step.
fn input(plan: &TrainingPlan, batch: &Batch, trials: std::ops::Range<usize>) -> Result<Vec<Vec<u32>>, Error> {
    let of = &plan.plan.populations[plan.input];
    let mut steps = vec![Vec::new(); plan.steps as usize];
    for (trial, events) in batch.inputs[trials.clone()].iter().enumerate() {
        for event in events.iter() {
            let at = || format!("the input of trial {}", trials.start + trial);
            if event.channel >= of.size {
                let expected = format!("channels below {}, the size of `{}`", of.size, of.name);
                return Err(Error::invalid(at(), format!("channel {}", event.channel), expected, "make the source larger"));
            }
            if event.time_ms.is_nan() || event.time_ms < 0.0 {
                let expected = "times of at least 0 ms";
                return Err(Error::invalid(at(), format!("{} ms", event.time_ms), expected, "shift the times of the data"));
            }
            // Events after the end of the sample are not part of it.
            if let Some(lanes) = steps.get_mut(Source::step(event.time_ms, plan.plan.dt_ms) as usize) {
                lanes.push(trial as u32 * of.size + event.channel);
            }
        }
    }
    for lanes in &mut steps {
        lanes.sort_unstable();
        lanes.dedup();
    }
    Ok(steps)
}

impl Differentiable for Cpu {
    fn name(&self) -> String {
        let threads = self.pool.threads();
        format!("backpropagation through time, CPU, {threads} {}", if threads == 1 { "thread" } else { "threads" })
    }

    fn load(&mut self, plan: Arc<TrainingPlan>, trials: usize) -> Task<'_, ()> {
        Box::pin(async move {
            // Frees the memory of what was there first.
            self.loaded = None;
            let setup = Setup::new(plan);
            let tape = TapePlan::new(&setup, trials, self.pool.threads(), self.free_memory)?;
            let (chunks, scratch) = (Vec::new(), Mutex::default());
            self.loaded = Some(Loaded { setup, trials, tape, values: None, chunks, is_taped: false, scratch });
            Ok(())
        })
    }

    fn set(&mut self, values: Arc<DeviceValues>) -> Task<'_, ()> {
        Box::pin(async move {
            let loaded = self.loaded.as_mut().ok_or_else(not_loaded)?;
            loaded.values = Some(Values::new(&loaded.setup, values));
            Ok(())
        })
    }

    fn forward<'a>(&'a mut self, batch: &'a Batch, tape: bool) -> Task<'a, Readings> {
        Box::pin(async move {
            let Cpu { pool, loaded, .. } = self;
            let loaded = loaded.as_mut().ok_or_else(not_loaded)?;
            let values = loaded.values.as_ref().ok_or_else(not_loaded)?;
            let setup = &loaded.setup;
            let (count, size) = (batch.inputs.len(), setup.plan.chunk(batch.inputs.len()));
            if count > loaded.trials {
                let expected = format!("at most {}, for which the device was loaded", loaded.trials);
                return Err(Error::invalid("the batch", format!("{count} trials"), expected, "load the plan for more"));
            }
            // Memory of the last tape is used again.
            let mut spare = std::mem::take(&mut loaded.chunks).into_iter().map(|chunk| chunk.tape);
            for first in (0..count).step_by(size) {
                let trials = size.min(count - first);
                let first_trial = batch.first_trial.wrapping_add(first as u32);
                let read = setup.plan.readouts.iter().map(|of| ReadNumbers::new(setup, of, trials)).collect();
                loaded.chunks.push(LoadedChunk {
                    first_trial,
                    state: Chunk::new(setup, values, trials, first_trial),
                    read,
                    input: input(&setup.plan, batch, first..first + trials)?,
                    tape: spare.next().unwrap_or_default(),
                    states: Vec::new(),
                });
            }
            loaded.is_taped = tape;
            loaded.each(pool, |work, chunk, scratch| chunk.forward(work, tape, scratch))?;
            let all = |readout: usize| loaded.chunks.iter().flat_map(|chunk| &chunk.read[readout].values).copied().collect();
            Ok(Readings((0..loaded.setup.plan.readouts.len()).map(all).collect()))
        })
    }

    fn backward<'a>(&'a mut self, adjoints: &'a Readings) -> Task<'a, RawGradient> {
        Box::pin(async move {
            let Cpu { pool, loaded, .. } = self;
            let loaded = loaded.as_mut().ok_or_else(not_loaded)?;
            if !loaded.is_taped {
                return Err(Error::Backend("the last batch has no tape; call `forward` with one first".into()));
            }
            let mut parts: Vec<Vec<&[f32]>> = Vec::new();
            let mut left: Vec<&[f32]> = adjoints.0.iter().map(Vec::as_slice).collect();
            for chunk in &loaded.chunks {
                let lengths: Vec<usize> = chunk.read.iter().map(|read| read.values.len()).collect();
                if lengths.len() != left.len() || lengths.iter().zip(&left).any(|(length, left)| *length > left.len()) {
                    let expected = "one adjoint for each number that was read of the last batch";
                    return Err(Error::invalid("adjoints", "fewer", expected, "give the shapes that `forward` returned"));
                }
                let split = left.iter_mut().zip(lengths).map(|(left, length)| left.split_off(..length).unwrap_or_default());
                parts.push(split.collect());
            }
            // A chunk finds its own part by its place.
            let first = loaded.chunks.first().map_or(0, |chunk| chunk.first_trial);
            let trials = loaded.chunks.first().map_or(1, |chunk| chunk.state.trials);
            let gradients = loaded.each(pool, |work, chunk, scratch| {
                let place = chunk.first_trial.wrapping_sub(first) as usize / trials;
                chunk.backward(work, parts[place].clone(), scratch)
            })?;
            let ChunkGradient { weights, constants, initial } = tree(gradients);
            let wide = |numbers: Vec<f32>| numbers.into_iter().map(f64::from).collect::<Vec<f64>>();
            Ok(RawGradient {
                weights: weights.into_iter().map(wide).collect(),
                constants: constants.into_iter().map(wide).collect(),
                initial: initial.into_iter().map(|arrays| arrays.into_iter().map(wide).collect()).collect(),
            })
        })
    }

    fn spikes(&mut self, trial: usize) -> Task<'_, Vec<Spike>> {
        Box::pin(async move {
            let loaded = self.loaded.as_ref().ok_or_else(not_loaded)?;
            let mut left = trial;
            let found = loaded.chunks.iter().find(|chunk| {
                let is_here = left < chunk.state.trials;
                left -= if is_here { 0 } else { chunk.state.trials };
                is_here
            });
            let chunk = found.ok_or_else(|| {
                let count: usize = loaded.chunks.iter().map(|chunk| chunk.state.trials).sum();
                Error::invalid("the trial", trial, format!("one of the {count} trials of the last batch"), "count from 0")
            })?;
            let (plan, mut spikes) = (&loaded.setup.plan, Vec::new());
            for step in 0..plan.steps {
                for (of, log) in plan.plan.populations.iter().zip(&chunk.state.logs) {
                    let own = log.at(step).iter().filter(|lane| (**lane / of.size) as usize == left);
                    spikes.extend(own.map(|lane| Spike { step, neuron: of.first + lane % of.size }));
                }
            }
            Ok(spikes)
        })
    }

    fn tape_bytes(&self) -> u64 {
        let Some(loaded) = &self.loaded else { return 0 };
        loaded.tape.bytes + loaded.chunks.iter().flat_map(|chunk| &chunk.state.logs).map(state::SpikeLog::bytes).sum::<u64>()
    }
}
