//! What a run records, as tables of words that grow while it runs: in files, so that memory does not grow with the duration, or in memory.
//!
//! `docs/runs.md` describes the files.

mod log;
mod words;

use std::path::Path;

use serde::{Deserialize, Serialize};
use spikelet::{Activity, Distribution, Measurement, Plan, SampleRows};

use crate::failure::Failure;
use crate::jobs::Job;
use log::LogState;
pub(crate) use log::{Log, LogReader};

/// Spikes, rows of samples and statistics of all trials.
pub(crate) struct Records {
    /// Variant, trial, step, and the neuron's number in the network.
    pub(crate) spikes: Log,
    /// Variant, trial, step, and the values of all channels.
    pub(crate) samples: Log,
    /// Variant, trial, step, and the statistic with its distribution.
    pub(crate) statistics: Log,
    rows: SampleRows,
    /// Interval in steps of each channel.
    intervals: Vec<u32>,
}

/// What is read of [`Records`] after a run.
pub(crate) struct RecordsReader {
    pub(crate) spikes: LogReader,
    pub(crate) samples: LogReader,
    pub(crate) statistics: LogReader,
}

/// What [`Records`] were at a time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RecordsState([LogState; 3]);

impl RecordsState {
    /// The length of each table, in records.
    pub(crate) fn lengths(&self) -> [u64; 3] {
        [0, 1, 2].map(|table| self.0[table].records)
    }
}

/// The files of the tables.
pub(crate) const NAMES: [&str; 3] = ["spikes.bin", "traces.bin", "statistics.bin"];

/// Words of a record before its own: the variant, the trial and the step.
const HEAD: usize = 3;
/// Words of a statistic before its bins.
const STATISTIC: usize = 13;

impl Records {
    /// Those of runs of this plan, in files of a folder, or in memory.
    ///
    /// # Errors
    /// A file that cannot be created.
    pub(crate) fn new(plan: &Plan, folder: Option<&Path>) -> Result<Records, Failure> {
        let log = |name: &str, words: usize| match folder {
            Some(folder) => Log::in_file(folder.join(name), HEAD + words),
            None => Ok(Log::in_memory(HEAD + words)),
        };
        let rows = plan.sample_rows();
        let bins = plan.statistics.iter().map(|of| of.bins()).max().unwrap_or(0);
        Ok(Records {
            spikes: log(NAMES[0], 1)?,
            samples: log(NAMES[1], rows.width)?,
            statistics: log(NAMES[2], STATISTIC + bins)?,
            rows,
            intervals: plan.channels.iter().map(|channel| channel.every).collect(),
        })
    }

    /// The number of records in each table.
    pub(crate) fn lengths(&self) -> [usize; 3] {
        [&self.spikes, &self.samples, &self.statistics].map(Log::records)
    }

    /// The three tables.
    pub(crate) fn logs_mut(&mut self) -> [&mut Log; 3] {
        [&mut self.spikes, &mut self.samples, &mut self.statistics]
    }

