//! A plan on a device, and a batch of it.

use std::sync::Arc;

use spikelet::{Error, Spike};
use spikelet_train::{Batch, DeviceValues, RawGradient, Reading, Readings, TrainingPlan};

use super::buffers::{Buffers, bound};
use super::input::{INPUT_WORDS, input_spikes};
use super::jobs::{BatchShape, Jobs};
use super::layout::{BatchLayout, TapeLayout};
use super::program::Program;
use super::recorder::Recorder;
use super::tables::Tables;
use crate::Device;
use crate::allocate::Allocator;
use crate::readback::BufferRange;
use crate::sizes::ITERATIONS_SOFTWARE;

/// Maximum number of trials of a batch: sizes of buffers are then numbers of 64 bits.
const MAX_TRIALS: u32 = 1 << 24;

/// `NEVER` of `shaders/training/read.wgsl`.
const NEVER: u32 = u32::MAX;

/// A plan on a device.
pub(super) struct TrainingSession {
    device: Device,
    plan: Arc<TrainingPlan>,
    tables: Tables,
    /// Of the largest batches.
    largest: BatchLayout,
    tape: TapeLayout,
    program: Program,
    buffers: Buffers,
    /// By page of the tape.
    bindings: Vec<wgpu::BindGroup>,
    has_values: bool,
    batch: Option<LoadedBatch>,
}

/// The last batch.
struct LoadedBatch {
    layout: BatchLayout,
    jobs: Jobs,
    /// The segment that is on the tape, if there is one.
    taped: Option<u32>,
    /// All words of its spikes, after they have been read.
    spikes: Option<Vec<u32>>,
}

impl TrainingSession {
    /// # Errors
    /// The device has too little memory, or rejects a kernel.
    pub(super) async fn new(device: &Device, plan: Arc<TrainingPlan>, trials: usize) -> Result<TrainingSession, Error> {
        let Some(trials) = u32::try_from(trials.max(1)).ok().filter(|trials| *trials <= MAX_TRIALS) else {
            return Err(Error::invalid("batch", trials, format!("at most {MAX_TRIALS} samples"), "use smaller batches"));
        };
        let mut largest = BatchLayout::new(&plan, trials);
        check_loops(device, &plan, &largest)?;
        // Chunks of smaller batches can have fewer trials, so that there are more of them.
        let chunks = (1..=trials).map(|trials| trials.div_ceil(plan.chunk(trials as usize) as u32)).max().unwrap_or(1);
        largest.sizes.gradients = largest.sizes.gradients / u64::from(largest.chunks) * u64::from(chunks);
        let tables = Tables::new(&plan);
        let tape = TapeLayout::new(&plan, &largest, device.limits().binding_words())?;
        let bound = bound(device, &plan, &largest, tape, tables.words.len() as u64)?;
        let shape = BatchShape { plan: &plan, tables: &tables, tape, layout: &largest, first_trial: 0, spikes: 1 };
        let jobs = shape.jobs().list.len();
        let buffers = Buffers::new(device, &plan, &largest, tape, bound, jobs).await?;
        let program = Program::new(device, &plan).await?;
        let uniforms = [&buffers.jobs, &buffers.steps];
        let bindings = (0..buffers.tape.len()).map(|page| program.bind(device, uniforms, buffers.storage(page))).collect();
        device.queue.write_buffer(&buffers.tables, 0, bytemuck::cast_slice(&tables.words));
        device.check()?;
        let device = device.clone();
        Ok(TrainingSession { device, plan, tables, largest, tape, program, buffers, bindings, has_values: false, batch: None })
    }

    /// Takes the values of a device.
    pub(super) fn set(&mut self, values: &DeviceValues) -> Result<(), Error> {
        let (first, words) = self.tables.set_values(&self.plan, values);
        self.device.queue.write_buffer(&self.buffers.tables, 4 * first as u64, bytemuck::cast_slice(words));
        self.has_values = true;
        self.batch = None;
        self.device.check()
    }

