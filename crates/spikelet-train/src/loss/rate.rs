//! Regularisers of numbers of spikes.

use spikelet_network::Error;

use super::{Cost, LossTerm, Shape};

/// Costs of few spikes of a neuron, of many spikes of the population, and of the distance to a number of spikes.
#[derive(Debug, Clone)]
pub(super) struct Rate {
    lower: Option<f64>,
    upper: Option<f64>,
    target: Option<f64>,
}

impl Rate {
    pub(super) fn new(term: &LossTerm, shape: &Shape) -> Result<Rate, Error> {
        let LossTerm { lower, upper, target, .. } = *term;
        if lower.or(upper).or(target).is_none() {
            let path = shape.path.clone();
            return Err(Error::MissingKey { path, line: None, key: "upper".into(), example: "\"upper\": 10".into() });
        }
        Ok(Rate { lower, upper, target })
    }

    pub(super) fn evaluate(&self, counts: &[f64], adjoint: &mut [f64]) -> Cost {
        let units = counts.len() as f64;
        let excess = self.upper.map_or(0.0, |upper| positive(counts.iter().sum::<f64>() / units - upper));
        let mut loss = excess * excess;
        for (count, adjoint) in counts.iter().zip(adjoint) {
            let lacking = self.lower.map_or(0.0, |lower| positive(lower - count));
            let distance = self.target.map_or(0.0, |target| count - target);
            loss += (lacking * lacking + distance * distance) / units;
            *adjoint = 2.0 * (excess + distance - lacking) / units;
        }
        Cost::of(loss)
    }
}

/// max(0, x), with NaN for NaN.
fn positive(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}
