//! `spikelet import neurons.csv --edges connections.csv`: a network of the two tables of a connectome.
//!
//! Its cells and numbers are those of the model of the whole fly of Shiu et al. 2024 (Nature 634:210), whose stimulated neurons are not
//! refractory.

use std::fs::File;
use std::path::{Path, absolute};

use serde_json::{Value, json};
use spikelet::edges::{POST, PRE, column_names};
use spikelet::selection::Selection;
use spikelet::{Error, Network, NeuronTable, grouped};

use crate::args::ImportArguments;
use crate::failure::Failure;
use crate::{source, terminal};

/// The columns of identifiers in tables of the field, after one that is named.
const IDS: [&str; 8] = ["root_id", "pt_root_id", "bodyId", "bodyid", "body_id", "neuron_id", "skid", "id"];
/// Those of transmitters.
const TRANSMITTERS: [&str; 9] =
    ["nt_type", "top_nt", "nt", "transmitter", "neurotransmitter", "predictedNt", "predicted_nt", "consensusNt", "consensus_nt"];
/// Those of the number of contacts of an edge.
const CONTACTS: [&str; 7] = ["syn_count", "weight", "n_syn", "synapses", "count", "Connectivity", "w"];

/// Differential equations of the cells.
const MEMBRANE: &str =
    "dv/dt = (g - v - 52*mV)/(20*ms) : volt (unless refractory)\ndg/dt = -g/(5*ms) : volt (unless refractory)\nsign : 1";

/// The network of a table of neurons and one of edges, and what was found in them, as notices.
pub(super) fn network(args: &ImportArguments, edges: &Path) -> Result<Network, Failure> {
    let file = args.file.display().to_string();
    let table = NeuronTable::read(&file, opened(&args.file)?, None)?;
    let id = id(&table, args.id.as_deref(), &file)?;
    let (signs, said) = signs(&table)?;
    let mut population = json!({
        "name": "brain", "size": table.rows(), "neurons": { "file": relative(&args.file, args.out.as_deref()), "id": id },
        "equations": MEMBRANE, "threshold": "v > -45*mV", "reset": "v = -52*mV; g = 0*mV", "refractory": "2.2*ms",
        "parameters": {}, "initial": { "v": "-52 mV" },
    });
    match signs {
        Some(codes) => population["neurons"]["codes"] = json!({ "sign": codes }),
        None => population["parameters"]["sign"] = json!(1),
    }
    let (synapses, weights) = synapses(args, edges)?;
    let (mut sources, mut projections) = (Vec::new(), vec![synapses]);
    if let Some(condition) = &args.excite {
        let (source, projection) = excitation(&mut population, condition, &table)?;
        sources.push(source);
        projections.push(projection);
    }
    let name = args.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut network = json!({
        "name": name.split('.').next().unwrap_or_default(), "dt_ms": 0.1, "duration_ms": 1000,
        "description": "Leaky cells with the numbers of Shiu et al. 2024 (Nature 634:210), made of two tables by spikelet import.",
        "populations": [population], "sources": sources, "projections": projections,
    });
    let (mut unread, mut whole) = read(args, &network)?;
    let has_weights = whole.projections[0].parameters.contains_key("w");
    let repeats = !whole.notices_of_files().is_empty();
    if !has_weights {
        network["projections"][0]["parameters"] = json!({ "w": 1 });
    } else if repeats {
        network["projections"][0]["pairs"]["sum"] = json!(["w"]);
    }
    if repeats || !has_weights {
        (unread, whole) = read(args, &network)?;
    }
    let [neurons, edges] =
        [table.rows(), whole.projections[0].pairs.as_ref().map_or(0, |pairs| pairs.len())].map(|n| grouped(n as u64));
    let weights =
        if has_weights { weights } else { "one contact for each edge, since the file has no numbers of them".to_owned() };
    terminal::notice(&format_args!("{neurons} neurons by their column `{id}`, {edges} edges with {weights}; {said}"));
    whole.notices_of_files().iter().for_each(terminal::notice);
    if args.excite.is_none() {
        let sentence = "nothing drives the neurons; select some of them by --excite, such as --excite \"cell_type == 'sugar'\"";
        terminal::notice(&sentence);
    }
    Ok(unread)
}

