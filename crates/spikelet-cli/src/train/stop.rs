//! Conditions that end a training before all its epochs.

use spikelet_train::{EpochResult, TrainerState};

/// The conditions of `--until` and `--patience`.
pub(super) struct StopRule {
    until: Option<f64>,
    patience: Option<u32>,
}

impl StopRule {
    pub(super) fn new(until: Option<f64>, patience: Option<u32>) -> StopRule {
        StopRule { until, patience }
    }

    /// Why the training ends after the last epoch of its history, if it does.
    pub(super) fn after(&self, state: &TrainerState) -> Option<String> {
        let last = state.history.last()?;
        if let (Some(until), Some(accuracy)) = (self.until, last.judged().accuracy())
            && accuracy >= until
        {
            return Some(format!("stopped at an accuracy of {:.2} %", 100.0 * accuracy));
        }
        let (patience, EpochResult { epoch, .. }) = (self.patience?, last);
        let best = state.best.as_ref().map_or(*epoch, |best| best.epoch);
        (epoch - best >= patience).then(|| format!("stopped because epoch {best} is the best of {epoch}"))
    }
}

#[cfg(test)]
mod tests {
    use spikelet_train::Score;

    use super::*;

    /// The epoch after which a training ends, of these losses and accuracies of 100 samples.
    fn ends(rule: &StopRule, values: &[(f64, Option<u32>)]) -> Option<(u32, String)> {
        let mut state = TrainerState::default();
        (1..).zip(values).find_map(|(epoch, &(loss, correct))| {
            let train = Score { samples: 100, total: 100.0 * loss, correct };
            let result = EpochResult { epoch, train, validation: None, test: None, rates: Vec::new(), seconds: 1.0 };
            state.add(result);
            Some((epoch, rule.after(&state)?))
        })
    }

    #[test]
    fn a_training_ends_at_an_accuracy() {
        let values = [(1.0, Some(50)), (0.5, Some(94)), (0.2, Some(95)), (0.1, Some(99))];
        let end = ends(&StopRule::new(Some(0.95), None), &values);
        assert_eq!(end, Some((3, "stopped at an accuracy of 95.00 %".to_owned())));
        assert_eq!(ends(&StopRule::new(None, None), &values), None);
    }

    #[test]
    fn a_training_ends_when_it_does_not_become_better() {
        let values = [(1.0, Some(50)), (0.5, Some(90)), (0.2, Some(90)), (0.1, Some(80)), (0.0, Some(100))];
        let end = ends(&StopRule::new(None, Some(2)), &values);
        assert_eq!(end, Some((4, "stopped because epoch 2 is the best of 4".to_owned())));
        // Without classes the loss decides.
        let losses = [(1.0, None), (0.5, None), (0.4, None), (0.4, None)];
        assert_eq!(ends(&StopRule::new(None, Some(1)), &losses).map(|(epoch, _)| epoch), Some(4));
        assert_eq!(ends(&StopRule::new(Some(0.9), Some(2)), &losses), None);
    }
}
