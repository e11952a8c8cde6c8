//! Edits by the diagram: adding, connecting, removing and arranging several objects, each undone as one.

use leptos::prelude::*;

use super::Studio;
use crate::{
    canvas::{arrangement::Arrangement, geometry::Point, notation::Shape},
    equations::{EDITED, Equations, start},
    kept,
    network::{Kind, Object},
};

/// The name under which the arrangement of a network is stored.
fn stored_as(network: &str) -> String {
    format!("diagram:{}", network.trim_end_matches(EDITED))
}

impl Studio {
    /// The stored arrangement of a network. New networks share their name, and have none.
    pub(super) fn stored_arrangement(network: &str) -> Arrangement {
        let text = (network != start::NAME).then(|| kept::read(&stored_as(network))).flatten();
        text.map(|text| Arrangement::of_text(&text)).unwrap_or_default()
    }

    /// Stores the arrangement of the open network, if it has changed.
    pub(super) fn keep_arrangement(self) {
        let stored = self.equations.with_untracked(|equations| {
            let name = equations.network()?.name.clone();
            (name != start::NAME).then(|| (stored_as(&name), equations.arrangement.to_text()))
        });
        let Some((name, text)) = stored else { return };
        if kept::read(&name) != text {
            // Without storage, nodes are placed automatically the next time.
            kept::write(&name, text.as_deref()).ok();
        }
    }

    /// Changes where nodes are. The network is the same, and is not checked.
    pub(crate) fn arrange(self, field: &str, act: impl FnOnce(&mut Arrangement)) {
        let before = self.equations.get_untracked();
        self.equations.update(|equations| act(&mut equations.arrangement));
        self.equations.with_untracked(|after| self.past.update(|past| past.note(field, before, after)));
        self.keep_arrangement();
    }

    /// Adds what a shape stands for at a position, after all others stay where they are.
    pub(crate) fn add_shape(self, shape: Shape, at: Point, others: &[(String, Point)]) -> Option<Object> {
        let others = others.to_vec();
        let added = self.draw("", move |equations| {
            let added = equations.add_shape(shape)?;
            let name = added.name(equations.network()?)?.to_owned();
            others.iter().for_each(|(name, at)| equations.arrangement.put(name, *at));
            equations.arrangement.put(&name, at);
            Some(added)
        });
        added.flatten()
    }

    /// Connects two objects.
    ///
    /// # Errors
    /// Why there can be no such connection.
    pub(crate) fn connect(self, from: Object, to: Object) -> Result<Object, String> {
        self.draw("", |equations| equations.connect(from, to)).unwrap_or_else(|| Err("No network is open.".into()))
    }

    /// Removes objects and all references to them. Returns the names of all that is gone.
    pub(crate) fn remove_objects(self, objects: &[Object]) -> Vec<String> {
        self.form.set(None);
        self.draw("", |equations| equations.remove_objects(objects)).unwrap_or_default()
    }

    /// Copies objects and the projections between them; the copies lie beside their originals.
    pub(crate) fn duplicate_objects(self, objects: &[Object], positions: &[(String, Point)]) -> Vec<Object> {
        const BESIDE: Point = Point::new(46.0, 46.0);
        let copies = self.draw("", |equations| {
            let originals = equations.named(objects);
            let copies = equations.duplicate_objects(objects);
            positions.iter().for_each(|(name, at)| equations.arrangement.put(name, *at));
            let originals = originals.into_iter().filter(|(kind, _)| *kind != Kind::Projection);
            for ((_, original), (_, copy)) in originals.zip(equations.named(&copies)) {
                if let Some((_, at)) = positions.iter().find(|(name, _)| *name == original) {
                    equations.arrangement.put(&copy, *at + BESIDE);
                }
            }
            copies
        });
        copies.unwrap_or_default()
    }

    /// Records the first variable of a population, if none is recorded. Returns its name.
    pub(crate) fn record_first(self, place: usize) -> Option<String> {
        self.select(place);
        let variable = self.checked.with_untracked(|checked| checked.variables.first().map(|(name, _)| name.clone()))?;
        let is_recorded = self.equations.with_untracked(|equations| !equations.recorded().is_empty());
        if !is_recorded {
            self.edit(|equations: &mut Equations| equations.record(&variable, true));
        }
        Some(variable)
    }
}
