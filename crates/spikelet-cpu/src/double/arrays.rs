//! Arrays of a trial as 32-bit words: f64 values are rounded to f32 when they are read.

use std::ops::Range;

use spikelet_kernel::math;
use spikelet_lang::STAMP;
use spikelet_lang::program::Register;
use spikelet_network::Error;
use spikelet_plan::{ArrayEntry, ArrayId, Owner, Plan, Port, StatePlan, StatisticPlan};
use spikelet_rows::{PartialHistogram, ring};

use super::neurons::spread;
use super::propagate::ExactWeights;
use super::trial::DoubleTrial;

impl DoubleTrial {
    pub(super) fn read(&self, id: ArrayId) -> Result<Vec<u32>, Error> {
        let plan = &*self.plan;
        let ArrayEntry { owner, index, .. } = *plan.arrays().get(id)?;
        Ok(match owner {
            Owner::Population { population } if index == ArrayEntry::SCALES => {
                plan.populations[population].ports.iter().flat_map(Port::units).map(f32::to_bits).collect()
            }
            Owner::Population { population } => words(&self.neurons[population].constants),
            Owner::Neurons { population } => match self.neurons[population].variables.get(index) {
                Some(values) => words(values),
                // They follow the variables.
                None => self.neurons[population].last_spikes.iter().map(|step| *step as u32).collect(),
            },
            Owner::RingColumns { population } => self.pending(population, index),
            Owner::Memory { population } => self.remembered(population),
            Owner::Projection { projection } => {
                self.synapses[projection].as_ref().map(|of| words(&of.constants)).unwrap_or_default()
            }
            Owner::Synapses { projection } => {
                let values = self.synapses[projection].as_ref().map(|of| of.arrays[index].as_slice());
                state_words(values.unwrap_or_default(), is_stamp(plan, projection, |state| state.arrays[index].register))
            }
            Owner::Traces { projection, .. } => {
                let values = self.synapses[projection].as_ref().map(|of| of.traces[index].as_slice());
                state_words(values.unwrap_or_default(), is_stamp(plan, projection, |state| state.traces[index].register))
            }
            Owner::Events { projection } => {
                let shift = self.shift(projection, index);
                self.weights[projection].get(index).map(|weights| weights.words(shift)).unwrap_or_default()
            }
            Owner::Statistic => {
                let StatisticPlan { projection, array, edges, .. } = &plan.statistics[index];
                let values = self.synapses[*projection].as_ref().map(|of| of.arrays[*array].as_slice()).unwrap_or_default();
                let values: Vec<f32> = values.iter().map(|value| *value as f32).collect();
                PartialHistogram::of(&values, edges).to_words()
            }
        })
    }

    pub(super) fn write(&mut self, id: ArrayId, words: &[u32]) -> Result<(), Error> {
        let plan = self.plan.clone();
        let entry = plan.arrays().get(id)?;
        entry.check_write(words.len(), entry.length)?;
        let index = entry.index;
        match entry.owner {
            // Input is not in units here.
            Owner::Population { .. } if index == ArrayEntry::SCALES => {}
            Owner::Population { population } => self.neurons[population].constants = numbers(words),
            Owner::Neurons { population } => match self.neurons[population].variables.get_mut(index) {
                Some(values) => *values = numbers(words),
                None => self.neurons[population].last_spikes = words.iter().map(|word| *word as i32).collect(),
            },
            Owner::RingColumns { population } => self.set_pending(population, index, words),
            Owner::Memory { population } => self.set_remembered(population, words),
            Owner::Projection { projection } => {
                self.synapses[projection].iter_mut().for_each(|of| of.constants = numbers(words));
            }
            Owner::Synapses { projection } => {
                let stamps = is_stamp(&plan, projection, |state| state.arrays[index].register);
                self.synapses[projection].iter_mut().for_each(|of| of.arrays[index] = state_numbers(words, stamps));
            }
            Owner::Traces { projection, .. } => {
                let stamps = is_stamp(&plan, projection, |state| state.traces[index].register);
                self.synapses[projection].iter_mut().for_each(|of| of.traces[index] = state_numbers(words, stamps));
            }
            Owner::Events { projection } => {
                let shift = self.shift(projection, index);
                if let Some(weights) = self.weights[projection].get_mut(index) {
                    *weights = weights.with_words(words, shift);
                }
            }
            // Rejected above.
            Owner::Statistic => {}
        }
        Ok(())
    }

    /// The values of an array of variables or parameters of neurons or synapses.
    pub(super) fn exact(&mut self, id: ArrayId) -> Result<Option<&mut Vec<f64>>, Error> {
        let plan = self.plan.clone();
        let entry = plan.arrays().get(id)?;
        let index = entry.index;
        Ok(match entry.owner {
            Owner::Neurons { population } => self.neurons[population].variables.get_mut(index),
            Owner::Synapses { projection } if !is_stamp(&plan, projection, |state| state.arrays[index].register) => {
                self.synapses[projection].as_mut().map(|of| &mut of.arrays[index])
            }
            Owner::Traces { projection, .. } if !is_stamp(&plan, projection, |state| state.traces[index].register) => {
                self.synapses[projection].as_mut().map(|of| &mut of.traces[index])
            }
            _ => None,
        })
    }

