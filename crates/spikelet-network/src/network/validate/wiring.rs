//! Checks of connectivity and positions.

use std::ops::Range;

use crate::connectors::MAX_PER_PAIR;
use crate::connectors::{ProjectionSide, ProjectionSlices};
use crate::network::{Network, Positions, Projection, Quantity};
use crate::{Connector, Error};

/// Maximum number of coordinates.
const DIMENSIONS: Range<usize> = 1..5;

impl Network {
    /// Checks that a rule is possible between these slices.
    pub(super) fn check_connector(
        &self,
        path: &str,
        connector: &Connector,
        projection: &Projection,
        [pre, post]: [&Range<u32>; 2],
    ) -> Result<(), Error> {
        let population = |name: &str| self.population(name).or_else(|| Some(self.event(name)?.0));
        let positions = |name: &str| population(name)?.positions.as_ref();
        let recurrent = projection.pre.population == projection.post.population;
        let [pre, post] = [(&projection.pre, pre), (&projection.post, post)].map(|(endpoint, neurons)| ProjectionSide {
            endpoint,
            neurons,
            positions: positions(&endpoint.population),
        });
        connector.check(&ProjectionSlices { path, rule: connector.name(), autapses: connector.autapses(), recurrent, pre, post })
    }
}

/// Checks positions of all neurons, in one to four dimensions.
pub(super) fn check_positions(path: &str, positions: &Positions, size: u32) -> Result<(), Error> {
    let dimensions = positions.dimensions();
    let wrong = |key: &str, found: String, expected: String, way_out: &str| {
        Err(Error::invalid(format!("{path}.{key}"), found, expected, way_out))
    };
    if let Positions::List { points, r#box, .. } = positions {
        if points.len() != size as usize {
            let found = format!("a list of {}", points.len());
            return wrong("points", found, format!("there are {size} neurons"), "give one position per neuron");
        }
        if let Some(index) = points.iter().position(|point| point.len() != dimensions || point.iter().any(|x| !x.is_finite())) {
            let expected = format!("each position needs {dimensions} finite coordinates");
            return wrong(&format!("points[{index}]"), format!("{:?}", points[index]), expected, "correct it");
        }
        if let Some(extents) = r#box.as_ref().filter(|extents| extents.len() != dimensions) {
            let expected = format!("each position needs {dimensions} coordinates");
            return wrong("box", format!("a list of {}", extents.len()), expected, "give one extent per dimension");
        }
    }
    if !DIMENSIONS.contains(&dimensions) {
        let expected = "space has one to four dimensions".to_owned();
        return Err(Error::invalid(path, format!("of {dimensions} dimensions"), expected, "give one to four coordinates"));
    }
    let lengths: Vec<(&str, &Quantity)> = match positions {
        Positions::Grid { spacing, .. } => vec![("spacing", spacing)],
        Positions::Random { r#box, .. } => r#box.iter().map(|extent| ("box", extent)).collect(),
        Positions::List { r#box, .. } => r#box.iter().flatten().map(|extent| ("box", extent)).collect(),
    };
    for (key, length) in lengths {
        length.check_shape(format!("{path}.{key}"), None)?;
        if let Some(length) = length.numbers().find(|length| *length <= 0.0) {
            return wrong(key, length.to_string(), "a length must be above 0".into(), "for example \"1 mm\"");
        }
    }
    let Positions::Grid { shape, tile, periodic, origin, .. } = positions else { return Ok(()) };
    if !origin.is_empty() {
        let found = format!("{origin:?}");
        if origin.len() != dimensions || origin.iter().any(|at| !at.is_finite()) {
            return wrong(
                "origin",
                found,
                format!("a grid of {dimensions} dimensions needs {dimensions} finite coordinates"),
                "correct it",
            );
        }
        if *periodic {
            return wrong("origin", found, "periodic space begins at 0".to_owned(), "remove it, or `periodic`");
        }
    }
    let neurons: u64 = shape.iter().map(|edge| u64::from(*edge)).fold(1, u64::saturating_mul);
    if neurons != u64::from(size) {
        let expected = format!("the population has {size} neurons, and this grid {neurons}");
        return wrong("shape", format!("{shape:?}"), expected, "make them equal");
    }
    match tile {
        Some(tile) if *tile == 0 || shape.iter().any(|edge| edge % tile != 0) => {
            wrong("tile", tile.to_string(), format!("it must divide each edge of the grid {shape:?}"), "choose another")
        }
        _ => Ok(()),
    }
}

/// Checks the number of synapses of each pair; an expression is checked for each pair when it is drawn.
pub(super) fn check_synapses_per_pair(path: &str, number: &Quantity) -> Result<(), Error> {
    let wrong =
        |expected: String| Err(Error::invalid(path, number, expected, "for example 2, or an expression such as \"1 + i % 3\""));
    match number {
        Quantity::Text(_) | Quantity::Expr(_) => Ok(()),
        Quantity::Number(number) if *number >= 1.0 && *number <= f64::from(MAX_PER_PAIR) && number.fract() == 0.0 => Ok(()),
        Quantity::Number(_) => wrong(format!("the number of synapses of a pair is a whole number from 1 to {MAX_PER_PAIR}")),
        Quantity::Values { .. } | Quantity::Timed { .. } => wrong("one number, or an expression of the pair, is expected".into()),
    }
}

/// Checks that pairs of neurons exist.
pub(super) fn check_pairs(path: &str, pairs: &[[u32; 2]], sides: [(&Range<u32>, &str); 2]) -> Result<(), Error> {
    for (index, pair) in pairs.iter().enumerate() {
        for (neuron, (range, side)) in pair.iter().zip(sides) {
            if !range.contains(neuron) {
                let expected = format!("the {side} neurons are {} to {}", range.start, range.end - 1);
                let value = format!("[{}, {}]", pair[0], pair[1]);
                let way_out = format!("its {side} index {neuron} must be one of these");
                return Err(Error::invalid(format!("{path}[{index}]"), value, expected, way_out));
            }
        }
    }
    if pairs.len() > u32::MAX as usize {
        return Err(Error::invalid(path, pairs.len(), "a list can have at most 4294967295 pairs", "split the projection"));
    }
    Ok(())
}
