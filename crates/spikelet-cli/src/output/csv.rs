//! Comma-separated values with a header line.

use std::io::{Result, Write};

use spikelet::{Measurement, StatisticPlan};

use super::{EventTime, RunRecording};

pub(super) fn spikes(file: &mut impl Write, recording: &RunRecording) -> Result<()> {
    writeln!(file, "{}trial,population,neuron,step,time_ms", variant_column(recording))?;
    for (moment, neuron) in recording.spikes() {
        let (population, neuron) = recording.place(neuron);
        let name = quoted(&recording.populations[population].0);
        trial(file, recording, moment)?;
        writeln!(file, ",{name},{neuron},{},{}", moment.step, recording.time_ms(moment.step))?;
    }
    file.flush()
}

pub(super) fn traces(file: &mut impl Write, recording: &RunRecording) -> Result<()> {
    let names: Vec<String> = recording.channels.iter().map(|name| quoted(name)).collect();
    writeln!(file, "{}trial,time_ms,{}", variant_column(recording), names.join(","))?;
    for (moment, values) in recording.samples() {
        trial(file, recording, moment)?;
        write!(file, ",{}", recording.time_ms(moment.step))?;
        for value in values {
            write!(file, ",{value}")?;
        }
        writeln!(file)?;
    }
    file.flush()
}

/// One row per time at which a statistic was taken.
pub(super) fn statistics(file: &mut impl Write, recording: &RunRecording) -> Result<()> {
    let columns = "trial,time_ms,statistic,unit,finite,not_finite,mean,sd,min,max,below,above";
    writeln!(file, "{}{columns}", variant_column(recording))?;
    for (moment, Measurement { statistic, distribution: of, .. }) in recording.measurements() {
        let StatisticPlan { label, unit, .. } = &recording.statistics[*statistic];
        trial(file, recording, moment)?;
        write!(file, ",{},{},{}", recording.time_ms(moment.step), quoted(label), quoted(unit))?;
        write!(file, ",{},{},{},{},{},{}", of.finite, of.not_finite, of.mean, of.sd, of.min, of.max)?;
        writeln!(file, ",{},{}", of.below, of.above)?;
    }
    file.flush()
}

/// One row per bin of each histogram.
pub(super) fn histograms(file: &mut impl Write, recording: &RunRecording) -> Result<()> {
    writeln!(file, "{}trial,time_ms,statistic,from,to,count", variant_column(recording))?;
    for (moment, Measurement { statistic, distribution, .. }) in recording.measurements() {
        let of = &recording.statistics[*statistic];
        let ends: Vec<f64> = of.ends().collect();
        for (ends, count) in ends.windows(2).zip(&distribution.counts) {
            trial(file, recording, moment)?;
            let time_ms = recording.time_ms(moment.step);
            writeln!(file, ",{time_ms},{},{},{},{count}", quoted(&of.label), ends[0], ends[1])?;
        }
    }
    file.flush()
}

/// One row per variant of a sweep.
pub(super) fn variants(file: &mut impl Write, recording: &RunRecording) -> Result<()> {
    let paths = recording.variants.first().into_iter().flatten().map(|(path, _)| quoted(path));
    writeln!(file, "variant,{}", paths.collect::<Vec<_>>().join(","))?;
    for (index, values) in recording.variants.iter().enumerate() {
        let values: Vec<String> = values.iter().map(|(_, value)| quoted(value)).collect();
        writeln!(file, "{index},{}", values.join(","))?;
    }
    file.flush()
}

/// The header of the first column, for a sweep.
fn variant_column(recording: &RunRecording) -> &'static str {
    if recording.variants.is_empty() { "" } else { "variant," }
}

fn trial(file: &mut impl Write, recording: &RunRecording, moment: EventTime) -> Result<()> {
    if !recording.variants.is_empty() {
        write!(file, "{},", moment.variant)?;
    }
    write!(file, "{}", moment.trial)
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
