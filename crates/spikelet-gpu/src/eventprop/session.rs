//! A plan on a device, and a batch of it.

use std::sync::Arc;

use spikelet::{Error, Spike};
use spikelet_train::eventprop::{CHUNK, CLIP, Delays, Network, of_trial};
use spikelet_train::{Batch, DeviceValues, Event, RawGradient, Reading, Readings, TrainingPlan};

use super::layout::*;
use super::program::Program;
use super::tables::Tables;
use crate::Device;
use crate::allocate::Allocator;
use crate::kernels::EventPropKernel;
use crate::readback::BufferRange;
use crate::sizes::{ITERATIONS_SOFTWARE, WORKGROUP_SIZE};

/// Dispatches between two looks at whether all trials are at their end, at most.
const MAX_DISPATCHES: u32 = 64;

/// A plan on a device.
pub(super) struct EventPropSession {
    device: Device,
    plan: Arc<TrainingPlan>,
    network: Network<f32>,
    tables: Tables,
    program: Program,
    of_tables: wgpu::Buffer,
    of_job: wgpu::Buffer,
    gradients: wgpu::Buffer,
    layout: TrialLayout,
    /// With the bindings.
    tape: Option<(wgpu::Buffer, wgpu::BindGroup)>,
    /// Trials of the largest batches, and of the last one.
    most: usize,
    trials: usize,
    has_values: bool,
    limited: u64,
}

impl EventPropSession {
    /// # Errors
    /// EventProp is not defined for the plan; the device has too little memory, or rejects a kernel.
    pub(super) async fn new(device: &Device, plan: Arc<TrainingPlan>, trials: usize) -> Result<EventPropSession, Error> {
        let network = Network::new(&plan, CLIP, false)?;
        let most = trials.max(1);
        let tables = Tables::new(&network);
        let layout = TrialLayout::new(&network, 64);
        let layout = TrialLayout::new(&network, 2 * layout.neurons);
        let gradients = (most.div_ceil(CHUNK) * network.gradients) as u64;
        let sizes = [("tables", tables.words.len() as u64), ("gradients", gradients)];
        for (name, words) in sizes {
            fits(device, name, words, words)?;
        }
        let allocator = Allocator::beside(device, sizes.iter().map(|(_, words)| words).sum(), WAY_OUT);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let of_job = allocator.make_for("job", size_of::<Job>() as u64, usage).await?;
        let of_tables = allocator.make("tables", sizes[0].1).await?;
        let gradients = allocator.make("gradients", gradients).await?;
        let program = Program::new(device).await?;
        device.queue.write_buffer(&of_tables, 0, bytemuck::cast_slice(&tables.words));
        let device = device.clone();
        let (tape, has_values, limited) = (None, false, 0);
        let buffers = (of_tables, of_job, gradients);
        let (of_tables, of_job, gradients) = buffers;
        let trials = 0;
        let mut session = EventPropSession {
            device,
            plan,
            network,
            tables,
            program,
            of_tables,
            of_job,
            gradients,
            layout,
            tape,
            most,
            trials,
            has_values,
            limited,
        };
        session.make_room(layout.spike_room).await?;
        Ok(session)
    }

    /// Allocates a tape with room for this many spikes of a trial.
    async fn make_room(&mut self, spikes: usize) -> Result<(), Error> {
        // Frees its memory first.
        self.tape = None;
        let layout = TrialLayout::new(&self.network, spikes);
        check_loops(&self.device, &self.network, &layout)?;
        let words = layout.words() * self.most as u64;
        fits(&self.device, "tape", words, words + self.tables.words.len() as u64)?;
        let tape = Allocator::beside(&self.device, words, WAY_OUT).make("tape", words).await?;
        let bindings = self.program.bind(&self.device, [&self.of_job, &self.of_tables, &tape, &self.gradients]);
        self.layout = layout;
        self.tape = Some((tape, bindings));
        self.device.check()
    }

    /// Takes the values of a device.
    pub(super) fn set(&mut self, values: &DeviceValues) -> Result<(), Error> {
        self.network.set(values);
        let (first, words) = self.tables.set(&self.network);
        self.device.queue.write_buffer(&self.of_tables, 4 * first as u64, bytemuck::cast_slice(words));
        self.has_values = true;
        self.device.check()
    }

    /// Bytes of state and events of the largest batches.
    pub(super) fn tape_bytes(&self) -> u64 {
        4 * self.layout.words() * self.most as u64
    }

