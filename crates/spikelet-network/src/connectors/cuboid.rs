//! The rule `box`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, Kernel, ProjectionSlices, RuleEntry, is_one, is_yes, one, yes};
use crate::{Error, Quantity};

/// Each pair within a maximum distance along each axis, independently with probability `p`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Probability.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub p: f64,
    /// Maximum distance along each axis, in µm.
    pub half_widths: Vec<Quantity>,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl Cuboid {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "box",
        about: "pairs within a box",
        keys: &["p", "half_widths", "autapses"],
        example: || Cuboid { p: 1.0, half_widths: vec!["100 um".into(); 2], autapses: true }.into(),
    };
}

impl Connect for Cuboid {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_probability("p", self.p)?;
        let dimensions = between.check_space()?;
        if self.half_widths.len() == dimensions {
            return Ok(());
        }
        let (found, expected) =
            (format!("a list of {}", self.half_widths.len()), format!("the neurons have {dimensions} coordinates"));
        Err(Error::invalid(between.at("half_widths"), found, expected, "give one value per coordinate"))
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn draw(&self, path: &str) -> Result<Draw, Error> {
        let mut kernel = Kernel::flat(self.p);
        for (axis, (most, width)) in kernel.half_widths.iter_mut().zip(&self.half_widths).enumerate() {
            *most = width.length(&format!("{path}.half_widths[{axis}]"))?;
        }
        Ok(Draw::Kernel(kernel))
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
