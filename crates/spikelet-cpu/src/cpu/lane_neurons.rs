//! Which neurons are in the lanes of a block.

use spikelet_kernel::block::{LANES, NeuronIndices};
use spikelet_rows::OwnNeurons;

/// Population indices of the neurons of a block.
pub(super) enum LaneNeurons {
    /// Consecutive ones, from this one on.
    From(u32),
    /// Own neurons of a population with gaps. Lanes after the last neuron repeat it.
    Each(Box<[u32; LANES]>),
}

impl LaneNeurons {
    /// Those of `count` own neurons, from a place on.
    pub(super) fn new(own: &OwnNeurons, first: u32, count: usize) -> LaneNeurons {
        let neuron = |lane: usize| own.neuron(first + lane.min(count - 1) as u32);
        match own.as_range() {
            Some(_) => LaneNeurons::From(neuron(0)),
            None => LaneNeurons::Each(Box::new(std::array::from_fn(neuron))),
        }
    }

    /// The neuron of a lane that any may take.
    pub(super) fn set(&mut self, lane: usize, neuron: u32) {
        match self {
            LaneNeurons::From(first) => *self = LaneNeurons::Each(Box::new([*first; LANES])),
            LaneNeurons::Each(_) => {}
        }
        if let LaneNeurons::Each(indices) = self {
            indices[lane] = neuron;
        }
    }

    /// The neuron of a lane.
    pub(super) fn at(&self, lane: usize) -> u32 {
        match self {
            LaneNeurons::From(first) => first + lane as u32,
            LaneNeurons::Each(indices) => indices[lane],
        }
    }

    /// The lane of a neuron, if it is one of the first `count`.
    pub(super) fn lane(&self, neuron: u32, count: usize) -> Option<usize> {
        match self {
            LaneNeurons::From(first) => neuron.checked_sub(*first).map(|lane| lane as usize).filter(|lane| *lane < count),
            LaneNeurons::Each(indices) => indices[..count].binary_search(&neuron).ok(),
        }
    }

    /// The same for programs.
    pub(super) fn as_lanes(&self) -> NeuronIndices<'_> {
        match self {
            LaneNeurons::From(first) => NeuronIndices::From(*first),
            LaneNeurons::Each(indices) => NeuronIndices::Each(indices),
        }
    }
}
