//! Finds the first step at whose end a condition is true.

use std::collections::VecDeque;
use std::ops::Range;

use crate::network::StopCondition;
use crate::snapshot::ConditionProgress;
use crate::{Epoch, Error, Network, Plan, Spike};

/// Conditions, with the spikes of a run that they have received.
pub(super) struct ConditionMonitor {
    conditions: Vec<MonitoredCondition>,
    /// The first step that it receives.
    since: u32,
}

struct MonitoredCondition {
    condition: StopCondition,
    /// The object whose spikes count.
    neurons: Range<u32>,
    /// Window of a rate in steps; 0 for counts from the start.
    window: u32,
    /// Divisor of a count: neurons times milliseconds for a rate, so that it is in kHz.
    divisor: f64,
    /// Spikes from the start, or in the window.
    count: u64,
    /// Steps of the window with spikes, with their number.
    recent: VecDeque<(u32, u64)>,
}

impl ConditionMonitor {
    /// For the conditions of a network, from the start of the run.
    pub(super) fn new(network: &Network, plan: &Plan) -> Result<ConditionMonitor, Error> {
        Ok(ConditionMonitor::of(network.stop_conditions()?, plan, 0))
    }

    /// For conditions that count the steps from `since` on.
    pub(super) fn of(conditions: Vec<StopCondition>, plan: &Plan, since: u32) -> ConditionMonitor {
        let watched = |condition: StopCondition| {
            let named = plan.populations.iter().find(|population| Some(&population.name) == condition.of.as_ref());
            let neurons = named.map_or(0..plan.neurons(), |population| population.first..population.first + population.size);
            let window = condition.window_steps(plan.dt_ms);
            let divisor = if window == 0 { 1.0 } else { neurons.len() as f64 * f64::from(window) * plan.dt_ms };
            MonitoredCondition { condition, neurons, window, divisor, count: 0, recent: VecDeque::new() }
        };
        ConditionMonitor { conditions: conditions.into_iter().map(watched).collect(), since }
    }

    /// Clears its counts.
    pub(super) fn reset(&mut self) {
        for watched in &mut self.conditions {
            watched.count = 0;
            watched.recent.clear();
        }
    }

    /// Its counts, condition by condition.
    pub(super) fn progress(&self) -> Vec<ConditionProgress> {
        let received = |watched: &MonitoredCondition| ConditionProgress {
            count: watched.count,
            recent: watched.recent.iter().copied().collect(),
        };
        self.conditions.iter().map(received).collect()
    }

    /// Restores counts.
    pub(super) fn resume(&mut self, received: &[ConditionProgress]) {
        self.reset();
        for (watched, ConditionProgress { count, recent }) in self.conditions.iter_mut().zip(received) {
            watched.count = *count;
            watched.recent.extend(recent);
        }
    }

    /// Receives the spikes of the next steps, in the order of steps. Returns the first step at whose end a condition is true, with the
    /// first such condition.
    pub(super) fn observe(&mut self, epoch: Epoch, spikes: &[Spike]) -> Option<(u32, &str)> {
        let since = self.since;
        let found = self.conditions.iter_mut().map(|watched| (watched.observe(epoch, spikes, since), &watched.condition));
        let found = found.filter_map(|(step, condition)| Some((step?, condition.text.as_str())));
        found.min_by_key(|(step, _)| *step)
    }
}

impl MonitoredCondition {
    fn observe(&mut self, epoch: Epoch, spikes: &[Spike], since: u32) -> Option<u32> {
        let mut spikes = spikes.iter().filter(|spike| self.neurons.contains(&spike.neuron)).peekable();
        for step in epoch.first..epoch.end() {
            let mut now = 0;
            while spikes.next_if(|spike| spike.step == step).is_some() {
                now += 1;
            }
            self.count += now;
            if self.window > 0 {
                if now > 0 {
                    self.recent.push_back((step, now));
                }
                while let Some((first, count)) = self.recent.front().copied()
                    && step - first >= self.window
                {
                    self.count -= count;
                    self.recent.pop_front();
                }
            }
            let StopCondition { comparison, limit, .. } = self.condition;
            let too_early = comparison.is_from_above() && step + 1 - since < self.window;
            if !too_early && comparison.holds(self.count as f64 / self.divisor, limit) {
                return Some(step);
            }
        }
        None
    }
}
