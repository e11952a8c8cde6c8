//! Statistics of spikes and state, as the corpus defines them.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use spikelet::lang::quantity::constant;
use spikelet::{Network, Quantity};

use crate::case::{Statistics, step};
use crate::format::Measure;
use crate::record::Record;
use crate::verdict::Findings;

/// Minimum number of spikes of a neuron for its intervals to count.
const ENOUGH_SPIKES: usize = 4;
/// State is measured at every so manieth step.
const STRIDE: u32 = 10;
/// Number of seeds from which the narrow tolerance of a mean applies; below it, that of a single seed.
const MANY_SEEDS: usize = 10;

/// The steps whose samples are measured.
pub(crate) fn wanted(measure: &Measure, network: &Network, steps: u32) -> BTreeSet<u32> {
    if network.recordings.is_empty() {
        return BTreeSet::new();
    }
    (step(measure.warmup_ms, network.dt_ms)..steps).filter(|step| step % STRIDE == 0).collect()
}

/// Compares the mean of each metric over runs.
pub(crate) fn judge(statistics: &Statistics, network: &Network, records: &[Record], steps: u32, findings: &mut Findings) {
    let runs: Result<Vec<Vec<IndexMap<String, f64>>>, String> =
        records.iter().map(|record| metrics(&statistics.measure, network, record, steps)).collect();
    let runs = match runs {
        Ok(runs) => runs.concat(),
        Err(reason) => return findings.reasons.push(reason),
    };
    for (name, expected, tolerance) in &statistics.metrics {
        if runs.iter().any(|run| !run.contains_key(name)) {
            findings.reasons.push(format!("{name} is not a known metric"));
            continue;
        }
        let within = if runs.len() >= MANY_SEEDS { tolerance.mean_of_10_within } else { tolerance.single_trial_within };
        let found = mean(&runs.iter().map(|run| run[name]).collect::<Vec<_>>());
        findings.compare(name, (found - expected).abs(), within, || {
            let seeds = if runs.len() == 1 { "1 seed".to_owned() } else { format!("{} seeds", runs.len()) };
            format!("{name} is {found:.5} over {seeds}, expected {expected} within {within}")
        });
    }
}

impl Measure {
    /// How many neurons count as a run each, where it measures what synapses learn.
    pub(crate) fn learning(&self) -> Option<u32> {
        (self.kind.as_deref() == Some("stdp")).then_some(self.n_post)
    }
}

/// The metrics of one run, or of each neuron that counts as one.
fn metrics(measure: &Measure, network: &Network, record: &Record, steps: u32) -> Result<Vec<IndexMap<String, f64>>, String> {
    let first = step(measure.warmup_ms, network.dt_ms);
    if first >= steps {
        return Err(format!("the warm-up of {} ms leaves no time of {} ms", measure.warmup_ms, network.duration_ms));
    }
    match measure.kind.as_deref() {
        None => Ok(vec![of_groups(measure, network, record, first..steps, false)]),
        Some("poisson") => Ok(vec![of_groups(measure, network, record, first..steps, true)]),
        Some("ou") => Ok(vec![of_noise(network, record, first..steps)?]),
        Some("stdp") => (0..measure.n_post).map(|neuron| of_weights(network, record, neuron, steps)).collect(),
        Some(other) => {
            let known = "the known kinds are \"poisson\", \"ou\" and \"stdp\"";
            Err(format!("measure.kind is \"{other}\", which is not a known kind; {known}"))
        }
    }
}

fn of_groups(
    measure: &Measure,
    network: &Network,
    record: &Record,
    window: std::ops::Range<u32>,
    counts: bool,
) -> IndexMap<String, f64> {
    let mut metrics = IndexMap::new();
    for (group, (object, first, end)) in &measure.groups {
        let neurons = &record.spikes(object)[*first as usize..*end as usize];
        let spikes: Vec<Vec<u32>> =
            neurons.iter().map(|steps| steps.iter().copied().filter(|step| window.contains(step)).collect()).collect();
        let mut note = |metric: &str, value: f64| metrics.insert(format!("{group}.{metric}"), value);
        let seconds = window.len() as f64 * network.dt_ms / 1000.0;
        let number: Vec<f64> = spikes.iter().map(|spikes| spikes.len() as f64).collect();
        let rates: Vec<f64> = number.iter().map(|number| number / seconds).collect();
        note("rate_hz", mean(&rates));
        note("rate_sd_across_neurons_hz", variance(&rates).sqrt());
        note("frac_silent", number.iter().filter(|number| **number == 0.0).count() as f64 / number.len() as f64);
        note("cv_isi", mean(&spikes.iter().filter(|spikes| spikes.len() >= ENOUGH_SPIKES).map(|s| cv(s)).collect::<Vec<_>>()));
        note("pop_fano_1ms", fano(&binned(&spikes, &window, network.dt_ms)));
        if counts {
            note("count_fano", fano(&number));
        }
    }
    metrics
}

/// Coefficient of variation of a neuron's intervals.
fn cv(spikes: &[u32]) -> f64 {
    let intervals: Vec<f64> = spikes.windows(2).map(|pair| f64::from(pair[1] - pair[0])).collect();
    variance(&intervals).sqrt() / mean(&intervals)
}

