//! `spikelet export --format npz|csv|parquet` and `spikelet run --save-synapses`: all synapses of a network as files of edges.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use spikelet::{BuildOptions, Builder, EdgeTable, Error, Network, Projection, grouped};
use spikelet_native::memory;

use crate::args::{ExportArguments, Format};
use crate::failure::Failure;
use crate::output::{self, Cell, Column, Kind, Table, unwritable};
use crate::overlap::{self, FileRole};
use crate::{device, files, source, terminal};

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
    check_names(&network)?;
    open((folder, "--out"))?;
    overlap::check(&overlap::of_network(&args.network, &network), &written_files((folder, "--out"), format, &network), None)?;
    let options = BuildOptions { threads: device::build_threads(None), memory: memory::free(), ..BuildOptions::default() };
    let plan = Arc::new(Builder::new(&network, options)?.finish()?);
    let network = Arc::new(network);
    let table = |projection: &Projection| EdgeTable::new(network.clone(), plan.clone(), &projection.name, None);
    let tables = network.projections.iter().map(table);
    let with_files = source::unchanged(&args.network, args.scale)?;
    write_folder((folder, "--out"), format, with_files, tables, &mut |name, count| {
        terminal::print(&format_args!("{name}: {} synapses", grouped(count)))
    })
}

/// Creates a folder that an option names if necessary; checks that it is writable.
pub(crate) fn open((folder, option): (&Path, &str)) -> Result<(), Failure> {
    let opened = fs::create_dir_all(folder).and_then(|()| files::check_writable(&folder.join(NETWORK)));
    opened.map_err(|error| unwritable(folder, option, &error))
}

/// The files of a folder that an option names.
pub(crate) fn written_files((folder, option): (&Path, &str), format: Format, network: &Network) -> Vec<FileRole> {
    let tables = network.projections.iter().map(|projection| file_name(&projection.name, format));
    tables.chain([NETWORK.to_owned()]).map(|name| FileRole::new(folder.join(name), option)).collect()
}

/// The name of the file of a projection.
fn file_name(projection: &str, format: Format) -> String {
    format!("{projection}.{}", extension(format))
}

/// Writes an [`open`] folder, with the option that names it: each table as a file, and the network with these files. `written` gets
/// the name and number of synapses of each.
pub(crate) fn write_folder(
    (folder, option): (&Path, &str),
    format: Format,
    mut network: Network,
    tables: impl Iterator<Item = Result<EdgeTable, Error>>,
    written: &mut dyn FnMut(&str, u64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for table in tables {
        let table = table?;
        let name = file_name(table.projection(), format);
        let path = folder.join(&name);
        let done = files::write(&path, |file| match format {
            Format::Npz => table.write_npz(file).map(drop),
            Format::Csv => table.write_csv(file),
            Format::Parquet => write_parquet(&table, file, &network),
        });
        done.map_err(|error| unwritable(&path, option, &error))?;
        table.attach(&mut network, &name)?;
        written(&name, table.len())?;
    }
    let path = folder.join(NETWORK);
    files::write(&path, |file| writeln!(file, "{}", network.to_json())).map_err(|error| unwritable(&path, option, &error))
}

/// The columns of the other formats.
fn write_parquet(table: &EdgeTable, file: impl Write + Send, network: &Network) -> io::Result<()> {
    let values = table.columns().iter().map(|column| Column::new(column.header(), Kind::F64).in_unit(&column.unit));
    let columns = ["pre", "post"].map(|name| Column::new(name, Kind::U32)).into_iter().chain(values).collect::<Vec<_>>();
    let about = [("projection", table.projection().to_owned())].into_iter().chain(output::about(network));
    let mut out = Table::new(file, &columns, &about.collect::<Vec<_>>())?;
    table.for_each(&mut |part| {
        for (edge, (pre, post)) in part.pre.iter().zip(&part.post).enumerate() {
            let values = part.values.iter().map(|values| Cell::F64(values[edge]));
            out.row([Cell::U32(*pre), Cell::U32(*post)].into_iter().chain(values))?;
        }
        Ok(())
    })?;
    out.finish()
}

/// Rejects a network without projections, or with one whose name is not that of a file.
pub(crate) fn check_names(network: &Network) -> Result<(), Failure> {
    if network.projections.is_empty() {
        return Err(Failure::Input(format!("{} has no projections, and so no synapses to write", network.name)));
    }
    network.projections.iter().enumerate().try_for_each(|(index, projection)| check_is_file_name(index, &projection.name))
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
        Format::Parquet => "parquet",
    }
}
