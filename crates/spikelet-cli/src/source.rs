//! Where a network comes from.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, absolute};

use spikelet::{LearnedFile, Network, Pairs, catalogue};

use crate::args::Run;
use crate::failure::Failure;

/// The network of a file, with what is in the files that it names, or of the catalogue at a scale of 1.
pub(crate) fn named(name: &str) -> Result<Network, Failure> {
    if !is_file(name) {
        return Ok(catalogue::network(name, 1.0)?);
    }
    let mut network = json(Path::new(name))?;
    read_files(&mut network)?;
    Ok(network)
}

/// Whether a file is meant: a name of the catalogue has neither an ending nor a folder.
fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() || path.extension().is_some() || path.components().count() > 1
}

/// The network of a file; other files that it names are still to be read.
fn json(path: &Path) -> Result<Network, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        let name = path.display();
        Failure::Input(match error.kind() {
            ErrorKind::NotFound => format!("there is no file {name}; check the path, or see `spikelet list networks`"),
            ErrorKind::InvalidData => format!("{name} is not text; a network is a JSON file in UTF-8"),
            ErrorKind::IsADirectory => format!("{name} is a folder; name the JSON file in it"),
            _ => format!("{name} cannot be read: {error}; check that you may read it"),
        })
    })?;
    let mut network = Network::from_json(&text).map_err(|error| Failure::of_file(path, &error))?;
    // A network that is written to another folder still finds its files.
    let folder = path.parent().unwrap_or(Path::new(""));
    for projection in &mut network.projections {
        if let Some(file) = projection.pairs.as_ref().and_then(Pairs::unread) {
            projection.pairs = Some(Pairs::file(whole(&folder.join(file))));
        }
        if let Some(file) = projection.learned.as_ref().and_then(LearnedFile::unread) {
            projection.learned = Some(LearnedFile::new(whole(&folder.join(file))));
        }
    }
    Ok(network)
}

/// A path that does not depend on the folder one stands in.
fn whole(path: &Path) -> String {
    absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn read_files(network: &mut Network) -> Result<(), Failure> {
    let mut open = |name: &str| match File::open(name) {
        Ok(file) => Ok(Box::new(file) as Box<dyn Read>),
        Err(error) if error.kind() == ErrorKind::NotFound => Err("there is no such file".to_owned()),
        Err(error) => Err(format!("it cannot be opened: {error}")),
    };
    Ok(network.resolve(&mut open)?)
}

/// The network of the command line, with its settings applied in the order: `--edges`, `--learned`, time step, time, seed, `--set`, `--at`, `--stop`.
pub(crate) fn network(args: &Run) -> Result<Network, Failure> {
    let path = Path::new(&args.network);
    let mut network = if is_file(&args.network) {
        if let Some(scale) = args.scale {
            return Err(Failure::Input(format!(
                "--scale {scale} goes with a network of the catalogue, and {} is a file; set the sizes with --set, \
                 such as --set E.size=1000",
                path.display()
            )));
        }
        json(path)?
    } else {
        catalogue::network(&args.network, args.scale.unwrap_or(1.0))?
    };

    for (projection, file) in &args.edges {
        network.attach(projection, &whole(Path::new(file)))?;
    }
    for (projection, file) in &args.learned {
        network.attach_learned(projection, &whole(Path::new(file)))?;
    }
    read_files(&mut network)?;
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
        network.add_change(change.clone())?;
    }
    for condition in &args.stop {
        network.add_stop(condition)?;
    }
    Ok(network)
}
