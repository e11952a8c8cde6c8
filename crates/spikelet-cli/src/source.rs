//! Reading of networks.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, absolute};

use spikelet::{BuildOptions, Error, FileContent, Network, catalogue, human};
use spikelet_interchange::import;

use crate::args::NetworkSettings;
use crate::failure::Failure;
use crate::terminal;

/// Maximum length of a network file in bytes: a longer file is something else, or endless.
const LONGEST: u64 = 1 << 28;

/// The network of a file with the files that it names, or of the catalogue at scale 1; else all errors.
pub(crate) fn checked(name: &str, options: BuildOptions) -> Result<Network, Failure> {
    if !is_file(name) {
        return of_catalogue(name, 1.0);
    }
    let path = Path::new(name);
    let mut network = json(path)?;
    let found = spikelet::diagnose(&network, options);
    if !found.is_empty() {
        return Err(Failure::of_all(Some(path), &found));
    }
    read_files(&mut network)?;
    Ok(network)
}

/// The error for an unknown network name.
pub(crate) fn refused(name: &str, error: &Error) -> Failure {
    Failure::of_all(is_file(name).then_some(Path::new(name)), std::slice::from_ref(error))
}

/// Whether a file is meant: names of the catalogue have neither an extension nor a folder. A folder with the name of a network has its results.
pub(crate) fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() && !is_folder_too(name) || path.extension().is_some() || path.components().count() > 1
}

/// Whether a network of the catalogue has the name of a folder here.
fn is_folder_too(name: &str) -> bool {
    Path::new(name).is_dir() && catalogue::entry(name).is_ok()
}

/// The network of the catalogue; a folder of its name is left alone, with a notice.
fn of_catalogue(name: &str, scale: f64) -> Result<Network, Failure> {
    if is_folder_too(name) {
        terminal::notice(&format_args!(
            "{name} is the network of the catalogue; a file in the folder {name} is {name}/network.json"
        ));
    }
    Ok(catalogue::network(name, scale)?)
}

/// The text of a file of a `kind`, such as network, for errors.
pub(crate) fn text_of(path: &Path, kind: &str) -> Result<String, Failure> {
    text(path).map_err(|error| unread(path, kind, &error))
}

/// The content of a binary file of limited length, of a `kind`, such as graph, for errors.
pub(crate) fn bytes_of(path: &Path, kind: &str) -> Result<Vec<u8>, Failure> {
    let read = open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    });
    read.map_err(|error| unread(path, kind, &error))
}

/// The error for a file that cannot be read.
fn unread(path: &Path, kind: &str, error: &io::Error) -> Failure {
    let name = path.display();
    Failure::Input(match error.kind() {
        ErrorKind::NotFound => format!("there is no file {name}; check the path, or see `spikelet list networks`"),
        ErrorKind::InvalidData => format!("{name} is not text; a {kind} must be a JSON file in UTF-8"),
        ErrorKind::FileTooLarge => {
            let most = human(LONGEST);
            format!("{name} is longer than {most}, the maximum of a {kind} file; put lists of edges into separate files")
        }
        ErrorKind::IsADirectory => format!("{name} is a folder; name the JSON file in it"),
        _ => format!("{name} cannot be read: {error}; check its permissions"),
    })
}

/// The network of a file, possibly invalid; the files that it names are not read yet.
fn json(path: &Path) -> Result<Network, Failure> {
    refuse_other(path, &[])?;
    let text = text_of(path, "network")?;
    refuse_other(path, text.as_bytes())?;
    let mut network = Network::from_json_unchecked(&text).map_err(|error| Failure::of_file(path, &error))?;
    // Makes paths absolute, so that a copy of the network in another folder finds its files.
    let folder = path.parent().unwrap_or(Path::new(""));
    network.rename_files(&mut |file| whole(&folder.join(file)));
    Ok(network)
}

/// Rejects a file of another tool, as far as its name and content say.
fn refuse_other(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    import::format_of(&name, content).filter(|_| path.is_file()).map_or(Ok(()), |format| {
        let sentence = format!("{name} is {}; make a network of it: `spikelet import {name} --out net.json`", format.name());
        Err(Failure::Input(sentence))
    })
}

