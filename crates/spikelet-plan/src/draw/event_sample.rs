//! The size of the first events of synapses with state, from a sample of them.

use serde::{Deserialize, Serialize};
use spikelet_lang::model::{End, Target};
use spikelet_rows::OwnNeurons;
use spikelet_rows::rng::splitmix64;

use super::initial_synapses::first_event;
use super::realized::RealizedProjection;
use crate::neurons::population::CheckedPopulation;
use crate::{MinWeight, MinWeightOf, WeightSizes};

/// Number of synapses in a sample.
const SAMPLE: usize = 10_000;

/// The first events of the synapses of a projection for a variable: of each synapse if they are listed or few, else of those whose hashes are
/// the smallest. Samples of several ranks are merged to that of the whole network.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventSample {
    synapses: u64,
    is_listed: bool,
    /// The magnitude of all events, if each was evaluated.
    all: WeightSizes,
    /// Hash and size of the events in the sample, in ascending order.
    sample: Vec<(u64, f64)>,
}

impl EventSample {
    /// Evaluates synapses onto own neurons.
    pub(crate) fn of(
        drawn: &RealizedProjection,
        is_listed: bool,
        (neurons, own): (&[CheckedPopulation], &OwnNeurons),
        variable: usize,
    ) -> EventSample {
        let model = &drawn.checked.model;
        let adds = |target: &Target| *target == Target::Add(variable);
        let rows = drawn.rows();
        let synapses = rows.len();
        let evaluates_all = is_listed || synapses <= SAMPLE;
        // The smallest hashes are almost certainly among twice as many.
        let limit = if evaluates_all { u64::MAX } else { (u64::MAX / synapses as u64).saturating_mul(2 * SAMPLE as u64) };
        let mut new = EventSample { synapses: synapses as u64, is_listed, ..EventSample::default() };
        let mut sums = vec![0.0; if evaluates_all { own.len() as usize } else { 0 }];
        let mut counts = vec![0_u32; sums.len()];
        for (pre, row) in (drawn.pre_slice.start..).zip(rows.offsets.windows(2)) {
            for synapse in row[0] as usize..row[1] as usize {
                let place = rows.target(synapse);
                let post = own.neuron(place);
                let hash = splitmix64(u64::from(pre) << 32 | u64::from(post));
                if hash > limit {
                    continue;
                }
                let at_start = |name: &str| drawn.values.0.get(name).map_or(0.0, |(_, values)| values.at(synapse));
                let read = |end: End, name: &str| match end {
                    End::Pre => neurons[drawn.checked.pre].at_neuron(name, pre),
                    End::Post => neurons[drawn.checked.post].at_place(name, place),
                    End::Third => drawn.third.as_ref().and_then(|of| neurons[of.population].at_neuron(name, of.neurons[synapse])),
                };
                let read = |end: End, name: &str| read(end, name).unwrap_or(1.0);
                let event = first_event(model, &at_start, &read, [pre, post].map(|end| end as usize), &adds);
                if evaluates_all {
                    new.all.largest = new.all.largest.max(event);
                    sums[place as usize] += event;
                    counts[place as usize] += 1;
                }
                if is_listed {
                    new.all.least = new.all.least.and(MinWeight { size: event, of: MinWeightOf::Synapse([pre, post]) });
                } else {
                    new.sample.push((hash, event));
                }
            }
        }
        if !is_listed && evaluates_all {
            new.all.least = MinWeight::mean(&sums, &counts, 0, own);
        }
        new.shorten();
        new
    }

    /// Adds those of another rank.
    pub(crate) fn merge(&mut self, other: &EventSample) {
        self.synapses += other.synapses;
        self.is_listed |= other.is_listed;
        self.all.largest = self.all.largest.max(other.all.largest);
        self.all.least = self.all.least.and(other.all.least);
        self.sample.extend(&other.sample);
        self.shorten();
    }

    fn shorten(&mut self) {
        self.sample.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        self.sample.truncate(SAMPLE);
    }

    /// The magnitude of the events. For a sample, the mean of all represents that of each neuron.
    pub(crate) fn sizes(&self) -> WeightSizes {
        if self.is_listed || self.synapses <= SAMPLE as u64 {
            return self.all;
        }
        let events = || self.sample.iter().map(|(_, event)| *event);
        let mean = events().sum::<f64>() / self.sample.len().max(1) as f64;
        WeightSizes { largest: events().fold(0.0, f64::max), least: MinWeight { size: mean, of: MinWeightOf::All } }
    }
}
