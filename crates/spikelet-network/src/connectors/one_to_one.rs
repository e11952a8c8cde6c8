//! The rule `one_to_one`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry};
use crate::Error;

/// The k-th neuron of the presynaptic slice with the k-th of the postsynaptic slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OneToOne {}

impl OneToOne {
    pub(super) const ENTRY: RuleEntry =
        RuleEntry { name: "one_to_one", about: "the k-th neuron with the k-th", keys: &[], example: || OneToOne {}.into() };
}

impl Connect for OneToOne {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        let (pres, posts) = (between.pre.neurons.len(), between.post.neurons.len());
        if pres == posts {
            return Ok(());
        }
        let (found, expected) = (format!("one_to_one from {pres} to {posts} neurons"), "both sides must have the same number");
        Err(Error::invalid(between.path, found, expected, "use slices of equal length, such as \"E[0:100]\""))
    }

    fn expected(&self, pres: f64, _: f64) -> Option<f64> {
        Some(pres)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::OneToOne)
    }

    fn autapses(&self) -> bool {
        true
    }
}
