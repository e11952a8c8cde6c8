//! Comma-separated values with a header line.

use std::fmt::{Display, Write as _};
use std::io::{Result, Write};

use spikelet::{Measurement, Network, StatisticPlan};

use super::{EventTime, RunRecording, ids};
use crate::monitor::MonitorRow;
use crate::report::Report;

/// A table that is being written.
struct Table<W: Write> {
    file: csv::Writer<W>,
    has_variants: bool,
    /// The field that is being written.
    text: String,
}

impl<W: Write> Table<W> {
    /// A table whose rows begin with the variant, where there is a sweep, and the trial.
    fn by_trial(file: W, recording: &RunRecording<'_>, columns: &[&str]) -> Result<Table<W>> {
        let has_variants = !recording.variants.is_empty();
        let mut table = Table { file: csv::Writer::from_writer(file), has_variants, text: String::new() };
        table.file.write_record(has_variants.then_some("variant").into_iter().chain(["trial"]).chain(columns.iter().copied()))?;
        Ok(table)
    }

    fn row<'a>(&mut self, moment: EventTime, fields: impl IntoIterator<Item = &'a dyn Display>) -> Result<()> {
        if self.has_variants {
            self.field(&moment.variant)?;
        }
        self.field(&moment.trial)?;
        fields.into_iter().try_for_each(|field| self.field(field))?;
        Ok(self.file.write_record(None::<&[u8]>)?)
    }

    fn field(&mut self, value: &dyn Display) -> Result<()> {
        self.text.clear();
        // A String takes everything.
        _ = write!(self.text, "{value}");
        Ok(self.file.write_field(&self.text)?)
    }
}

/// With a column of identifiers, if tables of neurons have some.
pub(super) fn spikes(file: &mut impl Write, recording: &RunRecording<'_>, network: &Network) -> Result<()> {
    let ids: Vec<Vec<&str>> = network.populations.iter().map(|of| ids(of).into_iter().flatten().collect()).collect();
    let has_ids = ids.iter().any(|ids| !ids.is_empty());
    let columns = ["population", "neuron", "step", "time_ms"].into_iter().chain(has_ids.then_some("id"));
    let mut table = Table::by_trial(file, recording, &columns.collect::<Vec<_>>())?;
    for (moment, neuron) in recording.spikes() {
        let (population, neuron) = recording.place(neuron);
        let (name, time_ms) = (&recording.populations[population].0, recording.time_ms(moment.step));
        // Sources and events follow the populations, and have none.
        let id = ids.get(population).and_then(|ids| ids.get(neuron as usize)).unwrap_or(&"");
        let fields = [name as &dyn Display, &neuron, &moment.step, &time_ms].into_iter();
        table.row(moment, fields.chain(has_ids.then_some(id as &dyn Display)))?;
    }
    table.file.flush()
}

/// The identifiers of neurons: a row for each one.
pub(super) fn neuron_ids(file: &mut impl Write, network: &Network) -> Result<()> {
    let mut table = csv::Writer::from_writer(file);
    table.write_record(["population", "neuron", "id"])?;
    for population in &network.populations {
        for (neuron, id) in ids(population).into_iter().flatten().enumerate() {
            table.write_record([&population.name, &neuron.to_string(), id])?;
        }
    }
    table.flush()
}

/// What groups of neurons fired: a row for each group of each trial.
pub(super) fn groups(file: &mut impl Write, recording: &RunRecording<'_>, report: &Report) -> Result<()> {
    let mut table = Table::by_trial(file, recording, &["population", "group", "neurons", "active", "spikes", "rate_hz"])?;
    for (trial, result) in recording.trials.iter().zip(&report.results) {
        let moment = EventTime { variant: trial.job.point as u32, trial: trial.job.trial, step: 0 };
        for group in &result.groups {
            table.row(moment, group.cells().iter().map(|cell| cell as &dyn Display))?;
        }
    }
    table.file.flush()
}

