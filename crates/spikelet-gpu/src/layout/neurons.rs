//! Populations, blocks and channels.

use std::ops::Range;
use std::sync::Arc;

use spikelet::{Channel, Plan, Sampled};

use super::{Layout, bits};
use crate::spec::Model;

/// Neurons of a workgroup.
const BLOCK_SIZE: u32 = 64;
/// `POPULATION_WORDS` of shaders/header.wgsl.
const POPULATION_WORDS: usize = 9;

/// Where a population lies.
pub(crate) struct NeuronPlace {
    /// Its description in `tables`.
    pub(crate) record: usize,
    /// Its first array in `state`.
    pub(crate) state: usize,
    /// In `tables`: constants, units of its ports, entries of its timed arrays.
    pub(super) constants: usize,
    pub(super) units: usize,
    pub(super) entries: usize,
    /// Its first word in a step of the remembered spikes.
    pub(super) memory: u32,
}

impl NeuronPlace {
    /// Where an array lies in `state`; the one after the last is that of last spikes.
    pub(crate) fn array(&self, array: usize, size: u32) -> usize {
        self.state + array * size as usize
    }
}

/// The populations of a model, which share a kernel.
pub(crate) struct Group {
    pub(crate) model: Arc<Model>,
    /// First word of its blocks in `tables`.
    pub(crate) blocks_at: u32,
    /// How many blocks there are.
    pub(crate) blocks: u32,
}

impl Layout {
    /// Describes every population, with its constants, units and tables, and makes room for its state.
    pub(super) fn place_populations(&mut self, plan: &Plan) {
        let records = self.describe(std::iter::repeat_n(0, plan.populations.len() * POPULATION_WORDS));
        self.populations_at = records as u32;
        for (index, population) in plan.populations.iter().enumerate() {
            let record = records + index * POPULATION_WORDS;
            let constants = self.describe(bits(&population.constants));
            let units = self.describe(population.ports.iter().flat_map(|port| port.units()).map(f32::to_bits));
            let lanes = self.describe(population.ports.iter().map(|port| port.lane));
            let entries = self.describe(bits(&population.clocks.tables));
            let state = self.take_state((population.program.variables.len() + 1) * population.size as usize);
            let memory = self.memory_words;
            let words = [
                population.first,
                population.size,
                state as u32,
                constants as u32,
                units as u32,
                lanes as u32,
                entries as u32,
                population.first_clock,
                memory,
            ];
            self.tables[record..record + words.len()].copy_from_slice(&words);
            if plan.memory_steps > 0 {
                self.memory_words += population.size.div_ceil(32);
            }
            self.populations.push(NeuronPlace { record, state, constants, units, entries, memory });
        }
    }

    /// Blocks of 64 neurons, kernel by kernel, with the channels sampled in each; then the channels.
    pub(super) fn place_channels(&mut self, plan: &Plan) {
        let models: Vec<Arc<Model>> = plan.populations.iter().map(|population| Arc::new(Model::of(plan, population))).collect();
        for model in &models {
            if self.groups.iter().any(|group| group.model == *model) {
                continue;
            }
            let blocks_at = self.tables.len() as u32;
            let mut blocks = 0;
            for (other, member) in plan.populations.iter().enumerate().filter(|(other, _)| models[*other] == *model) {
                for first in (0..member.size).step_by(BLOCK_SIZE as usize) {
                    let block = first..(first + BLOCK_SIZE).min(member.size);
                    // Channels of one block need not stand together: the range spans them, and the kernel compares each.
                    let sampled = |channel: &Channel| is_sampled_in(channel, other, &block);
                    let from = plan.channels.iter().position(sampled).unwrap_or(0);
                    let to = plan.channels.iter().rposition(sampled).map_or(0, |last| last + 1);
                    let described = self.populations[other].record as u32;
                    self.describe([described, first, from as u32, to as u32]);
                    blocks += 1;
                }
            }
            self.groups.push(Group { model: model.clone(), blocks_at, blocks });
        }
        self.channels_at = self.tables.len() as u32;
        let in_one_go = plan.schedule().is_in_one_go();
        for channel in &plan.channels {
            match channel.sampled {
                // `sample` reads the state; `neurons` has it at hand, and looks for the neuron.
                sampled if !in_one_go => {
                    let at = self.sampled_word(plan, sampled) as u32;
                    self.describe([at]);
                }
                Sampled::Neuron { population, variable, neuron } => {
                    self.describe([plan.populations[population].first + neuron, variable as u32]);
                }
                // Synapses without a state have nothing to sample.
                Sampled::Synapse { .. } => {}
            }
        }
    }

    /// The word of `state` that a channel shows.
    fn sampled_word(&self, plan: &Plan, sampled: Sampled) -> usize {
        match sampled {
            Sampled::Neuron { population, variable, neuron } => {
                self.populations[population].array(variable, plan.populations[population].size) + neuron as usize
            }
            Sampled::Synapse { projection, array, synapse } => {
                let synapses = plan.projections[projection].rows().len();
                let first = self.projections[projection].as_ref().map_or(0, |place| place.state);
                first + array * synapses + synapse as usize
            }
        }
    }
}

fn is_sampled_in(channel: &Channel, block_of: usize, block: &Range<u32>) -> bool {
    matches!(channel.sampled, Sampled::Neuron { population, neuron, .. } if population == block_of && block.contains(&neuron))
}
