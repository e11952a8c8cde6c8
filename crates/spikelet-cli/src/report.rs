//! The report of a run, as JSON or as a table.

mod groups;
mod spikes;
mod statistics;
mod variants;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;
use spikelet::{Plan, grouped, human};

use crate::energy::Energy;
use crate::ranks::Shares;
use crate::text::{metric, short};
pub(crate) use groups::GroupResult;
pub(crate) use statistics::Statistic;

/// Maximum number of trials listed separately in the table; for more, only the number.
const IN_FULL: usize = 8;

/// A run. The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) network: String,
    pub(crate) neurons: u64,
    pub(crate) synapses: u64,
    pub(crate) dt_ms: f64,
    /// Biological time of each trial: less than requested if a run ended early; the longest of several.
    pub(crate) time_ms: f64,
    pub(crate) seed: u64,
    pub(crate) trials: u32,
    /// Whether every trial reached its end; otherwise the results end earlier.
    pub(crate) completed: bool,
    /// The signal that ended it, such as `SIGINT`.
    pub(crate) interrupted: Option<&'static str>,
    /// How often the run was continued by `spikelet resume`.
    pub(crate) resumed: u32,
    pub(crate) backend: Backend,
    /// Wall time from the start of the command until the network was loaded.
    pub(crate) build_seconds: f64,
    /// Wall time from the start of the command to the first spike; `None` if no neuron fired.
    pub(crate) first_spike_seconds: Option<f64>,
    /// Wall time of all trials, without the build.
    pub(crate) simulate_seconds: f64,
    /// Wall time of the simulation divided by biological time; `None` without steps.
    pub(crate) real_time_factor: Option<f64>,
    /// Steps of all trials per second of simulation; `None` without steps.
    pub(crate) trial_steps_per_second: Option<f64>,
    /// Of all trials.
    pub(crate) spikes: u64,
    /// Of all trials.
    pub(crate) synaptic_events: u64,
    pub(crate) synaptic_events_per_second: Option<f64>,
    /// Updates of neurons of all trials, sources included, per second of simulation; `None` without steps.
    pub(crate) neuron_updates_per_second: Option<f64>,
    /// Memory of the plan, by the items of `--dry-run`.
    pub(crate) memory_bytes: u64,
    /// Resident memory of the process at the end, if known.
    pub(crate) resident_bytes: Option<u64>,
    /// Every buffer of the device; on the CPU the items of the plan.
    pub(crate) buffers: Vec<Buffer>,
    /// Total of all buffers.
    pub(crate) device_bytes: u64,
    /// The profile, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) profile: Option<crate::profile::Report>,
    /// What was monitored, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) monitor: Option<Vec<crate::monitor::MonitorRow>>,
    pub(crate) populations: Vec<Population>,
    pub(crate) spikes_hash: PerTrial<String>,
    /// Changes during the run, of the trial that got furthest.
    pub(crate) changes: Vec<Changed>,
    /// The stop condition of each trial; `None` if there was none.
    pub(crate) stopped: PerTrial<Option<Stopped>>,
    /// Notices of the run: a GPU that was lost.
    pub(crate) notices: Vec<String>,
    /// Results by trial, grouped by combination of values.
    pub(crate) results: Vec<TrialResult>,
    /// The ranks that shared the work, if there were several.
    #[serde(flatten)]
    pub(crate) shares: Option<Shares>,
    /// The energy of the run, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) energy: Option<Energy>,
    /// The column of the tables of neurons by which they are grouped, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<String>,
    /// The part of all runs that was requested, such as `3/16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
}

/// The results of a trial.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TrialResult {
    /// Values of the sweep by their paths; empty without a sweep.
    #[serde(serialize_with = "as_object")]
    pub(crate) values: Vec<(String, String)>,
    pub(crate) trial: u32,
    pub(crate) time_ms: f64,
    pub(crate) spikes: u64,
    pub(crate) spikes_hash: String,
    /// Mean rate of each population.
    #[serde(serialize_with = "as_object")]
    pub(crate) rates_hz: Vec<(String, f64)>,
    pub(crate) completed: bool,
    /// The error that ended it.
    pub(crate) failure: Option<String>,
    pub(crate) stopped: Option<Stopped>,
    /// The statistics of the network.
    pub(crate) statistics: Vec<Statistic>,
    /// Those of its spikes, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spike_statistics: Option<spikelet::SpikeSummary>,
    /// The groups of neurons, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) groups: Vec<GroupResult>,
}

