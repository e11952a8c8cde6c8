//! How synapses are drawn.

use std::sync::Arc;

use spikelet::rng::philox;
use spikelet::{ProceduralRows, RowDistribution};

use super::gaps::Gaps;
use super::newcomers;
use super::row::Row;

/// How synapses are drawn.
#[derive(Clone)]
pub(super) enum Rule {
    /// From counters, any row at any time.
    Rows(ProceduralRows),
    /// Only between neurons that exist, when a row is used.
    Lazy { seed: u64, fibre: u32, gaps: Arc<Gaps> },
}

impl Rule {
    /// Draws what a row lacks, up to the first `known` neurons of the target. Rows that were freed get back what they have `learned`.
    pub(super) fn complete(&self, pre: u32, row: &mut Row, known: u32, learned: &[(u32, u16)]) {
        match self {
            Rule::Rows(rule) => {
                row.targets.clear();
                rule.for_each(pre, &rule.post, |edge| row.targets.push(edge.post));
                let bits = if let RowDistribution::Bernoulli { bits, .. } = rule.distribution { bits } else { 31 };
                row.finish(bits, learned);
                row.decided = rule.post.end;
            }
            Rule::Lazy { seed, fibre, gaps } => {
                // The draws of a row are numbered by where they begin.
                let mut next = row.decided;
                row.reserve((f64::from(known - next) * gaps.p * 1.5) as usize + 16);
                'draws: while next < known {
                    for word in philox(*seed, [next, pre, newcomers::ROW | fibre << 8, 0]) {
                        let Some(gap) = gaps.draw(word, known - next) else { break 'draws };
                        row.push(next + gap);
                        next += gap + 1;
                    }
                }
                row.decided = known;
            }
        }
        row.is_drawn = true;
    }
}