    /// Takes the exact values of an array from a plan. Pending input has no scale here, and stays.
    pub(super) fn follow(&mut self, id: ArrayId, plan: &Plan) -> Result<(), Error> {
        let entry = plan.arrays().get(id)?;
        let (index, state) = (entry.index, |projection: usize| plan.projections[projection].state.as_ref()?.exact.as_ref());
        match entry.owner {
            Owner::RingColumns { .. } | Owner::Memory { .. } | Owner::Statistic => {}
            Owner::Population { .. } if index == ArrayEntry::SCALES => {}
            Owner::Population { population } => {
                self.neurons[population].constants = plan.exact_population(population).constants;
            }
            Owner::Neurons { population } => {
                let values = plan.exact_population(population).initial;
                if let (Some(values), Some(own)) = (values.get(index), self.neurons[population].variables.get_mut(index)) {
                    *own = spread(values, own.len());
                }
            }
            Owner::Projection { projection } => {
                if let (Some(exact), Some(own)) = (state(projection), &mut self.synapses[projection]) {
                    own.constants.clone_from(&exact.constants);
                }
            }
            Owner::Synapses { projection } => {
                if let (Some(exact), Some(own)) = (state(projection), &mut self.synapses[projection]) {
                    own.arrays[index] = spread(&exact.arrays[index], own.arrays[index].len());
                }
            }
            Owner::Traces { projection, .. } => {
                if let (Some(exact), Some(own)) = (state(projection), &mut self.synapses[projection]) {
                    own.traces[index].fill(exact.traces[index]);
                }
            }
            Owner::Events { projection } => {
                let write = plan.projections[projection].writes().nth(index);
                if let (Some((_, write)), Some(own)) = (write, self.weights[projection].get_mut(index)) {
                    *own = ExactWeights::of(write);
                }
            }
        }
        Ok(())
    }

    /// The shift of the port of a write.
    fn shift(&self, projection: usize, write: usize) -> i32 {
        let of = &self.plan.projections[projection];
        let port = of.writes().nth(write).map(|(_, write)| write.port);
        port.map_or(0, |port| self.plan.populations[of.post].ports[port].shift)
    }

    /// Pending input in the units of a port, slot by slot; the remainders of each slot follow it, if the port has them.
    fn pending(&self, population: usize, port: usize) -> Vec<u32> {
        let (of, size) = (self.plan.populations[population].ports[port], self.neurons[population].last_spikes.len());
        let slot = |sums: &[f64]| {
            let whole = sums.iter().map(|sum| ring::quantise(*sum, of.shift) as u32);
            let rest = sums.iter().map(|sum| ring::rest(*sum, [of.shift, of.fine_shift]) as u32);
            whole.chain(rest).take(size * of.width() as usize).collect::<Vec<u32>>()
        };
        self.neurons[population].rings[port].chunks(size.max(1)).flat_map(slot).collect()
    }

    fn set_pending(&mut self, population: usize, port: usize, words: &[u32]) {
        let (of, size) = (self.plan.populations[population].ports[port], self.neurons[population].last_spikes.len());
        let number = |word: u32, shift: i32| libm::ldexp(f64::from(word as i32), -shift);
        let slots = words.chunks(size.max(1) * of.width() as usize);
        for (sums, words) in self.neurons[population].rings[port].chunks_mut(size.max(1)).zip(slots) {
            for (neuron, sum) in sums.iter_mut().enumerate() {
                let rest = words.get(size + neuron).map_or(0.0, |word| number(*word, of.fine_shift));
                *sum = number(words[neuron], of.shift) + rest;
            }
        }
    }

    /// The numbers in the network of the neurons of a population.
    fn numbers(&self, population: usize) -> Range<u32> {
        let of = &self.plan.populations[population];
        of.first..of.first + of.size
    }

    /// The spike history of a population.
    fn remembered(&self, population: usize) -> Vec<u32> {
        let numbers = self.numbers(population);
        let words_of_step = |fired: &Vec<u32>| {
            let mut words = vec![0_u32; numbers.len().div_ceil(32)];
            for neuron in fired.iter().filter(|neuron| numbers.contains(neuron)).map(|neuron| neuron - numbers.start) {
                words[neuron as usize / 32] |= 1 << (neuron % 32);
            }
            words
        };
        self.remembered.iter().flat_map(words_of_step).collect()
    }

    fn set_remembered(&mut self, population: usize, words: &[u32]) {
        let numbers = self.numbers(population);
        for (fired, words) in self.remembered.iter_mut().zip(words.chunks_exact(numbers.len().div_ceil(32).max(1))) {
            fired.retain(|neuron| !numbers.contains(neuron));
            let has_fired =
                |number: &u32| words[(number - numbers.start) as usize / 32] >> ((number - numbers.start) % 32) & 1 == 1;
            fired.extend(numbers.clone().filter(has_fired));
        }
    }
}

/// Whether a register of the synapses of a projection holds stamps: numbers of steps.
fn is_stamp(plan: &Plan, projection: usize, register: impl Fn(&StatePlan) -> usize) -> bool {
    plan.projections[projection].state.as_ref().is_some_and(|state| match &state.program.registers[register(state)] {
        Register::Own(name) | Register::Trace(_, name) => name == STAMP,
        _ => false,
    })
}

fn words(values: &[f64]) -> Vec<u32> {
    state_words(values, false)
}

fn state_words(values: &[f64], stamps: bool) -> Vec<u32> {
    values.iter().map(|value| if stamps { math::stamp(*value as u32) } else { *value as f32 }.to_bits()).collect()
}

fn numbers(words: &[u32]) -> Vec<f64> {
    state_numbers(words, false)
}

fn state_numbers(words: &[u32], stamps: bool) -> Vec<f64> {
    let first = math::stamp(0).to_bits();
    let number = |word: &u32| if stamps { f64::from(word.wrapping_sub(first) as i32) } else { f64::from(f32::from_bits(*word)) };
    words.iter().map(number).collect()
}
