//! The learning rules of the library, step by step against what plain loops in f64 compute.

/// Rules that follow variables of the post neuron, or are integrated at every step.
mod driven;
/// Rules whose every change is a function of the spike times.
mod events;
/// What cannot be learnt, and why.
mod refusals;

use serde_json::{Map, Value, json};
use spikelet::lang::library::{self, LibraryModel, ModelKind, extended, library};
use spikelet::{Backend, Change, Cpu, Network, Plan};
use spikelet_tests::{devices, full, run};

pub(crate) use driven::MODELS as DRIVEN;
pub(crate) use events::MODELS as EVENTS;

const DT: f64 = 0.1;
const STEPS: usize = 6000;
const PRE: usize = 6;
const POST: usize = 3;
/// Steps that spikes of pre neurons travel.
const DELAY: u32 = 13;

/// Steps of the spikes of one neuron: irregular, about 30 Hz, the same in every run.
fn train(neuron: usize) -> Vec<u32> {
    let (mut word, mut step, mut steps) = (neuron as u64 + 1, 20u32, Vec::new());
    loop {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        step += 5 + (word >> 33) as u32 % 650;
        if step as usize >= STEPS - 20 {
            return steps;
        }
        steps.push(step);
    }
}

/// Steps in which spikes of a pre neuron reach its synapses. One comes in the very step of a post spike.
fn arrivals(pre: usize) -> Vec<u32> {
    let mut steps: Vec<u32> = train(pre).into_iter().map(|step| step + DELAY).collect();
    steps.push(post_spikes(pre % POST)[4]);
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Steps in which a post neuron fires.
fn post_spikes(post: usize) -> Vec<u32> {
    train(PRE + post)
}

/// All pre neurons onto all post neurons by a rule of the library. The post neurons fire when they are told to, and only then.
fn network(rule: &str, cell: &Value, projection: &Value, record: &[&str]) -> Network {
    let spikes = |trains: &mut dyn Iterator<Item = (usize, Vec<u32>)>, earlier: u32| -> Vec<Value> {
        trains
            .flat_map(|(neuron, steps)| steps.into_iter().map(move |step| json!([neuron, f64::from(step - earlier) * DT])))
            .collect()
    };
    let model = library(rule).unwrap();
    let mut parameters = json!({"Vt": "0 mV", "tref": "0 ms"});
    for (name, parameter) in model.post_parameters() {
        parameters[name] = match name {
            "J_exc" | "g_inh" | "g_max" => json!(format!("0 {}", parameter.unit())),
            _ => json!(parameter.default),
        };
    }
    let mut cell = cell.clone();
    parameters.as_object_mut().unwrap().extend(cell["parameters"].as_object().cloned().unwrap_or_default());
    cell.as_object_mut().unwrap().extend(
        json!({"name": "cell", "size": POST, "model": "lif", "equations": model.post(), "parameters": parameters})
            .as_object()
            .cloned()
            .unwrap(),
    );
    let mut rule = json!({"name": "rule", "pre": "pre", "post": "cell", "connect": {"rule": "all"}, "model": rule,
        "delay_ms": f64::from(DELAY) * DT});
    rule.as_object_mut().unwrap().extend(projection.as_object().cloned().unwrap());
    let recordings: Vec<Value> = record
        .iter()
        .map(|label| label.split_once('.').unwrap())
        .map(|(object, var)| json!({"object": object, "var": var, "indices": "all", "unit": "1"}))
        .collect();
    let network = json!({
        "name": "learning", "dt_ms": DT, "duration_ms": STEPS as f64 * DT, "populations": [cell],
        "sources": [
            {"name": "pre", "size": PRE, "spike_times_ms": spikes(&mut (0..PRE).map(|pre| (pre, arrivals(pre))), DELAY)},
            {"name": "teacher", "size": POST, "spike_times_ms": spikes(&mut (0..POST).map(|post| (post, post_spikes(post))), 1)}
        ],
        "projections": [rule, {"pre": "teacher", "post": "cell", "connect": {"rule": "one_to_one"}, "on_pre": "v_post += 100*mV"}],
        "recordings": recordings
    });
    Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// A row of samples for each step.
type Rows = Vec<Vec<f64>>;

/// The devices that a rule is tested on: all of them for pair STDP and with `--full`, else one CPU thread. The GPU runs every synapse of the
/// library beside the CPU in `lockstep`.
fn devices_of(rule: Option<&str>) -> Vec<(&'static str, Box<dyn Backend>)> {
    if rule == Some("stdp") || full() { devices() } else { vec![("one CPU thread", Box::new(Cpu::new(1)))] }
}

/// Runs a network on its devices, and holds each row of samples against what is expected of that step.
fn judge(network: &Network, expected: &Rows, within: f64) {
    for (device, backend) in devices_of(network.projections[0].model.as_deref()) {
        let done = run(network, backend, network.duration_ms, 500).unwrap_or_else(|error| panic!("{error}"));
        let fired = |post: usize| {
            let spikes = done.spikes.iter().filter(move |spike| spike.neuron as usize == post);
            spikes.map(|spike| spike.step).collect::<Vec<u32>>()
        };
        for post in 0..POST {
            assert_eq!(fired(post), post_spikes(post), "the teacher is not obeyed on {device}");
        }
        let width = expected[0].len();
        assert_eq!(done.samples.len(), STEPS * width);
        for (step, (found, expected)) in done.samples.chunks(width).zip(expected).enumerate() {
            for (channel, (found, expected)) in found.iter().zip(expected).enumerate() {
                let error = (f64::from(*found) - expected).abs();
                let allowed = within * expected.abs().max(1.0);
                assert!(error <= allowed, "{device}, step {step}, channel {channel}: {found}, expected {expected}");
            }
        }
    }
}

/// The weights that every rule leaves alone while `plasticity` is 0.
#[test]
fn nothing_is_learnt_while_plasticity_is_off() {
    for rule in EVENTS.into_iter().chain(DRIVEN) {
        let network = network(rule, &json!({}), &json!({"parameters": {"plasticity": 0}}), &["rule.w"]);
        let done = run(&network, Box::new(Cpu::new(1)), 300.0, 500).unwrap_or_else(|error| panic!("{rule}: {error}"));
        assert!(done.samples.iter().all(|w| *w == done.samples[0]), "{rule}");
    }
}

/// Switched off in the midst of a run and on again: weights stay as long, and no longer.
#[test]
fn plasticity_is_switched_while_a_network_runs() {
    for rule in EVENTS.into_iter().chain(DRIVEN) {
        // A reward for `rstdp`, and weights that scaling has to change.
        let cell = if rule == "rstdp" { json!({"initial": {"DA": 50}}) } else { json!({}) };
        let mut switched = network(rule, &cell, &json!({}), &["rule.w"]);
        let change =
            |at_ms: f64, to: f64| Change { at_ms, set: [("rule.plasticity".to_owned(), to.into())].into_iter().collect() };
        switched.changes = vec![change(200.0, 0.0), change(400.0, 1.0)];
        for (device, backend) in devices_of(Some(rule)) {
            let done = run(&switched, backend, 600.0, 500).unwrap_or_else(|error| panic!("{rule}: {error}"));
            let rows: Vec<&[f32]> = done.samples.chunks(PRE * POST).collect();
            let changes = |from: usize, to: usize| rows[from..to].iter().any(|row| *row != rows[from]);
            assert!(changes(0, 2000) && !changes(2000, 4001) && changes(4001, 6000), "{rule} on {device}");
        }
    }
}

/// The line that says what a unit of `s_exc` or `s_inh` is for this cell; none for maps, which have no differential equations.
fn own_line(cell: &LibraryModel, gathered: &str) -> Option<String> {
    let unit = cell.equations().lines().find_map(|line| line.strip_prefix("I_syn = ")?.rsplit_once(" : "))?.1;
    let one = match unit {
        "amp" => "pA",
        "volt" => "mV",
        "amp/meter**2" => "uA/cm**2",
        "Hz" => "Hz",
        _ => "1",
    };
    cell.text().ok()?.update.is_none().then(|| format!("I_syn = {one}*{gathered} : {unit}"))
}

/// Every rule joins every cell of the library that has differential equations, whatever the unit of its current.
#[test]
fn every_rule_goes_with_every_cell() {
    let cells: Vec<&LibraryModel> = library::models().collect();
    for rule in EVENTS.into_iter().chain(DRIVEN).map(|name| library(name).unwrap()) {
        let gathered = if rule.name == "stdp_inhibitory" { "s_inh" } else { "s_exc" };
        let (mut populations, mut projections) = (Vec::new(), Vec::new());
        for cell in cells.iter().filter(|cell| cell.kind == ModelKind::Neuron) {
            let Some(line) = own_line(cell, gathered) else { continue };
            // The rule of Clopath et al. follows a potential in volt.
            if rule.name == "clopath"
                && !cell.equations().lines().any(|line| line.starts_with("dv/dt") && line.contains(": volt"))
            {
                continue;
            }
            let values = rule.post_parameters().map(|(name, parameter)| (name.to_owned(), json!(parameter.default)));
            populations
                .push(json!({"name": cell.name, "size": 1, "model": cell.name, "parameters": values.collect::<Map<_, _>>(),
                "equations": extended(rule.post().unwrap(), &line)}));
            projections.push(json!({"pre": "input", "post": cell.name, "connect": {"rule": "all"}, "model": rule.name}));
        }
        assert!(populations.len() >= 15, "{}: {} cells", rule.name, populations.len());
        let network = json!({"name": rule.name, "dt_ms": 0.05, "duration_ms": 1, "populations": populations, "projections": projections,
            "sources": [{"name": "input", "type": "poisson", "size": 1, "rate": "10 Hz"}]});
        let network = Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"));
        Plan::new(&network).unwrap_or_else(|error| panic!("{}: {error}", rule.name));
    }
}

const PAGE: &str = include_str!("../docs/plasticity.md");

/// The table of the page names each of these rules, and no other.
#[test]
fn the_page_lists_every_rule() {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name));
    let mut listed: Vec<&str> = rows.collect();
    let mut rules: Vec<&str> = EVENTS.into_iter().chain(DRIVEN).collect();
    listed.sort_unstable();
    rules.sort_unstable();
    assert_eq!(listed, rules);
}

/// Networks that the page shows run, and learn.
#[test]
fn the_networks_of_the_page_learn() {
    let blocks: Vec<&str> = PAGE.split("```json").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        let network = Network::from_json(block).unwrap_or_else(|error| panic!("{error}"));
        let mut done = run(&network, Box::new(Cpu::new(1)), network.duration_ms, 500).unwrap();
        let weights: Vec<String> = network.projections.iter().map(|projection| format!("{}.w", projection.name)).collect();
        for (name, words) in done.arrays().unwrap().into_iter().filter(|(name, _)| weights.contains(name)) {
            assert!(words.iter().any(|word| *word != words[0]), "{}: {name} stays", network.name);
        }
    }
}