/// Names and values as an object, in their order.
pub(crate) fn as_object<T: Serialize, S: serde::Serializer>(pairs: &[(String, T)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// A buffer of the device.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Buffer {
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// An applied change of the network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Changed {
    pub(crate) time_ms: f64,
    pub(crate) path: String,
    pub(crate) value: String,
}

/// The condition that ended a trial.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Stopped {
    pub(crate) condition: String,
    pub(crate) time_ms: f64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Backend {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) threads: usize,
    pub(crate) reason: String,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Population {
    pub(crate) name: String,
    pub(crate) size: u32,
    /// Mean over neurons and trials.
    pub(crate) rate_hz: f64,
    /// Mean over neurons with enough spikes, and trials; `None` if there are none.
    pub(crate) cv_isi: Option<f64>,
}

/// A value for one trial, a list for several.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum PerTrial<T> {
    One(T),
    Several(Vec<T>),
}

impl<T> From<Vec<T>> for PerTrial<T> {
    fn from(mut values: Vec<T>) -> PerTrial<T> {
        match (values.len(), values.pop()) {
            (1, Some(only)) => PerTrial::One(only),
            (_, last) => {
                values.extend(last);
                PerTrial::Several(values)
            }
        }
    }
}

impl<T> PerTrial<T> {
    /// The values of all trials, in their order.
    fn as_slice(&self) -> &[T] {
        match self {
            PerTrial::One(value) => std::slice::from_ref(value),
            PerTrial::Several(values) => values,
        }
    }
}

impl Report {
    /// Records the memory of the device: the buffers of a GPU, or the memory of the plan on the CPU.
    pub(crate) fn keep_account(&mut self, of_gpu: Option<Vec<(String, u64)>>, plan: &Plan) {
        let of_plan =
            || plan.memory().into_iter().filter(|(_, bytes)| *bytes > 0).map(|(name, bytes)| (name.into(), bytes)).collect();
        let buffers: Vec<(String, u64)> = of_gpu.unwrap_or_else(of_plan);
        self.device_bytes = buffers.iter().map(|(_, bytes)| bytes).sum();
        self.buffers = buffers.into_iter().map(|(name, bytes)| Buffer { name, bytes }).collect();
    }

    /// Every buffer as a table.
    pub(crate) fn account(&self) -> String {
        let row = |(name, size): (&str, u64)| format!("{name:<20} {size:>14}  {}", human(size));
        let rows = self.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.bytes)).chain([("total", self.device_bytes)]);
        format!("\n{:<20} {:>14}\n{}", "buffer", "bytes", rows.map(row).collect::<Vec<_>>().join("\n"))
    }

    /// One object on several lines.
    pub(crate) fn to_json(&self) -> String {
        // Names and finite numbers only: cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trials = if self.trials == 1 { String::new() } else { format!(", {} trials", self.trials) };
        let factor = self.real_time_factor.map_or(String::new(), |factor| format!(", real-time factor {}", short(factor)));
        let speed = self.synaptic_events_per_second.map_or(String::new(), |speed| format!(", {}/s", metric(speed)));
        let rows = [
            ("network", self.network.clone()),
            ("neurons", grouped(self.neurons)),
            ("synapses", grouped(self.synapses)),
            ("time", format!("{} ms in steps of {} ms, seed {}{trials}", self.time_ms, self.dt_ms, self.seed)),
            ("backend", format!("{}: {}", self.backend.name, self.backend.reason)),
            ("build", format!("{} s", short(self.build_seconds))),
            ("simulate", format!("{} s{factor}", short(self.simulate_seconds))),
            ("first spike", self.first_spike_seconds.map_or("none".to_owned(), |s| format!("after {} s", short(s)))),
            ("spikes", grouped(self.spikes)),
            ("events", format!("{}{speed}", grouped(self.synaptic_events))),
            (
                "updates",
                self.neuron_updates_per_second.map_or("none".to_owned(), |speed| format!("{}/s of neurons", metric(speed))),
            ),
            ("memory", {
                let resident = self.resident_bytes.map(|held| format!("; memory of the process {}", human(held)));
                format!("{} planned{}", human(self.memory_bytes), resident.unwrap_or_default())
            }),
            ("spikes hash", self.hashes()),
        ];
        for (name, value) in rows {
            writeln!(f, "{name:<12} {value}")?;
        }
        if let (true, Some(speed)) = (self.trials > 1, self.trial_steps_per_second) {
            writeln!(f, "{:<12} {} trial-steps/s", "speed", metric(speed))?;
        }
        if let Some(shares) = &self.shares {
            writeln!(f, "{:<12} {}", "ranks", shares.line())?;
        }
        for line in self.energy.iter().flat_map(Energy::lines) {
            writeln!(f, "{:<12} {line}", "energy")?;
        }
        if let Some(part) = &self.part {
            writeln!(f, "{:<12} {part} of all trials and combinations of values", "part")?;
        }
        for Changed { time_ms, path, value } in &self.changes {
            writeln!(f, "{:<12} {path} = {} at {time_ms} ms", "changed", without_long_list(value))?;
        }
        self.stops(f)?;
        self.breaks(f)?;
        variants::write(f, &self.results)?;
        statistics::write(f, &self.results)?;
        for notice in &self.notices {
            writeln!(f, "{:<12} {notice}", "notice")?;
        }

        let widest = self.populations.iter().map(|p| p.name.chars().count()).max().unwrap_or(0).max("population".len());
        write!(f, "\n{:<widest$} {:>10} {:>9} {:>7}", "population", "size", "rate Hz", "CV ISI")?;
        for Population { name, size, rate_hz, cv_isi } in &self.populations {
            let cv = cv_isi.map_or("-".to_owned(), |cv| format!("{cv:.3}"));
            write!(f, "\n{name:<widest$} {:>10} {rate_hz:>9.2} {cv:>7}", grouped(u64::from(*size)))?;
        }
        spikes::write(f, &self.results, widest)?;
        groups::write(f, self.by.as_deref(), &self.results)
    }
}

