//! Where a function of two variables is 0: marching squares with crossings that are refined on the edges of the grid.

use super::Polyline;

/// Maximum number of evaluations for a crossing.
const REFINEMENTS: usize = 40;
/// Sine of the angle from which a line gets more points.
const BEND: f64 = 0.1;
/// No edge.
const NONE: u32 = u32::MAX;

/// Equidistant nodes in a rectangle, as many along both axes, including its borders.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) x: [f64; 2],
    pub(super) y: [f64; 2],
    pub(super) nodes: usize,
}

impl Grid {
    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes * self.nodes
    }

    pub(super) fn x_at(&self, column: usize) -> f64 {
        node(self.x, column, self.nodes)
    }

    fn point(&self, column: usize, row: usize) -> [f64; 2] {
        [self.x_at(column), node(self.y, row, self.nodes)]
    }

    /// The nodes, row by row.
    pub(super) fn points(&self) -> impl Iterator<Item = [f64; 2]> {
        let grid = *self;
        (0..grid.len()).map(move |at| grid.point(at % grid.nodes, at / grid.nodes))
    }

    pub(super) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        (self.x[0]..=self.x[1]).contains(&x) && (self.y[0]..=self.y[1]).contains(&y)
    }

    /// The rectangle with as much space on each side.
    pub(super) fn enlarged(&self) -> Grid {
        let wider = |[from, to]: [f64; 2]| [2.0 * from - to, 2.0 * to - from];
        Grid { x: wider(self.x), y: wider(self.y), nodes: self.nodes }
    }
}

fn node([from, to]: [f64; 2], at: usize, nodes: usize) -> f64 {
    from + (to - from) * (at as f64 / (nodes - 1) as f64)
}

/// Where `f` is 0 or changes its sign along the first axis; `values` are those at the nodes.
pub(super) fn zeros(grid: &Grid, values: &[f64], f: &mut dyn FnMut(f64) -> f64) -> Vec<f64> {
    let on_edge = |at: usize| {
        let (from, to) = (grid.x_at(at), grid.x_at(at + 1));
        let part = crossing([values[at], values[at + 1]], &mut |part| f(from + part * (to - from)))?;
        Some(from + part * (to - from))
    };
    (0..grid.nodes - 1).filter_map(on_edge).collect()
}

/// The lines on which `f` is 0 or changes its sign; `values` are those at the nodes. Poles, where it changes its sign through infinity, are
/// left out, and so is the surroundings of nodes at which it is not finite.
pub(super) fn zero_lines(grid: &Grid, values: &[f64], f: &mut dyn FnMut([f64; 2]) -> f64) -> Vec<Polyline> {
    let mut lines = Lines { grid, points: vec![None; 2 * grid.len()], links: vec![[NONE; 2]; 2 * grid.len()] };
    lines.find_crossings(values, f);
    lines.link_cells(values, f);
    let scale = [(grid.x[1] - grid.x[0]) / grid.nodes as f64, (grid.y[1] - grid.y[0]) / grid.nodes as f64];
    let rounded =
        |line: &Polyline, f: &mut dyn FnMut([f64; 2]) -> f64| (0..2).fold(line.clone(), |line, _| with_bends(&line, scale, f));
    lines.trace().iter().map(|line| rounded(line, f)).collect()
}

