//! Phase planes: the deterministic dynamics of one neuron in two of its variables, evaluated in f64.
//!
//! [`Plan::phase_plane`] evaluates the right-hand sides of the equations themselves, not a step of an integrator, with the present values of
//! the parameters, and leaves out synapses, noise and the refractory time. All other variables are held at a value, or follow their
//! [steady state](Clamp::Steady). A model that is written as an `update` is the limit of its steps for dt → 0 if it is a discretised
//! equation, and otherwise a map, whose "rates" are its changes per step.

mod contour;
mod dynamics;
mod fixed_points;
mod ranges;
mod section;
#[cfg(test)]
mod tests;

use indexmap::IndexMap;
use spikelet_lang::Dimension;
use spikelet_network::Error;

use crate::Plan;
use contour::{Grid, zero_lines, zeros};
use dynamics::Dynamics;
use fixed_points::{on_line, on_plane};
use section::Section;

/// Points of a polyline: values of x and y, in inner units.
pub type Polyline = Vec<[f64; 2]>;

/// Number of arrows from the threshold to the reset.
const JUMPS: usize = 7;
/// Limits of [`PlaneQuery::resolution`].
const RESOLUTIONS: [u32; 2] = [8, 256];

/// How a variable that is on neither axis is treated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clamp {
    /// Held at this value, in inner units.
    Held(f64),
    /// At the value at which its own rate is 0, for the present values of the others: the limit of a very fast variable. Its equation must be
    /// linear in it.
    Steady,
}

/// What to compute.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneQuery {
    /// The neuron, by its index in the population.
    pub neuron: u32,
    /// The variable on the horizontal axis; by default the one that the threshold compares.
    pub x: Option<String>,
    /// The variable on the vertical axis; by default one that is coupled with x. With the name of x, or if there is only one variable, the
    /// result is a phase line: the rate of x over x.
    pub y: Option<String>,
    /// The values of x to show, in inner units; by default those that the neuron reaches by itself.
    pub x_range: Option<[f64; 2]>,
    /// The same for y.
    pub y_range: Option<[f64; 2]>,
    /// Values of other variables; by default their initial values.
    pub clamp: IndexMap<String, Clamp>,
    /// Number of grid nodes along each axis.
    pub resolution: u32,
    /// The time at which functions of time are evaluated.
    pub time_ms: f64,
}

impl Default for PlaneQuery {
    fn default() -> PlaneQuery {
        let (x, y, x_range, y_range, clamp) = (None, None, None, None, IndexMap::new());
        PlaneQuery { neuron: 0, x, y, x_range, y_range, clamp, resolution: 64, time_ms: 0.0 }
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The variable.
    pub name: String,
    /// Its dimension.
    pub dimension: Dimension,
    /// The first and the last value on the axis, in inner units.
    pub range: [f64; 2],
}

/// A variable that an axis can show.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneVariable {
    /// Its name.
    pub name: String,
    /// Its dimension.
    pub dimension: Dimension,
    /// How it is treated; `None` if it is on an axis.
    pub clamp: Option<Clamp>,
    /// Its initial value, in inner units.
    pub initial: f64,
    /// The values that the neuron reaches by itself, with some space around them, in inner units; `None` if no range is automatic.
    pub range: Option<[f64; 2]>,
    /// Whether [`Clamp::Steady`] is possible.
    pub can_be_steady: bool,
}

/// The stability of a fixed point, by its eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixedPointKind {
    /// Real and stable.
    StableNode,
    /// Real and unstable.
    UnstableNode,
    /// Complex and stable.
    StableFocus,
    /// Complex and unstable.
    UnstableFocus,
    /// One stable and one unstable direction.
    Saddle,
    /// Complex, neither stable nor unstable in the linear approximation: at a Hopf bifurcation, or in a conservative system.
    Centre,
    /// One eigenvalue is 0: two fixed points meet, as at a saddle-node bifurcation.
    Degenerate,
}

/// A fixed point of the two variables.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedPoint {
    /// Values of x and y in inner units; of a phase line, y is 0.
    pub at: [f64; 2],
    /// Its stability.
    pub kind: FixedPointKind,
    /// Eigenvalues of the Jacobian, as real and imaginary parts, per ms; of a map, those of its derivative, without unit. A phase line has one.
    pub eigenvalues: Vec<[f64; 2]>,
}

