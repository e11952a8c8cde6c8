//! The forward pass: event by event in continuous time.
//!
//! The next event is a crossing of the threshold, or an arrival of a spike; of simultaneous ones the crossing, then the projection and neuron
//! of lower number. Only the neurons that an event reaches are updated: each has the time of its last event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Real;
use super::dynamics::{Constants, LANES};
use super::network::{Cells, Delays, Kind, Network};
use super::tape::{Maximum, MaximumPlace, NONE, SpikeEvent, Tape, TapeEntry};
use crate::Event;

/// The state of the neurons of a population.
#[derive(Debug, Clone, Default)]
struct State<R> {
    /// Potential above rest, and scaled current, at the time of the last event.
    u: Vec<R>,
    i: Vec<R>,
    /// That time in ms.
    t: Vec<R>,
    /// The end of the refractory time.
    free: Vec<R>,
    /// When the threshold will be crossed if nothing arrives.
    next: Vec<R>,
    /// The last spike.
    last: Vec<u32>,
    /// The first of `next`, and its neuron.
    first: (R, usize),
    /// The spikes in their order.
    spikes: Vec<u32>,
}

/// An arrival through a projection with a delay per synapse, ordered by time, projection, synapse, spike.
type Arrival = Reverse<(u64, u32, u32, u32)>;

/// The memory of a forward pass; it can be used for one trial after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Forward<R> {
    states: Vec<State<R>>,
    /// For each projection with one delay: how many spikes have arrived.
    arrived: Vec<usize>,
    arrivals: BinaryHeap<Arrival>,
}

impl<R: Real> Forward<R> {
    fn start(&mut self, network: &Network<R>, input: &[Event], tape: &mut Tape<R>) {
        tape.clear(network);
        self.states.resize_with(network.populations.len(), State::default);
        self.arrived.clear();
        self.arrived.resize(network.projections.len(), 0);
        self.arrivals.clear();
        for (index, (state, population)) in self.states.iter_mut().zip(&network.populations).enumerate() {
            let size = population.size;
            state.spikes.clear();
            state.last.clear();
            state.last.resize(size, NONE);
            state.first = (R::INFINITY, 0);
            let Kind::Cells(cells) = &population.kind else { continue };
            state.u.clone_from(&cells.initial[0]);
            state.i.clone_from(&cells.initial[1]);
            for (of, start) in [(&mut state.t, R::default()), (&mut state.free, R::default()), (&mut state.next, R::INFINITY)] {
                of.clear();
                of.resize(size, start);
            }
            if cells.fires() {
                for neuron in 0..size {
                    state.next[neuron] = cells.constants.next(
                        [state.u[neuron]],
                        [state.i[neuron]],
                        [R::default()],
                        R::default(),
                        network.duration,
                    )[0];
                }
                state.find_first();
            } else {
                tape.integrals[index].resize(size, R::default());
                if cells.reads.max {
                    let at_start = |u: &R| Maximum { value: *u, place: MaximumPlace::Start };
                    tape.maxima[index].extend(state.u.iter().map(at_start));
                }
            }
        }
        for event in input.iter().filter(|of| (of.channel as usize) < network.populations[network.input].size) {
            let time = R::of(event.time_ms);
            if time <= network.duration {
                self.fire(network, network.input, event.channel as usize, time, R::default(), tape);
            }
        }
    }

    /// Notes a spike, and its arrivals.
    fn fire(&mut self, network: &Network<R>, population: usize, neuron: usize, time: R, current: R, tape: &mut Tape<R>) {
        let spike = tape.spikes.len() as u32;
        let state = &mut self.states[population];
        let previous = std::mem::replace(&mut state.last[neuron], spike);
        state.spikes.push(spike);
        let (population, neuron) = (population as u32, neuron as u32);
        tape.spikes.push(SpikeEvent { time, current: [current; 2], population, neuron, previous });
        for projection in &network.populations[population as usize].out {
            let of = &network.projections[*projection];
            let Delays::Each(delays) = &of.delays else { continue };
            for synapse in of.row(neuron as usize) {
                let arrival = (time + delays[synapse]).to_f64().to_bits();
                self.arrivals.push(Reverse((arrival, *projection as u32, synapse as u32, spike)));
            }
        }
    }

    /// The next arrival: its time, and the entry.
    #[inline(always)]
    fn next_arrival(&self, network: &Network<R>, tape: &Tape<R>) -> (R, TapeEntry) {
        let mut first = (R::INFINITY, TapeEntry { spike: NONE, projection: NONE, synapse: NONE });
        for (index, projection) in network.projections.iter().enumerate() {
            let Delays::Shared(delay) = projection.delays else { continue };
            let Some(spike) = self.states[projection.pre].spikes.get(self.arrived[index]) else { continue };
            let time = tape.spikes[*spike as usize].time + delay;
            if time < first.0 {
                first = (time, TapeEntry { spike: *spike, projection: index as u32, synapse: NONE });
            }
        }
        if let Some(Reverse((bits, projection, synapse, spike))) = self.arrivals.peek() {
            let time = R::of(f64::from_bits(*bits));
            if time < first.0 || (time == first.0 && *projection < first.1.projection) {
                first = (time, TapeEntry { spike: *spike, projection: *projection, synapse: *synapse });
            }
        }
        first
    }

