//! Synapses with state: a shard's part of a projection.

mod on_spike;
mod spike_targets;
mod sums;

use std::ops::Range;
use std::sync::Arc;

use spikelet_kernel::block::{Aligned, Block, InputSums, LANES, NeuronIndices, Prepared, ProgramInputs};
use spikelet_lang::End;
use spikelet_lang::program::SynapseProgram;
use spikelet_plan::{Plan, RegisterSource, SampleSource, TracePlan};
use spikelet_rows::connect::grouped;
use spikelet_rows::rng::{Purpose, event_word};

use super::neuron_block::{NeuronBlock, Scratch};
use super::published::{LatestCopies, PublishedArrays};
use super::step_context::StepContext;
pub(super) use on_spike::{Ports, Remembered};
use spike_targets::{SpikeTargets, SynapseOrder};

/// A shard's part of a projection with synaptic state: the synapses onto its neurons, in the order of the rows.
pub(super) struct ShardSynapses {
    pub(super) projection: usize,
    /// Number of each synapse in the plan of the projection, increasing.
    numbers: Vec<u32>,
    /// The same in the whole network, if there are several ranks and synapses draw random numbers.
    whole_numbers: Vec<u32>,
    /// Presynaptic neurons: indices in their population, and postsynaptic ones: places among the own neurons of theirs.
    pre: Vec<u32>,
    post: Vec<u32>,
    /// The third neuron of each synapse, if they have any: its index, which is its place, because all ranks but one reject them.
    third: Vec<u32>,
    /// The synapses by postsynaptic neuron, each with increasing presynaptic neurons.
    by_post: Arc<Vec<u32>>,
    /// The same by third neuron, with increasing numbers.
    by_third: Arc<Vec<u32>>,
    /// State and parameters: all values of a synapse, then those of the next one, so that an event touches one cache line.
    records: Vec<f32>,
    /// Length of a record.
    width: usize,
    registers: Aligned<f32>,
    codes: Arc<PreparedCodes>,
    /// The traces of neurons. Each shard computes those of all presynaptic neurons, and of all own postsynaptic ones except those that
    /// stop after each step in other shards.
    traces: Vec<Vec<f32>>,
    posts: Range<u32>,
    stops: Range<u32>,
    /// Of each summed variable, whether it is the same sum over the presynaptic neurons in all neurons here.
    sums_neurons: Vec<bool>,
    /// How the spikes of each pathway find their synapses.
    reaches: Vec<SpikeTargets>,
    /// The synapses of a step.
    events: SynapseEvents,
    /// The neurons whose spikes they receive.
    fired: Vec<u32>,
}

/// Synapses with their pre- and postsynaptic neurons.
#[derive(Default)]
struct SynapseEvents {
    synapses: Vec<u32>,
    pre: Vec<u32>,
    post: Vec<u32>,
}

impl SynapseEvents {
    fn clear(&mut self) {
        [&mut self.synapses, &mut self.pre, &mut self.post].into_iter().for_each(Vec::clear);
    }

    /// All of them, in groups of the number of lanes.
    fn parts(&self) -> impl Iterator<Item = SynapseBatch<'_>> {
        let ends = self.pre.chunks(LANES).zip(self.post.chunks(LANES));
        self.synapses.chunks(LANES).zip(ends).map(|(synapses, (pre, post))| SynapseBatch { synapses, pre, post })
    }
}

/// At most 256 synapses with their pre- and postsynaptic neurons.
#[derive(Clone, Copy)]
struct SynapseBatch<'a> {
    synapses: &'a [u32],
    pre: &'a [u32],
    post: &'a [u32],
}

impl<'a> SynapseBatch<'a> {
    /// Neurons with traces. Codes of traces use no synapse.
    fn of_traces(neurons: &'a [u32]) -> SynapseBatch<'a> {
        SynapseBatch { synapses: &[], pre: neurons, post: neurons }
    }
}

/// The prepared codes of a program.
struct PreparedCodes {
    /// Codes of regular steps, with their clocks.
    regular: Vec<(usize, Prepared)>,
    summed: Vec<Prepared>,
    hold: Prepared,
    update: Prepared,
    integrate_traces: Prepared,
    pathways: Vec<Prepared>,
    traces: [Prepared; 2],
}

impl PreparedCodes {
    fn new(program: &SynapseProgram) -> PreparedCodes {
        PreparedCodes {
            regular: program.regular.iter().map(|of| (of.clock, Prepared::new(&of.code))).collect(),
            summed: program.summed.iter().map(|(_, code)| Prepared::new(code)).collect(),
            hold: Prepared::new(&program.observe),
            update: Prepared::new(&program.update),
            integrate_traces: Prepared::new(&program.integrate_traces),
            pathways: program.pathways.iter().map(|pathway| Prepared::new(&pathway.code)).collect(),
            traces: program.traces.each_ref().map(Prepared::new),
        }
    }
}

/// The neurons of a shard.
pub(super) struct ShardNeurons<'a> {
    pub(super) blocks: &'a mut [NeuronBlock],
    /// For each population its blocks in this shard, and their first neuron.
    pub(super) of: &'a [(Range<usize>, u32)],
}

