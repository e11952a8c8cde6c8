//! Output files of a run: spikes, traces and statistics, as CSV, as NumPy arrays, as tables of Parquet, or as files of NWB and SONATA, with the network and the report.

mod archive;
mod csv;
mod npz;
mod parquet;
mod table;

use std::fs::{self, File};
use std::io::{BufWriter, Error, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use spikelet::{Measurement, Network, Population, StatisticPlan, SynapseState, time};
use spikelet_interchange::results::Metadata;

use crate::args::ResultFormat;
use crate::failure::Failure;
use crate::jobs::Job;
use crate::monitor::MonitorRow;
use crate::overlap::FileRole;
use crate::records::RecordsReader;
use crate::report::Report;
use crate::{files, unfinished};

pub(crate) use archive::check_names;
pub(crate) use parquet::about;
pub(crate) use table::{Cell, Column, Kind, Table};

/// All spikes and samples of a run, by trials.
pub(crate) struct RunRecording<'a> {
    pub(crate) dt_ms: f64,
    /// Names of populations, and their first neuron numbers.
    pub(crate) populations: Vec<(String, u32)>,
    /// Names of sampled variables with their unit, such as `E.v[0] (mV)`.
    pub(crate) channels: Vec<String>,
    /// Interval in steps of each of them, and of rows.
    pub(crate) intervals: Vec<u32>,
    pub(crate) every: u32,
    pub(crate) statistics: Vec<StatisticPlan>,
    /// What was monitored, if that was requested.
    pub(crate) monitored: &'a [MonitorRow],
    /// The values of each variant of a sweep, by their paths; empty without a sweep.
    pub(crate) variants: Vec<Vec<(String, String)>>,
    pub(crate) trials: Vec<TrialRecording>,
    pub(crate) records: &'a RecordsReader,
}

/// A trial in the records.
#[derive(Debug)]
pub(crate) struct TrialRecording {
    pub(crate) job: Job,
    /// The steps of which spikes and samples are kept.
    pub(crate) kept: Range<u32>,
}

/// The time of an event.
#[derive(Debug, Clone, Copy)]
struct EventTime {
    variant: u32,
    trial: u32,
    step: u32,
}

impl EventTime {
    /// That of a record.
    fn of(record: &[u32]) -> EventTime {
        EventTime { variant: record[0], trial: record[1], step: record[2] }
    }
}

impl RunRecording<'_> {
    /// Index of a neuron's population, and of the neuron in it.
    fn place(&self, neuron: u32) -> (usize, u32) {
        let population = self.populations.partition_point(|&(_, first)| first <= neuron).saturating_sub(1);
        (population, neuron - self.populations[population].1)
    }

    fn jobs(&self) -> impl Iterator<Item = Job> {
        self.trials.iter().map(|trial| trial.job)
    }

    /// All spikes, each with its neuron's number in the network.
    fn spikes(&self) -> impl Iterator<Item = (EventTime, u32)> {
        self.jobs().flat_map(|job| self.records.spikes.of(job)).map(|record| (EventTime::of(record), record[3]))
    }

    /// All rows of samples, each with the values of all channels; NaN where a channel has none.
    fn samples(&self) -> impl Iterator<Item = (EventTime, &[f32])> {
        let rows = self.jobs().flat_map(|job| self.records.samples.of(job));
        rows.map(|record| (EventTime::of(record), bytemuck::cast_slice(&record[3..])))
    }

    /// All measurements.
    fn measurements(&self) -> impl Iterator<Item = (EventTime, Measurement)> {
        self.jobs().flat_map(|job| {
            let moment = move |step: u32| EventTime { variant: job.point as u32, trial: job.trial, step };
            self.records.measurements(job, &self.statistics).map(move |of| (moment(of.step), of))
        })
    }

    fn time_ms(&self, step: u32) -> f64 {
        time::of_step(step, self.dt_ms)
    }
}

/// The files in a folder besides `report.json`.
const NAMES: [&str; 19] = [
    "network.json",
    "neuron_ids.csv",
    "spikes.npz",
    "spikes.csv",
    "spikes.parquet",
    "spikes.h5",
    "run.nwb",
    "traces.npz",
    "traces.csv",
    "traces.parquet",
    "statistics.npz",
    "statistics.csv",
    "statistics.parquet",
    "histograms.csv",
    "histograms.parquet",
    "variants.csv",
    "groups.csv",
    "monitor.csv",
    REPORT,
];
/// Written last: if it exists, all files are complete.
const REPORT: &str = "report.json";

/// The folder of `--out`. Its files always belong to one run.
#[derive(Debug, Clone)]
pub(crate) struct OutputFolder {
    path: PathBuf,
    /// What NWB wants to know.
    metadata: Metadata,
}

impl OutputFolder {
    /// Creates it if necessary; checks that it is writable, and has no other unfinished run than one that is `resumed`.
    pub(crate) fn open(path: &Path, metadata: Metadata, resumed: bool) -> Result<OutputFolder, Failure> {
        let folder = OutputFolder { path: path.to_owned(), metadata };
        if !resumed {
            unfinished::check_free(path)?;
        }
        let opened = fs::create_dir_all(path).and_then(|()| files::check_writable(&path.join(REPORT)));
        opened.map_err(|error| folder.unwritable(&error))?;
        Ok(folder)
    }

    /// The files that it writes or removes.
    pub(crate) fn files(&self) -> Vec<FileRole> {
        let names = NAMES.iter().map(|name| (*name).to_owned()).chain(self.reports().unwrap_or_default());
        names.map(|name| FileRole::new(self.path.join(name), "--out")).collect()
    }

