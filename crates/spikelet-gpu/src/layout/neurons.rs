//! Populations, blocks and channels.

use std::ops::Range;
use std::sync::Arc;

use spikelet::{OwnNeurons, Plan, SampleSource};

use super::{Arena, BufferLayout, bits};
use crate::spec::Model;
use crate::stepped_neurons::SteppedNeurons;

/// Neurons per workgroup.
const BLOCK_SIZE: u32 = 64;
/// `POPULATION_WORDS` of shaders/header.wgsl.
const POPULATION_WORDS: usize = 15;
/// `CONSECUTIVE` of shaders/header.wgsl.
const CONSECUTIVE: u32 = u32::MAX;
/// `NO_NEURON`, `HALF` and `SUM` of shaders/values.wgsl.
const NO_NEURON: u32 = u32::MAX;
const HALF: u32 = u32::MAX - 1;
const SUM: u32 = u32::MAX - 2;

/// The location of a population.
pub(crate) struct PopulationOffsets {
    /// Its description in `tables`.
    pub(crate) record: usize,
    /// Its first array in `state`, and the number of own neurons.
    pub(crate) state: usize,
    pub(crate) own: u32,
    /// In `tables`: constants, units of its ports, entries of its timed arrays.
    pub(super) constants: usize,
    pub(super) units: usize,
    pub(super) entries: usize,
    /// Its first word in a step of the spike history.
    pub(crate) memory: u32,
    /// The values of all its neurons in `state` that synapses read as presynaptic.
    pub(crate) read_as_pre: usize,
    /// The keys of its neurons in `state`, if only the winners fire.
    pub(crate) keys: usize,
}

impl PopulationOffsets {
    /// Offset of an array in `state`; the one after the last is that of last spikes.
    pub(crate) fn array(&self, array: usize) -> usize {
        self.state + array * self.own as usize
    }
}

/// The populations of a model, which share their kernels.
pub(crate) struct ModelGroup {
    pub(crate) model: Arc<Model>,
    /// Neurons that no synapse reads or writes within a step.
    pub(crate) ahead: BlockRange,
    /// All others.
    pub(crate) stopping: BlockRange,
}

/// Blocks of neurons.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BlockRange {
    /// Their first word in `tables`.
    pub(crate) at: u32,
    /// Their number.
    pub(crate) count: u32,
}

impl BufferLayout {
    /// Describes every population, with its constants, units and tables, and reserves its state.
    pub(super) fn place_populations(&mut self, plan: &Plan) {
        let records = self.describe(std::iter::repeat_n(0, plan.populations.len() * POPULATION_WORDS));
        self.populations_offset = records as u32;
        for (index, population) in plan.populations.iter().enumerate() {
            let (record, own) = (records + index * POPULATION_WORDS, plan.own(index));
            let constants = self.describe(bits(&population.constants));
            let units = self.describe(population.ports.iter().flat_map(|port| port.units()).map(f32::to_bits));
            let lanes = self.describe(population.ports.iter().map(|port| port.column));
            let entries = self.describe(bits(&population.clocks.tables));
            let state = self.take_state((population.program.variables.len() + 1) * own.len() as usize);
            let keys = self.take_state(if population.winners.is_some() { own.len() as usize } else { 0 });
            // Those of a part include neurons of other ranks.
            let is_copied = !plan.part().is_whole() && plan.projections.iter().any(|of| of.state.is_some() && of.pre == index);
            let copied = (population.program.variables.len() + 1) * population.size as usize;
            let read_as_pre = if is_copied { self.take_state(copied) } else { state };
            let memory = self.memory_words;
            let [first, list, lookup] = self.describe_own(own);
            let words = [
                population.first,
                own.len(),
                state as u32,
                constants as u32,
                units as u32,
                lanes as u32,
                entries as u32,
                population.first_clock,
                memory,
                keys as u32,
                first,
                list,
                lookup,
                population.size,
                read_as_pre as u32,
            ];
            self.tables[record..record + words.len()].copy_from_slice(&words);
            if plan.memory_steps > 0 {
                self.memory_words += population.size.div_ceil(32);
            }
            self.populations.push(PopulationOffsets {
                record,
                state,
                own: own.len(),
                constants,
                units,
                entries,
                memory,
                read_as_pre,
                keys,
            });
        }
    }

    /// The first own neuron; and, if they have gaps, their list in `tables`, and the lookup table of their places.
    fn describe_own(&mut self, own: &OwnNeurons) -> [u32; 3] {
        if let Some(range) = own.as_range() {
            return [range.start, CONSECUTIVE, CONSECUTIVE];
        }
        let list = self.describe(own.iter());
        let mut lookup = vec![[0_u32, 0]; own.size().div_ceil(32) as usize];
        own.iter().for_each(|neuron| lookup[neuron as usize / 32][1] |= 1 << (neuron % 32));
        let mut before = 0;
        for [count, bits] in &mut lookup {
            *count = before;
            before += bits.count_ones();
        }
        [0, list as u32, self.describe(lookup.into_iter().flatten()) as u32]
    }

