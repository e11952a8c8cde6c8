//! The results of all trials, which ranks with trials of their own send to the first one.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use spikelet::CpuProfile;
use spikelet_gpu::{Device, Monitor};

use super::{FinishedTrial, LastState, TrialDevice, Trials};
use crate::failure::Failure;
use crate::monitor::MonitorRow;
use crate::ranks::{Ranks, Spent};
use crate::records::{Records, RecordsReader};
use crate::report::Backend;
use crate::signal::Signal;
use crate::unfinished::Unfinished;

/// The results of a run.
pub(crate) struct RunResults<'a> {
    /// All trials, in the order of points and trials.
    pub(crate) done: Vec<FinishedTrial>,
    pub(crate) records: RecordsReader,
    /// What is computed of the end of the run after these results are written.
    pub(crate) last: LastState<'a>,
    pub(crate) backend: Backend,
    /// The GPU and its description, if it is one.
    pub(crate) gpu: Option<(Device, Monitor)>,
    /// The times of the operations of a CPU, if they are measured.
    pub(crate) cpu_profile: Option<CpuProfile>,
    /// What was monitored, if that was requested.
    pub(crate) monitored: Option<Vec<MonitorRow>>,
    /// Notices about devices.
    pub(crate) notices: Vec<String>,
    /// Wall time until the first trials were loaded.
    pub(crate) built: Duration,
    /// Wall time of all trials, without the build.
    pub(crate) simulated: Duration,
    /// Wall time to the first spike.
    pub(crate) first_spike: Option<Duration>,
    /// The signal that interrupted it.
    pub(crate) interruption: Option<Signal>,
    /// How often the run was continued.
    pub(crate) resumed: u32,
    /// Where the run is saved, and whether it can be continued after the interruption.
    pub(crate) unfinished: Option<Unfinished>,
    pub(crate) can_continue: bool,
    /// Whether the program has panicked.
    pub(crate) has_panicked: bool,
}

impl<'a> Trials<'a> {
    /// Wall time of all trials of this rank, without the build, and what the exchange with other ranks took of it.
    pub(crate) fn spent(&self) -> (Duration, Spent) {
        (self.simulated, self.exchanged)
    }

    /// The results: on the first rank of all ranks, whose trials it receives if each had its own, or what each knows of their common ones.
    pub(crate) fn into_results(mut self) -> Result<RunResults<'a>, Failure> {
        let total_ms = self.done.iter().map(|done| done.time_ms).sum();
        let monitored = self.monitor.take().map(|monitor| monitor.finish(&self.points[0].plan, total_ms));
        self.notices.append(&mut self.host.notices);
        self.done.sort_by_key(|done| done.job);
        if self.ranks.share_network() {
            // Each knows the synapses onto its own neurons.
            let own: Vec<u64> = self.done.iter().map(|done| done.synaptic_events).collect();
            let all = self.ranks.sum(&own)?;
            self.done.iter_mut().zip(all).for_each(|(done, events)| done.synaptic_events = events);
        } else {
            self.collect()?;
        }
        // What was saved only helps if there is more to do.
        let can_continue = self.host.cadence.is_on() || self.has_saved || self.done.iter().any(|done| done.completed);
        Ok(RunResults {
            done: self.done,
            records: self.records.into_reader()?,
            last: LastState { place: if self.has_failed { TrialDevice::Closed } else { self.place }, host: self.host },
            backend: self.backend.unwrap_or_default(),
            gpu: self.gpu,
            cpu_profile: self.cpu_profile,
            monitored,
            notices: self.notices,
            built: self.built.unwrap_or_default(),
            simulated: self.simulated,
            first_spike: self.first_spike,
            interruption: self.interruption,
            resumed: self.resumed,
            unfinished: self.unfinished,
            can_continue,
            has_panicked: self.has_panicked,
        })
    }

    /// Collects the trials of other ranks on the first one.
    fn collect(&mut self) -> Result<(), Failure> {
        let is_first = self.ranks.is_first();
        let own = RankResults {
            done: if is_first { Vec::new() } else { std::mem::take(&mut self.done) },
            records: if is_first { Default::default() } else { self.take_words()? },
            simulated: self.simulated,
            first_spike: self.first_spike,
            interrupted: self.interruption.map(|signal| signal.number),
            notices: self.notices.clone(),
        };
        for mut other in own.sent_to_first(self.ranks)? {
            self.interruption = self.interruption.or(other.signal());
            self.simulated = self.simulated.max(other.simulated);
            self.first_spike = [self.first_spike, other.first_spike].into_iter().flatten().min();
            self.notices.append(&mut other.notices);
            self.done.append(&mut other.done);
            for (log, words) in self.records.logs_mut().into_iter().zip(&other.records) {
                log.append_words(words)?;
            }
        }
        self.done.sort_by_key(|done| done.job);
        Ok(())
    }

    /// The words of all records.
    fn take_words(&mut self) -> Result<[Vec<u32>; 3], Failure> {
        let records = std::mem::replace(&mut self.records, Records::new(&self.points[0].plan, None)?).into_reader()?;
        Ok([&records.spikes, &records.samples, &records.statistics].map(|log| log.words().to_vec()))
    }
}

/// The results of a rank.
#[derive(Debug, Serialize, Deserialize)]
struct RankResults {
    done: Vec<FinishedTrial>,
    records: [Vec<u32>; 3],
    simulated: Duration,
    first_spike: Option<Duration>,
    /// The number of the signal that interrupted it.
    interrupted: Option<i32>,
    notices: Vec<String>,
}

impl RankResults {
    /// Sends those of this rank to the first one, which has those of all others.
    fn sent_to_first(self, ranks: &Ranks) -> Result<Vec<RankResults>, Failure> {
        let lost = |error| Failure::Run(format!("the results of a rank cannot be sent: {error}; report this error"));
        let bytes = if ranks.is_first() { Vec::new() } else { postcard::to_stdvec(&self).map_err(lost)? };
        ranks.to_first(&bytes)?.iter().map(|bytes| postcard::from_bytes(bytes).map_err(lost)).collect()
    }

    /// The signal that interrupted it.
    fn signal(&self) -> Option<Signal> {
        self.interrupted.and_then(Signal::of_number)
    }
}