    fn unwritable(&self, error: &Error) -> Failure {
        Failure::Output(format!("{} cannot be written: {error}; use another folder with --out", self.path.display()))
    }

    /// Writes `spikes`, `traces` (if there are recordings), `statistics` (if there are any), `variants.csv` (for a sweep), `groups.csv` and
    /// `neuron_ids.csv` (for tables of neurons), `network.json` and, last, `report.json`, replacing those of an earlier run.
    pub(crate) fn write(
        &self,
        format: ResultFormat,
        network: &Network,
        recording: &RunRecording<'_>,
        report: &Report,
    ) -> Result<(), Failure> {
        let about = about(network);
        let attempt = || -> Result<(), Error> {
            self.clear()?;
            let put = |name: &str, content: &dyn Fn(&mut BufWriter<File>) -> Result<(), Error>| {
                files::write(&self.path.join(name), content)
            };
            let put_all = |archived: Result<Vec<(String, Vec<u8>)>, spikelet::Error>| -> Result<(), Error> {
                let mut files = archived.map_err(Error::other)?.into_iter();
                files.try_for_each(|(name, bytes)| put(&name, &|file| file.write_all(&bytes)))
            };
            put("network.json", &|file| writeln!(file, "{}", network.to_json()))?;
            let traces = !recording.channels.is_empty();
            let statistics = !recording.statistics.is_empty();
            if !recording.variants.is_empty() {
                put("variants.csv", &|file| csv::variants(file, recording))?;
            }
            if report.by.is_some() {
                put("groups.csv", &|file| csv::groups(file, recording, report))?;
            }
            if network.populations.iter().any(|population| ids(population).is_some()) {
                put("neuron_ids.csv", &|file| csv::neuron_ids(file, network))?;
            }
            if !recording.monitored.is_empty() {
                put("monitor.csv", &|file| csv::monitored(file, recording.monitored))?;
            }
            match format {
                ResultFormat::Nwb => put_all(archive::of_nwb(network, recording, &self.metadata))?,
                ResultFormat::Sonata => put_all(archive::of_sonata(network, recording))?,
                ResultFormat::Csv => {
                    put("spikes.csv", &|file| csv::spikes(file, recording, network))?;
                    if traces {
                        put("traces.csv", &|file| csv::traces(file, recording))?;
                    }
                }
                ResultFormat::Npz => {
                    put("spikes.npz", &|file| npz::spikes(file, recording).map(|_| ()))?;
                    if traces {
                        put("traces.npz", &|file| npz::traces(file, recording).map(|_| ()))?;
                    }
                }
                ResultFormat::Parquet => {
                    put("spikes.parquet", &|file| parquet::spikes(file, recording, &about))?;
                    if traces {
                        put("traces.parquet", &|file| parquet::traces(file, recording, &about))?;
                    }
                }
            }
            match format {
                _ if !statistics => {}
                ResultFormat::Csv => {
                    put("statistics.csv", &|file| csv::statistics(file, recording))?;
                    put("histograms.csv", &|file| csv::histograms(file, recording))?;
                }
                ResultFormat::Parquet => {
                    put("statistics.parquet", &|file| parquet::statistics(file, recording, &about))?;
                    put("histograms.parquet", &|file| parquet::histograms(file, recording, &about))?;
                }
                // Neither NWB nor SONATA has a place for them.
                ResultFormat::Npz | ResultFormat::Nwb | ResultFormat::Sonata => {
                    put("statistics.npz", &|file| npz::statistics(file, recording).map(|_| ()))?;
                }
            }
            self.put_report(&report.to_json())
        };
        attempt().map_err(|error| files::unwritable(&self.path, &error))
    }

    /// Writes the report of a run without results, unless there are those of an earlier run.
    pub(crate) fn write_first_report(&self, report: &str) -> Result<(), Failure> {
        // A report alone is that of another run without results.
        if self.files().iter().any(|file| file.path().exists() && !file.path().ends_with(REPORT)) {
            return Ok(());
        }
        self.put_report(report).map_err(|error| self.unwritable(&error))
    }

    /// Removes the files of an earlier run.
    fn clear(&self) -> Result<(), Error> {
        let reports = self.reports()?;
        let names: Vec<&str> = NAMES.into_iter().chain(reports.iter().map(String::as_str)).collect();
        files::remove(&self.path, &names)
    }

    /// The reports of SONATA that are there.
    fn reports(&self) -> Result<Vec<String>, Error> {
        let entries = fs::read_dir(&self.path)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(entries.filter(|name| archive::is_report(name)).collect())
    }

    fn put_report(&self, report: &str) -> Result<(), Error> {
        files::write(&self.path.join(REPORT), |file| writeln!(file, "{report}"))
    }
}

/// The identifiers of the neurons of a population, if its table has some.
fn ids(population: &Population) -> Option<impl Iterator<Item = &str>> {
    population.neurons.as_ref()?.table()?.written_ids()
}

/// Writes learned weights.
pub(crate) fn write_learned(path: &Path, learned: &[SynapseState]) -> Result<(), Failure> {
    files::write(path, |file| SynapseState::write(learned, file).map(|_| ()))
        .map_err(|error| unwritable(path, "--save-weights", &error))
}

/// Rejects a file that cannot be written, given by `option`.
pub(crate) fn check_writable(path: &Path, option: &str) -> Result<(), Failure> {
    files::check_writable(path).map_err(|error| unwritable(path, option, &error))
}

/// A file or folder given by `option` that cannot be written.
pub(crate) fn unwritable(path: &Path, option: &str, error: &Error) -> Failure {
    Failure::Output(format!("{} cannot be written: {error}; choose another with {option}", path.display()))
}
