//! The files of an evaluation.

use std::fs;
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

use spikelet::npz::NpzWriter;
use spikelet_train::{Answers, Sample};

use super::report::Evaluation;
use crate::failure::Failure;
use crate::files;
use crate::overlap::FileRole;

/// Written last: if it exists, all files are complete.
const REPORT: &str = "evaluation.json";
const NAMES: [&str; 3] = ["predictions.csv", "predictions.npz", REPORT];

/// The folder of `--out`.
pub(super) struct EvaluationFolder {
    path: PathBuf,
}

impl EvaluationFolder {
    /// Creates it if necessary; checks that it is writable, and removes the results of an earlier evaluation.
    pub(super) fn open(path: &Path) -> Result<EvaluationFolder, Failure> {
        let folder = EvaluationFolder { path: path.to_owned() };
        let opened = fs::create_dir_all(path)
            .and_then(|()| files::check_writable(&path.join(REPORT)))
            .and_then(|()| files::remove(path, &NAMES));
        opened.map_err(|error| folder.unwritable(&error))?;
        Ok(folder)
    }

    pub(super) fn files(path: &Path) -> Vec<FileRole> {
        NAMES.map(|name| FileRole::new(path.join(name), "--out")).into()
    }

    /// Writes the answers as CSV and NPZ, and, last, the evaluation.
    pub(super) fn write(&self, evaluation: &Evaluation, samples: &[Sample], answers: &Answers) -> Result<(), Failure> {
        let each = answers.readings.len() / samples.len().max(1);
        let attempt = || -> Result<(), Error> {
            files::write(&self.path.join(NAMES[0]), |file| csv(file, samples, answers, each))?;
            files::write(&self.path.join(NAMES[1]), |file| {
                let mut archive = NpzWriter::new(file);
                if !answers.classes.is_empty() {
                    let number = |class: Option<u32>| class.map_or(-1.0, f64::from);
                    archive.add("labels", &[samples.len()], samples.iter().map(|sample| number(sample.class())))?;
                    archive.add("answers", &[samples.len()], answers.classes.iter().map(|answer| number(*answer)))?;
                }
                archive.add("readings", &[samples.len(), each], answers.readings.iter().copied())?;
                archive.finish().map(drop)
            })?;
            files::write(&self.path.join(REPORT), |file| writeln!(file, "{:#}", serde_json::json!(evaluation)))
        };
        attempt().map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &Error) -> Failure {
        files::unwritable(&self.path, error)
    }
}

/// A line for each sample: its class, the answer, and what was read.
fn csv(file: &mut impl Write, samples: &[Sample], answers: &Answers, each: usize) -> Result<(), Error> {
    let titles: String = (0..each).map(|index| format!(",reading_{index}")).collect();
    writeln!(file, "sample,label,answer{titles}")?;
    let text = |class: Option<u32>| class.map_or(String::new(), |class| class.to_string());
    for (index, sample) in samples.iter().enumerate() {
        let answer = answers.classes.get(index).copied().flatten();
        write!(file, "{index},{},{}", text(sample.class()), text(answer))?;
        answers.readings[index * each..][..each].iter().try_for_each(|reading| write!(file, ",{reading}"))?;
        writeln!(file)?;
    }
    Ok(())
}
