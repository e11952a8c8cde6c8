//! What the forward pass of a trial leaves for its backward pass.

use super::Real;
use super::network::Network;

/// No spike, synapse or projection.
pub(super) const NONE: u32 = u32::MAX;

/// A spike.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpikeEvent<R> {
    /// When, in ms.
    pub(super) time: R,
    /// The scaled current at the spike, and at the end of the refractory time.
    pub(super) current: [R; 2],
    pub(super) population: u32,
    pub(super) neuron: u32,
    /// The spike of the same neuron before it.
    pub(super) previous: u32,
}

/// An event in the order in which it was processed.
#[derive(Debug, Clone, Copy)]
pub(super) struct TapeEntry {
    /// The spike that occurs, or arrives.
    pub(super) spike: u32,
    /// The projection through which it arrives; [`NONE`] for a spike that occurs.
    pub(super) projection: u32,
    /// The synapse through which it arrives; [`NONE`] if it is the whole row.
    pub(super) synapse: u32,
}

/// Where the potential of an integrator was largest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maximum<R> {
    pub(super) value: R,
    pub(super) place: MaximumPlace<R>,
}

/// A point in a trial.
#[derive(Debug, Clone, Copy)]
pub(super) enum MaximumPlace<R> {
    /// At the start.
    Start,
    /// At a time between events.
    Between(R),
    /// Just before the event at this place in the order, with the current there.
    Before(u32, R),
    /// At the end.
    End,
}

/// The tape of a trial, and what was read of it. Its size is proportional to the number of events.
#[derive(Debug, Clone, Default)]
pub(super) struct Tape<R> {
    pub(super) spikes: Vec<SpikeEvent<R>>,
    pub(super) order: Vec<TapeEntry>,
    /// For each population that is read so, for each neuron.
    pub(super) maxima: Vec<Vec<Maximum<R>>>,
    /// For each population of integrators, for each neuron: the potential at the end, and its integral.
    pub(super) last: Vec<Vec<R>>,
    pub(super) integrals: Vec<Vec<R>>,
    /// Whether the trial was ended because there were too many spikes.
    pub(super) ran_away: bool,
}

impl<R: Real> Tape<R> {
    /// Forgets a trial, and keeps the memory.
    pub(super) fn clear(&mut self, network: &Network<R>) {
        let populations = network.populations.len();
        self.spikes.clear();
        self.order.clear();
        for of in [&mut self.last, &mut self.integrals] {
            of.resize_with(populations, Vec::new);
            of.iter_mut().for_each(Vec::clear);
        }
        self.maxima.resize_with(populations, Vec::new);
        self.maxima.iter_mut().for_each(Vec::clear);
        self.ran_away = false;
    }

    /// The first spike of each neuron of a population in ms; ∞ if there is none.
    pub(super) fn first_spikes(&self, population: usize, size: usize) -> Vec<R> {
        let mut times = vec![R::INFINITY; size];
        for spike in self.spikes.iter().filter(|of| of.population as usize == population && of.previous == NONE) {
            times[spike.neuron as usize] = spike.time;
        }
        times
    }

    /// Its size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let maxima = self.maxima.iter().map(Vec::len).sum::<usize>() * size_of::<Maximum<R>>();
        let reads = self.last.iter().chain(&self.integrals).map(Vec::len).sum::<usize>() * size_of::<R>();
        (size_of_val(self.spikes.as_slice()) + size_of_val(self.order.as_slice()) + maxima + reads) as u64
    }
}
