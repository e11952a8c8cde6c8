//! Circuits and simulations of SONATA of networks whose populations have the cells that SONATA names.

mod edges;
mod nodes;
mod simulation;

use serde_json::{Map, Value, json};
use spikelet_lang::Dimension;
use spikelet_lang::syntax::parse_unit;
use spikelet_lang::unit::Unit;
use spikelet_network::{Error, Network, Notice, Quantity, SourceKind};

use super::recognise::{Cell, cell_of, templates};
use crate::results::{Results, sonata_spikes};

/// Files with their names.
type Files = Vec<(String, Vec<u8>)>;

/// What a network has when it is built, where its texts do not say it: values that are drawn, and the synapses of rules.
pub trait Built {
    /// The value of a name in each neuron of a population before the first step, in inner units.
    ///
    /// # Errors
    /// It is not stored, or the network cannot be built.
    fn neurons(&mut self, population: &str, name: &str) -> Result<Vec<f64>, Error>;

    /// All synapses of a projection.
    ///
    /// # Errors
    /// The network cannot be built.
    fn synapses(&mut self, projection: &str) -> Result<BuiltEdges, Error>;
}

/// The synapses of a projection, as columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BuiltEdges {
    /// `[pre, post]`, as indices in the populations.
    pub pairs: Vec<[u32; 2]>,
    /// Delays in ms: of each, or one for all.
    pub delays_ms: Vec<f64>,
    /// The values that differ between them, in inner units, with their names.
    pub values: Vec<(String, Vec<f64>)>,
}

/// The files of a circuit and its simulation, and what they do not contain: `config.json` names all others. The populations of the network have their own
/// texts instead of a library model.
///
/// # Errors
/// The place of what SONATA has no word for, and the way out.
pub fn write(network: &Network, built: &mut dyn Built) -> Result<(Files, Vec<Notice>), Error> {
    check_names(network)?;
    let mut notices = left_out(network);
    let mut cells: Vec<Cell> = Vec::new();
    for (index, population) in network.populations.iter().enumerate() {
        let path = format!("populations[{index}]");
        nodes::check(&path, population)?;
        let cell = cell_of(population).ok_or_else(|| {
            let expected = format!(
                "SONATA has the cells {}, and its equations, threshold, reset, update and refractory time are those of none",
                templates().collect::<Vec<_>>().join(", ")
            );
            let way_out =
                "use the texts that an import of SONATA makes of one of them, or write a script for Brian 2 (format `brian2`)";
            Error::invalid(&path, format_args!("{:?}", population.name), expected, way_out)
        })?;
        cells.push(cell);
    }
    let mut files = nodes::files(network, &cells, built, &mut notices)?;
    files.extend(edges::files(network, &cells, built)?);
    let spikes = spikes(network)?;
    files.push(("circuit_config.json".to_owned(), circuit(network)));
    files.push(("node_sets.json".to_owned(), simulation::sets(network)));
    files.push(("config.json".to_owned(), simulation::config(network, &cells, built, &mut notices)?));
    files.extend(spikes.map(|bytes| (SPIKES.to_owned(), bytes)));
    Ok((files, notices))
}

/// The spikes of sources.
const SPIKES: &str = "spikes.h5";

/// Rejects names that would be something else in a file.
fn check_names(network: &Network) -> Result<(), Error> {
    let populations = network.populations.iter().enumerate().map(|(index, of)| (format!("populations[{index}]"), &of.name));
    let sources = network.sources.iter().enumerate().map(|(index, of)| (format!("sources[{index}]"), &of.name));
    let projections = network.projections.iter().enumerate().map(|(index, of)| (format!("projections[{index}]"), &of.name));
    let mut names = populations.chain(sources).chain(projections);
    names.find(|(_, name)| name.contains(['/', '$'])).map_or(Ok(()), |(path, name)| {
        let expected =
            "it is the name of a group in HDF5, which has no /, and of a text of a configuration, where $ begins a variable";
        Err(Error::invalid(format!("{path}.name"), format!("{name:?}"), expected, "rename it"))
    })
}

/// What files do not contain.
fn left_out(network: &Network) -> Vec<Notice> {
    let parts = [
        ("changes", "changes during the run", !network.changes.is_empty()),
        ("stop", "conditions that stop the run", !network.stop.is_empty()),
        ("statistics", "statistics of synapses", !network.statistics.is_empty()),
    ];
    let parts = parts.into_iter().filter(|(.., is_there)| *is_there);
    parts.map(|(key, what, _)| Notice::new(key.to_owned(), format!("a circuit does not have {what}"))).collect()
}

/// `circuit_config.json`. The kinds of populations are for `libsonata`, which has only those that are listed.
fn circuit(network: &Network) -> Vec<u8> {
    let of_type = |name: &String, kind: &str| (name.clone(), json!({"type": kind}));
    let cells = network.populations.iter().map(|of| of_type(&of.name, "point_neuron"));
    let nodes: Map<String, Value> = cells.chain(network.sources.iter().map(|of| of_type(&of.name, "virtual"))).collect();
    let edges: Map<String, Value> = network.projections.iter().map(|of| of_type(&of.name, "chemical")).collect();
    text(&json!({
        "manifest": {"$BASE": "${configdir}"},
        "components": {"point_neuron_models_dir": "$BASE"},
        "networks": {
            "nodes": [{"nodes_file": "$BASE/nodes.h5", "node_types_file": "$BASE/node_types.csv", "populations": nodes}],
            "edges": [{"edges_file": "$BASE/edges.h5", "edge_types_file": "$BASE/edge_types.csv", "populations": edges}],
        },
    }))
}

