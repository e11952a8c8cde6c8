//! A trial while it runs, and after its run.

use serde::{Deserialize, Serialize};
use spikelet::{
    Activity, Point, PopulationSummary, Recorder, Simulation, SpikeStatistics, SpikeStatisticsOptions, SpikeSummary, TrialRun,
    time,
};

use crate::cell_groups::{CellGroups, GroupCount};
use crate::jobs::Job;
use crate::report::{Changed, Statistic, Stopped, TrialResult};

/// What is summed of a trial while it runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RunningTrial {
    pub(crate) job: Job,
    recorder: Recorder,
    /// The statistics of its spikes, if requested.
    measured: Option<SpikeStatistics>,
    /// The number of its rows of samples so far.
    pub(super) rows: u32,
}

impl RunningTrial {
    /// A trial that has not run. The statistics of its spikes are measured from a time in ms on, if at all.
    pub(super) fn new(job: Job, points: &[Point], measured_from: Option<f64>) -> RunningTrial {
        let plan = &points[job.point].plan;
        let options = |from_ms| SpikeStatisticsOptions { from_ms, ..SpikeStatisticsOptions::default() };
        let measured = measured_from.map(|from_ms| SpikeStatistics::new(plan, &options(from_ms)));
        RunningTrial { job, recorder: Recorder::new(plan), measured, rows: 0 }
    }

    /// Adds a batch that ends at this step.
    pub(super) fn add(&mut self, activity: &Activity, step: u32) {
        self.recorder.add(&activity.spikes);
        if let Some(measured) = &mut self.measured {
            measured.add(&activity.spikes, step);
        }
    }

    /// The trial after a run of at most this number of steps, which ended with this error if any.
    pub(super) fn finish(self, run: &TrialRun, steps: u32, failure: Option<String>, cells: Option<&CellGroups>) -> FinishedTrial {
        let groups = cells.map(|cells| cells.count(&self.recorder));
        let mut done = self.ended(run.time_ms(), failure.or_else(|| run.failure().map(ToString::to_string)));
        (done.steps, done.groups) = (run.step(), groups.unwrap_or_default());
        done.stopped = run.stopped().map(|of| Stopped { condition: of.condition.clone(), time_ms: of.time_ms });
        done.completed = done.failure.is_none() && (done.stopped.is_some() || done.steps >= steps);
        let changed = |of: &spikelet::Changed| Changed {
            time_ms: time::of_step(of.step, run.plan().dt_ms),
            path: of.path.clone(),
            value: of.value.clone(),
        };
        done.changed = run.changed().iter().map(changed).collect();
        done
    }

    /// A trial that could not run.
    pub(super) fn failed(self, failure: String) -> FinishedTrial {
        self.ended(0.0, Some(failure))
    }

    fn ended(self, time_ms: f64, failure: Option<String>) -> FinishedTrial {
        FinishedTrial {
            job: self.job,
            spikes: self.recorder.spikes(),
            spikes_hash: self.recorder.spikes_hash(),
            populations: self.recorder.populations(time_ms),
            synaptic_events: self.recorder.synaptic_events(),
            spike_statistics: self.measured.map(|measured| measured.summary()),
            groups: Vec::new(),
            steps: 0,
            time_ms,
            changed: Vec::new(),
            stopped: None,
            failure,
            completed: false,
            kept_from: 0,
        }
    }
}

/// A trial after its run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FinishedTrial {
    pub(crate) job: Job,
    pub(crate) spikes: u64,
    pub(crate) spikes_hash: String,
    pub(crate) populations: Vec<PopulationSummary>,
    /// Of all ranks, after they are collected.
    pub(crate) synaptic_events: u64,
    pub(super) spike_statistics: Option<SpikeSummary>,
    /// What each group of `--by` fired.
    #[serde(default)]
    pub(crate) groups: Vec<GroupCount>,
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
    /// The first step of which spikes and samples are kept.
    pub(crate) kept_from: u32,
}

impl FinishedTrial {
    /// Its part of the report, with the statistics of the network.
    pub(crate) fn result(&self, point: &Point, statistics: Vec<Statistic>) -> TrialResult {
        let rates = self.populations.iter().map(|population| (population.name.clone(), population.rate_hz));
        TrialResult {
            values: point.values.clone(),
            trial: self.job.trial,
            time_ms: self.time_ms,
            spikes: self.spikes,
            spikes_hash: self.spikes_hash.clone(),
            rates_hz: rates.collect(),
            completed: self.completed,
            failure: self.failure.clone(),
            stopped: self.stopped.clone(),
            statistics,
            spike_statistics: self.spike_statistics.clone(),
            groups: Vec::new(),
        }
    }
}

/// The first step of what is kept of each trial, if not all of it is: of its last `kept_ms`.
pub(super) fn kept_from(kept_ms: Option<f64>, group: &[RunningTrial], simulation: &Simulation) -> Vec<(Job, u32)> {
    let Some(kept_ms) = kept_ms else { return Vec::new() };
    let from = |run: &TrialRun| run.step().saturating_sub((kept_ms / run.plan().dt_ms).round() as u32);
    group.iter().zip(simulation.runs()).map(|(trial, run)| (trial.job, from(run))).collect()
}
