//! The phase plane of a neuron of the open network.

use js_sys::{Float64Array, Uint32Array};
use spikelet::phase_plane::{self, Clamp, PlaneQuery, Polyline};

use super::command_error::CommandError;
use super::run::OpenNetwork;
use super::summary::shown;
use crate::protocol::{
    Eigenvalue, FixedPoint, FixedPointKind, PhasePlane, PlaneAxis, PlaneLines, PlaneRequest, PlaneRole, PlaneVariable,
};

impl OpenNetwork {
    /// The phase plane for the present values of the first trial.
    pub(super) fn phase_plane(&self, request: &PlaneRequest) -> Result<PhasePlane, CommandError> {
        let clamp = |of: &crate::protocol::ClampedVariable| (of.symbol.clone(), of.value.map_or(Clamp::Steady, Clamp::Held));
        let time_ms = request.time_ms.unwrap_or_else(|| self.driver.simulation.time_ms());
        let query = PlaneQuery {
            neuron: request.neuron,
            x: request.x.clone(),
            y: request.y.clone(),
            x_range: request.x_range,
            y_range: request.y_range,
            clamp: request.clamp.iter().map(clamp).collect(),
            resolution: request.resolution,
            time_ms,
        };
        let plane = self.driver.simulation.plan().phase_plane(&request.population, &query)?;
        let [x_rates, y_rates] = plane.rates.each_ref().map(|rates| Float64Array::from(rates.as_slice()));
        let [x_nullcline, y_nullcline] = plane.nullclines.each_ref().map(|polylines| lines(polylines));
        let jumps: Vec<Polyline> = plane.jumps.iter().map(|jump| jump.to_vec()).collect();
        Ok(PhasePlane {
            population: request.population.clone(),
            neuron: request.neuron,
            x: axis(&plane.x),
            y: plane.y.as_ref().map(axis),
            variables: plane.variables.iter().map(variable).collect(),
            resolution: plane.resolution,
            x_rates,
            y_rates,
            x_nullcline,
            y_nullcline,
            fixed_points: plane.fixed_points.iter().map(fixed_point).collect(),
            threshold: lines(&plane.threshold),
            reset: lines(&plane.reset),
            jumps: lines(&jumps),
            time_ms,
            is_map: plane.is_map,
            has_noise: plane.has_noise,
            follows_time: plane.follows_time,
        })
    }
}

fn axis(of: &phase_plane::Axis) -> PlaneAxis {
    PlaneAxis { symbol: of.name.clone(), unit: shown(&of.dimension.inner_unit()), range: of.range }
}

fn variable(of: &phase_plane::PlaneVariable) -> PlaneVariable {
    let (role, value) = match of.clamp {
        None => (PlaneRole::Axis, of.initial),
        Some(Clamp::Held(value)) => (PlaneRole::Held, value),
        Some(Clamp::Steady) => (PlaneRole::Steady, of.initial),
    };
    let unit = shown(&of.dimension.inner_unit());
    PlaneVariable { symbol: of.name.clone(), unit, role, value, range: of.range, can_be_steady: of.can_be_steady }
}

fn fixed_point(of: &phase_plane::FixedPoint) -> FixedPoint {
    let kind = match of.kind {
        phase_plane::FixedPointKind::StableNode => FixedPointKind::StableNode,
        phase_plane::FixedPointKind::UnstableNode => FixedPointKind::UnstableNode,
        phase_plane::FixedPointKind::StableFocus => FixedPointKind::StableFocus,
        phase_plane::FixedPointKind::UnstableFocus => FixedPointKind::UnstableFocus,
        phase_plane::FixedPointKind::Saddle => FixedPointKind::Saddle,
        phase_plane::FixedPointKind::Centre => FixedPointKind::Centre,
        phase_plane::FixedPointKind::Degenerate => FixedPointKind::Degenerate,
    };
    let eigenvalues = of.eigenvalues.iter().map(|[re, im]| Eigenvalue { re: *re, im: *im }).collect();
    FixedPoint { x: of.at[0], y: of.at[1], kind, eigenvalues }
}

fn lines(polylines: &[Polyline]) -> PlaneLines {
    let points: Vec<f64> = polylines.iter().flatten().flatten().copied().collect();
    let ends: Vec<u32> = polylines
        .iter()
        .scan(0, |end, line| {
            *end += line.len() as u32;
            Some(*end)
        })
        .collect();
    PlaneLines { points: Float64Array::from(points.as_slice()), ends: Uint32Array::from(ends.as_slice()) }
}
