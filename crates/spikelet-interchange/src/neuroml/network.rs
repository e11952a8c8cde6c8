//! Networks: populations, projections, inputs.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;
use indexmap::map::Entry;
use spikelet_network::{
    Delays, Endpoint, Error, Network, Notice, Pathways, Population, Positions, Projection, Quantity, RunRegularly, Source,
    SourceKind,
};

use super::cell::cell;
use super::document::{Document, Element};
use super::quantity::{milliseconds, number, number_or, quantity};
use super::spikes;
use super::synapse::Synapse;
use super::texts::{Cell, Sum};
use super::zeros;
use crate::imported::Imported;

/// Differences from a whole number of steps that are rounding.
const WHOLE: f64 = 1e-6;
/// Elements that are populations.
const POPULATIONS: [&str; 2] = ["population", "populationList"];
/// Elements of a network that describe it.
const SILENT: [&str; 6] = ["notes", "annotation", "property", "space", "region", "extracellularProperties"];

/// A population until its inputs are known.
pub(super) struct Cells {
    pub(super) name: String,
    pub(super) size: u32,
    pub(super) cell: Cell,
    /// What is added to its sums: the part, such as `i`, and a variable.
    pub(super) added: Vec<(String, String)>,
}

/// What a network is made of, as far as it was read.
pub(super) struct Builder<'a> {
    pub(super) document: &'a Document,
    pub(super) cells: Vec<Cells>,
    pub(super) sources: Vec<Source>,
    pub(super) projections: Vec<Projection>,
    pub(super) notices: Vec<Notice>,
    pub(super) dt_ms: f64,
    pub(super) duration_ms: f64,
    /// Where populations, sources and projections are in the file, by their names.
    places: HashMap<String, String>,
}

/// A connection between two neurons.
pub(super) struct Edge {
    pub(super) pair: [u32; 2],
    pub(super) weight: f64,
    pub(super) delay_ms: f64,
}