    /// Spikes whose derivative was limited.
    pub(super) fn limited(&self) -> u64 {
        self.limited
    }

    /// Simulates a batch, and reads it.
    pub(super) async fn forward(&mut self, batch: &Batch) -> Result<Readings, Error> {
        self.trials = 0;
        let trials = batch.inputs.len();
        if trials == 0 || trials > self.most {
            let expected = format!("1 to {} trials", self.most);
            return Err(Error::invalid("the batch", format!("{trials} trials"), expected, "load the plan for larger batches"));
        }
        if !self.has_values {
            return Err(super::not_loaded());
        }
        let inputs = batch.inputs.iter().enumerate().map(|(trial, events)| self.input(trial, events));
        let inputs = inputs.collect::<Result<Vec<_>, Error>>()?;
        let longest = inputs.iter().map(Vec::len).max().unwrap_or(0);
        if longest > self.layout.spike_room {
            self.make_room(longest + self.layout.neurons).await?;
        }
        loop {
            self.upload(&inputs);
            let is_over = |headers: &[u32]| headers.chunks(HEADER_WORDS).all(|of| of[STATUS] != RUNNING);
            let headers = self.dispatch(EventPropKernel::Forward, trials, trials, is_over).await?;
            let with = |status: u32| headers.chunks(HEADER_WORDS).position(|of| of[STATUS] == status);
            if with(FULL).is_some() {
                let most = self.network.max_spikes.max(longest);
                self.make_room((2 * self.layout.spike_room).min(most)).await?;
                continue;
            }
            if let Some(trial) = with(RAN_AWAY) {
                return Err(self.network.ran_away(trial));
            }
            break;
        }
        let readings = self.read(trials).await?;
        self.trials = trials;
        Ok(readings)
    }

    /// Input spikes: their times, and their neurons in the population.
    fn input(&self, trial: usize, events: &[Event]) -> Result<Vec<(f32, u32)>, Error> {
        let size = self.network.populations[self.network.input].size as u32;
        let mut input = Vec::new();
        for event in events.iter().filter(|event| event.channel < size) {
            if event.time_ms < 0.0 {
                let expected = "times of at least 0 ms";
                let at = format!("the input of trial {trial}");
                return Err(Error::invalid(at, format!("{} ms", event.time_ms), expected, "shift the times of the data"));
            }
            // The bits of a negative 0 have another order.
            let time = event.time_ms as f32 + 0.0;
            if time <= self.network.duration {
                input.push((time, event.channel));
            }
        }
        Ok(input)
    }

    /// Uploads the start of a batch.
    fn upload(&self, inputs: &[Vec<(f32, u32)>]) {
        let (network, layout) = (&self.network, &self.layout);
        let job = layout.job(network, [self.tables.projections, self.tables.neurons], inputs.len());
        self.device.queue.write_buffer(&self.of_job, 0, bytemuck::bytes_of(&job));
        let Some((tape, _)) = &self.tape else { return };
        let start = layout.start(network);
        let first = network.populations[..network.input].iter().map(|of| of.size).sum::<usize>() as u32;
        for (trial, input) in inputs.iter().enumerate() {
            let mut words = start.clone();
            let mut last = vec![NONE; network.populations[network.input].size];
            let mut pending = Vec::new();
            for (spike, (time, channel)) in (0..).zip(input) {
                let previous = std::mem::replace(&mut last[*channel as usize], spike);
                let following = if spike as usize + 1 < input.len() { spike + 1 } else { NONE };
                words.extend([time.to_bits(), 0, 0, first + channel, previous, following, 0, 0]);
                for index in &network.populations[network.input].out {
                    let of = &network.projections[*index];
                    let Delays::Each(delays) = &of.delays else { continue };
                    for synapse in of.row(*channel as usize) {
                        let arrival = (time + delays[synapse]).to_bits();
                        pending.push([arrival, *index as u32, synapse as u32, spike]);
                    }
                }
            }
            words[SPIKES] = input.len() as u32;
            words[PENDING] = pending.len() as u32;
            if let Some(tail) = input.len().checked_sub(1) {
                words[HEADER_WORDS + network.input] = tail as u32;
                for index in &network.populations[network.input].out {
                    if let Delays::Shared(_) = network.projections[*index].delays {
                        words[layout.heads + index] = 0;
                    }
                }
            }
            let at = trial as u64 * layout.words();
            self.device.queue.write_buffer(tape, 4 * at, bytemuck::cast_slice(&words));
            let end = at + layout.words() - (ENTRY_WORDS * pending.len()) as u64;
            self.device.queue.write_buffer(tape, 4 * end, bytemuck::cast_slice(&pending));
        }
    }

