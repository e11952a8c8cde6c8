//! The loss of an assembly by a soft selection of the k largest.

use spikelet_network::Error;

use super::{Cost, LossTerm, Shape, largest};
use crate::Target;

/// −Σ log m/|A| over an assembly A, with memberships m = σ((s − θ)/T) and θ such that Σm = k.
///
/// θ is found by bisection; the derivative of m is that of the solution: ∂mᵢ/∂sⱼ = gᵢ/T · (δᵢⱼ − gⱼ/Σg) with g = m(1 − m).
#[derive(Debug, Clone)]
pub(super) struct Assembly {
    /// The neurons of each class.
    assemblies: Vec<Vec<usize>>,
    k: Option<f64>,
    temperature: f64,
}

impl Assembly {
    pub(super) fn new(term: &LossTerm, shape: &Shape) -> Result<Assembly, Error> {
        shape.check_classes(term)?;
        let (units, classes) = (shape.units, shape.classes as usize);
        let path = format!("{}.assemblies", shape.path);
        let assemblies: Vec<Vec<usize>> = match &term.assemblies {
            None => (0..classes).map(|class| (class * units / classes..(class + 1) * units / classes).collect()).collect(),
            Some(lists) => lists.iter().map(|list| list.iter().map(|unit| *unit as usize).collect()).collect(),
        };
        if assemblies.len() != classes {
            let expected = format!("the data have {classes} classes, each of which needs an assembly");
            return Err(Error::invalid(path, format!("{} lists", assemblies.len()), expected, "write a list for each class"));
        }
        for (class, assembly) in assemblies.iter().enumerate() {
            let mut sorted = assembly.clone();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() != assembly.len() || sorted.last().is_none_or(|last| *last >= units) {
                let expected = format!("different neurons of {units}, counted from 0, at least one, are expected");
                return Err(Error::invalid(format!("{path}[{class}]"), format!("{assembly:?}"), expected, "correct it"));
            }
        }
        let most = assemblies.iter().map(Vec::len).max().unwrap_or(0);
        let k = term.k.unwrap_or(most as f64);
        if k >= units as f64 {
            let expected = format!("fewer than the {units} neurons of the population can win");
            return Err(Error::invalid(format!("{}.k", shape.path), k, expected, "use a smaller `k`, or smaller assemblies"));
        }
        Ok(Assembly { assemblies, k: term.k, temperature: term.temperature.unwrap_or(1.0) })
    }

    pub(super) fn evaluate(&self, shape: &Shape, scores: &[f64], target: &Target, adjoint: &mut [f64]) -> Result<Cost, Error> {
        let class = shape.class(target)?;
        let assembly = &self.assemblies[class];
        let size = assembly.len() as f64;
        if let Some(value) = scores.iter().find(|score| !score.is_finite()) {
            return Ok(Cost::of(*value));
        }
        let threshold = self.threshold(scores, self.k.unwrap_or(size));
        let arguments: Vec<f64> = scores.iter().map(|score| (score - threshold) / self.temperature).collect();
        let members: Vec<f64> = arguments.iter().map(|x| sigmoid(*x)).collect();
        // log m = −log(1 + exp(−x)), which is stable for small m.
        let loss = assembly.iter().map(|unit| softplus(-arguments[*unit])).sum::<f64>() / size;

        // The derivative for fixed θ is −(1 − m)/(|A| T) in A; θ follows every score with the part g/Σg.
        let slopes: Vec<f64> = arguments.iter().map(|x| sigmoid(*x) * sigmoid(-x)).collect();
        let slope: f64 = slopes.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let direct = |unit: usize| sigmoid(-arguments[unit]) / (size * self.temperature);
        let total: f64 = assembly.iter().map(|unit| direct(*unit)).sum();
        for (adjoint, own) in adjoint.iter_mut().zip(&slopes) {
            *adjoint = total * own / slope;
        }
        for unit in assembly {
            adjoint[*unit] -= direct(*unit);
        }
        let mean = |of: &Vec<usize>| of.iter().map(|unit| members[*unit]).sum::<f64>() / of.len() as f64;
        let means: Vec<f64> = self.assemblies.iter().map(mean).collect();
        Ok(Cost::of_class(loss, class, Some(largest(&means))))
    }

    /// θ with Σ σ((s − θ)/T) = k: bisection, which always takes the same number of rounds.
    pub(super) fn threshold(&self, scores: &[f64], k: f64) -> f64 {
        let count = scores.len() as f64;
        let [lowest, highest] =
            scores.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], score| [low.min(*score), high.max(*score)]);
        // With all scores equal to the lowest, or to the largest, the threshold is at this distance.
        let distance = self.temperature * libm::log((count - k) / k);
        let [mut low, mut high] = [lowest + distance, highest + distance];
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            let sum: f64 = scores.iter().map(|score| sigmoid((score - middle) / self.temperature)).sum();
            if sum > k {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// 1/(1 + exp(−x)).
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// log(1 + exp(x)).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}
