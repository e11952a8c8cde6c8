//! One thread's share: a contiguous range of blocks, their rings, and the synapses onto them.

use std::collections::HashMap;
use std::ops::Range;

use spikelet_lang::End;
use spikelet_lang::block::{Aligned, LANES};

use super::neurons::{Neurons, Recorded, Scratch};
use super::propagate::{DrawnRow, ROWS_AHEAD, Rings, Row, Slots, Walk};
use super::share::{self, Share};
use super::synapses::{Blocks, Ports, Remembered, Surroundings, Synapses};
use super::{ClockRows, Live, Moment};
use crate::Error;
use crate::backend::{Epoch, Spike};
use crate::plan::{EdgePlan, Plan, Sampled};

/// The neurons of a population in a shard, and where each of its ports begins: its units, and what is left over.
type Part = (Range<u32>, Vec<(usize, Option<usize>)>);

/// A thread's share of the network.
pub(super) struct Shard {
    trial: u32,
    pub(super) blocks: Vec<Neurons>,
    /// For each population the neurons in this shard.
    pub(super) parts: Vec<Part>,
    /// For each population its first block here, and its first neuron.
    first_blocks: Vec<(usize, u32)>,
    /// For each population the projections that start there and whose synapses have no state.
    outgoing: Vec<Vec<usize>>,
    /// For each projection where the synapses onto this shard start and end in each row.
    ends: Vec<Vec<[u64; 2]>>,
    /// Sums under way: a slot after the other, a lane for each neuron of each port.
    pub(super) ring: Aligned<i32>,
    pub(super) lanes: usize,
    slots: Slots,
    /// Rows of stored synapses that are about to be walked.
    rows: Vec<Row>,
    /// Synapses that have a state.
    pub(super) synapses: Vec<Synapses>,
    /// The last spikes of the whole network, a list for each step, by step modulo their number.
    pub(super) remembered: Vec<Vec<u32>>,
    /// Spikes of steps before this one have reached their synapses.
    delivered: u32,
    scratch: Scratch,
    /// A row that is drawn.
    drawn: DrawnRow,
    /// The first event that did not fit its port.
    pub(super) fault: Option<Error>,
}

/// What is recorded of each block of a population, by its first neuron.
fn channels(plan: &Plan) -> HashMap<(usize, u32), Vec<Recorded>> {
    let mut channels: HashMap<_, Vec<Recorded>> = HashMap::new();
    for (k, channel) in plan.channels.iter().enumerate() {
        if let Sampled::Neuron { population, variable, neuron } = channel.sampled {
            let lane = neuron % LANES as u32;
            channels.entry((population, neuron - lane)).or_default().push((k, variable, lane as usize));
        }
    }
    channels
}

/// Cuts a plan into at most `count` shards.
pub(super) fn cut(plan: &Plan, count: usize, trial: u32) -> Vec<Shard> {
    share::cut(&share::blocks(plan), if is_whole(plan) { 1 } else { count })
        .into_iter()
        .map(|blocks| Shard::new(plan, blocks, trial))
        .collect()
}

/// Whether a plan makes one shard: synapses that read their presynaptic neuron must find it in the same one.
pub(super) fn is_whole(plan: &Plan) -> bool {
    plan.projections.iter().filter_map(|projection| projection.state.as_ref()).any(|state| state.reads_pre())
}

