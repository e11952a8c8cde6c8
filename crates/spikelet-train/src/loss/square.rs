//! The mean square of the difference to targets.

use spikelet_network::Error;

use super::{Cost, LossTerm, Shape, largest};
use crate::{Reading, Target};

/// The mean of (reading − target)² over the units and the steps that count.
#[derive(Debug, Clone)]
pub(super) struct Square {
    on: f64,
    off: f64,
    /// Whether it reads times of first spikes: the class is the earliest, and an infinite time becomes the duration.
    times: bool,
}

impl Square {
    pub(super) fn new(term: &LossTerm) -> Square {
        let times = term.reading == Reading::FirstSpike;
        Square { on: term.on.unwrap_or(1.0), off: term.off.unwrap_or(0.0), times }
    }

    pub(super) fn evaluate(&self, shape: &Shape, values: &[f64], target: &Target, adjoint: &mut [f64]) -> Result<Cost, Error> {
        let (class, targets) = self.targets(shape, target)?;
        let (units, first) = (shape.units, shape.from * shape.units);
        let count = (values.len() - first) as f64;
        let (mut loss, mut sums) = (0.0, vec![0.0; units]);
        for place in first..values.len() {
            let unit = place % units;
            let never = self.times && values[place] == f64::INFINITY;
            let value = if never { shape.duration_ms } else { values[place] };
            // A target for each unit is the same in all steps.
            let difference = value - targets.get(place).unwrap_or_else(|| &targets[unit]);
            loss += difference * difference / count;
            adjoint[place] = if never { 0.0 } else { 2.0 * difference / count };
            sums[unit] += if self.times { -values[place] } else { value };
        }
        let answer = Some(largest(&sums)).filter(|unit| sums[*unit].is_finite());
        Ok(class.map_or(Cost::of(loss), |class| Cost::of_class(loss, class, answer)))
    }

    /// The class, if the target is one, and values for each unit or for each unit in each step.
    fn targets(&self, shape: &Shape, target: &Target) -> Result<(Option<usize>, Vec<f64>), Error> {
        match target {
            Target::Class(_) => {
                let class = shape.class(target)?;
                let value = |unit| if unit == class { self.on } else { self.off };
                Ok((Some(class), (0..shape.units).map(value).collect()))
            }
            Target::Values(values) if [shape.units, shape.length()].contains(&values.len()) => {
                Ok((None, values.iter().map(|value| f64::from(*value)).collect()))
            }
            other => {
                let expected = match shape.steps {
                    1 => format!("{} values, one for each neuron", shape.units),
                    steps => format!("{} values, one for each neuron, or {} for each of {steps} steps", shape.units, shape.units),
                };
                Err(shape.mismatch(other, &expected))
            }
        }
    }
}
