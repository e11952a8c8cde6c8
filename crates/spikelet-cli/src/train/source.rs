//! The training of the command line, with its data.

use std::fs;
use std::path::Path;

use spikelet::{BuildOptions, Error};
use spikelet_train::{Data, Dataset, Method, Training, preset};

use crate::args::TrainArguments;
use crate::failure::Failure;
use crate::overlap::{self, FileRole};
use crate::source;
use crate::train::folder::TrainingFolder;

/// A training with the options of the command line, and its data.
pub(super) fn training(args: &TrainArguments) -> Result<(Training, Dataset), Failure> {
    let mut read = Vec::new();
    let (mut training, file) = named(&args.training, args.method.map(Into::into), &mut read)?;
    if let Some(epochs) = args.epochs {
        training.epochs = epochs.get();
    }
    if let Some(seed) = args.seed {
        (training.seed, training.network.seed) = (seed, seed);
    }
    for (path, value) in &args.set {
        training.set(path, value).map_err(|error| refused(file, &error))?;
    }
    training.tape.memory = args.memory.or(training.tape.memory);
    let data = samples(&training.data, file, &mut read)?;
    read.extend(overlap::named_by(&training.network));
    let written = args.out.as_deref().map(TrainingFolder::files).unwrap_or_default();
    overlap::check(&read, &written, None)?;
    Ok((training, data))
}

/// A training by its name, or of a file, which is returned with it.
pub(crate) fn named<'a>(
    name: &'a str,
    method: Option<Method>,
    read: &mut Vec<FileRole>,
) -> Result<(Training, Option<&'a Path>), Failure> {
    let path = Path::new(name);
    // A folder with the name of a training has its results.
    let is_name = path.is_dir() && preset(name).is_ok();
    let file = (source::is_file(name) && !is_name).then_some(path);
    read.extend(file.map(|path| FileRole::new(path, "the training")));
    let mut training = match file {
        Some(path) => from_file(path, read)?,
        None => preset(name)?.training(method)?,
    };
    training.method = method.unwrap_or(training.method);
    Ok((training, file))
}

/// The samples of a training, which was read from this file.
pub(crate) fn samples(data: &Data, file: Option<&Path>, read: &mut Vec<FileRole>) -> Result<Dataset, Failure> {
    let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let content = |name: &str| {
        read.push(FileRole::new(folder.join(name), "a file of samples"));
        content(&folder.join(name))
    };
    data.dataset(content).map_err(|error| refused(file, &error))
}

/// The content of a file of samples.
fn content(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| {
        let way_out = "write its path relative to the training";
        Error::invalid("data.file", path.display(), format!("it cannot be read: {error}"), way_out)
    })
}

/// Files that it names are relative to it.
fn from_file(path: &Path, read: &mut Vec<FileRole>) -> Result<Training, Failure> {
    let text = source::text_of(path, "training")?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let network = |name: &str| {
        read.push(FileRole::new(folder.join(name), "the network of the training"));
        source::checked(&folder.join(name).display().to_string(), BuildOptions::default()).map_err(Unreadable::Network)
    };
    Training::from_files(&text, network).map_err(|unreadable| match unreadable {
        Unreadable::Training(error) => refused(Some(path), &error),
        Unreadable::Network(failure) => failure,
    })
}

/// What cannot be read.
enum Unreadable {
    Training(Error),
    Network(Failure),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Unreadable {
        Unreadable::Training(error)
    }
}

/// An error in a training, with its file if it has one.
fn refused(path: Option<&Path>, error: &Error) -> Failure {
    Failure::of_all(path, std::slice::from_ref(error))
}
