//! Conversion of a rule to a recipe, if its rows can be drawn from counters.

use spikelet_network::connectors::Draw;

use super::connectivity::Connectivity;
use super::distance;
use super::procedural_rows::{ProceduralRows, RowDistribution};

impl Connectivity<'_> {
    /// The recipe of such rows, without conditions and caps, if they can be drawn from counters. `counts` are the numbers of edges of rows
    /// whose total is given.
    pub(super) fn unfiltered(&self, draw: &Draw, autapses: bool, counts: Vec<u32>) -> Option<ProceduralRows> {
        let posts = self.post.len() as u32;
        let distribution = match *draw {
            Draw::All => RowDistribution::All,
            Draw::Bernoulli { p } => RowDistribution::bernoulli(p, posts),
            Draw::Outdegree { n, multapses } => RowDistribution::Fixed { counts: vec![n], multapses },
            Draw::Total { multapses, .. } => RowDistribution::Fixed { counts, multapses },
            Draw::Kernel(ref kernel) => RowDistribution::Footprint(distance::footprint(self, kernel)?),
            Draw::OneToOne
            | Draw::Pairs
            | Draw::Indegree { .. }
            | Draw::Tiles { .. }
            | Draw::Ring { .. }
            | Draw::Attachment { .. }
            | Draw::Ranked { .. }
            | Draw::Generated { .. } => return None,
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