    /// Blocks of 64 neurons, kernel by kernel, with the columns sampled in each; then the columns.
    pub(super) fn place_channels(&mut self, plan: &Plan) {
        let stopping = SteppedNeurons::of(plan, self.epoch_steps, self.shape.constants.single_neurons);
        self.in_one_go = stopping.in_one_go;
        let models: Vec<Arc<Model>> = plan.populations.iter().map(|population| Arc::new(Model::of(plan, population))).collect();
        for model in &models {
            if self.groups.iter().any(|group| group.model == *model) {
                continue;
            }
            let members: Vec<usize> = (0..models.len()).filter(|other| models[*other] == *model).collect();
            let [ahead, stopping] = [false, true].map(|stops| self.place_blocks(plan, &stopping, &members, stops));
            self.groups.push(ModelGroup { model: model.clone(), ahead, stopping });
        }
        let sums: Vec<u32> = (0..plan.sampling.columns.len()).map(|column| self.place_sum(plan, column)).collect();
        self.channels_offset = self.tables.len() as u32;
        for (sampled, sum) in plan.sampling.columns.iter().zip(sums) {
            let words = match *sampled {
                SampleSource::Sum { .. } => {
                    self.samples_state = true;
                    [SUM, sum]
                }
                // `neurons` has the value available, and tests for the neuron.
                SampleSource::Neuron { population, variable, neuron }
                    if stopping.in_one_go || !BufferLayout::stops_after_each_step(plan, &stopping, population, neuron) =>
                {
                    [plan.populations[population].first + neuron, variable as u32]
                }
                // `sample` reads the state.
                sampled => match self.sampled_word(plan, sampled) {
                    Some(words) => {
                        self.samples_state = true;
                        words
                    }
                    // Another rank samples it: no neuron has this number.
                    None => [plan.neurons(), 0],
                },
            };
            self.describe(words);
        }
    }

    /// The blocks of these populations that stop after each step, or those that do not.
    fn place_blocks(&mut self, plan: &Plan, who: &SteppedNeurons, members: &[usize], stopping: bool) -> BlockRange {
        let mut described = Vec::new();
        for member in members {
            let (own, record) = (plan.own(*member), self.populations[*member].record as u32);
            // What stops after each step is sampled by another kernel.
            let sampled = if who.in_one_go || !stopping { sampled_in(plan, *member) } else { Vec::new() };
            for block in (0..own.len()).step_by(BLOCK_SIZE as usize).map(|first| block_of(own, first)) {
                if who.has(*member, &block) == stopping {
                    described.push([record, block.start, self.describe_sampled(&sampled, &block)]);
                }
            }
        }
        BlockRange { count: described.len() as u32, at: self.describe(described.into_iter().flatten()) as u32 }
    }

    /// The columns of each neuron of a block: where in `tables` those of its lanes begin, and the end; then the columns. 0 if there are none.
    fn describe_sampled(&mut self, sampled: &[(u32, u32)], block: &Range<u32>) -> u32 {
        let before = |place: u32| sampled.partition_point(|(of, _)| *of < place);
        let (first, end) = (before(block.start), before(block.end));
        if first == end {
            return 0;
        }
        let columns = self.tables.len() as u32 + BLOCK_SIZE + 1;
        let starts = (0..=BLOCK_SIZE).map(|lane| columns + (before((block.start + lane).min(block.end)) - first) as u32);
        let words: Vec<u32> = starts.chain(sampled[first..end].iter().map(|(_, column)| *column)).collect();
        self.describe(words) as u32
    }

    /// The neurons of a sum: their number, and a word of `state` each. Others than those of this rank are not among them. Returns where it is.
    fn place_sum(&mut self, plan: &Plan, column: usize) -> u32 {
        let SampleSource::Sum { population, variable, neurons } = plan.sampling.columns[column] else { return 0 };
        let (array, own) = (self.populations[population].array(variable) as u32, plan.own(population));
        let words: Vec<u32> =
            plan.sampling.neurons(neurons).iter().filter_map(|neuron| Some(array + own.place(*neuron)?)).collect();
        self.describe(std::iter::once(words.len() as u32).chain(words)) as u32
    }

    /// Neurons of the blocks that stop after each step, counted as full blocks.
    pub(crate) fn stopping_neurons(&self) -> u32 {
        self.groups.iter().map(|group| group.stopping.count * BLOCK_SIZE).sum()
    }

    /// Whether the block of an own neuron does.
    fn stops_after_each_step(plan: &Plan, who: &SteppedNeurons, population: usize, neuron: u32) -> bool {
        let own = plan.own(population);
        own.place(neuron).is_some_and(|place| who.has(population, &block_of(own, place)))
    }

    /// The description of a column that is a word of `state`, or a half in `ring`; `None` if it is that of another rank.
    fn sampled_word(&self, plan: &Plan, sampled: SampleSource) -> Option<[u32; 2]> {
        match sampled {
            SampleSource::Neuron { population, variable, neuron } => {
                let word = self.populations[population].array(variable) + plan.own(population).place(neuron)? as usize;
                Some([NO_NEURON, word as u32])
            }
            SampleSource::Sum { .. } => None,
            SampleSource::Synapse { projection, array, synapse } => {
                let (synapse, of) = (synapse? as usize, &plan.projections[projection]);
                let (arena, words) = self.projections[projection].as_ref()?.array(of.state.as_ref()?, array, of.rows().len());
                Some(match arena {
                    Arena::Ring => [HALF, (2 * words.start + synapse) as u32],
                    _ => [NO_NEURON, (words.start + synapse) as u32],
                })
            }
        }
    }
}

/// The places of the block of a place.
fn block_of(own: &OwnNeurons, place: u32) -> Range<u32> {
    let first = place / BLOCK_SIZE * BLOCK_SIZE;
    first..(first + BLOCK_SIZE).min(own.len())
}

/// The places of the neurons of a population that are sampled one by one, each with its column, by place.
fn sampled_in(plan: &Plan, of: usize) -> Vec<(u32, u32)> {
    let own = plan.own(of);
    let place = |(column, sampled): (u32, &SampleSource)| match *sampled {
        SampleSource::Neuron { population, neuron, .. } if population == of => Some((own.place(neuron)?, column)),
        _ => None,
    };
    let mut sampled: Vec<(u32, u32)> = (0..).zip(&plan.sampling.columns).filter_map(place).collect();
    sampled.sort_unstable();
    sampled
}
