//! The best of several partitions.

use spikelet_network::{Error, Network};
use spikelet_rows::Partition;

use crate::method::{Choice, Method};
use crate::problem::Problem;
use crate::rates::Rates;
use crate::score::Score;

/// A load imbalance up to this factor above the best one is accepted for fewer spikes.
const NEARLY: f64 = 1.05;

/// A method with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// The score of its partition.
    pub score: Score,
}

/// The candidate with the fewest spikes exchanged of those whose load is nearly as balanced as the best one, and why in a sentence; of equal ones
/// that with the smallest cut, and then the first. `None` without candidates.
pub fn best(candidates: &[Candidate]) -> Option<(usize, String)> {
    let balance = candidates.iter().map(|of| of.score.imbalance).fold(f64::INFINITY, f64::min);
    let is_balanced = |of: &Candidate| of.score.imbalance <= balance * NEARLY;
    let key = |of: &Candidate| (of.score.expected_spikes_exchanged, of.score.cut);
    let less = |a: &Candidate, b: &Candidate| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    let balanced = candidates.iter().enumerate().filter(|(_, of)| is_balanced(of));
    let (index, chosen) = balanced.min_by(|(_, a), (_, b)| less(a, b))?;
    let spikes = |of: &Candidate| format!("{:.4e}", of.score.expected_spikes_exchanged);
    let left_out = candidates.iter().filter(|of| !is_balanced(of) && less(of, chosen).is_lt()).min_by(|a, b| less(a, b));
    let but = left_out.map_or(String::new(), |other| {
        format!("; {} would exchange {}, but its load imbalance is {:.3}", other.method, spikes(other), other.score.imbalance)
    });
    let reason = format!(
        "{} exchanges the fewest spikes, {} per second, of the methods whose load imbalance is within 5 % of the best one ({balance:.3}){but}",
        chosen.method,
        spikes(chosen)
    );
    Some((index, reason))
}

/// Divides a network among ranks: the partition, its score, and why it was taken. Without `rates` the [expected ones](Rates::expected) count.
///
/// # Errors
/// Those of [`Problem::new`] and [`Problem::divide`].
pub fn choose(
    network: &Network,
    ranks: usize,
    choice: Choice,
    rates: Option<Rates>,
) -> Result<(Partition, Score, String), Error> {
    let problem = Problem::new(network, rates.unwrap_or_else(|| Rates::expected(network)))?;
    if let Choice::Only(method) = choice {
        let partition = problem.divide(ranks, method)?;
        let score = problem.score(&partition);
        return Ok((partition, score, format!("{method} was requested")));
    }
    let mut partitions = Vec::new();
    let mut candidates = Vec::new();
    for method in problem.methods() {
        let partition = problem.divide(ranks, method)?;
        candidates.push(Candidate { method, score: problem.score(&partition) });
        partitions.push(partition);
    }
    // There is always the method `blocks`.
    let (index, reason) = best(&candidates).unwrap_or_default();
    Ok((partitions.swap_remove(index), candidates[index].score, reason))
}
