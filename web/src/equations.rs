//! The equations of the open network's populations: as they run, and as edited.
//!
//! Plain data without the browser or the engine. An [`Edit`] is stored for each population that differs from the running one;
//! [`Equations::candidate`] is the network with all edits, which the engine checks ([`check`]) and opens.

pub(crate) mod check;
mod draw;
mod edit;
pub(crate) mod excerpt;
pub(crate) mod models;
pub(crate) mod paint;
pub(crate) mod rows;
mod several;
pub(crate) mod start;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use spikelet_network::{Indices, Network, Population, Projection, Recording, catalogue};

use crate::{
    canvas::arrangement::Arrangement,
    network::{Kind, Object},
};

pub(crate) use spikelet_network::texts::{self, Field, Texts, equations_of, infer, quantity, variables, written};

/// A population that is being edited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edit {
    population: Population,
    /// The text of the field for its size; the population has the last valid one.
    size: String,
    /// Variables to record.
    recorded: Vec<String>,
    /// The previous equations, after a library model was selected.
    own: Option<Box<Population>>,
    /// Whether the edits are undone; they can be restored until the next edit.
    undone: bool,
}

/// The open network and all edits of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Equations {
    /// The running network; `None` before one is open.
    network: Option<Network>,
    /// The network of the forms, without the edits of its populations; `None` if it is unchanged.
    drawn: Option<Network>,
    /// By the index of its population.
    edits: BTreeMap<usize, Edit>,
    /// Invalid texts of fields in forms: by the object's name and the field's key.
    unread: BTreeMap<(String, String), RejectedText>,
    selected: usize,
    /// Where the diagram's nodes are; no part of the network.
    pub(crate) arrangement: Arrangement,
}

/// A text that is invalid for its field: the network keeps the previous value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RejectedText {
    /// As it was typed.
    pub(crate) text: String,
    /// The error.
    pub(crate) sentence: String,
}

/// Edits as stored between visits.
#[derive(Serialize, Deserialize)]
struct SavedEdits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<Network>,
    #[serde(default)]
    edits: Vec<Edit>,
}

impl Equations {
    /// The unedited populations of a network.
    pub(crate) fn of(network: Network) -> Equations {
        Equations { network: Some(network), ..Equations::default() }
    }

    /// The network with the populations as they run, or as the forms added them, without their edits.
    pub(crate) fn network(&self) -> Option<&Network> {
        self.drawn.as_ref().or(self.network.as_ref())
    }

    /// Whether an object of the running network is in the one that is drawn.
    pub(crate) fn draws(&self, name: &str) -> bool {
        self.drawn.as_ref().is_none_or(|drawn| {
            let names = drawn.populations.iter().map(|of| &of.name).chain(drawn.projections.iter().map(|of| &of.name));
            let sources = drawn.sources.iter().map(|of| &of.name);
            names.chain(sources).any(|of| of == name)
        })
    }

    /// Names of the populations.
    pub(crate) fn names(&self) -> Vec<String> {
        self.network().into_iter().flat_map(|network| &network.populations).map(|population| population.name.clone()).collect()
    }

    /// The index of the selected population.
    pub(crate) fn selected(&self) -> usize {
        self.selected
    }

    /// Selects another population.
    pub(crate) fn select(&mut self, place: usize) {
        if place < self.names().len() {
            self.selected = place;
        }
    }

    /// The selected population in the running network.
    pub(crate) fn running(&self) -> Option<&Population> {
        self.running_at(self.selected)
    }

    /// The running population with the name of the one at this index.
    fn running_at(&self, place: usize) -> Option<&Population> {
        let name = &self.unedited(place)?.name;
        self.network.as_ref()?.population(name)
    }

    /// A population without its edits.
    fn unedited(&self, place: usize) -> Option<&Population> {
        self.network()?.populations.get(place)
    }

    /// Whether values of an object can be set in the running network: it has the same name, model and equations there.
    pub(crate) fn is_live(&self, object: Object) -> bool {
        match object.kind {
            Kind::Population => {
                let both = self.shown_at(object.place).zip(self.running_at(object.place));
                both.is_some_and(|(shown, running)| shown.model == running.model && Texts::of(shown) == Texts::of(running))
            }
            Kind::Projection => {
                let edited = self.network().and_then(|network| network.projections.get(object.place));
                let key = |of: &Projection| (of.name.clone(), of.model.clone(), of.equations.clone(), of.on_pre.clone());
                let running = self.network.iter().flat_map(|network| &network.projections);
                edited.is_some_and(|edited| running.map(key).any(|running| running == key(edited)))
            }
            Kind::Source => false,
        }
    }

    fn edit_of(&self, place: usize) -> Option<&Edit> {
        self.edits.get(&place).filter(|edit| !edit.undone)
    }

