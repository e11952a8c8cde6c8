//! A trial after its run.

use serde::{Deserialize, Serialize};
use spikelet::{Activity, Point, Recorder, SampleRows, SpikeStatistics, SpikeStatisticsOptions, SpikeSummary, time};

use crate::jobs::Job;
use crate::report::{Changed, Statistic, Stopped, TrialResult};

/// A trial after its run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FinishedTrial {
    pub(crate) job: Job,
    pub(crate) recorder: Recorder,
    /// The statistics of its spikes, if requested: while it runs the sums, then their summary.
    #[serde(skip)]
    pub(super) measured: Option<SpikeStatistics>,
    pub(crate) spike_statistics: Option<SpikeSummary>,
    /// Of all ranks, after they are collected.
    pub(crate) synaptic_events: u64,
    pub(crate) steps: u32,
    /// Its biological time.
    pub(crate) time_ms: f64,
    pub(crate) changed: Vec<Changed>,
    /// Why it ended early.
    pub(crate) stopped: Option<Stopped>,
    /// The error that ended it.
    pub(crate) failure: Option<String>,
    /// Whether it reached its end.
    pub(crate) completed: bool,
    /// Statistics; other results only if files are written.
    pub(super) activity: Activity,
    /// The first step of which spikes and samples are kept, and the rows of samples before it.
    pub(super) kept_from: u32,
    pub(super) dropped_rows: u32,
}

impl FinishedTrial {
    /// A trial that has not run. The statistics of its spikes are measured from a time in ms on, if at all.
    pub(super) fn new(job: Job, points: &[Point], measured_from: Option<f64>) -> FinishedTrial {
        let (recorder, activity) = (Recorder::new(&points[job.point].plan), Activity::default());
        let options = |from_ms| SpikeStatisticsOptions { from_ms, ..SpikeStatisticsOptions::default() };
        let measured = measured_from.map(|from_ms| SpikeStatistics::new(&points[job.point].plan, &options(from_ms)));
        let (changed, stopped, failure, completed) = (Vec::new(), None, None, false);
        FinishedTrial {
            job,
            recorder,
            measured,
            spike_statistics: None,
            synaptic_events: 0,
            steps: 0,
            time_ms: 0.0,
            changed,
            stopped,
            failure,
            completed,
            activity,
            kept_from: 0,
            dropped_rows: 0,
        }
    }

    /// Drops spikes and samples before the step `from`.
    pub(super) fn drop_before(&mut self, from: u32, of: SampleRows) {
        let spikes = self.activity.spikes.partition_point(|spike| spike.step < from);
        self.activity.spikes.drain(..spikes);
        let held = self.activity.samples.len() / of.width.max(1);
        let rows = from.div_ceil(of.every.max(1)).saturating_sub(self.dropped_rows).min(held as u32);
        self.activity.samples.drain(..rows as usize * of.width);
        self.dropped_rows += rows;
        self.kept_from = from;
    }

    /// The same once there is as much to drop as is kept, so that each spike is moved once.
    pub(super) fn drop_half(&mut self, from: u32, now: u32, of: SampleRows) {
        if from.saturating_sub(self.kept_from) >= now - from {
            self.drop_before(from, of);
        }
    }

    /// The result after a run of this number of steps.
    pub(super) fn finish(&mut self, run: &spikelet::TrialRun, steps: u32) {
        (self.steps, self.time_ms) = (run.step(), run.time_ms());
        self.synaptic_events = self.recorder.synaptic_events();
        self.spike_statistics = self.measured.take().map(|measured| measured.summary());
        self.stopped = run.stopped().map(|of| Stopped { condition: of.condition.clone(), time_ms: of.time_ms });
        if let Some(error) = run.failure() {
            self.failure.get_or_insert(error.to_string());
        }
        self.completed = self.failure.is_none() && (self.stopped.is_some() || self.steps >= steps);
        let changed = |of: &spikelet::Changed| Changed {
            time_ms: time::of_step(of.step, run.plan().dt_ms),
            path: of.path.clone(),
            value: of.value.clone(),
        };
        self.changed = run.changed().iter().map(changed).collect();
    }

    /// Its part of the report.
    pub(crate) fn result(&self, point: &Point) -> TrialResult {
        let rates = self.recorder.populations(self.time_ms).into_iter().map(|population| (population.name, population.rate_hz));
        TrialResult {
            values: point.values.clone(),
            trial: self.job.trial,
            time_ms: self.time_ms,
            spikes: self.recorder.spikes(),
            spikes_hash: self.recorder.spikes_hash(),
            rates_hz: rates.collect(),
            completed: self.completed,
            failure: self.failure.clone(),
            stopped: self.stopped.clone(),
            statistics: Statistic::of(&point.plan, &self.activity.statistics),
            spike_statistics: self.spike_statistics.clone(),
        }
    }
}
