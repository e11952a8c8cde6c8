//! The rule `power_law`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry, is_yes, yes};
use crate::Error;

/// `n` synapses in total; the k-th strongest neuron of a side is drawn with probability proportional to k^(−1/(γ−1)), so that degrees have
/// a power law distribution with exponent γ (Goh, Kahng & Kim 2001).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PowerLaw {
    /// Total number of synapses.
    pub n: u64,
    /// γ of the out-degrees, above 2.
    pub gamma_out: f64,
    /// γ of the in-degrees, above 2.
    pub gamma_in: f64,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

impl PowerLaw {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "power_law",
        about: "degrees with power law distributions",
        keys: &["n", "gamma_out", "gamma_in", "autapses"],
        example: || PowerLaw { n: 10_000, gamma_out: 3.0, gamma_in: 3.0, autapses: true }.into(),
    };
}

impl Connect for PowerLaw {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        for (key, gamma) in [("gamma_out", self.gamma_out), ("gamma_in", self.gamma_in)] {
            if !(gamma > 2.0 && gamma.is_finite()) {
                let expected = "the exponent of a power law of degrees must be above 2";
                return Err(Error::invalid(between.at(key), gamma, expected, "for example 3"));
            }
        }
        let post = between.post.neurons;
        if between.others(post, between.pre.neurons) == 0 && self.n > 0 {
            return Err(between.nobody("postsynaptic", post.start));
        }
        Ok(())
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        Some(self.n as f64)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Ranked { n: self.n, gammas: [self.gamma_out, self.gamma_in] })
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
