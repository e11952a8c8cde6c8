//! Projections with synaptic state.

use std::collections::BTreeSet;

use spikelet::lang::End;
use spikelet::{OwnNeurons, Plan, ProjectionPlan, StatePlan, ring};

use super::fill::{ListContent, PageList};
use super::halves::words_of_halves;
use super::{Arena, BufferLayout, WordRange, bits, trace_words};
use crate::spec::{self, SynapseCode};

/// `NO_POPULATION` of shaders/on_spike.wgsl.
const NO_POPULATION: u32 = u32::MAX;

/// The location of a projection with synaptic state.
pub(crate) struct ProjectionOffsets {
    /// Its description in `tables`.
    pub(crate) record: usize,
    /// The same with the synapses by third neuron in place of those by postsynaptic one, if it sums over them.
    pub(crate) record_of_third: usize,
    /// Its first array of f32 in `state`.
    pub(crate) state: usize,
    /// Its first array of f16 in `ring`.
    pub(crate) halves: usize,
    /// Its first trace in `state`.
    pub(crate) traces: usize,
    /// Its constants in `tables`.
    pub(super) constants: usize,
    /// Its pathways in `tables`.
    pub(crate) pathways: Vec<usize>,
}

impl BufferLayout {
    /// Describes every projection with state, and reserves its rows and arrays.
    pub(super) fn place_projections(&mut self, plan: &Plan) {
        for (number, projection) in plan.projections.iter().enumerate() {
            let place = projection.state.as_ref().map(|state| self.place_projection(plan, number, projection, state));
            self.projections.push(place);
        }
    }

    fn place_projection(&mut self, plan: &Plan, number: usize, projection: &ProjectionPlan, of: &StatePlan) -> ProjectionOffsets {
        let rows = projection.rows();
        let offsets = self.list(number, ListContent::Offsets, rows.offsets.len());
        let targets = self.list(number, ListContent::Targets, rows.len());
        let sources = self.list(number, ListContent::Sources, rows.len());
        let listens_to_post = projection.pathways.iter().any(|pathway| pathway.end == End::Post);
        let in_turn = of.arrivals.iter().any(|arrival| !arrival.writes.is_empty());
        let sums = |end: End| of.summed.iter().any(|sum| sum.end == end);
        let needs_order = listens_to_post || in_turn || sums(End::Post);
        let ends = plan.own(projection.post).len() as usize + 1;
        let by_post = if needs_order { self.list(number, ListContent::ByPost, ends + rows.len()) } else { 0 };
        let third = projection.third.as_ref().map(|third| third.population);
        let thirds = third.map_or(0, |_| self.list(number, ListContent::Thirds, rows.len()));
        let of_thirds = third.map_or(0, |third| plan.populations[third].size as usize + 1);
        let by_third = if of_thirds > 0 { self.list(number, ListContent::ByThird, of_thirds + rows.len()) } else { 0 };
        let halves = of.arrays.iter().filter(|array| array.half).count();
        let state = self.take_state((of.arrays.len() - halves) * rows.len());
        let halves = self.take_ring(halves * words_of_halves(rows.len()));
        let traces = self.take_state((0..of.traces.len()).map(|trace| trace_words(plan, projection, of, trace)).sum());
        let constants = self.describe(bits(&of.constants));
        let populations = &self.populations;
        let words = |offsets_of_sums: usize, order_of_sums: usize| {
            [
                number as u32,
                populations[projection.pre].record as u32,
                populations[projection.post].record as u32,
                projection.pre_slice.start,
                projection.pre_slice.end,
                rows.len() as u32,
                offsets as u32,
                targets as u32,
                sources as u32,
                offsets_of_sums as u32,
                order_of_sums as u32,
                state as u32,
                constants as u32,
                of.first_clock,
                traces as u32,
                thirds as u32,
                populations[third.unwrap_or(projection.post)].record as u32,
                halves as u32,
            ]
        };
        let (record, of_third) = (words(by_post, by_post + ends), words(by_third, by_third + of_thirds));
        let record = self.describe(record);
        let record_of_third = if sums(End::Third) { self.describe(of_third) } else { record };
        let ports = &plan.populations[projection.post].ports;
        let mut pathways = Vec::new();
        for (place, (pathway, arrival)) in projection.pathways.iter().zip(&of.arrivals).enumerate() {
            let delays = pathway.delay.as_slice();
            let at = self.list(number, ListContent::Delays(place), delays.len());
            // Stride of the delays of synapses: 0 for a common delay.
            let stride = u32::from(delays.len() > 1);
            let adds = arrival.adds.iter().flat_map(|add| {
                let of = &ports[add.port];
                let units = ring::scale(of.shift);
                let rest = if of.split_precision { ring::scale(of.fine_shift) / units } else { 0.0 };
                [of.column, units.to_bits(), rest.to_bits(), (add.limit as f32).to_bits(), add.port as u32]
            });
            let (neurons, offsets, order) = match pathway.end {
                End::Pre => (sources, offsets, None),
                End::Post => (targets, by_post, Some(by_post + ends)),
                End::Third => (thirds, by_third, Some(by_third + of_thirds)),
            };
            let (received, slice) = (projection.population(pathway.end), projection.neurons(pathway.end, plan));
            let by_delay = (stride > 0).then(|| self.list(number, ListContent::ByDelay(place), rows.len()));
            let order = by_delay.or(order).map_or(u32::MAX, |at| at as u32);
            let shortest = pathway.delay.bounds().start;
            let (neurons, offsets, memory) = (neurons as u32, offsets as u32, self.populations[received].memory);
            let by_place = if pathway.end == End::Post { self.populations[received].record as u32 } else { NO_POPULATION };
            let found = [at as u32, stride, neurons, order, offsets, slice.start, slice.end, shortest, memory, by_place];
            let words: Vec<u32> = found.into_iter().chain(adds).collect();
            pathways.push(self.describe(words));
        }
        ProjectionOffsets { record, record_of_third, state, halves, traces, constants, pathways }
    }

