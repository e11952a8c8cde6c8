//! From a rule to a recipe, where rows can be drawn from counters alone.

use super::recipe::{Law, Recipe};
use super::wiring::Wiring;
use super::{distance, total};
use crate::{Connector, Error, Quantity, Rule};

impl Wiring<'_> {
    /// The recipe of the rule, if rows can be drawn from counters alone.
    ///
    /// # Errors
    /// A length of the rule is none.
    pub(crate) fn recipe(&self) -> Result<Option<Recipe>, Error> {
        match self.rule {
            Rule::Connector(connector) if self.keep.is_none() && self.most == [None, None] => self.unfiltered(connector),
            _ => Ok(None),
        }
    }

    /// The recipe of the rule before its condition and caps are applied.
    ///
    /// # Errors
    /// A length of the rule is none.
    pub(super) fn unfiltered(&self, connector: &Connector) -> Result<Option<Recipe>, Error> {
        let posts = self.post.len() as u32;
        let law = match connector {
            Connector::All { .. } | Connector::Condition { .. } => Law::All,
            Connector::Bernoulli { p: Quantity::Number(p), .. } => Law::bernoulli(*p, posts),
            Connector::FixedOutdegree { n, multapses, .. } => Law::Fixed { counts: vec![*n], multapses: *multapses },
            Connector::FixedTotal { n, multapses, .. } => {
                Law::Fixed { counts: total::counts(self, *n, connector.autapses(), *multapses), multapses: *multapses }
            }
            _ => match distance::footprint(self, connector)? {
                Some(footprint) => Law::Footprint(footprint),
                None => return Ok(None),
            },
        };
        Ok(Some(Recipe {
            seed: self.seed,
            projection: self.projection,
            pre: self.pre.clone(),
            post: self.post.clone(),
            skips_self: self.recurrent && !connector.autapses(),
            law,
        }))
    }
}
