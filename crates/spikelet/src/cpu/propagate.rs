//! Spikes of synapses without a state: their events enter the rings.
//!
//! The rows of all spikes are listed first, so that the processor fetches the next row while it walks this one: a row lies wherever
//! its neuron's does, and waiting for it would take longer than walking it.

use std::ops::Range;

use spikelet_lang::block::LANES;
use spikelet_lang::simd::{Level, prefetch};
use spikelet_lang::{ValueCode, ValueScratch};

use super::Live;
use crate::connect::{Edge, Recipe};
use crate::half;
use crate::plan::{PerSynapse, Plan};
use crate::ring;
use crate::rng::synapse_bits;

/// Lines of a row that are fetched before it is walked; the processor itself fetches what follows.
const FETCHED_LINES: usize = 16;

/// Words in a line.
const LINE: usize = 16;

/// Where events go: the rings of a shard.
pub(super) struct Rings<'a> {
    /// Sums under way: a slot after the other, a lane for each neuron of each port.
    pub(super) sums: &'a mut [i32],
    pub(super) slots: &'a mut Slots,
}

/// Where the slots of a ring begin, seen from a step.
pub(super) struct Slots {
    count: u32,
    /// Lanes of a slot.
    lanes: usize,
    step: Option<u32>,
    /// First lane of the slot that is taken so many steps after the next one.
    starts: Vec<usize>,
}

impl Slots {
    pub(super) fn new(count: u32, lanes: usize) -> Slots {
        Slots { count, lanes, step: None, starts: Vec::new() }
    }

    /// Looks from `step`. (A division for each event would take longer than the event.)
    fn turn_to(&mut self, step: u32) {
        if self.step == Some(step) {
            return;
        }
        self.step = Some(step);
        let next = (step + 1) % self.count;
        self.starts.clear();
        self.starts.extend((next..self.count).chain(0..next).map(|slot| slot as usize * self.lanes));
    }
}

/// The synapses of a spike onto a shard.
pub(super) struct Row {
    pub(super) step: u32,
    /// Index of the projection.
    pub(super) projection: usize,
    /// Where they lie in its rows.
    pub(super) edges: Range<usize>,
}

impl Row {
    /// Has the processor fetch its beginning.
    pub(super) fn fetch(&self, plan: &Plan, live: &Live) {
        let projection = &plan.projections[self.projection];
        let fetched = self.edges.start..self.edges.end.min(self.edges.start + FETCHED_LINES * LINE);
        projection.rows().words[fetched.clone()].iter().step_by(LINE).for_each(prefetch);
        for (write, (delay, of)) in projection.writes().enumerate() {
            if let PerSynapse::Each(delays) = delay {
                delays[fetched.clone()].iter().step_by(LINE).for_each(prefetch);
            }
            match live.weights(of, self.projection, write) {
                PerSynapse::Each(weights) => weights[fetched.clone()].iter().step_by(LINE).for_each(prefetch),
                PerSynapse::Half(weights) => weights[fetched.clone()].iter().step_by(2 * LINE).for_each(prefetch),
                _ => {}
            }
        }
    }
}

/// Room for a row that is drawn.
#[derive(Default)]
pub(super) struct DrawnRow {
    edges: Vec<Edge>,
    pre: Vec<u32>,
    post: Vec<u32>,
    delays: Vec<f32>,
    weights: Vec<f32>,
    scratch: ValueScratch,
}

/// What spikes do to the posts of a shard.
pub(super) struct Walk<'a> {
    pub(super) plan: &'a Plan,
    pub(super) live: &'a Live,
    /// Index of the projection.
    pub(super) index: usize,
    /// The neurons of the postsynaptic population in this shard, and the first lane of each port.
    pub(super) posts: &'a Range<u32>,
    pub(super) ports: &'a [(usize, Option<usize>)],
}

