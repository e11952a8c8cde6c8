//! From the kind of rows that a rule draws to a recipe, where rows can be drawn from counters alone.

use super::recipe::{Law, Recipe};
use super::wiring::Wiring;
use super::{distance, total};
use crate::connectors::Draw;

impl Wiring<'_> {
    /// The recipe of such rows, if they can be drawn from counters alone.
    pub(super) fn recipe(&self, draw: &Draw, autapses: bool) -> Option<Recipe> {
        if self.keep.is_none() && self.most == [None, None] { self.unfiltered(draw, autapses) } else { None }
    }

    /// The recipe of such rows before conditions and caps are applied.
    pub(super) fn unfiltered(&self, draw: &Draw, autapses: bool) -> Option<Recipe> {
        let posts = self.post.len() as u32;
        let law = match *draw {
            Draw::All => Law::All,
            Draw::Bernoulli { p } => Law::bernoulli(p, posts),
            Draw::Outdegree { n, multapses } => Law::Fixed { counts: vec![n], multapses },
            Draw::Total { n, multapses } => Law::Fixed { counts: total::counts(self, n, autapses, multapses), multapses },
            Draw::Kernel(ref kernel) => Law::Footprint(distance::footprint(self, kernel)?),
            Draw::OneToOne
            | Draw::Pairs
            | Draw::Indegree { .. }
            | Draw::Tiles { .. }
            | Draw::Ring { .. }
            | Draw::Attachment { .. }
            | Draw::Ranked { .. } => return None,
        };
        Some(Recipe {
            seed: self.seed,
            projection: self.projection,
            pre: self.pre.clone(),
            post: self.post.clone(),
            skips_self: self.recurrent && !autapses,
            law,
        })
    }
}
