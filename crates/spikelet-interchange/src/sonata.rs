//! SONATA (Dai et al. 2020, PLoS Comput. Biol. 16:e1007696): circuits and simulations in JSON, HDF5 and CSV as networks.
//!
//! [`read`] makes a network of a configuration and of the files that it names: nodes with point neurons of NEST become populations, virtual nodes sources, edges projections.
//! [`write()`] makes them of a network whose populations have cells that SONATA names. `docs/sonata.md` lists what is read and written.

mod cells;
mod config;
mod edges;
mod inputs;
mod model;
mod objects;
mod recognise;
mod sets;
mod write;

use serde_json::Value;
use spikelet_network::{Error, Network, Notice, Recording};

use crate::hdf5;
use crate::paths::Open;
use cells::{Components, Nodes, Part};
use config::Config;
use objects::{Objects, Types};
use sets::Sets;

pub use recognise::{template_of, templates};
pub use write::{Built, BuiltEdges, write};

/// The step and duration of a circuit without a simulation, in ms.
const USUAL: [f64; 2] = [0.1, 1000.0];

/// Whether a file is a configuration of SONATA.
pub fn is_sonata(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    text.trim_start().starts_with('{') && (has("networks") || has("network") && (has("simulation") || has("run")))
}

/// A file of HDF5 with its table of types.
struct CircuitFile {
    path: String,
    data: hdf5::File,
    types: (String, Vec<u8>),
}

