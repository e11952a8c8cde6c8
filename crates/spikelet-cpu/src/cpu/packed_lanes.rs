//! Blocks whose lanes any neurons of a population take, and leave.

use spikelet_kernel::block::{Aligned, LANES};

use super::lane_neurons::LaneNeurons;
use super::neuron_block::{LONG_BEFORE, NeuronBlock, Recorded};

impl NeuronBlock {
    /// A block of the same population without neurons, whose ports begin at this lane of a buffer, one after the other.
    pub(super) fn without_neurons(&self, mut start: usize) -> NeuronBlock {
        let mut lanes = || {
            start += LANES;
            start - LANES
        };
        NeuronBlock {
            population: self.population,
            first: 0,
            count: 0,
            indices: LaneNeurons::Each(Box::new([0; LANES])),
            variables: Aligned::new(self.variables.len()),
            last_spikes: std::iter::once([LONG_BEFORE; LANES]).collect(),
            latest: LONG_BEFORE,
            fired: Vec::new(),
            columns: self.columns.iter().map(|(_, fine)| (lanes(), fine.map(|_| lanes()))).collect(),
            noise: Default::default(),
            crossings: Aligned::default(),
            recorded: Vec::new(),
        }
    }

    /// Whether the value of a lane is recorded.
    pub(super) fn records(&self, lane: usize) -> bool {
        self.recorded.iter().any(|recorded| recorded.selected.contains(&lane))
    }

    /// The first lane of each port in the delay buffer: whole units, and remainders.
    pub(super) fn starts(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().flat_map(|(coarse, fine)| [Some(*coarse), *fine]).flatten()
    }

    /// Adds the neuron of a lane of another block, with what is recorded of it.
    pub(super) fn push_lane(&mut self, from: &NeuronBlock, lane: usize) {
        let to = self.count;
        self.count += 1;
        self.copy_lane(to, from, lane);
        let recorded = from.recorded.iter().filter(|recorded| recorded.selected == [lane]);
        self.recorded.extend(recorded.map(|of| Recorded { column: of.column, variable: of.variable, selected: vec![to] }));
        if to == 0 {
            // Lanes without a neuron repeat one: they are computed and discarded.
            self.variables.iter_mut().for_each(|values| *values = [values[0]; LANES]);
        }
    }

    /// Removes the neuron of the last lane, which is not recorded, and puts it into a lane of another block in place of a neuron that
    /// has not fired lately.
    pub(super) fn pop_lane_into(&mut self, other: &mut NeuronBlock, lane: usize) {
        let last = self.count - 1;
        other.copy_lane(lane, self, last);
        self.drop_last_lane();
    }

    /// The same within this block.
    pub(super) fn pop_lane_to(&mut self, lane: usize) {
        let last = self.count - 1;
        self.variables.iter_mut().for_each(|values| values[lane] = values[last]);
        self.indices.set(lane, self.indices.at(last));
        self.put_last_spike(lane, self.last_spikes.at(0, last));
        self.drop_last_lane();
    }

    /// Removes the neuron of the last lane.
    pub(super) fn drop_last_lane(&mut self) {
        self.count -= 1;
        let last = self.count as u32;
        self.fired.retain(|lane| *lane != last);
    }

    /// Takes what steps have changed in a lane of another block: these arrays, and the time of the last spike.
    pub(super) fn take_state(&mut self, stored: &[usize], lane: usize, from: &NeuronBlock, from_lane: usize) {
        for array in stored {
            *self.variables.at_mut(*array, lane) = from.variables.at(*array, from_lane);
        }
        *self.last_spikes.at_mut(0, lane) = from.last_spikes.at(0, from_lane);
    }

    /// Finds which lanes fired last, after times of last spikes were changed.
    pub(super) fn find_fired(&mut self) {
        self.latest = self.last_spikes().iter().copied().fold(i32::MIN, i32::max);
        self.fired = (0..).zip(self.last_spikes()).filter(|(_, step)| **step == self.latest).map(|(lane, _)| lane).collect();
    }

    fn copy_lane(&mut self, to: usize, from: &NeuronBlock, lane: usize) {
        self.variables.iter_mut().zip(&*from.variables).for_each(|(values, from)| values[to] = from[lane]);
        self.indices.set(to, from.indices.at(lane));
        self.put_last_spike(to, from.last_spikes.at(0, lane));
    }

    fn put_last_spike(&mut self, lane: usize, step: i32) {
        *self.last_spikes.at_mut(0, lane) = step;
        if step > self.latest {
            self.latest = step;
            self.fired.clear();
        }
        if step == self.latest {
            self.fired.push(lane as u32);
        }
    }
}
