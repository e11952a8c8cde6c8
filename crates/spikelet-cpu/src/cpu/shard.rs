//! The part of one thread: ranges of blocks, their delay buffers, and the synapses onto them.

use std::collections::HashMap;
use std::ops::Range;

use spikelet_kernel::block::{Aligned, Compiled, LANES};
use spikelet_network::Error;
use spikelet_plan::schedule::{Phase, PhaseKind};
use spikelet_plan::{EdgePlan, Epoch, Plan, SampleSource, Spike};

use super::awake::Awake;
use super::block_cost::BlockCost;
use super::neuron_block::{NeuronBlock, NeuronOutput, Recorded, Scratch};
use super::propagate::{DrawnRow, RowPrefetcher, RowPropagation, ShardRings, SlotOffsets, SpikeRow};
use super::published::{LatestCopies, PublishedArrays};
use super::step_context::{RuntimeValues, StepContext};
use super::synapses::{NeighborAccess, Ports, Remembered, ShardNeurons, ShardSynapses};
use super::winners::{Candidate, WinnerSearch};
use crate::select;

/// The places of the neurons of a population in a shard, and the lanes of each of its ports: whole units, and remainders.
type ShardPopulation = (Range<u32>, Vec<(usize, Option<usize>)>);

/// The part of a thread.
pub(super) struct Shard {
    pub(super) blocks: Vec<NeuronBlock>,
    /// For each population the neurons in this shard.
    pub(super) parts: Vec<ShardPopulation>,
    /// For each population its blocks here, and the place of the first neuron of these.
    pub(super) blocks_of: Vec<(Range<usize>, u32)>,
    /// For each population its projections without synaptic state.
    outgoing: Vec<Vec<usize>>,
    /// For each of these projections the range of synapses onto this shard in each row.
    ends: Vec<Vec<[u64; 2]>>,
    /// Pending sums: slot by slot, one lane per neuron of each port.
    pub(super) ring: Aligned<i32>,
    pub(super) columns: usize,
    pub(super) slots: SlotOffsets,
    /// Rows of stored synapses to be processed.
    rows: Vec<SpikeRow>,
    /// Synapses with state.
    pub(super) synapses: Vec<ShardSynapses>,
    /// The last spikes of the whole network, a list per step, at the step modulo their number.
    pub(super) remembered: Vec<Vec<u32>>,
    pub(super) scratch: Scratch,
    /// A drawn row.
    drawn: DrawnRow,
    /// The first event that exceeded its port.
    pub(super) fault: Option<Error>,
    pub(super) winners: WinnerSearch,
    /// For each population how its neurons sleep, if they may.
    pub(super) awake: Vec<Option<Awake>>,
}

/// What is sampled in each block of a population, by the place of its first neuron.
fn sampled(plan: &Plan) -> HashMap<(usize, u32), Vec<Recorded>> {
    let mut blocks: HashMap<_, Vec<Recorded>> = HashMap::new();
    for (column, sampled) in plan.sampling.columns.iter().enumerate() {
        let (population, variable, neurons) = match sampled {
            SampleSource::Neuron { population, variable, neuron } => (*population, *variable, std::slice::from_ref(neuron)),
            SampleSource::Sum { population, variable, neurons } => (*population, *variable, plan.sampling.neurons(*neurons)),
            SampleSource::Synapse { .. } => continue,
        };
        let places: Vec<u32> = neurons.iter().filter_map(|neuron| plan.own(population).place(*neuron)).collect();
        for part in places.chunk_by(|one, next| one / LANES as u32 == next / LANES as u32) {
            let first = part[0] / LANES as u32 * LANES as u32;
            let selected = part.iter().map(|place| (place - first) as usize).collect();
            blocks.entry((population, first)).or_default().push(Recorded { column, variable, selected });
        }
    }
    blocks
}

