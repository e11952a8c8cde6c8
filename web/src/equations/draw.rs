//! Edits of the whole network, by the forms of the network pane.

use std::cmp::Ordering;

use spikelet_network::{Network, Positions, Recording};

use super::{Equations, RejectedText};
use crate::network::{Kind, Object, structure};

impl Equations {
    /// Changes the network except the values of its populations, which are edited separately.
    pub(crate) fn draw<T>(&mut self, act: impl FnOnce(&mut Network) -> T) -> Option<T> {
        self.redraw(act, Some)
    }

    /// The same, if populations move: `place` maps old to new indices. Their edits move first.
    fn redraw<T>(&mut self, act: impl FnOnce(&mut Network) -> T, place: impl Fn(usize) -> Option<usize>) -> Option<T> {
        let mut network = self.network()?.clone();
        let result = act(&mut network);
        self.drawn = Some(network);
        let edits = std::mem::take(&mut self.edits).into_iter();
        self.edits = edits.filter_map(|(before, edit)| Some((place(before)?, edit))).collect();
        self.selected = place(self.selected).unwrap_or(self.selected).min(self.names().len().saturating_sub(1));
        self.drop_unchanged_drafts();
        Some(result)
    }

    /// Adds an object.
    pub(crate) fn add(&mut self, kind: Kind) -> Option<Object> {
        self.add_by(|network| structure::add(network, kind))
    }

    /// Adds the object that `act` appends to its list.
    pub(super) fn add_by(&mut self, act: impl FnOnce(&mut Network) -> Option<Object>) -> Option<Object> {
        // Its targets, with their edits.
        let mut candidate = self.candidate()?;
        let added = act(&mut candidate)?;
        self.draw(|network| {
            match added.kind {
                Kind::Population => network.populations.extend(candidate.populations.pop()),
                Kind::Source => network.sources.extend(candidate.sources.pop()),
                Kind::Projection => network.projections.extend(candidate.projections.pop()),
            }
            if added.kind == Kind::Population {
                network.recordings.extend(candidate.recordings.pop());
            }
        });
        Some(added)
    }

    /// Inserts a copy after an object.
    pub(crate) fn duplicate(&mut self, object: Object) -> Option<Object> {
        let moved = |place| place + usize::from(object.kind == Kind::Population && place > object.place);
        let copy = self.redraw(|network| structure::duplicate(network, object), |place| Some(moved(place)))??;
        if object.kind == Kind::Population {
            let edit = self.edits.get(&object.place).cloned();
            if let (Some(mut edit), Some(name)) = (edit, self.network().and_then(|network| copy.name(network))) {
                name.clone_into(&mut edit.population.name);
                self.edits.insert(copy.place, edit);
            }
        }
        Some(copy)
    }

    /// Removes an object and all references to it.
    pub(crate) fn remove_object(&mut self, object: Object) {
        let name = self.network().and_then(|network| Some(object.name(network)?.to_owned()));
        let moved = |place: usize| match place.cmp(&object.place) {
            _ if object.kind != Kind::Population => Some(place),
            Ordering::Less => Some(place),
            Ordering::Equal => None,
            Ordering::Greater => Some(place - 1),
        };
        self.redraw(|network| structure::remove(network, object), moved);
        let there: Vec<String> = self.network().map(all_names).unwrap_or_default();
        self.unread.retain(|(of, _), _| of.is_empty() || (Some(of) != name.as_ref() && there.contains(of)));
        self.drop_unchanged_drafts();
    }

    /// Renames an object and all references to it.
    ///
    /// # Errors
    /// The error of the name; the object keeps its name.
    pub(crate) fn rename(&mut self, object: Object, text: &str) -> Result<(), String> {
        let text = text.trim();
        let Some(network) = self.network() else { return Ok(()) };
        let Some(before) = object.name(network).map(str::to_owned) else { return Ok(()) };
        if let Some(field_error) = structure::name_error(network, object, text) {
            return Err(field_error);
        }
        if before != text {
            self.draw(|network| structure::rename(network, object, text));
            if object.kind != Kind::Projection {
                self.arrangement.rename(&before, text);
            }
            if let Some(edit) = self.edits.get_mut(&object.place).filter(|_| object.kind == Kind::Population) {
                text.clone_into(&mut edit.population.name);
            }
            let links = self.edits.values_mut().flat_map(|edit| edit.population.linked.values_mut());
            for link in links.filter(|link| object.kind == Kind::Population && link.population == before) {
                text.clone_into(&mut link.population);
            }
            let unread = std::mem::take(&mut self.unread).into_iter();
            let renamed = |(of, key): (String, String)| (if of == before { text.to_owned() } else { of }, key);
            self.unread = unread.map(|(at, unread)| (renamed(at), unread)).collect();
            self.drop_unchanged_drafts();
        }
        Ok(())
    }

