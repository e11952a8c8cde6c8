//! Consecutive neurons.

use crate::problem::{FREE, Problem};

/// Gives each neuron that has no rank yet, and follows no other one, a rank: consecutive neurons of each population, such that the loads of
/// all ranks become as equal as possible.
pub(crate) fn spread(problem: &Problem<'_>, rank_of: &mut [u32], ranks: usize) {
    let mut loads = vec![0.0; ranks];
    for (load, rank) in problem.weights.iter().zip(rank_of.iter()).filter(|(_, rank)| **rank != FREE) {
        loads[*rank as usize] += load;
    }
    for population in 0..problem.shape.len() {
        let free: Vec<u32> = problem.free_of(population, rank_of).collect();
        if !free.is_empty() {
            spread_population(&problem.weights, &free, rank_of, &mut loads);
        }
    }
}

/// Fills the ranks up to a common load.
fn spread_population(weights: &[f64], free: &[u32], rank_of: &mut [u32], loads: &mut [f64]) {
    let all: f64 = free.iter().map(|neuron| weights[*neuron as usize]).sum();
    let level = (loads.iter().sum::<f64>() + all) / loads.len() as f64;
    let wanted: Vec<f64> = loads.iter().map(|load| (level - load).max(0.0)).collect();
    let factor = all / wanted.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    // A neuron belongs to the rank in whose share its middle is.
    let (mut rank, mut end, mut sum) = (0, wanted[0] * factor, 0.0);
    for neuron in free {
        let weight = weights[*neuron as usize];
        while sum + 0.5 * weight >= end && rank + 1 < loads.len() {
            rank += 1;
            end += wanted[rank] * factor;
        }
        sum += weight;
        rank_of[*neuron as usize] = rank as u32;
        loads[rank] += weight;
    }
}