impl Shard {
    /// The shard of these blocks, which have no gap in any population. If its neurons stop after each step, it includes their synapses with
    /// state; `stops` then has the places of those that do in each population.
    pub(super) fn new(plan: &Plan, blocks: &[BlockCost], stops: Option<&[Range<u32>]>) -> Shard {
        let mut lanes = 0;
        let mut parts: Vec<ShardPopulation> = vec![(0..0, Vec::new()); plan.populations.len()];
        let mut blocks_of = vec![(0..0, 0); plan.populations.len()];
        for (index, population) in plan.populations.iter().enumerate() {
            let mine = || blocks.iter().filter(|block| block.population == index).map(|block| block.first);
            let (Some(first), Some(last)) = (mine().min(), mine().max()) else { continue };
            // Rounded up to whole blocks, so that a block always has 256 lanes.
            let room = (last - first) as usize + LANES;
            let mut take = || {
                lanes += room;
                lanes - room
            };
            let starts = population.ports.iter().map(|port| (take(), port.split_precision.then(&mut take))).collect();
            parts[index] = (first..(last + LANES as u32).min(plan.own(index).len()), starts);
            let at = blocks.iter().position(|block| block.population == index).unwrap_or(0);
            blocks_of[index] = (at..at + mine().count(), first);
        }
        let mut sampled = sampled(plan);
        let neurons = blocks
            .iter()
            .map(|block| {
                let recorded = sampled.remove(&(block.population, block.first)).unwrap_or_default();
                NeuronBlock::new(plan, block.population, block.first, &parts[block.population], recorded)
            })
            .collect();
        // Without synapses, delay buffers need not be as long as the delay.
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
                let ends = (0..rows.offsets.len().saturating_sub(1)).map(|row| {
                    let at = |bound: u32| rows.first_from(rows.row(row), bound) as u64;
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
            winners: WinnerSearch::default(),
            awake: Vec::new(),
        }
    }

    /// Runs compiled code from now on, for each population that has some.
    pub(super) fn compile(&mut self, plan: &Plan, compiled: &[Option<Compiled>]) {
        self.scratch.compile(plan, compiled);
    }

    /// Prepares for epochs with these values.
    pub(super) fn look_at(&mut self, live: &RuntimeValues) {
        self.scratch.begin(live);
    }

    /// The places of the neurons of a population in this shard.
    pub(super) fn neurons(&self, population: usize) -> &Range<u32> {
        &self.parts[population].0
    }

    /// Reserves memory for the spikes of these steps, and of the next one.
    pub(super) fn forget(&mut self, steps: Epoch) {
        let count = self.remembered.len();
        (steps.first..=steps.end()).take(count).for_each(|step| self.remembered[step as usize % count].clear());
    }

    /// Stores spikes until all synapses have received them.
    pub(super) fn remember(&mut self, spikes: &[Spike]) {
        let count = self.remembered.len();
        if count > 0 {
            spikes.iter().for_each(|spike| self.remembered[spike.step as usize % count].push(spike.neuron));
        }
    }

    /// Processes the rows of these spikes: adds their events to the delay buffers.
    pub(super) fn propagate(&mut self, plan: &Plan, live: &RuntimeValues, spikes: &[Spike]) {
        let Shard { parts, outgoing, ends, ring, slots, rows, drawn, awake, .. } = self;
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
                    EdgePlan::Procedural(procedural) => walk(index).drawn(procedural, spike.step, neuron, &mut rings, drawn),
                    EdgePlan::Stored(_) => {
                        let [start, end] = ends[index][(neuron - projection.pre_slice.start) as usize];
                        if start < end {
                            rows.push(SpikeRow { step: spike.step, projection: index, edges: start as usize..end as usize });
                        }
                    }
                }
            }
        }
        for row in rows.iter() {
            let of = &plan.projections[row.projection];
            if let Some(Some(awake)) = awake.get_mut(of.post) {
                awake.list(of, (row.step, row.edges.clone()), parts[of.post].0.start);
            }
        }
        let mut ahead = RowPrefetcher::new(plan, live, rows);
        for piece in rows.iter().flat_map(SpikeRow::pieces) {
            ahead.fetch(piece.edges.len());
            walk(piece.projection).row(&piece, &mut rings);
        }
    }

    /// Executes a phase of a step. `published` arrays are read from their copies.
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
            PhaseKind::RunSynapsesRegularly(_) => synapses.run_regularly(&mut around),
            PhaseKind::Observe(_) => synapses.observe(&mut around),
            PhaseKind::SampleSynapses(_) => synapses.sample_channels(now.plan, samples),
            PhaseKind::SumInputs { summed, .. } => synapses.couple(&mut around, summed, posts),
            PhaseKind::IntegrateSynapses(_) => synapses.update(&mut around),
            PhaseKind::IntegrateTraces(_) => synapses.integrate_traces(&mut around),
            PhaseKind::OnSpike { pathway, .. } => {
                let slot = &mut ring.as_flattened_mut()[slot];
                synapses.on_spike(&mut around, pathway, remembered, &mut Ports { slot, starts, posts, fault });
            }
            PhaseKind::UpdateTraces(_, end) => synapses.trace_spikes(&mut around, end, remembered),
            // Phases of neurons are executed above, rows without state by `propagate`.
            _ => {}
        }
    }

    /// Executes a phase of the neurons of a population.
    pub(super) fn run_neurons(&mut self, phase: &Phase, now: &StepContext<'_>, spikes: &mut Vec<Spike>, samples: &mut [f32]) {
        let Some(population) = phase.population() else { return };
        let slot = self.lanes(now.slot);
        let Shard { blocks, blocks_of, ring, scratch, .. } = self;
        let mut out = NeuronOutput { slot: &mut ring.as_flattened_mut()[slot], spikes, samples };
        for neurons in &mut blocks[blocks_of[population].0.clone()] {
            neurons.run(&phase.kinds, now, scratch, &mut out);
        }
    }

    /// Completes the step before this one: see [`Backend::complete_step`](spikelet_plan::Backend::complete_step).
    pub(super) fn complete_step(&mut self, now: &StepContext<'_>) {
        let slot = self.lanes(now.slot);
        let Shard { blocks, ring, scratch, .. } = self;
        let mut out = NeuronOutput { slot: &mut ring.as_flattened_mut()[slot], spikes: &mut Vec::new(), samples: &mut [] };
        blocks.iter_mut().for_each(|neurons| neurons.complete_step(now, scratch, &mut out));
    }

    /// Computes pending input again, from the last spikes: repeats what they have done to it.
    pub(super) fn refill(&mut self, plan: &Plan, live: &RuntimeValues, spikes: &[Spike], step: u32) {
        self.wake();
        self.ring.as_flattened_mut().fill(0);
        for now in step.saturating_sub(plan.ring.slots)..=step {
            let slot = self.slot(now);
            self.ring.as_flattened_mut()[slot].fill(0);
            let fired = spikes.partition_point(|spike| spike.step < now)..spikes.partition_point(|spike| spike.step <= now);
            self.propagate(plan, live, &spikes[fired]);
        }
    }

    /// Finds the winners of populations: all of their neurons are here, or the threads have made offers.
    pub(super) fn select(&mut self, plan: &Plan, populations: &[usize], offers: Option<&[Candidate]>) {
        let Shard { winners, blocks, blocks_of, .. } = self;
        let mut sums = Vec::with_capacity(populations.len());
        for &population in populations {
            let (of, blocks) = (&plan.populations[population], &mut blocks[blocks_of[population].0.clone()]);
            match offers {
                Some(offers) => winners.take_offers(of, offers),
                None => winners.take(of, blocks),
            }
            sums.push((population, winners.choose(of, blocks)));
        }
        for population in select::inhibited(plan, &sums) {
            blocks[blocks_of[population].0.clone()].iter_mut().for_each(|block| block.keep(std::iter::empty()));
        }
    }

    /// Offers the neurons of a population that could win.
    pub(super) fn offer(&mut self, plan: &Plan, population: usize, offers: &mut Vec<Candidate>) {
        let Shard { winners, blocks, blocks_of, .. } = self;
        winners.take(&plan.populations[population], &blocks[blocks_of[population].0.clone()]);
        winners.offer(&plan.populations[population], offers);
    }

    /// The lanes of a step in the delay buffer.
    fn slot(&self, step: u32) -> Range<usize> {
        self.lanes(self.slots.slot(step))
    }

    /// The lanes of a slot in the delay buffer.
    fn lanes(&self, slot: usize) -> Range<usize> {
        let at = slot * self.columns;
        at..at + self.columns
    }

    /// Passes the value of a variable of each neuron of a population in this shard.
    pub(super) fn values(&self, population: usize, variable: usize, mut give: impl FnMut(u32, f32)) {
        for neurons in &self.blocks[self.blocks_of[population].0.clone()] {
            let values = neurons.variables[variable][..neurons.count].iter().enumerate();
            values.for_each(|(lane, value)| give(neurons.neuron(lane), *value));
        }
    }

    /// Whether a variable of a neuron is infinite or NaN before a step, except in neurons that will be reset.
    pub(super) fn diverges(&self, step: u32) -> bool {
        self.blocks.iter().any(|neurons| neurons.diverges(self.scratch.moving(neurons.population), step))
    }
}
