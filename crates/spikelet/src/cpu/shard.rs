//! One thread's share: ranges of blocks, their rings, and the synapses onto them.

use std::collections::HashMap;
use std::ops::Range;

use spikelet_lang::block::{Aligned, LANES};

use super::block_cost::BlockCost;
use super::neuron_block::{NeuronBlock, NeuronOutput, Recorded, Scratch};
use super::program::RunAhead;
use super::propagate::{DrawnRow, ROWS_AHEAD, RowPropagation, ShardRings, SlotOffsets, SpikeRow};
use super::published::{LatestCopies, PublishedArrays};
use super::step_context::{RuntimeValues, StepContext};
use super::synapses::{NeighborAccess, Ports, Remembered, ShardNeurons, ShardSynapses};
use crate::Error;
use crate::backend::{Epoch, Spike};
use crate::plan::schedule::{Phase, PhaseKind};
use crate::plan::{EdgePlan, Plan, SampleSource};

/// The neurons of a population in a shard, and where each of its ports begins: its units, and what is left over.
type ShardPopulation = (Range<u32>, Vec<(usize, Option<usize>)>);

/// A thread's share of the network.
pub(super) struct Shard {
    pub(super) blocks: Vec<NeuronBlock>,
    /// For each population the neurons in this shard.
    pub(super) parts: Vec<ShardPopulation>,
    /// For each population its blocks here, and the first neuron of these.
    blocks_of: Vec<(Range<usize>, u32)>,
    /// For each population the projections that start there and whose synapses have no state.
    outgoing: Vec<Vec<usize>>,
    /// For each of these projections where the synapses onto this shard start and end in each row.
    ends: Vec<Vec<[u64; 2]>>,
    /// Sums under way: a slot after the other, a lane for each neuron of each port.
    pub(super) ring: Aligned<i32>,
    pub(super) columns: usize,
    slots: SlotOffsets,
    /// Rows of stored synapses that are about to be walked.
    rows: Vec<SpikeRow>,
    /// Synapses that have a state.
    pub(super) synapses: Vec<ShardSynapses>,
    /// The last spikes of the whole network, a list for each step, by step modulo their number.
    pub(super) remembered: Vec<Vec<u32>>,
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
        if let SampleSource::Neuron { population, variable, neuron } = channel.sampled {
            let lane = neuron % LANES as u32;
            channels.entry((population, neuron - lane)).or_default().push((k, variable, lane as usize));
        }
    }
    channels
}

