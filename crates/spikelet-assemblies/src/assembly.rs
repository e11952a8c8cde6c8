//! Assemblies, and sets of neurons drawn from the seed.

use spikelet::rng::philox;

use crate::{AreaId, AreaOptions, Brain, Error};

/// A set of neurons of an area that fire together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The area.
    pub area: AreaId,
    /// The neurons, in ascending order.
    pub neurons: Vec<u32>,
}

/// The purpose of drawing a subset, in the third word of the counter.
const SUBSET: u32 = 0x24;

impl Assembly {
    /// The last winners of an area.
    ///
    /// # Errors
    /// It has none.
    pub fn of(brain: &Brain, area: AreaId) -> Result<Assembly, Error> {
        let neurons = brain.winners(area).to_vec();
        if neurons.is_empty() {
            return Err(Error::NoWinners(brain.name(area).into()));
        }
        Ok(Assembly { area, neurons })
    }

    /// The block of k neurons with this index, as [`Brain::activate`] fires it.
    pub fn block(area: AreaId, k: u32, index: u32) -> Assembly {
        let first = index.saturating_mul(k);
        Assembly { area, neurons: (first..first.saturating_add(k)).collect() }
    }

    /// The number of neurons that are in both; 0 if they are of different areas.
    pub fn common(&self, other: &Assembly) -> u32 {
        if self.area == other.area { common(&self.neurons, &other.neurons) } else { 0 }
    }

    /// The size of the intersection divided by that of the smaller one; 0 if one is empty.
    pub fn overlap(&self, other: &Assembly) -> f64 {
        let smaller = self.neurons.len().min(other.neurons.len()).max(1);
        f64::from(self.common(other)) / smaller as f64
    }

    /// `count` of its neurons, all equally probable: a function of the seed and the number of the draw.
    #[must_use]
    pub fn subset(&self, count: u32, seed: u64, draw: u32) -> Assembly {
        let mut neurons = self.neurons.clone();
        let count = neurons.len().min(count as usize);
        for index in 0..count {
            let [word, ..] = philox(seed, [index as u32, self.area.0 as u32, SUBSET, draw]);
            let rest = (neurons.len() - index) as u64;
            neurons.swap(index, index + ((u64::from(word) * rest) >> 32) as usize);
        }
        neurons.truncate(count);
        neurons.sort_unstable();
        Assembly { area: self.area, neurons }
    }
}

/// The number of neurons in both of two ascending lists.
pub(crate) fn common(a: &[u32], b: &[u32]) -> u32 {
    a.iter().filter(|neuron| b.binary_search(neuron).is_ok()).count() as u32
}

/// The expected overlap of two independent assemblies of an area: k/n.
pub fn chance(options: &AreaOptions) -> f64 {
    f64::from(options.k) / f64::from(options.n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembly(neurons: &[u32]) -> Assembly {
        Assembly { area: AreaId(0), neurons: neurons.to_vec() }
    }

    #[test]
    fn an_overlap_is_relative_to_the_smaller_assembly() {
        assert_eq!(assembly(&[1, 2, 3, 4]).overlap(&assembly(&[2, 4])), 1.0);
        assert_eq!(assembly(&[1, 2, 3, 4]).overlap(&assembly(&[0, 4])), 0.5);
        assert_eq!(assembly(&[]).overlap(&assembly(&[0, 4])), 0.0);
        assert_eq!(Assembly { area: AreaId(1), neurons: vec![1] }.overlap(&assembly(&[1])), 0.0);
    }

    #[test]
    fn all_neurons_are_equally_often_in_a_subset() {
        let all = assembly(&(0..10).collect::<Vec<u32>>());
        let mut counts = [0.0; 10];
        for draw in 0..2000 {
            let subset = all.subset(3, 5, draw);
            assert!(subset.neurons.is_sorted() && subset.neurons.len() == 3);
            subset.neurons.iter().for_each(|neuron| counts[*neuron as usize] += 1.0);
        }
        // 600 are expected of each, with a standard deviation of 20.
        assert!(counts.iter().all(|count: &f64| (count - 600.0).abs() < 90.0), "{counts:?}");
        assert_eq!(all.subset(20, 5, 0), all);
    }
}