/// The synapses, and where their weights come from.
fn synapses(args: &ImportArguments, edges: &Path) -> Result<(Value, String), Failure> {
    let names = column_names(&edges.display().to_string(), opened(edges)?)?;
    let named = |of: &[&str]| names.iter().find(|name| of.contains(&name.as_str()));
    let mut pairs = json!({ "file": relative(edges, args.out.as_deref()), "skip_unknown": args.skip_unknown });
    let mut weights = "weights as the file has them".to_owned();
    match (named(&CONTACTS), named(&PRE), named(&POST)) {
        (Some(column), ..) => {
            pairs["columns"] = json!({ "w": column });
            weights = format!("weights from `{column}`");
        }
        // Without a column of contacts, the neurons are all that is read.
        (None, Some(pre), Some(post)) => pairs["columns"] = json!({ "pre": pre, "post": post }),
        _ => {}
    }
    let synapses = json!({
        "name": "synapses", "pre": "brain", "post": "brain", "pairs": pairs, "equations": "w : 1 (constant)",
        "on_pre": "g_post += w*sign_pre*0.275*mV", "delay_ms": 1.8,
    });
    Ok((synapses, weights))
}

/// The source and the synapses that drive the neurons of a condition, which are not refractory.
fn excitation(population: &mut Value, condition: &str, table: &NeuronTable) -> Result<(Value, Value), Failure> {
    let selected = Selection::parse("--excite", condition)?.neurons("--excite", table)?;
    if selected.is_empty() {
        return Err(Failure::Input(format!("--excite: no neuron has all of {condition:?}; correct it")));
    }
    population["equations"] = json!(format!("{MEMBRANE}\nexcited : 1"));
    population["refractory"] = json!("2.2*ms*(1 - excited)");
    population["parameters"]["excited"] = json!(condition);
    let source = json!({ "name": "excite", "type": "poisson", "size": selected.len(), "rate": "150 Hz" });
    let projection = json!({
        "name": "excitation", "pre": "excite", "post": format!("brain[{condition}]"), "connect": { "rule": "one_to_one" },
        "on_pre": "v_post += 68.75*mV",
    });
    Ok((source, projection))
}

/// A network as it is written, and with its files.
fn read(args: &ImportArguments, network: &Value) -> Result<(Network, Network), Failure> {
    let unread = Network::from_json(&network.to_string())?;
    let mut whole = unread.clone();
    source::read_beside(&mut whole, args.out.as_deref().and_then(Path::parent).unwrap_or(Path::new("")))?;
    Ok((unread, whole))
}

fn opened(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| Failure::Input(format!("{} cannot be opened: {error}; check the path", path.display())))
}

/// The column of identifiers.
fn id(table: &NeuronTable, given: Option<&str>, file: &str) -> Result<String, Failure> {
    if let Some(given) = given {
        return Ok(table.texts(given).map(|_| given.to_owned())?);
    }
    let columns: Vec<&str> = table.columns().collect();
    // An index that a program wrote without a name comes first.
    let found = IDS.into_iter().find(|name| columns.contains(name)).or(columns.first().copied().filter(|name| name.is_empty()));
    found.map(str::to_owned).ok_or_else(|| {
        Error::invalid(file, "without a column of identifiers", "none has one of their usual names", "name it by --id").into()
    })
}

/// The signs by the transmitters of the neurons, as `codes` of a table, and what to say of them.
fn signs(table: &NeuronTable) -> Result<(Option<Value>, String), Failure> {
    let Some(column) = TRANSMITTERS.into_iter().find(|name| table.texts(name).is_ok()) else {
        return Ok((None, "all of them are excitatory, since no column has transmitters".to_owned()));
    };
    let is_inhibitory = |text: &str| ["gaba", "glut"].iter().any(|prefix| text.to_ascii_lowercase().starts_with(prefix));
    let inhibitory: Vec<&str> = table.different(column)?.filter(|text| is_inhibitory(text)).collect();
    let count = table.texts(column)?.filter(|text| is_inhibitory(text)).count();
    let values: serde_json::Map<String, Value> = inhibitory.iter().map(|text| ((*text).to_owned(), json!(-1))).collect();
    let said = format!("by `{column}`, {} are inhibitory ({})", grouped(count as u64), inhibitory.join(", "));
    Ok((Some(json!({ "column": column, "values": values, "otherwise": 1 })), said))
}

/// A path as the network names it: relative to its folder if it is there, else absolute.
fn relative(path: &Path, out: Option<&Path>) -> String {
    let whole = absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = out.map(|out| absolute(out).unwrap_or_else(|_| out.to_owned()));
    let inside = folder.as_deref().and_then(Path::parent).and_then(|folder| whole.strip_prefix(folder).ok());
    inside.unwrap_or(&whole).display().to_string()
}