impl Walk<'_> {
    /// The events of a row.
    pub(super) fn row(&self, row: &Row, rings: &mut Rings<'_>) {
        rings.slots.turn_to(row.step);
        let projection = &self.plan.projections[self.index];
        let (rows, edges) = (projection.rows(), row.edges.clone());
        let words = &rows.words[edges.clone()];
        let first_post = self.posts.start;
        for (write, (delay, of)) in projection.writes().enumerate() {
            let (first, _) = self.ports[of.port];
            let weights = self.live.weights(of, self.index, write);
            if let PerSynapse::Shared(delay) = delay {
                let slot = rings.slots.starts[*delay as usize] + first;
                let lanes = &mut rings.sums[slot..][..self.posts.len()];
                match weights {
                    PerSynapse::Shared(weight) => {
                        let weight = *weight;
                        words.iter().for_each(|word| lanes[(word - first_post) as usize] += weight);
                    }
                    PerSynapse::Each(weights) => {
                        let weights = &weights[edges.clone()];
                        if is_run(words) {
                            add(&mut lanes[(words[0] - first_post) as usize..], weights);
                        } else {
                            words.iter().zip(weights).for_each(|(word, weight)| lanes[(word - first_post) as usize] += weight);
                        }
                    }
                    PerSynapse::Half(weights) => {
                        let weights = weights[edges.clone()].iter().map(|half| half::decode(*half));
                        words.iter().zip(weights).for_each(|(word, weight)| lanes[(word - first_post) as usize] += weight);
                    }
                    PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
                }
                continue;
            }
            // Each synapse has a delay of its own.
            let (mask, bits, starts) = (rows.target_mask(), rows.target_bits, rings.slots.starts.as_slice());
            let delays = if let PerSynapse::Each(delays) = delay { Some(&delays[edges.clone()]) } else { None };
            let to_port = first.wrapping_sub(first_post as usize);
            let sums = &mut *rings.sums;
            let mut each = |at: usize, weight: i32| {
                let word = words[at];
                let delay = delays.map_or_else(|| word >> bits, |delays| delays[at]);
                sums[starts[delay as usize].wrapping_add(to_port).wrapping_add((word & mask) as usize)] += weight;
            };
            match weights {
                PerSynapse::Each(weights) => weights[edges.clone()].iter().enumerate().for_each(|(at, weight)| each(at, *weight)),
                PerSynapse::Half(weights) => {
                    weights[edges.clone()].iter().enumerate().for_each(|(at, half)| each(at, half::decode(*half)));
                }
                PerSynapse::Shared(weight) => (0..words.len()).for_each(|at| each(at, *weight)),
                PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
            }
        }
    }

    /// The events of a spike of neuron `pre`, whose row is drawn.
    pub(super) fn drawn(&self, recipe: &Recipe, step: u32, pre: u32, rings: &mut Rings<'_>, row: &mut DrawnRow) {
        let (projection, posts) = (&self.plan.projections[self.index], self.posts);
        if posts.is_empty() {
            return;
        }
        rings.slots.turn_to(step);
        let mut writes = projection.writes().enumerate();
        if let (Some((write, (PerSynapse::Shared(delay), of))), None) = (writes.next(), writes.next())
            && let PerSynapse::Shared(weight) = self.live.weights(of, self.index, write)
        {
            // The commonest case needs no list of the row.
            let slot = rings.slots.starts[*delay as usize] + self.ports[of.port].0;
            let lanes = &mut rings.sums[slot..][..posts.len()];
            recipe.for_each(pre, posts, |edge| lanes[(edge.post - posts.start) as usize] += weight);
            return;
        }
        row.edges.clear();
        recipe.draw(pre, posts, &mut row.edges);
        if projection.writes().any(|(delay, of)| is_drawn(delay) || is_drawn(&of.weights)) {
            row.pre.clear();
            row.pre.resize(row.edges.len(), pre);
            row.post.clear();
            row.post.extend(row.edges.iter().map(|edge| edge.post));
        }
        for (write, (delay, of)) in projection.writes().enumerate() {
            let (first, _) = self.ports[of.port];
            let weights = self.live.weights(of, self.index, write);
            let shift = self.plan.populations[projection.post].ports[of.port].shift;
            if let PerSynapse::Drawn(value) = delay {
                values(recipe, &value.code, &row.edges, [&row.pre, &row.post], &mut row.scratch, &mut row.delays);
            }
            if let PerSynapse::Drawn(value) = weights {
                values(recipe, &value.code, &row.edges, [&row.pre, &row.post], &mut row.scratch, &mut row.weights);
            }
            for (at, edge) in row.edges.iter().enumerate() {
                let delay = match delay {
                    PerSynapse::Shared(delay) => *delay,
                    _ => row.delays[at].round_ties_even() as u32,
                };
                let weight = match weights {
                    PerSynapse::Shared(weight) => *weight,
                    _ => ring::quantise(f64::from(row.weights[at]), shift),
                };
                let lane = rings.slots.starts[delay as usize] + first + (edge.post - posts.start) as usize;
                rings.sums[lane] += weight;
            }
        }
    }
}

/// Whether a row reaches neurons that follow each other, each once: those of rows that are made of all neurons.
fn is_run(words: &[u32]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    // Asking all of them is a vector loop, and cheaper than what it saves.
    (last - first) as usize + 1 == words.len() && words.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]))
}

/// Adds weights to the sums of neurons that follow each other.
fn add(sums: &mut [i32], weights: &[i32]) {
    Level::best().run(
        #[inline(always)]
        || sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight),
    );
}

fn is_drawn<T>(value: &PerSynapse<T>) -> bool {
    matches!(value, PerSynapse::Drawn(_))
}

/// The values of the edges of a row.
fn values(
    recipe: &Recipe,
    code: &ValueCode,
    edges: &[Edge],
    [pre, post]: [&[u32]; 2],
    scratch: &mut ValueScratch,
    out: &mut Vec<f32>,
) {
    out.clear();
    out.resize(edges.len(), 0.0);
    for (first, out) in (0..).step_by(LANES).zip(out.chunks_mut(LANES)) {
        let part = first..first + out.len();
        // Where a pair is joined more than once, its ids differ: each is the first copy.
        let bits = |site: u32, lanes: &mut [u32]| {
            let id = |lane: usize| [pre[0], edges[first + lane].id, 0];
            synapse_bits(recipe.seed, recipe.projection, id, site, lanes);
        };
        code.run(&pre[part.clone()], &post[part], &bits, scratch, out);
    }
}
