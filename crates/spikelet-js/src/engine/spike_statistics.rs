//! Statistics of the spikes of a run.

use spikelet::{Simulation, Spike, SpikeStatistics, SpikeStatisticsOptions};

use super::command_error::CommandError;

/// The statistics of each trial, if they are requested.
pub(super) struct RunStatistics {
    /// The first time that counts, in ms.
    from_ms: Option<f64>,
    trials: Vec<SpikeStatistics>,
}

impl RunStatistics {
    /// Those of a simulation, from this time on.
    pub(super) fn new(from_ms: Option<f64>, simulation: &Simulation) -> RunStatistics {
        let mut statistics = RunStatistics { from_ms, trials: Vec::new() };
        statistics.begin(simulation);
        statistics
    }

    /// Begins again at the time of the simulation.
    pub(super) fn begin(&mut self, simulation: &Simulation) {
        let Some(from_ms) = self.from_ms else { return };
        let options = SpikeStatisticsOptions { from_ms: from_ms.max(simulation.time_ms()), ..SpikeStatisticsOptions::default() };
        self.trials = simulation.runs().iter().map(|run| SpikeStatistics::new(run.plan(), &options)).collect();
    }

    /// Adds the spikes of a trial in the steps before `until`.
    pub(super) fn add(&mut self, trial: usize, spikes: &[Spike], until: u32) {
        if let Some(of) = self.trials.get_mut(trial) {
            of.add(spikes, until);
        }
    }

    /// Those of a trial as JSON.
    pub(super) fn json(&self, trial: usize) -> Result<String, CommandError> {
        self.trials.get(trial).map(|of| of.summary().to_json()).ok_or_else(|| {
            let expected = "the spikes of this simulation are not measured";
            CommandError::invalid(
                "statistics",
                "requested",
                expected,
                "create it with the option `statistics: true`, or a time in ms",
            )
        })
    }
}
