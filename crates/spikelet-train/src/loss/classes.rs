//! Cross-entropy of classes.

use spikelet_network::Error;

use super::{Cost, LossTerm, Shape, largest};
use crate::Target;

/// −log softmax(scale · reading) of the class; the mean over the steps that count.
#[derive(Debug, Clone)]
pub(super) struct Softmax {
    pub(super) scale: f64,
}

impl Softmax {
    pub(super) fn evaluate(&self, shape: &Shape, values: &[f64], target: &Target, adjoint: &mut [f64]) -> Result<Cost, Error> {
        let class = shape.class(target)?;
        let (units, first) = (shape.units, shape.from * shape.units);
        let steps = (shape.steps - shape.from) as f64;
        let (mut loss, mut sums) = (0.0, vec![0.0; units]);
        for (values, adjoint) in values[first..].chunks_exact(units).zip(adjoint[first..].chunks_exact_mut(units)) {
            let scores: Vec<f64> = values.iter().map(|value| self.scale * value).collect();
            sums.iter_mut().zip(&scores).for_each(|(sum, score)| *sum += score);
            let (log, parts) = log_softmax(&scores, class);
            loss -= log / steps;
            for (unit, (adjoint, part)) in adjoint.iter_mut().zip(parts).enumerate() {
                *adjoint = self.scale * (part - f64::from(u8::from(unit == class))) / steps;
            }
        }
        Ok(Cost::of_class(loss, class, Some(largest(&sums))))
    }
}

/// log softmax of a class, and the softmax.
fn log_softmax(scores: &[f64], class: usize) -> (f64, Vec<f64>) {
    // NaN is not the largest, but becomes the sum.
    let most = scores[largest(scores)];
    let mut parts: Vec<f64> = scores.iter().map(|score| libm::exp(score - most)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter_mut().for_each(|part| *part /= sum);
    (scores[class] - most - libm::log(sum), parts)
}

/// −log softmax(−t/τ₀) + α(exp(t/τ₁) − 1). Where the unit of the class does not fire, no time of a spike can make it fire, and adjoints of
/// the others would only silence them, too, until no unit fires for any sample; the cost is then a constant.
#[derive(Debug, Clone)]
pub(super) struct FirstSpike {
    tau0_ms: f64,
    tau1_ms: f64,
    alpha: f64,
}

impl FirstSpike {
    pub(super) fn new(term: &LossTerm) -> FirstSpike {
        FirstSpike {
            tau0_ms: term.tau0_ms.unwrap_or(0.5),
            tau1_ms: term.tau1_ms.unwrap_or(6.4),
            alpha: term.alpha.unwrap_or(0.003),
        }
    }

    pub(super) fn evaluate(&self, shape: &Shape, times: &[f64], target: &Target, adjoint: &mut [f64]) -> Result<Cost, Error> {
        let class = shape.class(target)?;
        let time = |unit: usize| if times[unit] == f64::INFINITY { shape.duration_ms } else { times[unit] };
        let scores: Vec<f64> = (0..times.len()).map(|unit| -time(unit) / self.tau0_ms).collect();
        let (log, parts) = log_softmax(&scores, class);
        let late = libm::exp(time(class) / self.tau1_ms);
        let too_late = self.alpha * (late - 1.0);
        let earliest = largest(&scores);
        if times[class] == f64::INFINITY {
            let answer = Some(earliest).filter(|unit| times[*unit].is_finite());
            return Ok(Cost::of_class(libm::log(times.len() as f64) + too_late, class, answer));
        }
        for (unit, adjoint) in adjoint.iter_mut().enumerate().filter(|(unit, _)| times[*unit].is_finite()) {
            *adjoint = -parts[unit] / self.tau0_ms;
            if unit == class {
                *adjoint += 1.0 / self.tau0_ms + self.alpha * late / self.tau1_ms;
            }
        }
        Ok(Cost::of_class(too_late - log, class, Some(earliest)))
    }
}