    /// Dispatches a kernel until what the headers of trials say is over. Returns them.
    async fn dispatch(
        &self,
        kernel: EventPropKernel,
        groups: usize,
        trials: usize,
        is_over: impl Fn(&[u32]) -> bool,
    ) -> Result<Vec<u32>, Error> {
        let Some((tape, bindings)) = &self.tape else { return Err(super::not_loaded()) };
        let mut times = 2;
        loop {
            let mut encoder = self.device.device.create_command_encoder(&Default::default());
            self.program.record(&mut encoder, bindings, kernel, groups as u32, times);
            let headers = (0..trials).map(|trial| self.range(tape, trial, 0, HEADER_WORDS));
            let headers = self.device.read_after(encoder, &headers.collect::<Vec<_>>()).await?;
            self.device.check()?;
            if is_over(&headers) {
                return Ok(headers);
            }
            times = (2 * times).min(MAX_DISPATCHES);
        }
    }

    /// Words of a trial.
    fn range<'a>(&self, tape: &'a wgpu::Buffer, trial: usize, at: usize, words: usize) -> BufferRange<'a> {
        BufferRange { buffer: tape, at: trial * self.layout.words() as usize + at, words }
    }

    /// The readings of a batch.
    async fn read(&self, trials: usize) -> Result<Readings, Error> {
        let Some((tape, _)) = &self.tape else { return Err(super::not_loaded()) };
        let mut ranges = Vec::new();
        for readout in &self.plan.readouts {
            let of = &self.plan.plan.populations[readout.population];
            let field = match readout.reading {
                Reading::Max => MAXIMUM,
                Reading::Mean => INTEGRAL,
                Reading::Last => U,
                _ => FIRST,
            };
            let at = self.layout.field(field) + of.first as usize;
            ranges.extend((0..trials).map(|trial| self.range(tape, trial, at, of.size as usize)));
        }
        let encoder = self.device.device.create_command_encoder(&Default::default());
        let words = self.device.read_after(encoder, &ranges).await?;
        self.device.check()?;
        let mut numbers = words.into_iter().map(f32::from_bits);
        let readings = self.plan.readouts.iter().map(|readout| {
            let size = self.network.populations[readout.population].size;
            let rest = self.network.cells(readout.population).map_or(0.0, |cells| cells.rest() as f32);
            let value = |number: f32| match readout.reading {
                Reading::Max | Reading::Last => number + rest,
                Reading::Mean => number / self.network.duration + rest,
                _ => number,
            };
            numbers.by_ref().take(trials * size).map(value).collect()
        });
        Ok(Readings(readings.collect()))
    }

    /// The gradient of a loss, from its adjoints.
    pub(super) async fn backward(&mut self, adjoints: &Readings) -> Result<RawGradient, Error> {
        let trials = self.trials;
        let Some((tape, bindings)) = self.tape.as_ref().filter(|_| trials > 0) else { return Err(super::not_loaded()) };
        let sizes = self.plan.readouts.iter().map(|of| trials * self.network.populations[of.population].size);
        if !sizes.eq(adjoints.0.iter().map(Vec::len)) {
            let expected = "one adjoint for each number that was read of the last batch";
            return Err(Error::invalid("adjoints", "another number", expected, "give the shapes that `forward` returned"));
        }
        for trial in 0..trials {
            let words = self.adjoints(adjoints, trial);
            let at = trial as u64 * self.layout.words() + self.layout.field(ADJOINTS) as u64;
            self.device.queue.write_buffer(tape, 4 * at, bytemuck::cast_slice(&words));
        }
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.gradients, 0, None);
        self.program.record(&mut encoder, bindings, EventPropKernel::Begin, trials as u32, 1);
        self.device.queue.submit([encoder.finish()]);
        let is_over = |headers: &[u32]| {
            let chunks = headers.chunks(CHUNK * HEADER_WORDS);
            chunks.into_iter().all(|chunk| chunk[TRIAL] as usize == chunk.len() / HEADER_WORDS)
        };
        let headers = self.dispatch(EventPropKernel::Backward, trials.div_ceil(CHUNK), trials, is_over).await?;
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        let groups = (self.network.gradients as u32).div_ceil(WORKGROUP_SIZE);
        self.program.record(&mut encoder, bindings, EventPropKernel::Sum, groups, 1);
        let range = BufferRange { buffer: &self.gradients, at: 0, words: self.network.gradients };
        let words = self.device.read_after(encoder, &[range]).await?;
        self.device.check()?;
        self.limited += headers.chunks(HEADER_WORDS).map(|of| u64::from(of[LIMITED])).sum::<u64>();
        let mut raw = RawGradient::default();
        for (index, projection) in self.network.projections.iter().enumerate() {
            let gain = self.network.gain(index);
            let range = projection.gradient.map_or(0..0, |first| first..first + projection.targets.len());
            let numbers = words.get(range).unwrap_or_default();
            raw.weights.push(numbers.iter().map(|word| f64::from(f32::from_bits(*word)) * gain).collect());
        }
        raw.constants.resize_with(self.network.populations.len(), Vec::new);
        raw.initial.resize_with(self.network.populations.len(), Vec::new);
        Ok(raw)
    }

    /// The adjoints of a trial, field by field.
    fn adjoints(&self, adjoints: &Readings, trial: usize) -> Vec<u32> {
        let neurons = self.layout.neurons;
        let mut words = vec![0; ADJOINT_FIELDS * neurons];
        // The time of all neurons is the end.
        words[2 * neurons..3 * neurons].fill(self.network.duration.to_bits());
        let of_trial = of_trial(&self.plan, &self.network, &adjoints.0, trial);
        let mut first = 0;
        for (of, population) in of_trial.iter().zip(&self.network.populations) {
            for (field, numbers) in [(0, &of.last), (4, &of.max), (5, &of.mean), (6, &of.first_spike)] {
                let to = words[field * neurons + first..].iter_mut();
                to.zip(numbers).for_each(|(word, number)| *word = number.to_bits());
            }
            first += population.size;
        }
        words
    }

    /// The spikes of a trial of the last batch.
    pub(super) async fn spikes(&self, trial: usize) -> Result<Vec<Spike>, Error> {
        let Some((tape, _)) = self.tape.as_ref().filter(|_| self.trials > 0) else { return Err(super::not_loaded()) };
        if trial >= self.trials {
            let expected = format!("one of the {} trials of the last batch", self.trials);
            return Err(Error::invalid("the trial", trial, expected, "count from 0"));
        }
        let encoder = || self.device.device.create_command_encoder(&Default::default());
        let count = self.device.read_after(encoder(), &[self.range(tape, trial, SPIKES, 1)]).await?[0] as usize;
        let range = self.range(tape, trial, self.layout.spikes, SPIKE_WORDS * count);
        let words = self.device.read_after(encoder(), &[range]).await?;
        let spike =
            |of: &[u32]| Spike { step: (f64::from(f32::from_bits(of[0])) / self.plan.network.dt_ms) as u32, neuron: of[3] };
        let mut spikes: Vec<Spike> = words.chunks(SPIKE_WORDS).map(spike).collect();
        spikes.sort_by_key(|spike| (spike.step, spike.neuron));
        Ok(spikes)
    }
}

