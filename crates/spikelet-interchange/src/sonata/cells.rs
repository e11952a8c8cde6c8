//! Populations of cells, and sources of what is virtual.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;
use serde_json::Value;
use spikelet_network::{Error, Notice, Population, Positions, Quantity, Source, SourceKind};

use super::config::Config;
use super::model::{MODELS, Model, REFRACTORY};
use super::objects::Objects;
use crate::paths::Open;

/// Nodes of a population that have the same model: they become a population, or a source.
#[derive(Debug)]
pub(super) struct Part {
    /// Its name in the network.
    pub(super) name: String,
    /// The nodes of SONATA: their population.
    pub(super) of: usize,
    /// `None`: they are virtual.
    pub(super) model: Option<&'static Model>,
    /// Indices of the nodes in their population.
    pub(super) members: Vec<usize>,
    /// The currents that are injected into it.
    pub(super) currents: Vec<Current>,
    /// The steps in which virtual nodes fire.
    pub(super) spikes: BTreeSet<(u32, u32)>,
    /// Neurons in addition to the members, each a second one of the node at this index: a node can fire twice in a step, a neuron cannot.
    pub(super) twins: Vec<u32>,
}

impl Part {
    /// Adds a spike of a node in a step: if it has one already, of another neuron.
    pub(super) fn fire(&mut self, node: u32, step: u32) {
        let free = self.neurons(node).find(|neuron| !self.spikes.contains(&(*neuron, step)));
        let neuron = free.unwrap_or_else(|| {
            self.twins.push(node);
            (self.members.len() + self.twins.len()) as u32 - 1
        });
        self.spikes.insert((neuron, step));
    }

    /// The neurons of a node.
    pub(super) fn neurons(&self, node: u32) -> impl Iterator<Item = u32> {
        let twins = self.twins.iter().enumerate().filter(move |(_, of)| **of == node);
        std::iter::once(node).chain(twins.map(|(twin, _)| (self.members.len() + twin) as u32))
    }
}

/// A current between two times.
#[derive(Debug)]
pub(super) struct Current {
    /// Amplitude for each neuron, in nA.
    pub(super) amplitudes: Vec<f64>,
    pub(super) delay_ms: f64,
    pub(super) duration_ms: f64,
}

/// A population of nodes.
#[derive(Debug)]
pub(super) struct Nodes<'a> {
    pub(super) name: String,
    pub(super) objects: Objects<'a>,
    /// The identifier of each node.
    pub(super) ids: Vec<i64>,
    /// The part of each identifier, and its index there.
    places: HashMap<i64, (usize, u32)>,
}

impl<'a> Nodes<'a> {
    /// The nodes of a file, divided into parts, which are added to `parts`.
    pub(super) fn divide(name: &str, of: usize, objects: Objects<'a>, parts: &mut Vec<Part>) -> Result<Nodes<'a>, Error> {
        let (kinds, templates) = (objects.texts("model_type")?, objects.texts("model_template")?);
        let mut groups: IndexMap<&str, Vec<usize>> = IndexMap::new();
        for (index, (kind, template)) in kinds.iter().zip(&templates).enumerate() {
            let kind = kind.as_deref().unwrap_or_default();
            let group = if kind == "virtual" { "virtual" } else { template.as_deref().unwrap_or(kind) };
            groups.entry(group).or_default().push(index);
        }
        // Without identifiers they are counted.
        let ids = objects.column_if_any("node_id")?.unwrap_or_else(|| (0..objects.count() as i64).collect());
        let mut nodes = Nodes { name: name.to_owned(), objects, ids, places: HashMap::new() };
        let is_divided = groups.len() > 1;
        for (group, members) in groups {
            let model = if group == "virtual" { None } else { Some(nodes.model(group)?) };
            for (place, member) in members.iter().enumerate() {
                nodes.places.insert(nodes.ids[*member], (parts.len(), place as u32));
            }
            let name = identifier(&if is_divided {
                format!("{name}_{}", model.map_or("virtual", |of| of.name))
            } else {
                name.to_owned()
            });
            if parts.iter().any(|part| part.name == name) {
                let expected = "populations must have different names";
                return Err(Error::invalid(&nodes.objects.root, format_args!("`{name}`"), expected, "rename one of them"));
            }
            parts.push(Part { name, of, model, members, currents: Vec::new(), spikes: BTreeSet::new(), twins: Vec::new() });
        }
        Ok(nodes)
    }

    fn model(&self, template: &str) -> Result<&'static Model, Error> {
        Model::of_template(template).ok_or_else(|| {
            let known: Vec<String> = MODELS.iter().map(Model::template).collect();
            let expected = format!("the point neurons {} and virtual nodes are known", known.join(", "));
            let place = format!("{}: {}, model_template", self.objects.file, self.objects.root);
            Error::invalid(place, format_args!("`{template}`"), expected, "use one of these")
        })
    }

    /// The part of the node with this identifier, and its index there.
    pub(super) fn place(&self, id: i64) -> Option<(usize, u32)> {
        self.places.get(&id).copied()
    }
}

/// A name without characters that have a meaning in networks.
pub(super) fn identifier(name: &str) -> String {
    let fit = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
    name.chars().map(fit).collect()
}

/// One value if all are the same, with their unit.
pub(super) fn shared(values: Vec<f64>, unit: &str) -> Quantity {
    let unit = (unit != "1").then(|| unit.to_owned());
    match values.first() {
        Some(first) if values.iter().all(|value| value == first) => match unit {
            Some(unit) => Quantity::Text(format!("{first} {unit}")),
            None => Quantity::Number(*first),
        },
        _ => Quantity::Values { values, unit },
    }
}

