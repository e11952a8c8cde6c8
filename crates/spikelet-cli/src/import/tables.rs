//! `spikelet import neurons.csv --edges connections.csv`: a network of the two tables of a connectome.
//!
//! Its cells and numbers are those of the model of the whole fly of Shiu et al. 2024 (Nature 634:210), whose stimulated neurons are not
//! refractory.

use std::fs::File;
use std::path::{Path, absolute};

use serde_json::{Value, json};
use spikelet::edges::column_names;
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

/// The network of a table of neurons and one of edges, with its files read.
pub(super) fn network(args: &ImportArguments, edges: &Path) -> Result<Network, Failure> {
    let [neurons_name, edges_name] = [&args.file, edges].map(|path| path.display().to_string());
    let open = |path: &Path| {
        File::open(path).map_err(|error| Failure::Input(format!("{} cannot be opened: {error}; check the path", path.display())))
    };
    let table = NeuronTable::read(&neurons_name, open(&args.file)?, None)?;
    let id = id(&table, args.id.as_deref(), &neurons_name)?;
    let (signs, said) = signs(&table)?;
    let names = column_names(&edges_name, open(edges)?)?;
    let contacts = CONTACTS.into_iter().find(|name| names.iter().any(|column| column == name));
    let weight = match contacts {
        Some(column) => format!("weights from `{column}`"),
        None if names.is_empty() => "weights from the third column, if there is one".to_owned(),
        None => "one contact for each edge, since no column has their number".to_owned(),
    };
    let mut pairs = json!({ "file": relative(edges, args.out.as_deref()), "skip_unknown": args.skip_unknown });
    let mut projection = json!({
        "name": "synapses", "pre": "brain", "post": "brain", "delay_ms": 1.8, "equations": "w : 1 (constant)",
        "on_pre": "g_post += w*sign_pre*0.275*mV",
    });
    match contacts {
        Some(column) => pairs["columns"] = json!({ "w": column }),
        None if names.is_empty() => {}
        None => {
            // Without a column of values, the neurons are all that is read.
            let named = |of: &[&str]| names.iter().find(|name| of.contains(&name.as_str())).cloned();
            if let (Some(pre), Some(post)) = (named(&spikelet::edges::PRE), named(&spikelet::edges::POST)) {
                pairs["columns"] = json!({ "pre": pre, "post": post });
            }
            projection["parameters"] = json!({ "w": 1 });
        }
    }
    projection["pairs"] = pairs;
    let mut neurons = json!({ "file": relative(&args.file, args.out.as_deref()), "id": id });
    let mut parameters = json!({});
    let declared = match signs {
        Some(codes) => {
            neurons["codes"] = json!({ "sign": codes });
            "\nsign : 1"
        }
        None => {
            parameters["sign"] = json!(1);
            "\nsign : 1"
        }
    };
    let membrane = "dv/dt = (g - v - 52*mV)/(20*ms) : volt (unless refractory)\ndg/dt = -g/(5*ms) : volt (unless refractory)";
    let mut population = json!({
        "name": "brain", "size": table.rows(), "neurons": neurons, "equations": format!("{membrane}{declared}"),
        "threshold": "v > -45*mV", "reset": "v = -52*mV; g = 0*mV", "refractory": "2.2*ms", "initial": {"v": "-52 mV"},
    });
    let (mut sources, mut projections) = (Vec::new(), vec![projection]);
    if let Some(condition) = &args.excite {
        let selected = spikelet::selection::Selection::parse("--excite", condition)?.neurons("--excite", &table)?;
        if selected.is_empty() {
            return Err(Failure::Input(format!("--excite: no neuron has all of {condition:?}; correct it")));
        }
        population["equations"] = json!(format!("{membrane}{declared}\nexcited : 1"));
        population["refractory"] = json!("2.2*ms*(1 - excited)");
        parameters["excited"] = json!(condition);
        sources.push(json!({ "name": "excite", "type": "poisson", "size": selected.len(), "rate": "150 Hz" }));
        projections.push(json!({
            "name": "excitation", "pre": "excite", "post": format!("brain[{condition}]"), "connect": {"rule": "one_to_one"},
            "on_pre": "v_post += 68.75*mV",
        }));
    }
    population["parameters"] = parameters;
    let stem = args.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let network = json!({
        "name": stem.split('.').next().unwrap_or("brain"), "dt_ms": 0.1, "duration_ms": 1000,
        "description": "Leaky cells with the numbers of Shiu et al. 2024 (Nature 634:210), made of two tables by spikelet import.",
        "populations": [population], "sources": sources, "projections": projections,
    });
    let read = |network: &Value| -> Result<(Network, Network), Failure> {
        let unread = Network::from_json(&network.to_string())?;
        let mut read = unread.clone();
        let folder = args.out.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        source::read_beside(&mut read, folder)?;
        Ok((unread, read))
    };
    let (mut unread, mut whole) = read(&network)?;
    if !whole.notices_of_files().is_empty() {
        let mut summed = network;
        summed["projections"][0]["pairs"]["sum"] = json!(["w"]);
        (unread, whole) = read(&summed)?;
    }
    let count = whole.projections[0].pairs.as_ref().map_or(0, |pairs| pairs.len());
    terminal::notice(&format_args!(
        "{} neurons by their column `{id}`, {} edges with {weight}; {said}",
        grouped(table.rows() as u64),
        grouped(count as u64)
    ));
    whole.notices_of_files().iter().for_each(terminal::notice);
    if args.excite.is_none() {
        terminal::notice(
            &"nothing drives the neurons; select some of them by --excite, such as --excite \"cell_type == 'sugar'\"",
        );
    }
    Ok(unread)
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
