//! Conditions that end a training before all its epochs.

use super::report::EpochLine;

/// The conditions of `--until` and `--patience`.
pub(super) struct StopRule {
    until: Option<f64>,
    patience: Option<u32>,
    /// The best epoch so far, by its value: larger is better.
    best: Option<(u32, f64)>,
}

impl StopRule {
    pub(super) fn new(until: Option<f64>, patience: Option<u32>) -> StopRule {
        StopRule { until, patience, best: None }
    }

    /// Why the training ends after this epoch, if it does. It has to see all epochs, in their order.
    pub(super) fn after(&mut self, line: &EpochLine) -> Option<String> {
        let accuracy = line.accuracy_test.or(line.accuracy_train);
        if let (Some(until), Some(accuracy)) = (self.until, accuracy)
            && accuracy >= until
        {
            return Some(format!("stopped at an accuracy of {:.2} %", 100.0 * accuracy));
        }
        let value = accuracy.unwrap_or(-line.loss);
        let (best, _) = match self.best {
            Some(best) if value <= best.1 => best,
            _ => *self.best.insert((line.epoch, value)),
        };
        let patience = self.patience?;
        (line.epoch - best >= patience).then(|| format!("stopped because epoch {best} is the best of {}", line.epoch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(rule: &mut StopRule, values: &[(f64, Option<f64>)]) -> Option<(u32, String)> {
        (1..).zip(values).find_map(|(epoch, &(loss, accuracy))| {
            let line = EpochLine { epoch, loss, accuracy_train: accuracy, accuracy_test: None, seconds: 1.0 };
            Some((epoch, rule.after(&line)?))
        })
    }

    #[test]
    fn a_training_ends_at_an_accuracy() {
        let values = [(1.0, Some(0.5)), (0.5, Some(0.94)), (0.2, Some(0.95)), (0.1, Some(0.99))];
        let end = ends(&mut StopRule::new(Some(0.95), None), &values);
        assert_eq!(end, Some((3, "stopped at an accuracy of 95.00 %".to_owned())));
        assert_eq!(ends(&mut StopRule::new(None, None), &values), None);
    }

    #[test]
    fn a_training_ends_when_it_does_not_become_better() {
        let values = [(1.0, Some(0.5)), (0.5, Some(0.9)), (0.2, Some(0.9)), (0.1, Some(0.8)), (0.0, Some(1.0))];
        let end = ends(&mut StopRule::new(None, Some(2)), &values);
        assert_eq!(end, Some((4, "stopped because epoch 2 is the best of 4".to_owned())));
        // Without classes the loss decides.
        let losses = [(1.0, None), (0.5, None), (0.4, None), (0.4, None)];
        assert_eq!(ends(&mut StopRule::new(None, Some(1)), &losses).map(|(epoch, _)| epoch), Some(4));
        assert_eq!(ends(&mut StopRule::new(Some(0.9), Some(2)), &losses), None);
    }
}