    /// Simulates a trial.
    #[inline(always)]
    pub(super) fn run(&mut self, network: &Network<R>, input: &[Event], tape: &mut Tape<R>) {
        self.start(network, input, tape);
        loop {
            let mut crossing = (R::INFINITY, 0, 0);
            for (population, state) in self.states.iter().enumerate() {
                if state.first.0 < crossing.0 {
                    crossing = (state.first.0, population, state.first.1);
                }
            }
            let (arrival, entry) = self.next_arrival(network, tape);
            if crossing.0 <= arrival {
                let (time, population, neuron) = crossing;
                // Both are infinite at the end.
                let Some(cells) = network.cells(population).filter(|_| time <= network.duration) else { break };
                if tape.spikes.len() >= network.max_spikes {
                    tape.ran_away = true;
                    break;
                }
                let spike = tape.spikes.len() as u32;
                let current = self.states[population].spike(cells, neuron, time, network.duration, &mut tape.spikes);
                self.fire(network, population, neuron, time, current, tape);
                tape.order.push(TapeEntry { spike, projection: NONE, synapse: NONE });
            } else {
                if arrival > network.duration {
                    break;
                }
                match entry.synapse {
                    NONE => self.arrived[entry.projection as usize] += 1,
                    _ => drop(self.arrivals.pop()),
                }
                self.deliver(network, entry, arrival, tape);
                tape.order.push(entry);
            }
        }
        for (index, state) in self.states.iter_mut().enumerate() {
            let Some(cells) = network.cells(index).filter(|cells| !cells.fires()) else { continue };
            for neuron in 0..state.u.len() {
                state.integrate(cells, index, neuron, network.duration, MaximumPlace::End, tape);
            }
            tape.last[index].extend_from_slice(&state.u);
        }
    }

    #[inline(always)]
    fn deliver(&mut self, network: &Network<R>, entry: TapeEntry, now: R, tape: &mut Tape<R>) {
        let projection = &network.projections[entry.projection as usize];
        let Some(cells) = network.cells(projection.post) else { return };
        let state = &mut self.states[projection.post];
        let row = match entry.synapse {
            NONE => projection.row(tape.spikes[entry.spike as usize].neuron as usize),
            synapse => synapse as usize..synapse as usize + 1,
        };
        let (targets, weights) = (&projection.targets[row.clone()], &projection.weights[row]);
        if !cells.fires() {
            let place = tape.order.len() as u32;
            for (target, weight) in targets.iter().zip(weights) {
                let neuron = *target as usize;
                let place = MaximumPlace::Before(place, R::default());
                state.integrate(cells, projection.post, neuron, now, place, tape);
                state.i[neuron] += *weight;
            }
            return;
        }
        let spikes = &mut tape.spikes;
        if projection.is_dense {
            let (mut at, mut rest) = (targets.first().map_or(0, |first| *first as usize), weights);
            while let Some((weights, others)) = rest.split_first_chunk::<LANES>() {
                state.add(&cells.constants, at, LANES, weights, now, network.duration, spikes);
                (at, rest) = (at + LANES, others);
            }
            if !rest.is_empty() {
                let mut weights = [R::default(); LANES];
                weights[..rest.len()].copy_from_slice(rest);
                state.add(&cells.constants, at, rest.len(), &weights, now, network.duration, spikes);
            }
        } else {
            for (target, weight) in targets.iter().zip(weights) {
                state.add(&cells.constants, *target as usize, 1, &[*weight], now, network.duration, spikes);
            }
        }
        state.find_first();
    }
}

impl<R: Real> Constants<R> {
    /// Potential and current at a time, and the current at the end of the refractory time if that lies between.
    #[inline(always)]
    pub(super) fn advance(&self, u: R, i: R, t: R, free: R, now: R) -> [R; 3] {
        if self.refractory == R::default() {
            let [u, i] = self.later(u, i, now - t);
            return [u, i, i];
        }
        let until = if free < now { free } else { now };
        let start = if until > t { until } else { t };
        let released = self.current(i, start - t);
        let [u, i] = self.later(u, released, now - start);
        [u, i, released]
    }

