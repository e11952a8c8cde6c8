//! Spike propagation to synapses with state.

use std::ops::Range;

use spikelet_kernel::block::{LANES, Prepared};
use spikelet_kernel::simd::Level;
use spikelet_lang::End;
use spikelet_network::Error;
use spikelet_plan::{ArrivalPlan, Plan, PortAddition, ProjectionPlan, StatePlan};
use spikelet_rows::ring;

use super::{NeighborAccess, ShardSynapses, SpikeTargets, SynapseBatch, SynapseEvents};

/// Number of neurons for which lists of synapses are prefetched.
const FETCHED_AHEAD: usize = 4;

/// The ports of a shard's neurons, in the next slot.
pub(in crate::cpu) struct Ports<'a> {
    pub(in crate::cpu) slot: &'a mut [i32],
    /// First lane of each port: whole units, and remainders.
    pub(in crate::cpu) starts: &'a [(usize, Option<usize>)],
    /// The places of the neurons of the population in this shard.
    pub(in crate::cpu) posts: &'a Range<u32>,
    /// The first event that exceeds its port.
    pub(in crate::cpu) fault: &'a mut Option<Error>,
}

impl Ports<'_> {
    /// Adds to the sums of these neurons, starting at `first`.
    fn add(&mut self, first: usize, posts: &[u32], parts: &[i32; LANES]) {
        let sums = &mut self.slot[first..][..self.posts.len()];
        for (neuron, part) in posts.iter().zip(parts) {
            sums[(neuron - self.posts.start) as usize] += part;
        }
    }
}

/// The spike history.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Remembered<'a> {
    /// Neurons by their number in the network, a list per step, at the step modulo their number.
    pub(in crate::cpu) steps: &'a [Vec<u32>],
    pub(in crate::cpu) now: u32,
}

impl<'a> Remembered<'a> {
    /// Which of the neurons from `first` on, this many of them, fired `age` steps ago, counted from the first.
    fn fired(self, age: u32, first: u32, count: u32) -> impl Iterator<Item = u32> + 'a {
        let step = self.now.checked_sub(age).map(|step| step as usize % self.steps.len().max(1));
        let neurons = step.and_then(|step| self.steps.get(step)).into_iter().flatten();
        neurons.map(move |neuron| neuron.wrapping_sub(first)).filter(move |neuron| *neuron < count)
    }
}

impl ShardSynapses {
    /// Propagates the spikes of a pathway to the synapses.
    pub(in crate::cpu) fn on_spike(
        &mut self,
        around: &mut NeighborAccess<'_, '_>,
        pathway: usize,
        spikes: Remembered<'_>,
        ports: &mut Ports<'_>,
    ) {
        let plan = around.now.plan;
        let projection = &plan.projections[self.projection];
        let Some(state) = &projection.state else { return };
        let (arrival, codes) = (&state.arrivals[pathway], self.codes.clone());
        let code = &codes.pathways[pathway];
        let mut events = std::mem::take(&mut self.events);
        self.find(plan, pathway, spikes, ports.posts, &mut events);
        if arrival.writes.is_empty() {
            for part in events.parts() {
                self.run(around, code, part);
                for addition in &arrival.adds {
                    self.add(plan, state, addition, part.post, ports);
                }
            }
        } else {
            events.synapses.sort_unstable();
            self.in_turn(around, projection, code, arrival, &events.synapses);
        }
        self.events = events;
    }

    /// Updates the traces of the neurons of one side; one pathway executes this.
    pub(in crate::cpu) fn trace_spikes(&mut self, around: &mut NeighborAccess<'_, '_>, end: End, spikes: Remembered<'_>) {
        let plan = around.now.plan;
        let index = plan.projections[self.projection].population(end);
        let (population, own) = (&plan.populations[index], plan.own(index));
        let Some(ages) = self.reaches.iter().find(|reach| reach.end == end).map(SpikeTargets::ages) else { return };
        let codes = self.codes.clone();
        let mut fired = std::mem::take(&mut self.fired);
        fired.clear();
        let neurons = ages.flat_map(|age| spikes.fired(age, population.first, population.size));
        match end {
            End::Pre | End::Third => fired.extend(neurons),
            End::Post => fired.extend(neurons.filter_map(|neuron| own.place(neuron))),
        }
        fired.retain(|neuron| self.follows(end, *neuron));
        for neurons in fired.chunks(LANES) {
            self.run(around, &codes.traces[end as usize], SynapseBatch::of_traces(neurons));
        }
        self.fired = fired;
    }