impl Shard {
    /// The shard of these blocks, which leave no gap in any population. Of neurons that stop after each step the synapses that have a
    /// state belong to it, too; `stops` then says which do in each population.
    pub(super) fn new(plan: &Plan, blocks: &[BlockCost], stops: Option<&[Range<u32>]>) -> Shard {
        let mut lanes = 0;
        let mut parts: Vec<ShardPopulation> = vec![(0..0, Vec::new()); plan.populations.len()];
        let mut blocks_of = vec![(0..0, 0); plan.populations.len()];
        for (index, population) in plan.populations.iter().enumerate() {
            let mine = || blocks.iter().filter(|block| block.population == index).map(|block| block.first);
            let (Some(first), Some(last)) = (mine().min(), mine().max()) else { continue };
            // Rounded up to whole blocks, so that a block always finds 256 lanes.
            let room = (last - first) as usize + LANES;
            let mut take = || {
                lanes += room;
                lanes - room
            };
            let starts = population.ports.iter().map(|port| (take(), port.split_precision.then(&mut take))).collect();
            parts[index] = (first..(last + LANES as u32).min(population.size), starts);
            let at = blocks.iter().position(|block| block.population == index).unwrap_or(0);
            blocks_of[index] = (at..at + mine().count(), first);
        }
        let mut channels = channels(plan);
        let neurons = blocks
            .iter()
            .map(|block| {
                let channels = channels.remove(&(block.population, block.first)).unwrap_or_default();
                NeuronBlock::new(plan, block.population, block.first, &parts[block.population], channels)
            })
            .collect();
        // Where there is no synapse, rings need not reach as far as the delay.
        let walked = |index: &usize, population: usize| {
            let of = &plan.projections[*index];
            of.pre == population && of.state.is_none() && of.degrees.outgoing.iter().any(|degree| *degree > 0)
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
                if projection.state.is_none() { ends.collect() } else { Vec::new() }
            })
            .collect();
        let with_state = |stops: &[Range<u32>]| {
            let of = |index: usize| {
                let post = plan.projections[index].post;
                ShardSynapses::new(plan, index, &parts[post].0, &stops[post])
            };
            (0..plan.projections.len()).filter_map(of).collect::<Vec<ShardSynapses>>()
        };
        Shard {
            synapses: stops.map(with_state).unwrap_or_default(),
            remembered: vec![Vec::new(); stops.map_or(0, |_| plan.memory_steps as usize)],
            blocks: neurons,
            parts,
            blocks_of,
            outgoing,
            ends,
            ring: Aligned::new(lanes / LANES * plan.ring.slots as usize),
            columns: lanes,
            slots: SlotOffsets::new(plan.ring.slots, lanes),
            rows: Vec::new(),
            scratch: Scratch::new(plan),
            drawn: DrawnRow::default(),
            fault: None,
        }
    }

    /// Before epochs with these values.
    pub(super) fn look_at(&mut self, live: &RuntimeValues) {
        self.scratch.begin(live);
    }

    /// The neurons of a population in this shard.
    pub(super) fn neurons(&self, population: usize) -> &Range<u32> {
        &self.parts[population].0
    }

    /// Makes room for the spikes of these steps, and of the one after.
    pub(super) fn forget(&mut self, steps: Epoch) {
        let count = self.remembered.len();
        (steps.first..=steps.end()).take(count).for_each(|step| self.remembered[step as usize % count].clear());
    }

    /// Keeps spikes until they have reached all synapses.
    pub(super) fn remember(&mut self, spikes: &[Spike]) {
        let count = self.remembered.len();
        spikes.iter().for_each(|spike| self.remembered[spike.step as usize % count].push(spike.neuron));
    }

    /// Walks the rows of these spikes: their events enter the rings.
    pub(super) fn propagate(&mut self, plan: &Plan, live: &RuntimeValues, spikes: &[Spike]) {
        let Shard { parts, outgoing, ends, ring, slots, rows, drawn, .. } = self;
        let mut rings = ShardRings { sums: ring.as_flattened_mut(), slots };
        let walk = |index: usize| {
            let (posts, ports) = &parts[plan.projections[index].post];
            RowPropagation { plan, live, index, posts, ports }
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
                            rows.push(SpikeRow { step: spike.step, projection: index, edges: start as usize..end as usize });
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

    /// Takes the neurons, none of which meets a synapse with a state, through `part` of an epoch. `row` is where the samples of a step begin.
    pub(super) fn run_ahead<'a>(
        &mut self,
        program: &RunAhead,
        part: Epoch,
        moment: impl Fn(u32) -> StepContext<'a>,
        spikes: &mut Vec<Spike>,
        row: impl Fn(u32) -> usize,
        samples: &mut [f32],
    ) {
        let steps = || part.first..part.end();
        match program {
            RunAhead::Blocks(work) => {
                for at in 0..self.blocks.len() {
                    for step in steps() {
                        let now = moment(step);
                        let slot = self.slot(step);
                        let Shard { blocks, ring, scratch, .. } = self;
                        let neurons = &mut blocks[at];
                        let mut out =
                            NeuronOutput { slot: &mut ring.as_flattened_mut()[slot], spikes, samples: &mut samples[row(step)..] };
                        neurons.run(&work[neurons.population], &now, scratch, &mut out);
                    }
                }
            }
            RunAhead::Phases(phases) => {
                for step in steps() {
                    let now = moment(step);
                    phases.iter().for_each(|phase| self.run_neurons(phase, &now, spikes, &mut samples[row(step)..]));
                }
            }
        }
    }

    /// A phase of a step. Arrays that are `published` are read there.
    pub(super) fn run(
        &mut self,
        phase: &Phase,
        now: &StepContext<'_>,
        published: (&PublishedArrays, &LatestCopies),
        spikes: &mut Vec<Spike>,
        samples: &mut [f32],
    ) {
        if phase.population().is_some() {
            return self.run_neurons(phase, now, spikes, samples);
        }
        let slot = self.slot(now.step + 1);
        let Shard { blocks, parts, blocks_of, ring, synapses, remembered, scratch, fault, .. } = self;
        let of = |synapses: &&mut ShardSynapses| Some(synapses.projection) == phase.kinds[0].projection();
        let Some(synapses) = synapses.iter_mut().find(of) else { return };
        let (posts, starts) = &parts[now.plan.projections[synapses.projection].post];
        let mut around = NeighborAccess { now, blocks: ShardNeurons { blocks, of: blocks_of }, published, scratch };
        let remembered = Remembered { steps: remembered, now: now.step };
        match phase.kinds[0] {
            PhaseKind::Observe(_) => synapses.observe(&mut around),
            PhaseKind::SampleSynapses(_) => synapses.sample_channels(now.plan, samples),
            PhaseKind::SumInputs { summed, .. } => synapses.couple(&mut around, summed, posts),
            PhaseKind::IntegrateSynapses(_) => synapses.update(&mut around),
            PhaseKind::OnSpike { pathway, .. } => {
                let slot = &mut ring.as_flattened_mut()[slot];
                synapses.on_spike(&mut around, pathway, remembered, &mut Ports { slot, starts, posts, fault });
            }
            PhaseKind::UpdateTraces(_, end) => synapses.trace_spikes(&mut around, end, remembered),
            // Those of neurons are done above, rows without a state by `propagate`.
            _ => {}
        }
    }

    /// A phase of the neurons of a population.
    fn run_neurons(&mut self, phase: &Phase, now: &StepContext<'_>, spikes: &mut Vec<Spike>, samples: &mut [f32]) {
        let Some(population) = phase.population() else { return };
        let slot = self.slot(now.step);
        let Shard { blocks, blocks_of, ring, scratch, .. } = self;
        let mut out = NeuronOutput { slot: &mut ring.as_flattened_mut()[slot], spikes, samples };
        for neurons in &mut blocks[blocks_of[population].0.clone()] {
            neurons.run(&phase.kinds, now, scratch, &mut out);
        }
    }

    /// Where the lanes of a step lie in the ring.
    fn slot(&self, step: u32) -> Range<usize> {
        let at = self.slots.slot(step) * self.columns;
        at..at + self.columns
    }

    /// Gives the value of a variable of each neuron of a population in this shard.
    pub(super) fn values(&self, population: usize, variable: usize, mut give: impl FnMut(u32, f32)) {
        for neurons in &self.blocks[self.blocks_of[population].0.clone()] {
            let values = neurons.variables[variable][..neurons.count].iter();
            (neurons.first..).zip(values).for_each(|(neuron, value)| give(neuron, *value));
        }
    }

    /// Whether a variable of a neuron is infinite or no number before a step, in a neuron that is not about to be reset.
    pub(super) fn diverges(&self, step: u32) -> bool {
        self.blocks.iter().any(|neurons| neurons.diverges(self.scratch.moving(neurons.population), step))
    }
}
