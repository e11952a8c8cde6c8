//! What is seen of a training that does not learn: groups without a gradient, silent populations, a loss that stands still.

use serde::{Deserialize, Serialize};
use spikelet_network::{Error, Notice};

use super::{EpochResult, Trainer};
use crate::{GroupKind, Parameters, TrainingPlan};

/// Samples of a batch whose spikes are counted: on a GPU each is read by itself.
const COUNTED: usize = 8;
/// Epochs after which a loss that stands still is a notice.
const STILL: usize = 5;
/// The part of a loss by which it moves.
const MOVES: f64 = 1e-6;

/// The mean rate of a population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PopulationRate {
    /// Its name.
    pub population: String,
    /// Spikes per neuron and second.
    pub rate_hz: f64,
}

/// What was seen so far.
pub(super) struct Health {
    /// For each group of parameters whether it had a gradient in this epoch.
    has_gradient: Vec<bool>,
    notices: Vec<Notice>,
}

impl Health {
    pub(super) fn new(parameters: &Parameters) -> Health {
        Health { has_gradient: vec![false; parameters.groups.len()], notices: Vec::new() }
    }

    /// Each once.
    pub(super) fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Sees the gradient of a batch.
    pub(super) fn add(&mut self, parameters: &Parameters, gradient: &[f32]) {
        for (has_gradient, group) in self.has_gradient.iter_mut().zip(&parameters.groups) {
            *has_gradient = *has_gradient || gradient[group.range.clone()].iter().any(|number| *number != 0.0);
        }
    }

    /// Sees the last epoch of a history.
    pub(super) fn end_epoch(&mut self, plan: &TrainingPlan, history: &[EpochResult]) {
        let Some(last) = history.last() else { return };
        let fastest_hz = 1000.0 / plan.network.dt_ms;
        for rate in &last.rates {
            let name = &rate.population;
            if rate.rate_hz == 0.0 {
                let way_out = "make its initial weights or its input larger, or its threshold lower";
                self.say(name, format!("`{name}` has not fired at all in epoch {}; {way_out}", last.epoch));
            } else if rate.rate_hz > 0.99 * fastest_hz {
                let way_out = "make its initial weights or its input smaller, or its threshold higher";
                self.say(name, format!("`{name}` fires in each step in epoch {}; {way_out}", last.epoch));
            }
        }
        let has_gradient = std::mem::replace(&mut self.has_gradient, vec![false; plan.parameters.groups.len()]);
        for (at, group) in plan.parameters.groups.iter().enumerate().filter(|(at, _)| !has_gradient[*at]) {
            let what = if matches!(group.kind, GroupKind::Weights { .. }) { "no weight of" } else { "no value of" };
            let way_out = "the loss does not depend on it here: use larger initial weights, a surrogate that is less steep (a smaller \
                           `slope`), or another `reading`, such as \"mean\" where \"max\" stays at the initial value";
            self.say(
                &format!("train[{at}]"),
                format!("{what} `{}` had a gradient in epoch {}; {way_out}", group.path, last.epoch),
            );
        }
        let losses = || history.iter().rev().take(STILL).map(|epoch| epoch.train.loss());
        let (least, most) = losses().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), loss| (a.min(loss), b.max(loss)));
        // A loss of 0 has nowhere to go.
        if history.len() >= STILL && most > 0.0 && most - least <= MOVES * most.abs() {
            let way_out = "use a larger `optimiser.rate`, other initial weights or another loss";
            self.say("loss", format!("the loss has not moved from {most} for {STILL} epochs; {way_out}"));
        }
    }

    /// One sentence for each path, however often it holds.
    fn say(&mut self, path: &str, sentence: String) {
        if self.notices.iter().all(|notice| notice.path != path) {
            self.notices.push(Notice::new(path.to_owned(), sentence));
        }
    }
}

impl Trainer {
    /// Mean rates of the populations with a threshold, in some of the samples of the batch that was simulated.
    pub(super) async fn rates_of(&mut self, samples: usize) -> Result<Vec<PopulationRate>, Error> {
        let trials = samples.min(COUNTED);
        let populations = &self.plan.plan.populations[..self.plan.network.populations.len()];
        let mut counts = vec![0_u64; populations.len()];
        for trial in 0..trials {
            for spike in self.device.spikes(trial).await? {
                let of = populations.partition_point(|of| of.first <= spike.neuron);
                // Sources follow the populations, and are not counted.
                let is_of = of.checked_sub(1).filter(|of| spike.neuron < populations[*of].first + populations[*of].size);
                is_of.into_iter().for_each(|of| counts[of] += 1);
            }
        }
        let seconds = self.plan.network.duration_ms / 1000.0 * trials as f64;
        let fires = |index: usize| self.plan.plan.populations[index].program.update.condition.is_some();
        let rate = |(index, count): (usize, u64)| PopulationRate {
            population: populations[index].name.clone(),
            rate_hz: count as f64 / (f64::from(populations[index].size) * seconds).max(f64::MIN_POSITIVE),
        };
        Ok(counts.into_iter().enumerate().filter(|(index, _)| fires(*index)).map(rate).collect())
    }
}
