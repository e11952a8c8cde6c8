//! What an operation prints.

use std::fmt;

use indexmap::IndexMap;
use serde::Serialize;
use spikelet::human;
use spikelet_assemblies::{AreaId, Brain, LARGEST_INPUT};

use crate::text::short;

/// The results of an operation with several seeds. The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Report {
    pub(super) operation: &'static str,
    pub(super) mode: &'static str,
    pub(super) n: u32,
    pub(super) k: u32,
    pub(super) p: f64,
    pub(super) beta: f64,
    pub(super) rounds: u32,
    /// The largest weight.
    pub(super) w_max: f64,
    /// Whether it was given, and is not the default.
    #[serde(skip)]
    pub(super) is_w_max_chosen: bool,
    /// The expected overlap of two independent sets of winners: k/n.
    pub(super) chance: f64,
    /// What computes.
    pub(super) backend: String,
    pub(super) threads: usize,
    /// Whether all seeds were run.
    pub(super) completed: bool,
    /// The signal that ended the command.
    pub(super) interrupted: Option<&'static str>,
    /// Wall time of the rounds of all seeds divided by their number; null before the first result.
    pub(super) seconds_per_round: Option<f64>,
    /// The largest memory of areas and synapses.
    pub(super) memory_bytes: u64,
    pub(super) results: Vec<OperationResult>,
}

/// Overlaps by name, as parts of the smaller set.
pub(super) type Overlaps = IndexMap<String, f64>;

/// The results with a seed.
#[derive(Debug, Clone, Serialize)]
pub(super) struct OperationResult {
    pub(super) seed: u64,
    /// The number of neurons of the last area that have ever won.
    pub(super) support: u32,
    /// The part of the winners of its last round that also won the round before.
    pub(super) stability: f64,
    pub(super) overlaps: Overlaps,
    /// The support of each area.
    pub(super) supports: IndexMap<String, u32>,
    pub(super) winners_hash: String,
}

impl OperationResult {
    /// Of a brain that has saved its winners, for the area in which the operation ended.
    pub(super) fn new(brain: &Brain, seed: u64, area: AreaId, stability: f64, overlaps: Overlaps) -> OperationResult {
        let supports = brain.areas().map(|area| (brain.name(area).to_owned(), brain.support(area))).collect();
        OperationResult { seed, support: brain.support(area), stability, overlaps, supports, winners_hash: brain.winners_hash() }
    }
}

/// The number of common neurons divided by the size of the smaller set; both are in ascending order.
pub(super) fn overlap(one: &[u32], other: &[u32]) -> f64 {
    let common = one.iter().filter(|neuron| other.binary_search(neuron).is_ok()).count();
    common as f64 / one.len().min(other.len()).max(1) as f64
}

/// The largest number of sources of an area in an operation, which all have k neurons that fire: its own, and two more.
const SOURCES: u32 = 3;

/// The largest weight with which no input can grow too large in an operation, however many rounds it has; at most 10,000, to which a brain
/// limits weights anyway, and at least 2, so that a synapse can learn. A neuron by far does not have synapses from all of these winners.
pub(super) fn safe_w_max(k: u32) -> f64 {
    f64::from(LARGEST_INPUT / SOURCES.saturating_mul(k).max(1)).clamp(2.0, 10_000.0)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { operation, mode, n, k, p, beta, rounds, results, .. } = self;
        writeln!(f, "{operation}: n = {n}, k = {k}, p = {p}, beta = {beta}, {rounds} rounds in each phase, {mode}")?;
        if self.is_w_max_chosen {
            writeln!(f, "weights grow to at most {} (--w-max)", self.w_max)?;
        } else {
            writeln!(
                f,
                "weights grow to at most {}, so that the input of a neuron from {SOURCES}k = {} others does not exceed {LARGEST_INPUT}; \
                 --w-max sets another bound",
                self.w_max,
                SOURCES.saturating_mul(*k)
            )?;
        }
        let names: Vec<&String> = results.first().into_iter().flat_map(|result| result.overlaps.keys()).collect();
        let width = |name: &str| name.chars().count().max(6) + 2;
        write!(f, "\n{:>6}{:>10}{:>11}", "seed", "support", "stability")?;
        names.iter().try_for_each(|name| write!(f, "{name:>0$}", width(name)))?;
        writeln!(f, "  winners hash")?;
        for result in results {
            write!(f, "{:>6}{:>10}{:>11}", result.seed, result.support, short(result.stability))?;
            for name in &names {
                let overlap = result.overlaps.get(*name).copied().unwrap_or(f64::NAN);
                write!(f, "{:>1$}", short(overlap), width(name))?;
            }
            writeln!(f, "  {}", result.winners_hash)?;
        }
        if results.len() > 1 {
            let mean = |of: &dyn Fn(&OperationResult) -> f64| short(results.iter().map(of).sum::<f64>() / results.len() as f64);
            let [support, stability] = [mean(&|result| result.support.into()), mean(&|result| result.stability)];
            write!(f, "{:>6}{support:>10}{stability:>11}", "mean")?;
            for name in &names {
                write!(f, "{:>1$}", mean(&|result| result.overlaps[*name]), width(name))?;
            }
            writeln!(f)?;
        }
        let milliseconds = self.seconds_per_round.map_or("–".to_owned(), |seconds| short(seconds * 1e3));
        write!(f, "\n{milliseconds} ms a round on {}; {}", self.backend, human(self.memory_bytes))
    }
}
