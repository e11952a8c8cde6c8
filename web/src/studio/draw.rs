//! The network pane: edits by forms, undo and redo.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{Pane, Studio};
use crate::{
    equations::{Equations, check::Checked},
    network::{Kind, Object},
};

impl Studio {
    /// Edits the network. Consecutive edits of the same field are undone together.
    pub(crate) fn draw<T>(self, field: &str, act: impl FnOnce(&mut Equations) -> T) -> Option<T> {
        let before = self.equations.get_untracked();
        let result = self.equations.try_update(act);
        self.equations.with_untracked(|after| self.past.update(|past| past.note(field, before, after)));
        self.edited();
        result
    }

    /// Undoes the last edit.
    pub(crate) fn undo(self) {
        let now = self.equations.get_untracked();
        let state = self.past.try_update(|past| past.undo(&now)).flatten();
        self.put_back(state);
    }

    /// Restores the edit that was undone last.
    pub(crate) fn redo(self) {
        let now = self.equations.get_untracked();
        let state = self.past.try_update(|past| past.redo(&now)).flatten();
        self.put_back(state);
    }

    fn put_back(self, state: Option<Equations>) {
        let Some(state) = state else { return };
        self.equations.update(|equations| equations.put_back(state));
        let there = |form: &Object| {
            self.equations.with_untracked(|equations| equations.network().is_some_and(|network| form.name(network).is_some()))
        };
        if self.form.with_untracked(|form| form.as_ref().is_some_and(|form| !there(form))) {
            self.form.set(None);
        }
        self.edited();
    }

    /// Adds an object and opens its form.
    pub(crate) fn add(self, kind: Kind) {
        if let Some(Some(added)) = self.draw("", |equations| equations.add(kind)) {
            self.unfold(added);
        }
    }

    /// Inserts a copy after an object and opens its form.
    pub(crate) fn duplicate(self, object: Object) {
        if let Some(Some(copy)) = self.draw("", |equations| equations.duplicate(object)) {
            self.unfold(copy);
        }
    }

    /// Removes an object and all references to it.
    pub(crate) fn remove(self, object: Object) {
        self.form.set(None);
        self.draw("", |equations| equations.remove_object(object));
    }

    /// Shows an object in the inspector; `None` closes it.
    pub(crate) fn inspect(self, object: Option<Object>) {
        if let Some(Object { kind: Kind::Population, place }) = object {
            self.select(place);
        }
        self.form.set(object);
    }

    /// Shows an object in the inspector, and focuses its name.
    pub(crate) fn unfold(self, object: Object) {
        self.inspect(Some(object));
        turn_to_first("#inspector [data-field='name']");
    }

    /// Shows an object in the inspector, or closes it.
    pub(crate) fn toggle_form(self, object: Object) {
        self.inspect(Some(object).filter(|object| self.form.get_untracked() != Some(*object)));
    }

    /// Shows the first error: in the open inspector if it is there, else in that of its object.
    pub(crate) fn turn_to_first_mistake(self) {
        const IN_INSPECTOR: &str = "#inspector [aria-invalid='true']";
        let is_shown = || document().query_selector(IN_INSPECTOR).is_ok_and(|found| found.is_some());
        if self.pane.get_untracked() == Pane::Network && is_shown() {
            return turn_to_first(IN_INSPECTOR);
        }
        if self.pane.get_untracked() != Pane::Network {
            self.show_pane(Pane::Network);
        }
        let objects = |checked: &Checked| checked.field_errors.iter().map(|field_error| field_error.object).collect::<Vec<_>>();
        let objects = self.checked.with_untracked(objects);
        match objects.iter().flatten().next() {
            Some(object) => {
                self.inspect(Some(*object));
                // Errors of another population are marked after it was selected.
                self.when_checked(|_, _| turn_to_first(IN_INSPECTOR));
            }
            None => turn_to_first("#network-pane .general [aria-invalid='true']"),
        }
    }
}

/// Focuses the first such element after the next update of the page; closed groups are opened.
fn turn_to_first(css: &'static str) {
    request_animation_frame(move || {
        let first = document().query_selector(css).ok().flatten();
        if let Some(element) = first.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            if let Ok(Some(folded)) = element.closest("details:not([open])") {
                folded.set_attribute("open", "").ok();
            }
            element.focus().ok();
        }
    });
}