    /// The recordings of an object.
    pub(crate) fn recordings_of(&self, object: Object) -> Vec<Recording> {
        let Some(network) = self.with_edits() else { return Vec::new() };
        let name = object.name(&network);
        network.recordings.iter().filter(|recording| Some(recording.object.as_str()) == name).cloned().collect()
    }

    /// Sets them.
    pub(crate) fn record_as(&mut self, object: Object, list: Vec<Recording>) {
        let Some(name) = self.network().and_then(|network| object.name(network)).map(str::to_owned) else { return };
        let list: Vec<Recording> = list.into_iter().map(|recording| Recording { object: name.clone(), ..recording }).collect();
        let mut recorded: Vec<String> = list.iter().map(|recording| recording.var.clone()).collect();
        recorded.dedup();
        self.draw(|network| {
            // Recordings of other objects stay where they are.
            let at = network.recordings.iter().position(|recording| recording.object == name);
            let at = at.unwrap_or(network.recordings.len());
            network.recordings.retain(|recording| recording.object != name);
            network.recordings.splice(at..at, list);
        });
        if let Some(edit) = self.edits.get_mut(&object.place).filter(|_| object.kind == Kind::Population) {
            edit.recorded = recorded;
        }
        self.drop_unchanged_drafts();
    }

    /// Sets the positions of the selected population.
    pub(crate) fn lay_out(&mut self, positions: Option<Positions>) {
        self.change(|edit| edit.population.positions = positions);
    }

    /// Stores whether the text of a field was valid.
    pub(crate) fn note(&mut self, object: Option<Object>, key: &str, text: &str, taken: Result<(), String>) {
        let at = (self.name_of(object), key.to_owned());
        match taken {
            Ok(()) => drop(self.unread.remove(&at)),
            Err(sentence) => drop(self.unread.insert(at, RejectedText { text: text.to_owned(), sentence })),
        }
    }

    /// The invalid text of a field.
    pub(crate) fn unread(&self, object: Option<Object>, key: &str) -> Option<&RejectedText> {
        self.unread.get(&(self.name_of(object), key.to_owned()))
    }

    /// Discards invalid texts of the fields whose keys have this prefix.
    pub(crate) fn forget_unread(&mut self, object: Object, beginning: &str) {
        let name = self.name_of(Some(object));
        self.unread.retain(|(of, key), _| *of != name || !key.starts_with(beginning));
    }

    /// All invalid texts: the object's name, empty for the network itself, the key, and the text.
    pub(crate) fn all_unread(&self) -> impl Iterator<Item = (&str, &str, &RejectedText)> {
        self.unread.iter().map(|((of, key), unread)| (of.as_str(), key.as_str(), unread))
    }

    /// Restores an earlier or later state; the running network is not changed.
    pub(crate) fn put_back(&mut self, state: Equations) {
        let running = self.network.take();
        *self = state;
        if self.drawn.is_none() && self.network != running {
            self.drawn = self.network.take();
        }
        self.network = running;
        self.drop_unchanged_drafts();
    }

    fn name_of(&self, object: Option<Object>) -> String {
        object.and_then(|object| Some(object.name(self.network()?)?.to_owned())).unwrap_or_default()
    }
}

