//! The rule `blockwise`.

use serde::{Deserialize, Serialize};

use super::{Connect, Draw, ProjectionSlices, RuleEntry, is_one, is_yes, one, yes};
use crate::{Error, Positions};

/// Grids are divided into tiles of `tile` neurons along each axis; each pair in the same or in neighbouring tiles is connected
/// independently with probability `p`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Blockwise {
    /// Neurons along each edge of a tile.
    pub tile: u32,
    /// Maximum distance of neighbouring tiles along each axis, in tiles.
    #[serde(default = "one_tile")]
    pub reach: u32,
    /// Probability.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub p: f64,
    /// Whether autapses are allowed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autapses: bool,
}

fn one_tile() -> u32 {
    1
}

impl Blockwise {
    pub(super) const ENTRY: RuleEntry = RuleEntry {
        name: "blockwise",
        about: "pairs in the same or a neighbouring tile of a grid",
        keys: &["tile", "reach", "p", "autapses"],
        example: || Blockwise { tile: 10, reach: 1, p: 1.0, autapses: false }.into(),
    };
}

impl Connect for Blockwise {
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        between.check_probability("p", self.p)?;
        between.check_space()?;
        if self.tile == 0 {
            let expected = "a tile has at least one neuron along each edge";
            return Err(Error::invalid(between.at("tile"), 0, expected, "for example 10"));
        }
        for end in [&between.pre, &between.post] {
            if !matches!(end.positions, Some(Positions::Grid { .. })) {
                let expected = format!("the rule \"blockwise\" needs grids, and `{}` has none", end.endpoint.population);
                return Err(Error::invalid(between.path, "given", expected, "set positions with the layout \"grid\""));
            }
        }
        Ok(())
    }

    fn expected(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn draw(&self, _: &str) -> Result<Draw, Error> {
        Ok(Draw::Tiles { tile: self.tile, reach: self.reach, p: self.p })
    }

    fn autapses(&self) -> bool {
        self.autapses
    }
}