/// A text of limited length. Binary data are read only to the first zero byte: they may be endless.
fn text(path: &Path) -> io::Result<String> {
    let (mut file, mut read, mut page) = (open(path)?, Vec::new(), vec![0; 1 << 16]);
    loop {
        let new = match file.read(&mut page) {
            Ok(0) => break,
            Ok(count) => &page[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if new.contains(&0) {
            return Err(ErrorKind::InvalidData.into());
        }
        if (read.len() + new.len()) as u64 > LONGEST {
            return Err(ErrorKind::FileTooLarge.into());
        }
        read.extend_from_slice(new);
    }
    String::from_utf8(read).map_err(|_| ErrorKind::InvalidData.into())
}

/// Opens a file. A pipe may wait long for its writer.
fn open(path: &Path) -> io::Result<File> {
    if is_pipe(path) {
        terminal::notice(&format_args!("{} is a pipe; waiting for its end", path.display()));
    }
    File::open(path)
}

/// Whether it can be read only once.
pub(crate) fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    return fs::metadata(path).is_ok_and(|of| std::os::unix::fs::FileTypeExt::is_fifo(&of.file_type()));
    #[cfg(not(unix))]
    {
        _ = path;
        false
    }
}

/// An absolute path.
fn whole(path: &Path) -> String {
    absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn read_files(network: &mut Network) -> Result<(), Failure> {
    Ok(network.resolve(&mut content)?)
}

/// Reads the files of a network that will be in this folder.
pub(crate) fn read_beside(network: &mut Network, folder: &Path) -> Result<(), Failure> {
    network.rename_files(&mut |file| whole(&folder.join(file)));
    read_files(network)
}

/// The content of a file that a network names.
fn content(name: &str) -> FileContent<'static> {
    match open(Path::new(name)) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err("there is no such file".to_owned()),
        Err(error) => Err(format!("it cannot be opened: {error}")),
    }
}

/// A network with its tables of neurons, but without its other files.
pub(crate) fn with_tables(name: &str) -> Result<Network, Failure> {
    let mut network = unchanged(name, None)?;
    network.read_tables(&mut content)?;
    Ok(network)
}

/// A network of a file, or of the catalogue at a scale.
pub(crate) fn unchanged(name: &str, scale: Option<f64>) -> Result<Network, Failure> {
    if !is_file(name) {
        return of_catalogue(name, scale.unwrap_or(1.0));
    }
    let path = Path::new(name);
    if let Some(scale) = scale {
        return Err(Failure::Input(format!(
            "--scale {scale} needs a network of the catalogue, and {} is a file; set the sizes with --set, such as --set \
             E.size=1000",
            path.display()
        )));
    }
    let network = json(path)?;
    network.validate().map_err(|error| Failure::of_file(path, &error))?;
    Ok(network)
}

/// The same, with the files that it names.
pub(crate) fn with_files(name: &str, scale: Option<f64>) -> Result<Network, Failure> {
    let mut network = unchanged(name, scale)?;
    read_files(&mut network)?;
    Ok(network)
}

/// The network of a run that is continued, with the files that it names.
pub(crate) fn resumed(json: &str) -> Result<Network, Failure> {
    let mut network = Network::from_json_unchecked(json)?;
    network.validate()?;
    read_files(&mut network)?;
    Ok(network)
}

/// The network of the command line, with its settings applied in the order: `--edges`, `--learned`, time step, time, seed, `--set`, `--silence`,
/// `--at`, `--stop`.
pub(crate) fn network(name: &str, settings: &NetworkSettings) -> Result<Network, Failure> {
    let mut network = unchanged(name, settings.scale)?;
    for (projection, file) in &settings.edges {
        network.attach(projection, &whole(Path::new(file)))?;
    }
    for (projection, file) in &settings.learned {
        network.attach_learned(projection, &whole(Path::new(file)))?;
    }
    read_files(&mut network)?;
    let numbers = [
        ("dt_ms", settings.dt.map(|ms| ms.to_string())),
        ("duration_ms", settings.time.map(|ms| ms.to_string())),
        ("seed", settings.seed.map(|seed| seed.to_string())),
    ];
    for (path, value) in numbers {
        if let Some(value) = value {
            network.set(path, &value)?;
        }
    }
    for (path, value) in &settings.set {
        network.set(path, value)?;
    }
    for neurons in &settings.silence {
        network.silence_neurons(neurons)?;
    }
    for change in &settings.at {
        network.add_change(change.clone())?;
    }
    for condition in &settings.stop {
        network.add_stop(condition)?;
    }
    Ok(network)
}
