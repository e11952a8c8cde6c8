//! The rule `small_world`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry};
use crate::Error;

/// A ring on which each neuron is connected to its `k` nearest neighbours, half of them on each side; each synapse is then moved, with
/// probability `rewire`, to a uniformly drawn target (directed; Watts & Strogatz 1998).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SmallWorld {
    /// Synapses from each presynaptic neuron, an even number.
    pub k: u32,
    /// Probability that a synapse is moved.
    pub rewire: f64,
}

impl SmallWorld {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "small_world",
        about: "neighbours on a ring, with some synapses moved at random",
        keys: &["k", "rewire"],
        example: || SmallWorld { k: 10, rewire: 0.1 }.into(),
    };
}

impl Connect for SmallWorld {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_probability("rewire", self.rewire)?;
        between.check_same_neurons()?;
        let others = between.pre.neurons.len() - 1;
        if self.k % 2 == 1 || self.k as usize > others {
            let expected = format!("half of the neighbours are on each side, of {others} others");
            return Err(Error::invalid(between.at("k"), self.k, expected, "use a smaller, even number"));
        }
        Ok(())
    }

    fn expected(&self, pres: f64, _: f64) -> Option<f64> {
        Some(f64::from(self.k) * pres)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Ring { k: self.k, rewire: self.rewire })
    }

    fn autapses(&self) -> bool {
        false
    }
}
