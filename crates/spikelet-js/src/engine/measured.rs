//! Statistics of synaptic variables as messages.

use js_sys::{Float64Array, Uint32Array};
use spikelet::{Measurement, Plan};

use crate::protocol::StatisticValues;

/// The statistics taken in a batch; none for those that were not due.
pub(super) fn measured<'a>(
    trial: u32,
    plan: &Plan,
    measurements: &'a [Measurement],
) -> impl Iterator<Item = StatisticValues> + use<'a> {
    let of = move |statistic: usize| {
        let own = || measurements.iter().filter(move |of| of.statistic == statistic);
        let steps: Vec<u32> = own().map(|of| of.step).collect();
        let found = || own().map(|of| &of.distribution);
        let moments: Vec<f64> = found().flat_map(|of| [of.mean, of.sd, of.min, of.max]).collect();
        let counts = found().flat_map(|of| [of.not_finite, of.below, of.above].into_iter().chain(of.counts.iter().copied()));
        let counts: Vec<u32> = counts.collect();
        (!steps.is_empty()).then(|| StatisticValues {
            trial,
            statistic: statistic as u32,
            steps: Uint32Array::from(steps.as_slice()),
            moments: Float64Array::from(moments.as_slice()),
            counts: Uint32Array::from(counts.as_slice()),
        })
    };
    (0..plan.statistics.len()).filter_map(of)
}
