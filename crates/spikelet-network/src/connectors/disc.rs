//! The rule `disc`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, Kernel, ProjectionSlices, RuleEntry, is_one, is_yes, one, yes};
use crate::{Error, Quantity};

/// Each pair with a distance of at most `radius`, independently with probability `p`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Probability.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub p: f64,
    /// Maximum distance, in µm.
    pub radius: Quantity,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl Disc {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "disc",
        about: "pairs within a radius",
        keys: &["p", "radius", "autapses"],
        example: || Disc { p: 1.0, radius: "100 um".into(), autapses: true }.into(),
    };
}

impl Connect for Disc {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_probability("p", self.p)?;
        between.check_space().map(|_| ())
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn draw(&self, path: &str) -> Result<Draw, Error> {
        Ok(Draw::Kernel(Kernel { cutoff: self.radius.length(&format!("{path}.radius"))?, ..Kernel::flat(self.p) }))
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