    /// The selected population as shown by the pane.
    pub(crate) fn shown(&self) -> Option<&Population> {
        self.shown_at(self.selected)
    }

    /// A population with its edits.
    pub(crate) fn shown_at(&self, place: usize) -> Option<&Population> {
        self.edit_of(place).map(|edit| &edit.population).or_else(|| self.unedited(place))
    }

    /// The text of the field for the size.
    pub(crate) fn size(&self) -> String {
        self.size_at(self.selected)
    }

    /// The text of the field for the size of a population.
    pub(crate) fn size_at(&self, place: usize) -> String {
        let unedited = || self.unedited(place).map(|population| population.size.to_string());
        self.edit_of(place).map(|edit| edit.size.clone()).or_else(unedited).unwrap_or_default()
    }

    /// The recorded variables.
    pub(crate) fn recorded(&self) -> Vec<String> {
        match self.edit_of(self.selected) {
            Some(edit) => edit.recorded.clone(),
            None => self.network().map(|network| self.recorded_in(network, self.selected)).unwrap_or_default(),
        }
    }

    fn recorded_in(&self, network: &Network, place: usize) -> Vec<String> {
        let Some(population) = self.unedited(place) else { return Vec::new() };
        let mut variables: Vec<String> = Vec::new();
        for recording in network.recordings.iter().filter(|recording| recording.object == population.name) {
            if !variables.contains(&recording.var) {
                variables.push(recording.var.clone());
            }
        }
        variables
    }

    /// Whether a population differs from the running one.
    pub(crate) fn is_edited(&self, place: usize) -> bool {
        match self.edit_of(place) {
            Some(edit) => !self.is_running(place, edit),
            None => self.drawn.is_some() && self.unedited(place) != self.running_at(place),
        }
    }

    /// Whether the network differs from the running one.
    pub(crate) fn is_any_edited(&self) -> bool {
        self.drawn.is_some() || !self.unread.is_empty() || self.edits.keys().any(|place| self.is_edited(*place))
    }

    /// Whether an edit changes nothing.
    fn is_running(&self, place: usize, edit: &Edit) -> bool {
        let (Some(running), Some(network)) = (self.running_at(place), &self.network) else { return false };
        let (population, recordable) = settled(&edit.population);
        let of = |recorded: &[String]| -> BTreeSet<String> {
            recorded.iter().filter(|variable| recordable.contains(variable)).cloned().collect()
        };
        population == *running
            && of(&edit.recorded) == of(&self.recorded_in(network, place))
            && edit.size == running.size.to_string()
    }

    /// Whether edits of the selected population were undone and can be restored.
    pub(crate) fn is_undone(&self) -> bool {
        self.edits.get(&self.selected).is_some_and(|edit| edit.undone)
    }

    /// Whether there are previous equations before a library model.
    pub(crate) fn has_own(&self) -> bool {
        self.edit_of(self.selected).is_some_and(|edit| edit.own.is_some())
    }

    /// Restores the running population, or the edits.
    pub(crate) fn undo_or_redo(&mut self) {
        if let Some(edit) = self.edits.get_mut(&self.selected) {
            edit.undone = !edit.undone;
        }
    }

    /// Undoes all edits; they can be restored.
    pub(crate) fn undo_all(&mut self) {
        for edit in self.edits.values_mut() {
            edit.undone = true;
        }
    }

    /// Applies a change of a parameter in the running network.
    pub(crate) fn follow(&mut self, path: &str, value: &str) {
        let Some(network) = &mut self.network else { return };
        // The engine accepted it; if it cannot be applied here, the pane is unchanged.
        if network.set(path, value).is_err() {
            return;
        }
        if let Some(drawn) = &mut self.drawn {
            // Removed names need no value.
            drawn.set(path, value).ok();
        }
        let Some((name, parameter)) = path.split_once('.') else { return };
        let Some(running) = network.population(name) else { return };
        let shape = self.drawn.as_ref().unwrap_or(network);
        let Some(place) = shape.populations.iter().position(|population| population.name == name) else { return };
        if let Some(edit) = self.edits.get_mut(&place) {
            let set = running.parameters.get(parameter).cloned();
            let same_model = edit.population.model == running.model;
            if let Some(value) = set.filter(|_| same_model || edit.population.parameters.contains_key(parameter)) {
                edit.population.parameters.insert(parameter.to_owned(), value);
            }
        }
    }

    /// The network with all edits, marked as edited.
    pub(crate) fn candidate(&self) -> Option<Network> {
        let mut network = self.with_edits()?;
        if self.is_any_edited() {
            if !network.name.ends_with(EDITED) {
                network.name.push_str(EDITED);
            }
            if let Some(original) = self.network.as_ref().filter(|original| original.description == network.description) {
                network.description = described_anew(original);
            }
        }
        Some(network)
    }

