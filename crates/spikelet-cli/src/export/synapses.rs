//! `spikelet export --format npz|csv`: all synapses of a network as files of edges.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use spikelet::{BuildOptions, Builder, EdgeTable, Network, grouped};

use crate::args::{ExportArguments, Format};
use crate::failure::Failure;
use crate::output::unwritable;
use crate::{device, files, memory, source, terminal};

/// The network that reads the other files.
const NETWORK: &str = "network.json";

/// Writes a folder with a file for each projection, and the network that reads them: it has the same spikes.
pub(super) fn run(args: &ExportArguments, format: Format) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        return Err(Failure::Input(
            "synapses are written to several files; name a folder with --out, such as --out synapses".into(),
        ));
    };
    let network = source::with_files(&args.network, args.scale)?;
    if network.projections.is_empty() {
        return Err(Failure::Input(format!("{} has no projections, and so no synapses to write", network.name)));
    }
    for (index, projection) in network.projections.iter().enumerate() {
        check_is_file_name(index, &projection.name)?;
    }
    let options = BuildOptions { threads: device::build_threads(None), memory: memory::free(), ..BuildOptions::default() };
    let plan = Arc::new(Builder::new(&network, options)?.finish()?);
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, "--out", &error))?;
    let (network, mut with_files) = (Arc::new(network), source::unchanged(&args.network, args.scale)?);
    for projection in &network.projections {
        let table = EdgeTable::new(network.clone(), plan.clone(), &projection.name, None)?;
        let name = format!("{}.{}", projection.name, extension(format));
        write(&table, &folder.join(&name), format)?;
        table.attach(&mut with_files, &name)?;
        terminal::print(&format_args!("{name}: {} synapses", grouped(table.len())))?;
    }
    write_network(&with_files, &folder.join(NETWORK))
}

/// Rejects a name that would be a file of another folder.
fn check_is_file_name(index: usize, name: &str) -> Result<(), Failure> {
    if !name.contains(['/', '\\']) && Path::new(name).file_name().is_some_and(|file| file == name) {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "projections[{index}].name is {name:?}, but its synapses are written to a file of this name, which has no / and no \\; rename it"
    )))
}

/// The extension of the files of a format.
fn extension(format: Format) -> &'static str {
    match format {
        Format::Npz => "npz",
        Format::Csv => "csv",
    }
}

fn write(table: &EdgeTable, path: &Path, format: Format) -> Result<(), Failure> {
    let written = files::write(path, |file| match format {
        Format::Npz => table.write_npz(file).map(drop),
        Format::Csv => table.write_csv(file),
    });
    written.map_err(|error| unwritable(path, "--out", &error))
}

fn write_network(network: &Network, path: &Path) -> Result<(), Failure> {
    files::write(path, |file| writeln!(file, "{}", network.to_json())).map_err(|error| unwritable(path, "--out", &error))
}
