use std::f64::consts::PI;

use serde_json::{Value, json};
use spikelet_tests::device;

use super::{Seen, bursts, deviation, intervals, mean, on_all};

pub(super) const MODELS: [&str; 9] =
    ["poisson", "poisson_sine", "regular", "gamma", "bursts", "ou_current", "step_current", "ramp_current", "sine_current"];

fn network(populations: &[Value], recordings: &[Value], ms: f64) -> Value {
    json!({"name": "sources", "dt_ms": 0.1, "duration_ms": ms, "populations": populations, "recordings": recordings})
}

/// All spikes of a population of this size, train by train.
fn trains<'a>(seen: &'a Seen, population: &'a str, size: u32) -> impl Iterator<Item = &'a [f64]> {
    (0..size).map(move |neuron| seen.train(population, neuron))
}

fn rate(seen: &Seen, population: &str, size: u32, from: f64, to: f64) -> f64 {
    let count: usize = trains(seen, population, size).map(|train| train.iter().filter(|t| (from..to).contains(*t)).count()).sum();
    count as f64 / f64::from(size) / (to - from) * 1000.0
}

/// Mean over the neurons of the coefficient of variation of their intervals.
fn cv(seen: &Seen, population: &str, size: u32) -> f64 {
    let each = trains(seen, population, size).map(|train| {
        let gaps = intervals(train);
        deviation(&gaps) / mean(&gaps)
    });
    mean(&each.collect::<Vec<_>>())
}

/// Cox 1962: the rate, and 1/√order of intervals that are the sum of `order` exponential ones; in steps the sum is of geometric
/// ones, which takes √(1 − p) off. Tolerances are three standard errors.
#[test]
fn random_sources_have_their_rate_and_regularity() {
    let populations = [
        json!({"name": "poisson", "size": 200, "model": "poisson", "parameters": {"rate": "50 Hz"}}),
        json!({"name": "onset", "size": 200, "model": "poisson", "preset": "onset"}),
        json!({"name": "sine", "size": 400, "model": "poisson_sine"}),
        json!({"name": "gamma", "size": 100, "model": "gamma", "parameters": {"order": "4", "rate": "50 Hz"}}),
        json!({"name": "bursts", "size": 100, "model": "bursts", "parameters": {"rate": "5 Hz"}}),
    ];
    on_all(device().as_ref(), &network(&populations, &[], 1000.0), |seen| {
        seen.is("Poisson rate", rate(seen, "poisson", 200, 0.0, 1000.0), 50.0, 1.5);
        seen.is("Poisson CV", cv(seen, "poisson", 200), (1.0f64 - 0.005).sqrt(), 0.04);
        seen.is("rate before the onset", rate(seen, "onset", 200, 0.0, 100.0), 0.0, 0.0);
        seen.is("rate after the onset", rate(seen, "onset", 200, 100.0, 1000.0), 100.0, 2.3);
        // Mean rate, and the first Fourier coefficient: ⟨2 sin(2πft)⟩ over the spikes is the depth.
        seen.is("sinusoidal rate", rate(seen, "sine", 400, 0.0, 1000.0), 20.0, 0.7);
        let phases = trains(seen, "sine", 400).flatten().map(|t| 2.0 * (2.0 * PI * 0.005 * t).sin());
        seen.is("depth", mean(&phases.collect::<Vec<_>>()), 1.0, 0.05);
        seen.is("gamma rate", rate(seen, "gamma", 100, 0.0, 1000.0), 50.0, 1.1);
        seen.is("gamma CV", cv(seen, "gamma", 100), 0.5 * (1.0f64 - 0.02).sqrt(), 0.02);
        // Bursts of four, 4 ms apart; one may follow on another at once.
        for train in trains(seen, "bursts", 100) {
            let sizes = bursts(train, 4.01);
            assert!(sizes[..sizes.len().saturating_sub(1)].iter().all(|size| size % 4 == 0), "{} {train:?}", seen.device);
        }
        seen.is("rate of bursting", rate(seen, "bursts", 100, 0.0, 1000.0), 4.0 / (0.2 + 0.012), 3.0);
    });
}

#[test]
fn regular_spikes_keep_their_period() {
    let populations = [
        json!({"name": "whole", "size": 1, "model": "regular", "parameters": {"period": "12.5 ms", "start": "3 ms"}}),
        json!({"name": "broken", "size": 1, "model": "regular", "parameters": {"period": "7.25 ms"}}),
    ];
    on_all(device().as_ref(), &network(&populations, &[], 1000.0), |seen| {
        for (name, start, period) in [("whole", 3.0, 12.5), ("broken", 0.0, 7.25)] {
            let train = seen.train(name, 0);
            assert_eq!(train.len(), ((1000.0f64 - start) / period).ceil() as usize, "{name} on {}", seen.device);
            for (k, time) in train.iter().enumerate() {
                seen.is(name, *time, start + k as f64 * period, 0.0501);
            }
        }
    });
}

/// Uhlenbeck & Ornstein 1930: variance σ², correlation exp(−lag/τ).
#[test]
fn a_fluctuating_current_has_its_variance_and_correlation_at_any_step() {
    for dt in [0.1, 1.0] {
        let network = json!({
            "name": "ou", "dt_ms": dt, "duration_ms": 200,
            "populations": [{"name": "ou", "size": 300, "model": "ou_current", "parameters": {"mu": "20 pA"}}],
            "recordings": [{"object": "ou", "var": "I", "indices": "all"}]
        });
        on_all(device().as_ref(), &network, |seen| {
            let traces: Vec<&[f64]> = (0..300).map(|k| seen.trace(&format!("ou.I[{k}]"))).collect();
            let all: Vec<f64> = traces.iter().flat_map(|trace| trace.iter().map(|value| value - 20.0)).collect();
            seen.is("mean", mean(&all), 0.0, 2.0);
            seen.is("deviation", deviation(&all), 50.0, 1.5);
            let lag = (5.0 / dt) as usize;
            let products =
                traces.iter().flat_map(|trace| trace.windows(lag + 1).map(|pair| (pair[0] - 20.0) * (pair[lag] - 20.0)));
            seen.is("correlation", mean(&products.collect::<Vec<_>>()) / 2500.0, (-1f64).exp(), 0.04);
        });
    }
}

#[test]
fn currents_follow_their_formulas() {
    let populations = [
        json!({"name": "step", "size": 1, "model": "step_current", "parameters": {"start": "20 ms", "stop": "50 ms"}}),
        json!({"name": "ramp", "size": 1, "model": "ramp_current", "parameters": {"start": "20 ms", "stop": "70 ms"}}),
        json!({"name": "sine", "size": 1, "model": "sine_current"}),
    ];
    let recordings = ["step", "ramp", "sine"].map(|name| json!({"object": name, "var": "I", "indices": [0]}));
    on_all(device().as_ref(), &network(&populations, &recordings, 100.0), |seen| {
        for k in 0..1000 {
            let t = f64::from(k) * 0.1;
            let step = if (200..500).contains(&k) { 200.0 } else { 0.0 };
            seen.is("step", seen.at("step.I[0]", t), step, 0.0);
            seen.is("ramp", seen.at("ramp.I[0]", t), 500.0 * ((t - 20.0) / 50.0).clamp(0.0, 1.0), 1e-3);
            seen.is("sine", seen.at("sine.I[0]", t), 100.0 + 100.0 * (2.0 * PI * 0.01 * t).sin(), 1e-3);
        }
    });
}
