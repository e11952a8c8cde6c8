//! Arrays of a trial, gathered from shards and distributed to them.

use std::ops::Range;
use std::sync::Arc;

use spikelet_network::Error;
use spikelet_plan::{ArrayEntry, ArrayId, Owner, PerSynapse, Plan, Spike, StatisticPlan, Trial};
use spikelet_rows::{PartialHistogram, half};

use super::awake::Sleep;
use super::shard::Shard;
use super::synapses::ShardSynapses;
use super::trial::CpuTrial;

/// Pending input before a step, whose [state is settled](spikelet_plan::Backend::complete_step), as words of the arrays of a device: from the last spikes,
/// in their order, and the `weights` of the device, which are its arrays of the events of synapses without state.
///
/// # Errors
/// An array of weights has another length.
pub fn refilled(
    plan: &Arc<Plan>,
    weights: &[(ArrayId, Vec<u32>)],
    spikes: &[Spike],
    step: u32,
) -> Result<Vec<(ArrayId, Vec<u32>)>, Error> {
    let mut trial = CpuTrial::new(Trial { number: 0, plan: plan.clone() }, 1, (false, Sleep::Never));
    weights.iter().try_for_each(|(array, words)| trial.write(*array, words))?;
    trial.refill(spikes, step);
    let rings = plan.arrays().iter().filter(|(_, entry)| matches!(entry.owner, Owner::RingColumns { .. }));
    rings.map(|(array, _)| Ok((array, trial.read(array)?))).collect()
}

impl CpuTrial {
    pub(super) fn read(&mut self, id: ArrayId) -> Result<Vec<u32>, Error> {
        let plan = self.plan.clone();
        let ArrayEntry { owner, index, .. } = *plan.arrays().get(id)?;
        let length = plan.own_length(id);
        Ok(match owner {
            Owner::Population { population } if index == ArrayEntry::SCALES => bits(self.live.units[population].as_flattened()),
            Owner::Population { population } => bits(&self.live.constants[population]),
            Owner::Projection { projection } => bits(&self.live.synapse_constants[projection]),
            Owner::Events { projection } => {
                let Some((_, of)) = plan.projections[projection].writes().nth(index) else { return Ok(Vec::new()) };
                self.live.weights(of, projection, index).units().map(|weight| weight as u32).collect()
            }
            Owner::Synapses { projection } => {
                let mut words = vec![0; length];
                for synapses in self.shards().filter_map(|shard| shard.synapses(projection)) {
                    synapses.read(index).for_each(|(number, word)| words[number as usize] = word);
                }
                words
            }
            Owner::Traces { projection, end } => {
                let initial = plan.projections[projection].state.as_ref().map(|state| state.traces[index].initial);
                let mut words = vec![initial.unwrap_or_default().to_bits(); length];
                for synapses in self.shards().filter_map(|shard| shard.synapses(projection)) {
                    let followed = (0..).zip(&mut words).zip(synapses.trace(index));
                    let followed = followed.filter(|((neuron, _), _)| synapses.follows(end, *neuron));
                    followed.for_each(|((_, word), value)| *word = value);
                }
                words
            }
            Owner::Memory { population } => {
                self.stopping().map_or_else(|| vec![0; length], |shard| shard.remembered(&plan, population))
            }
            Owner::Statistic => {
                let StatisticPlan { projection, array, edges, .. } = &plan.statistics[index];
                let measured = plan.arrays().of(Owner::Synapses { projection: *projection }, *array);
                let values = measured.map(|measured| self.read(measured)).transpose()?.unwrap_or_default();
                PartialHistogram::of(&floats(&values), edges).to_words()
            }
            Owner::Neurons { population } => {
                let mut words = Vec::with_capacity(length);
                self.shards_of(population).into_iter().for_each(|shard| shard.read_neurons(population, index, &mut words));
                words
            }
            Owner::RingColumns { population } => {
                self.propagate_pending();
                let (mut words, shards) = (Vec::with_capacity(length), self.shards_of(population));
                // Slot by slot, from all shards; the same for remainders.
                for slot in 0..plan.ring.slots as usize {
                    for rest in 0..plan.populations[population].ports[index].width() as usize {
                        shards.iter().for_each(|shard| words.extend(shard.lanes_of(slot, population, index, rest)));
                    }
                }
                words
            }
        })
    }