impl ShardNeurons<'_> {
    fn place(&self, population: usize, neuron: u32) -> (usize, usize) {
        let (blocks, first) = &self.of[population];
        let from_first = (neuron - first) as usize;
        (blocks.start + from_first / LANES, from_first % LANES)
    }

    fn read(&self, population: usize, variable: usize, neuron: u32) -> f32 {
        let (block, lane) = self.place(population, neuron);
        self.blocks[block].variables.at(variable, lane)
    }

    fn value(&mut self, population: usize, variable: usize, neuron: u32) -> &mut f32 {
        let (block, lane) = self.place(population, neuron);
        self.blocks[block].variables.at_mut(variable, lane)
    }

    fn since_spike(&self, population: usize, neuron: u32, step: u32) -> f32 {
        let (block, lane) = self.place(population, neuron);
        self.blocks[block].since_spike(lane, step)
    }
}

/// Context of a pass over synapses.
pub(super) struct NeighborAccess<'a, 'b> {
    pub(super) now: &'a StepContext<'a>,
    pub(super) blocks: ShardNeurons<'b>,
    /// Arrays of neurons, possibly of other shards.
    pub(super) published: (&'a PublishedArrays, &'a LatestCopies),
    pub(super) scratch: &'a mut Scratch,
}

impl ShardSynapses {
    /// The synapses onto the neurons at the places `posts`; others of the population may be in other shards. The places of all that stop
    /// after each step are in `stops`.
    pub(super) fn new(plan: &Plan, projection: usize, posts: &Range<u32>, stops: &Range<u32>) -> Option<ShardSynapses> {
        let of = &plan.projections[projection];
        let state = of.state.as_ref()?;
        let (mut numbers, mut pre, mut post, mut rows) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
        for (row, ends) in of.rows().offsets.windows(2).enumerate() {
            for number in ends[0] as usize..ends[1] as usize {
                let target = of.rows().target(number);
                if posts.contains(&target) {
                    numbers.push(number as u32);
                    pre.push(of.pre_slice.start + row as u32);
                    post.push(target);
                }
            }
            rows.push(numbers.len() as u32);
        }
        let mut by_post: Vec<u32> = (0..numbers.len() as u32).collect();
        // Stable: the presynaptic neurons of a postsynaptic neuron keep their order.
        by_post.sort_by_key(|synapse| post[*synapse as usize]);
        let by_post = Arc::new(by_post);
        let column = |neuron: u32| by_post.partition_point(|synapse| post[*synapse as usize] < neuron) as u32;
        let columns: Vec<u32> = (posts.start..=posts.end).map(column).collect();
        let third: Vec<u32> = match &of.third {
            Some(third) => numbers.iter().map(|number| third.neurons[*number as usize]).collect(),
            None => Vec::new(),
        };
        let thirds = of.third.as_ref().map_or(0, |third| plan.populations[third.population].size);
        let (of_thirds, by_third) = grouped(|| third.iter().copied(), thirds);
        let by_third = Arc::new(by_third);
        let values = |number: u32| state.arrays.iter().map(move |array| array.initial(number as usize));
        let records = numbers.iter().copied().flat_map(values).collect();
        let order = SynapseOrder {
            numbers: &numbers,
            pre: &pre,
            post: &post,
            rows: &rows,
            columns: [(&columns, &by_post), (&of_thirds, &by_third)],
        };
        let sources = || of.pre_slice.clone();
        let is_from_all =
            |ends: &[u32]| by_post[ends[0] as usize..ends[1] as usize].iter().map(|synapse| pre[*synapse as usize]).eq(sources());
        // Each neuron here has one synapse from each of the presynaptic neurons.
        let is_complete = numbers.len() == sources().len() * posts.len() && columns.windows(2).all(is_from_all);
        let trace = |trace: &TracePlan| {
            let neurons = if trace.end == End::Pre { plan.populations[of.pre].size } else { plan.own(of.post).len() };
            vec![trace.initial; neurons as usize]
        };
        Some(ShardSynapses {
            projection,
            reaches: of.pathways.iter().map(|pathway| SpikeTargets::new(pathway, &order)).collect(),
            traces: state.traces.iter().map(trace).collect(),
            records,
            width: state.arrays.len(),
            registers: Aligned::new(state.registers.len()),
            codes: Arc::new(PreparedCodes::new(&state.program)),
            events: SynapseEvents::default(),
            fired: Vec::new(),
            posts: posts.clone(),
            stops: stops.clone(),
            sums_neurons: (0..state.summed.len()).map(|summed| is_complete && state.sums_neurons(summed)).collect(),
            numbers,
            whole_numbers: Vec::new(),
            pre,
            post,
            third,
            by_post,
            by_third,
        })
    }

