//! Synapses with a state: a shard's part of a projection.

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::block::{Aligned, Arrivals, Block, Inputs, LANES, Prepared};
use spikelet_lang::program::SynapseProgram;

use super::Moment;
use super::neurons::{Neurons, Scratch};
use crate::plan::{Origin, PerSynapse, Plan, ProjectionPlan, StatePlan};
use crate::rng::{Key, Purpose};

/// A shard's part of a projection whose synapses have a state: those onto its neurons, in the order of the rows.
pub(super) struct Synapses {
    pub(super) projection: usize,
    /// Number of each synapse in the projection, rising.
    numbers: Vec<u32>,
    pre: Vec<u32>,
    post: Vec<u32>,
    /// Where the synapses of each row begin, one more than rows.
    rows: Vec<u32>,
    /// The synapses by their postsynaptic neuron, each with its pre neurons rising.
    by_post: Vec<u32>,
    /// State and parameters, an array after the other.
    arrays: Vec<Vec<f32>>,
    lanes: Aligned<f32>,
    codes: Arc<Codes>,
}

/// The codes of a program, prepared.
struct Codes {
    summed: Vec<Prepared>,
    hold: Prepared,
    update: Prepared,
    pathways: Vec<Prepared>,
}

impl Codes {
    fn new(SynapseProgram { summed, hold, update, pathways, .. }: &SynapseProgram) -> Codes {
        Codes {
            summed: summed.iter().map(|(_, code)| Prepared::new(code)).collect(),
            hold: Prepared::new(hold),
            update: Prepared::new(update),
            pathways: pathways.iter().map(|pathway| Prepared::new(&pathway.code)).collect(),
        }
    }
}

/// The neurons of a shard.
pub(super) struct Blocks<'a> {
    pub(super) blocks: &'a mut [Neurons],
    /// For each population its first block here, and its first neuron.
    pub(super) first: &'a [(usize, u32)],
}

