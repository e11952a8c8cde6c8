//! Where the neurons of a population lie.

use serde::{Deserialize, Serialize};

use crate::Quantity;

/// Where the neurons of a population lie, in one to four dimensions, in µm; coordinates are called `x`, `y`, `z` and `w`.
///
/// Space reaches from 0 to the extent of the box, or of the grid, along each axis. Where it is `periodic`, what leaves it on one side
/// enters on the other, and distances are the shortest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "layout", rename_all = "snake_case", deny_unknown_fields)]
pub enum Positions {
    /// On a grid: the first coordinate runs fastest, so neuron 1 is the neighbour of neuron 0 along x. The neuron with grid
    /// coordinates k lies at (k + ½)·spacing.
    Grid {
        /// Neurons along each axis; their product is the size of the population.
        shape: Vec<u32>,
        /// From one neuron to the next, in µm.
        #[serde(default = "one")]
        spacing: Quantity,
        /// Numbers neurons tile by tile, each tile so many neurons along each axis: those near each other then lie near each other in
        /// memory. It must divide the shape.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tile: Option<u32>,
        /// Whether space is closed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        periodic: bool,
    },
    /// Each somewhere in a box, every place being as likely.
    Random {
        /// Extent along each axis, in µm.
        r#box: Vec<Quantity>,
        /// Whether space is closed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        periodic: bool,
    },
    /// As listed.
    List {
        /// Coordinates of each neuron.
        points: Vec<Vec<f64>>,
        /// Unit of the coordinates; µm where it is not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
        /// Extent of closed space along each axis, in µm; open where it is not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r#box: Option<Vec<Quantity>>,
    },
}

impl Positions {
    /// How many coordinates a neuron has.
    pub fn dimensions(&self) -> usize {
        match self {
            Positions::Grid { shape, .. } => shape.len(),
            Positions::Random { r#box, .. } => r#box.len(),
            Positions::List { points, .. } => points.first().map_or(0, Vec::len),
        }
    }

    /// Whether space is closed.
    pub fn is_periodic(&self) -> bool {
        match self {
            Positions::Grid { periodic, .. } | Positions::Random { periodic, .. } => *periodic,
            Positions::List { r#box, .. } => r#box.is_some(),
        }
    }
}

fn one() -> Quantity {
    Quantity::Number(1.0)
}