impl Report {
    /// The hashes of the trials, as far as they fit on a line.
    fn hashes(&self) -> String {
        let hashes = self.spikes_hash.as_slice();
        let shown = hashes[..hashes.len().min(IN_FULL)].join(" ");
        if hashes.len() > IN_FULL { format!("{shown} … {} in all, see --json", hashes.len()) } else { shown }
    }

    /// Why trials ended early.
    fn stops(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = || self.results.iter().filter_map(|result| Some((result, result.stopped.as_ref()?)));
        if ended().count() > IN_FULL {
            return writeln!(f, "{:<12} {} of {} trials, see --json", "stopped", ended().count(), self.trials);
        }
        for (result, Stopped { condition, time_ms }) in ended() {
            writeln!(f, "{:<12} {condition} at {time_ms} ms{}", "stopped", self.of(result))?;
        }
        Ok(())
    }

    /// Why trials did not reach their end.
    fn breaks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = || self.results.iter().filter_map(|result| Some((result, result.failure.as_ref()?)));
        for (result, failure) in failed().take(IN_FULL) {
            writeln!(f, "{:<12} {failure}{}", "failed", self.of(result))?;
        }
        if failed().count() > IN_FULL {
            writeln!(f, "{:<12} {} of {} trials in all, see --json", "", failed().count(), self.trials)?;
        }
        if let Some(signal) = self.interrupted {
            writeln!(f, "{:<12} by {signal} at {} ms: the results end there", "interrupted", self.time_ms)?;
        }
        Ok(())
    }

    /// The trial among several.
    fn of(&self, result: &TrialResult) -> String {
        let trial = if self.trials == 1 { String::new() } else { format!(", trial {}", result.trial) };
        let values = result.values.iter().map(|(path, value)| format!(", {path} = {value}"));
        std::iter::once(trial).chain(values).collect()
    }
}

/// The report of a run that a signal ended before any results.
pub(crate) fn of_nothing(network: &str, interrupted: &str) -> String {
    let report = json!({"network": network, "time_ms": 0.0, "completed": false, "interrupted": interrupted, "results": []});
    // Names and finite numbers only: cannot fail.
    serde_json::to_string_pretty(&report).unwrap_or_default()
}

/// A value as text; of a long list only the number of its values. `--json` has all.
fn without_long_list(value: &str) -> Cow<'_, str> {
    const MAX_BYTES: usize = 60;
    if value.len() <= MAX_BYTES { value.into() } else { format!("a list of {} values", value.split(',').count()).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_trial_has_a_hash_and_several_a_list() {
        let json = |hashes: &[&str]| {
            let hashes: Vec<String> = hashes.iter().map(|hash| (*hash).to_owned()).collect();
            serde_json::to_string(&PerTrial::from(hashes)).unwrap()
        };
        assert_eq!(json(&["a"]), "\"a\"");
        assert_eq!(json(&["a", "b"]), "[\"a\",\"b\"]");
    }
}
