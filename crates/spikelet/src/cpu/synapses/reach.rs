//! Which synapses the spikes of a pathway reach in a step: those of the neurons that fired as long ago as their delay, and no others
//! are looked at.

use std::ops::RangeInclusive;
use std::sync::Arc;

use spikelet_lang::End;
use spikelet_lang::simd::prefetch;

use crate::plan::{PathwayPlan, PerSynapse};

/// Lines of a row's records that are fetched before they are read; the processor itself fetches what follows.
const FETCHED_LINES: usize = 8;

/// Words in a line.
const LINE: usize = 16;

/// How the spikes of a pathway find their synapses.
pub(super) struct Reach {
    pub(super) end: End,
    /// The synapses neuron by neuron, where these are not simply all from one to another: by post neuron, or by delay.
    order: Option<Arc<Vec<u32>>>,
    /// Where those of each neuron begin, one more than neurons.
    offsets: Vec<u32>,
    /// The delay of each entry of the order; none where all have the same.
    delays: Vec<u32>,
    ages: RangeInclusive<u32>,
}

impl Reach {
    /// `offsets` are those of the rows and of the columns `by_post`.
    pub(super) fn new(pathway: &PathwayPlan, numbers: &[u32], [rows, columns]: [&[u32]; 2], by_post: &Arc<Vec<u32>>) -> Reach {
        let offsets = if pathway.end == End::Pre { rows } else { columns };
        let mut order = (pathway.end == End::Post).then(|| by_post.clone());
        let mut delays = Vec::new();
        if let PerSynapse::Each(each) = &pathway.delay {
            let delay = |synapse: &u32| each[numbers[*synapse as usize] as usize];
            let sorted = Arc::make_mut(order.get_or_insert_with(|| Arc::new((0..numbers.len() as u32).collect())));
            for neuron in offsets.windows(2) {
                sorted[neuron[0] as usize..neuron[1] as usize].sort_by_key(delay);
            }
            delays = sorted.iter().map(delay).collect();
        }
        let bounds = pathway.delay.bounds();
        Reach { end: pathway.end, order, offsets: offsets.to_vec(), delays, ages: bounds.start..=bounds.end }
    }

    /// How many steps ago spikes may have been fired that arrive now.
    pub(super) fn ages(&self) -> RangeInclusive<u32> {
        self.ages.clone()
    }

    /// Adds the synapses that a spike reaches which a neuron fired `age` steps ago; neurons count from the first that has any.
    pub(super) fn find(&self, neuron: u32, age: u32, records: &[f32], width: usize, events: &mut Vec<u32>) {
        let neuron = neuron as usize;
        let (mut start, mut end) = (self.offsets[neuron] as usize, self.offsets[neuron + 1] as usize);
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
                events.extend(start as u32..end as u32);
            }
            Some(order) => {
                let found = &order[start..end];
                found.iter().filter_map(|synapse| records.get(*synapse as usize * width)).for_each(prefetch);
                events.extend_from_slice(found);
            }
        }
    }
}
