//! The values that were set since t = 0: another browser repeats the run with them.

use indexmap::IndexMap;

use super::TimedChange;

/// The values of a run that were changed on the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ValueHistory {
    /// Values before the first change: path and quantity.
    start: IndexMap<String, String>,
    /// In the order of time.
    changes: Vec<TimedChange>,
}

impl ValueHistory {
    /// That of a run that continues: its values at t = 0, and its changes.
    pub(crate) fn of(start: IndexMap<String, String>, changes: Vec<TimedChange>) -> ValueHistory {
        ValueHistory { start, changes }
    }

    /// A parameter has a new value from this step on; `now` are the values before.
    pub(crate) fn set(&mut self, step: u32, path: &str, value: &str, now: impl FnOnce() -> IndexMap<String, String>) {
        if step == 0 {
            return;
        }
        if self.changes.is_empty() {
            self.start = now();
        }
        // Of several values for one step only the last one takes effect.
        let same_step = self.changes.iter().rposition(|change| change.0 < step).map_or(0, |place| place + 1);
        if let Some(change) = self.changes[same_step..].iter_mut().find(|change| change.1 == path) {
            change.2 = value.to_owned();
        } else {
            self.changes.push((step, path.to_owned(), value.to_owned()));
        }
    }

    /// The time was set: changes after it are discarded.
    pub(crate) fn moved_to(&mut self, step: u32) {
        self.changes.retain(|change| step > 0 && change.0 <= step);
    }

    /// The values at t = 0, where `now` are those at this time, and the changes up to a step.
    pub(crate) fn until(&self, step: u32, now: IndexMap<String, String>) -> (IndexMap<String, String>, Vec<TimedChange>) {
        if self.changes.is_empty() {
            return (now, Vec::new());
        }
        (self.start.clone(), self.changes.iter().filter(|change| change.0 <= step).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> IndexMap<String, String> {
        [("E.taum".to_owned(), text.to_owned())].into_iter().collect()
    }

    fn history() -> ValueHistory {
        let mut history = ValueHistory::default();
        let mut set = |step, path, value, now| history.set(step, path, value, || values(now));
        set(0, "E.taum", "10 ms", "9 ms");
        set(100, "E.taum", "15 ms", "10 ms");
        set(100, "I.taum", "20 ms", "15 ms");
        set(100, "E.taum", "16 ms", "15 ms");
        set(250, "E.taum", "17 ms", "16 ms");
        history
    }

    #[test]
    fn the_last_value_of_a_step_counts() {
        let change = |step, path: &str, value: &str| (step, path.to_owned(), value.to_owned());
        let changes = vec![change(100, "E.taum", "16 ms"), change(100, "I.taum", "20 ms"), change(250, "E.taum", "17 ms")];
        assert_eq!(history().until(300, values("17 ms")), (values("10 ms"), changes.clone()));
        assert_eq!(history().until(200, values("17 ms")).1, changes[..2]);
    }

    #[test]
    fn a_run_that_continues_has_its_changes() {
        let (start, changes) = history().until(260, values("17 ms"));
        let mut continued = ValueHistory::of(start, changes);
        continued.moved_to(260);
        assert_eq!(continued.until(260, values("17 ms")), history().until(260, values("17 ms")));
        continued.set(300, "I.taum", "21 ms", || values("17 ms"));
        assert_eq!(continued.until(300, values("17 ms")).1.len(), 4);
    }

    #[test]
    fn values_stay_at_a_reset_and_later_ones_go_at_a_fork() {
        let mut reset = history();
        reset.moved_to(0);
        assert_eq!(reset.until(0, values("17 ms")), (values("17 ms"), Vec::new()));
        let mut fork = history();
        fork.moved_to(200);
        fork.set(210, "E.taum", "18 ms", || values("16 ms"));
        let (start, changes) = fork.until(300, values("18 ms"));
        assert_eq!((start, changes.len()), (values("10 ms"), 3));
        assert_eq!(changes[2], (210, "E.taum".into(), "18 ms".into()));
    }
}
