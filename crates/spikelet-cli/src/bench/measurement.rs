//! Results of measurements as JSON or as a table.

use std::fmt::Write;

use serde::Serialize;
use spikelet::human;
use spikelet_gpu::OperationShare;

use super::conditions::Conditions;
use crate::text::{metric, short};

/// The results of a case. The keys of its JSON are part of the command line interface; BENCHMARKS.md describes them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Measurement {
    /// Network, size, device, and trials if there are several.
    pub(super) name: String,
    pub(super) network: String,
    pub(super) size: String,
    pub(super) backend: Backend,
    /// Sources included.
    pub(super) neurons: u32,
    pub(super) synapses: u64,
    pub(super) dt_ms: f64,
    pub(super) trials: usize,
    /// Wall time to draw and load the network.
    pub(super) build_seconds: f64,
    /// Wall time from the start of the build to the first spike; `None` if no neuron fired during the warm-up.
    pub(super) first_spike_seconds: Option<f64>,
    /// Median of the repetitions, with the steps of all trials.
    pub(super) steps_per_second: f64,
    /// Largest relative deviation of a repetition from the median.
    pub(super) spread: f64,
    /// Steps per second of each repetition.
    pub(super) repetitions: Vec<f64>,
    /// Wall time divided by biological time of all trials.
    pub(super) real_time_factor: f64,
    pub(super) synaptic_events_per_second: f64,
    pub(super) neuron_updates_per_second: f64,
    /// The plan, on the host.
    pub(super) plan_bytes: u64,
    /// The process after loading, if known. Devices that take turns are included.
    pub(super) resident_bytes: Option<u64>,
    /// Times of the operations of a CPU, in a repetition of its own; those of a GPU are measured by `run --profile`.
    pub(super) operations: Vec<OperationShare>,
    pub(super) gpu: Option<GpuMeasurement>,
    /// Biological time from the start in which spikes were counted.
    pub(super) compared_ms: f64,
    /// Spikes in that time, of the first trial.
    pub(super) spikes: u64,
    pub(super) spikes_hash: String,
    /// The baseline.
    pub(super) baseline: Option<String>,
    /// Its steps per second divided by those of the baseline.
    pub(super) ratio: Option<f64>,
    pub(super) conditions: Conditions,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Backend {
    pub(super) kind: &'static str,
    /// 0 for a GPU.
    pub(super) threads: usize,
}

/// Results of GPUs only.
#[derive(Debug, Clone, Serialize)]
pub(super) struct GpuMeasurement {
    /// All buffers that kernels see.
    pub(super) bytes: u64,
    /// Number of pages of rows.
    pub(super) pages: usize,
    pub(super) epoch_steps: u32,
    pub(super) dispatches_per_epoch: usize,
    /// Whether one dispatch runs all epochs of a submission.
    pub(super) single_dispatch: bool,
    pub(super) steps_per_submission: f64,
    /// Wall time of the host to record and submit a dispatch, including its part of the overhead per submission.
    pub(super) encode_microseconds_per_dispatch: f64,
}

/// A number of steps, and their duration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repetition {
    pub(super) steps: u32,
    pub(super) seconds: f64,
    /// Synaptic events of all trials.
    pub(super) events: u64,
}

/// The median; `None` for an empty list.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Sets the baseline of each: the named one, or by default one trial for several, and the CPU for a GPU.
pub(super) fn compare(measured: &mut [Measurement], baseline: Option<&str>) {
    let speeds: Vec<(String, f64)> = measured.iter().map(|of| (of.name.clone(), of.steps_per_second)).collect();
    for of in measured {
        let own = match (baseline, of.trials, of.backend.kind) {
            (Some(baseline), ..) => baseline.to_owned(),
            (None, 1, "gpu") => format!("{}/{}/cpu", of.network, of.size),
            (None, 1, _) => continue,
            (None, _, kind) => format!("{}/{}/{kind}", of.network, of.size),
        };
        let Some((name, speed)) = speeds.iter().find(|(name, _)| *name == own && *name != of.name) else { continue };
        (of.baseline, of.ratio) = (Some(name.clone()), Some(of.steps_per_second / speed));
    }
}

/// One row each.
pub(super) fn table(measured: &[Measurement], conditions: &Conditions) -> String {
    let widest = measured.iter().map(|of| of.name.len()).max().unwrap_or(0).max("case".len());
    let Conditions { date, version, system, cores, vectors, load, adapter } = conditions;
    let load = load.map_or(String::new(), |load| format!(", load {load}"));
    let adapter = adapter.as_ref().map_or(String::new(), |adapter| format!("; GPU: {adapter}"));
    let mut text = format!("{date}, spikelet {version}, {system}, {cores} hardware threads, {vectors}{load}{adapter}\n\n");
    let heads = [
        "build s",
        "1st spike s",
        "steps/s",
        "±",
        "real time",
        "events/s",
        "updates/s",
        "plan",
        "GPU",
        "µs/disp.",
        "spikes",
        "ratio",
    ];
    let line = |text: &mut String, name: &str, cells: [String; 12], last: &str| {
        _ = write!(text, "{name:<widest$}");
        for (cell, width) in cells.iter().zip([8, 12, 9, 5, 10, 9, 10, 10, 10, 9, 9, 7]) {
            _ = write!(text, " {cell:>width$}");
        }
        _ = write!(text, "  {last}");
    };
    line(&mut text, "case", heads.map(str::to_owned), "spikes hash");
    for of in measured {
        let optional = |value: Option<f64>| value.map_or("-".to_owned(), short);
        let cells = [
            short(of.build_seconds),
            optional(of.first_spike_seconds),
            metric(of.steps_per_second),
            format!("{:.0}%", of.spread * 100.0),
            short(of.real_time_factor),
            metric(of.synaptic_events_per_second),
            metric(of.neuron_updates_per_second),
            human(of.plan_bytes),
            of.gpu.as_ref().map_or("-".to_owned(), |gpu| human(gpu.bytes)),
            optional(of.gpu.as_ref().map(|gpu| gpu.encode_microseconds_per_dispatch)),
            of.spikes.to_string(),
            optional(of.ratio),
        ];
        text.push('\n');
        line(&mut text, &of.name, cells, &of.spikes_hash);
    }
    for of in measured.iter().filter(|of| !of.operations.is_empty()) {
        let operation = |of: &OperationShare| format!("{} {:.1} %", of.name, 100.0 * of.share);
        let operations: Vec<String> = of.operations.iter().map(operation).collect();
        _ = write!(text, "\n{:<widest$} {}", of.name, operations.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_values() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
