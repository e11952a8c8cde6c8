//! The class that a network decides for.

use spikelet_train::{LossKind, Reading, Readings, Training};

/// The class of each trial: the unit with the largest reading of the first term that compares classes, or with the earliest spike; `None` if
/// no unit fired. `None` as a whole if no term compares classes.
pub(super) fn decisions(training: &Training, readings: &Readings, trials: usize) -> Option<Vec<Option<u32>>> {
    let term = training.loss.iter().position(|term| term.kind == LossKind::CrossEntropy)?;
    let is_earliest = training.loss[term].reading == Reading::FirstSpike;
    let values = &readings.0[term];
    let units = values.len() / trials.max(1);
    let decide = |trial: &[f32]| {
        let strength = |unit: usize| if is_earliest { -trial[unit] } else { trial[unit] };
        let better = |best: usize, unit: usize| if strength(unit) > strength(best) { unit } else { best };
        let best = (0..units).reduce(better).filter(|unit| strength(*unit) > f32::NEG_INFINITY);
        best.map(|unit| unit as u32)
    };
    Some(values.chunks(units.max(1)).map(decide).collect())
}
