//! `spikelet export`.

mod sonata;
pub(crate) mod synapses;

use std::io::Write;

use spikelet::{Network, Population, Quantity, World, grouped};
use spikelet_export::{ExportError, Tool};
use spikelet_interchange::nir::Graph;

use crate::args::{ExportArguments, ForeignFormat, Format};
use crate::failure::Failure;
use crate::output::unwritable;
use crate::{files, import, source, terminal};

/// Writes a network in the format of another simulator, and reports what that format does not contain; or all of its synapses.
pub(crate) fn run(args: &ExportArguments) -> Result<(), Failure> {
    match args.format {
        ForeignFormat::World => world(args),
        ForeignFormat::Nir => graph(args),
        ForeignFormat::Brian2 => script(args, Tool::Brian2),
        ForeignFormat::Nest => script(args, Tool::Nest),
        ForeignFormat::Pynn => script(args, Tool::Pynn),
        ForeignFormat::Sonata => sonata::run(args),
        ForeignFormat::NeuroMl => script(args, Tool::NeuroMl),
        ForeignFormat::Npz => synapses::run(args, Format::Npz),
        ForeignFormat::Csv => synapses::run(args, Format::Csv),
        ForeignFormat::Parquet => synapses::run(args, Format::Parquet),
    }
}

fn world(args: &ExportArguments) -> Result<(), Failure> {
    let network = source::unchanged(&args.network, args.scale)?;
    let world = World::of(&network).map_err(|lack| {
        Failure::Input(format!("{} cannot be written as a configuration of 4D-Neural-Cognition: {lack}", network.name))
    })?;
    let lost = left_out(&network);
    if !lost.is_empty() {
        terminal::notice(&format_args!("a configuration does not contain {}", lost.join(", ")));
    }
    import::write(args.out.as_deref(), &world.to_json())
}

fn graph(args: &ExportArguments) -> Result<(), Failure> {
    let Some(out) = &args.out else {
        return Err(Failure::Input(
            "a graph of NIR is not text and cannot be printed; name a file with --out, such as --out net.nir".into(),
        ));
    };
    let network = source::with_files(&args.network, args.scale)?;
    let refused = |error| Failure::Input(format!("{} cannot be written as a graph of NIR: {error}", network.name));
    let (graph, notices) = Graph::of(&network).map_err(refused)?;
    for notice in &notices {
        terminal::notice(&format_args!("{}: {notice}", notice.path));
    }
    import::write_bytes(out, &graph.to_bytes(true).map_err(refused)?)
}

/// Writes a folder with a script and what it reads.
fn script(args: &ExportArguments, tool: Tool) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        let example = tool.word();
        let why = match tool {
            Tool::NeuroMl => "a network for NeuroML is written to a folder",
            _ => "a script has its values beside it",
        };
        return Err(Failure::Input(format!("{why}; name a folder with --out, such as --out {example}")));
    };
    let network = source::with_files(&args.network, args.scale)?;
    synapses::open((folder, "--out"))?;
    let export = tool.export(&network).map_err(|error| match error {
        ExportError::Network(error) => error.into(),
        other => Failure::Input(other.to_string()),
    })?;
    for notice in &export.notices {
        terminal::notice(notice);
    }
    for (name, content) in &export.files {
        let path = folder.join(name);
        let written = files::write(&path, |file| file.write_all(content));
        written.map_err(|error| unwritable(&path, "--out", &error))?;
    }
    let [(script, _), (values, _)] = &export.files[..] else {
        // A single file has the values in it.
        let files = export.files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect::<Vec<_>>().join(", ");
        return terminal::print(&format_args!("{files}: {} values of neurons and synapses", grouped(export.values)));
    };
    terminal::print(&format_args!(
        "{}: run it with Python and {}\n{}: {} values",
        folder.join(script).display(),
        tool.title(),
        folder.join(values).display(),
        grouped(export.values)
    ))
}

/// What a configuration of a world does not contain.
fn left_out(network: &Network) -> Vec<&'static str> {
    let plain = Network::default();
    let is_array = |of: &Population| of.initial.get("value").is_some_and(|value| *value != Quantity::from("0 mV"));
    let parts = [
        ("the arrays of senses", network.populations.iter().any(is_array)),
        ("the duration", network.duration_ms != plain.duration_ms),
        ("the seed", network.seed != plain.seed),
        ("recordings", !network.recordings.is_empty()),
        ("statistics", !network.statistics.is_empty()),
        ("changes", !network.changes.is_empty()),
        ("stop conditions", !network.stop.is_empty()),
    ];
    parts.into_iter().filter_map(|(part, is_there)| is_there.then_some(part)).collect()
}
