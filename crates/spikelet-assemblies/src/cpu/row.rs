//! The synapses of one presynaptic neuron.

use crate::weights::Weights;

/// The row of a neuron: the neurons that it reaches, each with a weight of 1, and what it has learnt beside that.
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
    /// Synapses that have learnt, in ascending order of their targets, with the number of updates.
    learnt: Vec<(u32, u16)>,
}

impl Row {
    /// Adds the weights of the synapses to the neurons `first` … to `sums`, one for each neuron.
    #[inline]
    pub(super) fn add(&self, weights: &Weights, first: u32, sums: &mut [u32]) {
        let one = weights.units(0);
        let end = first + sums.len() as u32;
        for target in part(&self.targets, first, end, |target| *target) {
            let sum = &mut sums[(target - first) as usize];
            *sum = sum.wrapping_add(one);
        }
        for (target, updates) in part(&self.learnt, first, end, |(target, _)| *target) {
            let sum = &mut sums[(target - first) as usize];
            *sum = sum.wrapping_add(weights.units(*updates).wrapping_sub(one));
        }
    }

    /// The largest weight, in units.
    pub(super) fn largest(&self, weights: &Weights) -> u32 {
        let updates = self.learnt.iter().map(|(_, updates)| *updates).max().unwrap_or(0);
        weights.units(updates)
    }

    /// The weight of the synapse to a neuron, in units, if there is one.
    pub(super) fn weight(&self, weights: &Weights, target: u32) -> Option<u32> {
        self.targets.binary_search(&target).ok()?;
        let updates = self.learnt.binary_search_by_key(&target, |(target, _)| *target).map_or(0, |at| self.learnt[at].1);
        Some(weights.units(updates))
    }

    /// Counts an update of each synapse to a marked neuron.
    pub(super) fn learn(&mut self, weights: &Weights, is_marked: impl Fn(u32) -> bool) {
        let mut at = 0;
        for target in self.targets.iter().copied().filter(|target| is_marked(*target)) {
            at += self.learnt[at..].partition_point(|(learnt, _)| *learnt < target);
            match self.learnt.get_mut(at).filter(|(learnt, _)| *learnt == target) {
                Some((_, updates)) => *updates = weights.after(*updates),
                None => self.learnt.insert(at, (target, weights.after(0))),
            }
        }
    }

    /// Sets all weights back to 1.
    pub(super) fn forget(&mut self) {
        self.learnt = Vec::new();
    }

    pub(super) fn has_learnt(&self) -> bool {
        !self.learnt.is_empty()
    }

    /// Memory of the targets and of what is learnt.
    pub(super) fn bytes(&self) -> [u64; 2] {
        let size = |capacity: usize, of: usize| (capacity * of) as u64;
        [size(self.targets.capacity(), size_of::<u32>()), size(self.learnt.capacity(), size_of::<(u32, u16)>())]
    }
}

/// The part of an ascending list between two neurons.
fn part<T>(list: &[T], first: u32, end: u32, target: impl Fn(&T) -> u32) -> &[T] {
    let covers_all = list.first().is_none_or(|one| target(one) >= first) && list.last().is_none_or(|one| target(one) < end);
    if covers_all {
        return list;
    }
    &list[list.partition_point(|one| target(one) < first)..list.partition_point(|one| target(one) < end)]
}
