//! What was recorded as files of archives and of analysis: NWB and SONATA.

use jiff::{Timestamp, Zoned, tz::TimeZone};
use spikelet::{Error, Network};
use spikelet_interchange::results::{Metadata, Results, Session, Trace, nwb, sonata_reports, sonata_spikes};

use super::RunRecording;
use crate::args::ResultFormat;
use crate::failure::Failure;

/// How the names of files with reports of SONATA begin.
const REPORT: &str = "trace.";

/// Whether a file is a report of SONATA.
pub(super) fn is_report(name: &str) -> bool {
    name.strip_prefix(REPORT).is_some_and(|rest| rest.ends_with(".h5"))
}

/// Rejects names that a file of HDF5 cannot have.
pub(crate) fn check_names(format: ResultFormat, network: &Network) -> Result<(), Failure> {
    if !matches!(format, ResultFormat::Nwb | ResultFormat::Sonata) {
        return Ok(());
    }
    let is_recorded = |name: &str| network.recordings.iter().any(|of| of.object == name);
    let named =
        |list: &'static str, names: Vec<String>| names.into_iter().enumerate().map(move |(index, name)| (list, index, name));
    let populations = named("populations", network.populations.iter().map(|of| of.name.clone()).collect());
    let sources = named("sources", network.sources.iter().map(|of| of.name.clone()).collect());
    let projections = named("projections", network.projections.iter().map(|of| of.name.clone()).collect());
    let written = populations.chain(sources).chain(projections.filter(|(_, _, name)| is_recorded(name)));
    let unfit = |name: &str| name == "." || name.contains(['/', '\0']);
    written.into_iter().find(|(_, _, name)| unfit(name)).map_or(Ok(()), |(list, index, name)| {
        let expected = "names in a file of this format are without slashes; rename it, or use another --format";
        Err(Failure::Input(format!("{list}[{index}].name is {name:?}, but {expected}")))
    })
}

/// NWB: the name of the file, and its content.
pub(super) fn of_nwb(
    network: &Network,
    recording: &RunRecording<'_>,
    metadata: &Metadata,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let now = Zoned::new(Timestamp::now(), TimeZone::UTC);
    let start_time = now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let description =
        if network.description.is_empty() { format!("Simulation of {}", network.name) } else { network.description.clone() };
    let session = Session {
        identifier: format!("{} {start_time}", network.name),
        description,
        source: format!("spikelet {}, network.json beside this file", env!("CARGO_PKG_VERSION")),
        start_time,
        dt_ms: recording.dt_ms,
        metadata: metadata.clone(),
    };
    Ok(vec![("run.nwb".to_owned(), nwb(&results(network, recording), &session)?)])
}

/// SONATA: spikes, and a report for each recorded variable.
pub(super) fn of_sonata(network: &Network, recording: &RunRecording<'_>) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let results = results(network, recording);
    let mut files = vec![("spikes.h5".to_owned(), sonata_spikes(&results)?)];
    files.extend(sonata_reports(&results)?.into_iter().map(|(name, bytes)| (format!("{REPORT}{name}.h5"), bytes)));
    Ok(files)
}

/// The results of the only trial.
fn results(network: &Network, recording: &RunRecording<'_>) -> Results {
    let ends = recording.populations.iter().skip(1).map(|(_, first)| *first).chain([network.neurons() as u32]);
    let populations = recording.populations.iter().zip(ends).map(|((name, first), end)| (name.clone(), end - first)).collect();
    let spikes = recording.spikes().map(|(moment, neuron)| {
        let (population, neuron) = recording.place(neuron);
        (population, neuron, recording.time_ms(moment.step))
    });
    let kept = recording.trials.first().map_or(0..0, |trial| trial.kept.clone());
    let observed_ms = [recording.time_ms(kept.start), recording.time_ms(kept.end)];
    Results { populations, spikes: spikes.collect(), observed_ms, traces: traces(recording) }
}

/// The channels of a variable that have the same interval.
struct Series<'a> {
    variable: &'a str,
    unit: &'a str,
    every: u32,
    channels: Vec<usize>,
    indices: Vec<u32>,
}

/// The channels of a variable together. If there are several series of it, those after the first are named with their interval in steps.
fn traces(recording: &RunRecording<'_>) -> Vec<Trace> {
    let Some(trial) = recording.trials.first() else { return Vec::new() };
    let mut series: Vec<Series<'_>> = Vec::new();
    for (channel, (label, every)) in recording.channels.iter().zip(&recording.intervals).enumerate() {
        // `E.v[0] (mV)`, or `mean(E.v) (mV)`.
        let (name, unit) =
            label.rsplit_once(" (").map_or((label.as_str(), ""), |(name, unit)| (name, unit.trim_end_matches(')')));
        let single = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        let single = single.and_then(|(name, index)| Some((name, index.parse::<u32>().ok()?)));
        let variable = single.map_or(name, |(name, _)| name);
        let same = |of: &&mut Series<'_>| (of.variable, of.unit, of.every) == (variable, unit, *every);
        match (series.iter_mut().find(same), single) {
            (Some(of), Some((_, index))) => {
                of.channels.push(channel);
                of.indices.push(index);
            }
            _ => {
                let indices = single.iter().map(|(_, index)| *index).collect();
                series.push(Series { variable, unit, every: *every, channels: vec![channel], indices });
            }
        }
    }
    let mut traces: Vec<Trace> = Vec::new();
    for (place, of) in series.iter().enumerate() {
        let is_first = !series[..place].iter().any(|other| other.variable == of.variable);
        // The first row of this interval that is kept.
        let first_step = trial.kept.start.next_multiple_of(of.every);
        traces.push(Trace {
            name: if is_first { of.variable.to_owned() } else { format!("{}@{}", of.variable, of.every) },
            unit: of.unit.to_owned(),
            indices: of.indices.clone(),
            start_ms: recording.time_ms(first_step),
            interval_ms: f64::from(of.every) * recording.dt_ms,
            values: Vec::new(),
        });
    }
    for (moment, row) in recording.samples() {
        for (trace, of) in traces.iter_mut().zip(&series).filter(|(_, of)| moment.step.is_multiple_of(of.every)) {
            trace.values.extend(of.channels.iter().map(|channel| row[*channel]));
        }
    }
    traces
}
