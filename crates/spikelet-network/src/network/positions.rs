//! Positions of the neurons of a population.

use serde::{Deserialize, Serialize};

use crate::Quantity;

/// Positions of the neurons of a population, in one to four dimensions, in µm; the coordinates are `x`, `y`, `z` and `w`.
///
/// Space extends from 0 to the extent of the box or grid along each axis. If it is `periodic`, opposite sides are connected, and distances
/// are the shortest ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "layout", rename_all = "snake_case", deny_unknown_fields)]
pub enum Positions {
    /// A grid. The first coordinate changes fastest: neuron 1 is the neighbour of neuron 0 along x. The neuron with grid coordinates k is
    /// at (k + ½)·spacing.
    Grid {
        /// Neurons along each axis; their product is the size of the population.
        shape: Vec<u32>,
        /// Distance of neighbours, in µm.
        #[serde(default = "one")]
        spacing: Quantity,
        /// Numbers neurons tile by tile, with this number of neurons along each axis of a tile: neighbours are then close to each other in
        /// memory. It must divide the shape.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tile: Option<u32>,
        /// Whether space is periodic.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        periodic: bool,
        /// The corner of the grid, in µm: added to all positions. Default: 0 along each axis.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        origin: Vec<f64>,
    },
    /// Uniformly distributed in a box.
    Random {
        /// Extent along each axis, in µm.
        r#box: Vec<Quantity>,
        /// Whether space is periodic.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        periodic: bool,
    },
    /// A list.
    List {
        /// Coordinates of each neuron.
        points: Vec<Vec<f64>>,
        /// Unit of the coordinates; default µm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
        /// Extent of periodic space along each axis, in µm; default: not periodic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r#box: Option<Vec<Quantity>>,
    },
}

impl Positions {
    /// A grid with a spacing of 1 µm in space that is not periodic, with its corner at 0.
    pub fn lattice(shape: Vec<u32>) -> Positions {
        Positions::Grid { shape, spacing: one(), tile: None, periodic: false, origin: Vec::new() }
    }

    /// Number of coordinates of a neuron.
    pub fn dimensions(&self) -> usize {
        match self {
            Positions::Grid { shape, .. } => shape.len(),
            Positions::Random { r#box, .. } => r#box.len(),
            Positions::List { points, .. } => points.first().map_or(0, Vec::len),
        }
    }

    /// Whether space is periodic.
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