    /// When the threshold is crossed next.
    #[inline(always)]
    pub fn next<const N: usize>(&self, u: [R; N], mut i: [R; N], free: [R; N], now: R, duration: R) -> [R; N] {
        let mut from = [now; N];
        if self.refractory > R::default() {
            for k in 0..N {
                from[k] = if free[k] > now { free[k] } else { now };
                i[k] = self.current(i[k], from[k] - now);
            }
        }
        let horizon = from.map(|from| duration - from);
        let mut next = self.crossing(&u, &i, &horizon);
        for k in 0..N {
            next[k] = from[k] + next[k];
        }
        next
    }
}

impl<R: Real> State<R> {
    /// Adds weights to the currents of `count` neurons from `at` on.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "they are the event")]
    fn add<const N: usize>(
        &mut self,
        constants: &Constants<R>,
        at: usize,
        count: usize,
        weights: &[R; N],
        now: R,
        duration: R,
        spikes: &mut [SpikeEvent<R>],
    ) {
        let zero = R::default();
        let (mut u, mut i, mut t, mut free) = ([zero; N], [zero; N], [now; N], [zero; N]);
        for (to, from) in [(&mut u, &self.u), (&mut i, &self.i), (&mut t, &self.t), (&mut free, &self.free)] {
            if count == N {
                to.copy_from_slice(&from[at..at + N]);
            } else {
                to[..count].copy_from_slice(&from[at..at + count]);
            }
        }
        let mut released = [zero; N];
        for k in 0..N {
            [u[k], i[k], released[k]] = constants.advance(u[k], i[k], t[k], free[k], now);
            i[k] += weights[k];
        }
        if constants.refractory > zero {
            for k in 0..count {
                if t[k] < free[k] && free[k] <= now {
                    spikes[self.last[at + k] as usize].current[1] = released[k];
                }
            }
        }
        let next = constants.next(u, i, free, now, duration);
        for (to, from) in [(&mut self.u, &u), (&mut self.i, &i), (&mut self.t, &[now; N]), (&mut self.next, &next)] {
            if count == N {
                to[at..at + N].copy_from_slice(from);
            } else {
                to[at..at + count].copy_from_slice(&from[..count]);
            }
        }
    }

    /// Resets a neuron at its spike. Returns its current.
    #[inline(always)]
    fn spike(&mut self, cells: &Cells<R>, neuron: usize, now: R, duration: R, spikes: &mut [SpikeEvent<R>]) -> R {
        let constants = &cells.constants;
        let (t, free) = (self.t[neuron], self.free[neuron]);
        let [_, current, released] = constants.advance(self.u[neuron], self.i[neuron], t, free, now);
        if constants.refractory > R::default() && t < free && free <= now {
            spikes[self.last[neuron] as usize].current[1] = released;
        }
        self.u[neuron] = constants.rho;
        self.i[neuron] = current;
        self.t[neuron] = now;
        self.free[neuron] = now + constants.refractory;
        let next = constants.next([constants.rho], [current], [self.free[neuron]], now, duration);
        self.next[neuron] = next[0];
        self.find_first();
        current
    }

    /// Finds the first crossing; of equal ones that of the lower neuron.
    #[inline(always)]
    fn find_first(&mut self) {
        let mut lanes = [R::INFINITY; LANES];
        let (groups, rest) = self.next.as_chunks::<LANES>();
        for group in groups {
            for (least, time) in lanes.iter_mut().zip(group) {
                *least = if *time < *least { *time } else { *least };
            }
        }
        let least = lanes.iter().chain(rest).fold(R::INFINITY, |least, time| if *time < least { *time } else { least });
        self.first = (least, self.next.iter().position(|time| *time == least).unwrap_or(0));
    }

    /// Brings an integrator to a time, and notes what is read of its potential.
    #[inline(always)]
    fn integrate(
        &mut self,
        cells: &Cells<R>,
        population: usize,
        neuron: usize,
        now: R,
        place: MaximumPlace<R>,
        tape: &mut Tape<R>,
    ) {
        let constants = &cells.constants;
        let (u, i, t) = (self.u[neuron], self.i[neuron], self.t[neuron]);
        let [then_u, then_i] = constants.later(u, i, now - t);
        if cells.reads.mean {
            let [of_i, of_u] = constants.integrals(now - t);
            tape.integrals[population][neuron] += of_u * u + of_i * i;
        }
        if cells.reads.max {
            let maximum = &mut tape.maxima[population][neuron];
            let extremum = constants.extremum(u, i);
            if i > u && extremum > R::default() && extremum < now - t {
                // At an extremum the potential is the current.
                let value = constants.current(i, extremum);
                if value > maximum.value {
                    *maximum = Maximum { value, place: MaximumPlace::Between(t + extremum) };
                }
            }
            if then_u > maximum.value {
                let place = match place {
                    MaximumPlace::Before(entry, _) => MaximumPlace::Before(entry, then_i),
                    other => other,
                };
                *maximum = Maximum { value: then_u, place };
            }
        }
        (self.u[neuron], self.i[neuron], self.t[neuron]) = (then_u, then_i, now);
    }
}