    /// Bytes that are stored for the gradient of the largest batches.
    pub(super) fn tape_bytes(&self) -> u64 {
        self.largest.tape_bytes(&self.plan, self.tape.segment)
    }

    /// Simulates a batch, and reads it.
    pub(super) async fn forward(&mut self, batch: &Batch, tape: bool) -> Result<Readings, Error> {
        self.batch = None;
        let layout = self.layout(batch)?;
        let spikes = input_spikes(&self.plan, batch, layout.populations[self.plan.input].words)?;
        let jobs = self.upload(batch, &layout, spikes.len() / INPUT_WORDS);
        let mut recorder = self.recorder();
        recorder.clear(&self.buffers.spikes, 0, layout.sizes.spikes);
        recorder.clear(&self.buffers.ring, 0, layout.sizes.ring);
        recorder.each(&jobs.begin, 0, 0);
        if let Some(input) = jobs.input {
            let allocator = Allocator::beside(&self.device, spikes.len() as u64, "use smaller batches");
            let buffer = allocator.make("input", spikes.len() as u64).await?;
            self.device.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&spikes));
            let mut storage = self.buffers.storage(0);
            storage[0] = &buffer;
            let bindings = self.program.bind(&self.device, [&self.buffers.jobs, &self.buffers.steps], storage);
            recorder.with(&bindings, input, 0);
        }
        let last = self.tape.segments - 1;
        for segment in 0..self.tape.segments {
            if tape && self.tape.segments > 1 {
                self.checkpoint(&mut recorder, &layout, segment, true);
            }
            self.steps(&mut recorder, &jobs, segment, tape && segment == last, true);
        }
        let pieces: Vec<_> = layout.readouts.iter().map(|of| range(&self.buffers.readings, of.values, of.count)).collect();
        let words = self.device.read_after(recorder.finish(), &pieces).await?;
        self.device.check()?;
        let mut words = words.into_iter();
        let read = self.plan.readouts.iter().zip(&layout.readouts).map(|(of, place)| {
            let words = words.by_ref().take(place.count as usize);
            let time = |step: u32| if step == NEVER { f32::INFINITY } else { (f64::from(step) * self.plan.plan.dt_ms) as f32 };
            match of.reading {
                Reading::FirstSpike => words.map(time).collect(),
                _ => words.map(f32::from_bits).collect(),
            }
        });
        let readings = Readings(read.collect());
        self.batch = Some(LoadedBatch { layout, jobs, taped: tape.then_some(last), spikes: None });
        Ok(readings)
    }

    /// The places of a batch.
    fn layout(&self, batch: &Batch) -> Result<BatchLayout, Error> {
        let (trials, most) = (batch.inputs.len(), self.largest.trials);
        if trials == 0 || trials > most as usize {
            let expected = format!("1 to {most} trials");
            return Err(Error::invalid("the batch", format!("{trials} trials"), expected, "load the plan for larger batches"));
        }
        if !self.has_values {
            return Err(super::not_loaded());
        }
        Ok(BatchLayout::new(&self.plan, trials as u32))
    }

    /// Uploads what belongs to a batch with this number of input spikes.
    fn upload(&mut self, batch: &Batch, layout: &BatchLayout, spikes: usize) -> Jobs {
        let (plan, tables) = (&self.plan, &mut self.tables);
        let words = tables.set_layout(plan, layout);
        self.device.queue.write_buffer(&self.buffers.tables, 0, bytemuck::cast_slice(words));
        let (first_trial, spikes) = (batch.first_trial, spikes as u32);
        let jobs = BatchShape { plan, tables, tape: self.tape, layout, first_trial, spikes }.jobs();
        self.device.queue.write_buffer(&self.buffers.jobs, 0, bytemuck::cast_slice(&jobs.words()));
        jobs
    }

    fn recorder(&self) -> Recorder<'_> {
        Recorder::new(&self.device, &self.program, &self.bindings)
    }

    /// The steps of a segment.
    fn segment(&self, segment: u32) -> std::ops::Range<u32> {
        let first = segment * self.tape.segment;
        first..(first + self.tape.segment).min(self.plan.steps)
    }

    /// The page of a step.
    fn page(&self, step: u32) -> usize {
        (step % self.tape.segment / self.tape.page) as usize
    }

    /// Stores the state at the beginning of a segment, or restores it.
    fn checkpoint(&self, recorder: &mut Recorder<'_>, layout: &BatchLayout, segment: u32, stores: bool) {
        let Buffers { state, ring, checkpoints, .. } = &self.buffers;
        let (forward, sums) = (layout.sizes.forward, layout.sizes.ring);
        let at = u64::from(segment) * (forward + sums);
        for (buffer, at, words) in [(state, at, forward), (ring, at + forward, sums)] {
            if stores {
                recorder.copy((buffer, 0), (checkpoints, at), words);
            } else {
                recorder.copy((checkpoints, at), (buffer, 0), words);
            }
        }
    }

    /// The steps of a segment, with readings for the first time.
    fn steps(&self, recorder: &mut Recorder<'_>, jobs: &Jobs, segment: u32, tape: bool, reads: bool) {
        let block = self.largest.block;
        for step in self.segment(segment) {
            recorder.each(&jobs.step[usize::from(tape)], step, self.page(step));
            if reads && ((step + 1).is_multiple_of(block) || step + 1 == self.plan.steps) {
                recorder.each(&jobs.read, step / block * block, 0);
            }
        }
    }

    /// The gradient of a loss, from its adjoints.
    pub(super) async fn backward(&mut self, adjoints: &Readings) -> Result<RawGradient, Error> {
        let loaded = self.batch.as_mut().ok_or_else(super::not_loaded)?;
        let Some(taped) = loaded.taped else {
            return Err(Error::Backend("the last batch has no tape; call `forward` with one first".into()));
        };
        // Other segments will take its place.
        loaded.taped = Some(0);
        let Some(loaded) = self.batch.as_ref() else { return Ok(RawGradient::default()) };
        let readouts = &loaded.layout.readouts;
        let fits = adjoints.0.len() == readouts.len()
            && adjoints.0.iter().zip(readouts).all(|(adjoints, place)| adjoints.len() == place.count as usize);
        if !fits {
            let expected = "one adjoint for each number that was read of the last batch";
            return Err(Error::invalid("adjoints", "another number", expected, "give the shapes that `forward` returned"));
        }
        for (adjoints, place) in adjoints.0.iter().zip(readouts) {
            self.device.queue.write_buffer(&self.buffers.readings, 4 * u64::from(place.adjoints), bytemuck::cast_slice(adjoints));
        }
        let (sizes, jobs, block) = (&loaded.layout.sizes, &loaded.jobs, self.largest.block);
        let mut recorder = self.recorder();
        recorder.clear(&self.buffers.state, sizes.forward, sizes.state - sizes.forward);
        recorder.clear(&self.buffers.gradients, 0, sizes.gradients);
        for segment in (0..self.tape.segments).rev() {
            if segment != taped {
                self.checkpoint(&mut recorder, &loaded.layout, segment, false);
                self.steps(&mut recorder, jobs, segment, true, false);
            }
            for step in self.segment(segment).rev() {
                recorder.each(&jobs.back, step, self.page(step));
                if step.is_multiple_of(block) {
                    recorder.each(&jobs.weights, step, 0);
                }
            }
        }
        recorder.each(&jobs.sums, 0, 0);
        self.gradient(&loaded.layout, recorder).await
    }

    /// Reads the gradient after all sums.
    async fn gradient(&self, layout: &BatchLayout, recorder: Recorder<'_>) -> Result<RawGradient, Error> {
        let plan = &self.plan;
        let of_weights = plan.projections.iter().zip(&layout.projections);
        let of_weights = of_weights.map(|(of, at)| (*at, if of.group.is_some() { of.targets.len() } else { 0 }));
        let mut pieces: Vec<(u32, usize)> = of_weights.collect();
        for (index, of) in plan.populations.iter().enumerate() {
            let place = &layout.populations[index];
            let is_wanted = of.is_trained && of.has_trained_values;
            let values = of.layout.variables * plan.plan.populations[index].size as usize;
            pieces.push((place.constants, if is_wanted { of.layout.constants } else { 0 }));
            pieces.push((place.initial, if is_wanted { values } else { 0 }));
        }
        let ranges: Vec<_> = pieces.iter().map(|(at, count)| range(&self.buffers.gradients, *at, *count as u32)).collect();
        let words = self.device.read_after(recorder.finish(), &ranges).await?;
        self.device.check()?;
        let mut words = words.into_iter().map(|word| f64::from(f32::from_bits(word)));
        let mut parts = pieces.iter().map(|(_, count)| words.by_ref().take(*count).collect::<Vec<f64>>());
        let mut gradient =
            RawGradient { weights: parts.by_ref().take(plan.projections.len()).collect(), ..RawGradient::default() };
        for population in &plan.plan.populations {
            gradient.constants.push(parts.next().unwrap_or_default());
            let values = parts.next().unwrap_or_default();
            gradient.initial.push(values.chunks(population.size.max(1) as usize).map(<[f64]>::to_vec).collect());
        }
        Ok(gradient)
    }

    /// The spikes of a trial of the last batch.
    pub(super) async fn spikes(&mut self, trial: usize) -> Result<Vec<Spike>, Error> {
        let loaded = self.batch.as_mut().ok_or_else(super::not_loaded)?;
        let layout = &loaded.layout;
        if trial >= layout.trials as usize {
            let expected = format!("one of the {} trials of the last batch", layout.trials);
            return Err(Error::invalid("the trial", trial, expected, "count from 0"));
        }
        let words = match loaded.spikes.take() {
            Some(words) => words,
            None => {
                let encoder = self.device.device.create_command_encoder(&Default::default());
                let all = BufferRange { buffer: &self.buffers.spikes, at: 0, words: layout.sizes.spikes as usize };
                self.device.read_after(encoder, &[all]).await?
            }
        };
        let mut spikes = Vec::new();
        for step in 0..self.plan.steps {
            for (of, place) in self.plan.plan.populations.iter().zip(&layout.populations) {
                let first = place.spikes as usize + (step * layout.trials + trial as u32) as usize * place.words as usize;
                let bits = &words[first..][..place.words as usize];
                let fired = (0..of.size).filter(|neuron| bits[*neuron as usize / 32] >> (neuron % 32) & 1 == 1);
                spikes.extend(fired.map(|neuron| Spike { step, neuron: of.first + neuron }));
            }
        }
        loaded.spikes = Some(words);
        Ok(spikes)
    }
}

/// # Errors
/// A loop is longer than a software device executes.
fn check_loops(device: &Device, plan: &TrainingPlan, layout: &BatchLayout) -> Result<(), Error> {
    let rows = plan.projections.iter().flat_map(|of| of.rows.windows(2)).map(|ends| u64::from(ends[1] - ends[0]));
    let longest = rows.chain([u64::from(layout.chunk * layout.block)]).max().unwrap_or(0);
    let most = 2 * ITERATIONS_SOFTWARE;
    if device.report().software && longest > most {
        let name = &device.report().name;
        return Err(Error::Backend(format!(
            "{name} executes loops of at most {most} steps, and this training has one of {longest}; use the CPU, or smaller batches"
        )));
    }
    Ok(())
}

fn range(buffer: &wgpu::Buffer, at: u32, count: u32) -> BufferRange<'_> {
    BufferRange { buffer, at: at as usize, words: count as usize }
}
