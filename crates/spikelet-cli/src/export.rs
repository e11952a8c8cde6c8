//! `spikelet export`.

mod brian;
pub(crate) mod synapses;

use spikelet::{Network, Population, Quantity, World};
use spikelet_interchange::nir::Graph;

use crate::args::{ExportArguments, ForeignFormat, Format};
use crate::failure::Failure;
use crate::{import, source, terminal};

/// Writes a network in the format of another simulator, and reports what that format does not contain; or all of its synapses.
pub(crate) fn run(args: &ExportArguments) -> Result<(), Failure> {
    match args.format {
        ForeignFormat::World => world(args),
        ForeignFormat::Nir => graph(args),
        ForeignFormat::Brian2 => brian::run(args),
        ForeignFormat::Npz => synapses::run(args, Format::Npz),
        ForeignFormat::Csv => synapses::run(args, Format::Csv),
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
