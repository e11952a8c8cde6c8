//! Which synapses the spikes of a pathway reach in a step: those of the neurons that fired as long ago as their delay, and no others
//! are looked at.

use std::ops::RangeInclusive;
use std::sync::Arc;

use spikelet_lang::End;
use spikelet_lang::simd::prefetch;

use super::SynapseEvents;
use crate::plan::{PathwayPlan, PerSynapse};

/// Lines of a list that are fetched before they are read; the processor itself fetches what follows.
const FETCHED_LINES: usize = 8;

/// Words in a line.
const LINE: usize = 16;

/// A shard's synapses in the order of their rows and in that of their columns.
pub(super) struct SynapseOrder<'a> {
    pub(super) numbers: &'a [u32],
    pub(super) pre: &'a [u32],
    pub(super) post: &'a [u32],
    /// Where the synapses of each pre neuron begin, one more than these.
    pub(super) rows: &'a [u32],
    /// The same for post neurons, in `by_post`.
    pub(super) columns: &'a [u32],
    pub(super) by_post: &'a Arc<Vec<u32>>,
}

/// How the spikes of a pathway find their synapses.
pub(super) struct SpikeTargets {
    pub(super) end: End,
    /// The synapses neuron by neuron, where these are not simply all from one to another: by post neuron, or by delay.
    order: Option<Arc<Vec<u32>>>,
    /// The neuron at the other end of each of them.
    others: Vec<u32>,
    /// Where those of each neuron begin, one more than neurons.
    offsets: Vec<u32>,
    /// The delay of each entry of the order; none where all have the same.
    delays: Vec<u32>,
    ages: RangeInclusive<u32>,
}

impl SpikeTargets {
    pub(super) fn new(pathway: &PathwayPlan, of: &SynapseOrder<'_>) -> SpikeTargets {
        let (offsets, other) = if pathway.end == End::Pre { (of.rows, of.post) } else { (of.columns, of.pre) };
        let mut order = (pathway.end == End::Post).then(|| of.by_post.clone());
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

    /// How many steps ago spikes may have been fired that arrive now.
    pub(super) fn ages(&self) -> RangeInclusive<u32> {
        self.ages.clone()
    }

    /// Has the processor fetch what [`Reach::find`] reads of the neuron in this place.
    pub(super) fn fetch(&self, place: u32) {
        let (start, end) = (self.offsets[place as usize] as usize, self.offsets[place as usize + 1] as usize);
        let fetched = start..end.min(start + FETCHED_LINES * LINE);
        self.others[fetched.clone()].iter().step_by(LINE).for_each(prefetch);
        if let Some(order) = &self.order {
            order[fetched].iter().step_by(LINE).for_each(prefetch);
        }
    }

    /// Adds the synapses that a spike reaches which `neuron` fired `age` steps ago; it is the one in this `place` among those that have
    /// any.
    pub(super) fn find(&self, (place, neuron): (u32, u32), age: u32, records: &[f32], width: usize, events: &mut SynapseEvents) {
        let place = place as usize;
        let (mut start, mut end) = (self.offsets[place] as usize, self.offsets[place + 1] as usize);
        if let Some(delays) = self.delays.get(start..end).filter(|delays| !delays.is_empty()) {
            let first = start;
            start = first + delays.partition_point(|delay| *delay < age);
            end = first + delays.partition_point(|delay| *delay <= age);
        }
        match &self.order {
            // Records lie one after the other.
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
        let (own, other) = match self.end {
            End::Pre => (&mut events.pre, &mut events.post),
            End::Post => (&mut events.post, &mut events.pre),
        };
        other.extend_from_slice(&self.others[start..end]);
        own.resize(other.len(), neuron);
    }
}