    /// Takes the numbers of the synapses of the plan in the whole network.
    pub(super) fn set_whole_numbers(&mut self, of_plan: &[u32]) {
        self.whole_numbers = self.numbers.iter().map(|number| of_plan[*number as usize]).collect();
    }

    /// Whether this shard computes the trace of a neuron of one side: of an index before, of a place after the synapses.
    pub(super) fn follows(&self, end: End, neuron: u32) -> bool {
        end == End::Pre || self.posts.contains(&neuron) || !self.stops.contains(&neuron)
    }

    /// The channels of the synapses of this shard.
    pub(super) fn sample_channels(&self, plan: &Plan, samples: &mut [f32]) {
        for (sampled, sample) in plan.sampling.columns.iter().zip(samples) {
            if let SampleSource::Synapse { projection, array, synapse: Some(synapse) } = *sampled
                && projection == self.projection
                && let Ok(synapse) = self.numbers.binary_search(&synapse)
            {
                *sample = self.records[synapse * self.width + array];
            }
        }
    }

    /// Numbers and words of an array.
    pub(super) fn read(&self, array: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let values = self.records.iter().skip(array).step_by(self.width.max(1));
        self.numbers.iter().copied().zip(values.map(|value| value.to_bits()))
    }

    /// Takes this part of an array of the whole projection.
    pub(super) fn write(&mut self, plan: &Plan, array: usize, words: &[u32]) {
        let Some(state) = &plan.projections[self.projection].state else { return };
        let values = self.records.iter_mut().skip(array).step_by(self.width.max(1));
        for (value, number) in values.zip(&self.numbers) {
            *value = f32::from_bits(state.arrays[array].stored(words[*number as usize]));
        }
    }

