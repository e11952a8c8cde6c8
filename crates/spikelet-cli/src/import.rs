//! `spikelet import`.

use std::io::Write;
use std::path::Path;

use spikelet::{Network, World};
use spikelet_interchange::nir::{Graph, Import, Reset};

use crate::args::{GraphReset, ImportArguments};
use crate::failure::Failure;
use crate::terminal::{self, print};
use crate::{files, source};

/// The first bytes of an HDF5 file.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";
/// From this number of synapses on a network is written without line breaks, which would be most of the file.
const MANY: usize = 10_000;

/// Reads a file of another simulator, reports what differs from there, and writes the network.
pub(crate) fn run(args: &ImportArguments) -> Result<(), Failure> {
    let bytes = source::bytes_of(&args.file, "graph")?;
    let is_graph = bytes.starts_with(HDF5) || args.file.extension().is_some_and(|extension| extension == "nir");
    let (network, notices) = if is_graph { graph(args, bytes)? } else { world(args, bytes)? };
    for notice in &notices {
        terminal::notice(&format_args!("{}: {notice}", notice.path));
    }
    write(args.out.as_deref(), &text(&network))
}

fn world(args: &ImportArguments, bytes: Vec<u8>) -> Result<(Network, Vec<spikelet::Notice>), Failure> {
    let of_graphs = [("--dt", args.dt.is_some()), ("--reset", args.reset.is_some()), ("--input", args.input.is_some())];
    if let Some((option, _)) = of_graphs.iter().find(|(_, is_given)| *is_given) {
        let file = args.file.display();
        return Err(Failure::Input(format!("{option} is for graphs of NIR, and {file} is none; leave it out")));
    }
    let text = source::text_in(bytes, &args.file, "configuration")?;
    let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
    // Malformed JSON has a better error below.
    if is_json && !World::is_configuration(&text) {
        return Err(Failure::Input(format!(
            "{} is of no format that can be imported: a configuration of 4D-Neural-Cognition is JSON with the key \
             `lattice_shape`, a graph of NIR is HDF5; `spikelet run` reads networks",
            args.file.display()
        )));
    }
    let refused = |error| Failure::of_file(&args.file, &error);
    let (world, notices) = World::from_json(&text).map_err(refused)?;
    let network = world.network();
    network.validate().map_err(refused)?;
    Ok((network, notices))
}

fn graph(args: &ImportArguments, bytes: Vec<u8>) -> Result<(Network, Vec<spikelet::Notice>), Failure> {
    let stem = args.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let default = Import::default();
    let import = Import {
        name: stem.unwrap_or_else(|| default.name.clone()),
        dt_ms: args.dt.unwrap_or(default.dt_ms),
        reset: match args.reset {
            None => default.reset,
            Some(GraphReset::Value) => Reset::ToValue,
            Some(GraphReset::Subtract) => Reset::Subtract,
        },
        input: args.input.as_deref().map_or(Ok(Vec::new()), spikes)?,
        ..default
    };
    let refused = |error| Failure::of_file(&args.file, &error);
    Graph::from_bytes(bytes).map_err(refused)?.network(&import).map_err(refused)
}

/// The spikes of a CSV file with the columns `neuron` and `time_ms`.
fn spikes(path: &Path) -> Result<Vec<(u32, f64)>, Failure> {
    let text = source::text_of(path, "spike")?;
    let wrong = |line: usize, expected: &str| {
        Failure::Input(format!(
            "{}, line {line}: {expected}; the header is `neuron,time_ms`, and a line such as `3,12.5`",
            path.display()
        ))
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let column = |headers: &csv::StringRecord, name: &str| headers.iter().position(|of| of == name);
    let headers = reader.headers().map_err(|_| wrong(1, "a header is expected"))?;
    let (Some(neuron), Some(time)) = (column(headers, "neuron"), column(headers, "time_ms")) else {
        return Err(wrong(1, "the columns neuron and time_ms are expected"));
    };
    let mut spikes = Vec::new();
    for (index, row) in reader.records().enumerate() {
        let found = row.ok().and_then(|row| Some((row.get(neuron)?.parse().ok()?, row.get(time)?.parse().ok()?)));
        spikes.push(found.ok_or_else(|| wrong(index + 2, "a neuron and a time are expected"))?);
    }
    Ok(spikes)
}

fn text(network: &Network) -> String {
    let synapses: usize =
        network.projections.iter().map(|projection| projection.pairs.as_ref().map_or(0, |pairs| pairs.len())).sum();
    let compact = (synapses >= MANY).then(|| serde_json::to_string(network).ok()).flatten();
    compact.unwrap_or_else(|| network.to_json())
}

/// Writes a text to a file, or prints it.
pub(crate) fn write(out: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = out else { return print(&text) };
    write_bytes(path, &[text.as_bytes(), b"\n"].concat())
}

/// Writes a file.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = files::write(path, |file| file.write_all(bytes));
    written.map_err(|error| Failure::Run(format!("{} cannot be written: {error}; choose another place", path.display())))
}
