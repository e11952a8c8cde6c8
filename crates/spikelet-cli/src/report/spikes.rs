//! The statistics of spikes.

use std::fmt;

use spikelet::{PairwiseCorrelation, PopulationStatistics, SpikeSummary};

use super::TrialResult;

/// A column: its name and its value in a trial.
type Column = (&'static str, fn(&PopulationStatistics) -> Option<f64>);

const COLUMNS: [Column; 8] = [
    ("CV2", |of| of.cv2),
    ("LV", |of| of.lv),
    ("Fano", |of| of.fano),
    ("χ", |of| of.synchrony),
    ("corr", |of| correlation(of).map(|found| found.mean)),
    ("± sd", |of| correlation(of).map(|found| found.sd)),
    ("peak Hz", |of| of.peak),
    ("rate Hz", |of| of.rate),
];

fn correlation(of: &PopulationStatistics) -> Option<&PairwiseCorrelation> {
    of.correlation.as_ref()
}

/// One row per population; of several trials the means over those in which a value is known.
pub(super) fn write(f: &mut fmt::Formatter<'_>, results: &[TrialResult], widest: usize) -> fmt::Result {
    let summaries: Vec<&SpikeSummary> = results.iter().filter_map(|result| result.spike_statistics.as_ref()).collect();
    let Some(first) = summaries.first() else { return Ok(()) };
    write!(f, "\n\n{:<widest$}", "spikes")?;
    for (name, _) in COLUMNS {
        write!(f, " {name:>9}")?;
    }
    for index in 0..first.populations.len() {
        write!(f, "\n{:<widest$}", first.populations[index].population)?;
        for (_, value) in COLUMNS {
            let known: Vec<f64> = summaries.iter().filter_map(|summary| value(&summary.populations[index])).collect();
            match known.len() {
                0 => write!(f, " {:>9}", "-")?,
                count => write!(f, " {:>9.3}", known.iter().sum::<f64>() / count as f64)?,
            }
        }
    }
    write!(f, "\nfrom {} ms to {} ms; --json has histograms, spectra and correlograms", first.from_ms, first.to_ms)
}
