//! Files of a run: spikes, traces and statistics, as CSV or as NumPy arrays, beside the network and the report.

mod csv;
mod npz;

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use spikelet::{Activity, Learned, Measurement, Network, StatisticPlan};

use crate::args::Format;
use crate::failure::Failure;
use crate::report::Report;

/// All spikes and samples of a run, trial after trial.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) dt_ms: f64,
    /// Names of populations, and the number of each one's first neuron.
    pub(crate) populations: Vec<(String, u32)>,
    /// Names of sampled variables with their unit, such as `E.v[0] (mV)`.
    pub(crate) channels: Vec<String>,
    pub(crate) statistics: Vec<StatisticPlan>,
    /// The values of each variant of a sweep, by their paths; none without a sweep.
    pub(crate) variants: Vec<Vec<(String, String)>>,
    pub(crate) trials: Vec<Recorded>,
}

/// What happened in a trial.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// Index of the variant.
    pub(crate) variant: u32,
    pub(crate) trial: u32,
    pub(crate) activity: Activity,
}

/// When something happened.
#[derive(Debug, Clone, Copy)]
struct Moment {
    variant: u32,
    trial: u32,
    step: u32,
}

/// Prints a line. Whoever reads may stop reading (`| head`); any other trouble is told.
pub(crate) fn print(text: &impl std::fmt::Display) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("the output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

impl Recording {
    /// Index of a neuron's population, and of the neuron in it.
    fn place(&self, neuron: u32) -> (usize, u32) {
        let population = self.populations.partition_point(|&(_, first)| first <= neuron).saturating_sub(1);
        (population, neuron - self.populations[population].1)
    }

    /// All spikes, each with its neuron's number in the network.
    fn spikes(&self) -> impl Iterator<Item = (Moment, u32)> {
        self.trials.iter().flat_map(|Recorded { variant, trial, activity }| {
            activity.spikes.iter().map(|spike| (Moment { variant: *variant, trial: *trial, step: spike.step }, spike.neuron))
        })
    }

    /// All samples, each with the values of all channels.
    fn samples(&self) -> impl Iterator<Item = (Moment, &[f32])> {
        self.trials.iter().flat_map(|Recorded { variant, trial, activity }| {
            let rows = (0..).zip(activity.samples.chunks_exact(self.channels.len().max(1)));
            rows.map(|(step, values)| (Moment { variant: *variant, trial: *trial, step }, values))
        })
    }

    /// All measurements.
    fn measurements(&self) -> impl Iterator<Item = (Moment, &Measurement)> {
        self.trials.iter().flat_map(|Recorded { variant, trial, activity }| {
            let moment = |step: u32| Moment { variant: *variant, trial: *trial, step };
            activity.statistics.iter().map(move |of| (moment(of.step), of))
        })
    }

    fn time_ms(&self, step: u32) -> f64 {
        without_dust(f64::from(step) * self.dt_ms)
    }
}

/// A time that is a whole number of steps, as a user writes it: 0.3, not 0.30000000000000004.
pub(crate) fn without_dust(time_ms: f64) -> f64 {
    (time_ms * 1e9).round() / 1e9
}

/// Writes `spikes`, `traces` (where something was recorded), `statistics` (where there are any), `variants.csv` (where there is a sweep), `network.json` and `report.json`
/// into `folder`.
pub(crate) fn write(
    folder: &Path,
    format: Format,
    network: &Network,
    recording: &Recording,
    report: &Report,
) -> Result<(), Failure> {
    let attempt = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("network.json"), network.to_json() + "\n")?;
        fs::write(folder.join("report.json"), report.to_json() + "\n")?;
        let file = |name: &str| Ok::<_, std::io::Error>(BufWriter::new(File::create(folder.join(name))?));
        let traces = !recording.channels.is_empty();
        let statistics = !recording.statistics.is_empty();
        if !recording.variants.is_empty() {
            csv::variants(&mut file("variants.csv")?, recording)?;
        }
        match format {
            Format::Csv => {
                csv::spikes(&mut file("spikes.csv")?, recording)?;
                if traces {
                    csv::traces(&mut file("traces.csv")?, recording)?;
                }
                if statistics {
                    csv::statistics(&mut file("statistics.csv")?, recording)?;
                    csv::histograms(&mut file("histograms.csv")?, recording)?;
                }
            }
            Format::Npz => {
                npz::spikes(file("spikes.npz")?, recording)?.flush()?;
                if traces {
                    npz::traces(file("traces.npz")?, recording)?.flush()?;
                }
                if statistics {
                    npz::statistics(file("statistics.npz")?, recording)?.flush()?;
                }
            }
        }
        Ok(())
    };
    attempt()
        .map_err(|error| Failure::Run(format!("{} cannot be written: {error}; name another folder with --out", folder.display())))
}

/// Writes what synapses have learnt.
pub(crate) fn write_learned(path: &Path, learned: &[Learned]) -> Result<(), Failure> {
    let attempt = || Learned::write(learned, BufWriter::new(File::create(path)?))?.flush();
    attempt().map_err(|error: std::io::Error| {
        Failure::Run(format!("{} cannot be written: {error}; name another file with --save-weights", path.display()))
    })
}