/// A phase plane.
#[derive(Debug, Clone, PartialEq)]
pub struct PhasePlane {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis; `None` for a phase line.
    pub y: Option<Axis>,
    /// All variables that an axis can show, including those of the axes.
    pub variables: Vec<PlaneVariable>,
    /// Number of grid nodes along each axis.
    pub resolution: u32,
    /// Rates of x and y in inner units per ms (of a map: per step) at the nodes of the grid: rows of increasing y, in each of them increasing
    /// x. A phase line has one row, and no rates of y.
    pub rates: [Vec<f64>; 2],
    /// Where the rate of x is 0, and where that of y is. Empty for a phase line.
    pub nullclines: [Vec<Polyline>; 2],
    /// The fixed points in the ranges, by increasing x.
    pub fixed_points: Vec<FixedPoint>,
    /// Where the condition of the threshold changes, also somewhat outside of the ranges; points of a phase line.
    pub threshold: Vec<Polyline>,
    /// Where neurons are after a reset.
    pub reset: Vec<Polyline>,
    /// Some points of the threshold in the ranges, with the points to which the reset takes them.
    pub jumps: Vec<[[f64; 2]; 2]>,
    /// Whether the model is a map.
    pub is_map: bool,
    /// Whether noise or random input was left out.
    pub has_noise: bool,
    /// Whether the result depends on the time.
    pub follows_time: bool,
}

impl Plan {
    /// The phase plane of a neuron of a population: see the module [`phase_plane`](crate::phase_plane).
    ///
    /// # Errors
    /// An unknown population or variable, one without dynamics, or a value or range that is not finite.
    pub fn phase_plane(&self, population: &str, query: &PlaneQuery) -> Result<PhasePlane, Error> {
        let Some(index) = self.populations.iter().position(|of| of.name == population) else {
            let known = self.populations.iter().map(|of| of.name.as_str());
            return Err(Error::unknown_name("", "population", population, known));
        };
        if !(RESOLUTIONS[0]..=RESOLUTIONS[1]).contains(&query.resolution) {
            let expected = format!("it must be from {} to {}", RESOLUTIONS[0], RESOLUTIONS[1]);
            return Err(Error::invalid("resolution", query.resolution, expected, "use 64, for example"));
        }
        let dynamics = Dynamics::new(self, index, query.neuron, query.time_ms)?;
        let named = |place: &str, name: &Option<String>| name.as_ref().map(|name| dynamics.named(place, name)).transpose();
        let x = named("x", &query.x)?.unwrap_or_else(|| dynamics.fired());
        let y = named("y", &query.y)?.or_else(|| dynamics.coupled(x)).filter(|y| *y != x);
        let mut section = Section::new(&dynamics, x, y, &query.clamp)?;
        let [given_x, given_y] = [given_range("x_range", query.x_range)?, given_range("y_range", query.y_range)?];
        let is_automatic = given_x.is_none() || (y.is_some() && given_y.is_none());
        let reached = is_automatic.then(|| ranges::reached(&dynamics));
        let automatic = |at: usize| reached.as_ref().map_or([0.0, 1.0], |reached| reached[at]);
        let x_range = given_x.unwrap_or_else(|| automatic(x));
        let y_range = match (y, given_y) {
            (None, _) => [0.0, 1.0],
            (_, Some(given)) => given,
            (Some(y), None) => ranges::with_folds(&mut section, x_range, automatic(y)),
        };
        let grid = Grid { x: x_range, y: y_range, nodes: query.resolution as usize };
        let axis = |at: usize, range: [f64; 2]| Axis { name: dynamics.name(at).into(), dimension: dynamics.dimension(at), range };
        let (clamps, axes) = (section.clamps(), [Some(x), y]);
        let variable = |at: usize| PlaneVariable {
            name: dynamics.name(at).into(),
            dimension: dynamics.dimension(at),
            clamp: (!axes.contains(&Some(at))).then(|| clamps[at]),
            initial: dynamics.initial(at),
            range: reached.as_ref().map(|reached| reached[at]),
            can_be_steady: dynamics.relaxation(at).is_some(),
        };
        let mut plane = PhasePlane {
            x: axis(x, x_range),
            y: y.map(|y| axis(y, y_range)),
            variables: (0..dynamics.count()).map(variable).collect(),
            resolution: query.resolution,
            rates: [Vec::new(), Vec::new()],
            nullclines: [Vec::new(), Vec::new()],
            fixed_points: Vec::new(),
            threshold: Vec::new(),
            reset: Vec::new(),
            jumps: Vec::new(),
            is_map: dynamics.is_map(),
            has_noise: dynamics.has_noise(),
            follows_time: dynamics.follows_time(),
        };
        if y.is_some() {
            plane.fill(&mut section, &grid);
        } else {
            plane.fill_line(&mut section, &grid);
        }
        Ok(plane)
    }
}

