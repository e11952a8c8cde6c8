//! Probabilities that depend on distance.

use std::ops::Range;

use spikelet_network::Error;
use spikelet_network::connectors::{Falloff, Kernel};

use super::connectivity::Connectivity;
use super::procedural_rows::Footprint;
use super::space::{Grid, norm};
use super::threshold;

/// Tolerance for distances on grids such as 5·0.1 µm: a neuron at the limit is inside.
const RIM: f64 = 1.0 + 1e-9;

/// The probability of a pair with these distances along each axis; 0 beyond the limit.
pub(super) fn probability(kernel: &Kernel, along: [f64; 4]) -> Option<f64> {
    let distance = norm(along);
    let inside = distance <= kernel.cutoff * RIM && along.iter().zip(kernel.half_widths).all(|(x, most)| *x <= most * RIM);
    inside.then(|| match kernel.falloff {
        Falloff::Flat => kernel.p,
        Falloff::Gaussian { sigma } => kernel.p * libm::exp(-0.5 * (distance / sigma) * (distance / sigma)),
        Falloff::Exponential { lambda } => kernel.p * libm::exp(-distance / lambda),
    })
}

/// Maximum distance along an axis: beyond it the probability is 0 in 32 bits.
fn reach(kernel: &Kernel, axis: usize) -> f64 {
    // p·2³² ≥ ½
    let bits = libm::log((kernel.p * 8_589_934_592.0).max(1.0));
    let falls_to_none = match kernel.falloff {
        Falloff::Flat => f64::INFINITY,
        Falloff::Gaussian { sigma } => sigma * libm::sqrt(2.0 * bits),
        Falloff::Exponential { lambda } => lambda * bits,
    };
    falls_to_none.min(kernel.cutoff).min(kernel.half_widths[axis])
}

/// The error of a rule of distance between populations of different spaces.
pub(super) fn no_distances(connectivity: &Connectivity<'_>) -> Error {
    let expected = "this rule needs distances, and the periodic spaces of the two populations differ in size";
    Error::invalid(format!("{}.connect", connectivity.path), "given", expected, "use the same extent for both")
}

/// The error of a rule of tiles between populations that are not on grids.
pub(super) fn no_grids(connectivity: &Connectivity<'_>) -> Error {
    let expected = "this rule needs neurons on grids";
    Error::invalid(format!("{}.connect", connectivity.path), "given", expected, "give them positions")
}

/// For each axis the coordinates on a grid within reach of a place; the grid is not periodic.
pub(super) fn within_reach(kernel: &Kernel, grid: &Grid, place: [f64; 4]) -> [Range<u32>; 4] {
    std::array::from_fn(|axis| {
        let (edge, reach) = (grid.shape[axis], reach(kernel, axis) * RIM);
        if edge == 1 {
            return 0..1;
        }
        // In grid steps from the first neuron; a conversion to u32 saturates.
        let at = (place[axis] - grid.origin[axis]) / grid.spacing - 0.5;
        let first = libm::floor(at - reach / grid.spacing).max(0.0) as u32;
        let last = libm::ceil(at + reach / grid.spacing);
        first.min(edge)..if last < 0.0 { first.min(edge) } else { (last as u32).saturating_add(1).min(edge) }
    })
}

/// Maximum number of neighbours in a footprint.
const MAX_OFFSETS: u64 = 1 << 20;

/// The neighbours of a neuron under a rule of distance, if pre- and postsynaptic neurons are on the same grid.
pub(super) fn footprint(connectivity: &Connectivity<'_>, kernel: &Kernel) -> Option<Footprint> {
    let [from, to] = connectivity.spaces.as_ref()?;
    let grid = from.grid().filter(|_| from == to)?;
    let range = |axis: usize| {
        let edge = i64::from(grid.shape[axis]);
        let reach = libm::floor(reach(kernel, axis) / grid.spacing * RIM).min(edge as f64) as i64;
        // On a periodic axis each neuron occurs once.
        let (least, most) = if grid.periodic { ((edge - 1) / 2, edge / 2) } else { (edge - 1, edge - 1) };
        -reach.min(least)..=reach.min(most)
    };
    let ranges: [_; 4] = std::array::from_fn(range);
    let all: u64 = ranges.iter().map(|range| (range.end() - range.start() + 1) as u64).product();
    if all > MAX_OFFSETS {
        return None;
    }
    let (mut offsets, mut thresholds) = (Vec::new(), Vec::new());
    for w in ranges[3].clone() {
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    let offset = [x, y, z, w];
                    let along = offset.map(|steps| steps.unsigned_abs() as f64 * grid.spacing);
                    let limit = probability(kernel, along).map_or(0, threshold);
                    if limit > 0 {
                        offsets.push(offset.map(|steps| steps as i32));
                        thresholds.push(limit);
                    }
                }
            }
        }
    }
    Some(Footprint { shape: grid.shape, tile: grid.tile, periodic: grid.periodic, offsets, thresholds })
}
