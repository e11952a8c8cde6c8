//! Tables of Parquet, with the columns of those of comma-separated values.

use std::collections::HashSet;
use std::io::{Result, Write};

use spikelet::{Measurement, Network, StatisticPlan};

use super::table::{Cell, Column, Kind, Table};
use super::{EventTime, RunRecording};

/// What all files say of the network.
pub(crate) type About = [(&'static str, String); 4];

pub(crate) fn about(network: &Network) -> About {
    [
        ("network", network.name.clone()),
        ("dt_ms", network.dt_ms.to_string()),
        ("seed", network.seed.to_string()),
        ("spikelet_version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

/// A table that is being written, whose rows begin with the variant, where there is a sweep, and the trial.
struct ByTrial<W: Write + Send> {
    table: Table<W>,
    has_variants: bool,
}

impl<W: Write + Send> ByTrial<W> {
    fn new(
        file: W,
        recording: &RunRecording<'_>,
        about: &About,
        columns: impl IntoIterator<Item = Column>,
    ) -> Result<ByTrial<W>> {
        let has_variants = !recording.variants.is_empty();
        let first = has_variants.then_some("variant").into_iter().chain(["trial"]).map(|name| Column::new(name, Kind::U32));
        Ok(ByTrial { table: Table::new(file, &first.chain(columns).collect::<Vec<_>>(), about)?, has_variants })
    }

    fn row<'a>(&mut self, moment: EventTime, cells: impl IntoIterator<Item = Cell<'a>>) -> Result<()> {
        let variant = self.has_variants.then_some(Cell::U32(moment.variant));
        self.table.row(variant.into_iter().chain([Cell::U32(moment.trial)]).chain(cells))
    }

    fn finish(self) -> Result<()> {
        self.table.finish()
    }
}

fn time() -> Column {
    Column::new("time_ms", Kind::F64).in_unit("ms")
}

fn text(name: &str) -> Column {
    Column::new(name, Kind::Text)
}

pub(super) fn spikes(file: impl Write + Send, recording: &RunRecording<'_>, about: &About) -> Result<()> {
    let columns = [text("population"), Column::new("neuron", Kind::U32), Column::new("step", Kind::U32), time()];
    let mut table = ByTrial::new(file, recording, about, columns)?;
    for (moment, neuron) in recording.spikes() {
        let (population, neuron) = recording.place(neuron);
        let name = &recording.populations[population].0;
        let time_ms = recording.time_ms(moment.step);
        table.row(moment, [Cell::Text(name), Cell::U32(neuron), Cell::U32(moment.step), Cell::F64(time_ms)])?;
    }
    table.finish()
}

pub(super) fn traces(file: impl Write + Send, recording: &RunRecording<'_>, about: &About) -> Result<()> {
    let mut table = ByTrial::new(file, recording, about, [time()].into_iter().chain(channels(recording)))?;
    for (moment, values) in recording.samples() {
        let cells = values
            .iter()
            .zip(&recording.intervals)
            .map(|(value, every)| if moment.step.is_multiple_of(*every) { Cell::F32(*value) } else { Cell::Nothing });
        table.row(moment, [Cell::F64(recording.time_ms(moment.step))].into_iter().chain(cells))?;
    }
    table.finish()
}

/// A column for each channel. What is recorded twice has a number behind its name, because columns have different names.
fn channels(recording: &RunRecording<'_>) -> Vec<Column> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut column = |label: &String, every: u32| {
        let mut name = label.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{label} #{number}");
        }
        let unit = label.rsplit_once(" (").map_or("", |(_, unit)| unit.trim_end_matches(')'));
        let column = Column::new(name, Kind::F32).in_unit(unit);
        if every == recording.every { column } else { column.optional() }
    };
    recording.channels.iter().zip(&recording.intervals).map(|(label, every)| column(label, *every)).collect()
}

/// One row per time at which a statistic was taken.
pub(super) fn statistics(file: impl Write + Send, recording: &RunRecording<'_>, about: &About) -> Result<()> {
    let numbers = |names: &'static [&str], kind| names.iter().map(move |name| Column::new(*name, kind));
    let columns = [time(), text("statistic"), text("unit")].into_iter();
    let columns = columns.chain(numbers(&["finite", "not_finite"], Kind::U32));
    let columns = columns.chain(numbers(&["mean", "sd", "min", "max"], Kind::F64)).chain(numbers(&["below", "above"], Kind::U32));
    let mut table = ByTrial::new(file, recording, about, columns)?;
    for (moment, Measurement { statistic, distribution: of, .. }) in recording.measurements() {
        let StatisticPlan { label, unit, .. } = &recording.statistics[statistic];
        let what = [Cell::F64(recording.time_ms(moment.step)), Cell::Text(label), Cell::Text(unit)];
        let counts = [of.finite, of.not_finite].map(Cell::U32);
        let found = [of.mean, of.sd, of.min, of.max].map(Cell::F64);
        table.row(moment, what.into_iter().chain(counts).chain(found).chain([of.below, of.above].map(Cell::U32)))?;
    }
    table.finish()
}

/// One row per bin of each histogram.
pub(super) fn histograms(file: impl Write + Send, recording: &RunRecording<'_>, about: &About) -> Result<()> {
    let ends = ["from", "to"].map(|name| Column::new(name, Kind::F64));
    let columns = [time(), text("statistic")].into_iter().chain(ends).chain([Column::new("count", Kind::U32)]);
    let mut table = ByTrial::new(file, recording, about, columns)?;
    for (moment, Measurement { statistic, distribution, .. }) in recording.measurements() {
        let of = &recording.statistics[statistic];
        let (time_ms, ends) = (recording.time_ms(moment.step), of.ends().collect::<Vec<f64>>());
        for (ends, count) in ends.windows(2).zip(&distribution.counts) {
            let bin = [Cell::F64(time_ms), Cell::Text(&of.label), Cell::F64(ends[0]), Cell::F64(ends[1]), Cell::U32(*count)];
            table.row(moment, bin)?;
        }
    }
    table.finish()
}
