//! Fixed points and their kind.

use super::contour::Grid;
use super::{FixedPoint, FixedPointKind, Polyline};

/// Maximum number of steps of Newton's method.
const STEPS: usize = 80;
/// Step of central differences, relative to the range.
const DIFFERENCE: f64 = 1e-5;
/// Distance below which two fixed points are the same, relative to the ranges.
const SAME: f64 = 1e-5;
/// An eigenvalue is 0 if it is smaller than this, relative to the other one.
const ZERO: f64 = 1e-4;

type Flow<'a> = &'a mut dyn FnMut([f64; 2]) -> [f64; 2];

/// The fixed points in the ranges: where the rate of y changes its sign, or comes closest to 0, along the nullclines of x.
pub(super) fn on_plane(nullclines: &[Polyline], grid: &Grid, is_map: bool, flow: Flow<'_>) -> Vec<FixedPoint> {
    let mut found: Vec<[f64; 2]> = Vec::new();
    let span = [grid.x[1] - grid.x[0], grid.y[1] - grid.y[0]];
    for line in nullclines {
        let rates: Vec<f64> = line.iter().map(|point| flow(*point)[1]).collect();
        for start in starts(&rates) {
            let Some(at) = newton(line[start], span, flow).filter(|at| grid.contains(*at)) else { continue };
            // Rounding errors of 0.
            let at = [0, 1].map(|axis| if at[axis].abs() < 1e-13 * span[axis] { 0.0 } else { at[axis] });
            let is_new = found.iter().all(|[x, y]| ((at[0] - x) / span[0]).hypot((at[1] - y) / span[1]) > SAME);
            if is_new {
                found.push(at);
            }
        }
    }
    found.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let point = |at: [f64; 2]| {
        let eigenvalues = eigenvalues(jacobian(at, span, flow), is_map);
        FixedPoint { at, kind: kind(&eigenvalues, is_map), eigenvalues }
    };
    found.into_iter().map(point).collect()
}

/// The fixed points of a phase line, at these zeros, and where the rate touches 0.
pub(super) fn on_line(
    roots: &[f64],
    rates: &[f64],
    grid: &Grid,
    is_map: bool,
    rate: &mut dyn FnMut(f64) -> f64,
) -> Vec<FixedPoint> {
    let span = grid.x[1] - grid.x[0];
    let mut found = roots.to_vec();
    let flow: Flow<'_> = &mut |[x, y]| [rate(x), y];
    for start in starts(rates) {
        let at = newton([grid.x_at(start), 0.0], [span, 1.0], flow).map(|[x, _]| x).filter(|x| grid.contains([*x, grid.y[0]]));
        found.extend(at.filter(|at| found.iter().all(|known| (at - known).abs() > SAME * span)));
    }
    found.sort_by(f64::total_cmp);
    let point = |x: f64| {
        let slope = jacobian([x, 0.0], [span, 1.0], flow)[0][0];
        let eigenvalues = vec![[if is_map { 1.0 + slope } else { slope }, 0.0]];
        let size = if is_map { (1.0 + slope).abs() - 1.0 } else { slope };
        // The slope in units of the largest rate on the line.
        let scale = rates.iter().filter(|rate| rate.is_finite()).fold(0.0, |most: f64, rate| most.max(rate.abs())) / span;
        let kind = if size.abs() <= ZERO * scale {
            FixedPointKind::Degenerate
        } else if size < 0.0 {
            FixedPointKind::StableNode
        } else {
            FixedPointKind::UnstableNode
        };
        FixedPoint { at: [x, 0.0], kind, eigenvalues }
    };
    found.into_iter().map(point).collect()
}

/// The indices at which a sequence changes its sign or its size has a local minimum, with both neighbours of a minimum: two fixed points may
/// be between them.
fn starts(rates: &[f64]) -> Vec<usize> {
    let mut starts = Vec::new();
    for (at, rate) in rates.iter().enumerate() {
        let next = rates.get(at + 1).copied().unwrap_or(f64::NAN);
        let before = at.checked_sub(1).map_or(f64::NAN, |before| rates[before]);
        // Strictly on one side, so that a constant sequence has none.
        if rate.abs() < before.abs() && rate.abs() <= next.abs() {
            starts.extend([at - 1, at, at + 1]);
        } else if rate.is_finite() && next.is_finite() && (*rate < 0.0) != (next < 0.0) {
            starts.push(at);
        }
    }
    starts
}

/// Newton's method with steps of limited length; `None` if it does not converge.
fn newton(start: [f64; 2], span: [f64; 2], flow: Flow<'_>) -> Option<[f64; 2]> {
    let mut at = start;
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let [f, g] = flow(at);
        if f == 0.0 && g == 0.0 {
            return Some(at);
        }
        let [[a, b], [c, d]] = jacobian(at, span, flow);
        let determinant = a * d - b * c;
        let step = [(d * f - b * g) / determinant, (a * g - c * f) / determinant];
        let length = (step[0] / span[0]).hypot(step[1] / span[1]);
        if !length.is_finite() {
            break;
        }
        let factor = (0.1 / length).min(1.0);
        at = [at[0] - factor * step[0], at[1] - factor * step[1]];
        if length < 1e-13 {
            return Some(at);
        }
        last = length;
    }
    // Where two fixed points meet, convergence is linear, and ends where differences lose their digits.
    (last < 1e-6).then_some(at)
}

