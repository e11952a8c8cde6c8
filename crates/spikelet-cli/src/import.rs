//! `spikelet import`.

use std::io::Write;
use std::path::Path;

use spikelet::World;

use crate::args::ImportArguments;
use crate::failure::Failure;
use crate::terminal::{self, print};
use crate::{files, source};

/// Reads a file of another simulator, reports what differs from there, and writes the network.
pub(crate) fn run(args: &ImportArguments) -> Result<(), Failure> {
    let text = source::text_of(&args.file, "configuration")?;
    let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
    // Malformed JSON has a better error below.
    if is_json && !World::is_configuration(&text) {
        return Err(Failure::Input(format!(
            "{} is of no format that can be imported: a configuration of 4D-Neural-Cognition is JSON with the key \
             `lattice_shape`; `spikelet run` reads networks",
            args.file.display()
        )));
    }
    let refused = |error| Failure::of_file(&args.file, &error);
    let (world, notices) = World::from_json(&text).map_err(refused)?;
    let network = world.network();
    network.validate().map_err(refused)?;
    for notice in &notices {
        terminal::notice(&format_args!("{}: {notice}", notice.path));
    }
    write(args.out.as_deref(), &network.to_json())
}

/// Writes a text to a file, or prints it.
pub(crate) fn write(out: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = out else { return print(&text) };
    let written = files::write(path, |file| writeln!(file, "{text}"));
    written.map_err(|error| Failure::Run(format!("{} cannot be written: {error}; choose another place", path.display())))
}