    fn with_edits(&self) -> Option<Network> {
        let mut network = self.network()?.clone();
        for (place, edit) in self.edits.iter().filter(|(_, edit)| !edit.undone) {
            // Removes values and recordings of removed variables.
            let (population, recordable) = settled(&edit.population);
            let recorded: Vec<&String> = edit.recorded.iter().filter(|name| recordable.contains(name)).collect();
            network.recordings.retain(|recording| recording.object != population.name || recorded.contains(&&recording.var));
            for recording in network.recordings.iter_mut().filter(|recording| recording.object == population.name) {
                if let Indices::List(list) = &recording.indices
                    && list.iter().any(|index| *index >= population.size)
                {
                    recording.indices = sampled(&population);
                }
            }
            for variable in recorded {
                let there = |recording: &Recording| recording.object == population.name && recording.var == *variable;
                if !network.recordings.iter().any(there) {
                    network.recordings.push(recording(&population, variable));
                }
            }
            if let Some(there) = network.populations.get_mut(*place) {
                *there = population;
            }
        }
        Some(network)
    }

    /// The edits as text for storage; `None` if there are none.
    pub(crate) fn to_kept(&self) -> Option<String> {
        let worth_it =
            |(place, edit): (&usize, &&Edit)| self.drawn.is_some() || edit.own.is_some() || !self.is_running(*place, edit);
        let edits = self.edits.iter().filter(|(place, edit)| worth_it((place, edit))).map(|(_, edit)| edit.clone());
        let kept = SavedEdits { network: self.drawn.clone(), edits: edits.collect() };
        if kept.edits.is_empty() && kept.network.is_none() { None } else { serde_json::to_string(&kept).ok() }
    }

    /// Loads stored edits, except those of removed populations, and those that now run.
    pub(crate) fn take_kept(&mut self, kept: &str) {
        let Ok(SavedEdits { network, edits }) = serde_json::from_str(kept) else { return };
        if network.is_some() {
            self.drawn = network;
        }
        let names = self.names();
        for edit in edits {
            if let Some(place) = names.iter().position(|name| *name == edit.population.name)
                && (self.drawn.is_some() || edit.own.is_some() || !self.is_running(place, &edit))
            {
                self.edits.insert(place, edit);
            }
        }
        self.drop_unchanged_drafts();
    }

    /// Discards edits of the structure if they equal the running network.
    fn drop_unchanged_drafts(&mut self) {
        let (Some(edited), Some(network)) = (self.drawn.as_ref().and_then(|_| self.with_edits()), &self.network) else {
            return;
        };
        // A network that was edited and runs is marked as edited, with or without further edits.
        let is_named = edited.name.trim_end_matches(EDITED) == network.name.trim_end_matches(EDITED);
        let is_described = network.description == edited.description || network.description == described_anew(&edited);
        let (name, description) = (network.name.clone(), network.description.clone());
        if is_named && is_described && *network == (Network { name, description, ..edited }) {
            self.drawn = None;
            let edits = std::mem::take(&mut self.edits);
            self.edits = edits.into_iter().filter(|(place, edit)| edit.own.is_some() || !self.is_running(*place, edit)).collect();
        }
    }
}

/// The description of an edited network: that of a published one, or of the initial one, does not apply any more.
fn described_anew(original: &Network) -> String {
    let published = catalogue::entry(&original.name).is_ok_and(|entry| entry.description() == original.description);
    match original.description.as_str() {
        start::ABOUT => String::new(),
        description if published => format!("Derived from {description}"),
        description => description.to_owned(),
    }
}

/// The suffix of the name of an edited network.
pub(crate) const EDITED: &str = ", edited";

/// A population as it would run, and what can be recorded of it: its variables and subexpressions.
fn settled(population: &Population) -> (Population, Vec<String>) {
    let mut population = population.clone();
    let texts = Texts::of(&population);
    let variables = variables(&texts);
    population.update = population.update.filter(|update| !update.trim().is_empty());
    population.initial.retain(|name, _| variables.contains(name));
    (population, equations_of(&texts.equations).into_iter().map(|equation| equation.name).collect())
}

pub(crate) fn recording(population: &Population, variable: &str) -> Recording {
    Recording { object: population.name.clone(), var: variable.to_owned(), indices: sampled(population), ..Recording::default() }
}

/// The first, the middle and the last neuron of a population, because a parameter may differ between neurons.
fn sampled(population: &Population) -> Indices {
    let mut indices = vec![0, population.size / 2, population.size.saturating_sub(1)];
    indices.dedup();
    indices.into()
}

#[cfg(test)]
mod tests;
