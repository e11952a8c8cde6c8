//! The distance of van Rossum between spike trains.

use spikelet_network::Error;

use super::{Cost, Shape};
use crate::Target;

/// (1/τ)∫(f − g)² dt, the mean over units.
///
/// With exponential kernels the integral over all times is ½ ΣΣ dᵢdⱼ exp(−|tᵢ − tⱼ|/τ), where d is the value of a spike of the unit, and −1
/// for one of the target. Its adjoint for the spikes of a step is the same sum with the step as tᵢ, also where there is no spike. Spikes of
/// step k are at k · dt; those of targets are at any time.
#[derive(Debug, Clone)]
pub(super) struct VanRossum {
    pub(super) tau_ms: f64,
}

/// Something at a time of a unit.
struct Point {
    time_ms: f64,
    value: f64,
    /// The sum of the kernels of all points, with their values.
    sum: f64,
    step: Option<usize>,
}

impl VanRossum {
    pub(super) fn evaluate(&self, shape: &Shape, spikes: &[f64], target: &Target, adjoint: &mut [f64]) -> Result<Cost, Error> {
        let Target::Spikes(targets) = target else { return Err(shape.mismatch(target, "spike times")) };
        if let Some(event) = targets.iter().find(|event| event.channel as usize >= shape.units) {
            let found = format!("with a target spike of neuron {}", event.channel);
            let expected = format!("{} reads {} neurons, from 0", shape.path, shape.units);
            return Err(Error::invalid("data", found, expected, "correct it"));
        }
        let mut loss = 0.0;
        for unit in 0..shape.units {
            let on_grid = (0..shape.steps).map(|step| {
                let (time_ms, value) = (step as f64 * shape.dt_ms, spikes[step * shape.units + unit]);
                Point { time_ms, value, sum: 0.0, step: Some(step) }
            });
            let wanted = targets.iter().filter(|event| event.channel as usize == unit);
            let wanted = wanted.map(|event| Point { time_ms: event.time_ms, value: -1.0, sum: 0.0, step: None });
            let mut points: Vec<Point> = on_grid.chain(wanted).collect();
            points.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
            self.convolve(&mut points);
            for point in &points {
                loss += 0.5 * point.value * point.sum / shape.units as f64;
                if let Some(step) = point.step {
                    adjoint[step * shape.units + unit] = point.sum / shape.units as f64;
                }
            }
        }
        Ok(Cost::of(loss))
    }

    /// The sums of the kernels: from earlier points and the point itself, then from later ones.
    fn convolve(&self, points: &mut [Point]) {
        let (mut sum, mut before) = (0.0, 0.0);
        for point in points.iter_mut() {
            sum = sum * libm::exp((before - point.time_ms) / self.tau_ms) + point.value;
            (point.sum, before) = (sum, point.time_ms);
        }
        let (mut sum, mut after) = (0.0, before);
        for point in points.iter_mut().rev() {
            sum *= libm::exp((point.time_ms - after) / self.tau_ms);
            point.sum += sum;
            sum += point.value;
            after = point.time_ms;
        }
    }
}