impl Shard {
    fn new(plan: &Plan, blocks: &[Share], trial: u32) -> Shard {
        let mut lanes = 0;
        let mut parts: Vec<Part> = vec![(0..0, Vec::new()); plan.populations.len()];
        let mut first_blocks = vec![(0, 0); plan.populations.len()];
        for (index, population) in plan.populations.iter().enumerate() {
            let mine = || blocks.iter().filter(|block| block.population == index).map(|block| block.first);
            let (Some(first), Some(last)) = (mine().min(), mine().max()) else { continue };
            // Rounded up to whole blocks, so that a block always finds 256 lanes.
            let room = (last - first) as usize + LANES;
            let mut take = || {
                lanes += room;
                lanes - room
            };
            let starts = population.ports.iter().map(|port| (take(), port.wide.then(&mut take))).collect();
            parts[index] = (first..(last + LANES as u32).min(population.size), starts);
            first_blocks[index] = (blocks.iter().position(|block| block.population == index).unwrap_or(0), first);
        }
        let mut channels = channels(plan);
        let neurons = blocks
            .iter()
            .map(|block| {
                let channels = channels.remove(&(block.population, block.first)).unwrap_or_default();
                Neurons::new(plan, block.population, block.first, &parts[block.population], channels)
            })
            .collect();
        let walked = |index: &usize, population: usize| {
            plan.projections[*index].pre == population && plan.projections[*index].state.is_none()
        };
        let outgoing = (0..plan.populations.len())
            .map(|population| (0..plan.projections.len()).filter(|index| walked(index, population)).collect())
            .collect();
        let ends = plan
            .projections
            .iter()
            .map(|projection| {
                let posts = &parts[projection.post].0;
                let rows = projection.rows();
                let mask = rows.target_mask();
                let ends = rows.offsets.windows(2).map(|row| {
                    let words = &rows.words[row[0] as usize..row[1] as usize];
                    let at = |bound: u32| row[0] + words.partition_point(|word| word & mask < bound) as u64;
                    [at(posts.start), at(posts.end)]
                });
                ends.collect()
            })
            .collect();
        let synapses = (0..plan.projections.len())
            .filter_map(|index| Synapses::new(plan, index, &parts[plan.projections[index].post].0))
            .collect();
        Shard {
            trial,
            blocks: neurons,
            parts,
            first_blocks,
            outgoing,
            ends,
            ring: Aligned::new(lanes / LANES * plan.ring.slots as usize),
            lanes,
            slots: Slots::new(plan.ring.slots, lanes),
            rows: Vec::new(),
            synapses,
            remembered: vec![Vec::new(); plan.memory_steps as usize],
            delivered: 0,
            scratch: Scratch::new(plan),
            drawn: DrawnRow::default(),
            fault: None,
        }
    }

    /// The first epoch begins at this step: spikes from before it have reached their synapses.
    pub(super) fn begin(&mut self, step: u32) {
        self.delivered = step;
    }

    /// Before epochs with these values.
    pub(super) fn look_at(&mut self, live: &Live) {
        self.scratch.begin(live);
    }

    /// Spikes of the steps before `until` reach their synapses: `propagate`, then `arrive`.
    pub(super) fn deliver(&mut self, plan: &Plan, live: &Live, clocks: &ClockRows, spikes: &[Spike], until: u32) {
        self.propagate(plan, live, spikes);
        if plan.memory_steps == 0 || self.delivered == until {
            return;
        }
        let step = until - 1;
        let own = &mut self.remembered[step as usize % plan.memory_steps as usize];
        own.clear();
        own.extend(spikes.iter().map(|spike| spike.neuron));
        // As devices do that only ever add to a list.
        self.remembered[until as usize % plan.memory_steps as usize].clear();
        self.arrive(&Moment { plan, live, step, trial: self.trial, clocks: clocks.at(step) });
        self.delivered = until;
    }

    /// Walks the rows of these spikes: their events enter the rings.
    fn propagate(&mut self, plan: &Plan, live: &Live, spikes: &[Spike]) {
        let Shard { parts, outgoing, ends, ring, slots, rows, drawn, .. } = self;
        let mut rings = Rings { sums: ring.as_flattened_mut(), slots };
        let walk = |index: usize| {
            let (posts, ports) = &parts[plan.projections[index].post];
            Walk { plan, live, index, posts, ports }
        };
        rows.clear();
        for spike in spikes {
            let (population, neuron) = plan.locate(spike.neuron);
            for &index in &outgoing[population] {
                let projection = &plan.projections[index];
                if !projection.pre_slice.contains(&neuron) {
                    continue;
                }
                match &projection.edges {
                    EdgePlan::Procedural(recipe) => walk(index).drawn(recipe, spike.step, neuron, &mut rings, drawn),
                    EdgePlan::Stored(_) => {
                        let [start, end] = ends[index][(neuron - projection.pre_slice.start) as usize];
                        if start < end {
                            rows.push(Row { step: spike.step, projection: index, edges: start as usize..end as usize });
                        }
                    }
                }
            }
        }
        for (at, row) in rows.iter().enumerate() {
            if let Some(next) = rows.get(at + ROWS_AHEAD) {
                next.fetch(plan, live);
            }
            walk(row.projection).row(row, &mut rings);
        }
    }

