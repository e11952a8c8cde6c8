//! The description of a network for the page: sizes, parameters with unit and range, recorded channels.

use std::sync::Arc;

use indexmap::IndexMap;
use js_sys::BigInt;
use spikelet::lang::{Dimension, PLASTICITY, library, quantity::constant, syntax::parse_unit};
use spikelet::{
    ArrayEntry, EdgePlan, Network, Plan, PopulationPlan, Positions, Projection, ProjectionPlan, Quantity, SampleSource,
    Simulation, Source, SourceKind, StatisticPlan, human, time,
};
use spikelet_gpu::{AdapterReport, DeviceKind, Monitor, SelectedBackend};

use super::threads::Threads;
use crate::protocol::{
    BackendKind, BackendSummary, Buffer, BuildSeconds, Channel, DeviceProperty, Info, Parameter, PopulationSummary,
    ProjectionSummary, Statistic, Summary, Variable,
};

/// The description of the open network.
pub(super) fn info(simulation: &Simulation, backend: &BackendSummary, build: BuildSeconds, buffers: Vec<Buffer>) -> Info {
    let (network, plan) = (simulation.network(), simulation.plan());
    let mut backend = backend.clone();
    let not_kept = procedural_for_memory(simulation);
    if !not_kept.is_empty() {
        let much = format!("{}, because of insufficient memory", not_kept.join(", "));
        backend.facts.push(DeviceProperty { what: "Procedural synapses".into(), much });
    }
    Info {
        network: summary(simulation),
        neurons: plan.neurons(),
        synapses: plan.synapses(),
        dt_ms: plan.dt_ms,
        duration_ms: network.duration_ms,
        seed: BigInt::from(plan.seed),
        trials: simulation.runs().len() as u32,
        backend,
        build,
        buffers,
        channels: channels(plan),
        sample_every: plan.sample_rows().every,
        statistics: plan.statistics.iter().map(statistic).collect(),
        has_weights: plan.projections.iter().any(|projection| projection.keeps_state()),
    }
}

fn statistic(of: &StatisticPlan) -> Statistic {
    Statistic { label: of.label.clone(), unit: shown(&of.unit), ends: of.ends().collect() }
}

/// Projections that became procedural because there is not enough memory to store them.
pub(super) fn procedural_for_memory(simulation: &Simulation) -> Vec<&str> {
    let silent = |name: &str| {
        let mut of_network = simulation.network().projections.iter();
        of_network.any(|projection| projection.name == name && projection.storage.is_none())
    };
    let projections =
        simulation.plan().projections.iter().filter(|projection| matches!(projection.edges, EdgePlan::Procedural(_)));
    projections.map(|projection| projection.name.as_str()).filter(|name| silent(name)).collect()
}

/// The memory on the device: the buffers of the GPU, or the arrays of the plan, with the dynamic ones for each further trial.
pub(super) fn buffers(plan: &Plan, trials: usize, monitor: Option<&Monitor>) -> Vec<Buffer> {
    let of_plan = || {
        let further = ("further trials", plan.trial_memory() * (trials as u64 - 1));
        plan.memory().into_iter().chain([further]).map(|(name, bytes)| (name.to_owned(), bytes)).collect()
    };
    let all: Vec<_> = monitor.map_or_else(of_plan, Monitor::buffers);
    crate::estimate::buffers(all)
}

pub(super) fn backend(chosen: &SelectedBackend, threads: &Threads, neuron_code: String) -> BackendSummary {
    let facts = match &chosen.gpu {
        Some((device, _)) => of_adapter(device.report()),
        None => [("Threads", threads.describe(chosen.threads)), ("Neuron models", neuron_code)]
            .map(|(what, much)| DeviceProperty { what: what.to_owned(), much })
            .into(),
    };
    BackendSummary {
        facts,
        kind: match chosen.kind {
            DeviceKind::Gpu => BackendKind::Gpu,
            DeviceKind::Cpu => BackendKind::Cpu,
        },
        name: chosen.name.clone(),
        threads: chosen.threads as u32,
        reason: chosen.reason.clone(),
    }
}

