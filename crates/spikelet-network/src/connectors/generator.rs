//! The rule `generator`.

use serde::{Deserialize, Serialize};

use super::{Connect, Connector, Draw, ProjectionSlices, RuleEntry};
use crate::Error;

/// Each neuron with the indices that an expression generates, as in Brian 2: `"j": "k for k in range(i-3, i+4) if i != k"` gives the targets of
/// each presynaptic neuron, `"i"` the sources of each postsynaptic neuron.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// Postsynaptic indices of each presynaptic neuron `i`: an expression, or `EXPRESSION for k in range(first, end, step) if CONDITION`.
    /// `sample(first, end, step, p=0.1)` draws each value of a range with a probability, `size=10` a number of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub j: Option<String>,
    /// Presynaptic indices of each postsynaptic neuron `j`, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub i: Option<String>,
    /// Whether indices without a neuron are omitted; otherwise they are errors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_if_invalid: bool,
}

impl Generator {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "generator",
        about: "indices that an expression generates for each neuron",
        keys: &["j", "i", "skip_if_invalid"],
        example: || Connector::generator("k for k in range(i-3, i+4) if i != k", true),
    };
}

impl Connect for Generator {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        if self.i.is_some() != self.j.is_some() {
            return Ok(());
        }
        let found = if self.i.is_some() { "both `i` and `j`" } else { "neither `i` nor `j`" };
        let expected = "either the targets `j` of each `i` are given, or the sources `i` of each `j`";
        Err(Error::invalid(between.path, found, expected, "for example \"j\": \"k for k in range(i-3, i+4) if i != k\""))
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Generated { sources: self.i.is_some() })
    }

    fn generated(&self) -> Option<&str> {
        self.j.as_deref().or(self.i.as_deref())
    }

    fn autapses(&self) -> bool {
        true
    }
}
