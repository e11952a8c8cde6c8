//! The expected synapses of a sample of neurons.

use std::ops::Range;

use spikelet_rows::{ExpectedSynapses, Product};

/// Steps of loops over pairs for all populations, which also limits memory; about 0.3 s.
const BUDGET: u64 = 60_000_000;
/// The largest number of neurons that are sampled of a population.
const MOST: u64 = 1 << 16;
/// The least number, if it has as many: few whose rows are complete, or many whose rows are thinned.
const FEW: u64 = 512;
const MANY: u64 = 8192;
/// A row up to this length is not thinned.
const SHORT: u64 = 64;
/// Offset of the next sampled neuron in its range, as a fraction: advanced by the golden ratio, which avoids the same place of each line of a
/// grid.
const FURTHER: f64 = 0.618_033_988_749_894_8;

/// Neurons of all populations that have synapses, with their targets.
pub(crate) struct Sample {
    pub(crate) neurons: Vec<SampledNeuron>,
    pub(crate) ranges: Vec<TargetRange>,
    /// Targets by their numbers in the network, with the expected numbers of synapses.
    pub(crate) targets: Vec<(u32, f32)>,
    /// Synapses that are not listed, because they follow from numbers of the neurons.
    pub(crate) products: Vec<ProductPart>,
}

/// A neuron of the sample.
pub(crate) struct SampledNeuron {
    /// Its number in the network.
    pub(crate) neuron: u32,
    pub(crate) population: usize,
    /// The number of neurons that it represents.
    pub(crate) represents: f64,
    /// Its targets: indices of ranges.
    pub(crate) ranges: Range<usize>,
    /// Whether some of its targets were left out.
    pub(crate) is_thinned: bool,
}

/// Targets of a neuron in one projection.
pub(crate) struct TargetRange {
    pub(crate) targets: Range<usize>,
    /// The number of targets that each represents.
    pub(crate) every: f64,
}

/// Synapses of a rule whose expectations are products.
pub(crate) struct ProductPart {
    pub(crate) product: Product,
    /// The part that caps on degrees keep.
    pub(crate) kept: f64,
    /// Pre- and postsynaptic neurons, by their numbers in the network.
    pub(crate) ends: [Range<u32>; 2],
}

impl Sample {
    /// A sample for scores. `first` has the number of the first neuron of each population, and at its end that of all neurons.
    pub(crate) fn new(synapses: &[ExpectedSynapses<'_>], first: &[u32]) -> Sample {
        Sample::with(synapses, first, FEW, 0.0)
    }

    /// A sample of other neurons, more of them with fewer targets each if the network is large.
    pub(crate) fn of_many(synapses: &[ExpectedSynapses<'_>], first: &[u32]) -> Sample {
        Sample::with(synapses, first, MANY, 0.5)
    }

    fn with(synapses: &[ExpectedSynapses<'_>], first: &[u32], least: u64, offset: f64) -> Sample {
        let number =
            |(population, neurons): (usize, Range<u32>)| first[population] + neurons.start..first[population] + neurons.end;
        let product = |part: &ExpectedSynapses<'_>| {
            let product = part.product()?.clone();
            Some(ProductPart { product, kept: part.kept(), ends: [number(part.pre()), number(part.post())] })
        };
        let products = synapses.iter().filter_map(product).collect();
        let mut sample = Sample { neurons: Vec::new(), ranges: Vec::new(), targets: Vec::new(), products };
        let of_population = |population| synapses.iter().filter(move |part| part.pre().0 == population);
        let is_listed = |population: &usize| of_population(*population).any(|part| part.product().is_none());
        let listed = (0..first.len() - 1).filter(is_listed).count().max(1) as u64;
        for population in 0..first.len() - 1 {
            let parts: Vec<_> = of_population(population).collect();
            if !parts.is_empty() {
                sample.add(&parts, population, first, (BUDGET / listed, least, offset));
            }
        }
        sample
    }

    /// Adds neurons of a population, with a budget of pairs, a least number of them, and an offset in their ranges.
    fn add(
        &mut self,
        parts: &[&ExpectedSynapses<'_>],
        population: usize,
        first: &[u32],
        (budget, least, offset): (u64, u64, f64),
    ) {
        let size = u64::from(first[population + 1] - first[population]);
        let cost: u64 = parts.iter().map(|part| part.cost()).map(|[pairs, each]| pairs * each).sum();
        let count = (budget / cost.max(1)).clamp(least, MOST).min(size);
        let every = (count * cost).div_ceil(budget).max(1);
        for k in 0..count {
            let inside = k as f64 * FURTHER + offset;
            let place =
                if count == size { k as f64 } else { (k as f64 + inside - libm::floor(inside)) * size as f64 / count as f64 };
            let neuron = (place as u32).min(size as u32 - 1);
            let (start, mut is_thinned) = (self.ranges.len(), false);
            for part in parts.iter().filter(|part| part.product().is_none() && part.pre().1.contains(&neuron)) {
                let every = if part.cost()[0] <= SHORT { 1 } else { every as u32 };
                let (from, first) = (self.targets.len(), first[part.post().0]);
                part.row(neuron, every, |target, expected| self.targets.push((first + target, expected as f32)));
                self.ranges.push(TargetRange { targets: from..self.targets.len(), every: f64::from(every) });
                is_thinned |= every > 1;
            }
            self.neurons.push(SampledNeuron {
                neuron: first[population] + neuron,
                population,
                represents: size as f64 / count as f64,
                ranges: start..self.ranges.len(),
                is_thinned,
            });
        }
    }

    /// Whether all neurons and all of their targets were examined.
    pub(crate) fn is_complete(&self) -> bool {
        self.neurons.iter().all(|neuron| neuron.represents <= 1.0 && !neuron.is_thinned)
    }

    /// The listed targets of a neuron, each with the expected number of synapses of one of them, and the number of targets that it represents.
    pub(crate) fn targets_of(&self, neuron: &SampledNeuron) -> impl Iterator<Item = (u32, f64, f64)> + '_ {
        let ranges = &self.ranges[neuron.ranges.clone()];
        ranges.iter().flat_map(|range| {
            self.targets[range.targets.clone()].iter().map(|(target, expected)| (*target, f64::from(*expected), range.every))
        })
    }
}

impl ProductPart {
    /// The expected number of synapses of a neuron onto postsynaptic neurons whose numbers have this sum.
    pub(crate) fn expected(&self, pre: u32, sum: f64) -> f64 {
        self.product.of_pre(pre - self.ends[0].start) * sum * self.kept
    }
}
