//! The rule `fixed_outdegree`.

use serde::{Deserialize, Serialize};

use super::{Connect, Connector, Draw, ProjectionSlices, RuleEntry, is_yes, yes};
use crate::Error;

/// `n` synapses from each presynaptic neuron, onto uniformly drawn postsynaptic neurons: out-degrees are `n`, in-degrees vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FixedOutdegree {
    /// Synapses from each presynaptic neuron.
    pub n: u32,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
    /// Whether multapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub multapses: bool,
}

impl FixedOutdegree {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "fixed_outdegree",
        about: "the same number of synapses from each presynaptic neuron",
        keys: &["n", "autapses", "multapses"],
        example: || Connector::fixed_outdegree(100),
    };
}

impl Connect for FixedOutdegree {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_degree(self.n, self.multapses, "postsynaptic", between.post.neurons, between.pre.neurons)
    }

    fn expected(&self, pres: f64, _: f64) -> Option<f64> {
        Some(f64::from(self.n) * pres)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Outdegree { n: self.n, multapses: self.multapses })
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
