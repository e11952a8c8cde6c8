//! Values of sliders before they were moved, for undo and redo.

/// Moves of one slider that follow each other within this wall time are one move, in ms.
const PAUSE_MS: f64 = 1000.0;
/// Maximum number of moves; older ones are dropped.
const LONGEST: usize = 100;

/// The values before the last moves, and after those that were undone.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SetHistory {
    before: Vec<(String, f64)>,
    after: Vec<(String, f64)>,
    last: Option<(String, f64)>,
}

impl SetHistory {
    /// A slider is moved from a value, at a wall time in ms.
    pub(crate) fn note(&mut self, path: &str, from: f64, at_ms: f64) {
        let continues = self.last.as_ref().is_some_and(|(last, when)| last == path && at_ms - when < PAUSE_MS);
        if !continues {
            self.before.push((path.to_owned(), from));
            if self.before.len() > LONGEST {
                self.before.remove(0);
            }
        }
        self.after.clear();
        self.last = Some((path.to_owned(), at_ms));
    }

    /// The slider that was moved last, with its value before. `now` returns the present value of a parameter.
    pub(crate) fn undo(&mut self, now: impl Fn(&str) -> Option<f64>) -> Option<(String, f64)> {
        SetHistory::step(&mut self.before, &mut self.after, &mut self.last, now)
    }

    /// The slider whose move was undone last, with its value before that.
    pub(crate) fn redo(&mut self, now: impl Fn(&str) -> Option<f64>) -> Option<(String, f64)> {
        SetHistory::step(&mut self.after, &mut self.before, &mut self.last, now)
    }

    fn step(
        from: &mut Vec<(String, f64)>,
        to: &mut Vec<(String, f64)>,
        last: &mut Option<(String, f64)>,
        now: impl Fn(&str) -> Option<f64>,
    ) -> Option<(String, f64)> {
        let (path, value) = from.pop()?;
        *last = None;
        if let Some(now) = now(&path) {
            to.push((path.clone(), now));
        }
        Some((path, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_is_one_move_and_comes_back() {
        let mut history = SetHistory::default();
        for (from, at_ms) in [(20.0, 0.0), (19.0, 300.0), (17.0, 900.0)] {
            history.note("E.taum", from, at_ms);
        }
        history.note("E.taum", 15.0, 5000.0);
        history.note("IE.wi", -9.0, 5100.0);
        assert_eq!(history.undo(|_| Some(-4.5)), Some(("IE.wi".into(), -9.0)));
        assert_eq!(history.undo(|_| Some(10.0)), Some(("E.taum".into(), 15.0)));
        assert_eq!(history.undo(|_| Some(15.0)), Some(("E.taum".into(), 20.0)));
        assert_eq!(history.undo(|_| Some(20.0)), None);
        assert_eq!(history.redo(|_| Some(20.0)), Some(("E.taum".into(), 15.0)));
        // Another move ends what could be done again.
        history.note("E.taum", 15.0, 9000.0);
        assert_eq!(history.redo(|_| Some(1.0)), None);
    }
}
