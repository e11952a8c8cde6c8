//! Arrays of a trial, put together from the shards that hold them, and cut up for them.

use std::ops::Range;
use std::sync::Arc;

use super::Loaded;
use super::neurons::Neurons;
use super::shard::Shard;
use super::synapses::Synapses;
use crate::backend::Probe;
use crate::half;
use crate::plan::{PerSynapse, Plan, StatisticPlan};
use crate::{Error, Tally};

impl Loaded {
    pub(super) fn read(&mut self, probe: Probe) -> Vec<u32> {
        let plan = self.plan.clone();
        self.settle_states();
        match probe {
            Probe::Constants { population } => return bits(&self.live.constants[population]),
            Probe::Scales { population } => return bits(self.live.units[population].as_flattened()),
            Probe::SynapseConstants { projection } => return bits(&self.live.synapse_constants[projection]),
            Probe::Weights { projection, write } => {
                let Some((_, of)) = plan.projections[projection].writes().nth(write) else { return Vec::new() };
                let weights = self.live.weights(of, projection, write);
                return weights.units().map(|weight| weight as u32).collect();
            }
            Probe::Synapses { projection, array } => {
                let mut words = vec![0; probe.words(&plan)];
                for synapses in self.shards.iter_mut().filter_map(|shard| shard.synapses(projection)) {
                    synapses.read(array).for_each(|(number, word)| words[number as usize] = word);
                }
                return words;
            }
            Probe::Traces { projection, trace } => {
                let synapses = self.shards.first_mut().and_then(|shard| shard.synapses(projection));
                return synapses.map(|synapses| synapses.trace(trace).collect()).unwrap_or_default();
            }
            Probe::Statistic { statistic } => {
                let StatisticPlan { projection, array, edges, .. } = &plan.statistics[statistic];
                let values = floats(&self.read(Probe::Synapses { projection: *projection, array: *array }));
                return Tally::of(&values, edges).to_words();
            }
            Probe::Remembered { population } => {
                return self.shards.first().map(|shard| shard.remembered(&plan, population)).unwrap_or_default();
            }
            Probe::Ring { .. } => self.settle(&plan),
            Probe::Variable { .. } | Probe::LastSpike { .. } => {}
        }
        let parts: Vec<Vec<u32>> = self.shards.iter().map(|shard| shard.read(&plan, probe)).collect();
        // A ring comes slot by slot, each slot from all shards, and so does what is left over.
        let slots = match probe {
            Probe::Ring { population, port } => (plan.ring.slots * plan.populations[population].ports[port].width()) as usize,
            _ => 1,
        };
        let slot = |part: &Vec<u32>, slot: usize| part[part.len() / slots * slot..part.len() / slots * (slot + 1)].to_vec();
        (0..slots).flat_map(|k| parts.iter().flat_map(move |part| slot(part, k)).collect::<Vec<_>>()).collect()
    }

    pub(super) fn write(&mut self, probe: Probe, words: &[u32]) -> Result<(), Error> {
        let plan = self.plan.clone();
        probe.check_write(&plan, words.len())?;
        self.settle_states();
        match probe {
            Probe::Constants { population } => self.live.constants[population] = floats(words),
            Probe::Scales { population } => {
                self.live.units[population] = floats(words).chunks_exact(2).map(|units| [units[0], units[1]]).collect();
            }
            Probe::SynapseConstants { projection } => self.live.synapse_constants[projection] = floats(words),
            Probe::Synapses { projection, array } => {
                for synapses in self.shards.iter_mut().filter_map(|shard| shard.synapses(projection)) {
                    synapses.write(array, words);
                }
            }
            Probe::Traces { projection, trace } => {
                for synapses in self.shards.iter_mut().filter_map(|shard| shard.synapses(projection)) {
                    synapses.write_trace(trace, words);
                }
            }
            Probe::Weights { projection, write } => {
                // Spikes that were fired before carry the weights of their time.
                self.settle(&plan);
                let each = words.iter().map(|word| *word as i32);
                let weights = match plan.projections[projection].writes().nth(write).map(|(_, of)| &of.weights) {
                    Some(PerSynapse::Shared(_)) => PerSynapse::Shared(each.sum()),
                    Some(PerSynapse::Each(_)) => PerSynapse::Each(Arc::new(each.collect())),
                    Some(PerSynapse::Half(_)) => PerSynapse::Half(Arc::new(each.map(half::encode).collect())),
                    // Those that are drawn follow the plan.
                    Some(PerSynapse::Packed(_) | PerSynapse::Drawn(_)) | None => return Ok(()),
                };
                self.live.weights.insert((projection, write), weights);
            }
            Probe::Remembered { population } => {
                self.shards.iter_mut().for_each(|shard| shard.remember(&plan, population, words));
            }
            Probe::Ring { .. } => {
                self.settle(&plan);
                self.shards.iter_mut().for_each(|shard| shard.write(&plan, probe, words));
            }
            Probe::Variable { .. } | Probe::LastSpike { .. } => {
                self.shards.iter_mut().for_each(|shard| shard.write(&plan, probe, words));
            }
            // Refused above.
            Probe::Statistic { .. } => {}
        }
        Ok(())
    }
}

