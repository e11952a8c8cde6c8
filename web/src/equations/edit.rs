//! Edits of the selected population, by the equation pane.

use spikelet::Population;
use spikelet_lang::library;

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

    /// Writes one of the texts. A population of a library model then has equations of its own, and keeps its parameters.
    pub(crate) fn write(&mut self, field: Field, text: &str) {
        self.change(|edit| {
            edit.population = own(&edit.population);
            let population = &mut edit.population;
            // No text is none, except that every population has equations.
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

    /// Chooses how the equations are integrated; nothing leaves it to the language.
    pub(crate) fn choose_method(&mut self, method: &str) {
        self.change(|edit| {
            edit.population = own(&edit.population);
            edit.population.method = (!method.is_empty()).then(|| method.to_owned());
        });
    }

    /// Gives a parameter a value.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        self.change(|edit| drop(edit.population.parameters.insert(name.to_owned(), quantity(text))));
    }

    /// Forgets a parameter.
    pub(crate) fn remove(&mut self, name: &str) {
        self.change(|edit| drop(edit.population.parameters.shift_remove(name)));
    }

    /// Gives a variable its value at t = 0; no text leaves it at 0.
    pub(crate) fn begin(&mut self, variable: &str, text: &str) {
        self.change(|edit| {
            if text.trim().is_empty() {
                edit.population.initial.shift_remove(variable);
            } else {
                edit.population.initial.insert(variable.to_owned(), quantity(text));
            }
        });
    }

    /// Changes how many neurons there are.
    pub(crate) fn resize(&mut self, text: &str) {
        self.change(|edit| {
            text.clone_into(&mut edit.size);
            edit.population.size = text.trim().parse().unwrap_or(edit.population.size);
        });
    }

    /// Records a variable, or no longer.
    pub(crate) fn record(&mut self, variable: &str, wanted: bool) {
        self.change(|edit| {
            edit.recorded.retain(|recorded| recorded != variable);
            if wanted {
                edit.recorded.push(variable.to_owned());
            }
        });
    }

    /// Takes a model of the library; equations of one's own are kept to come back to.
    pub(crate) fn choose_model(&mut self, name: &str) {
        let Ok(model) = library::library(name) else { return };
        // Left to itself a cell is silent without a drive, which presets bring.
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

    /// Whether the selected population gets input from others.
    fn is_driven(&self) -> bool {
        let (Some(network), Some(population)) = (self.network(), self.unedited(self.selected)) else { return false };
        network.projections.iter().any(|projection| projection.post.population == population.name)
    }

    /// Takes the values of one of the library model's presets; nothing goes back to its defaults.
    pub(crate) fn choose_preset(&mut self, name: &str) {
        self.change(|edit| {
            let Some(model) = model_of(&edit.population) else { return };
            edit.population.preset = (!name.is_empty()).then(|| name.to_owned());
            edit.population.parameters.retain(|name, _| !model.parameters.contains_key(name));
            edit.population.initial.clear();
        });
    }

    /// Goes back to equations of one's own: those before a library model was chosen, else the model's, to be edited.
    pub(crate) fn choose_own(&mut self) {
        self.change(|edit| {
            edit.population = match edit.own.take() {
                Some(own) => *own,
                None => own(&edit.population),
            };
        });
    }
}
