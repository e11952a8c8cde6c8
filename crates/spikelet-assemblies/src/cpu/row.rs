//! The synapses of one presynaptic neuron.

use std::ops::Range;

use spikelet_kernel::simd::prefetch;

use crate::weights::Weights;

/// FibreSynapses that are tested together, a bit each.
const HITS: usize = 64;

/// The row of a neuron: the neurons that it reaches, and how often the synapses have learned.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// The postsynaptic neurons, in ascending order; empty if they are to be drawn.
    pub(super) targets: Vec<u32>,
    /// Whether `targets` are drawn.
    pub(super) is_drawn: bool,
    /// All postsynaptic neurons below this one are decided.
    pub(super) decided: u32,
    /// The round of the last use.
    pub(super) used: u32,
    /// The number of updates of each synapse; empty if none has learned.
    updates: Vec<u16>,
}

/// The synapses of a row that have learned, as (target, updates), while its targets are not drawn.
pub(super) type LearnedChanges = Vec<(u32, u16)>;

impl Row {
    /// Changes the sums of the neurons `first` … by the weights of the synapses.
    #[inline(always)]
    pub(super) fn change(&self, weights: &Weights, first: u32, sums: &mut [u32], change: impl Fn(u32, u32) -> u32) {
        let part = self.part(first, first + sums.len() as u32);
        let targets = &self.targets[part.clone()];
        if self.updates.is_empty() {
            let one = weights.units(0);
            for target in targets {
                let sum = &mut sums[(target - first) as usize];
                *sum = change(*sum, one);
            }
        } else {
            for (target, updates) in targets.iter().zip(&self.updates[part]) {
                let sum = &mut sums[(target - first) as usize];
                *sum = change(*sum, weights.units(*updates));
            }
        }
    }

    /// Fetches the synapses into the cache.
    #[inline]
    pub(super) fn prefetch(&self) {
        const LINE: usize = 64;
        self.targets.iter().step_by(LINE / size_of::<u32>()).for_each(prefetch);
        self.updates.iter().step_by(LINE / size_of::<u16>()).for_each(prefetch);
    }

    /// The places of the synapses to the neurons from `first` to `end`.
    #[inline]
    fn part(&self, first: u32, end: u32) -> Range<usize> {
        let targets = &self.targets;
        if targets.first().is_none_or(|target| *target >= first) && targets.last().is_none_or(|target| *target < end) {
            return 0..targets.len();
        }
        targets.partition_point(|target| *target < first)..targets.partition_point(|target| *target < end)
    }

    /// The weight of the synapse to a neuron, in units, if there is one.
    pub(super) fn weight(&self, weights: &Weights, target: u32) -> Option<u32> {
        let place = self.targets.binary_search(&target).ok()?;
        Some(weights.units(self.updates.get(place).copied().unwrap_or(0)))
    }

    /// Counts an update of each synapse to a neuron whose bit is set. Appends the neurons to `gains`, with the change of the weight.
    #[inline(always)]
    pub(super) fn learn(&mut self, weights: &Weights, marks: &[u64], gains: &mut Vec<(u32, u32)>) {
        let Row { targets, updates, .. } = self;
        if updates.capacity() < targets.len() {
            updates.reserve_exact(targets.capacity() - updates.len());
        }
        updates.resize(targets.len(), 0);
        for (targets, updates) in targets.chunks(HITS).zip(updates.chunks_mut(HITS)) {
            let mut hits = 0;
            for (place, target) in targets.iter().enumerate() {
                hits |= (marks[*target as usize / 64] >> (target % 64) & 1) << place;
            }
            while hits != 0 {
                let place = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let (before, after) = (updates[place], weights.after(updates[place]));
                updates[place] = after;
                gains.push((targets[place], weights.units(after) - weights.units(before)));
            }
        }
    }

    /// A synapse onto a neuron beyond all others.
    #[inline]
    pub(super) fn push(&mut self, target: u32) {
        self.targets.push(target);
        if !self.updates.is_empty() {
            self.updates.push(0);
        }
    }

    /// Makes room for this many more synapses, if there is none at all.
    pub(super) fn reserve(&mut self, synapses: usize) {
        if self.targets.is_empty() {
            self.targets.reserve_exact(synapses);
        }
    }

    /// Sorts the targets, after all were drawn in ascending blocks of 2^`bits` neurons, and restores what they have learned.
    pub(super) fn finish(&mut self, bits: u32, learned: &[(u32, u16)]) {
        self.targets.chunk_by_mut(|a, b| a >> bits == b >> bits).for_each(<[u32]>::sort_unstable);
        self.targets.shrink_to_fit();
        if !learned.is_empty() {
            self.updates = vec![0; self.targets.len()];
            for (target, updates) in learned {
                if let Ok(place) = self.targets.binary_search(target) {
                    self.updates[place] = *updates;
                }
            }
        }
    }

    /// Frees the targets, which can be drawn again, and returns what they have learned.
    pub(super) fn free(&mut self) -> LearnedChanges {
        let learned = self.targets.iter().zip(&self.updates).filter(|(_, updates)| **updates > 0);
        let learned = learned.map(|(target, updates)| (*target, *updates)).collect();
        (self.targets, self.updates, self.is_drawn) = (Vec::new(), Vec::new(), false);
        learned
    }

    /// Sets all weights back to 1.
    pub(super) fn forget(&mut self) {
        self.updates = Vec::new();
    }

    pub(super) fn has_learned(&self) -> bool {
        self.updates.iter().any(|updates| *updates > 0)
    }

    /// Memory of the targets and of what is learned.
    pub(super) fn bytes(&self) -> [u64; 2] {
        let size = |capacity: usize, of: usize| (capacity * of) as u64;
        [size(self.targets.capacity(), size_of::<u32>()), size(self.updates.capacity(), size_of::<u16>())]
    }
}
