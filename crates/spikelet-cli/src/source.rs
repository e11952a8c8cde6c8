//! Where a network comes from.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use spikelet::{Network, catalogue};

use crate::args::Run;
use crate::failure::Failure;

/// The network of a file.
pub(crate) fn file(path: &Path) -> Result<Network, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        let name = path.display();
        Failure::Input(match error.kind() {
            ErrorKind::NotFound => format!("there is no file {name}; check the path, or see `spikelet list networks`"),
            ErrorKind::InvalidData => format!("{name} is not text; a network is a JSON file in UTF-8"),
            ErrorKind::IsADirectory => format!("{name} is a folder; name the JSON file in it"),
            _ => format!("{name} cannot be read: {error}; check that you may read it"),
        })
    })?;
    Network::from_json(&text).map_err(|error| Failure::of_file(path, &error))
}

/// The network of the command line, with its settings applied in the order: time step, time, seed, `--set`, `--at`, `--stop`.
pub(crate) fn network(args: &Run) -> Result<Network, Failure> {
    let path = Path::new(&args.network);
    // A name of the catalogue has neither an ending nor a folder.
    let is_file = path.exists() || path.extension().is_some() || path.components().count() > 1;
    let mut network = if is_file {
        if let Some(scale) = args.scale {
            return Err(Failure::Input(format!(
                "--scale {scale} goes with a network of the catalogue, and {} is a file; set the sizes with --set, \
                 such as --set E.size=1000",
                path.display()
            )));
        }
        file(path)?
    } else {
        catalogue::network(&args.network, args.scale.unwrap_or(1.0))?
    };

    let numbers = [
        ("dt_ms", args.dt.map(|ms| ms.to_string())),
        ("duration_ms", args.time.map(|ms| ms.to_string())),
        ("seed", args.seed.map(|seed| seed.to_string())),
    ];
    for (path, value) in numbers {
        if let Some(value) = value {
            network.set(path, &value)?;
        }
    }
    for (path, value) in &args.set {
        network.set(path, value)?;
    }
    for change in &args.at {
        network.add_change(change.at_ms, &change.path, &change.value)?;
    }
    for condition in &args.stop {
        network.add_stop(condition)?;
    }
    Ok(network)
}
