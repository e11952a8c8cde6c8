//! The files of a training.

use std::fs;
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

use spikelet::Network;

use super::report::{EpochLine, TrainingReport};
use crate::failure::Failure;
use crate::files;
use crate::overlap::FileRole;
use crate::plot::{Plot, PlotCurve, PlotPoint, svg};

/// Written last: if it exists, all files are complete.
const REPORT: &str = "report.json";
const CHECKPOINT: &str = "checkpoint";
const NAMES: [&str; 5] = ["curve.csv", "curve.json", "curve.svg", "network.json", REPORT];

/// The folder of `--out`. Its files always belong to one training.
pub(super) struct TrainingFolder {
    path: PathBuf,
}

impl TrainingFolder {
    /// Creates it if necessary; checks that it is writable.
    pub(super) fn open(path: &Path) -> Result<TrainingFolder, Failure> {
        let folder = TrainingFolder { path: path.to_owned() };
        let opened = fs::create_dir_all(path).and_then(|()| files::check_writable(&path.join(REPORT)));
        opened.map_err(|error| folder.unwritable(&error))?;
        Ok(folder)
    }

    /// The files that a training writes to a folder or removes there, without the checkpoint, from which it can continue.
    pub(super) fn files(path: &Path) -> Vec<FileRole> {
        NAMES.map(|name| FileRole::new(path.join(name), "--out")).into()
    }

    /// Removes the results of an earlier training; its checkpoint stays until there is a new one.
    pub(super) fn begin(&self) -> Result<(), Failure> {
        files::remove(&self.path, &NAMES).map_err(|error| self.unwritable(&error))
    }

    /// The place of the checkpoint.
    pub(super) fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Replaces the checkpoint.
    pub(super) fn write_checkpoint(&self, bytes: &[u8]) -> Result<(), Failure> {
        let written = files::write(&self.checkpoint(), |file| file.write_all(bytes));
        written.map_err(|error| self.unwritable(&error))
    }

    /// Writes the curve as CSV, JSON and SVG, the trained network, if there is one, and, last, the report.
    pub(super) fn write(&self, curve: &[EpochLine], network: Option<&Network>, report: &TrainingReport) -> Result<(), Failure> {
        let put = |name: &str, text: String| files::write(&self.path.join(name), |file| writeln!(file, "{}", text.trim_end()));
        let attempt = || -> Result<(), Error> {
            put("curve.csv", csv(curve))?;
            put("curve.json", format!("{:#}", serde_json::json!(curve)))?;
            if !curve.is_empty() {
                put("curve.svg", svg(&plot(&report.training, curve)))?;
            }
            if let Some(network) = network {
                put("network.json", network.to_json())?;
            }
            put(REPORT, format!("{:#}", serde_json::json!(report)))
        };
        attempt().map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &Error) -> Failure {
        Failure::Run(format!("{} cannot be written: {error}; use another folder with --out", self.path.display()))
    }
}

fn csv(curve: &[EpochLine]) -> String {
    let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let populations: Vec<&String> = curve.first().into_iter().flat_map(|line| line.rates_hz.keys()).collect();
    let row = |of: &EpochLine| {
        let optional = [of.loss_validation, of.loss_test, of.accuracy_train, of.accuracy_validation, of.accuracy_test];
        let optional = optional.map(number).join(",");
        let rates: String = of.rates_hz.values().map(|rate| format!(",{rate}")).collect();
        format!("{},{},{optional},{}{rates}\n", of.epoch, of.loss, of.seconds)
    };
    let rows: String = curve.iter().map(row).collect();
    let rates: String = populations.iter().map(|population| format!(",{population}_hz")).collect();
    format!("epoch,loss,loss_validation,loss_test,accuracy_train,accuracy_validation,accuracy_test,seconds{rates}\n{rows}")
}

/// Loss and accuracies over epochs.
fn plot<'a>(title: &'a str, curve: &[EpochLine]) -> Plot<'a> {
    let of = |name: &'static str, value: fn(&EpochLine) -> Option<f64>| {
        let point = |of: &EpochLine| Some(PlotPoint { x: f64::from(of.epoch), mean: value(of)?, sd: 0.0 });
        PlotCurve { name, points: curve.iter().filter_map(point).collect() }
    };
    let curves = [
        of("loss", |of| Some(of.loss)),
        of("loss of samples for validation", |of| of.loss_validation),
        of("loss of test samples", |of| of.loss_test),
        of("accuracy of training samples", |of| of.accuracy_train),
        of("accuracy of samples for validation", |of| of.accuracy_validation),
        of("accuracy of test samples", |of| of.accuracy_test),
    ];
    let curves = curves.into_iter().filter(|curve| !curve.points.is_empty()).collect();
    Plot { title, x: "epoch", y: "loss, accuracy", is_logarithmic: false, curves }
}