pub(super) fn of_adapter(report: &AdapterReport) -> Vec<DeviceProperty> {
    let kind = if report.software { "software" } else { report.kind };
    let all = [
        ("Device", report.name.clone()),
        ("Kind", kind.to_owned()),
        ("API", report.api.clone()),
        ("Driver", report.driver.clone()),
        ("Largest buffer", human(report.max_binding_bytes())),
    ];
    let emitted = all.into_iter().filter(|(_, much)| !much.is_empty());
    emitted.map(|(what, much)| DeviceProperty { what: what.to_owned(), much }).collect()
}

/// The parameter of a path.
pub(super) fn parameter(simulation: &Simulation, path: &str) -> Option<Parameter> {
    let (name, symbol) = path.split_once('.')?;
    let (network, plan) = (simulation.network(), simulation.plan());
    let projection = network.projections.iter().zip(&plan.projections).find(|(projection, _)| projection.name == name);
    let is_it = |other: &str| other == symbol;
    let of_projection = projection.map(|(projection, plan)| of_projection(projection, learns(plan), &is_it));
    of_projection.unwrap_or_else(|| of_neurons(network, name, &is_it)).pop()
}

fn summary(simulation: &Simulation) -> Summary {
    let network = simulation.network();
    let summary = |plan: &PopulationPlan| {
        let (name, size, first) = (plan.name.clone(), plan.size, plan.first);
        let source = network.population(&name).is_none();
        let (parameters, variables) = (of_neurons(network, &name, &|_| true), variables(simulation.plan(), &name));
        let positions = network.population(&name).and_then(|population| population.positions.as_ref());
        let dimensions = positions.map_or(0, Positions::dimensions) as u32;
        PopulationSummary { name, source, size, first, dimensions, parameters, variables }
    };
    let of_projection = |(projection, plan): (&Projection, &Arc<ProjectionPlan>)| {
        let learns = learns(plan);
        ProjectionSummary {
            name: projection.name.clone(),
            pre: projection.pre.to_string(),
            post: projection.post.to_string(),
            synapses: plan.synapses(),
            learns,
            parameters: of_projection(projection, learns, &|_| true),
            variables: variables(simulation.plan(), &projection.name),
        }
    };
    Summary {
        name: network.name.clone(),
        description: network.description.clone(),
        populations: simulation.plan().populations.iter().map(summary).collect(),
        // Both lists have the same order.
        projections: network.projections.iter().zip(&simulation.plan().projections).map(of_projection).collect(),
    }
}

fn learns(plan: &ProjectionPlan) -> bool {
    plan.state.as_ref().is_some_and(|state| state.learns)
}

/// The variables of an object.
fn variables(plan: &Plan, object: &str) -> Vec<Variable> {
    let own = |variable: &&ArrayEntry| variable.path.split_once('.').is_some_and(|(of, _)| of == object);
    let variable = |of: &ArrayEntry| Variable { path: of.path.clone(), symbol: of.name().to_owned(), unit: shown(&of.unit) };
    plan.arrays().named().map(|(_, entry)| entry).filter(own).map(variable).collect()
}

fn channels(plan: &Plan) -> Vec<Channel> {
    let channel = |channel: &spikelet::Channel| {
        let (variable, neuron) = match channel.sampled {
            SampleSource::Neuron { population, variable, neuron } => {
                let population = &plan.populations[population];
                (population.program.variables[variable].clone(), Some(population.first + neuron))
            }
            SampleSource::Sum { population, variable, .. } => {
                (plan.populations[population].program.variables[variable].clone(), None)
            }
            // A synapse is listed with its postsynaptic neuron.
            SampleSource::Synapse { projection, synapse, .. } => {
                let projection = &plan.projections[projection];
                let variable = channel.label.rsplit_once('[').map_or(channel.label.as_str(), |(name, _)| name);
                let post = synapse.map_or(0, |synapse| projection.rows().target(synapse as usize));
                (variable.to_owned(), Some(plan.populations[projection.post].first + post))
            }
        };
        let every_ms = time::of_step(channel.every, plan.dt_ms);
        Channel { label: channel.label.clone(), variable, unit: shown(&channel.unit), neuron, every_ms }
    };
    plan.channels.iter().map(channel).collect()
}

