//! The rule `gaussian`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, Falloff, Kernel, ProjectionSlices, RuleEntry, is_one, is_yes, one, yes};
use crate::{Error, Quantity};

/// Each pair independently with probability p·exp(−d²/2σ²).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// Probability at distance 0.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub p: f64,
    /// σ, in µm.
    pub sigma: Quantity,
    /// Maximum distance of a pair, in µm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<Quantity>,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl Gaussian {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "gaussian",
        about: "probability decreases with distance as a Gaussian",
        keys: &["p", "sigma", "cutoff", "autapses"],
        example: || Gaussian { p: 0.5, sigma: "100 um".into(), cutoff: None, autapses: true }.into(),
    };
}

impl Connect for Gaussian {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_probability("p", self.p)?;
        between.check_space().map(|_| ())
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn draw(&self, path: &str) -> Result<Draw, Error> {
        let falloff = Falloff::Gaussian { sigma: self.sigma.length(&format!("{path}.sigma"))? };
        let cutoff = self.cutoff.as_ref().map(|cutoff| cutoff.length(&format!("{path}.cutoff"))).transpose()?;
        Ok(Draw::Kernel(Kernel { falloff, cutoff: cutoff.unwrap_or(f64::INFINITY), ..Kernel::flat(self.p) }))
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
