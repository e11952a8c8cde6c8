//! Edits of the selected population, by the equation pane.

use indexmap::IndexMap;
use spikelet_lang::library;
use spikelet_network::{Link, Population, RunRegularly};

use super::{
    Edit, Equations, quantity,
    texts::{Field, Texts, model_of, nameless, own, variables},
};

impl Equations {
    /// Changes the selected population.
    pub(super) fn change(&mut self, act: impl FnOnce(&mut Edit)) {
        let (place, recorded) = (self.selected, self.recorded());
        let Some(shown) = self.shown().cloned() else { return };
        let fresh = || Edit { size: shown.size.to_string(), population: shown, recorded, own: None, undone: false };
        let mut edit = self.edits.remove(&place).filter(|edit| !edit.undone).unwrap_or_else(fresh);
        act(&mut edit);
        self.edits.insert(place, edit);
    }

    /// Sets one of the texts. A population with a library model then has custom equations, and keeps its parameters.
    pub(crate) fn write(&mut self, field: Field, text: &str) {
        self.change(|edit| {
            edit.population = own(&edit.population);
            let population = &mut edit.population;
            // An empty text is removed, except equations, which every population has.
            let given = (!text.trim().is_empty()).then(|| text.to_owned());
            match field {
                Field::Equations => population.equations = Some(text.to_owned()),
                Field::Update => population.update = Some(text.to_owned()),
                Field::Threshold => population.threshold = given,
                Field::Reset => population.reset = given,
                Field::Refractory => population.refractory = given,
            }
        });
    }

    /// Sets the integration method; `None` selects it automatically.
    pub(crate) fn choose_method(&mut self, method: &str) {
        self.change(|edit| {
            edit.population = own(&edit.population);
            edit.population.method = (!method.is_empty()).then(|| method.to_owned());
        });
    }

    /// Sets the statements that run at regular times.
    pub(crate) fn run_regularly(&mut self, list: Vec<RunRegularly>) {
        self.change(|edit| edit.population.run_regularly = list);
    }

    /// Sets what its linked variables are linked to.
    pub(crate) fn link(&mut self, linked: IndexMap<String, Link>) {
        self.change(|edit| edit.population.linked = linked);
    }

    /// Sets a parameter.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        self.change(|edit| drop(edit.population.parameters.insert(name.to_owned(), quantity(text))));
    }

    /// Removes a parameter.
    pub(crate) fn remove(&mut self, name: &str) {
        self.change(|edit| drop(edit.population.parameters.shift_remove(name)));
    }

    /// Sets the value of a variable at t = 0; an empty text means 0.
    pub(crate) fn begin(&mut self, variable: &str, text: &str) {
        self.change(|edit| {
            if text.trim().is_empty() {
                edit.population.initial.shift_remove(variable);
            } else {
                edit.population.initial.insert(variable.to_owned(), quantity(text));
            }
        });
    }

    /// Sets the number of neurons.
    pub(crate) fn resize(&mut self, text: &str) {
        self.change(|edit| {
            text.clone_into(&mut edit.size);
            edit.population.size = text.trim().parse().unwrap_or(edit.population.size);
        });
    }

    /// Records a variable, or stops recording it.
    pub(crate) fn record(&mut self, variable: &str, wanted: bool) {
        self.change(|edit| {
            edit.recorded.retain(|recorded| recorded != variable);
            if wanted {
                edit.recorded.push(variable.to_owned());
            }
        });
    }

    /// Selects a library model; custom equations are stored for later.
    pub(crate) fn choose_model(&mut self, name: &str) {
        let Ok(model) = library::library(name) else { return };
        // Without input a neuron is silent; presets contain an input.
        let driven = self.is_driven();
        self.change(|edit| {
            let preset = model.presets.keys().next().filter(|_| !driven).cloned();
            let chosen = Population { model: Some(name.to_owned()), preset, ..nameless(&edit.population) };
            let before = std::mem::replace(&mut edit.population, chosen);
            let variables = variables(&Texts::of(&edit.population));
            edit.recorded.retain(|recorded| variables.contains(recorded));
            if let (true, Some(first)) = (edit.recorded.is_empty(), variables.first()) {
                edit.recorded.push(first.clone());
            }
            if before.model.is_none() {
                edit.own = Some(Box::new(before));
            }
        });
    }

    /// Whether the selected population has input from others.
    fn is_driven(&self) -> bool {
        let (Some(network), Some(population)) = (self.network(), self.unedited(self.selected)) else { return false };
        network.projections.iter().any(|projection| projection.post.population == population.name)
    }

    /// Selects a preset of the library model; `None` selects its defaults.
    pub(crate) fn choose_preset(&mut self, name: &str) {
        self.change(|edit| {
            let Some(model) = model_of(&edit.population) else { return };
            edit.population.preset = (!name.is_empty()).then(|| name.to_owned());
            edit.population.parameters.retain(|name, _| !model.parameters.contains_key(name));
            edit.population.initial.clear();
        });
    }

    /// Selects custom equations: the previous ones, else those of the library model.
    pub(crate) fn choose_own(&mut self) {
        self.change(|edit| {
            edit.population = match edit.own.take() {
                Some(own) => *own,
                None => own(&edit.population),
            };
        });
    }
}
