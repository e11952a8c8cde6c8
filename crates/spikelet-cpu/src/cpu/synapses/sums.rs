//! Summed variables of neurons.

use std::ops::Range;

use spikelet_kernel::block::{LANES, Prepared};
use spikelet_lang::End;
use spikelet_plan::SumPlan;

use super::{NeighborAccess, ShardSynapses, SynapseBatch};

impl ShardSynapses {
    /// A summed variable of the neurons `posts`, or of the third ones: the sum over the synapses of each, in their order.
    pub(in crate::cpu) fn couple(&mut self, around: &mut NeighborAccess<'_, '_>, summed: usize, posts: &Range<u32>) {
        let plan = around.now.plan;
        let projection = &plan.projections[self.projection];
        let Some(state) = &projection.state else { return };
        let ((lane, _), sum_plan @ SumPlan { end, .. }) = (&state.program.summed[summed], &state.summed[summed]);
        let (order, neurons) = match end {
            End::Third => (self.by_third.clone(), projection.neurons(*end, plan)),
            _ => (self.by_post.clone(), posts.clone()),
        };
        let codes = self.codes.clone();
        if self.sums_neurons[summed] {
            let sum = self.sum_neurons(around, (*lane, &codes.summed[summed]), &projection.pre_slice);
            return set_sums(around, (projection.population(*end), sum_plan), &neurons, |_| sum);
        }
        let mut sums = vec![0.0_f32; neurons.len()];
        let mut last = None;
        for chunk in order.chunks(LANES) {
            self.run_of(around, &codes.summed[summed], chunk);
            let of = if *end == End::Third { &self.third } else { &self.post };
            for (value, synapse) in self.registers[*lane].iter().zip(chunk) {
                let place = (of[*synapse as usize] - neurons.start) as usize;
                // A sum begins with its first value, so that −0 stays −0.
                sums[place] = if last.replace(place) == Some(place) { sums[place] + value } else { *value };
            }
        }
        set_sums(around, (projection.population(*end), sum_plan), &neurons, |place| sums[(place - neurons.start) as usize]);
    }

    /// The sum over the presynaptic neurons of what each of their synapses contributes, as the register after `code`.
    fn sum_neurons(
        &mut self,
        around: &mut NeighborAccess<'_, '_>,
        (register, code): (usize, &Prepared),
        pre: &Range<u32>,
    ) -> f32 {
        let mut sum = None;
        for first in pre.clone().step_by(LANES) {
            let neurons: Vec<u32> = (first..pre.end.min(first + LANES as u32)).collect();
            self.run(around, code, SynapseBatch::of_traces(&neurons));
            for value in &self.registers[register][..neurons.len()] {
                // A sum begins with its first value, so that −0 stays −0.
                sum = Some(sum.map_or(*value, |sum: f32| sum + value));
            }
        }
        sum.unwrap_or_default()
    }
}

/// Stores the sums of the neurons at these places of a population, or adds them to those of earlier projections.
fn set_sums(
    around: &mut NeighborAccess<'_, '_>,
    (population, sum): (usize, &SumPlan),
    here: &Range<u32>,
    sum_at: impl Fn(u32) -> f32,
) {
    for part in &sum.parts {
        let places = around.now.plan.own(population).places_in(&part.neurons);
        for place in places.start.max(here.start)..places.end.min(here.end) {
            let value = around.blocks.value(population, sum.array, place);
            *value = if part.adds { *value + sum_at(place) } else { sum_at(place) };
        }
    }
}