    /// Adds the spikes and samples of a trial; `first_row` is the number of its rows so far.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn add(&mut self, job: Job, activity: &Activity, first_row: u32) -> Result<(), Failure> {
        self.spikes.append(job, |words, head| {
            for spike in &activity.spikes {
                words.extend([head[0], head[1], spike.step, spike.neuron]);
            }
        })?;
        if self.rows.width == 0 {
            return Ok(());
        }
        let steps = (first_row * self.rows.every..).step_by(self.rows.every as usize);
        self.samples.append(job, |words, head| {
            for (step, values) in steps.zip(activity.samples.chunks_exact(self.rows.width)) {
                // Rows between the times of all channels are empty.
                if self.intervals.iter().any(|every| step.is_multiple_of(*every)) {
                    words.extend([head[0], head[1], step]);
                    words.extend(values.iter().map(|value| value.to_bits()));
                }
            }
        })
    }

    /// Adds the statistics of a trial.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn add_statistics(&mut self, job: Job, measured: &[Measurement]) -> Result<(), Failure> {
        let width = self.statistics.width();
        self.statistics.append(job, |words, head| {
            for Measurement { step, statistic, distribution: of } in measured {
                let end = words.len() + width;
                words.extend([head[0], head[1], *step, *statistic as u32, of.finite, of.not_finite, of.below, of.above]);
                let halves = |number: f64| [number.to_bits() as u32, (number.to_bits() >> 32) as u32];
                words.extend([of.mean, of.sd, of.min, of.max].into_iter().flat_map(halves));
                words.extend(&of.counts);
                words.resize(end, 0);
            }
        })
    }

    /// Drops the spikes and samples of trials before these steps; they are in memory.
    ///
    /// # Errors
    /// As [`Records::flush`].
    pub(crate) fn drop_before(&mut self, steps: &[(Job, u32)]) -> Result<(), Failure> {
        if steps.is_empty() {
            return Ok(());
        }
        let is_kept = |record: &[u32]| {
            let is_own = |(job, _): &&(Job, u32)| job.point as u32 == record[0] && job.trial == record[1];
            steps.iter().find(is_own).is_none_or(|(_, from)| record[2] >= *from)
        };
        self.spikes.retain(is_kept)?;
        self.samples.retain(is_kept)
    }

    /// What was recorded so far, on the disk if it is in files.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn state(&mut self) -> Result<RecordsState, Failure> {
        self.flush()?;
        self.state_at(self.lengths())
    }

    /// The same with only the first records of each table.
    ///
    /// # Errors
    /// As [`Records::state`].
    pub(crate) fn state_at(&mut self, lengths: [usize; 3]) -> Result<RecordsState, Failure> {
        self.logs_mut().into_iter().try_for_each(Log::sync)?;
        let [spikes, samples, statistics] = lengths;
        Ok(RecordsState([self.spikes.state(spikes)?, self.samples.state(samples)?, self.statistics.state(statistics)?]))
    }

    /// Checks that the files still begin with what they had at that time.
    ///
    /// # Errors
    /// A file that is shorter, or has other content.
    pub(crate) fn check(&self, state: &RecordsState) -> Result<(), Failure> {
        [&self.spikes, &self.samples, &self.statistics].into_iter().zip(&state.0).try_for_each(|(log, state)| log.check(state))
    }

    /// Returns to it.
    ///
    /// # Errors
    /// A file is shorter, or cannot be changed.
    pub(crate) fn restore(&mut self, state: RecordsState) -> Result<(), Failure> {
        self.logs_mut().into_iter().zip(state.0).try_for_each(|(log, state)| log.restore(state))
    }

    /// Writes everything.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.logs_mut().into_iter().try_for_each(Log::flush)
    }

    /// The number of rows in a batch.
    pub(crate) fn rows_of(&self, activity: &Activity) -> u32 {
        activity.samples.len().checked_div(self.rows.width).unwrap_or(0) as u32
    }

    /// Takes all that was added, to read it.
    ///
    /// # Errors
    /// A file that cannot be written or read.
    pub(crate) fn into_reader(self) -> Result<RecordsReader, Failure> {
        Ok(RecordsReader {
            spikes: self.spikes.into_reader()?,
            samples: self.samples.into_reader()?,
            statistics: self.statistics.into_reader()?,
        })
    }
}

impl RecordsReader {
    /// The statistics of a trial, of which `plan` has the bins.
    pub(crate) fn measurements(&self, job: Job, plan: &[spikelet::StatisticPlan]) -> impl Iterator<Item = Measurement> {
        self.statistics.of(job).map(move |words| {
            let number = |at: usize| f64::from_bits(u64::from(words[at]) | u64::from(words[at + 1]) << 32);
            let statistic = words[HEAD] as usize;
            let bins = plan.get(statistic).map_or(0, |of| of.bins());
            let first = HEAD + STATISTIC;
            let distribution = Distribution {
                finite: words[4],
                not_finite: words[5],
                below: words[6],
                above: words[7],
                mean: number(8),
                sd: number(10),
                min: number(12),
                max: number(14),
                counts: words[first..first + bins].to_vec(),
            };
            Measurement { step: words[2], statistic, distribution }
        })
    }
}
