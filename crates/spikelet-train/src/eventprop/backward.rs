//! The backward pass: the events in reverse.
//!
//! With λu and λi, the derivatives of the loss with respect to potential and current (Wunderlich & Pehle 2021, Scientific Reports 11:12829,
//! eqs. 5–8, in plain derivatives in place of their scaled ones):
//!
//! * between events the adjoints of the [closed forms](super::dynamics);
//! * at a spike the time of the spike moves by −δu/u′ with u′ = (i − θ)/τm, so that λu becomes −T τm/(i − θ). T is the derivative with
//!   respect to the time of the spike: that of the loss, that of the arrivals, and −λu (i − ρ)/τm, since the potential begins to rise from
//!   the reset ρ later;
//! * at an arrival the gradient of the weight w is λi, and that of the time of the arrival w (λi/τs − λu/τm).

use super::Real;
use super::dynamics::{Constants, LANES};
use super::network::{Cells, Network, Projection};
use super::tape::{MaximumPlace, NONE, SpikeEvent, Tape};

/// Partial sums of a row: that of place k goes to partial sum k mod 64, then these are added in pairs.
const PARTIAL_SUMS: usize = 64;

/// The adjoints of what was read of a population, one per neuron each; empty if it was not read.
#[derive(Debug, Clone, Default)]
pub struct Adjoints<R> {
    /// Of the first spike.
    pub first_spike: Vec<R>,
    /// Of the maximum.
    pub max: Vec<R>,
    /// Of the mean, by the duration.
    pub mean: Vec<R>,
    /// Of the potential at the end.
    pub last: Vec<R>,
}

/// The adjoints of the neurons of a population.
#[derive(Debug, Clone, Default)]
struct State<R> {
    /// Adjoints of potential and current, at this time.
    u: Vec<R>,
    i: Vec<R>,
    t: Vec<R>,
    /// The latest spike that has not been passed.
    last: Vec<u32>,
    /// λu (i − ρ)/τm at the end of its refractory time.
    release: Vec<R>,
    /// What is still to be added of the adjoint of a maximum.
    max: Vec<R>,
}

/// The memory of a backward pass; it can be used for one trial after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Backward<R> {
    states: Vec<State<R>>,
    /// The derivative with respect to the time of each spike.
    times: Vec<R>,
    /// Spikes whose jump was limited.
    pub(super) clipped: u64,
}

impl<R: Real> Backward<R> {
    fn start(&mut self, network: &Network<R>, tape: &Tape<R>, adjoints: &[Adjoints<R>]) {
        let zero = R::default();
        self.states.resize_with(network.populations.len(), State::default);
        for ((state, of), adjoints) in self.states.iter_mut().zip(&network.populations).zip(adjoints) {
            for (numbers, start) in
                [(&mut state.u, zero), (&mut state.i, zero), (&mut state.t, network.duration), (&mut state.release, zero)]
            {
                numbers.clear();
                numbers.resize(of.size, start);
            }
            state.last.clear();
            state.last.resize(of.size, NONE);
            state.max.clone_from(&adjoints.max);
            if !adjoints.last.is_empty() {
                state.u.clone_from(&adjoints.last);
            }
        }
        for (index, cells) in (0..self.states.len()).filter_map(|index| Some((index, network.cells(index)?))) {
            let state = &mut self.states[index];
            for neuron in (0..state.max.len()).filter(|_| cells.reads.max) {
                if matches!(tape.maxima[index][neuron].place, MaximumPlace::End) {
                    state.u[neuron] += std::mem::take(&mut state.max[neuron]);
                }
            }
        }
        self.times.clear();
        for (index, spike) in tape.spikes.iter().enumerate() {
            let (population, neuron) = (spike.population as usize, spike.neuron as usize);
            let read = adjoints[population].first_spike.get(neuron).filter(|_| spike.previous == NONE);
            self.times.push(read.copied().unwrap_or_default());
            self.states[population].last[neuron] = index as u32;
        }
    }

    /// Adds the gradients of a trial to `gradients`.
    #[inline(always)]
    pub(super) fn run(&mut self, network: &Network<R>, tape: &Tape<R>, adjoints: &[Adjoints<R>], gradients: &mut [R]) {
        self.start(network, tape, adjoints);
        for (place, entry) in tape.order.iter().enumerate().rev() {
            let spike = &tape.spikes[entry.spike as usize];
            if entry.projection == NONE {
                let Some(cells) = network.cells(spike.population as usize) else { continue };
                let state = &mut self.states[spike.population as usize];
                self.clipped += u64::from(state.pass(&cells.constants, spike, self.times[entry.spike as usize], &tape.spikes));
                continue;
            }
            let projection = &network.projections[entry.projection as usize];
            let Some(cells) = network.cells(projection.post) else { continue };
            let (row, delay) = match entry.synapse {
                NONE => (projection.row(spike.neuron as usize), projection.delay(0)),
                synapse => (synapse as usize..synapse as usize + 1, projection.delay(synapse as usize)),
            };
            let event = Arrival {
                projection,
                cells,
                now: spike.time + delay,
                needs_time: projection.pre != network.input || projection.delay_gradient.is_some(),
                place: place as u32,
            };
            let state = &mut self.states[projection.post];
            let time = if cells.fires() {
                event.at_cells(row, state, &tape.spikes, gradients)
            } else {
                event.at_integrators(row, state, tape, &adjoints[projection.post], gradients)
            };
            self.times[entry.spike as usize] += time;
        }
    }
}

