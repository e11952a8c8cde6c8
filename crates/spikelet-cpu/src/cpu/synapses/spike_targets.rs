//! Finds the synapses that receive the spikes of a pathway in a step: those of the neurons that fired one delay before. No other synapses
//! are visited.

use std::ops::RangeInclusive;
use std::sync::Arc;

use spikelet_kernel::simd::prefetch;
use spikelet_lang::End;
use spikelet_plan::{PathwayPlan, PerSynapse};

use super::SynapseEvents;

/// Number of lines of a list that are prefetched; the processor prefetches the rest.
const FETCHED_LINES: usize = 8;

/// Words per line.
const LINE: usize = 16;

/// A shard's synapses by rows and by columns.
pub(super) struct SynapseOrder<'a> {
    pub(super) numbers: &'a [u32],
    pub(super) pre: &'a [u32],
    pub(super) post: &'a [u32],
    /// Offsets of the synapses of each presynaptic neuron, one more than neurons.
    pub(super) rows: &'a [u32],
    /// The same for postsynaptic and for third neurons, each in an order of the synapses.
    pub(super) columns: [(&'a [u32], &'a Arc<Vec<u32>>); 2],
}

/// How the spikes of a pathway find their synapses.
pub(super) struct SpikeTargets {
    pub(super) end: End,
    /// The synapses by neuron, if they are not contiguous: by postsynaptic or third neuron, or by delay.
    order: Option<Arc<Vec<u32>>>,
    /// The other neuron of each of them, for third neurons the postsynaptic one.
    others: Vec<u32>,
    /// Offsets of the synapses of each neuron, one more than neurons.
    offsets: Vec<u32>,
    /// The delay of each entry of the order; empty if all are the same.
    delays: Vec<u32>,
    ages: RangeInclusive<u32>,
}

impl SpikeTargets {
    pub(super) fn new(pathway: &PathwayPlan, of: &SynapseOrder<'_>) -> SpikeTargets {
        let [(columns, by_post), (of_thirds, by_third)] = of.columns;
        let (offsets, order, other) = match pathway.end {
            End::Pre => (of.rows, None, of.post),
            End::Post => (columns, Some(by_post), of.pre),
            End::Third => (of_thirds, Some(by_third), of.post),
        };
        let mut order = order.cloned();
        let mut delays = Vec::new();
        if let PerSynapse::Each(each) = &pathway.delay {
            let delay = |synapse: &u32| each[of.numbers[*synapse as usize] as usize];
            let sorted = Arc::make_mut(order.get_or_insert_with(|| Arc::new((0..of.numbers.len() as u32).collect())));
            for neuron in offsets.windows(2) {
                sorted[neuron[0] as usize..neuron[1] as usize].sort_by_key(delay);
            }
            delays = sorted.iter().map(delay).collect();
        }
        let others = match &order {
            Some(order) => order.iter().map(|synapse| other[*synapse as usize]).collect(),
            None => other.to_vec(),
        };
        let bounds = pathway.delay.bounds();
        SpikeTargets { end: pathway.end, order, others, offsets: offsets.to_vec(), delays, ages: bounds.start..=bounds.end }
    }

    /// Range of delays: ages in steps of spikes that arrive now.
    pub(super) fn ages(&self) -> RangeInclusive<u32> {
        self.ages.clone()
    }

    /// Prefetches the data that [`SpikeTargets::find`] reads for the neuron with this index.
    pub(super) fn fetch(&self, place: u32) {
        let (start, end) = (self.offsets[place as usize] as usize, self.offsets[place as usize + 1] as usize);
        let fetched = start..end.min(start + FETCHED_LINES * LINE);
        self.others[fetched.clone()].iter().step_by(LINE).for_each(prefetch);
        if let Some(order) = &self.order {
            order[fetched].iter().step_by(LINE).for_each(prefetch);
        }
    }

    /// Adds the synapses that receive a spike of `neuron` fired `age` steps ago; `place` is its index among those with synapses.
    pub(super) fn find(&self, (place, neuron): (u32, u32), age: u32, records: &[f32], width: usize, events: &mut SynapseEvents) {
        let place = place as usize;
        let (mut start, mut end) = (self.offsets[place] as usize, self.offsets[place + 1] as usize);
        if let Some(delays) = self.delays.get(start..end).filter(|delays| !delays.is_empty()) {
            let first = start;
            start = first + delays.partition_point(|delay| *delay < age);
            end = first + delays.partition_point(|delay| *delay <= age);
        }
        match &self.order {
            // Records are contiguous.
            None => {
                let fetched = start * width..end.min(start + FETCHED_LINES * LINE / width.max(1)) * width;
                records[fetched].iter().step_by(LINE).for_each(prefetch);
                events.synapses.extend(start as u32..end as u32);
            }
            Some(order) => {
                let found = &order[start..end];
                found.iter().filter_map(|synapse| records.get(*synapse as usize * width)).for_each(prefetch);
                events.synapses.extend_from_slice(found);
            }
        }
        let others = &self.others[start..end];
        let (own, other) = match self.end {
            End::Pre => (&mut events.pre, &mut events.post),
            End::Post => (&mut events.post, &mut events.pre),
            // The presynaptic neurons are those of the synapses.
            End::Third => return events.post.extend_from_slice(others),
        };
        other.extend_from_slice(others);
        own.resize(other.len(), neuron);
    }
}
