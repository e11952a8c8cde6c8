//! `spikelet import`.

mod tables;

use std::io::Write;
use std::path::Path;

use spikelet::Network;
use spikelet::judge::judge;
use spikelet_interchange::import::{self, File, Imported};
use spikelet_interchange::nir::{Import, Reset};
use spikelet_native::project::ProjectFolder;

use crate::args::{GraphReset, ImportArguments};
use crate::failure::Failure;
use crate::overlap::{self, FileRole};
use crate::terminal::{self, print};
use crate::{files, source};

/// From this number of synapses on a network is written without line breaks, which would be most of the file.
const MANY: usize = 10_000;

/// Reads a file of another tool, reports what differs from there, and writes the network.
pub(crate) fn run(args: &ImportArguments) -> Result<(), Failure> {
    if let Some(edges) = &args.edges {
        let read = [FileRole::new(&args.file, "the table of neurons"), FileRole::new(edges, "the file of --edges")];
        let written: Vec<FileRole> = args.out.iter().map(|path| FileRole::new(path, "--out")).collect();
        overlap::check(&read, &written, None)?;
        return write(args.out.as_deref(), &tables::network(args, edges)?.to_json());
    }
    let bytes = source::bytes_of(&args.file, "model")?;
    let name = args.file.to_string_lossy().replace('\\', "/");
    let is_graph = import::format_of(&name, &bytes).is_some_and(|format| format.name() == "a graph of NIR");
    let of_graphs = [("--dt", args.dt.is_some()), ("--reset", args.reset.is_some()), ("--input", args.input.is_some())];
    if let (Some((option, _)), false) = (of_graphs.iter().find(|(_, is_given)| *is_given), is_graph) {
        return Err(Failure::Input(format!("{option} is for graphs of NIR, and {} is none; leave it out", args.file.display())));
    }
    let graph = graph_options(args)?;
    let project = ProjectFolder::of(&args.file, args.root.as_deref()).map_err(Failure::Input)?;
    let mut read = vec![FileRole::new(&args.file, "the model")];
    read.extend(args.input.as_ref().map(|path| FileRole::new(path, "the file of --input")));
    let mut open = |path: &str| {
        read.push(FileRole::new(project.path(path), "a file of the model"));
        project.read(path)
    };
    let check = |network: &Network| judge(network, None, &[]).network;
    let opened = import::open(File { name: &project.file, bytes, graph, open: &mut open, check: &check });
    let Imported { network, notices, .. } = opened.map_err(|error| Failure::of_file(&args.file, &error))?;
    let written: Vec<FileRole> = args.out.iter().map(|path| FileRole::new(path, "--out")).collect();
    overlap::check(&read, &written, None)?;
    for notice in &notices {
        terminal::notice(&format_args!("{}: {notice}", notice.path));
    }
    write(args.out.as_deref(), &text(&network))
}

/// How a graph becomes a network.
fn graph_options(args: &ImportArguments) -> Result<Import, Failure> {
    let stem = args.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let default = Import::default();
    Ok(Import {
        name: stem.unwrap_or_else(|| default.name.clone()),
        dt_ms: args.dt.unwrap_or(default.dt_ms),
        reset: match args.reset {
            None => default.reset,
            Some(GraphReset::Value) => Reset::ToValue,
            Some(GraphReset::Subtract) => Reset::Subtract,
        },
        input: args.input.as_deref().map_or(Ok(Vec::new()), spikes)?,
        ..default
    })
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