impl<R: Real> Projection<R> {
    #[inline(always)]
    fn delay(&self, synapse: usize) -> R {
        match &self.delays {
            super::network::Delays::Shared(delay) => *delay,
            super::network::Delays::Each(delays) => delays[synapse],
        }
    }
}

/// An arrival.
struct Arrival<'a, R> {
    projection: &'a Projection<R>,
    cells: &'a Cells<R>,
    now: R,
    /// Whether anything depends on its time.
    needs_time: bool,
    /// Its place in the order of events.
    place: u32,
}

impl<R: Real> Arrival<'_, R> {
    /// Passes it at cells with a threshold. Returns the derivative with respect to its time.
    #[inline(always)]
    fn at_cells(&self, row: std::ops::Range<usize>, state: &mut State<R>, spikes: &[SpikeEvent<R>], gradients: &mut [R]) -> R {
        let (projection, constants) = (self.projection, &self.cells.constants);
        let mut sums = RowSum::new(row.len());
        if projection.is_dense {
            let mut synapse = row.start;
            let mut at = projection.targets.get(synapse).map_or(0, |first| *first as usize);
            while synapse < row.end {
                let count = LANES.min(row.end - synapse);
                state.bring::<LANES>(constants, at, count, self.now, spikes);
                self.note(synapse, &state.u[at..at + count], &state.i[at..at + count], &mut sums, gradients);
                (synapse, at) = (synapse + count, at + count);
            }
        } else {
            for synapse in row {
                let neuron = projection.targets[synapse] as usize;
                state.bring::<1>(constants, neuron, 1, self.now, spikes);
                self.note(synapse, &state.u[neuron..=neuron], &state.i[neuron..=neuron], &mut sums, gradients);
            }
        }
        sums.total()
    }

    /// The same at integrators.
    fn at_integrators(
        &self,
        row: std::ops::Range<usize>,
        state: &mut State<R>,
        tape: &Tape<R>,
        adjoints: &Adjoints<R>,
        gradients: &mut [R],
    ) -> R {
        let mut sums = RowSum::new(row.len());
        for synapse in row {
            let neuron = self.projection.targets[synapse] as usize;
            let maximum = tape.maxima[self.projection.post].get(neuron).filter(|_| !state.max.is_empty());
            let between = maximum.and_then(|maximum| match maximum.place {
                MaximumPlace::Between(time) => Some(time),
                _ => None,
            });
            state.integrate(&self.cells.constants, neuron, self.now, between, adjoints.mean.get(neuron).copied());
            self.note(synapse, &state.u[neuron..=neuron], &state.i[neuron..=neuron], &mut sums, gradients);
            if let Some(maximum) = maximum
                && let MaximumPlace::Before(place, current) = maximum.place
                && place == self.place
            {
                // The maximum moves with the arrival that ends the rise.
                let adjoint = std::mem::take(&mut state.max[neuron]);
                let time = adjoint * ((current - maximum.value) * self.cells.constants.inverse[0]);
                if let Some(first) = self.projection.delay_gradient {
                    gradients[first + synapse] += time;
                }
                if self.needs_time {
                    sums.add_at(0, time);
                }
                state.u[neuron] += adjoint;
            }
        }
        sums.total()
    }

    /// Adds the gradients of synapses from the adjoints of their targets.
    #[inline(always)]
    fn note(&self, synapse: usize, u: &[R], i: &[R], sums: &mut RowSum<R>, gradients: &mut [R]) {
        let projection = self.projection;
        if let Some(first) = projection.gradient {
            for (gradient, i) in gradients[first + synapse..].iter_mut().zip(i) {
                *gradient += *i;
            }
        }
        if !self.needs_time {
            return;
        }
        let [inverse_m, inverse_s] = self.cells.constants.inverse;
        let mut times = [R::default(); LANES];
        for (((time, u), i), weight) in times.iter_mut().zip(u).zip(i).zip(&projection.weights[synapse..]) {
            *time = *weight * (*i * inverse_s - *u * inverse_m);
        }
        if let Some(first) = projection.delay_gradient {
            for (gradient, time) in gradients[first + synapse..].iter_mut().zip(&times[..u.len()]) {
                *gradient += *time;
            }
        }
        sums.add(&times[..u.len()]);
    }
}