fn all_names(network: &Network) -> Vec<String> {
    let all = |kind: Kind| (0..kind.count(network)).map(move |place| Object::new(kind, place));
    Kind::ALL.into_iter().flat_map(all).filter_map(|object| Some(object.name(network)?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;
    use crate::equations::Field;

    const E: Object = Object { kind: Kind::Population, place: 0 };

    fn cuba() -> Equations {
        Equations::of(catalogue::network("cuba", 1.0).expect("cuba"))
    }

    #[test]
    fn forms_and_equations_edit_the_same_network() {
        let mut equations = cuba();
        equations.select(1);
        equations.write(Field::Reset, "v = Vr - 1*mV");
        equations.resize("80");
        assert!(equations.add(Kind::Population).is_some());
        equations.remove_object(E);
        assert_eq!(equations.names(), ["I", "P"]);
        assert_eq!(equations.selected(), 0, "the selection moves along");
        let candidate = equations.candidate().expect("a network");
        assert_eq!((candidate.populations[0].size, candidate.populations[0].reset.as_deref()), (80, Some("v = Vr - 1*mV")));
        assert_eq!((candidate.projections.len(), candidate.name.as_str()), (1, "cuba, edited"));
        candidate.validate().unwrap();
    }

    #[test]
    fn what_comes_back_to_what_runs_is_no_edit() {
        let mut equations = cuba();
        equations.rename(E, "cells").unwrap();
        assert!(equations.is_any_edited() && equations.is_edited(0) && !equations.is_edited(1));
        equations.rename(E, "E").unwrap();
        assert!(!equations.is_any_edited());
        equations.draw(|network| network.seed += 1);
        assert!(equations.is_any_edited() && !equations.is_edited(0));
        equations.draw(|network| network.seed -= 1);
        assert!(!equations.is_any_edited());
    }

    #[test]
    fn edits_of_the_whole_network_are_kept_and_run() {
        let mut equations = cuba();
        equations.add(Kind::Source);
        equations.resize("320");
        let kept = equations.to_kept().expect("edits");
        let mut again = cuba();
        again.take_kept(&kept);
        assert_eq!(again.candidate(), equations.candidate());
        // After it runs there are no edits, except later ones.
        let mut ran = Equations::of(equations.candidate().expect("a network"));
        ran.take_kept(&kept);
        assert!(!ran.is_any_edited() && ran.to_kept().is_none());
        equations.resize("321");
        let mut ran = Equations::of(ran.candidate().expect("a network"));
        ran.take_kept(&equations.to_kept().expect("edits"));
        assert!(ran.is_any_edited() && ran.size() == "321");
    }

    #[test]
    fn a_text_that_does_not_do_waits_in_its_field() {
        let mut equations = cuba();
        let taken = equations.rename(E, "I");
        assert!(taken.as_ref().is_err_and(|sentence| sentence.contains("already")));
        equations.note(Some(E), "name", "I", taken);
        assert_eq!(equations.names(), ["E", "I"]);
        assert_eq!(equations.unread(Some(E), "name").map(|unread| unread.text.as_str()), Some("I"));
        assert!(equations.is_any_edited());
        equations.note(Some(E), "name", "E", Ok(()));
        assert!(!equations.is_any_edited());
        equations.note(Some(E), "positions.shape", "x", Err("no".into()));
        equations.rename(E, "cells").unwrap();
        assert!(equations.unread(Some(E), "positions.shape").is_some(), "it goes along with the name");
        equations.forget_unread(E, "positions");
        equations.note(Some(E), "positions.shape", "x", Err("no".into()));
        equations.remove_object(E);
        assert_eq!(equations.all_unread().count(), 0);
    }

    #[test]
    fn an_edited_population_is_removed_with_its_edits() {
        let mut equations = Equations::of(crate::equations::start::network());
        equations.resize("200");
        equations.remove_object(E);
        assert_eq!((equations.names().len(), equations.selected()), (0, 0));
        assert_eq!(equations.candidate().map(|network| network.populations.len()), Some(0));
        // Also the last of two.
        let mut equations = cuba();
        equations.select(1);
        equations.resize("7");
        equations.remove_object(Object::new(Kind::Population, 1));
        assert_eq!(equations.candidate().expect("a network").populations.len(), 1);
    }

    #[test]
    fn a_copy_has_the_edits_of_its_original() {
        let mut equations = cuba();
        equations.resize("320");
        equations.select(1);
        equations.resize("80");
        let copy = equations.duplicate(E).expect("a copy");
        assert_eq!(copy.place, 1);
        let sizes: Vec<u32> = equations.candidate().expect("a network").populations.iter().map(|of| of.size).collect();
        assert_eq!((sizes, equations.selected()), (vec![320, 320, 80], 2));
    }

    #[test]
    fn links_that_do_not_run_yet_follow_a_name() {
        let mut equations = cuba();
        equations.select(1);
        let link = spikelet_network::Link { population: "E".into(), var: "v".into(), index: Some("i//4".into()) };
        equations.link([("v_in".to_owned(), link)].into());
        equations.rename(E, "cells").unwrap();
        assert_eq!(equations.candidate().expect("a network").populations[1].linked["v_in"].population, "cells");
    }
}
