//! Undo and redo: the states of a network.

use crate::equations::Equations;

/// Maximum number of states; older ones are dropped.
const LONGEST: usize = 100;

/// The states before the last edits, and after those that were undone.
#[derive(Debug, Clone, Default)]
pub(crate) struct UndoHistory {
    before: Vec<Equations>,
    after: Vec<Equations>,
    /// The field that was edited last, and its state: consecutive edits of one field are combined.
    last: Option<(String, Equations)>,
}

impl UndoHistory {
    /// Records an edit of the field `key`, from one state to the other; an edit without a field is separate.
    pub(crate) fn note(&mut self, key: &str, before: Equations, after: &Equations) {
        if before == *after {
            return;
        }
        let goes_on = self.last.as_ref().is_some_and(|(last, state)| !key.is_empty() && last == key && *state == before);
        if !goes_on {
            self.before.push(before);
            if self.before.len() > LONGEST {
                self.before.remove(0);
            }
        }
        self.after.clear();
        self.last = Some((key.to_owned(), after.clone()));
    }

    /// Whether there is something to undo, and to redo.
    pub(crate) fn depth(&self) -> (bool, bool) {
        (!self.before.is_empty(), !self.after.is_empty())
    }

    /// The state before the last edit. `now` can be restored.
    pub(crate) fn undo(&mut self, now: &Equations) -> Option<Equations> {
        let state = self.before.pop()?;
        self.after.push(now.clone());
        self.last = None;
        Some(state)
    }

    /// The state that was undone last.
    pub(crate) fn redo(&mut self, now: &Equations) -> Option<Equations> {
        let state = self.after.pop()?;
        self.before.push(now.clone());
        self.last = None;
        Some(state)
    }

    /// Applies a value that was changed in the running network, so that undo does not move sliders.
    pub(crate) fn follow(&mut self, path: &str, value: &str) {
        for state in self.before.iter_mut().chain(&mut self.after) {
            state.follow(path, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;

    fn cuba() -> Equations {
        Equations::of(catalogue::network("cuba", 1.0).expect("cuba"))
    }

    fn resize(past: &mut UndoHistory, equations: &mut Equations, text: &str) {
        let before = equations.clone();
        equations.resize(text);
        past.note("size", before, equations);
    }

    #[test]
    fn letters_of_one_field_are_one_edit() {
        let (mut past, mut equations) = (UndoHistory::default(), cuba());
        for text in ["320", "32", "320", "3201"] {
            resize(&mut past, &mut equations, text);
        }
        let before = equations.clone();
        equations.select(1);
        equations.resize("7");
        past.note("other", before, &equations);
        assert_eq!(past.depth(), (true, false));
        let once = past.undo(&equations).expect("an edit");
        equations.put_back(once);
        assert_eq!((equations.size_at(0), equations.size_at(1)), ("3201".into(), "800".into()));
        let first = past.undo(&equations).expect("an edit");
        equations.put_back(first);
        assert!(!equations.is_any_edited() && past.depth() == (false, true));
        let again = past.redo(&equations).expect("what was undone");
        equations.put_back(again);
        assert_eq!(equations.size_at(0), "3201");
        resize(&mut past, &mut equations, "5");
        assert_eq!(past.depth(), (true, false), "a new edit ends what could be brought back");
    }

    #[test]
    fn a_slider_stays_where_it_is() {
        let (mut past, mut equations) = (UndoHistory::default(), cuba());
        resize(&mut past, &mut equations, "320");
        equations.follow("E.taum", "15 ms");
        past.follow("E.taum", "15 ms");
        let before = past.undo(&equations).expect("an edit");
        equations.put_back(before);
        assert!(!equations.is_any_edited(), "{equations:?}");
        assert_eq!(equations.shown().expect("E").parameters["taum"], "15 ms".into());
    }

    #[test]
    fn what_ran_before_can_be_gone_back_to() {
        let (mut past, mut equations) = (UndoHistory::default(), cuba());
        resize(&mut past, &mut equations, "320");
        let ran = equations.candidate().expect("a network");
        equations = Equations::of(ran);
        let before = past.undo(&equations).expect("an edit");
        equations.put_back(before);
        assert!(equations.is_any_edited());
        assert_eq!(equations.size(), "3200");
    }
}
