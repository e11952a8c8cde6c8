//! `spikelet evaluate`: what a trained network answers to samples, and what that costs.

mod folder;
mod report;

use pollster::block_on;
use spikelet::BuildOptions;
use spikelet_train::{Data, Dataset, Part, Trainer, Training};

use crate::args::{EvaluateArguments, SamplesOf};
use crate::device as devices;
use crate::failure::Failure;
use crate::overlap::{self, FileRole};
use crate::source;
use crate::terminal;
use crate::train::{device, source as trainings};
use folder::EvaluationFolder;
use report::Evaluation;

pub(crate) fn run(args: &EvaluateArguments) -> Result<(), Failure> {
    devices::check_threads(args.device.threads)?;
    let mut read = Vec::new();
    let (mut training, file) = trainings::named(&args.training, args.method.map(Into::into), &mut read)?;
    let network = source::checked(&args.network, BuildOptions::default())?;
    read.extend(overlap::of_network(&args.network, &network));
    training.network = network;
    let data = match &args.data {
        Some(path) => {
            training.data = own_data(&training.data, path.display().to_string());
            trainings::samples(&training.data, None, &mut read)?
        }
        None => trainings::samples(&training.data, file, &mut read)?,
    };
    let written: Vec<FileRole> = args.out.as_deref().map(EvaluationFolder::files).unwrap_or_default();
    // Before the folder is opened, which removes what an earlier evaluation wrote there.
    overlap::check(&read, &written, None)?;
    let part = match args.samples {
        _ if args.data.is_some() => Part::Train,
        SamplesOf::Test => Part::Test,
        SamplesOf::Validation => Part::Validation,
        SamplesOf::Train => Part::Train,
    };
    check_samples(&training, &data, part)?;
    let device = device::differentiable(&training, &args.device)?;
    let mut trainer = block_on(Trainer::new(training, data, device))?;
    let folder = args.out.as_deref().map(EvaluationFolder::open).transpose()?;
    let samples = trainer.data().part(part).to_vec();
    let answers = block_on(trainer.answers(&samples))?;
    let evaluation = Evaluation::new(&args.network, &mut trainer, &samples, &answers);
    if let Some(folder) = folder {
        folder.write(&evaluation, &samples, &answers)?;
    }
    if args.json { terminal::print(&serde_json::json!(evaluation)) } else { terminal::print(&evaluation) }
}

/// The samples of one file alone, read as those of the training are.
fn own_data(of: &Data, file: String) -> Data {
    let (file, generate) = (Some(file), None);
    Data { file, generate, test_file: None, train: None, validation: None, test: None, seed: None, test_seed: None, ..of.clone() }
}

fn check_samples(training: &Training, data: &Dataset, part: Part) -> Result<(), Failure> {
    if !data.part(part).is_empty() {
        return Ok(());
    }
    let name = match part {
        Part::Train => "train on",
        Part::Validation => "validate with",
        Part::Test => "test with",
    };
    let way_out = "choose others with --samples, or name a file with --data";
    Err(Failure::Input(format!("the training {:?} has no samples to {name}; {way_out}", training.name)))
}
