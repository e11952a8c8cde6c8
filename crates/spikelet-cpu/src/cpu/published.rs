//! Arrays of neurons that synapses of other threads or ranks read: the owner of the neurons publishes a copy.

use std::sync::atomic::{AtomicU32, Ordering};

use spikelet_plan::schedule::{Phase, Resource, moves, read_elsewhere};
use spikelet_plan::{ArrayId, Owner, Plan};

/// Copies of all such arrays.
#[derive(Default)]
pub(super) struct PublishedArrays(Vec<DoubleBuffer>);

/// An array in two copies: one is written while the other may still be read.
struct DoubleBuffer {
    /// Its population, and its index there.
    of: (usize, usize),
    copies: [Vec<AtomicU32>; 2],
}

/// For each array the index of the latest copy.
#[derive(Clone, Default)]
pub(super) struct LatestCopies(Vec<usize>);

impl PublishedArrays {
    /// The arrays that these phases read, dynamic and static ones.
    pub(super) fn wanted(plan: &Plan, phases: &[Phase], moving: bool, others: bool) -> Vec<ArrayId> {
        let is_wanted = |array: &ArrayId| if moves(phases, Resource::Array(*array)) { moving } else { others };
        let is_of_neurons = |array: &ArrayId| matches!(plan.arrays()[*array].owner, Owner::Neurons { .. });
        let mut arrays: Vec<ArrayId> = phases.iter().flat_map(read_elsewhere).filter(is_wanted).filter(is_of_neurons).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    }

    /// Copies of these arrays.
    pub(super) fn new(plan: &Plan, arrays: Vec<ArrayId>) -> PublishedArrays {
        let copies = |array: ArrayId| {
            let entry = &plan.arrays()[array];
            let Owner::Neurons { population } = entry.owner else { return None };
            let copy = || (0..entry.length).map(|_| AtomicU32::new(0)).collect();
            Some(DoubleBuffer { of: (population, entry.index), copies: [copy(), copy()] })
        };
        PublishedArrays(arrays.into_iter().filter_map(copies).collect())
    }

    /// Number of arrays.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Before the first run: the copies that [`PublishedArrays::first_copy`] writes.
    pub(super) fn latest(&self) -> LatestCopies {
        LatestCopies(vec![0; self.0.len()])
    }

    /// The array with this index: its population, and its index there.
    pub(super) fn variable(&self, place: usize) -> (usize, usize) {
        self.0[place].of
    }

    /// Stores the values of neurons, before a run.
    pub(super) fn first_copy(&self, place: usize) -> impl FnMut(u32, f32) {
        self.copy(place, 0)
    }

    /// Stores the values of neurons, while others may read the previous ones.
    pub(super) fn next_copy(&self, place: usize, latest: &LatestCopies) -> impl FnMut(u32, f32) {
        self.copy(place, latest.next(place))
    }

    /// The value of a neuron in a copy.
    pub(super) fn word(&self, place: usize, copy: usize, neuron: u32) -> u32 {
        self.0[place].copies[copy][neuron as usize].load(Ordering::Relaxed)
    }

    /// Stores the value of a neuron of another rank in a copy.
    pub(super) fn set_word(&self, place: usize, copy: usize, neuron: u32, word: u32) {
        self.0[place].copies[copy][neuron as usize].store(word, Ordering::Relaxed);
    }

    fn copy(&self, place: usize, copy: usize) -> impl FnMut(u32, f32) {
        let copy = &self.0[place].copies[copy];
        |neuron, value| copy[neuron as usize].store(value.to_bits(), Ordering::Relaxed)
    }

    /// The latest copy of an array.
    pub(super) fn array(&self, latest: &LatestCopies, population: usize, variable: usize) -> Option<impl Fn(u32) -> f32> {
        let place = self.0.iter().position(|copies| copies.of == (population, variable))?;
        let copy = self.0[place].copies[latest.0[place]].as_slice();
        Some(move |neuron: u32| f32::from_bits(copy[neuron as usize].load(Ordering::Relaxed)))
    }
}

impl LatestCopies {
    /// The copy of an array that is written next.
    pub(super) fn next(&self, place: usize) -> usize {
        1 - self.0[place]
    }

    /// All threads have published an array, and have synchronised.
    pub(super) fn turn(&mut self, place: usize) {
        self.0[place] = self.next(place);
    }
}
