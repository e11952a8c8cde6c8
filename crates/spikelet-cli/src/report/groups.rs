//! What groups of neurons fire, by a column of their table.

use std::fmt;

use serde::Serialize;

use super::{TrialResult, grouped};
use crate::cell_groups::{CellGroup, CellGroups, GroupCount};

/// Rows of a table; `--json` and `groups.csv` have all.
const ROWS: usize = 30;

/// A group of neurons in a trial.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GroupResult {
    #[serde(flatten)]
    of: CellGroup,
    /// Neurons with at least one spike.
    active: u32,
    spikes: u64,
    /// Mean over its neurons.
    rate_hz: f64,
    /// Whether all of its neurons are silenced.
    #[serde(skip)]
    is_silenced: bool,
}

impl GroupResult {
    /// The groups of a trial of this duration.
    pub(crate) fn all(cells: &CellGroups, counts: &[GroupCount], are_silenced: &[bool], time_ms: f64) -> Vec<GroupResult> {
        let neuron_seconds = |of: &CellGroup| f64::from(of.neurons) * time_ms / 1000.0;
        let result = |((of, count), is_silenced): ((&CellGroup, &GroupCount), &bool)| GroupResult {
            of: of.clone(),
            active: count.active,
            spikes: count.spikes,
            rate_hz: if time_ms > 0.0 { count.spikes as f64 / neuron_seconds(of) } else { 0.0 },
            is_silenced: *is_silenced,
        };
        cells.all().iter().zip(counts).zip(are_silenced).map(result).collect()
    }

    /// As a row of `groups.csv`.
    pub(crate) fn cells(&self) -> [String; 6] {
        let GroupResult { of: CellGroup { population, group, neurons }, active, spikes, rate_hz, .. } = self;
        let numbers = [neurons.to_string(), active.to_string(), spikes.to_string(), rate_hz.to_string()];
        let [neurons, active, spikes, rate_hz] = numbers;
        [population.clone(), group.clone(), neurons, active, spikes, rate_hz]
    }
}

/// The groups with the highest rates, or with the largest differences from the first variant.
pub(super) fn write(f: &mut fmt::Formatter<'_>, by: Option<&str>, results: &[TrialResult]) -> fmt::Result {
    let (Some(by), Some(first)) = (by, results.first().filter(|first| !first.groups.is_empty())) else { return Ok(()) };
    let variants: Vec<&[TrialResult]> = results.chunk_by(|one, other| one.values == other.values).collect();
    let places = 0..first.groups.len();
    let name = |place: usize| {
        let CellGroup { population, group, .. } = &first.groups[place].of;
        let several = first.groups.iter().any(|other| other.of.population != *population);
        let group = if group.is_empty() { "(empty)" } else { group };
        if several { format!("{population} {group}") } else { group.to_owned() }
    };
    if let [only] = variants[..] {
        let mut rows: Vec<(f64, usize)> = places.map(|place| (mean(only, place), place)).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let firing = rows.iter().filter(|(rate, _)| *rate > 0.0).count();
        let active =
            |place: usize| only.iter().map(|trial| f64::from(trial.groups[place].active)).sum::<f64>() / only.len() as f64;
        let row = |(rate, place): &(f64, usize)| {
            let neurons = grouped(u64::from(first.groups[*place].of.neurons));
            [name(*place), neurons, format!("{:.1}", active(*place)), format!("{rate:.2}")]
        };
        let shown: Vec<[String; 4]> = rows.iter().take(ROWS.min(firing.max(1))).map(row).collect();
        table(f, [by, "neurons", "active", "rate Hz"], &shown)?;
        return rest(f, rows.len() - shown.len(), if firing > ROWS { "with lower rates" } else { "without spikes" });
    }
    let control = variants[0];
    let mut rows: Vec<(f64, usize, usize)> = Vec::new();
    for (variant, trials) in variants.iter().enumerate().skip(1) {
        let own = places.clone().filter(|place| !trials[0].groups[*place].is_silenced);
        rows.extend(own.map(|place| (mean(trials, place) - mean(control, place), variant, place)));
    }
    rows.retain(|(difference, ..)| *difference != 0.0);
    rows.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then((a.1, a.2).cmp(&(b.1, b.2))));
    let values =
        |variant: usize| variants[variant][0].values.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ");
    let row = |(difference, variant, place): &(f64, usize, usize)| {
        let effect = effect(variants[*variant], control, *place).map_or("-".to_owned(), |effect| format!("{effect:.2}"));
        let rates = [mean(variants[*variant], *place), mean(control, *place)].map(|rate| format!("{rate:.2}"));
        let [rate, before] = rates;
        [values(*variant), name(*place), before, rate, format!("{difference:+.2}"), effect]
    };
    let shown: Vec<[String; 6]> = rows.iter().take(ROWS).map(row).collect();
    let from =
        format!("{} = {}", control[0].values.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>().join(", "), values(0));
    writeln!(f, "\n\nlargest differences from {from}")?;
    table(f, ["values", by, "control Hz", "Hz", "difference", "effect d"], &shown)?;
    rest(f, rows.len() - shown.len(), "that differ less")
}

/// The mean rate of a group over trials.
fn mean(trials: &[TrialResult], place: usize) -> f64 {
    trials.iter().map(|trial| trial.groups[place].rate_hz).sum::<f64>() / trials.len() as f64
}

/// The effect size d of Cohen (1988): the difference of the means over trials, in pooled standard deviations. `None` with fewer than two
/// trials, or without variation.
fn effect(trials: &[TrialResult], control: &[TrialResult], place: usize) -> Option<f64> {
    let squares = |of: &[TrialResult]| {
        let mean = mean(of, place);
        of.iter().map(|trial| (trial.groups[place].rate_hz - mean).powi(2)).sum::<f64>()
    };
    let freedom = trials.len() + control.len() - 2;
    let pooled = ((squares(trials) + squares(control)) / freedom as f64).sqrt();
    (freedom > 0 && trials.len() > 1 && pooled > 0.0).then(|| (mean(trials, place) - mean(control, place)) / pooled)
}

fn table<const N: usize>(f: &mut fmt::Formatter<'_>, header: [&str; N], rows: &[[String; N]]) -> fmt::Result {
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(|column| widest(column).max(header[column].chars().count())).collect();
    let mut line = |cells: [&str; N]| {
        let cells = cells.into_iter().zip(&widths).enumerate();
        let aligned = cells.map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        write!(f, "\n{}", aligned.collect::<Vec<_>>().join("  ").trim_end())
    };
    line(header)?;
    rows.iter().try_for_each(|row| line(row.each_ref().map(String::as_str)))
}

/// How many are not in the table.
fn rest(f: &mut fmt::Formatter<'_>, count: usize, which: &str) -> fmt::Result {
    if count == 0 { Ok(()) } else { write!(f, "\n{} others {which}, see --json", grouped(count as u64)) }
}
