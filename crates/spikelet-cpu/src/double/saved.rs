//! Arrays of a trial in a snapshot: all bits of f64 values, as two words each.

use std::slice;
use std::sync::Arc;

use spikelet_network::Error;
use spikelet_plan::{ArrayEntry, ArrayId, Owner};

use super::propagate::ExactWeights;
use super::trial::DoubleTrial;

impl DoubleTrial {
    pub(super) fn save(&mut self, id: ArrayId) -> Result<Vec<u32>, Error> {
        let words = |value: &f64| [value.to_bits() as u32, (value.to_bits() >> 32) as u32];
        match self.values(id)? {
            Some(values) => Ok(values.iter().flat_map(words).collect()),
            None => self.read(id),
        }
    }

    pub(super) fn restore(&mut self, id: ArrayId, words: &[u32]) -> Result<(), Error> {
        let path = self.plan.arrays().get(id)?.path.clone();
        let Some(values) = self.values(id)? else { return self.write(id, words) };
        if words.len() != 2 * values.len() {
            let (path, found) = (format!("the array `{path}` of the snapshot"), format!("{} words long", words.len()));
            let expected = format!("in this network it has {}", 2 * values.len());
            return Err(Error::invalid(path, found, expected, "use another snapshot, or run the network from its start"));
        }
        for (value, pair) in values.iter_mut().zip(words.as_chunks().0) {
            let [low, high] = pair.map(u64::from);
            *value = f64::from_bits(high << 32 | low);
        }
        Ok(())
    }

    /// The values of an array, if they are f64.
    fn values(&mut self, id: ArrayId) -> Result<Option<&mut [f64]>, Error> {
        let ArrayEntry { owner, index, .. } = *self.plan.arrays().get(id)?;
        let DoubleTrial { neurons, synapses, weights, .. } = self;
        Ok(match owner {
            Owner::Population { .. } if index == ArrayEntry::SCALES => None,
            Owner::Population { population } => Some(&mut neurons[population].constants),
            // The steps of the last spikes follow the variables.
            Owner::Neurons { population } => neurons[population].variables.get_mut(index).map(Vec::as_mut_slice),
            Owner::RingColumns { population } => Some(&mut neurons[population].rings[index]),
            Owner::Projection { projection } => synapses[projection].as_mut().map(|of| of.constants.as_mut_slice()),
            Owner::Synapses { projection } => synapses[projection].as_mut().map(|of| of.arrays[index].as_mut_slice()),
            Owner::Traces { projection, .. } => synapses[projection].as_mut().map(|of| of.traces[index].as_mut_slice()),
            Owner::Events { projection } => match weights[projection].get_mut(index) {
                Some(ExactWeights::Shared(weight)) => Some(slice::from_mut(weight)),
                Some(ExactWeights::Each(weights)) => Some(Arc::make_mut(weights).as_mut_slice()),
                Some(ExactWeights::Drawn | ExactWeights::Remainder) | None => None,
            },
            Owner::Memory { .. } | Owner::Statistic => None,
        })
    }
}