/// Files of parameters by type, as far as they were read.
pub(super) struct Components<'a, 'o> {
    pub(super) config: &'a Config,
    pub(super) open: &'a mut Open<'o>,
    read: HashMap<String, Config>,
}

impl<'a, 'o> Components<'a, 'o> {
    pub(super) fn new(config: &'a Config, open: &'a mut Open<'o>) -> Components<'a, 'o> {
        Components { config, open, read: HashMap::new() }
    }

    /// The file of this name in the folder of the components of cells.
    fn file(&mut self, name: &str) -> Result<&Config, Error> {
        if !self.read.contains_key(name) {
            let at = "components.point_neuron_models_dir";
            let folder = self.config.text(at).or_else(|| self.config.text("components.point_neuron_models")).unwrap_or(".");
            let (path, bytes) = self.config.open(at, &format!("{folder}/{name}"), self.open)?;
            self.read.insert(name.to_owned(), Config::parse(&path, &bytes)?);
        }
        Ok(&self.read[name])
    }
}

/// The population of a part with a model.
pub(super) fn population(
    part: &Part,
    model: &Model,
    nodes: &Nodes<'_>,
    components: &mut Components<'_, '_>,
    notices: &mut Vec<Notice>,
) -> Result<Population, Error> {
    let files = nodes.objects.texts("dynamics_params")?;
    let known = || model.parameters.iter().chain(model.initial);
    let mut ignored: Vec<String> = Vec::new();
    let mut values: IndexMap<&str, Vec<f64>> = IndexMap::new();
    for (name, default, _) in known() {
        let own = nodes.objects.numbers(&format!("dynamics_params/{name}"))?;
        let mut column = Vec::with_capacity(part.members.len());
        for member in &part.members {
            let of_type = match &files[*member] {
                Some(file) => of_file(components.file(file)?, name)?,
                None => None,
            };
            column.push(own[*member].or(of_type).unwrap_or(*default));
        }
        values.insert(name, column);
    }
    for file in files.iter().flatten().collect::<BTreeSet<_>>() {
        let unknown = |name: &&String| !known().any(|(of, _, _)| of == name) && !ignored.contains(name);
        let names: Vec<String> = components.file(file)?.keys().filter(unknown).cloned().collect();
        ignored.extend(names);
    }
    if !ignored.is_empty() {
        let known: Vec<&str> = known().map(|(name, _, _)| *name).collect();
        let sentence =
            format!("not parameters of {1} and ignored: {0}; it has {2}", ignored.join(", "), model.name, known.join(", "));
        notices.push(Notice::new(part.name.clone(), sentence));
    }
    if let Some(differs) = model.differs {
        notices.push(Notice::new(part.name.clone(), differs.to_owned()));
    }
    let mut equations = model.equations.to_owned();
    let mut parameters = IndexMap::new();
    for (name, _, unit) in model.parameters {
        equations += &format!("\n{name} : {unit} (constant)");
        parameters.insert((*name).to_owned(), shared(values[name].clone(), unit));
    }
    let mut terms = Vec::new();
    for (number, current) in part.currents.iter().enumerate() {
        let name = format!("amplitude_{number}");
        equations += &format!("\n{name} : amp (constant)");
        parameters.insert(name.clone(), shared(current.amplitudes.clone(), "nA"));
        let (start, end) = (current.delay_ms, current.delay_ms + current.duration_ms);
        terms.push(format!("{name}*int(t >= {start}*ms and t < {end}*ms)"));
    }
    if model.has_current() {
        let sum = if terms.is_empty() { "0*pA".to_owned() } else { terms.join(" + ") };
        equations += &format!("\nI_stim = {sum} : amp (constant over dt)");
    }
    let initial = model.initial.iter().map(|(name, _, unit)| ((*name).to_owned(), shared(values[name].clone(), unit)));
    Ok(Population {
        name: part.name.clone(),
        size: part.members.len() as u32,
        equations: Some(equations),
        update: model.update.map(str::to_owned),
        threshold: Some(model.threshold.to_owned()),
        reset: Some(model.reset.to_owned()),
        refractory: model.is_refractory().then(|| REFRACTORY.to_owned()),
        method: model.method.map(str::to_owned),
        parameters,
        initial: initial.collect(),
        positions: positions(part, nodes)?,
        ..Population::default()
    })
}

/// The number of this name in a file of parameters.
fn of_file(file: &Config, name: &str) -> Result<Option<f64>, Error> {
    match file.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| file.wrong(name, value, "a number is expected", "write one")),
    }
}

/// The places of the nodes, if all have one.
fn positions(part: &Part, nodes: &Nodes<'_>) -> Result<Option<Positions>, Error> {
    let axes = ["x", "y", "z"].map(|axis| nodes.objects.numbers(axis));
    let mut columns = Vec::new();
    for axis in axes {
        let values = axis?;
        let of_part: Option<Vec<f64>> = part.members.iter().map(|member| values[*member]).collect();
        columns.extend(of_part);
    }
    if columns.is_empty() {
        return Ok(None);
    }
    let points = (0..part.members.len()).map(|node| columns.iter().map(|column| column[node]).collect()).collect();
    Ok(Some(Positions::List { points, unit: None, r#box: None }))
}

/// The source of a virtual part.
pub(super) fn source(part: Part, dt_ms: f64) -> Source {
    let size = (part.members.len() + part.twins.len()) as u32;
    let spikes = part.spikes.into_iter().map(|(neuron, step)| (neuron, f64::from(step) * dt_ms));
    Source { name: part.name, kind: SourceKind::Spikes { size, spike_times_ms: spikes.collect() } }
}