impl Blocks<'_> {
    fn place(&self, population: usize, neuron: u32) -> (usize, usize) {
        let (block, first) = self.first[population];
        let from_first = (neuron - first) as usize;
        (block + from_first / LANES, from_first % LANES)
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

/// What a pass over synapses needs to know.
pub(super) struct Surroundings<'a, 'b> {
    pub(super) now: &'a Moment<'a>,
    pub(super) blocks: Blocks<'b>,
    pub(super) scratch: &'a mut Scratch,
}

impl Synapses {
    pub(super) fn new(plan: &Plan, projection: usize, posts: &Range<u32>) -> Option<Synapses> {
        let of = &plan.projections[projection];
        let state = of.state.as_ref()?;
        let mut synapses = Synapses {
            projection,
            numbers: Vec::new(),
            pre: Vec::new(),
            post: Vec::new(),
            rows: vec![0],
            by_post: Vec::new(),
            arrays: Vec::new(),
            lanes: Aligned::new(state.lanes.len()),
            codes: Arc::new(Codes::new(&state.program)),
        };
        for (row, ends) in of.rows().offsets.windows(2).enumerate() {
            for number in ends[0] as usize..ends[1] as usize {
                let target = of.rows().target(number);
                if posts.contains(&target) {
                    synapses.numbers.push(number as u32);
                    synapses.pre.push(of.pre_slice.start + row as u32);
                    synapses.post.push(target);
                }
            }
            synapses.rows.push(synapses.numbers.len() as u32);
        }
        synapses.by_post = (0..synapses.numbers.len() as u32).collect();
        // Stable: the pre neurons of a post neuron stay in their order.
        synapses.by_post.sort_by_key(|synapse| synapses.post[*synapse as usize]);
        let initial = |array: &crate::plan::Array| synapses.numbers.iter().map(|k| array.initial(*k as usize)).collect();
        synapses.arrays = state.arrays.iter().map(initial).collect();
        Some(synapses)
    }

    /// The value of an array in the synapse with this number, if it is here.
    pub(super) fn sample(&self, array: usize, number: u32) -> Option<f32> {
        self.numbers.binary_search(&number).ok().map(|synapse| self.arrays[array][synapse])
    }

    /// Numbers and words of an array.
    pub(super) fn read(&self, array: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.numbers.iter().copied().zip(self.arrays[array].iter().map(|value| value.to_bits()))
    }

    /// Takes this part of an array from the words of the whole projection.
    pub(super) fn write(&mut self, array: usize, words: &[u32]) {
        for (value, number) in self.arrays[array].iter_mut().zip(&self.numbers) {
            *value = f32::from_bits(words[*number as usize]);
        }
    }

    /// Runs `code` for these synapses, at most 256 of them.
    fn run(&mut self, around: &mut Surroundings<'_, '_>, code: &Prepared, synapses: &[u32]) {
        let Surroundings { now, blocks, scratch } = around;
        let (plan, live) = (now.plan, now.live);
        let projection = &plan.projections[self.projection];
        let Some(state) = &projection.state else { return };
        for &lane in code.loads() {
            let out = &mut self.lanes[lane];
            for (out, synapse) in out.iter_mut().zip(synapses.iter().map(|synapse| *synapse as usize)) {
                let (pre, post) = (self.pre[synapse], self.post[synapse]);
                *out = match state.lanes[lane] {
                    Origin::Own(array) => self.arrays[array][synapse],
                    Origin::Pre(variable) => blocks.read(projection.pre, variable, pre),
                    Origin::Post(variable) => blocks.read(projection.post, variable, post),
                    Origin::PostSinceSpike => blocks.since_spike(projection.post, post, now.step),
                    Origin::PreIndex => pre as f32,
                    Origin::PostIndex => post as f32,
                    Origin::Output => 0.0,
                };
            }
        }
        let site_of_projection = (self.projection as u32) << 8;
        let bits = |site: u32, lanes: &mut [u32; LANES]| {
            for (bits, synapse) in lanes.iter_mut().zip(synapses) {
                let place = [now.step, self.numbers[*synapse as usize], now.trial];
                *bits = Key(plan.seed).draw(Purpose::Event, site_of_projection | (site / 4), place)[site as usize % 4];
            }
        };
        let inputs = Inputs {
            arrivals: Arrivals::NONE,
            last_spike: &[0; LANES],
            constants: &live.synapse_constants[self.projection],
            clocks: &now.clocks[state.first_clock as usize..][..state.clocks.len()],
            tables: &[],
            step: now.step,
            first: 0,
            bits: &bits,
        };
        let mut block = Block { variables: &mut self.lanes, inputs: &inputs };
        code.run(&mut block, &mut scratch.registers);
        for &lane in code.stores() {
            if let Origin::Own(array) = state.lanes[lane] {
                for (value, synapse) in self.lanes[lane].iter().zip(synapses) {
                    self.arrays[array][*synapse as usize] = *value;
                }
            }
        }
    }

    /// Runs `code` for all synapses.
    fn run_all(&mut self, around: &mut Surroundings<'_, '_>, code: &Prepared) {
        if code.stores().is_empty() {
            return;
        }
        let all: Vec<u32> = (0..self.numbers.len() as u32).collect();
        for chunk in all.chunks(LANES) {
            self.run(around, code, chunk);
        }
    }

    /// Subexpressions that are recorded.
    pub(super) fn hold(&mut self, around: &mut Surroundings<'_, '_>) {
        self.run_all(around, &self.codes.clone().hold);
    }

    /// A step of the clock-driven equations.
    pub(super) fn update(&mut self, around: &mut Surroundings<'_, '_>) {
        self.run_all(around, &self.codes.clone().update);
    }

    /// Summed variables of the neurons `posts`: each is the sum over its synapses, in the order of their pre neurons.
    pub(super) fn couple(&mut self, around: &mut Surroundings<'_, '_>, state: &StatePlan, posts: &Range<u32>) {
        let post = around.now.plan.projections[self.projection].post;
        let by_post = std::mem::take(&mut self.by_post);
        let codes = self.codes.clone();
        let lanes = state.program.summed.iter().map(|(lane, _)| lane);
        for ((lane, code), (array, first)) in lanes.zip(&codes.summed).zip(&state.summed) {
            let mut sums = vec![0.0_f32; posts.len()];
            for chunk in by_post.chunks(LANES) {
                self.run(around, code, chunk);
                for (value, synapse) in self.lanes[*lane].iter().zip(chunk) {
                    sums[(self.post[*synapse as usize] - posts.start) as usize] += value;
                }
            }
            for (neuron, sum) in posts.clone().zip(sums) {
                let value = around.blocks.value(post, *array, neuron);
                *value = if *first { sum } else { *value + sum };
            }
        }
        self.by_post = by_post;
    }

    /// Spikes reach the synapses. `fired(age)` are the neurons of the presynaptic population that fired so many steps ago; `add`
    /// takes what is added to a port of a neuron, and returns whether it fits.
    pub(super) fn arrive(
        &mut self,
        around: &mut Surroundings<'_, '_>,
        state: &StatePlan,
        fired: &dyn Fn(u32) -> Vec<u32>,
        add: &mut dyn FnMut(usize, u32, f32),
    ) {
        let plan = around.now.plan;
        let projection = &plan.projections[self.projection];
        let codes = self.codes.clone();
        for ((pathway, arrival), code) in projection.pathways.iter().zip(&state.arrivals).zip(&codes.pathways) {
            let mut events = self.events(projection, &pathway.delay, plan.memory_steps, fired);
            if arrival.writes.is_empty() {
                for chunk in events.chunks(LANES) {
                    self.run(around, code, chunk);
                    for (lane, port) in &arrival.adds {
                        for (value, synapse) in self.lanes[*lane].iter().zip(chunk) {
                            add(*port, self.post[*synapse as usize], *value);
                        }
                    }
                }
                continue;
            }
            // In the order of the rows each neuron sees its pre neurons rising, as it must.
            events.sort_unstable();
            let mut rest = events.as_slice();
            let is_recurrent = projection.pre == projection.post;
            while !rest.is_empty() {
                // A neuron that is written stands in no later event of a block: that one must see what the first one wrote.
                let sees = |event: u32, other: u32| {
                    let written = self.post[other as usize];
                    written == self.post[event as usize] || is_recurrent && written == self.pre[event as usize]
                };
                let again = |k: &usize| rest[..*k].iter().any(|other| sees(rest[*k], *other));
                let (chunk, later) = rest.split_at((1..rest.len().min(LANES)).find(again).unwrap_or(rest.len().min(LANES)));
                self.run(around, code, chunk);
                for (lane, array) in &arrival.writes {
                    for (value, synapse) in self.lanes[*lane].iter().zip(chunk) {
                        *around.blocks.value(projection.post, *array, self.post[*synapse as usize]) = *value;
                    }
                }
                rest = later;
            }
        }
    }

    /// The synapses that a spike reaches in this step.
    fn events(
        &self,
        projection: &ProjectionPlan,
        delay: &PerSynapse<u32>,
        memory: u32,
        fired: &dyn Fn(u32) -> Vec<u32>,
    ) -> Vec<u32> {
        let row = |pre: u32| {
            let row = (pre - projection.pre_slice.start) as usize;
            self.rows[row]..self.rows[row + 1]
        };
        let rows = |age: u32| fired(age).into_iter().filter(|pre| projection.pre_slice.contains(pre)).flat_map(row);
        match delay {
            PerSynapse::Shared(delay) => rows(*delay).collect(),
            PerSynapse::Each(delays) => (0..memory)
                .flat_map(|age| rows(age).filter(move |synapse| delays[self.numbers[*synapse as usize] as usize] == age))
                .collect(),
            PerSynapse::Half(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {
                unreachable!("synapses with a state keep their delays in a list")
            }
        }
    }
}