const WAY_OUT: &str = "use smaller batches, or train on the CPU";

/// # Errors
/// A buffer is larger than kernels can use.
fn fits(device: &Device, buffer: &str, words: u64, total: u64) -> Result<(), Error> {
    let most = device.limits().binding_words();
    if words <= most {
        return Ok(());
    }
    Err(Error::OutOfMemory {
        device: device.report().name.clone(),
        buffer: buffer.to_owned(),
        bytes: 4 * words,
        total: 4 * total,
        why: format!("its kernels use at most {} bytes of a buffer", 4 * most),
        way_out: WAY_OUT.to_owned(),
    })
}

/// # Errors
/// An event takes more iterations than a software device executes.
fn check_loops(device: &Device, network: &Network<f32>, layout: &TrialLayout) -> Result<(), Error> {
    let rows = network.projections.iter().flat_map(|of| of.rows.windows(2)).map(|ends| u64::from(ends[1] - ends[0]));
    // A step of the solver for each neuron of a workgroup.
    let longest = rows.max().unwrap_or(0) + (layout.neurons + layout.entry_room) as u64 / u64::from(WORKGROUP_SIZE);
    let most = 2 * ITERATIONS_SOFTWARE;
    if device.report().software && longest > most {
        let name = &device.report().name;
        return Err(Error::Backend(format!(
            "{name} executes loops of at most {most} steps, and an event of this training has {longest}; use the CPU"
        )));
    }
    Ok(())
}
