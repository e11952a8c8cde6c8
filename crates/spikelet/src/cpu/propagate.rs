//! Spikes of synapses without a state: their events enter the rings.

use std::ops::Range;

use spikelet_lang::block::LANES;
use spikelet_lang::{ValueCode, ValueScratch};

use super::Live;
use crate::backend::Spike;
use crate::connect::{Edge, Recipe};
use crate::half;
use crate::plan::{EdgePlan, PerSynapse, Plan, ProjectionPlan};
use crate::ring;
use crate::rng::synapse_bits;

/// Where events go: the rings of a shard.
pub(super) struct Rings<'a> {
    /// Sums under way: a slot after the other, a lane for each neuron of each port.
    pub(super) sums: &'a mut [i32],
    /// Lanes of a slot.
    pub(super) lanes: usize,
    pub(super) slots: u32,
}

impl Rings<'_> {
    /// First lane of the slot that is taken so many steps after `step`.
    fn slot(&self, step: u32, delay: u32) -> usize {
        (step + 1 + delay) as usize % self.slots as usize * self.lanes
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

/// What a spike does to the posts of a shard.
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
    /// The events of a spike of neuron `pre`; `ends` says where the synapses onto this shard lie in its row, if rows are kept.
    pub(super) fn spike(&self, spike: Spike, pre: u32, ends: Option<[u64; 2]>, rings: &mut Rings<'_>, row: &mut DrawnRow) {
        let projection = &self.plan.projections[self.index];
        match (&projection.edges, ends) {
            (EdgePlan::Stored(_), Some([start, end])) => {
                if start < end {
                    self.stored(projection, spike.step, start as usize..end as usize, rings);
                }
            }
            (EdgePlan::Stored(_), None) => {}
            (EdgePlan::Procedural(recipe), _) => self.drawn(projection, recipe, spike.step, pre, rings, row),
        }
    }

    fn stored(&self, projection: &ProjectionPlan, step: u32, edges: Range<usize>, rings: &mut Rings<'_>) {
        let rows = projection.rows();
        let (words, mask, bits) = (&rows.words[edges.clone()], rows.target_mask(), rows.target_bits);
        let posts = self.posts;
        for (write, (delay, of)) in projection.writes().enumerate() {
            let (first, _) = self.ports[of.port];
            match (delay, self.live.weights(of, self.index, write)) {
                (PerSynapse::Shared(delay), weights) => {
                    let slot = rings.slot(step, *delay) + first;
                    let lanes = &mut rings.sums[slot..][..posts.len()];
                    match weights {
                        PerSynapse::Each(weights) => {
                            for (word, weight) in words.iter().zip(&weights[edges.clone()]) {
                                lanes[(word - posts.start) as usize] += weight;
                            }
                        }
                        PerSynapse::Half(weights) => {
                            for (word, weight) in words.iter().zip(&weights[edges.clone()]) {
                                lanes[(word - posts.start) as usize] += half::decode(*weight);
                            }
                        }
                        PerSynapse::Shared(weight) => {
                            words.iter().for_each(|word| lanes[(word - posts.start) as usize] += weight);
                        }
                        PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
                    }
                }
                (delays, weights) => {
                    for (at, word) in edges.clone().zip(words) {
                        let delay = if let PerSynapse::Each(delays) = delays { delays[at] } else { word >> bits };
                        let lane = rings.slot(step, delay) + first + ((word & mask) - posts.start) as usize;
                        rings.sums[lane] += match weights {
                            PerSynapse::Each(weights) => weights[at],
                            PerSynapse::Half(weights) => half::decode(weights[at]),
                            PerSynapse::Shared(weight) => *weight,
                            PerSynapse::Packed(_) | PerSynapse::Drawn(_) => 0,
                        };
                    }
                }
            }
        }
    }

    fn drawn(
        &self,
        projection: &ProjectionPlan,
        recipe: &Recipe,
        step: u32,
        pre: u32,
        rings: &mut Rings<'_>,
        row: &mut DrawnRow,
    ) {
        let posts = self.posts;
        if posts.is_empty() {
            return;
        }
        let mut writes = projection.writes().enumerate();
        if let (Some((write, (PerSynapse::Shared(delay), of))), None) = (writes.next(), writes.next())
            && let PerSynapse::Shared(weight) = self.live.weights(of, self.index, write)
        {
            // The commonest case needs no list of the row.
            let slot = rings.slot(step, *delay) + self.ports[of.port].0;
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
                let lane = rings.slot(step, delay) + first + (edge.post - posts.start) as usize;
                rings.sums[lane] += weight;
            }
        }
    }
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
        let bits =
            |lane: usize, site: u32| synapse_bits(recipe.seed, recipe.projection, [pre[0], edges[first + lane].id, 0], site);
        code.run(&pre[part.clone()], &post[part], &bits, scratch, out);
    }
}
