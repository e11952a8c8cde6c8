//! Every model of the library does what was published of it, on the CPU and on the GPU.

/// Cells: rates, patterns, onsets.
mod cells;
/// Sources: rates, regularity, currents.
mod sources;
/// Synapses: the time course of what they do to their target.
mod synapses;
/// Cells whose figure is a trace rather than spikes.
mod traces;

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use spikelet::lang::library::{self, library};
use spikelet::{Backend, Cpu, Network};
use spikelet_gpu::{Device, Gpu};
use spikelet_tests::run;

/// What a run showed.
struct Seen {
    /// Name of the device, for messages.
    device: &'static str,
    dt: f64,
    /// First neuron of each population, in order.
    firsts: Vec<(String, u32)>,
    /// Times of spikes in ms, for each neuron of the network.
    trains: Vec<Vec<f64>>,
    /// One row of samples for each label, such as `cell.v[0]`, in inner units.
    traces: HashMap<String, Vec<f64>>,
}

impl Seen {
    /// Spikes of one neuron, in ms.
    fn train(&self, population: &str, neuron: u32) -> &[f64] {
        let (_, first) = self.firsts.iter().find(|(name, _)| name == population).unwrap();
        &self.trains[(first + neuron) as usize]
    }

    /// Samples of a recorded variable.
    fn trace(&self, label: &str) -> &[f64] {
        self.traces.get(label).unwrap_or_else(|| panic!("{label} is not recorded"))
    }

    /// The sample of a recorded variable at a time in ms.
    fn at(&self, label: &str, ms: f64) -> f64 {
        self.trace(label)[(ms / self.dt).round() as usize]
    }

    /// Asserts that a value is as expected, within a tolerance.
    fn is(&self, what: &str, found: f64, expected: f64, within: f64) {
        let device = self.device;
        assert!((found - expected).abs() <= within, "{what} on {device}: {found}, expected {expected} ± {within}");
    }
}

/// The devices of this machine that have to agree with what was published: one CPU thread, and the GPU if there is one.
fn backends(gpu: Option<&Device>) -> Vec<(&'static str, Box<dyn Backend>)> {
    let mut backends: Vec<(&'static str, Box<dyn Backend>)> = vec![("one CPU thread", Box::new(Cpu::new(1)))];
    backends.extend(gpu.map(|device| ("the GPU", Box::new(Gpu::new(device.clone())) as Box<dyn Backend>)));
    backends
}

/// Runs a network on every device and judges what it shows.
fn on_all(gpu: Option<&Device>, network: &Value, judge: impl Fn(&Seen)) {
    let network = Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"));
    for (device, backend) in backends(gpu) {
        let done = run(&network, backend, network.duration_ms, 2000).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        let plan = done.simulation.plan();
        let mut trains = vec![Vec::new(); plan.neurons() as usize];
        for spike in &done.spikes {
            trains[spike.neuron as usize].push(f64::from(spike.step) * network.dt_ms);
        }
        let width = plan.channels.len();
        let trace = |channel: usize| done.samples.iter().skip(channel).step_by(width).map(|value| f64::from(*value)).collect();
        let traces = plan.channels.iter().enumerate().map(|(k, channel)| (channel.label.clone(), trace(k))).collect();
        let firsts = plan.populations.iter().map(|population| (population.name.clone(), population.first)).collect();
        judge(&Seen { device, dt: network.dt_ms, firsts, trains, traces });
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    (values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

fn intervals(train: &[f64]) -> Vec<f64> {
    train.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// How many spikes each burst has: spikes closer than `gap` belong together.
fn bursts(train: &[f64], gap: f64) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for time in train {
        if time - last > gap {
            sizes.push(0);
        }
        *sizes.last_mut().unwrap() += 1;
        last = *time;
    }
    sizes
}

/// A network of one population of a cell with spikes from a list, joined by a synapse model whose lines the cell takes.
fn one_synapse(
    model: &str,
    cell: &Value,
    projection: &Value,
    spikes_ms: &[f64],
    record: &[(&str, &str)],
    times: (f64, f64),
) -> Value {
    let (dt, duration) = times;
    let synapse = library(model).unwrap();
    let mut cell = cell.clone();
    cell["name"] = json!("cell");
    if cell["equations"].is_null() {
        cell["equations"] = json!(synapse.post().unwrap_or(""));
    }
    let mut joined = json!({"name": "synapse", "pre": "source", "post": "cell", "model": model, "connect": {"rule": "all"}});
    for (key, value) in projection.as_object().unwrap() {
        joined[key] = value.clone();
    }
    let recordings: Vec<Value> =
        record.iter().map(|(object, var)| json!({"object": object, "var": var, "indices": "all"})).collect();
    let spikes: Vec<Value> = spikes_ms.iter().map(|time| json!([0, time])).collect();
    json!({
        "name": model, "dt_ms": dt, "duration_ms": duration, "populations": [cell],
        "sources": [{"name": "source", "size": 1, "spike_times_ms": spikes}],
        "projections": [joined], "recordings": recordings
    })
}

/// A model that none of these tests runs would be a model that nobody has seen working.
#[test]
fn every_model_is_held_to_something_published() {
    let mut missing: BTreeSet<&str> = library::names().collect();
    // Held to the statistics of their networks in `published`.
    let elsewhere = ["lif_exp", "lif_cond_exp", "izhikevich_2003"];
    let here = cells::models().into_iter().chain(traces::MODELS).chain(sources::MODELS).chain(synapses::MODELS);
    let learning = crate::plasticity::EVENTS.into_iter().chain(crate::plasticity::DRIVEN).chain(crate::winners::MODELS);
    for model in here.chain(elsewhere).chain(learning) {
        assert!(missing.remove(model), "{model} is judged twice, or is no model of the library");
    }
    missing.retain(|name| library(name).unwrap().checks.is_empty());
    assert!(missing.is_empty(), "no test judges {missing:?}; give the file a [[checks]], or write one here");
}

/// What a model's own file says must be seen.
#[test]
fn models_show_what_their_files_say() {
    let gpu = spikelet_tests::device();
    for name in library::names() {
        let model = library(name).unwrap();
        for check in &model.checks {
            let mut cell = json!({"name": "cell", "size": 1, "model": name, "parameters": check.parameters});
            if let Some(preset) = &check.preset {
                cell["preset"] = json!(preset);
            }
            let (dt, duration) = (check.dt_ms, check.duration_ms);
            let network = json!({"name": name, "dt_ms": dt, "duration_ms": duration, "populations": [cell]});
            on_all(gpu.as_ref(), &network, |seen| {
                let (found, [least, most]) = (seen.train("cell", 0).len(), check.spikes);
                let device = seen.device;
                assert!(
                    (least..=most).contains(&found),
                    "{name}, {}, on {device}: {found} spikes, {least} to {most}",
                    check.about
                );
            });
        }
    }
}

#[test]
fn every_preset_of_a_cell_is_judged() {
    let judged = cells::presets();
    for name in cells::models() {
        let model = library(name).unwrap();
        for preset in model.presets.keys() {
            assert!(judged.contains(&(name, preset.clone())), "no test judges the preset {preset} of {name}");
        }
    }
}