    /// The words of a trace.
    pub(super) fn trace(&self, trace: usize) -> impl Iterator<Item = u32> + '_ {
        self.traces[trace].iter().map(|value| value.to_bits())
    }

    /// Replaces a trace.
    pub(super) fn write_trace(&mut self, trace: usize, words: &[u32]) {
        self.traces[trace] = words.iter().map(|word| f32::from_bits(*word)).collect();
    }

    /// Executes `code` for these synapses.
    fn run(&mut self, around: &mut NeighborAccess<'_, '_>, code: &Prepared, part: SynapseBatch<'_>) {
        let NeighborAccess { now, blocks, published: (published, latest), scratch } = around;
        let (plan, live) = (now.plan, now.live);
        let projection = &plan.projections[self.projection];
        let Some(state) = &projection.state else { return };
        let ShardSynapses { registers: lanes, records, width, traces, third, .. } = self;
        let (records, width) = (records.as_mut_slice(), *width);
        let SynapseBatch { synapses, pre, post } = part;
        let at = |end: End| if end == End::Pre { pre } else { post };
        for &lane in code.loads() {
            let out = lanes[lane].iter_mut();
            match state.registers[lane] {
                RegisterSource::Own(array) => {
                    out.zip(synapses).for_each(|(out, synapse)| *out = records[*synapse as usize * width + array]);
                }
                RegisterSource::Trace(trace) => {
                    let values = traces[trace].as_slice();
                    out.zip(at(state.traces[trace].end)).for_each(|(out, neuron)| *out = values[*neuron as usize]);
                }
                RegisterSource::Pre(variable) => match published.array(latest, projection.pre, variable) {
                    Some(value) => out.zip(pre).for_each(|(out, neuron)| *out = value(*neuron)),
                    None => out.zip(pre).for_each(|(out, neuron)| *out = blocks.read(projection.pre, variable, *neuron)),
                },
                RegisterSource::Post(variable) => {
                    out.zip(post).for_each(|(out, neuron)| *out = blocks.read(projection.post, variable, *neuron));
                }
                RegisterSource::Third(variable) => {
                    let population = projection.population(End::Third);
                    let value = |synapse: &u32| blocks.read(population, variable, third[*synapse as usize]);
                    out.zip(synapses).for_each(|(out, synapse)| *out = value(synapse));
                }
                RegisterSource::ThirdIndex => {
                    out.zip(synapses).for_each(|(out, synapse)| *out = third[*synapse as usize] as f32);
                }
                RegisterSource::PostSinceSpike => {
                    out.zip(post).for_each(|(out, neuron)| *out = blocks.since_spike(projection.post, *neuron, now.step));
                }
                RegisterSource::PreIndex => out.zip(pre).for_each(|(out, neuron)| *out = *neuron as f32),
                RegisterSource::PostIndex => {
                    let own = plan.own(projection.post);
                    out.zip(post).for_each(|(out, place)| *out = own.neuron(*place) as f32);
                }
                RegisterSource::Output => out.for_each(|out| *out = 0.0),
            }
        }
        let numbers = if self.whole_numbers.is_empty() { &self.numbers } else { &self.whole_numbers };
        let word = |purpose: Purpose, site: u32, synapse: u32| {
            let place = [now.step, numbers[synapse as usize], now.trial];
            event_word(plan.seed, purpose, (self.projection as u32, site), place)
        };
        let bits = |site: u32, lanes: &mut [u32; LANES]| {
            lanes.iter_mut().zip(synapses).for_each(|(bits, synapse)| *bits = word(Purpose::Event, site, *synapse));
        };
        let more_bits =
            |site: u32, lane: usize| synapses.get(lane).map_or(0, |synapse| word(Purpose::MoreEvents, site, *synapse));
        let inputs = ProgramInputs {
            arrivals: InputSums::NONE,
            last_spike: &[0; LANES],
            constants: &live.synapse_constants[self.projection],
            clocks: &now.clocks[state.first_clock as usize..][..state.clocks.len()],
            tables: &[],
            step: now.step,
            neurons: NeuronIndices::From(0),
            bits: &bits,
            more_bits: &more_bits,
        };
        let mut block = Block { variables: lanes, inputs: &inputs };
        code.run(&mut block, &mut scratch.registers);
        for &lane in code.stores() {
            let values = lanes[lane].iter();
            match state.registers[lane] {
                RegisterSource::Own(array) => {
                    values.zip(synapses).for_each(|(value, synapse)| records[*synapse as usize * width + array] = *value);
                }
                RegisterSource::Trace(trace) => {
                    let kept = traces[trace].as_mut_slice();
                    values.zip(at(state.traces[trace].end)).for_each(|(value, neuron)| kept[*neuron as usize] = *value);
                }
                _ => {}
            }
        }
    }

    /// Executes `code` for at most 256 synapses.
    fn run_of(&mut self, around: &mut NeighborAccess<'_, '_>, code: &Prepared, synapses: &[u32]) {
        let (mut pre, mut post) = ([0; LANES], [0; LANES]);
        for ((synapse, pre), post) in synapses.iter().zip(&mut pre).zip(&mut post) {
            (*pre, *post) = (self.pre[*synapse as usize], self.post[*synapse as usize]);
        }
        self.run(around, code, SynapseBatch { synapses, pre: &pre[..synapses.len()], post: &post[..synapses.len()] });
    }

    /// Executes `code` for all synapses.
    fn run_all(&mut self, around: &mut NeighborAccess<'_, '_>, code: &Prepared) {
        if code.stores().is_empty() {
            return;
        }
        let count = self.numbers.len();
        for first in (0..count).step_by(LANES) {
            let synapses: [u32; LANES] = std::array::from_fn(|lane| (first + lane) as u32);
            self.run_of(around, code, &synapses[..LANES.min(count - first)]);
        }
    }

    /// Statements of regular steps, as far as they are due.
    pub(super) fn run_regularly(&mut self, around: &mut NeighborAccess<'_, '_>) {
        let now = around.now;
        let Some(state) = &now.plan.projections[self.projection].state else { return };
        for (clock, code) in &self.codes.clone().regular {
            if now.clocks[state.first_clock as usize + clock] != 0.0 {
                self.run_all(around, code);
            }
        }
    }

    /// Recorded subexpressions.
    pub(super) fn observe(&mut self, around: &mut NeighborAccess<'_, '_>) {
        self.run_all(around, &self.codes.clone().hold);
    }

    /// A step of the clock-driven equations.
    pub(super) fn update(&mut self, around: &mut NeighborAccess<'_, '_>) {
        self.run_all(around, &self.codes.clone().update);
    }

    /// A step of the clock-driven equations of traces.
    pub(super) fn integrate_traces(&mut self, around: &mut NeighborAccess<'_, '_>) {
        let plan = around.now.plan;
        let size = plan.populations[plan.projections[self.projection].pre].size;
        let codes = self.codes.clone();
        for first in (0..size).step_by(LANES) {
            let neurons: [u32; LANES] = std::array::from_fn(|lane| first + lane as u32);
            let neurons = &neurons[..LANES.min((size - first) as usize)];
            self.run(around, &codes.integrate_traces, SynapseBatch::of_traces(neurons));
        }
    }
}
