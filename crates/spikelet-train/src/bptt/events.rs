//! Spikes through synapses, forward and back. The order of sums is that of the [module](super).

use spikelet_lang::simd::Level;

use crate::TrainedProjection;

use super::setup::Connectivity;

/// Numbers of each lane in a ring of steps: `[slot][port][lane]`.
#[derive(Default)]
pub(super) struct LaneRing<T> {
    values: Vec<T>,
    ports: usize,
    lanes: usize,
    slots: usize,
}

impl<T: Copy + Default> LaneRing<T> {
    pub(super) fn new(slots: usize, ports: usize, lanes: usize) -> LaneRing<T> {
        LaneRing { values: vec![T::default(); slots * ports * lanes], ports, lanes, slots }
    }

    /// All ports in a step.
    pub(super) fn slot(&mut self, step: usize) -> &mut [T] {
        let length = self.ports * self.lanes;
        &mut self.values[step % self.slots * length..][..length]
    }

    /// A port in a step.
    pub(super) fn port(&self, step: usize, port: usize) -> &[T] {
        &self.values[(step % self.slots * self.ports + port) * self.lanes..][..self.lanes]
    }

    pub(super) fn port_mut(&mut self, step: usize, port: usize) -> &mut [T] {
        &mut self.values[(step % self.slots * self.ports + port) * self.lanes..][..self.lanes]
    }

    pub(super) fn all(&self) -> &[T] {
        &self.values
    }

    pub(super) fn all_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

/// A projection with the numbers of neurons at both ends.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub(super) of: &'a TrainedProjection,
    pub(super) connectivity: &'a Connectivity,
    pub(super) pres: usize,
    pub(super) posts: usize,
}

impl Ends<'_> {
    /// Adds the events of spikes of a step, by the lanes of their neurons.
    pub(super) fn deliver(&self, level: Level, spikes: &[u32], step: u32, units: &[i32], ring: &mut LaneRing<i32>) {
        for lane in spikes {
            let (trial, pre) = (*lane as usize / self.pres, *lane as usize % self.pres);
            let (row, first) = (self.of.row(pre), trial * self.posts);
            if self.connectivity.is_dense {
                let onto = &mut ring.port_mut(self.due(step, 0), self.of.port)[first..][..self.posts];
                level.run(
                    #[inline(always)]
                    || onto.iter_mut().zip(&units[row]).for_each(|(sum, units)| *sum = sum.wrapping_add(*units)),
                );
                continue;
            }
            for synapse in row {
                let onto = ring.port_mut(self.due(step, synapse), self.of.port);
                let sum = &mut onto[first + self.of.targets[synapse] as usize];
                *sum = sum.wrapping_add(units[synapse]);
            }
        }
    }

    /// The step in which a synapse delivers a spike.
    fn due(&self, step: u32, synapse: usize) -> usize {
        (step + 1 + self.of.delay(synapse)) as usize
    }

    /// Adds to the adjoints of the spikes of a step what they have by their events.
    pub(super) fn adjoint_of_spikes(
        &self,
        level: Level,
        trials: usize,
        step: u32,
        weights: &[f32],
        ring: &LaneRing<f32>,
        spikes: &mut [f32],
    ) {
        for trial in 0..trials {
            let spikes = &mut spikes[trial * self.pres..][..self.pres];
            let first = trial * self.posts;
            if self.connectivity.is_dense {
                let adjoints = &ring.port(self.due(step, 0), self.of.port)[first..][..self.posts];
                level.run(
                    #[inline(always)]
                    || dense_adjoints(weights, adjoints, spikes),
                );
                continue;
            }
            for post in 0..self.posts {
                for entry in self.of.columns[post] as usize..self.of.columns[post + 1] as usize {
                    let due = self.due(step, self.of.by_post[entry] as usize);
                    let adjoint = ring.port(due, self.of.port)[first + post];
                    if adjoint != 0.0 {
                        spikes[self.connectivity.pre_by_post[entry] as usize] += weights[entry] * adjoint;
                    }
                }
            }
        }
    }

    /// Adds to the gradient of the weights what spikes of a step have in it.
    pub(super) fn gradient_of_weights(
        &self,
        level: Level,
        spikes: &[u32],
        step: u32,
        ring: &LaneRing<f32>,
        gradient: &mut [f32],
    ) {
        for lane in spikes {
            let (trial, pre) = (*lane as usize / self.pres, *lane as usize % self.pres);
            let (row, first) = (self.of.row(pre), trial * self.posts);
            if self.connectivity.is_dense {
                let adjoints = &ring.port(self.due(step, 0), self.of.port)[first..][..self.posts];
                level.run(
                    #[inline(always)]
                    || gradient[row].iter_mut().zip(adjoints).for_each(|(sum, adjoint)| *sum += adjoint),
                );
                continue;
            }
            for synapse in row {
                let adjoints = ring.port(self.due(step, synapse), self.of.port);
                gradient[synapse] += adjoints[first + self.of.targets[synapse] as usize];
            }
        }
    }
}

/// Presynaptic neurons whose sums stay in registers while all postsynaptic neurons pass.
const TILE: usize = 64;

/// Adds the columns of a matrix `[post][pre]` times the adjoints of their neurons.
#[inline(always)]
fn dense_adjoints(columns: &[f32], adjoints: &[f32], spikes: &mut [f32]) {
    let pres = spikes.len();
    for (tile, spikes) in spikes.chunks_mut(TILE).enumerate() {
        let first = tile * TILE;
        if let Some(spikes) = spikes.first_chunk_mut::<TILE>() {
            let mut sums = *spikes;
            for (post, adjoint) in adjoints.iter().enumerate().filter(|(_, adjoint)| **adjoint != 0.0) {
                let Some(weights) = columns[post * pres + first..].first_chunk::<TILE>() else { continue };
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight * adjoint;
                }
            }
            *spikes = sums;
            continue;
        }
        for (post, adjoint) in adjoints.iter().enumerate().filter(|(_, adjoint)| **adjoint != 0.0) {
            let weights = &columns[post * pres + first..];
            spikes.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * adjoint);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// On all processors the same bits as neuron by neuron.
        #[test]
        fn columns_are_added_in_the_order_of_the_postsynaptic_neurons(
            pres in 1..200_usize,
            adjoints in prop::collection::vec(prop_oneof![Just(0.0_f32), -2.0..2.0_f32], 1..20),
            seed in any::<u64>(),
        ) {
            let number = |at: usize| spikelet::rng::philox(seed, [at as u32, 0, 0, 0])[0] as f32 * 1e-9 - 2.0;
            let columns: Vec<f32> = (0..pres * adjoints.len()).map(number).collect();
            let start: Vec<f32> = (0..pres).map(|pre| number(pre + 100_000)).collect();
            let one_by_one = |pre: usize| {
                let terms = adjoints.iter().enumerate().filter(|(_, adjoint)| **adjoint != 0.0);
                terms.fold(start[pre], |sum, (post, adjoint)| sum + columns[post * pres + pre] * adjoint)
            };
            let expected: Vec<f32> = (0..pres).map(one_by_one).collect();
            for level in Level::all() {
                let mut sums = start.clone();
                level.run(
                    #[inline(always)]
                    || dense_adjoints(&columns, &adjoints, &mut sums),
                );
                prop_assert_eq!(&sums, &expected);
            }
        }
    }
}
