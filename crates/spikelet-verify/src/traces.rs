//! Sampled values and those at the end.

use spikelet::Network;

use crate::case::CaseRun;
use crate::record::Record;
use crate::spikes::ms;
use crate::verdict::Findings;

/// Compares the samples of a run. `matches` tells of which neurons the spikes match to the step.
pub(crate) fn judge(
    run: &CaseRun,
    network: &Network,
    record: &Record,
    steps: u32,
    matches: &[(String, Vec<bool>)],
    findings: &mut Findings,
) {
    for trace in &run.traces {
        let shifted = !undisturbed(network, matches, &trace.object, trace.index);
        let within = if shifted { trace.tolerance.abs_if_spikes_shifted } else { trace.tolerance.abs };
        let samples = trace.samples.iter().map(|&(step, expected)| ComparedValue {
            label: trace.label.clone(),
            step,
            expected,
            found: record.sample(&trace.label, step).map(|value| value / trace.factor),
        });
        let shifted = if shifted { ", with shifted spikes" } else { "" };
        worst(&trace.label, samples, within, findings, |step| format!("at {} ms{shifted}", ms(step, network.dt_ms)));
    }
    for last in &run.finals {
        let samples = last.values.iter().enumerate().map(|(index, &expected)| {
            let label = format!("{}[{index}]", last.label);
            let found = record.sample(&label, steps).map(|value| value / last.factor);
            ComparedValue { label, step: steps, expected, found }
        });
        worst(&last.label, samples, last.within, findings, |_| "at the end".to_owned());
    }
}

/// A value, and what it should be.
struct ComparedValue {
    label: String,
    step: u32,
    expected: f64,
    /// None where it was not recorded.
    found: Option<f64>,
}

/// Judges the sample that is furthest from its value.
fn worst(
    what: &str,
    samples: impl Iterator<Item = ComparedValue>,
    within: f64,
    findings: &mut Findings,
    when: impl Fn(u32) -> String,
) {
    let mut worst: Option<(f64, ComparedValue)> = None;
    for sample in samples {
        let difference = sample.found.map_or(f64::NAN, |found| (found - sample.expected).abs());
        // What is no number is the worst there is.
        if worst.as_ref().is_none_or(|(largest, _)| difference.is_nan() || difference > *largest) {
            let done = difference.is_nan();
            worst = Some((difference, sample));
            if done {
                break;
            }
        }
    }
    let Some((difference, ComparedValue { label, step, expected, found })) = worst else { return };
    findings.compare(what, difference, within, || match found {
        Some(found) => {
            let when = when(step);
            format!("{label} {when} is {found}, expected {expected} within {within} ({difference:.3e} apart)")
        }
        None => format!("{label} was not recorded {}", when(step)),
    });
}

/// Whether the spikes of the neurons that a channel belongs to match to the step: the neuron itself, or those that a synapse joins.
fn undisturbed(network: &Network, matches: &[(String, Vec<bool>)], object: &str, index: usize) -> bool {
    let neuron = |object: &str, neuron: usize| {
        // What has no spikes to compare (a source, a population without a threshold) cannot be shifted.
        let of = matches.iter().find(|(name, _)| name == object);
        of.is_none_or(|(_, neurons)| neurons.get(neuron).copied().unwrap_or(true))
    };
    let Some(projection) = network.projections.iter().find(|projection| projection.name == object) else {
        return neuron(object, index);
    };
    match projection.pairs.as_ref().and_then(|pairs| pairs.get(index)) {
        Some([pre, post]) => {
            neuron(&projection.pre.population, *pre as usize) && neuron(&projection.post.population, *post as usize)
        }
        // Which neurons a rule joins is not known here.
        None => matches.iter().all(|(_, neurons)| neurons.iter().all(|same| *same)),
    }
}
