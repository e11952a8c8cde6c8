//! The rule `fixed_total`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry, is_yes, yes};
use crate::Error;

/// Maximum number of synapses of a `fixed_total`: the maximum of a stored projection.
const MAX_COUNTED: u64 = u32::MAX as u64;

/// `n` synapses in total, each between a uniformly drawn presynaptic and postsynaptic neuron: both degrees vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FixedTotal {
    /// Total number of synapses.
    pub n: u64,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
    /// Whether multapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub multapses: bool,
}

impl FixedTotal {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "fixed_total",
        about: "a total number of synapses",
        keys: &["n", "autapses", "multapses"],
        example: || FixedTotal { n: 10_000, autapses: true, multapses: true }.into(),
    };
}

impl Connect for FixedTotal {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        let (n, pre, post) = (self.n, between.pre.neurons, between.post.neurons);
        let shared = (pre.start.max(post.start)..pre.end.min(post.end)).len() as u64;
        let left_out = if between.recurrent && !self.autapses { shared } else { 0 };
        match pre.len() as u64 * post.len() as u64 - left_out {
            0 if n > 0 => Err(between.nobody("postsynaptic", post.start)),
            most if !self.multapses && n > most => {
                let expected = format!("there are only {most} pairs without repetition");
                Err(Error::invalid(between.at("n"), n, expected, format!("write at most {most}, or allow multapses")))
            }
            _ if n > MAX_COUNTED => {
                let expected = format!("each synapse of a `fixed_total` is drawn to count it, at most {MAX_COUNTED} of them");
                let way_out = "use \"fixed_outdegree\", which draws a row only when its neuron fires, or split the projection";
                Err(Error::invalid(between.at("n"), n, expected, way_out).of_kind("out_of_memory"))
            }
            _ => Ok(()),
        }
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        Some(self.n as f64)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Total { n: self.n, multapses: self.multapses })
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
