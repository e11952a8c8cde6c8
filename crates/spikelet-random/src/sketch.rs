//! A random network as a whole: what all parts share, and what follows from them.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Value, json};
use spikelet::{Error, Network};

use super::expression::{Expression, Scope, expressions};
use super::population::{PopulationSpec, names, population, populations};
use super::projection::{End, ProjectionSpec, projection, projections};
use super::protocol::{Protocol, protocol, protocols};
use super::setting::{Objects, Setting};

/// What random networks may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Random numbers: Poisson processes, `rand()`, white noise, rules that draw.
    pub draws: bool,
}

/// A random network as JSON. Nearly all are valid.
#[derive(Clone, PartialEq)]
pub struct Sketch {
    /// The network.
    pub json: Value,
}

/// As the file of the network.
impl std::fmt::Debug for Sketch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.json)
    }
}

impl Sketch {
    /// The network.
    ///
    /// # Errors
    /// It is invalid: this is an error of the generator, or of the simulator.
    pub fn network(&self) -> Result<Network, Error> {
        Network::from_json(&self.json.to_string())
    }
}

/// All parts of a network.
#[derive(Debug, Clone)]
struct NetworkSpec {
    time: (usize, u32),
    function: Option<Expression>,
    populations: Vec<PopulationSpec>,
    sources: Vec<SourceSpec>,
    projections: Vec<ProjectionSpec>,
    protocol: Protocol,
}

/// A source.
#[derive(Debug, Clone)]
enum SourceSpec {
    /// Neurons with spikes at steps.
    Spikes(u32, Vec<(u32, u32)>),
    /// A Poisson process, or input of many, where random numbers are drawn.
    Poisson(u32, usize),
    Input(usize, usize),
}

/// Time steps in ms.
const DTS: [f64; 4] = [0.1, 0.125, 0.25, 0.2];

impl NetworkSpec {
    fn json(&self, options: Options) -> Value {
        let function = self.function.as_ref().map(|_| "own".to_owned());
        let setting = Setting { dt_ms: DTS[self.time.0 % DTS.len()], steps: self.time.1, draws: options.draws, function };
        let mut network = json!({"name": "random", "dt_ms": setting.dt_ms, "duration_ms": setting.ms(setting.steps)});
        if let Some(value) = &self.function {
            let scope = Scope { numbers: vec!["x".into()], conditions: vec!["(x > 0.313)".into()], ..Scope::default() };
            let function = json!({"name": "own", "arguments": {"x": "1"}, "unit": "1", "value": value.bounded(&scope)});
            network["functions"] = json!([function]);
        }
        let mut objects = Objects::default();
        let all: Vec<_> = self.populations.iter().zip(["A", "B", "C"]).map(|(spec, name)| names(name, spec)).collect();
        let texts = self.populations.iter().enumerate().map(|(own, spec)| population(spec, &all, own, &setting));
        network["populations"] = texts.collect();
        let mut ends = Vec::new();
        for (index, of) in all.iter().enumerate() {
            let end =
                |name: String, is_event: bool| End { name, size: of.size, population: (!is_event).then_some(index), is_event };
            ends.extend(of.fires.then(|| end(of.name.clone(), false)));
            ends.extend(of.events.iter().map(|event| end(format!("{}.{event}", of.name), true)));
            objects.settable.extend(of.settable.iter().map(|(name, form)| (format!("{}.{name}", of.name), *form)));
            objects.of_neurons.extend(of.recordable.iter().map(|name| (of.name.clone(), name.clone(), of.size)));
            objects.firing.push(of.name.clone());
        }
        let sources: Vec<Value> = self
            .sources
            .iter()
            .zip(["S", "R"])
            .map(|(of, name)| source(of, name, &all, &setting, &mut ends, &mut objects))
            .collect();
        if !sources.is_empty() {
            network["sources"] = sources.into();
        }
        // A network in which nothing fires has no projections.
        let specs = self.projections.iter().filter(|_| !ends.is_empty()).zip(["P", "Q", "T"]);
        let texts: Vec<Value> = specs.map(|(spec, name)| projection(spec, name, (&ends, &all), &setting, &mut objects)).collect();
        if !texts.is_empty() {
            network["projections"] = texts.into();
        }
        protocol(&self.protocol, &setting, &objects, &mut network);
        network
    }
}

fn source(
    spec: &SourceSpec,
    name: &str,
    all: &[super::population::PopulationNames],
    setting: &Setting,
    ends: &mut Vec<End>,
    objects: &mut Objects,
) -> Value {
    let spikes = |size: u32, spikes: &[(u32, u32)]| {
        // A neuron fires once in a step.
        let spikes: BTreeSet<(u32, u32)> = spikes.iter().map(|(neuron, step)| (*step, neuron % size)).collect();
        spikes.into_iter().map(|(step, neuron)| json!([neuron, setting.ms(step)])).collect::<Vec<Value>>()
    };
    let (json, size) = match spec {
        SourceSpec::Poisson(size, rate) if setting.draws => {
            let rate = format!("{} Hz", [500.0, 1300.0, 90.0, 2100.0][rate % 4]);
            (json!({"name": name, "type": "poisson", "size": size, "rate": rate}), *size)
        }
        SourceSpec::Input(target, variable) if setting.draws => {
            let of = &all[target % all.len()];
            let variable = &of.targets.floats[variable % of.targets.floats.len()];
            return json!({"name": name, "type": "poisson_input", "targets": [of.name], "var": variable, "N": 7,
                "rate": "190 Hz", "weight": 0.17});
        }
        SourceSpec::Spikes(size, list) => (json!({"name": name, "size": size, "spike_times_ms": spikes(*size, list)}), *size),
        SourceSpec::Poisson(..) | SourceSpec::Input(..) => {
            let list = [(0, 3), (1, 7), (0, 11), (1, 12)];
            (json!({"name": name, "size": 2, "spike_times_ms": spikes(2, &list)}), 2)
        }
    };
    ends.push(End { name: name.into(), size, population: None, is_event: false });
    objects.firing.push(name.into());
    json
}

fn sources() -> BoxedStrategy<SourceSpec> {
    let spikes = (1..5_u32, vec((0..5_u32, 0..40_u32), 0..9)).prop_map(|(size, list)| SourceSpec::Spikes(size, list));
    prop_oneof![
        2 => spikes,
        1 => (1..5_u32, 0..8_usize).prop_map(|(size, rate)| SourceSpec::Poisson(size, rate)),
        1 => (0..8_usize, 0..8_usize).prop_map(|(target, variable)| SourceSpec::Input(target, variable)),
    ]
    .boxed()
}

/// Random networks with any features together. They shrink to networks with fewer of them.
pub fn network(options: Options) -> BoxedStrategy<Sketch> {
    let time = (0..8_usize, 20..80_u32);
    let parts = (
        time,
        weighted(0.2, expressions()),
        vec(populations(), 1..4),
        vec(sources(), 0..3),
        vec(projections(), 0..4),
        protocols(),
    );
    parts
        .prop_map(move |(time, function, populations, sources, projections, protocol)| {
            let parts = NetworkSpec { time, function, populations, sources, projections, protocol };
            Sketch { json: parts.json(options) }
        })
        .boxed()
}
