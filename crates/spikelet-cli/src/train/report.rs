//! What `spikelet train` prints of epochs. The keys of its JSON are part of the command line interface.

use std::fmt;

use indexmap::IndexMap;
use serde::Serialize;
use spikelet::human;
use spikelet_train::{Dataset, EpochResult, Score};

use crate::text::short;

/// An epoch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct EpochLine {
    /// Its number, from 1.
    pub(super) epoch: u32,
    /// The mean loss of its samples, each before the update of its batch.
    pub(super) loss: f64,
    /// The same for the samples for validation, after the epoch; null without them.
    pub(super) loss_validation: Option<f64>,
    /// The same for the test samples.
    pub(super) loss_test: Option<f64>,
    /// The part of the samples that is classified correctly; null if targets are not classes.
    pub(super) accuracy_train: Option<f64>,
    /// The same for the samples for validation, after the epoch.
    pub(super) accuracy_validation: Option<f64>,
    /// The same for the test samples.
    pub(super) accuracy_test: Option<f64>,
    /// Spikes per neuron and second of each population that fires, in some samples of the last batch.
    pub(super) rates_hz: IndexMap<String, f64>,
    /// Wall time of the epoch, without the test.
    pub(super) seconds: f64,
}

impl From<&EpochResult> for EpochLine {
    fn from(result: &EpochResult) -> EpochLine {
        let [validation, test] = [&result.validation, &result.test].map(Option::as_ref);
        EpochLine {
            epoch: result.epoch,
            loss: result.train.loss(),
            loss_validation: validation.map(Score::loss),
            loss_test: test.map(Score::loss),
            accuracy_train: result.train.accuracy(),
            accuracy_validation: validation.and_then(Score::accuracy),
            accuracy_test: test.and_then(Score::accuracy),
            rates_hz: result.rates.iter().map(|rate| (rate.population.clone(), rate.rate_hz)).collect(),
            seconds: result.seconds,
        }
    }
}

/// A column of the table of epochs.
pub(super) struct Column {
    title: String,
    cell: fn(&EpochLine, &str) -> Option<String>,
    /// The population of a column of rates.
    population: String,
}

/// The columns of a training: what its samples and populations have.
pub(super) fn columns(data: &Dataset, populations: &[String]) -> Vec<Column> {
    let column = |title: &str, cell| Column { title: title.to_owned(), cell, population: String::new() };
    let mut columns = vec![column("epoch", |of, _| Some(of.epoch.to_string())), column("loss", |of, _| Some(short(of.loss)))];
    let (has_validation, has_test) = (!data.validation.is_empty(), !data.test.is_empty());
    if has_validation {
        columns.push(column("loss (validation)", |of, _| of.loss_validation.map(short)));
    }
    if has_test {
        columns.push(column("loss (test)", |of, _| of.loss_test.map(short)));
    }
    if data.classes > 0 {
        columns.push(column("accuracy (train)", |of, _| of.accuracy_train.map(percent)));
        if has_validation {
            columns.push(column("accuracy (validation)", |of, _| of.accuracy_validation.map(percent)));
        }
        if has_test {
            columns.push(column("accuracy (test)", |of, _| of.accuracy_test.map(percent)));
        }
    }
    columns.extend(populations.iter().map(|population| Column {
        title: format!("{population} (Hz)"),
        cell: |of, population| of.rates_hz.get(population).copied().map(short),
        population: population.clone(),
    }));
    columns.push(column("seconds", |of, _| Some(short(of.seconds))));
    columns
}

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

/// The titles of the table of epochs.
pub(super) fn heading(columns: &[Column]) -> String {
    columns.iter().map(|column| format!("  {:>8}", column.title)).collect()
}

/// An epoch as a row of that table.
pub(super) fn row(columns: &[Column], line: &EpochLine) -> String {
    let cell = |column: &Column| {
        let text = (column.cell)(line, &column.population).unwrap_or_else(|| "–".to_owned());
        format!("  {text:>width$}", width = column.title.chars().count().max(8))
    };
    columns.iter().map(cell).collect()
}

/// The result of a training.
#[derive(Debug, Clone, Serialize)]
pub(super) struct TrainingReport {
    /// The last epoch.
    #[serde(rename = "final")]
    pub(super) last: Option<EpochLine>,
    /// Number of trained parameters.
    pub(super) parameters: usize,
    /// Bytes that are stored for the gradient of a batch.
    pub(super) tape_bytes: u64,
    pub(super) training: String,
    pub(super) method: &'static str,
    /// What computed.
    pub(super) backend: String,
    /// Whether it ran to its end: all epochs, or a condition of `--until` or `--patience`.
    pub(super) completed: bool,
    /// The signal that ended it.
    pub(super) interrupted: Option<&'static str>,
    /// Why it ended before all epochs.
    pub(super) stopped: Option<String>,
    /// The epoch that was better than all before it and no worse than all after it.
    pub(super) best_epoch: Option<u32>,
    /// The epoch after which the network had the parameters that are kept: the best with `--patience`, else the last.
    pub(super) network_epoch: Option<u32>,
}

impl fmt::Display for TrainingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} parameters, {} of tape; {}", self.parameters, human(self.tape_bytes), self.backend)?;
        self.stopped.iter().try_for_each(|why| write!(f, "; {why}"))?;
        match self.network_epoch.filter(|epoch| self.last.as_ref().is_some_and(|last| last.epoch != *epoch)) {
            Some(epoch) => write!(f, "; the network is that of epoch {epoch}"),
            None => Ok(()),
        }
    }
}
