//! The equations of the open network's populations: as they run, and as they were edited since.
//!
//! Plain data, like the session: nothing here touches the browser or the engine. An [`Edit`] is kept for each population that
//! differs from the running one; [`Equations::candidate`] is the network with all edits in it, which the engine is asked to
//! judge ([`check`]) and to open.

pub(crate) mod check;
mod draw;
mod edit;
pub(crate) mod excerpt;
pub(crate) mod models;
pub(crate) mod paint;
pub(crate) mod rows;
pub(crate) mod start;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use spikelet::{Indices, Network, Population, Recording, catalogue};

pub(crate) use spikelet::judge::{
    infer,
    texts::{self, Field, Texts, equations_of, quantity, variables, written},
};

/// A population as it is being edited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edit {
    population: Population,
    /// What stands in the field for its size; the population has the last one that was a number.
    size: String,
    /// Variables to record.
    recorded: Vec<String>,
    /// Equations that a library model was chosen over, to come back to.
    own: Option<Box<Population>>,
    /// Whether the edits are undone; they can be brought back until something else is edited.
    undone: bool,
}

/// The open network and all edits of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Equations {
    /// As it runs; none before one is open.
    network: Option<Network>,
    /// As the forms of the network pane left it, but for the edits of its populations; nothing while it is as it runs.
    drawn: Option<Network>,
    /// By the place of its population.
    edits: BTreeMap<usize, Edit>,
    /// What was typed into forms and is no value of its field: by the object's name and the field's key.
    unread: BTreeMap<(String, String), RejectedText>,
    selected: usize,
}

/// A text that its field cannot be given: the network keeps the value before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RejectedText {
    /// As it was typed.
    pub(crate) text: String,
    /// What is wrong with it.
    pub(crate) sentence: String,
}

/// Edits as they are kept between visits.
#[derive(Serialize, Deserialize)]
struct SavedEdits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<Network>,
    #[serde(default)]
    edits: Vec<Edit>,
}

impl Equations {
    /// The populations of a network, unedited.
    pub(crate) fn of(network: Network) -> Equations {
        Equations { network: Some(network), ..Equations::default() }
    }

    /// The network with the populations as they run, or as the forms added them: [`Equations::candidate`] has their edits.
    pub(crate) fn network(&self) -> Option<&Network> {
        self.drawn.as_ref().or(self.network.as_ref())
    }

    /// Names of the populations.
    pub(crate) fn names(&self) -> Vec<String> {
        self.network().into_iter().flat_map(|network| &network.populations).map(|population| population.name.clone()).collect()
    }

    /// The place of the selected population.
    pub(crate) fn selected(&self) -> usize {
        self.selected
    }

    /// Turns to another population.
    pub(crate) fn select(&mut self, place: usize) {
        if place < self.names().len() {
            self.selected = place;
        }
    }

    /// The selected population as it runs.
    pub(crate) fn running(&self) -> Option<&Population> {
        self.running_at(self.selected)
    }

    /// A population that runs under the name of the one at this place.
    fn running_at(&self, place: usize) -> Option<&Population> {
        let name = &self.unedited(place)?.name;
        self.network.as_ref()?.population(name)
    }

    /// A population without what was edited of it.
    fn unedited(&self, place: usize) -> Option<&Population> {
        self.network()?.populations.get(place)
    }

    fn edit_of(&self, place: usize) -> Option<&Edit> {
        self.edits.get(&place).filter(|edit| !edit.undone)
    }

    /// The selected population as the pane shows it.
    pub(crate) fn shown(&self) -> Option<&Population> {
        self.shown_at(self.selected)
    }

    /// A population as it is edited.
    pub(crate) fn shown_at(&self, place: usize) -> Option<&Population> {
        self.edit_of(place).map(|edit| &edit.population).or_else(|| self.unedited(place))
    }

    /// What stands in the field for the size.
    pub(crate) fn size(&self) -> String {
        self.size_at(self.selected)
    }

    /// What stands in the field for the size of a population.
    pub(crate) fn size_at(&self, place: usize) -> String {
        let unedited = || self.unedited(place).map(|population| population.size.to_string());
        self.edit_of(place).map(|edit| edit.size.clone()).or_else(unedited).unwrap_or_default()
    }

    /// The variables that are recorded.
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