pub(super) fn traces(file: &mut impl Write, recording: &RunRecording<'_>) -> Result<()> {
    let columns: Vec<&str> = ["time_ms"].into_iter().chain(recording.channels.iter().map(String::as_str)).collect();
    let mut table = Table::by_trial(file, recording, &columns)?;
    for (moment, values) in recording.samples() {
        let time_ms = recording.time_ms(moment.step);
        let fields = values.iter().zip(&recording.intervals).map(|(value, every)| -> &dyn Display {
            if moment.step.is_multiple_of(*every) { value } else { &"" }
        });
        table.row(moment, [&time_ms as &dyn Display].into_iter().chain(fields))?;
    }
    table.file.flush()
}

/// One row per time at which a statistic was taken.
pub(super) fn statistics(file: &mut impl Write, recording: &RunRecording<'_>) -> Result<()> {
    let columns = ["time_ms", "statistic", "unit", "finite", "not_finite", "mean", "sd", "min", "max", "below", "above"];
    let mut table = Table::by_trial(file, recording, &columns)?;
    for (moment, Measurement { statistic, distribution: of, .. }) in recording.measurements() {
        let StatisticPlan { label, unit, .. } = &recording.statistics[statistic];
        let what: [&dyn Display; 3] = [&recording.time_ms(moment.step), label, unit];
        let found: [&dyn Display; 8] = [&of.finite, &of.not_finite, &of.mean, &of.sd, &of.min, &of.max, &of.below, &of.above];
        table.row(moment, what.into_iter().chain(found))?;
    }
    table.file.flush()
}

/// One row per bin of each histogram.
pub(super) fn histograms(file: &mut impl Write, recording: &RunRecording<'_>) -> Result<()> {
    let mut table = Table::by_trial(file, recording, &["time_ms", "statistic", "from", "to", "count"])?;
    for (moment, Measurement { statistic, distribution, .. }) in recording.measurements() {
        let of = &recording.statistics[statistic];
        let (time_ms, ends) = (recording.time_ms(moment.step), of.ends().collect::<Vec<f64>>());
        for (ends, count) in ends.windows(2).zip(&distribution.counts) {
            table.row(moment, [&time_ms as &dyn Display, &of.label, &ends[0], &ends[1], count])?;
        }
    }
    table.file.flush()
}

/// One row per variant of a sweep.
pub(super) fn variants(file: &mut impl Write, recording: &RunRecording<'_>) -> Result<()> {
    let mut file = csv::Writer::from_writer(file);
    let paths = recording.variants.first().into_iter().flatten().map(|(path, _)| path.as_str());
    file.write_record(["variant"].into_iter().chain(paths))?;
    for (index, values) in recording.variants.iter().enumerate() {
        let index = index.to_string();
        file.write_record([index.as_str()].into_iter().chain(values.iter().map(|(_, value)| value.as_str())))?;
    }
    file.flush()
}

/// What was monitored: a row for each interval, with a rate for each population.
pub(super) fn monitored(file: impl Write, rows: &[MonitorRow]) -> Result<()> {
    let mut table = csv::Writer::from_writer(file);
    let columns = ["wall_seconds", "time_ms", "resident_bytes", "steps_per_second", "spikes"].map(str::to_owned).into_iter();
    let rates = rows.first().into_iter().flat_map(|row| &row.rates_hz).map(|(name, _)| format!("{name}_hz"));
    table.write_record(columns.chain(rates))?;
    for row in rows {
        let resident = row.resident_bytes.map_or(String::new(), |bytes| bytes.to_string());
        let own = [
            row.wall_seconds.to_string(),
            row.time_ms.to_string(),
            resident,
            row.steps_per_second.to_string(),
            row.spikes.to_string(),
        ];
        table.write_record(own.into_iter().chain(row.rates_hz.iter().map(|(_, rate)| rate.to_string())))?;
    }
    table.flush()
}