impl<'a> Builder<'a> {
    /// The network of an element, of this time step and duration.
    pub(super) fn read(document: &'a Document, network: &'a Element, dt_ms: f64, duration_ms: f64) -> Result<Builder<'a>, Error> {
        let (cells, sources, projections, notices, places) = Default::default();
        let mut builder = Builder { document, cells, sources, projections, notices, dt_ms, duration_ms, places };
        for of in network.children.iter().filter(|of| POPULATIONS.contains(&document.kind(of))) {
            builder.population(of)?;
        }
        let mut single: IndexMap<[String; 3], (&Element, Vec<Edge>)> = IndexMap::new();
        for of in &network.children {
            match document.kind(of) {
                kind if POPULATIONS.contains(&kind) => {}
                "projection" => builder.projection(of)?,
                "synapticConnection" | "synapticConnectionWD" => {
                    let ([pre, from], [post, to]) = (builder.end(of, "from")?, builder.end(of, "to")?);
                    let key = [pre, post, of.need("synapse")?.to_owned()];
                    let edge = Edge { pair: [index(of, &from)?, index(of, &to)?], ..edge(of)? };
                    single.entry(key).or_insert((of, Vec::new())).1.push(edge);
                }
                "electricalProjection" => builder.electrical(of)?,
                "continuousProjection" => builder.continuous(of)?,
                "explicitInput" | "inputList" => {}
                other if SILENT.contains(&other) => {}
                other => {
                    let expected = "populations, projections and inputs are known";
                    return Err(of.wrong("", format_args!("<{other}>"), expected, "remove it, or use one of these"));
                }
            }
        }
        for ([pre, post, synapse], (of, edges)) in single {
            let component = document.need(of, "synapse")?;
            builder.connect(component, &format!("{pre}_{post}_{synapse}"), [&pre, &post], &edges)?;
        }
        Ok(builder)
    }

    fn population(&mut self, of: &'a Element) -> Result<(), Error> {
        let (name, component) = (of.need("id")?.to_owned(), self.document.need(of, "component")?);
        let instances = of.all("instance").count();
        let size = if instances > 0 { instances as f64 } else { number(of, "size")? };
        if !(size >= 1.0 && size <= f64::from(u32::MAX) && size.fract() == 0.0) {
            return Err(of.wrong("size", size, "a number of cells, 1 or more, is expected", "set its size"));
        }
        let size = size as u32;
        self.put(&name, of, component);
        if let Some(kind) = spikes::source(self.document, component, size, self.duration_ms)? {
            self.sources.push(Source { name, kind });
            return Ok(());
        }
        let mut cell = cell(self.document, component)?;
        cell.positions = positions(of)?;
        self.cells.push(Cells { name, size, cell, added: Vec::new() });
        Ok(())
    }

    /// Notes where an object of the network is, and its component.
    pub(super) fn put(&mut self, name: &str, of: &Element, component: &Element) {
        let component = format!("`{}`, {}", component.id().unwrap_or_default(), component.place);
        self.places.insert(name.to_owned(), format!("{}: {} `{name}` of {component}", of.place, of.name));
    }

    /// The population and the cell of a reference such as `pop[0]` or `../pop/0/cell`.
    pub(super) fn end(&self, of: &Element, key: &str) -> Result<[String; 2], Error> {
        let text = of.need(key)?;
        let path = text.trim_start_matches("../");
        let found = match path.split_once('[') {
            Some((name, rest)) => rest.split_once(']').map(|(index, _)| [name, index]),
            None => path.split_once('/').map(|(name, rest)| [name, rest.split('/').next().unwrap_or(rest)]),
        };
        let expected = "a cell is expected, such as `pop[0]` or `../pop/0/cell`";
        found.map(|found| found.map(str::to_owned)).ok_or_else(|| of.wrong(key, format_args!("`{text}`"), expected, "name one"))
    }

    /// The cell of a population that is known: an index, or a reference.
    fn cell_of(&self, of: &Element, keys: [&str; 2]) -> Result<u32, Error> {
        let key = if of.get(keys[0]).is_some() { keys[0] } else { keys[1] };
        match of.need(key)?.parse() {
            Ok(index) => Ok(index),
            Err(_) => index(of, &self.end(of, key)?[1]),
        }
    }

    fn ends(of: &Element) -> Result<[&str; 2], Error> {
        Ok([of.need("presynapticPopulation")?, of.need("postsynapticPopulation")?])
    }

    fn projection(&mut self, of: &'a Element) -> Result<(), Error> {
        let connections = || of.children.iter().filter(|child| child.name.starts_with("connection"));
        let edges = connections().map(|child| {
            let pair = [self.cell_of(child, ["preCellId", "preCell"])?, self.cell_of(child, ["postCellId", "postCell"])?];
            Ok(Edge { pair, ..edge(child)? })
        });
        let edges: Vec<Edge> = edges.collect::<Result<_, Error>>()?;
        self.connect(self.document.need(of, "synapse")?, of.need("id")?, Builder::ends(of)?, &edges)
    }

    /// Gap junctions, in both directions.
    fn electrical(&mut self, of: &'a Element) -> Result<(), Error> {
        let ([pre, post], id) = (Builder::ends(of)?, of.need("id")?);
        for (synapse, (component, edges)) in self.grouped(of, "synapse")? {
            self.connect(component, &format!("{id}_{synapse}"), [pre, post], &edges)?;
            self.connect(component, &format!("{id}_{synapse}_back"), [post, pre], &turned(&edges))?;
        }
        Ok(())
    }

    /// Graded synapses: a component on each side.
    fn continuous(&mut self, of: &'a Element) -> Result<(), Error> {
        let ([pre, post], id) = (Builder::ends(of)?, of.need("id")?);
        for (name, (component, edges)) in self.grouped(of, "postComponent")? {
            self.connect(component, &format!("{id}_{name}"), [pre, post], &edges)?;
        }
        for (name, (component, edges)) in self.grouped(of, "preComponent")? {
            self.connect(component, &format!("{id}_{name}"), [post, pre], &turned(&edges))?;
        }
        Ok(())
    }

    /// The connections of a projection by the component that each names by `key`.
    fn grouped(&self, of: &Element, key: &str) -> Result<IndexMap<String, (&'a Element, Vec<Edge>)>, Error> {
        let mut groups = IndexMap::new();
        for child in &of.children {
            let pair = [self.cell_of(child, ["preCell", "preCellId"])?, self.cell_of(child, ["postCell", "postCellId"])?];
            let group: &mut (&Element, Vec<Edge>) = match groups.entry(child.need(key)?.to_owned()) {
                Entry::Occupied(group) => group.into_mut(),
                Entry::Vacant(place) => place.insert((self.document.need(child, key)?, Vec::new())),
            };
            group.1.push(Edge { pair, ..edge(child)? });
        }
        Ok(groups)
    }

    /// Adds a projection with this synapse.
    pub(super) fn connect(&mut self, of: &Element, name: &str, [pre, post]: [&str; 2], edges: &[Edge]) -> Result<(), Error> {
        if self.document.kind(of) == "doubleSynapse" {
            let both = [self.document.need(of, "synapse1")?, self.document.need(of, "synapse2")?];
            return both.into_iter().try_for_each(|synapse| self.connect(synapse, name, [pre, post], edges));
        }
        if edges.is_empty() {
            self.notices.push(Notice::new(format!("projection {name}"), "it has no connections, and is left out".into()));
            return Ok(());
        }
        let synapse = Synapse::of(self.document, of)?;
        let target = self.cells.iter_mut().find(|cells| cells.name == post).ok_or_else(|| {
            of.wrong(
                "",
                format_args!("`{post}`"),
                "there is no population of cells with this name",
                "add it, or name another one",
            )
        })?;
        let value = |sum: &Sum| synapse.adds.iter().find(|(part, _)| *part == sum.part).map(|(_, value)| value.clone());
        let adds: Vec<(Sum, String)> = target.cell.sums.iter().filter_map(|sum| Some((sum.clone(), value(sum)?))).collect();
        if adds.is_empty() {
            if !synapse.adds.is_empty() {
                let sentence =
                    format!("the cells of {post} sum nothing that `{}` exposes: it is left out", of.id().unwrap_or_default());
                self.notices.push(Notice::new(format!("projection {name}"), sentence));
            }
            return Ok(());
        }
        let mut number = 1;
        let taken = |name: &str, projections: &[Projection]| projections.iter().any(|of| of.name == name);
        let mut unique = name.to_owned();
        while taken(&unique, &self.projections) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        self.put(&unique, of, of);
        let target = self.cells.iter_mut().find(|cells| cells.name == post);
        let Some(target) = target else { return Ok(()) };
        let (mut declared, mut contributions) = (Vec::new(), Vec::new());
        for (Sum { part, unit, .. }, value) in adds {
            let variable = format!("{part}_{unique}");
            declared.push(format!("{variable} : {unit}"));
            contributions.push(format!("{variable}_post = {value} : {unit} (summed)"));
            target.added.push((part.clone(), variable));
        }
        target.cell.equations.extend(declared);
        let mut projection = Projection {
            name: unique,
            pre: Endpoint::whole(pre),
            post: Endpoint::whole(post),
            pairs: Some(edges.iter().map(|edge| edge.pair).collect::<Vec<_>>().into()),
            method: Some("euler".into()),
            parameters: synapse.parameters,
            initial: synapse.initial,
            ..Projection::default()
        };
        let clocked = |line: String| {
            let is_differential = line.split_once("/dt").is_some_and(|(left, _)| left.starts_with('d') && !left.contains(' '));
            if is_differential && !line.contains("(clock-driven)") { format!("{line} (clock-driven)") } else { line }
        };
        let mut equations: Vec<String> = synapse.equations.into_iter().map(clocked).collect();
        equations.extend(contributions);
        let synapse_equations = equations.join("\n");
        projection.equations = Some(synapse_equations.clone());
        let mut known = zeros::Known::new();
        zeros::declared(&synapse_equations, &mut known);
        projection.on_pre = synapse.on_event.map(|text| Pathways::from(zeros::in_statements(&text, &known).as_str()));
        let regular = |statements| RunRegularly { statements, ..RunRegularly::default() };
        projection.run_regularly = synapse.regularly.map(regular).into_iter().collect();
        projection.parameters.insert("weight".into(), shared(edges.iter().map(|edge| edge.weight).collect()));
        projection.delay_ms = Delays::Same(shared(edges.iter().map(|edge| edge.delay_ms).collect()));
        self.projections.push(projection);
        Ok(())
    }

    /// Rounds times of spikes and delays down to whole steps: jLEMS delivers what is due within a step at its end, and the next step here begins with it.
    fn round_down(&mut self) {
        let dt = self.dt_ms;
        let round = |ms: &mut f64| {
            let steps = *ms / dt;
            if (steps - steps.round()).abs() > WHOLE {
                *ms = steps.floor() * dt;
            }
        };
        for source in &mut self.sources {
            if let SourceKind::Spikes { spike_times_ms, .. } = &mut source.kind {
                spike_times_ms.iter_mut().for_each(|(_, ms)| round(ms));
            }
        }
        for projection in &mut self.projections {
            match &mut projection.delay_ms {
                Delays::Same(Quantity::Number(ms)) => round(ms),
                Delays::Same(Quantity::Values { values, .. }) => values.iter_mut().for_each(round),
                _ => {}
            }
        }
    }

    /// The size of a population or source.
    pub(super) fn size(&self, name: &str) -> Option<u32> {
        let cells = self.cells.iter().find(|cells| cells.name == name).map(|cells| cells.size);
        cells.or_else(|| self.sources.iter().find(|source| source.name == name).map(Source::size))
    }

    /// The network, without its name.
    pub(super) fn finish(mut self) -> Imported {
        self.round_down();
        let populations = self.cells.into_iter().map(|of| of.cell.population(&of.name, of.size, &of.added));
        let mut network = Network {
            dt_ms: self.dt_ms,
            duration_ms: self.duration_ms,
            populations: populations.collect(),
            sources: self.sources,
            projections: self.projections,
            ..Network::default()
        };
        let Network { populations, projections, .. } = &mut network;
        projections.iter_mut().for_each(|projection| give_units(projection, populations));
        let names =
            network.populations.iter().map(|of| &of.name).enumerate().map(|(at, name)| (format!("populations[{at}]"), name));
        let names = names.chain(network.sources.iter().enumerate().map(|(at, of)| (format!("sources[{at}]"), &of.name)));
        let names = names.chain(network.projections.iter().enumerate().map(|(at, of)| (format!("projections[{at}]"), &of.name)));
        let places = names.filter_map(|(path, name)| Some((path, self.places.get(name)?.clone()))).collect();
        Imported { network, notices: self.notices, places }
    }
}

