//! The rule `fixed_indegree`.

use serde::{Deserialize, Serialize};

use super::{Connect, Connector, Draw, ProjectionSlices, RuleEntry, is_yes, yes};
use crate::Error;

/// `n` synapses onto each postsynaptic neuron, from uniformly drawn presynaptic neurons: in-degrees are `n`, out-degrees vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FixedIndegree {
    /// Synapses onto each postsynaptic neuron.
    pub n: u32,
    /// Draw only from `[first, end]`, `end` not included; default: the whole presynaptic slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_range: Option<[u32; 2]>,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
    /// Whether multapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub multapses: bool,
}

impl FixedIndegree {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "fixed_indegree",
        about: "the same number of synapses onto each postsynaptic neuron",
        keys: &["n", "pre_range", "autapses", "multapses"],
        example: || Connector::fixed_indegree(100),
    };
}

impl Connect for FixedIndegree {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        let pre = between.pre.neurons;
        let sources = self.pre_range.map_or(pre.clone(), |[first, end]| first..end);
        if sources.is_empty() || sources.start < pre.start || sources.end > pre.end {
            let expected = format!("the presynaptic neurons are {} to {}", pre.start, pre.end - 1);
            let value = format!("[{}, {}]", sources.start, sources.end);
            let way_out = format!("use a part of [{}, {}]", pre.start, pre.end);
            return Err(Error::invalid(between.at("pre_range"), value, expected, way_out));
        }
        between.check_degree(self.n, self.multapses, "presynaptic", &sources, between.post.neurons)
    }

    fn expected(&self, _: f64, posts: f64) -> Option<f64> {
        Some(f64::from(self.n) * posts)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Indegree { n: self.n, pre_range: self.pre_range, multapses: self.multapses })
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