/// Those wanted of the parameters of a population or a source: both are among the plan's populations.
fn of_neurons(network: &Network, name: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<Parameter> {
    match (network.population(name), network.source(name)) {
        (Some(population), _) => {
            parameters(name, population.model.as_deref(), population.preset.as_deref(), &population.parameters, wanted)
        }
        (None, Some(source)) => of_source(source, wanted),
        (None, None) => Vec::new(),
    }
}

fn of_projection(projection: &Projection, learns: bool, wanted: &dyn Fn(&str) -> bool) -> Vec<Parameter> {
    let Projection { name, model, preset, parameters: own, .. } = projection;
    let mut all =
        parameters(name, model.as_deref(), preset.as_deref(), own, &|name| wanted(name) && !(learns && name == PLASTICITY));
    if learns && wanted(PLASTICITY) {
        all.push(Parameter {
            path: format!("{name}.{PLASTICITY}"),
            symbol: PLASTICITY.into(),
            about: "1: synapses are plastic; 0: their weights are constant".into(),
            unit: String::new(),
            value: own.get(PLASTICITY).map_or(1.0, |given| inner(PLASTICITY, given).map_or(f64::NAN, |(value, _)| value)),
            min: 0.0,
            max: 1.0,
        });
    }
    all
}

fn of_source(source: &Source, wanted: &dyn Fn(&str) -> bool) -> Vec<Parameter> {
    match &source.kind {
        SourceKind::Poisson { rate, .. } if wanted("rate") => undescribed(&source.name, "rate", rate).into_iter().collect(),
        SourceKind::Poisson { .. } | SourceKind::Spikes { .. } | SourceKind::PoissonInput { .. } => Vec::new(),
    }
}

/// Those wanted of the parameters of the model in the order of the library, then the other ones of the network.
fn parameters(
    object: &str,
    model: Option<&str>,
    preset: Option<&str>,
    own: &IndexMap<String, Quantity>,
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<Parameter> {
    let model = model.and_then(|name| library(name).ok());
    let preset = preset.and_then(|name| model.as_ref()?.presets.get(name));
    let described = model.iter().flat_map(|model| &model.parameters).filter(|(name, _)| wanted(name));
    let in_library = described.filter_map(|(name, described)| {
        let usual = preset.and_then(|preset| preset.parameters.get(name)).unwrap_or(&described.default);
        let default = Quantity::from(usual.as_str());
        let given = own.get(name).unwrap_or(&default);
        let unit = described.unit();
        let factor = parse_unit(unit).ok()?.factor;
        let limit = |text: &str| constant(name, text).ok().map(|(value, _)| value / factor);
        let value = inner(name, given)?.0 / factor;
        Some(Parameter {
            path: format!("{object}.{name}"),
            symbol: name.clone(),
            about: described.about.clone(),
            unit: shown(unit),
            value,
            // The range of the slider is extended to a published value outside of it.
            min: limit(&described.range[0])?.min(value),
            max: limit(&described.range[1])?.max(value),
        })
    });
    let known = |name: &str| model.as_ref().is_some_and(|model| model.parameters.contains_key(name));
    let others = own.iter().filter(|(name, _)| wanted(name) && !known(name));
    in_library.chain(others.filter_map(|(name, given)| undescribed(object, name, given))).collect()
}

/// A parameter without model: the range is derived from its value.
fn undescribed(object: &str, name: &str, given: &Quantity) -> Option<Parameter> {
    let (value, dimension) = inner(name, given)?;
    let unit = dimension.inner_unit();
    // Some dimensions have no written unit; such a value can only be changed in the JSON.
    if !dimension.is_none() && constant(name, &format!("1 {unit}")).ok()? != (1.0, dimension) {
        return None;
    }
    let (min, max) = match value {
        0.0 => (-1.0, 1.0),
        value if value < 0.0 => (3.0 * value, 0.0),
        value => (0.0, 3.0 * value),
    };
    Some(Parameter {
        path: format!("{object}.{name}"),
        symbol: name.to_owned(),
        about: String::new(),
        unit: shown(&unit),
        value,
        min,
        max,
    })
}

/// A single number in inner units; `None` for lists and random values.
fn inner(name: &str, quantity: &Quantity) -> Option<(f64, Dimension)> {
    match quantity {
        Quantity::Number(value) => Some((*value, Dimension::NONE)),
        Quantity::Text(text) | Quantity::Expr(text) => constant(name, text).ok(),
        Quantity::Values { .. } | Quantity::Timed { .. } => None,
    }
}

/// The text of a unit: empty for pure numbers.
pub(super) fn shown(unit: &str) -> String {
    if unit == "1" { String::new() } else { unit.to_owned() }
}
