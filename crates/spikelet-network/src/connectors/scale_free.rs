//! The rule `scale_free`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry};
use crate::Error;

/// Neurons are added one by one; each is connected in both directions with `n` earlier neurons, drawn with probability proportional to
/// their degree (Barabási & Albert 1999).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScaleFree {
    /// Number of pairs per neuron.
    pub n: u32,
}

impl ScaleFree {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "scale_free",
        about: "growing network: new neurons prefer neurons with many synapses",
        keys: &["n"],
        example: || ScaleFree { n: 10 }.into(),
    };
}

impl Connect for ScaleFree {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_same_neurons()?;
        let others = between.pre.neurons.len() - 1;
        if self.n == 0 || self.n as usize > others {
            let expected = format!("each neuron is connected with at least one of {others} others, and with none twice");
            let way_out = match others {
                0 => "use more neurons".to_owned(),
                others => format!("for example {}", others.min(10)),
            };
            return Err(Error::invalid(between.at("n"), self.n, expected, way_out));
        }
        Ok(())
    }

    fn expected(&self, pres: f64, _: f64) -> Option<f64> {
        Some(2.0 * f64::from(self.n) * pres)
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Attachment { n: self.n })
    }

    fn autapses(&self) -> bool {
        false
    }
}