/// How many spikes fall into each millisecond of the window.
fn binned(spikes: &[Vec<u32>], window: &std::ops::Range<u32>, dt_ms: f64) -> Vec<f64> {
    // A step on the edge of a bin lies in it, whichever way the product was rounded.
    let bin = |steps: u32| (f64::from(steps) * dt_ms + 1e-6) as usize;
    let mut bins = vec![0.0; bin(window.len() as u32)];
    for step in spikes.iter().flatten() {
        if let Some(count) = bins.get_mut(bin(step - window.start)) {
            *count += 1.0;
        }
    }
    bins
}

/// The weights that a neuron's synapses have learned, over the parameter `gmax`, and its rate in the last quarter of the run.
fn of_weights(network: &Network, record: &Record, neuron: u32, steps: u32) -> Result<IndexMap<String, f64>, String> {
    let projection = network.projections.iter().find(|projection| projection.on_post.is_some());
    let projection = projection.ok_or("a measure of the kind \"stdp\" needs a projection with `on_post`")?;
    let Some(Quantity::Number(gmax)) = projection.parameters.get("gmax") else {
        return Err("a measure of the kind \"stdp\" needs the parameter `gmax`, a number, for its weights".to_owned());
    };
    let onto = record.learned.iter().filter(|(post, _)| *post == neuron);
    let weights: Vec<f64> = onto.map(|(_, weight)| weight / gmax).collect();
    let share = |is: &dyn Fn(f64) -> bool| weights.iter().filter(|weight| is(**weight)).count() as f64 / weights.len() as f64;
    let spikes = record.spikes(&projection.post.population).get(neuron as usize).map_or(&[][..], Vec::as_slice);
    let late = spikes.iter().filter(|step| **step >= steps - steps / 4).count();
    Ok(IndexMap::from([
        ("w_mean".to_owned(), mean(&weights)),
        ("w_sd".to_owned(), variance(&weights).sqrt()),
        ("frac_below_0p2".to_owned(), share(&|weight| weight < 0.2)),
        ("frac_above_0p8".to_owned(), share(&|weight| weight > 0.8)),
        ("rate_last_quarter_hz".to_owned(), late as f64 / (network.duration_ms / 4.0) * 1000.0),
    ]))
}

/// Mean, variance and autocorrelation of a variable with time constant `tau`, pooled over neurons.
fn of_noise(network: &Network, record: &Record, window: std::ops::Range<u32>) -> Result<IndexMap<String, f64>, String> {
    let [recording] = network.recordings.as_slice() else {
        return Err(format!("a measure of the kind \"ou\" needs one recording, and there are {}", network.recordings.len()));
    };
    let population = network.population(&recording.object);
    let tau = population.and_then(|population| population.parameters.get("tau"));
    let tau = tau.and_then(|tau| match tau {
        Quantity::Number(tau) => Some(*tau),
        Quantity::Text(text) => constant("tau", text).ok().map(|(value, _)| value),
        _ => None,
    });
    let tau = tau.ok_or("a measure of the kind \"ou\" needs the parameter `tau`, a time, for its autocorrelation")?;
    let lag = (tau / network.dt_ms / f64::from(STRIDE)).round() as usize;
    // In mV whatever the recording's unit: the names of the metrics say so, and it is the inner unit.
    let labels = (0..record.channels()).map(|index| format!("{}.{}[{index}]", recording.object, recording.var));
    let mut traces = Vec::new();
    for label in labels {
        let steps = window.clone().filter(|step| step % STRIDE == 0);
        let trace: Option<Vec<f64>> = steps.map(|step| record.sample(&label, step)).collect();
        traces.push(trace.ok_or_else(|| format!("the run recorded no {label}"))?);
    }
    let all: Vec<f64> = traces.iter().flatten().copied().collect();
    let (mean_mv, variance_mv) = (mean(&all), variance(&all));
    let products: Vec<f64> = traces
        .iter()
        .flat_map(|trace| trace.iter().zip(trace.iter().skip(lag)).map(|(a, b)| (a - mean_mv) * (b - mean_mv)))
        .collect();
    Ok(IndexMap::from([
        ("mean_mV".to_owned(), mean_mv),
        ("var_mV2".to_owned(), variance_mv),
        ("autocorr_at_tau".to_owned(), mean(&products) / variance_mv),
    ]))
}

/// NaN where there is nothing, which fails every comparison.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
}

fn fano(counts: &[f64]) -> f64 {
    variance(counts) / mean(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_are_binned_by_milliseconds_from_the_warm_up() {
        let spikes = [vec![2000, 2009, 2010], vec![2029, 2030]];
        assert_eq!(binned(&spikes, &(2000..2040), 0.1), [2.0, 1.0, 1.0, 1.0]);
        assert_eq!(binned(&[vec![0, 1, 2, 3]], &(0..4), 0.5), [2.0, 2.0]);
        // Every edge of a long window.
        let edges: Vec<u32> = (0..10_000).map(|bin| bin * 10).collect();
        assert_eq!(binned(&[edges], &(0..100_000), 0.1), vec![1.0; 10_000]);
    }

    #[test]
    fn moments_are_those_of_the_whole_population() {
        assert_eq!((mean(&[1.0, 2.0, 3.0]), variance(&[1.0, 3.0]), fano(&[1.0, 3.0])), (2.0, 1.0, 0.5));
        assert_eq!(cv(&[0, 10, 20, 30]), 0.0);
        assert_eq!(cv(&[0, 10, 40]), 0.5);
        assert!(mean(&[]).is_nan() && fano(&[0.0, 0.0]).is_nan());
    }
}