    /// The synapses that receive the spikes of a pathway in this step.
    fn find(&mut self, plan: &Plan, pathway: usize, spikes: Remembered<'_>, posts: &Range<u32>, events: &mut SynapseEvents) {
        let (projection, reach) = (&plan.projections[self.projection], &self.reaches[pathway]);
        let thirds = projection.neurons(End::Third, plan);
        let neurons = match reach.end {
            End::Pre => &projection.pre_slice,
            End::Post => posts,
            End::Third => &thirds,
        };
        let of_population = |index: usize| (plan.populations[index].first, plan.populations[index].size);
        let ((first_pre, _), (first_post, size)) = (of_population(projection.pre), of_population(projection.post));
        let own = plan.own(projection.post);
        events.clear();
        for age in reach.ages() {
            self.fired.clear();
            match reach.end {
                End::Pre => self.fired.extend(spikes.fired(age, first_pre + neurons.start, neurons.len() as u32)),
                End::Third => {
                    let (first, size) = of_population(projection.population(End::Third));
                    self.fired.extend(spikes.fired(age, first, size));
                }
                End::Post => {
                    let fired = spikes.fired(age, first_post, size).filter_map(|neuron| own.place(neuron));
                    self.fired.extend(fired.filter(|place| posts.contains(place)).map(|place| place - posts.start));
                }
            }
            self.fired.iter().take(FETCHED_AHEAD).for_each(|place| reach.fetch(*place));
            for (k, place) in self.fired.iter().enumerate() {
                if let Some(later) = self.fired.get(k + FETCHED_AHEAD) {
                    reach.fetch(*later);
                }
                reach.find((*place, neurons.start + place), age, &self.records, self.width, events);
            }
        }
        if reach.end == End::Third {
            events.pre.extend(events.synapses.iter().map(|synapse| self.pre[*synapse as usize]));
        }
    }

    /// Adds results to their port, one per neuron.
    fn add(&self, plan: &Plan, state: &StatePlan, addition: &PortAddition, posts: &[u32], to: &mut Ports<'_>) {
        let PortAddition { register: lane, port, limit } = *addition;
        let projection = &plan.projections[self.projection];
        let of = &plan.populations[projection.post].ports[port];
        let (values, scales) = (&self.registers[lane], [ring::scale(of.shift), ring::scale(of.fine_shift)]);
        let (values, mut sums) = (&values[..posts.len()], [0; LANES]);
        let (level, (coarse, fine)) = (Level::best(), to.starts[port]);
        let fit = level.run(
            #[inline(always)]
            || ring::whole_units(values, scales[0], limit, &mut sums),
        );
        if !fit {
            let value = values.iter().find(|value| ring::split(**value, scales, limit).is_none());
            let value = value.copied().unwrap_or(f32::NAN);
            to.fault.get_or_insert_with(|| state.too_large(&projection.name, port, of, value));
            return;
        }
        to.add(coarse, posts, &sums);
        if let Some(fine) = fine {
            level.run(
                #[inline(always)]
                || ring::left_over(values, scales, &mut sums),
            );
            to.add(fine, posts, &sums);
        }
    }

    /// Executes the events of a pathway that writes to neurons, in the order of the rows, so that each neuron receives its events in the
    /// order of presynaptic neurons.
    fn in_turn(
        &mut self,
        around: &mut NeighborAccess<'_, '_>,
        projection: &ProjectionPlan,
        code: &Prepared,
        arrival: &ArrivalPlan,
        events: &[u32],
    ) {
        let mut rest = events;
        // With other ranks, no event reads what another one writes: see `Schedule::inseparable`.
        let is_recurrent = projection.pre == projection.post && around.now.plan.part().is_whole();
        let has_third = projection.third.as_ref().is_some_and(|third| third.population == projection.post);
        while !rest.is_empty() {
            // A neuron that is written occurs in no later event of a block, because that event must read the result of the first.
            let sees = |event: u32, other: u32| {
                let written = self.post[other as usize];
                written == self.post[event as usize]
                    || is_recurrent && written == self.pre[event as usize]
                    || has_third && written == self.third[event as usize]
            };
            let again = |k: &usize| rest[..*k].iter().any(|other| sees(rest[*k], *other));
            let (chunk, later) = rest.split_at((1..rest.len().min(LANES)).find(again).unwrap_or(rest.len().min(LANES)));
            self.run_of(around, code, chunk);
            for (lane, array) in &arrival.writes {
                for (value, synapse) in self.registers[*lane].iter().zip(chunk) {
                    *around.blocks.value(projection.post, *array, self.post[*synapse as usize]) = *value;
                }
            }
            rest = later;
        }
    }
}
