//! Positions and distances.

use spikelet_lang::{Dimension, syntax};
use spikelet_network::{Error, Positions, Quantity};

use super::procedural_rows::coordinates;
use crate::rng::{Key, Purpose};

/// Positions of the neurons of a population, in µm.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// Number of coordinates.
    pub dimensions: usize,
    /// Extent of periodic space along each axis; infinite if it is not periodic.
    pub extent: [f64; 4],
    points: Points,
}

#[derive(Debug, Clone, PartialEq)]
enum Points {
    Grid(Grid),
    Listed(Vec<[f64; 4]>),
}

/// A grid of neurons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Neurons along each axis, 1 for unused axes.
    pub shape: [u32; 4],
    pub spacing: f64,
    /// Neurons along the edge of a tile, or 0.
    pub tile: u32,
    pub periodic: bool,
    /// Position of the corner.
    pub origin: [f64; 4],
}

impl Grid {
    /// Grid coordinates of a neuron.
    pub fn coordinates(&self, neuron: u32) -> [u32; 4] {
        coordinates(self.shape, self.tile, neuron)
    }

    /// Whether a neuron is in a tile near that of a neuron of another grid: at most `reach` tiles apart along each axis.
    pub fn are_near(&self, neuron: u32, other: &Grid, neuron_of_other: u32, tile: u32, reach: u32) -> bool {
        let tiles = |grid: &Grid, neuron: u32| grid.coordinates(neuron).map(|at| at / tile);
        let across = self.shape.map(|edge| edge.div_ceil(tile));
        tiles(self, neuron).into_iter().zip(tiles(other, neuron_of_other)).zip(across).all(|((a, b), across)| {
            let apart = a.abs_diff(b);
            (if self.periodic { apart.min(across.abs_diff(apart)) } else { apart }) <= reach
        })
    }

    /// Whether neighbours along x have consecutive numbers, and space ends at the edges.
    pub fn is_plain(&self) -> bool {
        self.tile == 0 && !self.periodic
    }
}

impl Space {
    /// The positions of the `size` neurons of the population with this index.
    ///
    /// # Errors
    /// A length that is not valid; its path.
    pub fn new(positions: &Positions, path: &str, seed: u64, index: u32, size: u32) -> Result<Space, Error> {
        let dimensions = positions.dimensions();
        let extents = |lengths: &[Quantity]| {
            let mut extent = [0.0; 4];
            for (axis, quantity) in lengths.iter().enumerate() {
                extent[axis] = quantity.length(&format!("{path}.box[{axis}]"))?;
            }
            Ok::<_, Error>(extent)
        };
        let (mut extent, periodic) = ([f64::INFINITY; 4], positions.is_periodic());
        let points = match positions {
            Positions::Grid { shape, spacing, tile, periodic, origin } => {
                let spacing = spacing.length(&format!("{path}.spacing"))?;
                let edge = |axis: usize| shape.get(axis).copied().unwrap_or(1);
                let shape = std::array::from_fn(edge);
                extent = shape.map(|edge| f64::from(edge) * spacing);
                let origin = std::array::from_fn(|axis| origin.get(axis).copied().unwrap_or(0.0));
                Points::Grid(Grid { shape, spacing, tile: tile.unwrap_or(0), periodic: *periodic, origin })
            }
            Positions::Random { r#box, .. } => {
                extent = extents(r#box)?;
                let place = |neuron| {
                    let words = Key(seed).draw(Purpose::Position, index, [neuron, 0, 0]);
                    std::array::from_fn(|axis| f64::from(words[axis]) / 4_294_967_296.0 * extent[axis])
                };
                Points::Listed((0..size).map(place).collect())
            }
            Positions::List { points, unit, r#box } => {
                let factor = match unit {
                    Some(unit) => unit_of_length(&format!("{path}.unit"), unit)?,
                    None => 1.0,
                };
                if let Some(lengths) = r#box {
                    extent = extents(lengths)?;
                }
                let place = |point: &Vec<f64>| std::array::from_fn(|axis| point.get(axis).map_or(0.0, |x| x * factor));
                Points::Listed(points.iter().map(place).collect())
            }
        };
        let extent = if periodic { extent } else { [f64::INFINITY; 4] };
        Ok(Space { dimensions, extent, points })
    }

    /// The position of a neuron.
    pub fn place(&self, neuron: u32) -> [f64; 4] {
        match &self.points {
            Points::Grid(grid) => {
                let at = grid.coordinates(neuron);
                let coordinate = |axis: usize| grid.origin[axis] + (f64::from(at[axis]) + 0.5) * grid.spacing;
                std::array::from_fn(|axis| if axis < self.dimensions { coordinate(axis) } else { 0.0 })
            }
            Points::Listed(points) => points[neuron as usize],
        }
    }

    /// The grid of the neurons, if they are on one.
    pub fn grid(&self) -> Option<Grid> {
        match &self.points {
            Points::Grid(grid) => Some(*grid),
            Points::Listed(_) => None,
        }
    }

    /// The distances of two positions along each axis, the shortest ones in periodic space.
    pub fn along_axes(&self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|axis| {
            let (apart, extent) = ((a[axis] - b[axis]).abs(), self.extent[axis]);
            if extent.is_finite() { apart.min((extent - apart).abs()) } else { apart }
        })
    }

    /// The distance of two positions.
    pub fn distance(&self, a: [f64; 4], b: [f64; 4]) -> f64 {
        norm(self.along_axes(a, b))
    }
}

/// The length of a vector.
pub(crate) fn norm(along: [f64; 4]) -> f64 {
    libm::sqrt(along.iter().map(|x| x * x).sum())
}

fn unit_of_length(path: &str, unit: &str) -> Result<f64, Error> {
    let parsed = syntax::parse_unit(unit).map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
    if parsed.dimension == Dimension::LENGTH {
        return Ok(parsed.factor);
    }
    let expected = format!("a unit of length is expected, and this is one of {}", parsed.dimension);
    Err(Error::invalid(path, format!("{unit:?}"), expected, "for example \"um\" or \"mm\""))
}
