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
use crate::imported::Imported;
use crate::paths::Open;
use cells::{Components, Nodes, Part};
use config::Config;
use inputs::Clamp;
use objects::{Objects, Types};
use sets::Sets;

pub use recognise::{template_of, templates};
pub use write::{Built, BuiltEdges, write};

/// The step and duration of a circuit without a simulation, in ms.
const USUAL: [f64; 2] = [0.1, 1000.0];

/// The keys of a report.
const REPORT: [&str; 9] = ["cells", "node_set", "variable_name", "module", "sections", "file_name", "enabled", "dt", "unit"];

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
pub fn read(name: &str, bytes: &[u8], open: &mut Open<'_>) -> Result<Imported, Error> {
    let (circuit, simulation) = configs(Config::parse(name, bytes)?, open)?;
    let mut notices = Vec::new();
    circuit.check_keys(&mut notices);
    if let Some(simulation) = simulation.as_ref().filter(|of| of.file != circuit.file) {
        simulation.check_keys(&mut notices);
    }
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
        let clamp = Clamp::of(config, dt_ms)?;
        for (name, input) in config.entries("inputs").filter(|(_, input)| is_enabled(input)) {
            inputs.push((name, inputs::read(&sets, (name, input), clamp, open, &mut notices)?));
        }
        if config.get("run.tstart").and_then(Value::as_f64).is_some_and(|start| start != 0.0) {
            let value = config.get("run.tstart").map(Value::to_string).unwrap_or_default();
            return Err(config.wrong("run.tstart", value, "runs begin at 0 ms", "remove it, and shift the times of all inputs"));
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
    let mut places = Vec::new();
    let mut projections: Vec<spikelet_network::Projection> = Vec::new();
    for file in &of_edges {
        for population in file.data.groups("/edges").map_err(|error| error.within(&file.path, ""))? {
            let objects = file.objects("edge", &population)?;
            let first = projections.len();
            projections.extend(edges::projections(&population, &objects, &nodes, &parts, dt_ms, &mut notices)?);
            let all = first..projections.len();
            places.extend(all.map(|at| (format!("projections[{at}]"), format!("{}: {}", objects.file, objects.root))));
        }
    }
    let mut network = Network { dt_ms, duration_ms, projections, recordings, ..Network::default() };
    let stem = name.rsplit('/').next().unwrap_or(name);
    network.name = cells::identifier(stem.strip_suffix(".json").unwrap_or(stem));
    let mut components = Components::new(&circuit, open);
    for part in parts {
        let at = if part.model.is_some() {
            format!("populations[{}]", network.populations.len())
        } else {
            format!("sources[{}]", network.sources.len())
        };
        let of = &nodes[part.of].objects;
        places.push((at, format!("{}: {}", of.file, of.root)));
        let Some(model) = part.model else {
            network.sources.push(cells::source(part, dt_ms));
            continue;
        };
        let population = cells::population(&part, model, &nodes[part.of], &mut components, &mut notices)?;
        network.populations.push(population);
    }
    for nodes in &nodes {
        let unused = nodes.objects.unused()?;
        // Parameters that a model lacks are named with it.
        let unused: Vec<&str> = unused.iter().map(String::as_str).filter(|name| *name != "dynamics_params").collect();
        if !unused.is_empty() {
            notices.push(Notice::new(nodes.name.clone(), format!("not used of nodes: {}", unused.join(", "))));
        }
    }
    network.name_projections();
    network.validate()?;
    Ok(Imported { network, notices, places })
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
    let list = circuit.get(&format!("networks.{kind}"));
    // A circuit without edges may leave out their list.
    let list = if kind == "edges" && list.is_none() { None } else { Some(list.and_then(Value::as_array)) };
    let Some(list) = list else { return Ok(Vec::new()) };
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
    sets.config.unused(&at, report, &REPORT, notices);
    let every_ms = report.get("dt").map(|dt| {
        let expected = "a number in ms is expected";
        dt.as_f64().ok_or_else(|| sets.config.wrong(&format!("{at}.dt"), dt, expected, "write one"))
    });
    // That of each step is the usual one.
    let every_ms = every_ms.transpose()?.filter(|every| sets.config.number("run.dt").is_ok_and(|dt| dt != *every));
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
                every_ms,
                ..Recording::default()
            });
        }
    }
    Ok(recordings)
}
