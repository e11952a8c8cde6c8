//! Probabilities that fall with distance.

use super::recipe::Footprint;
use super::space::norm;
use super::threshold;
use super::wiring::Wiring;
use crate::{Connector, Error};

/// The probability of a pair, by how far its neurons are apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kernel {
    p: f64,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// exp(−d²/2σ²) up to a cutoff.
    Gaussian { sigma: f64, cutoff: f64 },
    /// exp(−d/λ) up to a cutoff.
    Exponential { lambda: f64, cutoff: f64 },
    /// Up to a distance.
    Disc { radius: f64 },
    /// Up to a distance along each axis.
    Box { half_widths: [f64; 4] },
}

/// Grids have lengths such as 5·0.1 µm: a neuron on the rim is inside.
const RIM: f64 = 1.0 + 1e-9;

impl Kernel {
    /// The kernel of a rule, if it is one of distance.
    ///
    /// # Errors
    /// A length of the rule is none.
    pub(super) fn new(wiring: &Wiring<'_>, connector: &Connector) -> Result<Option<Kernel>, Error> {
        let cutoff = |given: &Option<_>| given.as_ref().map_or(Ok(f64::INFINITY), |cutoff| wiring.length("cutoff", cutoff));
        let (p, shape) = match connector {
            Connector::Gaussian { p, sigma, cutoff: given, .. } => {
                (p, Shape::Gaussian { sigma: wiring.length("sigma", sigma)?, cutoff: cutoff(given)? })
            }
            Connector::Exponential { p, lambda, cutoff: given, .. } => {
                (p, Shape::Exponential { lambda: wiring.length("lambda", lambda)?, cutoff: cutoff(given)? })
            }
            Connector::Disc { p, radius, .. } => (p, Shape::Disc { radius: wiring.length("radius", radius)? }),
            Connector::Box { p, half_widths: given, .. } => {
                let mut half_widths = [f64::INFINITY; 4];
                for (axis, width) in given.iter().enumerate() {
                    half_widths[axis] = wiring.length(&format!("half_widths[{axis}]"), width)?;
                }
                (p, Shape::Box { half_widths })
            }
            _ => return Ok(None),
        };
        Ok(Some(Kernel { p: *p, shape }))
    }

    /// The probability of a pair that is so far apart along each axis; none beyond the rim.
    pub(super) fn probability(&self, along: [f64; 4]) -> Option<f64> {
        let distance = norm(along);
        let within = |most: f64| distance <= most * RIM;
        match self.shape {
            Shape::Gaussian { sigma, cutoff } => {
                within(cutoff).then(|| self.p * libm::exp(-0.5 * (distance / sigma) * (distance / sigma)))
            }
            Shape::Exponential { lambda, cutoff } => within(cutoff).then(|| self.p * libm::exp(-distance / lambda)),
            Shape::Disc { radius } => within(radius).then_some(self.p),
            Shape::Box { half_widths } => along.iter().zip(half_widths).all(|(x, most)| *x <= most * RIM).then_some(self.p),
        }
    }

    /// Along an axis, no pair farther apart than this is joined: its probability is 0 in 32 bits.
    fn reach(&self, axis: usize) -> f64 {
        // p·2³² ≥ ½
        let bits = libm::log((self.p * 8_589_934_592.0).max(1.0));
        match self.shape {
            Shape::Gaussian { sigma, cutoff } => (sigma * libm::sqrt(2.0 * bits)).min(cutoff),
            Shape::Exponential { lambda, cutoff } => (lambda * bits).min(cutoff),
            Shape::Disc { radius } => radius,
            Shape::Box { half_widths } => half_widths[axis],
        }
    }
}

/// Most neighbours that a footprint lists.
const MOST_OFFSETS: u64 = 1 << 20;

/// The neighbours of a neuron under a rule of distance, if pre and post neurons lie on the same grid.
///
/// # Errors
/// A length of the rule is none.
pub(super) fn footprint(wiring: &Wiring<'_>, connector: &Connector) -> Result<Option<Footprint>, Error> {
    let Some(kernel) = Kernel::new(wiring, connector)? else { return Ok(None) };
    let Some([from, to]) = &wiring.spaces else { return Ok(None) };
    let (Some(grid), true) = (from.grid(), from == to) else { return Ok(None) };
    let range = |axis: usize| {
        let edge = i64::from(grid.shape[axis]);
        let reach = libm::floor(kernel.reach(axis) / grid.spacing * RIM).min(edge as f64) as i64;
        // Round a closed axis each neuron is met once.
        let (least, most) = if grid.periodic { ((edge - 1) / 2, edge / 2) } else { (edge - 1, edge - 1) };
        -reach.min(least)..=reach.min(most)
    };
    let ranges: [_; 4] = std::array::from_fn(range);
    let all: u64 = ranges.iter().map(|range| (range.end() - range.start() + 1) as u64).product();
    if all > MOST_OFFSETS {
        return Ok(None);
    }
    let (mut offsets, mut thresholds) = (Vec::new(), Vec::new());
    for w in ranges[3].clone() {
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    let offset = [x, y, z, w];
                    let along = offset.map(|steps| steps.unsigned_abs() as f64 * grid.spacing);
                    let limit = kernel.probability(along).map_or(0, threshold);
                    if limit > 0 {
                        offsets.push(offset.map(|steps| steps as i32));
                        thresholds.push(limit);
                    }
                }
            }
        }
    }
    Ok(Some(Footprint { shape: grid.shape, tile: grid.tile, periodic: grid.periodic, offsets, thresholds }))
}
