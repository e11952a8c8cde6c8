//! Distribution of work: the approximate cost of blocks, the number of useful threads, and the blocks of each.

use std::ops::Range;

use spikelet_kernel::block::LANES;
use spikelet_lang::ir::{Code, Op};
use spikelet_lang::term::Function;
use spikelet_plan::schedule::Schedule;
use spikelet_plan::{Plan, PopulationPlan, ProjectionPlan};
use spikelet_rows::partition::common;

/// Least work of a thread between two synchronisations in ns. On two cores of a Xeon a second thread gave no gain for cuba, with 5.5 µs of
/// work between two synchronisations; for coba, with 23 µs, it gave a factor of 1.4.
const WORTH: f64 = 6_000.0;

/// Cost of an event, and of a loop over a block, in ns.
const EVENT: f64 = 0.8;
const LOOP: f64 = 16.0;

/// Assumed spikes per ms of neurons.
const RATE: f64 = 0.01;

/// 256 own neurons of a population, from a place on, and the cost of a step in ns.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockCost {
    pub(super) population: usize,
    pub(super) first: u32,
    cost: f64,
}

/// The blocks of a plan: those that run ahead, and those that stop after each step.
pub(super) fn blocks(plan: &Plan, schedule: &Schedule) -> [Vec<BlockCost>; 2] {
    let mut blocks = [Vec::new(), Vec::new()];
    for (index, population) in plan.populations.iter().enumerate() {
        let (own, step) = (plan.own(index), step_cost(population));
        let stepwise = own.places_in(&schedule.stepwise[index]);
        for first in (0..own.len()).step_by(LANES) {
            let posts = first..own.len().min(first + LANES as u32);
            let stops = !common(&posts, &stepwise).is_empty();
            blocks[usize::from(stops)].push(BlockCost { population: index, first, cost: step + incoming(plan, index, &posts) });
        }
    }
    blocks
}

pub(super) fn total(blocks: &[BlockCost]) -> f64 {
    blocks.iter().map(|block| block.cost).sum()
}

/// Number of useful threads for blocks that synchronise after this many steps.
fn threads(blocks: &[BlockCost], steps: u32) -> usize {
    ((total(blocks) * f64::from(steps) / WORTH) as usize).clamp(1, blocks.len().max(1))
}

/// Number of useful threads for blocks that stop after each step.
pub(super) fn threads_of_stopping(blocks: &[BlockCost], schedule: &Schedule) -> usize {
    // If synapses read neurons of other threads, or these are compared, the threads synchronise in every step.
    let steps = if schedule.reads_elsewhere() || schedule.selects() { 1 } else { schedule.exchange_steps };
    if schedule.inseparable { 1 } else { threads(blocks, steps) }
}

/// Number of useful threads for a plan.
pub(super) fn worth(plan: &Plan) -> usize {
    let schedule = plan.schedule();
    let [ahead, stopping] = blocks(plan, schedule);
    threads(&ahead, schedule.epoch_steps).max(threads_of_stopping(&stopping, schedule))
}

/// Splits a range of blocks wherever a population has a gap.
pub(super) fn without_gaps(blocks: &[BlockCost]) -> Vec<&[BlockCost]> {
    let joined = |one: &BlockCost, next: &BlockCost| one.population != next.population || one.first + LANES as u32 == next.first;
    blocks.chunk_by(joined).collect()
}

/// Divides blocks into ranges with costs in proportion to the weights; none is empty if there are enough blocks.
pub(super) fn cut<'a>(blocks: &'a [BlockCost], weights: &[f64]) -> Vec<&'a [BlockCost]> {
    let count = weights.len().clamp(1, blocks.len().max(1));
    let weights = &weights[..count];
    let (all, mut wanted) = (weights.iter().sum::<f64>(), 0.0);
    let cost = total(blocks);
    let mut stretches = Vec::new();
    let (mut start, mut sum) = (0, 0.0);
    for (at, block) in blocks.iter().enumerate() {
        sum += block.cost;
        let left = count - stretches.len();
        let end_of_stretch = cost * (wanted + weights[stretches.len()]) / all;
        if left > 1 && (sum >= end_of_stretch || blocks.len() - at == left) {
            // A block at a boundary goes to the side with its larger part.
            let end = if sum - end_of_stretch > block.cost / 2.0 && at > start { at } else { at + 1 };
            wanted += weights[stretches.len()];
            stretches.push(&blocks[start..end]);
            start = end;
        }
    }
    stretches.push(&blocks[start..]);
    stretches
}

