//! The rules `all` and `condition`, which differ only in that the latter requires the condition.

use serde::{Deserialize, Serialize};

use super::{Connect, Connector, Draw, ProjectionSlices, RuleEntry, is_yes, yes};
use crate::Error;

/// Every pair, or every pair for which a condition is true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct All {
    /// Only pairs for which this condition is true: on `i`, `j`, positions (`x_pre`, `x_post` …) and the distance `d`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl All {
    pub(super) const ENTRY: RuleEntry =
        RuleEntry { name: "all", about: "every pair", keys: &["condition", "autapses"], example: Connector::all };
}

impl Connect for All {
    fn check(&self, _: &ProjectionSlices<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn expected(&self, pres: f64, posts: f64) -> Option<f64> {
        self.condition.is_none().then_some(pres * posts)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::All)
    }

    fn condition(&self) -> Option<&str> {
        self.condition.as_deref()
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}

/// Every pair for which a condition is true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// As that of `all`.
    pub condition: String,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl Condition {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "condition",
        about: "every pair for which a condition holds",
        keys: &["condition", "autapses"],
        example: || Condition { condition: "i != j".into(), autapses: true }.into(),
    };
}

impl Connect for Condition {
    fn check(&self, _: &ProjectionSlices<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::All)
    }

    fn condition(&self) -> Option<&str> {
        Some(&self.condition)
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