    /// Whether an edit would change nothing.
    fn is_running(&self, place: usize, edit: &Edit) -> bool {
        let (Some(running), Some(network)) = (self.running_at(place), &self.network) else { return false };
        let (population, variables) = settled(&edit.population);
        let of = |recorded: &[String]| -> BTreeSet<String> {
            recorded.iter().filter(|variable| variables.contains(variable)).cloned().collect()
        };
        population == *running
            && of(&edit.recorded) == of(&self.recorded_in(network, place))
            && edit.size == running.size.to_string()
    }

    /// Whether edits of the selected population were undone and can be brought back.
    pub(crate) fn is_undone(&self) -> bool {
        self.edits.get(&self.selected).is_some_and(|edit| edit.undone)
    }

    /// Whether there are own equations that a library model was chosen over.
    pub(crate) fn has_own(&self) -> bool {
        self.edit_of(self.selected).is_some_and(|edit| edit.own.is_some())
    }

    /// Back to the running population, or to the edits again.
    pub(crate) fn undo_or_redo(&mut self) {
        if let Some(edit) = self.edits.get_mut(&self.selected) {
            edit.undone = !edit.undone;
        }
    }

    /// Undoes all edits; they can be brought back.
    pub(crate) fn undo_all(&mut self) {
        for edit in self.edits.values_mut() {
            edit.undone = true;
        }
    }

    /// Follows a parameter that was changed in the running network.
    pub(crate) fn follow(&mut self, path: &str, value: &str) {
        let Some(network) = &mut self.network else { return };
        // The engine took it; what cannot be followed leaves the pane as it was.
        if network.set(path, value).is_err() {
            return;
        }
        if let Some(drawn) = &mut self.drawn {
            // What is no longer there needs no value.
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

    /// The network with all edits in it, which says that it is edited.
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
            // Values and recordings of variables that are no longer there go with them.
            let (population, variables) = settled(&edit.population);
            let recorded: Vec<&String> = edit.recorded.iter().filter(|name| variables.contains(name)).collect();
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

    /// The edits as text, to be kept; nothing when there are none.
    pub(crate) fn to_kept(&self) -> Option<String> {
        let worth_it =
            |(place, edit): (&usize, &&Edit)| self.drawn.is_some() || edit.own.is_some() || !self.is_running(*place, edit);
        let edits = self.edits.iter().filter(|(place, edit)| worth_it((place, edit))).map(|(_, edit)| edit.clone());
        let kept = SavedEdits { network: self.drawn.clone(), edits: edits.collect() };
        if kept.edits.is_empty() && kept.network.is_none() { None } else { serde_json::to_string(&kept).ok() }
    }

    /// Takes in edits that were kept. Those of populations that are not there, and those that now run, are left out.
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

    /// Forgets what was drawn where it comes to what runs.
    fn drop_unchanged_drafts(&mut self) {
        let (Some(edited), Some(network)) = (self.drawn.as_ref().and_then(|_| self.with_edits()), &self.network) else {
            return;
        };
        // A network that was edited and runs says so, whether or not there are edits of it.
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

/// What an edit of a network says of itself: what is said of a published one, and of the one to begin with, is not true of it any more.
fn described_anew(original: &Network) -> String {
    let published = catalogue::entry(&original.name).is_ok_and(|entry| entry.description() == original.description);
    match original.description.as_str() {
        start::ABOUT => String::new(),
        description if published => format!("Derived from {description}"),
        description => description.to_owned(),
    }
}

/// What the name of an edited network ends with.
pub(crate) const EDITED: &str = ", edited";

/// A population as it would be run, and its variables.
fn settled(population: &Population) -> (Population, Vec<String>) {
    let mut population = population.clone();
    let variables = variables(&Texts::of(&population));
    population.update = population.update.filter(|update| !update.trim().is_empty());
    population.initial.retain(|name, _| variables.contains(name));
    (population, variables)
}

pub(crate) fn recording(population: &Population, variable: &str) -> Recording {
    Recording { object: population.name.clone(), var: variable.to_owned(), indices: sampled(population), unit: None }
}

/// The first, the middle and the last neuron of a population: a parameter may go from one end to the other.
fn sampled(population: &Population) -> Indices {
    let mut indices = vec![0, population.size / 2, population.size.saturating_sub(1)];
    indices.dedup();
    indices.into()
}

#[cfg(test)]
mod tests;
