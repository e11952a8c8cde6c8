//! The rule `bernoulli`.

use serde::{Deserialize, Serialize};

use super::{Connect, Connector, Draw, ProjectionSlices, RuleEntry, is_yes, yes};
use crate::{Error, Quantity};

/// Each pair independently with probability `p`: both degrees are binomial, there are no multapses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bernoulli {
    /// Probability, 0 to 1: a number, or an expression of `i`, `j`, positions and the distance `d`.
    pub p: Quantity,
    /// Only pairs for which this condition is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl Bernoulli {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "bernoulli",
        about: "each pair independently with a probability",
        keys: &["p", "condition", "autapses"],
        example: || Connector::bernoulli(0.1),
    };
}

impl Connect for Bernoulli {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        self.p.check_shape(between.at("p"), None)?;
        self.p.numbers().try_for_each(|p| between.check_probability("p", p))
    }

    fn expected(&self, pres: f64, posts: f64) -> Option<f64> {
        match (&self.p, &self.condition) {
            (Quantity::Number(p), None) => Some(p * pres * posts),
            _ => None,
        }
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(match self.p {
            Quantity::Number(p) => Draw::Bernoulli { p },
            _ => Draw::Pairs,
        })
    }

    fn condition(&self) -> Option<&str> {
        self.condition.as_deref()
    }

    fn probability(&self) -> Option<&str> {
        match &self.p {
            Quantity::Text(text) | Quantity::Expr(text) => Some(text),
            _ => None,
        }
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