    pub(super) fn write(&mut self, id: ArrayId, words: &[u32]) -> Result<(), Error> {
        let plan = self.plan.clone();
        let entry = plan.arrays().get(id)?;
        entry.check_write(words.len(), plan.own_length(id))?;
        let index = entry.index;
        self.forget_copies();
        match entry.owner {
            Owner::Population { population } if index == ArrayEntry::SCALES => {
                self.live.units[population] = floats(words).chunks_exact(2).map(|units| [units[0], units[1]]).collect();
            }
            Owner::Population { population } => self.live.constants[population] = floats(words),
            Owner::Projection { projection } => self.live.synapse_constants[projection] = floats(words),
            Owner::Events { projection } => {
                // Earlier spikes have the weights of their time.
                self.propagate_pending();
                let each = words.iter().map(|word| *word as i32);
                let weights = match plan.projections[projection].writes().nth(index).map(|(_, of)| &of.weights) {
                    Some(PerSynapse::Shared(_)) => PerSynapse::Shared(each.sum()),
                    Some(PerSynapse::Each(_)) => PerSynapse::Each(Arc::new(each.collect())),
                    Some(PerSynapse::Half(_)) => PerSynapse::Half(Arc::new(each.map(half::encode).collect())),
                    // Procedural weights follow the plan.
                    Some(PerSynapse::Packed(_) | PerSynapse::Drawn(_)) | None => return Ok(()),
                };
                self.live.weights.insert((projection, index), weights);
            }
            Owner::Synapses { projection } => {
                for synapses in self.shards_mut().filter_map(|shard| shard.synapses_mut(projection)) {
                    synapses.write(&plan, index, words);
                }
            }
            Owner::Traces { projection, .. } => {
                for synapses in self.shards_mut().filter_map(|shard| shard.synapses_mut(projection)) {
                    synapses.write_trace(index, words);
                }
            }
            Owner::Memory { population } => self.shards_mut().for_each(|shard| shard.set_remembered(&plan, population, words)),
            Owner::Neurons { population } => {
                self.shards_mut().for_each(|shard| shard.write_neurons(population, index, words));
            }
            Owner::RingColumns { population } => {
                self.propagate_pending();
                self.shards_mut().for_each(|shard| shard.write_columns(&plan, population, index, words));
            }
            // Rejected above.
            Owner::Statistic => {}
        }
        Ok(())
    }
}

impl Shard {
    /// Appends this shard's part of an array of neurons.
    fn read_neurons(&self, population: usize, array: usize, words: &mut Vec<u32>) {
        for neurons in self.blocks.iter().filter(|neurons| neurons.population == population) {
            match neurons.variables.get(array) {
                Some(values) => words.extend(values[..neurons.count].iter().map(|value| value.to_bits())),
                // They follow the variables.
                None => words.extend(neurons.last_spikes().iter().map(|step| *step as u32)),
            }
        }
    }

    /// Takes this shard's part of an array of neurons.
    fn write_neurons(&mut self, population: usize, array: usize, words: &[u32]) {
        for neurons in self.blocks.iter_mut().filter(|neurons| neurons.population == population) {
            let mine = &words[neurons.first as usize..][..neurons.count];
            match neurons.variables.get_mut(array) {
                Some(values) => values.iter_mut().zip(mine).for_each(|(value, word)| *value = f32::from_bits(*word)),
                None => neurons.set_last_spikes(mine.iter().map(|word| *word as i32)),
            }
        }
    }

    /// The pending input in a slot for this shard's neurons: whole units of a port, or remainders.
    fn lanes_of(&self, slot: usize, population: usize, port: usize, rest: usize) -> impl Iterator<Item = u32> {
        let lanes = self.ring_columns(slot, population, port).nth(rest).unwrap_or_default();
        self.ring.as_flattened()[lanes].iter().map(|sum| *sum as u32)
    }

    /// Takes this shard's part of a delay buffer.
    fn write_columns(&mut self, plan: &Plan, population: usize, port: usize, words: &[u32]) {
        let of = &plan.populations[population];
        let (size, width) = (plan.own(population).len() as usize, of.ports[port].width() as usize);
        let start = self.parts[population].0.start as usize;
        for slot in 0..plan.ring.slots as usize {
            for (k, range) in self.ring_columns(slot, population, port).enumerate() {
                let mine = &words[(slot * width + k) * size + start..];
                self.ring.as_flattened_mut()[range].iter_mut().zip(mine).for_each(|(sum, word)| *sum = *word as i32);
            }
        }
    }

    /// The spike history of a population as an [array](Owner::Memory).
    fn remembered(&self, plan: &Plan, population: usize) -> Vec<u32> {
        let of = &plan.populations[population];
        let words_of_step = |fired: &Vec<u32>| {
            let mut words = vec![0_u32; of.size.div_ceil(32) as usize];
            for neuron in fired.iter().map(|neuron| neuron.wrapping_sub(of.first)).filter(|neuron| *neuron < of.size) {
                words[neuron as usize / 32] |= 1 << (neuron % 32);
            }
            words
        };
        self.remembered.iter().flat_map(words_of_step).collect()
    }

    /// Replaces the spike history of a population.
    fn set_remembered(&mut self, plan: &Plan, population: usize, words: &[u32]) {
        let of = &plan.populations[population];
        for (fired, words) in self.remembered.iter_mut().zip(words.chunks_exact((of.size.div_ceil(32) as usize).max(1))) {
            fired.retain(|neuron| neuron.wrapping_sub(of.first) >= of.size);
            fired.extend(
                (0..of.size).filter(|neuron| words[*neuron as usize / 32] >> (neuron % 32) & 1 == 1).map(|k| of.first + k),
            );
        }
    }

    /// The lanes of a port in a slot: whole units, then remainders.
    fn ring_columns(&self, slot: usize, population: usize, port: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (posts, ports) = &self.parts[population];
        let (count, at) = (posts.len(), slot * self.columns);
        let starts = ports.get(port).map(|(coarse, fine)| [Some(*coarse), *fine]);
        starts.into_iter().flatten().flatten().map(move |start| at + start..at + start + count)
    }

    /// The synapses of a projection onto this shard, if they have state.
    fn synapses(&self, projection: usize) -> Option<&ShardSynapses> {
        self.synapses.iter().find(|synapses| synapses.projection == projection)
    }

    /// The same, mutable.
    pub(super) fn synapses_mut(&mut self, projection: usize) -> Option<&mut ShardSynapses> {
        self.synapses.iter_mut().find(|synapses| synapses.projection == projection)
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}
