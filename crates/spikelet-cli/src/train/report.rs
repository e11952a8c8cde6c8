//! What `spikelet train` prints of epochs. The keys of its JSON are part of the command line interface.

use std::fmt;

use serde::Serialize;
use spikelet::human;

use crate::text::short;

/// An epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct EpochLine {
    /// Its number, from 1.
    pub(super) epoch: u32,
    /// The mean loss of its samples, each before the update of its batch.
    pub(super) loss: f64,
    /// The part of these samples that is classified correctly; null if targets are not classes.
    pub(super) accuracy_train: Option<f64>,
    /// The same for the test samples after the epoch; null without test samples.
    pub(super) accuracy_test: Option<f64>,
    /// Wall time of the epoch, without the test.
    pub(super) seconds: f64,
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
}

/// Columns of the table of epochs.
pub(super) const HEADING: &str = "  epoch       loss  accuracy (train)  accuracy (test)  seconds";

impl fmt::Display for EpochLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: Option<f64>| part.map_or("–".to_owned(), |part| format!("{:.2} %", 100.0 * part));
        let EpochLine { epoch, loss, seconds, .. } = self;
        let [train, test] = [self.accuracy_train, self.accuracy_test].map(percent);
        write!(f, "{epoch:>7} {:>10} {train:>17} {test:>16} {:>8}", short(*loss), short(*seconds))
    }
}

impl fmt::Display for TrainingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} parameters, {} of tape; {}", self.parameters, human(self.tape_bytes), self.backend)?;
        self.stopped.iter().try_for_each(|why| write!(f, "; {why}"))
    }
}