/// A line with more points where it bends: on the perpendicular of each segment beside a bend. `scale` is the size of a cell.
fn with_bends(line: &Polyline, scale: [f64; 2], f: &mut dyn FnMut([f64; 2]) -> f64) -> Polyline {
    let along = |from: [f64; 2], to: [f64; 2]| [(to[0] - from[0]) / scale[0], (to[1] - from[1]) / scale[1]];
    let bends = |at: usize| {
        let Some([before, here, after]) = at.checked_sub(1).and_then(|first| line.get(first..first + 3)) else { return false };
        let ([ax, ay], [bx, by]) = (along(*before, *here), along(*here, *after));
        (ax * by - ay * bx).abs() > BEND * ax.hypot(ay) * bx.hypot(by)
    };
    let mut points = Polyline::new();
    for (at, here) in line.iter().enumerate() {
        points.push(*here);
        let Some(next) = line.get(at + 1).filter(|_| bends(at) || bends(at + 1)) else { continue };
        let [dx, dy] = along(*here, *next);
        let middle = [(here[0] + next[0]) / 2.0, (here[1] + next[1]) / 2.0];
        let across = |part: f64| [middle[0] - (part - 0.5) * dy * scale[0], middle[1] + (part - 0.5) * dx * scale[1]];
        let ends = [f(across(0.0)), f(across(1.0))];
        points.extend(crossing(ends, &mut |part| f(across(part))).map(across));
    }
    points
}

/// Crossings by edge. The edge 2·node goes from a node to the right, the edge 2·node + 1 goes up.
struct Lines<'a> {
    grid: &'a Grid,
    points: Vec<Option<[f64; 2]>>,
    /// The next crossings on both sides.
    links: Vec<[u32; 2]>,
}

impl Lines<'_> {
    fn find_crossings(&mut self, values: &[f64], f: &mut dyn FnMut([f64; 2]) -> f64) {
        let n = self.grid.nodes;
        for row in 0..n {
            for column in 0..n {
                let from = self.grid.point(column, row);
                for (upwards, exists) in [(0, column + 1 < n), (1, row + 1 < n)] {
                    if !exists {
                        continue;
                    }
                    let (here, there) =
                        (row * n + column, if upwards == 0 { row * n + column + 1 } else { (row + 1) * n + column });
                    let to = self.grid.point(there % n, there / n);
                    let between = |part: f64| [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])];
                    let part = crossing([values[here], values[there]], &mut |part| f(between(part)));
                    self.points[2 * here + upwards] = part.map(between);
                }
            }
        }
    }

    fn link_cells(&mut self, values: &[f64], f: &mut dyn FnMut([f64; 2]) -> f64) {
        let n = self.grid.nodes;
        for row in 0..n - 1 {
            for column in 0..n - 1 {
                let node = row * n + column;
                let [bottom, right, top, left] = [2 * node, 2 * (node + 1) + 1, 2 * (node + n), 2 * node + 1];
                let crossed: Vec<usize> =
                    [bottom, right, top, left].into_iter().filter(|edge| self.points[*edge].is_some()).collect();
                match crossed[..] {
                    [one, other] => self.link(one, other),
                    [_, _, _, _] => {
                        let [a, b] = [self.grid.point(column, row), self.grid.point(column + 1, row + 1)];
                        let centre = f([(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]);
                        if (centre < 0.0) == (values[node] < 0.0) {
                            self.link(bottom, right);
                            self.link(top, left);
                        } else {
                            self.link(bottom, left);
                            self.link(top, right);
                        }
                    }
                    // Beside a pole.
                    _ => {}
                }
            }
        }
    }

    fn link(&mut self, one: usize, other: usize) {
        for (from, to) in [(one, other), (other, one)] {
            if let Some(free) = self.links[from].iter_mut().find(|link| **link == NONE) {
                *free = to as u32;
            }
        }
    }

    /// Lines with ends first, then closed ones.
    fn trace(&self) -> Vec<Polyline> {
        let mut is_used = vec![false; self.points.len()];
        let mut lines = Vec::new();
        for is_closed in [false, true] {
            for first in 0..self.points.len() {
                let links = self.links[first];
                if is_used[first] || links[0] == NONE || (links[1] == NONE) == is_closed {
                    continue;
                }
                let (mut line, mut at) = (Polyline::new(), first);
                loop {
                    is_used[at] = true;
                    line.extend(self.points[at]);
                    let next = self.links[at].into_iter().find(|link| *link != NONE && !is_used[*link as usize]);
                    let Some(next) = next else { break };
                    at = next as usize;
                }
                if is_closed {
                    line.extend(self.points[first]);
                }
                lines.push(line);
            }
        }
        lines
    }
}