    /// Reserves a list in the first page; returns its offset.
    fn list(&mut self, projection: usize, holds: ListContent, words: usize) -> usize {
        let at = self.lists.last().map_or(0, |list| list.at + list.words);
        self.lists.push(PageList { projection, holds, at, words });
        at
    }
}

/// Projections with traces of the neurons of one side, which are updated together.
#[derive(Debug, Clone)]
pub(crate) struct TraceList {
    /// The side.
    pub(crate) end: End,
    /// The place of the update in a step: that of the last pathways with spikes of the same neurons.
    pub(crate) order: i32,
    /// Their list in `tables`.
    pub(crate) at: u32,
    /// Their number.
    pub(crate) projections: u32,
    /// Maximum number of words of 32 neurons of any of them on this side.
    pub(crate) words: u32,
    /// The effects of their spikes, each code once.
    pub(crate) codes: Vec<SynapseCode>,
}

impl BufferLayout {
    /// Lists the projections with traces.
    pub(super) fn place_traces(&mut self, plan: &Plan) {
        for end in [End::Pre, End::Post] {
            let orders: BTreeSet<i32> = plan.projections.iter().map(|projection| projection.last_order(end)).collect();
            for order in orders {
                self.place_trace_list(plan, end, order);
            }
        }
    }

    fn place_trace_list(&mut self, plan: &Plan, end: End, order: i32) {
        let (projections, codes) = spec::traces(plan, end, order);
        let (mut words, mut list) = (Vec::new(), TraceList { end, order, at: 0, projections: 0, words: 0, codes });
        for (index, code) in projections {
            let (of, Some(place)) = (&plan.projections[index], &self.projections[index]) else { continue };
            let Some(pathway) = of.pathways.iter().position(|pathway| pathway.end == end) else { continue };
            let of_neurons = plan.populations[of.population(end)].size.div_ceil(32);
            words.extend([place.record as u32, place.pathways[pathway] as u32, of_neurons, code]);
            (list.projections, list.words) = (list.projections + 1, list.words.max(of_neurons));
        }
        if list.projections > 0 {
            list.at = self.describe(words) as u32;
            self.traces.push(list);
        }
    }

    /// Reserves words of `state` for the sums of a variable that others still read.
    pub(super) fn place_scratch(&mut self, plan: &Plan) {
        let words = plan.projections.iter().filter_map(|projection| {
            let state = projection.state.as_ref()?;
            let own = |sum: usize| plan.own(projection.population(state.summed[sum].end));
            let waiting = (0..state.summed.len()).filter(|sum| waits(projection, state, *sum, own(*sum)));
            let rows = |sum: usize| if state.summed[sum].adds() { 2 } else { 1 };
            waiting.map(|sum| rows(sum) * own(sum).len() as usize).max()
        });
        self.scratch = self.take_state(words.max().unwrap_or(0));
    }
}

/// Whether sums are stored elsewhere first: others may still read the variable, or not all own neurons get them in the same way.
pub(crate) fn waits(projection: &ProjectionPlan, state: &StatePlan, summed: usize, own: &OwnNeurons) -> bool {
    let (sum, code) = (&state.summed[summed], &state.program.summed[summed].1);
    let of_all = sum.parts.iter().any(|part| own.places_in(&part.neurons).len() == own.len() as usize);
    !of_all || spec::reads_written(projection, state, code, (sum.end, &|read| read == sum.array))
}

impl ProjectionOffsets {
    /// The words of an array of the synapses, in their arena.
    pub(crate) fn array(&self, of: &StatePlan, array: usize, synapses: usize) -> WordRange {
        let (arena, first, words) = match of.arrays[array].half {
            true => (Arena::Ring, self.halves, words_of_halves(synapses)),
            false => (Arena::State, self.state, synapses),
        };
        let first = first + of.place_of_format(array) * words;
        (arena, first..first + words)
    }

    /// Offset of a trace in `state`.
    pub(crate) fn trace(&self, plan: &Plan, projection: &ProjectionPlan, of: &StatePlan, trace: usize) -> usize {
        self.traces + (0..trace).map(|trace| trace_words(plan, projection, of, trace)).sum::<usize>()
    }
}
