//! One row per combination of values of a sweep.

use std::fmt;

use super::{TrialResult, grouped};

/// The values, and means of the results over trials. Empty without a sweep.
pub(super) fn write(f: &mut fmt::Formatter<'_>, results: &[TrialResult]) -> fmt::Result {
    let Some(first) = results.first().filter(|first| !first.values.is_empty()) else { return Ok(()) };
    let mut header: Vec<String> = first.values.iter().map(|(path, _)| path.clone()).collect();
    header.extend(["trials".to_owned(), "spikes".to_owned()]);
    header.extend(first.rates_hz.iter().map(|(population, _)| format!("{population} Hz")));
    let mut lines = vec![header];
    for variant in results.chunk_by(|one, other| one.values == other.values) {
        let mean = |of: &dyn Fn(&TrialResult) -> f64| variant.iter().map(of).sum::<f64>() / variant.len() as f64;
        let mut line: Vec<String> = variant[0].values.iter().map(|(_, value)| value.clone()).collect();
        line.extend([variant.len().to_string(), grouped(mean(&|trial| trial.spikes as f64).round() as u64)]);
        let rates = (0..variant[0].rates_hz.len()).map(|index| format!("{:.2}", mean(&|trial| trial.rates_hz[index].1)));
        line.extend(rates);
        lines.push(line);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    writeln!(f)?;
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(f, "{}", cells.join("  "))?;
    }
    Ok(())
}
