//! Automatic ranges: what a neuron reaches by itself, and the folds of its nullclines.

use super::dynamics::Dynamics;
use super::section::Section;

/// Steps that a neuron is followed.
const STEPS: usize = 2000;
/// Space beside what is reached, relative to it.
const SPACE: f64 = 0.12;
/// Number of values of x at which the nullcline is looked for.
const COLUMNS: usize = 120;
/// The values of gates, with some space.
const GATE: [f64; 2] = [-0.05, 1.05];
/// A fold is shown if the range grows at most by this factor.
const MAX_GROWTH: f64 = 10.0;

/// The values that each moving variable reaches from its initial value, and after a spike, with some space around them.
pub(super) fn reached(dynamics: &Dynamics) -> Vec<[f64; 2]> {
    let mut extents: Vec<[f64; 2]> = (0..dynamics.count()).map(|at| [dynamics.initial(at); 2]).collect();
    follow(dynamics, dynamics.start(), &mut extents);
    let fired = dynamics.fired();
    if let Some(threshold) = dynamics.threshold_along(&dynamics.start(), fired) {
        let mut values = dynamics.start();
        values[dynamics.place(fired)] = threshold;
        include(dynamics, &values, &mut extents);
        if dynamics.has_reset() {
            dynamics.reset(&mut values);
        }
        follow(dynamics, values, &mut extents);
    }
    extents.into_iter().map(|extent| spaced(extent, SPACE)).collect()
}

/// Follows a neuron, with its resets.
fn follow(dynamics: &Dynamics, mut values: Vec<f64>, extents: &mut [[f64; 2]]) {
    let fired = dynamics.fired();
    for _ in 0..STEPS {
        include(dynamics, &values, extents);
        let before = values.clone();
        dynamics.advance(&mut values);
        if (0..dynamics.count()).any(|at| !values[dynamics.place(at)].is_finite()) || values == before {
            return;
        }
        if dynamics.has_reset() && dynamics.margin(&mut values) > 0.0 {
            // Without the overshoot of a step.
            if let Some(threshold) = dynamics.threshold_along(&values, fired) {
                values[dynamics.place(fired)] = threshold;
            }
            include(dynamics, &values, extents);
            dynamics.reset(&mut values);
        }
    }
}

fn include(dynamics: &Dynamics, values: &[f64], extents: &mut [[f64; 2]]) {
    for (at, [least, most]) in extents.iter_mut().enumerate() {
        let value = values[dynamics.place(at)];
        *least = least.min(value);
        *most = most.max(value);
    }
}

/// A range with some space around it; around a single value as much as its size.
fn spaced([least, most]: [f64; 2], space: f64) -> [f64; 2] {
    if !(least.is_finite() && most.is_finite()) {
        return [-1.0, 1.0];
    }
    let width = most - least;
    let size = least.abs().max(most.abs());
    let by = if width > 1e-6 * size {
        space * width
    } else if size > 0.0 {
        0.5 * size
    } else {
        1.0
    };
    [least - by, most + by]
}

/// The range of y, enlarged to show the folds of the nullcline of x, which are the local extremes of y on it, and fixed points. They are looked
/// for where the rate of x is linear in y, and not shown if they are very far away.
pub(super) fn with_folds(section: &mut Section<'_>, x_range: [f64; 2], y_range: [f64; 2]) -> [f64; 2] {
    let [from, to] = y_range;
    let width = to - from;
    let x_at = |column: usize| x_range[0] + (x_range[1] - x_range[0]) * (column as f64 + 0.5) / COLUMNS as f64;
    let mut on_nullcline = |column: usize| {
        let x = x_at(column);
        let [low, high] = [from, to].map(|y| section.flow([x, y])[0]);
        let y = from - low * width / (high - low);
        let error = section.flow([x, y])[0];
        (y.is_finite() && error.abs() <= 1e-6 * (high - low).abs().max(low.abs())).then_some(y)
    };
    let heights: Vec<Option<f64>> = (0..COLUMNS).map(&mut on_nullcline).collect();
    // The rate of y on the nullcline, which changes its sign at fixed points.
    let rises = |at: usize, y: f64, section: &mut Section<'_>| section.flow([x_at(at), y])[1] > 0.0;
    let mut range = y_range;
    for (at, three) in heights.windows(3).enumerate() {
        let [Some(before), Some(middle), Some(after)] = *three else { continue };
        let is_fold = (middle < before && middle <= after) || (middle > before && middle >= after);
        let enlarged = [range[0].min(middle - SPACE * width), range[1].max(middle + SPACE * width)];
        if enlarged[1] - enlarged[0] > MAX_GROWTH * width {
            continue;
        }
        if is_fold || rises(at, before, section) != rises(at + 1, middle, section) {
            range = enlarged;
        }
    }
    if is_gate(section, x_range) { [range[0].max(GATE[0]), range[1].min(GATE[1])] } else { range }
}

/// Whether y relaxes to values from 0 to 1, as the open part of channels does.
fn is_gate(section: &mut Section<'_>, x_range: [f64; 2]) -> bool {
    (0..=8).all(|part| {
        let x = x_range[0] + (x_range[1] - x_range[0]) * f64::from(part) / 8.0;
        let [closed, half, open] = [0.0, 0.5, 1.0].map(|y| section.flow([x, y])[1]);
        let is_linear = (closed + open - 2.0 * half).abs() <= 1e-9 * closed.abs().max(open.abs());
        is_linear && closed >= 0.0 && open <= 0.0 && closed > open
    })
}
