//! `spikelet run --monitor S`: time, memory, speed and rates during the run.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use spikelet::{Activity, Plan, human};
use spikelet_native::memory;

use crate::terminal;
use crate::text::{metric, short};

/// What happened since the row before. The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MonitorRow {
    /// Wall time since the start of the command.
    pub(crate) wall_seconds: f64,
    /// Biological time of all trials so far.
    pub(crate) time_ms: f64,
    /// Resident memory of the process, if known.
    pub(crate) resident_bytes: Option<u64>,
    /// Steps of all trials per second of wall time.
    pub(crate) steps_per_second: f64,
    pub(crate) spikes: u64,
    /// Mean rate of each population. In a checkpoint an object and a list of pairs are the same.
    #[serde(serialize_with = "crate::report::as_object")]
    pub(crate) rates_hz: Vec<(String, f64)>,
}

/// Makes a row at intervals of wall time, at the end of a batch of steps.
pub(crate) struct RunMonitor {
    interval: Duration,
    started: Instant,
    last: Instant,
    /// Biological time of all trials at the last row.
    last_ms: f64,
    /// Spikes of each population since then.
    spikes: Vec<u64>,
    prints: bool,
    rows: Vec<MonitorRow>,
    /// Wall time of the run before it was continued.
    before: Duration,
}

/// A monitor of a run that continues later.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct MonitorState {
    rows: Vec<MonitorRow>,
    last_ms: f64,
    spikes: Vec<u64>,
    wall: Duration,
    since_last: Duration,
}

impl RunMonitor {
    /// A monitor of a command that `started`; rows are printed as they are made if it `prints`.
    pub(crate) fn new(seconds: f64, started: Instant, prints: bool) -> RunMonitor {
        let (interval, last) = (Duration::from_secs_f64(seconds), Instant::now());
        let (rows, spikes, before) = (Vec::new(), Vec::new(), Duration::ZERO);
        RunMonitor { interval, started, last, last_ms: 0.0, spikes, prints, rows, before }
    }

    /// The same, after what was monitored before.
    pub(crate) fn after(self, state: MonitorState) -> RunMonitor {
        let MonitorState { rows, last_ms, spikes, wall: before, since_last } = state;
        let last = self.last.checked_sub(since_last).unwrap_or(self.last);
        RunMonitor { rows, last, last_ms, spikes, before, ..self }
    }

    /// What was monitored so far.
    pub(crate) fn state(&self) -> MonitorState {
        let wall = self.before + self.started.elapsed();
        let (rows, spikes, since_last) = (self.rows.clone(), self.spikes.clone(), self.last.elapsed());
        MonitorState { rows, last_ms: self.last_ms, spikes, wall, since_last }
    }

    /// Counts the spikes of a batch of all trials, which have run to `time_ms` together.
    pub(crate) fn count(&mut self, plan: &Plan, activities: &[Activity], time_ms: f64) {
        self.spikes.resize(plan.populations.len(), 0);
        for spike in activities.iter().flat_map(|activity| &activity.spikes) {
            self.spikes[plan.locate(spike.neuron).0] += 1;
        }
        if self.last.elapsed() >= self.interval {
            self.add_row(plan, time_ms);
        }
    }

    /// The rows, with one for what is left at the end.
    pub(crate) fn finish(mut self, plan: &Plan, time_ms: f64) -> Vec<MonitorRow> {
        if time_ms > self.last_ms {
            self.add_row(plan, time_ms);
        }
        self.rows
    }

    fn add_row(&mut self, plan: &Plan, time_ms: f64) {
        let (now, passed_ms) = (Instant::now(), time_ms - self.last_ms);
        let wall = (now - self.last).as_secs_f64();
        let rate = |count: u64, size: u32| {
            let neuron_seconds = f64::from(size) * passed_ms / 1000.0;
            if neuron_seconds > 0.0 { count as f64 / neuron_seconds } else { 0.0 }
        };
        let rates = plan.populations.iter().zip(&self.spikes).map(|(of, count)| (of.name.clone(), rate(*count, of.size)));
        let row = MonitorRow {
            wall_seconds: (self.before + (now - self.started)).as_secs_f64(),
            time_ms,
            resident_bytes: memory::resident(),
            steps_per_second: if wall > 0.0 { passed_ms / plan.dt_ms / wall } else { 0.0 },
            spikes: self.spikes.iter().sum(),
            rates_hz: rates.collect(),
        };
        if self.prints {
            terminal::say(&row.line());
        }
        self.rows.push(row);
        (self.last, self.last_ms) = (now, time_ms);
        self.spikes.fill(0);
    }
}

impl MonitorRow {
    fn line(&self) -> String {
        let rates: Vec<String> = self.rates_hz.iter().map(|(name, rate)| format!("{name} {} Hz", short(*rate))).collect();
        let memory = self.resident_bytes.map_or("unknown memory".to_owned(), human);
        let (wall, speed) = (short(self.wall_seconds), metric(self.steps_per_second));
        format!("{wall} s: {} ms, {speed} steps/s, {memory}, {}", self.time_ms, rates.join(", "))
    }
}