/// A configuration as bytes.
fn text(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

/// The spikes of all sources, if there are any. A spike is at the beginning of a step, and in SONATA at its end.
fn spikes(network: &Network) -> Result<Option<Vec<u8>>, Error> {
    let mut results = Results::default();
    for (index, source) in network.sources.iter().enumerate() {
        let SourceKind::Spikes { size, spike_times_ms } = &source.kind else {
            let expected = "inputs of circuits are lists of spikes";
            let way_out = "make it a source of the type \"spikes\", such as of the spikes that it had in a run";
            return Err(Error::invalid(format!("sources[{index}]"), format_args!("{:?}", source.name), expected, way_out));
        };
        let own = results.populations.len();
        results.populations.push((source.name.clone(), *size));
        results.spikes.extend(spike_times_ms.iter().map(|(node, time)| (own, *node, end_of_step(*time, network.dt_ms))));
    }
    results.spikes.sort_by(|(_, _, a), (_, _, b)| a.total_cmp(b));
    if results.populations.is_empty() { Ok(None) } else { sonata_spikes(&results).map(Some) }
}

/// The end of the step in which a spike is, in whole µs: readers round up to the next step.
fn end_of_step(time_ms: f64, dt_ms: f64) -> f64 {
    let end = (spikelet_network::Source::step(time_ms, dt_ms) + 1.0) * dt_ms;
    (end * 1000.0 + 1e-6).floor() / 1000.0
}

/// The values of each of several, if a quantity says them: a number, or one for each; in the given unit.
fn said(place: &str, quantity: &Quantity, unit: &str) -> Result<Option<Vec<f64>>, Error> {
    let wrong = |why: String| Error::invalid(place, quantity, why, "correct it");
    let wanted = unit_of(unit).map_err(wrong)?;
    let check = |dimension: Dimension| {
        let expected =
            if unit == "1" { "a number without a unit is expected".to_owned() } else { format!("a value in {unit} is expected") };
        if dimension == wanted.dimension { Ok(()) } else { Err(wrong(expected)) }
    };
    match quantity {
        Quantity::Number(number) => Ok(Some(vec![number / wanted.factor])),
        Quantity::Values { values, unit: own } => {
            // The same unit stays exactly the same.
            let scale = match own {
                Some(own) if own == unit => 1.0,
                Some(own) => {
                    let own = unit_of(own).map_err(wrong)?;
                    check(own.dimension)?;
                    own.factor / wanted.factor
                }
                None => 1.0 / wanted.factor,
            };
            Ok(Some(values.iter().map(|value| value * scale).collect()))
        }
        Quantity::Text(text) | Quantity::Expr(text) => {
            // Exactly as it is written, not by a factor and back.
            let number = if unit == "1" { Some(text.as_str()) } else { text.strip_suffix(unit) };
            let number = number.and_then(|number| number.trim().trim_end_matches('*').trim().parse::<f64>().ok());
            if let Some(number) = number.filter(|number| number.is_finite()) {
                return Ok(Some(vec![number]));
            }
            let Ok((value, dimension)) = spikelet_lang::quantity::constant(place, text) else { return Ok(None) };
            check(dimension)?;
            Ok(Some(vec![value / wanted.factor]))
        }
        Quantity::Timed { .. } => Err(wrong("circuits have no values that change".to_owned())),
    }
}

/// A unit, or why it is none.
fn unit_of(text: &str) -> Result<Unit, String> {
    if text == "1" {
        return Ok(Unit { dimension: Dimension::NONE, factor: 1.0 });
    }
    parse_unit(text).map_err(|error| format!("its unit must be known ({})", error.message))
}

/// Values for this number of nodes or edges, of one for all or of one for each.
fn each(place: &str, values: Vec<f64>, count: usize) -> Result<Vec<f64>, Error> {
    match values[..] {
        _ if values.len() == count => Ok(values),
        [single] => Ok(vec![single; count]),
        _ if count == 0 => Ok(Vec::new()),
        _ => {
            let expected = format!("one for all or one for each of {count} is expected");
            Err(Error::invalid(place, format_args!("{} values", values.len()), expected, "give as many"))
        }
    }
}

/// Whether all values are the same.
fn is_shared(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}

/// A table of types: columns are separated by spaces.
fn table(rows: &[Vec<String>]) -> Result<Vec<u8>, Error> {
    let unwritable = |error: String| Error::invalid("the table of types", "not writable", error, "use shorter names");
    let mut writer = csv::WriterBuilder::new().delimiter(b' ').from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).map_err(|error| unwritable(error.to_string()))?;
    }
    writer.into_inner().map_err(|error| unwritable(error.to_string()))
}
