//! The rule `sparse`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry};
use crate::Error;

/// Each pair independently with a probability of `percent` %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sparse {
    /// Probability of a pair, in percent.
    pub percent: f64,
}

impl Sparse {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "sparse",
        about: "each pair with a probability in percent",
        keys: &["percent"],
        example: || Sparse { percent: 2.0 }.into(),
    };
}

impl Connect for Sparse {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_probability("percent", self.percent / 100.0)
    }

    fn expected(&self, pres: f64, posts: f64) -> Option<f64> {
        Some(self.percent / 100.0 * pres * posts)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Bernoulli { p: self.percent / 100.0 })
    }

    fn autapses(&self) -> bool {
        true
    }
}