/// The network of a configuration with this name, and what differs from it; `open` reads the files that it names.
///
/// # Errors
/// The file and the place of what is wrong or not supported.
pub fn read(name: &str, bytes: &[u8], open: &mut Open<'_>) -> Result<(Network, Vec<Notice>), Error> {
    let (circuit, simulation) = configs(Config::parse(name, bytes)?, open)?;
    let mut notices = Vec::new();
    let (of_nodes, of_edges) = (files(&circuit, "nodes", open)?, files(&circuit, "edges", open)?);
    let (mut nodes, mut parts): (Vec<Nodes<'_>>, Vec<Part>) = (Vec::new(), Vec::new());
    for file in &of_nodes {
        for population in file.data.groups("/nodes").map_err(|error| error.within(&file.path, ""))? {
            let objects = file.objects("node", &population)?;
            nodes.push(Nodes::divide(&population, nodes.len(), objects, &mut parts)?);
        }
    }
    let [mut dt_ms, mut duration_ms] = USUAL;
    let mut recordings = Vec::new();
    if let Some(config) = &simulation {
        (dt_ms, duration_ms) = (config.number("run.dt")?, config.number("run.tstop")?);
        let named = config.text("node_sets_file").map(|file| config.open("node_sets_file", file, open)).transpose()?;
        let named = named.map(|(path, bytes)| Config::parse(&path, &bytes)).transpose()?;
        let mut inputs = Vec::new();
        let sets = Sets { config, named: named.as_ref(), nodes: &nodes, parts: &parts };
        for (name, input) in config.entries("inputs").filter(|(_, input)| is_enabled(input)) {
            inputs.push((name, inputs::read(&sets, name, input, open)?));
        }
        for (name, report) in config.entries("reports").filter(|(_, report)| is_enabled(report)) {
            recordings.extend(reported(&sets, name, report, &mut notices)?);
        }
        for (name, input) in inputs {
            inputs::add(config, name, input, &nodes, &mut parts, dt_ms, &mut notices)?;
        }
        for (key, value) in config.entries("conditions") {
            let sentence = format!("{value} is not used: cells begin with the values of their models, and have no temperature");
            notices.push(Notice::new(format!("conditions.{key}"), sentence));
        }
    } else {
        let sentence = format!("the file has no simulation: the step is {} ms, the duration {} ms", USUAL[0], USUAL[1]);
        notices.push(Notice::new("dt_ms".into(), sentence));
    }
    let mut projections = Vec::new();
    for file in &of_edges {
        for population in file.data.groups("/edges").map_err(|error| error.within(&file.path, ""))? {
            let objects = file.objects("edge", &population)?;
            projections.extend(edges::projections(&population, &objects, &nodes, &parts, dt_ms, &mut notices)?);
        }
    }
    let mut network = Network { dt_ms, duration_ms, projections, recordings, ..Network::default() };
    let stem = name.rsplit('/').next().unwrap_or(name);
    network.name = cells::identifier(stem.strip_suffix(".json").unwrap_or(stem));
    let mut components = Components::new(&circuit, open);
    for part in parts {
        let Some(model) = part.model else {
            network.sources.push(cells::source(part, dt_ms));
            continue;
        };
        let population = cells::population(&part, model, &nodes[part.of], &mut components, &mut notices)?;
        network.populations.push(population);
    }
    network.name_projections();
    network.validate()?;
    Ok((network, notices))
}

/// The circuit of a configuration, and its simulation.
fn configs(first: Config, open: &mut Open<'_>) -> Result<(Config, Option<Config>), Error> {
    let mut named = |config: &Config, key: &str| -> Result<Option<Config>, Error> {
        let Some(file) = config.text(key) else { return Ok(None) };
        let (path, bytes) = config.open(key, file, open)?;
        Config::parse(&path, &bytes).map(Some)
    };
    let simulation = named(&first, "simulation")?;
    let circuit = match named(&first, "network")? {
        None => match &simulation {
            Some(simulation) => named(simulation, "network")?,
            None => None,
        },
        found => found,
    };
    let simulates = |config: &Config| config.get("run").is_some();
    match (circuit, simulation) {
        (Some(circuit), Some(simulation)) => Ok((circuit, Some(simulation))),
        (Some(circuit), None) => Ok((circuit, simulates(&first).then_some(first))),
        // All in one file.
        (None, _) if first.get("networks").is_some() && simulates(&first) => {
            let copy = first.clone();
            Ok((first, Some(copy)))
        }
        (None, simulation) if first.get("networks").is_some() => Ok((first, simulation)),
        (None, _) => Err(first.wrong(
            "networks",
            "missing",
            "files of nodes and edges are expected",
            "add the key `networks` or `network`",
        )),
    }
}

fn is_enabled(value: &Value) -> bool {
    value.get("enabled").and_then(Value::as_bool) != Some(false)
}

/// The files of nodes or edges of a circuit.
fn files(circuit: &Config, kind: &str, open: &mut Open<'_>) -> Result<Vec<CircuitFile>, Error> {
    let list = circuit.get(&format!("networks.{kind}")).and_then(Value::as_array);
    let list = list.ok_or_else(|| {
        let expected = format!("a list of files of {kind} is expected");
        circuit.wrong(&format!("networks.{kind}"), "missing", expected, "add it; it may be empty")
    })?;
    let one = &kind[..kind.len() - 1];
    let mut opened = Vec::new();
    for (index, entry) in list.iter().enumerate().filter(|(_, entry)| is_enabled(entry)) {
        let at = |key: &str| format!("networks.{kind}[{index}].{key}");
        let (of_data, of_types) = (format!("{kind}_file"), format!("{one}_types_file"));
        let Some(file) = entry.get(&of_data).and_then(Value::as_str) else {
            return Err(circuit.wrong(&at(&of_data), "missing", "a file of HDF5 is expected", "name it"));
        };
        let (path, bytes) = circuit.open(&at(&of_data), file, open)?;
        let data = hdf5::File::open(bytes).map_err(|error| error.within(&path, ""))?;
        let types = match entry.get(&of_types).and_then(Value::as_str) {
            Some(file) => circuit.open(&at(&of_types), file, open)?,
            None => (path.clone(), format!("{one}_type_id\n").into_bytes()),
        };
        opened.push(CircuitFile { path, data, types });
    }
    Ok(opened)
}

impl CircuitFile {
    /// The nodes or edges of a population.
    fn objects(&self, kind: &str, population: &str) -> Result<Objects<'_>, Error> {
        let types = Types::parse(&self.types.0, &self.types.1, &format!("{kind}_type_id"))?;
        Objects::open((&self.path, &self.data), kind, population, types)
    }
}

/// The recordings of a report.
fn reported(sets: &Sets<'_>, name: &str, report: &Value, notices: &mut Vec<Notice>) -> Result<Vec<Recording>, Error> {
    let at = format!("reports.{name}");
    let everywhere = Value::String("all".to_owned());
    let set = report.get("cells").or_else(|| report.get("node_set")).unwrap_or(&everywhere);
    let nodes = sets.nodes_of(&format!("{at}.cells"), set)?;
    let names: Vec<&str> = match report.get("variable_name") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut recordings = Vec::new();
    for (part, members) in sets.in_parts(&nodes) {
        let part = &sets.parts[part];
        let Some(model) = part.model else { continue };
        for name in &names {
            // Reports of cells with compartments say `v`.
            let var = if *name == "v" { "V_m" } else { *name };
            if !model.has_variable(var) {
                notices.push(Notice::new(at.clone(), format!("`{name}` is not recorded: {} has no such variable", model.name)));
                continue;
            }
            recordings.push(Recording {
                object: part.name.clone(),
                var: var.to_owned(),
                indices: members.clone().into(),
                ..Recording::default()
            });
        }
    }
    Ok(recordings)
}