/// The part of an edge at which `f` changes its sign; `None` if it does not, or through a pole. The ends have these values.
pub(super) fn crossing([first, last]: [f64; 2], f: &mut dyn FnMut(f64) -> f64) -> Option<f64> {
    if !(first.is_finite() && last.is_finite()) || (first < 0.0) == (last < 0.0) {
        return None;
    }
    // False position with halved values (Illinois), which converges quickly for smooth functions and always stays in the interval.
    let ([mut low, mut high], [mut at_low, mut at_high]) = ([0.0, 1.0], [first, last]);
    let (mut part, mut value) = (0.5, f64::NAN);
    let mut kept = 0;
    for _ in 0..REFINEMENTS {
        part = low + (high - low) * (at_low / (at_low - at_high)).clamp(0.0, 1.0);
        value = f(part);
        if value == 0.0 || high - low < 1e-12 || !value.is_finite() {
            break;
        }
        if (value < 0.0) == (first < 0.0) {
            (low, at_low) = (part, value);
            at_high *= if kept == 1 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            (high, at_high) = (part, value);
            at_low *= if kept == 2 { 0.5 } else { 1.0 };
            kept = 2;
        }
    }
    (value.abs() <= first.abs().max(last.abs())).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(grid: &Grid, mut f: impl FnMut([f64; 2]) -> f64) -> Vec<Polyline> {
        let values: Vec<f64> = grid.points().map(&mut f).collect();
        zero_lines(grid, &values, &mut f)
    }

    #[test]
    fn a_circle_is_one_closed_line_on_the_circle() {
        let grid = Grid { x: [-2.0, 2.0], y: [-1.5, 1.7], nodes: 20 };
        let lines = lines_of(&grid, |[x, y]| x * x + y * y - 1.0);
        assert_eq!(lines.len(), 1);
        let circle = &lines[0];
        assert!(circle.len() > 20);
        assert_eq!(circle.first(), circle.last());
        let turn = |three: &[[f64; 2]]| {
            let [a, b] = [0, 1].map(|at| (three[at + 1][1] - three[at][1]).atan2(three[at + 1][0] - three[at][0]));
            (b - a).sin().abs()
        };
        assert!(circle.windows(3).all(|three| turn(three) < 0.2), "the circle has corners");
        for [x, y] in circle {
            assert!((x.hypot(*y) - 1.0).abs() < 1e-9, "{x} {y}");
        }
    }

    #[test]
    fn a_saddle_has_two_branches_that_do_not_cross() {
        let grid = Grid { x: [-1.0, 1.0], y: [-1.0, 1.0], nodes: 10 };
        let lines = lines_of(&grid, |[x, y]| x * y - 0.001);
        assert_eq!(lines.len(), 2);
        for line in &lines {
            assert!(line.iter().all(|[x, _]| (*x > 0.0) == (line[0][0] > 0.0)), "{line:?}");
        }
    }

    #[test]
    fn a_pole_is_no_zero_but_a_jump_is() {
        let grid = Grid { x: [-1.0, 1.1], y: [0.0, 1.0], nodes: 16 };
        assert_eq!(lines_of(&grid, |[x, _]| 1.0 / x), Vec::<Polyline>::new());
        let lines = lines_of(&grid, |[x, _]| if x > 0.3 { 1.0 } else { -1.0 });
        assert_eq!(lines.len(), 1);
        assert!(lines[0].iter().all(|[x, _]| (x - 0.3).abs() < 1e-9));
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let grid = Grid { x: [-1.0, 1.0], y: [-1.0, 1.0], nodes: 12 };
        let lines = lines_of(&grid, |[x, y]| y - x.sqrt());
        assert!(!lines.is_empty() && lines.iter().flatten().all(|[x, y]| *x >= 0.0 && (y - x.sqrt()).abs() < 1e-9));
    }
}