    /// Spikes that arrive in this step run the code of their synapses: those of pre neurons, then those of post neurons.
    fn arrive(&mut self, now: &Moment<'_>) {
        let plan = now.plan;
        let Shard { blocks, parts, first_blocks, ring, lanes, synapses, remembered, scratch, fault, .. } = self;
        let slot = (now.step + 1) as usize % plan.ring.slots as usize * *lanes;
        let slot = &mut ring.as_flattened_mut()[slot..slot + *lanes];
        let mut around = Surroundings { now, blocks: Blocks { blocks, first: first_blocks }, scratch };
        let spikes = Remembered { steps: remembered, now: now.step };
        for end in [End::Pre, End::Post] {
            for synapses in synapses.iter_mut() {
                let (posts, starts) = &parts[plan.projections[synapses.projection].post];
                synapses.arrive(&mut around, end, spikes, &mut Ports { slot, starts, posts, fault });
            }
        }
    }

    /// Steps every neuron through `part`, a piece of `epoch` in which no events arrive from within.
    #[expect(clippy::too_many_arguments, reason = "what the threads share, then what each fills")]
    pub(super) fn advance(
        &mut self,
        plan: &Plan,
        live: &Live,
        clocks: &ClockRows,
        epoch: Epoch,
        part: Epoch,
        spikes: &mut Vec<Spike>,
        samples: &mut [f32],
    ) {
        let row = |step: u32| (step - epoch.first) as usize * plan.channels.len();
        let moment = |step: u32, trial: u32| Moment { plan, live, step, trial, clocks: clocks.at(step) };
        let Shard { trial, blocks, ring, lanes, scratch, synapses, parts, first_blocks, .. } = self;
        let ring = ring.as_flattened_mut();
        let slot = |step: u32| step as usize % plan.ring.slots as usize * *lanes;
        if !plan.takes_turns() {
            for neurons in blocks {
                for step in part.first..part.end() {
                    let (now, slot) = (moment(step, *trial), &mut ring[slot(step)..slot(step) + *lanes]);
                    neurons.step(&now, slot, scratch, spikes, |channel, value| samples[row(step) + channel] = value);
                }
            }
            return;
        }
        for step in part.first..part.end() {
            let now = moment(step, *trial);
            let slot = &mut ring[slot(step)..slot(step) + *lanes];
            for neurons in blocks.iter_mut() {
                neurons.settle(&now, slot, scratch, |channel, value| samples[row(step) + channel] = value);
            }
            let mut around = Surroundings { now: &now, blocks: Blocks { blocks, first: first_blocks }, scratch };
            let states = |synapses: &Synapses| plan.projections[synapses.projection].state.as_ref();
            synapses.iter_mut().for_each(|synapses| synapses.hold(&mut around));
            sample(plan, synapses, &mut samples[row(step)..]);
            for synapses in synapses.iter_mut() {
                let Some(state) = states(synapses) else { continue };
                let posts = parts[plan.projections[synapses.projection].post].0.clone();
                synapses.couple(&mut around, state, &posts);
            }
            for neurons in around.blocks.blocks.iter_mut() {
                neurons.update(&now, around.scratch, spikes);
            }
            for synapses in synapses.iter_mut() {
                synapses.update(&mut around);
            }
        }
    }

    /// Whether a variable of a neuron is infinite or no number before a step, in a neuron that is not about to be reset.
    pub(super) fn diverges(&self, step: u32) -> bool {
        self.blocks.iter().any(|neurons| neurons.diverges(self.scratch.moving(neurons.population), step))
    }
}

/// The channels of a step that belong to synapses.
fn sample(plan: &Plan, synapses: &[Synapses], samples: &mut [f32]) {
    for synapses in synapses {
        for (channel, sample) in plan.channels.iter().zip(&mut *samples) {
            if let Sampled::Synapse { projection, array, synapse } = channel.sampled
                && projection == synapses.projection
                && let Some(value) = synapses.sample(array, synapse)
            {
                *sample = value;
            }
        }
    }
}
