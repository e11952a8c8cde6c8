//! Spike propagation without synaptic state.

use std::sync::Arc;

use spikelet_kernel::ValueScratch;
use spikelet_plan::{EdgePlan, PerSynapse, Plan, ProjectionPlan, Spike, WritePlan};
use spikelet_rows::connect::{Edge, ProceduralRows};
use spikelet_rows::ring;
use spikelet_rows::rng::{SynapseCoordinates, synapse_words};

use super::neurons::{DoubleNeurons, DoubleStep};
use crate::cpu::drawn_values;

/// The increments of a write.
#[derive(Clone)]
pub(super) enum ExactWeights {
    Shared(f64),
    Each(Arc<Vec<f64>>),
    /// Drawn with each synapse, by the code of the plan.
    Drawn,
    /// None: the remainders of another port, which adds the whole weight here.
    Remainder,
}

impl ExactWeights {
    pub(super) fn of(write: &WritePlan) -> ExactWeights {
        match (&write.exact, &write.weights) {
            (Some(PerSynapse::Shared(weight)), _) => ExactWeights::Shared(*weight),
            (Some(PerSynapse::Each(weights)), _) => ExactWeights::Each(weights.clone()),
            (_, PerSynapse::Drawn(_)) => ExactWeights::Drawn,
            _ => ExactWeights::Remainder,
        }
    }

    /// The same with words in units of a port, which a caller has written.
    pub(super) fn with_words(&self, words: &[u32], shift: i32) -> ExactWeights {
        let mut weights = words.iter().map(|word| libm::ldexp(f64::from(*word as i32), -shift));
        match self {
            ExactWeights::Shared(_) => ExactWeights::Shared(weights.next().unwrap_or_default()),
            ExactWeights::Each(_) => ExactWeights::Each(Arc::new(weights.collect())),
            other => other.clone(),
        }
    }

    /// In units of a port.
    pub(super) fn words(&self, shift: i32) -> Vec<u32> {
        let units = |weight: &f64| ring::quantise(*weight, shift) as u32;
        match self {
            ExactWeights::Shared(weight) => vec![units(weight)],
            ExactWeights::Each(weights) => weights.iter().map(units).collect(),
            ExactWeights::Drawn | ExactWeights::Remainder => Vec::new(),
        }
    }
}

/// Buffers for drawn rows.
#[derive(Default)]
pub(super) struct Propagation {
    edges: Vec<Edge>,
    delays: Vec<f32>,
    scratch: ValueScratch,
    values: Vec<f64>,
}

impl Propagation {
    /// Adds the events of these spikes to the delay buffers.
    pub(super) fn propagate(
        &mut self,
        now: DoubleStep<'_>,
        projection: usize,
        weights: &[ExactWeights],
        spikes: &[Spike],
        neurons: &mut [DoubleNeurons],
    ) {
        let plan = now.plan;
        let of = &*plan.projections[projection];
        for spike in spikes {
            let (population, pre) = plan.locate(spike.neuron);
            if population != of.pre || !of.pre_slice.contains(&pre) {
                continue;
            }
            match &of.edges {
                EdgePlan::Stored(_) => stored(now, of, pre, weights, &mut neurons[of.post]),
                EdgePlan::Procedural(rows) => self.drawn(now, of, rows, pre, weights, &mut neurons[of.post]),
            }
        }
    }

    /// The events of a procedural row, with the delays that all devices draw.
    fn drawn(
        &mut self,
        now: DoubleStep<'_>,
        of: &ProjectionPlan,
        rows: &ProceduralRows,
        pre: u32,
        weights: &[ExactWeights],
        post: &mut DoubleNeurons,
    ) {
        let Propagation { edges, delays, scratch, values } = self;
        edges.clear();
        rows.draw(pre, &(0..now.plan.populations[of.post].size), edges);
        let pres = vec![pre; edges.len()];
        let (posts, ids): (Vec<u32>, Vec<u32>) = edges.iter().map(|edge| (edge.post, edge.id)).unzip();
        let copies = vec![0; edges.len()];
        let of_row = SynapseCoordinates { pre: &pres, id: &ids, copy: &copies };
        for ((delay, write), weights) in of.writes().zip(weights) {
            if let PerSynapse::Drawn(value) = delay {
                drawn_values(rows, &value.code, of_row, &posts, scratch, delays);
            }
            for (at, edge) in edges.iter().enumerate() {
                let delay = match delay {
                    PerSynapse::Shared(delay) => *delay,
                    _ => delays[at].round_ties_even() as u32,
                };
                let weight = match (weights, &write.weights) {
                    (ExactWeights::Shared(weight), _) => *weight,
                    (ExactWeights::Drawn, PerSynapse::Drawn(value)) if !is_remainder(now.plan, of, write) => {
                        let bits = |site: u32| synapse_words(rows.seed, rows.projection, [pre, edge.id, 0], site);
                        value.code.in_f64(pre, edge.post, &bits, values)
                    }
                    _ => continue,
                };
                post.add(write.port, now.slot(1 + delay), edge.post, weight);
            }
        }
    }
}

/// Whether a write adds the remainders of another one.
fn is_remainder(plan: &Plan, of: &ProjectionPlan, write: &WritePlan) -> bool {
    plan.populations[of.post].ports[write.port].rest
}

/// The events of a stored row.
fn stored(now: DoubleStep<'_>, of: &ProjectionPlan, pre: u32, weights: &[ExactWeights], post: &mut DoubleNeurons) {
    let (rows, row) = (of.rows(), (pre - of.pre_slice.start) as usize);
    let synapses = rows.offsets[row] as usize..rows.offsets[row + 1] as usize;
    let mut weights = weights.iter();
    for (pathway, plan) in of.pathways.iter().enumerate() {
        for (write, weights) in plan.writes.iter().zip(&mut weights) {
            for synapse in synapses.clone() {
                let weight = match weights {
                    ExactWeights::Shared(weight) => *weight,
                    ExactWeights::Each(weights) => weights[synapse],
                    ExactWeights::Drawn | ExactWeights::Remainder => continue,
                };
                post.add(write.port, now.slot(1 + of.delay(pathway, synapse)), rows.target(synapse), weight);
            }
        }
    }
}