/// Central differences.
fn jacobian(at: [f64; 2], span: [f64; 2], flow: Flow<'_>) -> [[f64; 2]; 2] {
    let mut matrix = [[0.0; 2]; 2];
    for axis in 0..2 {
        let half = DIFFERENCE * span[axis];
        let mut beside = |by: f64| {
            let mut point = at;
            point[axis] += by;
            flow(point)
        };
        let (after, before) = (beside(half), beside(-half));
        for row in 0..2 {
            matrix[row][axis] = (after[row] - before[row]) / (2.0 * half);
        }
    }
    matrix
}

/// Eigenvalues of the Jacobian of a flow, or of the derivative of a map, whose rates are its changes.
fn eigenvalues([[a, b], [c, d]]: [[f64; 2]; 2], is_map: bool) -> Vec<[f64; 2]> {
    let (middle, half) = ((a + d) / 2.0, (a - d) / 2.0);
    let discriminant = half * half + b * c;
    let identity = if is_map { 1.0 } else { 0.0 };
    if discriminant < 0.0 {
        let imaginary = (-discriminant).sqrt();
        return vec![[middle + identity, imaginary], [middle + identity, -imaginary]];
    }
    let root = discriminant.sqrt();
    // The smaller one from the determinant, which keeps its digits.
    let larger = if middle < 0.0 { middle - root } else { middle + root };
    let smaller = if larger == 0.0 { 0.0 } else { (a * d - b * c) / larger };
    vec![[larger.min(smaller) + identity, 0.0], [larger.max(smaller) + identity, 0.0]]
}

/// The kind that follows from two eigenvalues.
fn kind(eigenvalues: &[[f64; 2]], is_map: bool) -> FixedPointKind {
    let size = |[re, im]: [f64; 2]| re.hypot(im);
    let largest = eigenvalues.iter().map(|value| size(*value)).fold(0.0, f64::max);
    // Above 0 where it is unstable.
    let growth = |value: [f64; 2]| if is_map { size(value) - 1.0 } else { value[0] };
    let is_zero = |value: [f64; 2]| growth(value).abs() <= ZERO * largest;
    let [first, second] = [eigenvalues[0], eigenvalues[1]];
    let is_complex = first[1] != 0.0;
    match (is_complex, growth(first) > 0.0, growth(second) > 0.0) {
        (true, ..) if is_zero(first) => FixedPointKind::Centre,
        (true, false, _) => FixedPointKind::StableFocus,
        (true, true, _) => FixedPointKind::UnstableFocus,
        (false, ..) if is_zero(first) || is_zero(second) => FixedPointKind::Degenerate,
        (false, false, false) => FixedPointKind::StableNode,
        (false, true, true) => FixedPointKind::UnstableNode,
        (false, ..) => FixedPointKind::Saddle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FixedPointKind::{Centre, Degenerate, Saddle, StableFocus, StableNode, UnstableFocus, UnstableNode};

    #[test]
    fn linear_systems_have_their_kinds() {
        let of = |matrix| kind(&eigenvalues(matrix, false), false);
        assert_eq!(of([[-1.0, 0.0], [0.0, -2.0]]), StableNode);
        assert_eq!(of([[1.0, 0.0], [0.0, 2.0]]), UnstableNode);
        assert_eq!(of([[1.0, 0.0], [0.0, -2.0]]), Saddle);
        assert_eq!(of([[-1.0, -2.0], [2.0, -1.0]]), StableFocus);
        assert_eq!(of([[1.0, -2.0], [2.0, 1.0]]), UnstableFocus);
        assert_eq!(of([[0.0, -2.0], [2.0, 0.0]]), Centre);
        assert_eq!(of([[-1.0, 0.0], [0.0, 0.0]]), Degenerate);
    }

    #[test]
    fn maps_are_compared_with_the_unit_circle() {
        // x' = x/2, y' = -3/4 y: both shrink, so that the change of y has the slope -7/4.
        let shrinking = eigenvalues([[-0.5, 0.0], [0.0, -1.75]], true);
        assert_eq!(shrinking, [[-0.75, 0.0], [0.5, 0.0]]);
        assert_eq!(kind(&shrinking, true), StableNode);
        assert_eq!(kind(&eigenvalues([[-0.5, 0.0], [0.0, -2.25]], true), true), Saddle);
    }

    #[test]
    fn small_eigenvalues_keep_their_digits() {
        let found = eigenvalues([[-1e6, 0.0], [3.0, -1e-6]], false);
        assert!((found[1][0] / -1e-6 - 1.0).abs() < 1e-12, "{found:?}");
    }
}
