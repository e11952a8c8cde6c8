//! `spikelet export`.

pub(crate) mod synapses;

use std::io::Write;
use std::path::PathBuf;

use spikelet::{Network, Population, Quantity, World};
use spikelet_export::{Export, ExportError, ExportedFile, Tool};

use crate::args::{ExportArguments, ForeignFormat, Format};
use crate::failure::Failure;
use crate::output::unwritable;
use crate::overlap::{self, FileRole};
use crate::{files, import, source, terminal};

/// Writes a network in the format of another simulator, and reports what that format does not contain; or all of its synapses.
pub(crate) fn run(args: &ExportArguments) -> Result<(), Failure> {
    match args.format {
        ForeignFormat::World => world(args),
        ForeignFormat::Nir => graph(args),
        ForeignFormat::Brian2 => folder(args, Tool::Brian2),
        ForeignFormat::Nest => folder(args, Tool::Nest),
        ForeignFormat::Pynn => folder(args, Tool::Pynn),
        ForeignFormat::Sonata => folder(args, Tool::Sonata),
        ForeignFormat::NeuroMl => folder(args, Tool::NeuroMl),
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
    check_overlap(args, args.out.iter())?;
    import::write(args.out.as_deref(), &world.to_json())
}

fn graph(args: &ExportArguments) -> Result<(), Failure> {
    let Some(out) = &args.out else {
        return Err(Failure::Input(
            "a graph of NIR is not text and cannot be printed; name a file with --out, such as --out net.nir".into(),
        ));
    };
    let export = exported(args, Tool::Nir)?;
    check_overlap(args, [out])?;
    import::write_bytes(out, &export.files[0].content)
}

/// Writes a folder with the files of a network.
fn folder(args: &ExportArguments, tool: Tool) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        let (title, example) = (tool.title(), tool.word());
        return Err(Failure::Input(format!(
            "a network for {title} is written to a folder; name a folder with --out, such as --out {example}"
        )));
    };
    synapses::open((folder, "--out"))?;
    let export = exported(args, tool)?;
    let paths: Vec<PathBuf> = export.files.iter().map(|file| folder.join(&file.name)).collect();
    check_overlap(args, &paths)?;
    for ExportedFile { name, content, about } in &export.files {
        let path = folder.join(name);
        let written = files::write(&path, |file| file.write_all(content));
        written.map_err(|error| unwritable(&path, "--out", &error))?;
        if !about.is_empty() {
            terminal::print(&format_args!("{}: {about}", path.display()))?;
        }
    }
    Ok(())
}

/// Rejects files that would replace the network or what it names.
fn check_overlap<'a>(args: &ExportArguments, written: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    let written: Vec<FileRole> = written.into_iter().map(|path| FileRole::new(path, "--out")).collect();
    overlap::check(&overlap::of_network(&args.network, &source::unchanged(&args.network, args.scale)?), &written, None)
}

/// The files of the network; says what they leave out.
fn exported(args: &ExportArguments, tool: Tool) -> Result<Export, Failure> {
    let network = source::with_files(&args.network, args.scale)?;
    let export = tool.export(&network).map_err(|error| match error {
        ExportError::Network(error) => error.into(),
        other => Failure::Input(other.to_string()),
    })?;
    for notice in &export.notices {
        terminal::notice(notice);
    }
    Ok(export)
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
