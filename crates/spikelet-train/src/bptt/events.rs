//! Spikes through synapses, forward and back. The order of sums is that of the [module](super).

use spikelet_kernel::simd::Level;

use crate::TrainedProjection;

use super::connectivity::Connectivity;
use super::setup::Setup;

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
    pub(super) fn port_mut(&mut self, step: usize, port: usize) -> &mut [T] {
        let start = self.start(step, port);
        &mut self.values[start..][..self.lanes]
    }

    /// Where a port begins in `all` in a step.
    fn start(&self, step: usize, port: usize) -> usize {
        (step % self.slots * self.ports + port) * self.lanes
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
    of: &'a TrainedProjection,
    connectivity: &'a Connectivity,
    pres: usize,
    posts: usize,
}

impl<'a> Ends<'a> {
    pub(super) fn of(setup: &'a Setup, projection: usize) -> Ends<'a> {
        let (of, connectivity) = (&setup.plan.projections[projection], &setup.connectivities[projection]);
        Ends { of, connectivity, pres: setup.cells[of.pre].size, posts: setup.cells[of.post].size }
    }

    /// Where the port begins in a ring when spikes of a step are delivered, for each of the delays.
    fn starts<T: Copy + Default>(&self, step: u32, ring: &LaneRing<T>) -> Vec<usize> {
        self.connectivity.delays.iter().map(|delay| ring.start((step + 1 + delay) as usize, self.of.port)).collect()
    }

    /// Adds the events of spikes of a step, by the lanes of their neurons.
    pub(super) fn deliver(&self, level: Level, spikes: &[u32], step: u32, units: &[i32], ring: &mut LaneRing<i32>) {
        let starts = self.starts(step, ring);
        for lane in spikes {
            let (trial, pre) = (*lane as usize / self.pres, *lane as usize % self.pres);
            let first = trial * self.posts;
            if self.connectivity.matrices.is_some() {
                for (matrix, start) in starts.iter().enumerate() {
                    let onto = &mut ring.all_mut()[start + first..][..self.posts];
                    let units = &units[(matrix * self.pres + pre) * self.posts..][..self.posts];
                    level.run(
                        #[inline(always)]
                        || onto.iter_mut().zip(units).for_each(|(sum, units)| *sum = sum.wrapping_add(*units)),
                    );
                }
            } else if let [start] = starts[..] {
                let onto = &mut ring.all_mut()[start + first..][..self.posts];
                for synapse in self.of.row(pre) {
                    let sum = &mut onto[self.of.targets[synapse] as usize];
                    *sum = sum.wrapping_add(units[synapse]);
                }
            } else {
                let sums = ring.all_mut();
                for synapse in self.of.row(pre) {
                    let start = starts[self.connectivity.delay_of[synapse] as usize] + first;
                    let sum = &mut sums[start + self.of.targets[synapse] as usize];
                    *sum = sum.wrapping_add(units[synapse]);
                }
            }
        }
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
        // The adjoints of the neurons that matrices lead to, `[post][delay]`; of a list of synapses those of one neuron, by delay.
        let mut adjoints = Vec::new();
        let starts = self.starts(step, ring);
        for trial in 0..trials {
            let spikes = &mut spikes[trial * self.pres..][..self.pres];
            let first = trial * self.posts;
            if self.connectivity.matrices.is_some() {
                adjoints.resize(self.posts * starts.len(), 0.0);
                for (matrix, start) in starts.iter().enumerate() {
                    let of_delay = &ring.all()[start + first..][..self.posts];
                    let places = adjoints.iter_mut().skip(matrix).step_by(starts.len());
                    places.zip(of_delay).for_each(|(place, adjoint)| *place = *adjoint);
                }
                level.run(
                    #[inline(always)]
                    || dense_adjoints(weights, &adjoints, spikes),
                );
                continue;
            }
            for post in 0..self.posts {
                let column = self.of.columns[post] as usize..self.of.columns[post + 1] as usize;
                let terms = self.connectivity.pre_by_post[column.clone()].iter().zip(&weights[column.clone()]);
                if let [start] = starts[..] {
                    let adjoint = ring.all()[start + first + post];
                    if adjoint != 0.0 {
                        terms.for_each(|(pre, weight)| spikes[*pre as usize] += weight * adjoint);
                    }
                    continue;
                }
                let terms = terms.zip(&self.connectivity.delay_by_post[column]);
                let adjoint_at = |start: &usize| ring.all()[start + first + post];
                if starts.len() <= terms.len() {
                    // Each is read several times: they are nearer to each other here.
                    adjoints.clear();
                    adjoints.extend(starts.iter().map(adjoint_at));
                    terms.for_each(|((pre, weight), delay)| spikes[*pre as usize] += weight * adjoints[*delay as usize]);
                } else {
                    let term = |delay: &u32| adjoint_at(&starts[*delay as usize]);
                    terms.for_each(|((pre, weight), delay)| spikes[*pre as usize] += weight * term(delay));
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
        let starts = self.starts(step, ring);
        for lane in spikes {
            let (trial, pre) = (*lane as usize / self.pres, *lane as usize % self.pres);
            let first = trial * self.posts;
            if self.connectivity.matrices.is_some() {
                for (matrix, start) in starts.iter().enumerate() {
                    let adjoints = &ring.all()[start + first..][..self.posts];
                    let gradient = &mut gradient[(matrix * self.pres + pre) * self.posts..][..self.posts];
                    level.run(
                        #[inline(always)]
                        || gradient.iter_mut().zip(adjoints).for_each(|(sum, adjoint)| *sum += adjoint),
                    );
                }
            } else if let [start] = starts[..] {
                let adjoints = &ring.all()[start + first..][..self.posts];
                for synapse in self.of.row(pre) {
                    gradient[synapse] += adjoints[self.of.targets[synapse] as usize];
                }
            } else {
                for synapse in self.of.row(pre) {
                    let start = starts[self.connectivity.delay_of[synapse] as usize] + first;
                    gradient[synapse] += ring.all()[start + self.of.targets[synapse] as usize];
                }
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
            let number = |at: usize| spikelet_rows::rng::philox(seed, [at as u32, 0, 0, 0])[0] as f32 * 1e-9 - 2.0;
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
