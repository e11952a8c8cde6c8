//! The neurons of a population that belong to a rank.

use std::ops::Range;
use std::sync::Arc;

use super::common;

/// The neurons of a population that belong to a rank, in ascending order. The rank's *places* count them from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnNeurons {
    /// Number of neurons of the population.
    size: u32,
    numbers: Numbers,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Numbers {
    Range(Range<u32>),
    Listed(Arc<SortedNeurons>),
}

/// Neurons with gaps, which are found in both directions in constant time.
#[derive(Debug, PartialEq, Eq)]
struct SortedNeurons {
    neurons: Vec<u32>,
    /// For each 64 neurons of the population the number of own ones before them, and a bit for each own one.
    words: Vec<(u32, u64)>,
}

impl OwnNeurons {
    /// A range of the neurons of a population of this size.
    pub fn range(neurons: Range<u32>, size: u32) -> OwnNeurons {
        OwnNeurons { size, numbers: Numbers::Range(neurons) }
    }

    /// These neurons, in ascending order.
    pub fn of(neurons: impl Iterator<Item = u32>, size: u32) -> OwnNeurons {
        let neurons: Vec<u32> = neurons.collect();
        match (neurons.first(), neurons.last()) {
            (None, _) | (_, None) => return OwnNeurons::range(0..0, size),
            (Some(first), Some(last)) if (last - first) as usize + 1 == neurons.len() => {
                return OwnNeurons::range(*first..last + 1, size);
            }
            _ => {}
        }
        let mut words: Vec<(u32, u64)> = vec![(0, 0); size.div_ceil(64) as usize];
        for neuron in &neurons {
            words[*neuron as usize / 64].1 |= 1 << (neuron % 64);
        }
        let mut before = 0;
        for (count, bits) in &mut words {
            *count = before;
            before += bits.count_ones();
        }
        OwnNeurons { size, numbers: Numbers::Listed(Arc::new(SortedNeurons { neurons, words })) }
    }

    /// Number of own neurons.
    pub fn len(&self) -> u32 {
        match &self.numbers {
            Numbers::Range(range) => range.len() as u32,
            Numbers::Listed(list) => list.neurons.len() as u32,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of neurons of the population.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The neuron at a place.
    #[inline]
    pub fn neuron(&self, place: u32) -> u32 {
        match &self.numbers {
            Numbers::Range(range) => range.start + place,
            Numbers::Listed(list) => list.neurons[place as usize],
        }
    }

    /// The place of a neuron, if it is an own one.
    #[inline]
    pub fn place(&self, neuron: u32) -> Option<u32> {
        match &self.numbers {
            Numbers::Range(range) => range.contains(&neuron).then(|| neuron - range.start),
            Numbers::Listed(list) => {
                let (before, bits) = *list.words.get(neuron as usize / 64)?;
                let bit = neuron % 64;
                (bits >> bit & 1 == 1).then(|| before + (bits & ((1 << bit) - 1)).count_ones())
            }
        }
    }

    /// Whether a neuron is an own one.
    pub fn contains(&self, neuron: u32) -> bool {
        self.place(neuron).is_some()
    }

    /// The smallest range with all of them.
    pub fn hull(&self) -> Range<u32> {
        match &self.numbers {
            Numbers::Range(range) => range.clone(),
            Numbers::Listed(list) => list.neurons[0]..list.neurons[list.neurons.len() - 1] + 1,
        }
    }

    /// Their range, if they have no gaps.
    pub fn as_range(&self) -> Option<&Range<u32>> {
        if let Numbers::Range(range) = &self.numbers { Some(range) } else { None }
    }

    /// All of them, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        (0..self.len()).map(|place| self.neuron(place))
    }

    /// The places of the own neurons in a range of the population.
    pub fn places_in(&self, neurons: &Range<u32>) -> Range<u32> {
        match &self.numbers {
            Numbers::Range(range) => {
                let both = common(range, neurons);
                if both.is_empty() { 0..0 } else { both.start - range.start..both.end - range.start }
            }
            Numbers::Listed(list) => {
                let at = |bound: u32| list.neurons.partition_point(|neuron| *neuron < bound) as u32;
                at(neurons.start)..at(neurons.end).max(at(neurons.start))
            }
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        match &self.numbers {
            Numbers::Range(_) => 0,
            Numbers::Listed(list) => (size_of_val(list.neurons.as_slice()) + size_of_val(list.words.as_slice())) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn neurons_and_places_are_inverse(own in prop::collection::btree_set(0..300_u32, 0..100), from in 0..300_u32, len in 0..300_u32) {
            let neurons = OwnNeurons::of(own.iter().copied(), 300);
            prop_assert_eq!(neurons.len() as usize, own.len());
            prop_assert!(neurons.iter().eq(own.iter().copied()));
            for neuron in 0..300 {
                let place = own.iter().position(|of| *of == neuron).map(|place| place as u32);
                prop_assert_eq!(neurons.place(neuron), place);
            }
            let range = from..(from + len).min(300);
            let places = neurons.places_in(&range);
            prop_assert!(places.map(|place| neurons.neuron(place)).eq(own.iter().copied().filter(|of| range.contains(of))));
            prop_assert!(own.iter().all(|of| neurons.hull().contains(of)));
        }
    }
}
