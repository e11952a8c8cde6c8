use std::path::Path;

use serde_json::Value;
use spikelet::{Cpu, Network, Spike};
use spikelet_tests::{RecordedRun, run};

/// Standard errors by which the rate of one seed may differ from the mean of Brian 2.
const ERRORS: f64 = 4.0;

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// What a run is compared by.
pub(crate) struct Observed {
    /// All spikes.
    pub(crate) spikes: Vec<Spike>,
    /// The names of the channels: `E.v[3]`.
    pub(crate) labels: Vec<String>,
    /// A row of channels for each step.
    pub(crate) samples: Vec<f64>,
}

impl Observed {
    fn of(run: &RecordedRun) -> Observed {
        let labels = run.simulation.plan().channels.iter().map(|channel| channel.label.clone()).collect();
        Observed { spikes: run.spikes.clone(), labels, samples: run.samples.iter().map(|value| f64::from(*value)).collect() }
    }
}

/// The neurons and steps of the spikes of a population or source.
fn spikes_of(network: &Network, run: &Observed, name: &str) -> Vec<(u32, u32)> {
    let sizes = network.populations.iter().map(|population| (population.name.as_str(), population.size));
    let sizes = sizes.chain(network.sources.iter().map(|source| (source.name.as_str(), source.size())));
    let mut first = 0;
    for (of, size) in sizes {
        if of == name {
            let own = run.spikes.iter().filter(|spike| (first..first + size).contains(&spike.neuron));
            return own.map(|spike| (spike.neuron - first, spike.step)).collect();
        }
        first += size;
    }
    panic!("no population is called {name}");
}

/// What differs from the spikes and samples of Brian 2.
pub(crate) fn differences(network: &Network, run: &Observed, reference: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (name, listed) in reference["spikes"].as_object().into_iter().flatten() {
        let expected: Vec<(u32, u32)> = numbers(&listed["neurons"])
            .iter()
            .zip(numbers(&listed["steps"]))
            .map(|(neuron, step)| (*neuron as u32, step as u32))
            .collect();
        let mut spikes = spikes_of(network, run, name);
        spikes.sort_by_key(|&(neuron, step)| (step, neuron));
        if let Some(k) = (0..spikes.len().max(expected.len())).find(|k| spikes.get(*k) != expected.get(*k)) {
            found.push(format!("spike {k} of {name} is {:?} (neuron, step), in Brian 2 {:?}", spikes.get(k), expected.get(k)));
        }
    }
    for (channel, listed) in reference["samples"].as_object().into_iter().flatten() {
        let place = run.labels.iter().position(|label| label == channel).unwrap_or_else(|| panic!("no {channel} is recorded"));
        let within = listed["within"].as_f64().unwrap();
        for (step, expected) in numbers(&reference["at_steps"]).iter().zip(numbers(&listed["values"])) {
            let value = run.samples[*step as usize * run.labels.len() + place];
            if (value - expected).abs() > within {
                found.push(format!("{channel} is {value} in step {step}, in Brian 2 {expected}; they may differ by {within}"));
            }
        }
    }
    found
}

/// Spikes per second and neuron, of a group of neurons in a window of time.
fn rate_hz(network: &Network, run: &Observed, measure: &Value) -> f64 {
    let neurons = numbers(&measure["neurons"]);
    let (from, to) = (measure["from_ms"].as_f64().unwrap(), measure["to_ms"].as_f64().unwrap());
    let window = (from / network.dt_ms).round() as u32..(to / network.dt_ms).round() as u32;
    let spikes = spikes_of(network, run, measure["population"].as_str().unwrap());
    let group = neurons[0] as u32..neurons[1] as u32;
    let count = spikes.iter().filter(|(neuron, step)| group.contains(neuron) && window.contains(step)).count();
    count as f64 / group.len() as f64 / (to - from) * 1000.0
}

/// What differs from the mean rates of Brian 2.
fn differing_rates(network: &Network, run: &Observed, reference: &Value) -> Vec<String> {
    let measures = reference["rates_hz"].as_object().into_iter().flatten();
    let differs = measures.filter_map(|(name, measure)| {
        let value = rate_hz(network, run, measure);
        let [mean, sd, seeds] = ["mean", "sd", "seeds"].map(|key| measure[key].as_f64().unwrap());
        let within = ERRORS * sd * (1.0 + 1.0 / seeds).sqrt();
        let text = format!("the rate of {name} is {value:.3} Hz, in Brian 2 {mean} Hz; they may differ by {within:.3} Hz");
        ((value - mean).abs() > within).then_some(text)
    });
    differs.collect()
}

/// The networks, with what `tests/from-brian/run.py` wrote that Brian 2 found.
pub(crate) fn examples() -> Vec<(String, Network, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("from-brian");
    let read = |name: String| std::fs::read_to_string(folder.join(name)).unwrap();
    let mut examples = Vec::new();
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".brian.json")) {
            let reference = serde_json::from_str(&read(format!("{name}.brian.json"))).unwrap();
            examples.push((name.to_owned(), Network::from_json(&read(format!("{name}.json"))).unwrap(), reference));
        }
    }
    assert!(examples.len() >= 10, "{} models", examples.len());
    examples.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    examples
}

#[test]
fn examples_of_brian_have_its_results() {
    let mut failures = Vec::new();
    for (name, network, reference) in examples() {
        let done = run(&network, Box::new(Cpu::new(2)), network.duration_ms, 1000).unwrap();
        let done = Observed::of(&done);
        let mut differ = differences(&network, &done, &reference);
        differ.extend(differing_rates(&network, &done, &reference));
        failures.extend(differ.into_iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