/// Gives units to the zeros in the texts of a projection, which know the variables of its target.
fn give_units(projection: &mut Projection, populations: &[Population]) {
    let mut known = zeros::Known::new();
    for population in [&projection.pre.population, &projection.post.population] {
        let found = populations.iter().find(|of| of.name == *population);
        zeros::declared(found.and_then(|of| of.equations.as_deref()).unwrap_or_default(), &mut known);
    }
    zeros::declared(projection.equations.as_deref().unwrap_or_default(), &mut known);
    projection.equations = projection.equations.as_ref().map(|text| zeros::in_equations(text, &known));
    for regular in &mut projection.run_regularly {
        regular.statements = zeros::in_statements(&regular.statements, &known);
    }
    zeros::in_values(&mut projection.initial, &known);
}

/// The places of the cells, if all have one.
fn positions(of: &Element) -> Result<Option<Positions>, Error> {
    let mut points = Vec::new();
    for instance in of.all("instance") {
        let Some(at) = instance.all("location").next() else { return Ok(None) };
        let id: Option<usize> = instance.get("id").and_then(|id| id.trim().parse().ok());
        points.push((id, vec![number(at, "x")?, number(at, "y")?, number(at, "z")?]));
    }
    // Connections name the identifier.
    points.sort_by_key(|(id, _)| *id);
    let points: Vec<Vec<f64>> = points.into_iter().map(|(_, point)| point).collect();
    Ok((!points.is_empty()).then_some(Positions::List { points, unit: None, r#box: None }))
}

/// One value if all are the same.
pub(super) fn shared(values: Vec<f64>) -> Quantity {
    let same = values.windows(2).all(|pair| pair[0] == pair[1]);
    match values.first() {
        Some(first) if same => Quantity::Number(*first),
        _ => Quantity::Values { values, unit: None },
    }
}

/// The same connections in the opposite direction.
fn turned(edges: &[Edge]) -> Vec<Edge> {
    edges.iter().map(|of| Edge { pair: [of.pair[1], of.pair[0]], ..*of }).collect()
}

/// Weight and delay of a connection.
fn edge(of: &Element) -> Result<Edge, Error> {
    let weight = number_or(of, "weight", 1.0)?;
    let delay_ms = if of.get("delay").is_some() { milliseconds(of, "delay")? } else { 0.0 };
    Ok(Edge { pair: [0, 0], weight, delay_ms })
}

pub(super) fn index(of: &Element, text: &str) -> Result<u32, Error> {
    text.trim()
        .parse()
        .map_err(|_| of.wrong("", format_args!("`{text}`"), "the index of a cell is expected", "count cells from 0"))
}

/// Parameters of components by the names that they have in a population: those of several inputs differ.
pub(super) fn renamed(parameters: &[&str], of: &Element, suffix: &str) -> Result<BTreeMap<String, (String, Quantity)>, Error> {
    let one = |name: &&str| Ok(((*name).to_owned(), (format!("{name}_{suffix}"), quantity(of, name)?)));
    parameters.iter().map(one).collect()
}