impl Shard {
    /// The words of this shard's part of an array of neurons, or of a ring.
    pub(super) fn read(&self, plan: &Plan, probe: Probe) -> Vec<u32> {
        let mut words = Vec::new();
        match probe {
            Probe::Variable { population, variable } => self.each(population, |neurons| {
                words.extend(neurons.variables[variable][..neurons.count].iter().map(|value| value.to_bits()));
            }),
            Probe::LastSpike { population } => self.each(population, |neurons| {
                words.extend(neurons.last_spikes().iter().map(|step| *step as u32));
            }),
            Probe::Ring { population, port } => {
                for slot in 0..plan.ring.slots as usize {
                    words.extend(
                        self.ring_lanes(slot, population, port)
                            .flat_map(|range| &self.ring.as_flattened()[range])
                            .map(|sum| *sum as u32),
                    );
                }
            }
            _ => {}
        }
        words
    }

    /// The remembered spikes of a population, as [`Probe::Remembered`] has them.
    pub(super) fn remembered(&self, plan: &Plan, population: usize) -> Vec<u32> {
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

    /// Replaces the remembered spikes of a population.
    pub(super) fn remember(&mut self, plan: &Plan, population: usize, words: &[u32]) {
        let of = &plan.populations[population];
        for (fired, words) in self.remembered.iter_mut().zip(words.chunks_exact((of.size.div_ceil(32) as usize).max(1))) {
            fired.retain(|neuron| neuron.wrapping_sub(of.first) >= of.size);
            fired.extend(
                (0..of.size).filter(|neuron| words[*neuron as usize / 32] >> (neuron % 32) & 1 == 1).map(|k| of.first + k),
            );
        }
    }

    /// Where the lanes of a port lie in a slot: its units, then what is left over.
    fn ring_lanes(&self, slot: usize, population: usize, port: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (posts, ports) = &self.parts[population];
        let (count, at) = (posts.len(), slot * self.lanes);
        let starts = ports.get(port).map(|(coarse, fine)| [Some(*coarse), *fine]);
        starts.into_iter().flatten().flatten().map(move |start| at + start..at + start + count)
    }

    /// The synapses of a projection onto this shard, if they have a state.
    pub(super) fn synapses(&mut self, projection: usize) -> Option<&mut Synapses> {
        self.synapses.iter_mut().find(|synapses| synapses.projection == projection)
    }

    /// Takes this shard's part of an array from the words of the whole population.
    pub(super) fn write(&mut self, plan: &Plan, probe: Probe, words: &[u32]) {
        match probe {
            Probe::Variable { population, variable } => {
                for neurons in self.blocks.iter_mut().filter(|neurons| neurons.population == population) {
                    let mine = &words[neurons.first as usize..][..neurons.count];
                    neurons.variables[variable].iter_mut().zip(mine).for_each(|(value, word)| *value = f32::from_bits(*word));
                }
            }
            Probe::LastSpike { population } => {
                for neurons in self.blocks.iter_mut().filter(|neurons| neurons.population == population) {
                    let mine = &words[neurons.first as usize..][..neurons.count];
                    neurons.set_last_spikes(mine.iter().map(|word| *word as i32));
                }
            }
            Probe::Ring { population, port } => {
                let (size, width) =
                    (plan.populations[population].size as usize, plan.populations[population].ports[port].width());
                let start = self.parts[population].0.start as usize;
                for slot in 0..plan.ring.slots as usize {
                    for (k, range) in self.ring_lanes(slot, population, port).enumerate() {
                        let mine = &words[(slot * width as usize + k) * size + start..];
                        self.ring.as_flattened_mut()[range].iter_mut().zip(mine).for_each(|(sum, word)| *sum = *word as i32);
                    }
                }
            }
            _ => {}
        }
    }

    fn each(&self, population: usize, visit: impl FnMut(&Neurons)) {
        self.blocks.iter().filter(|neurons| neurons.population == population).for_each(visit);
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}
