//! Conversion of a rule to a recipe, if its rows can be drawn from counters.

use super::connectivity::Connectivity;
use super::procedural_rows::{ProceduralRows, RowDistribution};
use super::{distance, total};
use crate::connectors::Draw;

impl Connectivity<'_> {
    /// The recipe of such rows, if they can be drawn from counters.
    pub(super) fn procedural(&self, draw: &Draw, autapses: bool) -> Option<ProceduralRows> {
        if self.keep.is_none() && self.most == [None, None] { self.unfiltered(draw, autapses) } else { None }
    }

    /// The recipe of such rows, without conditions and caps.
    pub(super) fn unfiltered(&self, draw: &Draw, autapses: bool) -> Option<ProceduralRows> {
        let posts = self.post.len() as u32;
        let distribution = match *draw {
            Draw::All => RowDistribution::All,
            Draw::Bernoulli { p } => RowDistribution::bernoulli(p, posts),
            Draw::Outdegree { n, multapses } => RowDistribution::Fixed { counts: vec![n], multapses },
            Draw::Total { n, multapses } => {
                RowDistribution::Fixed { counts: total::counts(self, n, autapses, multapses), multapses }
            }
            Draw::Kernel(ref kernel) => RowDistribution::Footprint(distance::footprint(self, kernel)?),
            Draw::OneToOne
            | Draw::Pairs
            | Draw::Indegree { .. }
            | Draw::Tiles { .. }
            | Draw::Ring { .. }
            | Draw::Attachment { .. }
            | Draw::Ranked { .. } => return None,
        };
        Some(ProceduralRows {
            seed: self.seed,
            projection: self.projection,
            pre: self.pre.clone(),
            post: self.post.clone(),
            skips_self: self.recurrent && !autapses,
            distribution,
        })
    }
}