/// Cost of a step of the synapses onto the neurons at these places.
fn incoming(plan: &Plan, population: usize, posts: &Range<u32>) -> f64 {
    let onto = plan.projections.iter().filter(|projection| projection.post == population);
    onto.map(|projection| {
        let degrees = projection.degrees.incoming.get(posts.start as usize..posts.end as usize).unwrap_or_default();
        let synapses = match projection.procedural() {
            Some(procedural) => {
                // They are not counted: all neurons are assumed to have the same number.
                let targets = plan.own(population).places_in(&procedural.post);
                projection.synapses() as f64 * common(posts, &targets).len() as f64 / procedural.post.len().max(1) as f64
            }
            None => degrees.iter().map(|degree| f64::from(*degree)).sum(),
        };
        let (each, event) = synapse_costs(projection);
        synapses * (each + event * RATE * plan.dt_ms)
    })
    .sum()
}

/// Cost in ns of a step, and of an event, of a synapse. Those with state execute code, a block of them at a time.
pub fn synapse_costs(projection: &ProjectionPlan) -> (f64, f64) {
    projection.state.as_ref().map_or((0.0, EVENT), |state| {
        let program = &state.program;
        let always = program.summed.iter().map(|(_, code)| code).chain([&program.update]);
        let events = program.pathways.iter().map(|pathway| &pathway.code);
        // Loading scattered values costs about as much as the computation.
        (2.0 * always.map(cost).sum::<f64>() / LANES as f64, 2.0 * events.map(cost).sum::<f64>() / LANES as f64 + EVENT)
    })
}

/// Cost of a step of a block.
pub fn step_cost(population: &PopulationPlan) -> f64 {
    population.program.codes().map(cost).sum::<f64>() + LOOP
}

fn cost(code: &Code) -> f64 {
    let of_op = |op: &Op| match op {
        Op::Literal(_) | Op::Constant(_) | Op::Clock(_) | Op::Load(_) => 0.0,
        Op::Random(..) | Op::NormalBetween { .. } => 10.0,
        Op::Call1(Function::Abs | Function::Floor | Function::Ceil | Function::Sign, _) => 1.0,
        Op::Call1(..) => 6.0,
        Op::Call2(..) | Op::Call3(..) => 12.0,
        // About two of them per loop.
        _ => 0.5,
    };
    code.ops.iter().map(of_op).sum::<f64>() * LOOP
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Each block is in one range, in order; none is empty if there are enough; none is much larger than its share.
        #[test]
        fn stretches_are_about_the_same(costs in prop::collection::vec(1.0..100.0_f64, 1..60), count in 1..12_usize) {
            let blocks: Vec<BlockCost> =
                (0..).zip(&costs).map(|(first, cost)| BlockCost { population: 0, first, cost: *cost }).collect();
            let stretches = cut(&blocks, &vec![1.0; count]);
            prop_assert_eq!(stretches.len(), count.min(blocks.len()));
            prop_assert!(stretches.iter().all(|stretch| !stretch.is_empty()));
            let joined: Vec<u32> = stretches.concat().iter().map(|block| block.first).collect();
            prop_assert_eq!(joined, (0..blocks.len() as u32).collect::<Vec<_>>());
            let (total, largest) = (costs.iter().sum::<f64>(), costs.iter().copied().fold(0.0, f64::max));
            for stretch in stretches {
                let cost: f64 = stretch.iter().map(|block| block.cost).sum();
                prop_assert!(cost <= total / count as f64 + 1.5 * largest, "{} of {}", cost, total);
            }
        }
    }
}