/// The sum over a row, in an order that threads of a GPU can follow.
struct RowSum<R> {
    partial: [R; PARTIAL_SUMS],
    next: usize,
    used: usize,
}

impl<R: Real> RowSum<R> {
    #[inline(always)]
    fn new(count: usize) -> RowSum<R> {
        RowSum { partial: [R::default(); PARTIAL_SUMS], next: 0, used: count.clamp(1, PARTIAL_SUMS).next_power_of_two() }
    }

    /// Adds numbers of the next places: at most the number that does not overflow.
    #[inline(always)]
    fn add(&mut self, numbers: &[R]) {
        let from = self.next % PARTIAL_SUMS;
        for (sum, number) in self.partial[from..].iter_mut().zip(numbers) {
            *sum += *number;
        }
        self.next += numbers.len();
    }

    fn add_at(&mut self, place: usize, number: R) {
        self.partial[place] += number;
    }

    #[inline(always)]
    fn total(mut self) -> R {
        let mut half = self.used / 2;
        while half > 0 {
            let (left, right) = self.partial.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                *left += *right;
            }
            half /= 2;
        }
        self.partial[0]
    }
}

impl<R: Real> State<R> {
    /// Brings `count` neurons from `at` on back to a time.
    #[inline(always)]
    fn bring<const N: usize>(&mut self, constants: &Constants<R>, at: usize, count: usize, now: R, spikes: &[SpikeEvent<R>]) {
        if constants.refractory > R::default() {
            for neuron in at..at + count {
                self.bring_refractory(constants, neuron, now, spikes);
            }
            return;
        }
        let zero = R::default();
        let (mut u, mut i, mut t) = ([zero; N], [zero; N], [now; N]);
        for (to, from) in [(&mut u, &self.u), (&mut i, &self.i), (&mut t, &self.t)] {
            if count == N {
                to.copy_from_slice(&from[at..at + N]);
            } else {
                to[..count].copy_from_slice(&from[at..at + count]);
            }
        }
        for k in 0..N {
            [u[k], i[k]] = constants.earlier(u[k], i[k], t[k] - now);
        }
        for (to, from) in [(&mut self.u, &u), (&mut self.i, &i), (&mut self.t, &[now; N])] {
            if count == N {
                to[at..at + N].copy_from_slice(from);
            } else {
                to[at..at + count].copy_from_slice(&from[..count]);
            }
        }
    }

    /// The same for a neuron with refractory time, during which the potential does not move.
    fn bring_refractory(&mut self, constants: &Constants<R>, neuron: usize, now: R, spikes: &[SpikeEvent<R>]) {
        let (mut u, mut i, mut t) = (self.u[neuron], self.i[neuron], self.t[neuron]);
        if let Some(spike) = spikes.get(self.last[neuron] as usize) {
            let free = spike.time + constants.refractory;
            if now < free && t > free {
                [u, i] = constants.earlier(u, i, t - free);
                self.release[neuron] = u * ((spike.current[1] - constants.rho) * constants.inverse[0]);
                (u, t) = (R::default(), free);
            }
        }
        [self.u[neuron], self.i[neuron]] = constants.earlier(u, i, t - now);
        self.t[neuron] = now;
    }

    /// Passes a spike with this derivative with respect to its time. Returns whether the jump was limited.
    #[inline(always)]
    fn pass(&mut self, constants: &Constants<R>, spike: &SpikeEvent<R>, time: R, spikes: &[SpikeEvent<R>]) -> bool {
        let neuron = spike.neuron as usize;
        self.bring::<1>(constants, neuron, 1, spike.time, spikes);
        let release = if constants.refractory > R::default() {
            std::mem::take(&mut self.release[neuron])
        } else {
            self.u[neuron] * ((spike.current[0] - constants.rho) * constants.inverse[0])
        };
        let time = time - release;
        let slope = spike.current[0] - constants.theta;
        let is_steep = slope >= constants.grazing;
        let slope = if is_steep { slope } else { constants.grazing };
        self.u[neuron] = -(time * constants.taus[0]) / slope;
        self.last[neuron] = spike.previous;
        !is_steep && time != R::default()
    }

    /// Brings an integrator back to a time, through its maximum if that lies `between`, with the adjoint of its mean.
    fn integrate(&mut self, constants: &Constants<R>, neuron: usize, now: R, between: Option<R>, mean: Option<R>) {
        if let Some(time) = between.filter(|time| *time < self.t[neuron] && *time >= now) {
            self.integrate(constants, neuron, time, None, mean);
            self.u[neuron] += std::mem::take(&mut self.max[neuron]);
        }
        let for_time = self.t[neuron] - now;
        let [mut u, mut i] = constants.earlier(self.u[neuron], self.i[neuron], for_time);
        if let Some(mean) = mean {
            let [of_i, of_u] = constants.integrals(for_time);
            u += of_u * mean;
            i += of_i * mean;
        }
        (self.u[neuron], self.i[neuron], self.t[neuron]) = (u, i, now);
    }
}
