//! The statistics of the network.

use std::fmt;

use serde::Serialize;
use spikelet::{Distribution, Measurement, Plan, time};

use super::TrialResult;
use crate::text::short;

/// A statistic over time: each list has an entry per time.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Statistic {
    /// Label such as `EE.w`.
    name: String,
    unit: String,
    time_ms: Vec<f64>,
    finite: Vec<u32>,
    not_finite: Vec<u32>,
    mean: Vec<f64>,
    sd: Vec<f64>,
    min: Vec<f64>,
    max: Vec<f64>,
    below: Vec<u32>,
    above: Vec<u32>,
    counts: Vec<Vec<u32>>,
    /// Limits of the bins.
    ends: Vec<f64>,
}

impl Statistic {
    /// The statistics of a plan, with the values of a trial.
    pub(crate) fn of(plan: &Plan, measured: &[Measurement]) -> Vec<Statistic> {
        let of = |(index, of): (usize, &spikelet::StatisticPlan)| {
            let own = || measured.iter().filter(move |measurement| measurement.statistic == index);
            fn each<'a, T>(own: impl Iterator<Item = &'a Measurement>, part: fn(&Distribution) -> T) -> Vec<T> {
                own.map(|measurement| part(&measurement.distribution)).collect()
            }
            Statistic {
                name: of.label.clone(),
                unit: of.unit.clone(),
                time_ms: own().map(|measurement| time::of_step(measurement.step, plan.dt_ms)).collect(),
                finite: each(own(), |of| of.finite),
                not_finite: each(own(), |of| of.not_finite),
                mean: each(own(), |of| of.mean),
                sd: each(own(), |of| of.sd),
                min: each(own(), |of| of.min),
                max: each(own(), |of| of.max),
                below: each(own(), |of| of.below),
                above: each(own(), |of| of.above),
                counts: each(own(), |of| of.counts.clone()),
                ends: of.ends().collect(),
            }
        };
        plan.statistics.iter().enumerate().map(of).collect()
    }
}

/// One row per statistic: the last values; for several trials the means of the means and the extremes.
pub(super) fn write(f: &mut fmt::Formatter<'_>, results: &[TrialResult]) -> fmt::Result {
    let Some(first) = results.first() else { return Ok(()) };
    for (index, Statistic { name, unit, .. }) in first.statistics.iter().enumerate() {
        let last =
            |part: fn(&Statistic) -> &Vec<f64>| results.iter().filter_map(move |of| part(&of.statistics[index]).last().copied());
        let mean = |part| last(part).sum::<f64>() / last(part).count().max(1) as f64;
        let Some(time_ms) = last(|of| &of.time_ms).reduce(f64::max) else { continue };
        let (least, largest) = (last(|of| &of.min).reduce(f64::min), last(|of| &of.max).reduce(f64::max));
        let unit = if unit == "1" { String::new() } else { format!(" {unit}") };
        let [average, sd] = [mean(|of| &of.mean), mean(|of| &of.sd)].map(short);
        let [least, largest] = [least, largest].map(|value| short(value.unwrap_or_default()));
        writeln!(f, "{name:<12} {average} ± {sd}{unit}, from {least} to {largest}, at {time_ms} ms")?;
    }
    Ok(())
}