impl PhasePlane {
    fn fill(&mut self, section: &mut Section<'_>, grid: &Grid) {
        self.rates = [Vec::with_capacity(grid.len()), Vec::with_capacity(grid.len())];
        for point in grid.points() {
            let flow = section.flow(point);
            self.rates.iter_mut().zip(flow).for_each(|(rates, rate)| rates.push(rate));
        }
        for axis in 0..2 {
            self.nullclines[axis] = zero_lines(grid, &self.rates[axis], &mut |point| section.flow(point)[axis]);
        }
        let is_map = self.is_map;
        self.fixed_points = on_plane(&self.nullclines[0], grid, is_map, &mut |point| section.flow(point));
        if section.has_threshold() {
            // Also outside of the ranges, because spikes from there are reset into them.
            let wide = grid.enlarged();
            let margins: Vec<f64> = wide.points().map(|point| section.margin(point)).collect();
            self.threshold = zero_lines(&wide, &margins, &mut |point| section.margin(point));
        }
        if section.has_reset() {
            self.reset = reset_lines(section, grid, &self.threshold);
            self.jumps = jumps(section, grid, &self.threshold);
        }
    }

    fn fill_line(&mut self, section: &mut Section<'_>, grid: &Grid) {
        let along = |at: usize| [grid.x_at(at), 0.0];
        let rates: Vec<f64> = (0..grid.nodes).map(|at| section.flow(along(at))[0]).collect();
        let roots = zeros(grid, &rates, &mut |x| section.flow([x, 0.0])[0]);
        self.fixed_points = on_line(&roots, &rates, grid, self.is_map, &mut |x| section.flow([x, 0.0])[0]);
        self.rates[0] = rates;
        if section.has_threshold() {
            let wide = grid.enlarged();
            let margins: Vec<f64> = (0..wide.nodes).map(|at| section.margin([wide.x_at(at), 0.0])).collect();
            let roots = zeros(&wide, &margins, &mut |x| section.margin([x, 0.0]));
            self.threshold = roots.iter().map(|x| vec![[*x, 0.0]]).collect();
        }
        if section.has_reset() {
            self.jumps = self.threshold.iter().map(|point| [point[0], [section.reset(point[0])[0], 0.0]]).collect();
            self.reset = self.jumps.iter().map(|[_, to]| vec![*to]).collect();
        }
    }
}

/// A range of a query.
fn given_range(name: &str, range: Option<[f64; 2]>) -> Result<Option<[f64; 2]>, Error> {
    match range {
        Some([from, to]) if !(from.is_finite() && to.is_finite() && from < to) => {
            let expected = "two finite numbers are expected, the smaller one first";
            Err(Error::invalid(
                name,
                format!("{from} to {to}"),
                expected,
                "for example -80 to 40, or none for an automatic range",
            ))
        }
        range => Ok(range),
    }
}

/// Where resets lead: a line across the range if one of the variables gets a fixed value, else the image of the threshold.
fn reset_lines(section: &mut Section<'_>, grid: &Grid, threshold: &[Polyline]) -> Vec<Polyline> {
    let samples: Vec<[f64; 2]> = grid.points().step_by(grid.len() / 23 + 1).chain(threshold.iter().flatten().copied()).collect();
    let images: Vec<[f64; 2]> = samples.iter().map(|point| section.reset(*point)).collect();
    let span = [grid.x[1] - grid.x[0], grid.y[1] - grid.y[0]];
    let same = |axis: usize| images.iter().all(|image| (image[axis] - images[0][axis]).abs() <= 1e-9 * span[axis]);
    let unchanged = |(from, to): (&[f64; 2], &[f64; 2])| (0..2).all(|axis| (from[axis] - to[axis]).abs() <= 1e-9 * span[axis]);
    let Some([x, y]) = images.first().copied() else { return Vec::new() };
    match (same(0), same(1)) {
        (true, true) => vec![vec![[x, y]]],
        (true, false) => vec![vec![[x, grid.y[0]], [x, grid.y[1]]]],
        (false, true) => vec![vec![[grid.x[0], y], [grid.x[1], y]]],
        // It changes other variables only.
        (false, false) if samples.iter().zip(&images).all(unchanged) => Vec::new(),
        (false, false) => threshold.iter().map(|line| line.iter().map(|point| section.reset(*point)).collect()).collect(),
    }
}

/// Points at equal distances on the threshold, as far as it is in the ranges, and where the reset takes them.
fn jumps(section: &mut Section<'_>, grid: &Grid, threshold: &[Polyline]) -> Vec<[[f64; 2]; 2]> {
    let visible: Vec<[f64; 2]> = threshold.iter().flatten().copied().filter(|point| grid.contains(*point)).collect();
    let every = visible.len().div_ceil(JUMPS).max(1);
    let jump = |from: [f64; 2]| [from, section.reset(from)];
    visible.into_iter().skip(every / 2).step_by(every).map(jump).filter(|[from, to]| from != to).collect()
}
