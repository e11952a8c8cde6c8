//! The texts of a population, and what is in them: its own, or those of its library model.

use spikelet::Population;
use spikelet_lang::library::{self, LibraryModel, Preset};
use spikelet_lang::syntax::{self, Equation, EquationKind};

use super::quantity;

/// The texts of a population, empty where it has none. Their names are those in files and in diagnostics.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Texts {
    pub(crate) equations: String,
    pub(crate) update: String,
    pub(crate) threshold: String,
    pub(crate) reset: String,
    pub(crate) refractory: String,
    pub(crate) method: String,
}

/// One of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Equations,
    Update,
    Threshold,
    Reset,
    Refractory,
}

impl Field {
    /// In the order to show them.
    pub(crate) const ALL: [Field; 5] = [Field::Equations, Field::Update, Field::Threshold, Field::Reset, Field::Refractory];

    /// As in files and diagnostics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Field::Equations => "equations",
            Field::Update => "update",
            Field::Threshold => "threshold",
            Field::Reset => "reset",
            Field::Refractory => "refractory",
        }
    }

    /// The field of that name.
    pub(crate) fn named(name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Its text.
    pub(crate) fn of(self, texts: &Texts) -> &str {
        match self {
            Field::Equations => &texts.equations,
            Field::Update => &texts.update,
            Field::Threshold => &texts.threshold,
            Field::Reset => &texts.reset,
            Field::Refractory => &texts.refractory,
        }
    }
}

impl Texts {
    /// The texts of a population: its own, or those of its library model.
    pub(crate) fn of(population: &Population) -> Texts {
        let own = own(population);
        Texts {
            equations: own.equations.unwrap_or_default(),
            update: own.update.unwrap_or_default(),
            threshold: own.threshold.unwrap_or_default(),
            reset: own.reset.unwrap_or_default(),
            refractory: own.refractory.unwrap_or_default(),
            method: own.method.unwrap_or_default(),
        }
    }
}

/// Only what a population is without its model: name, size and positions.
pub(super) fn nameless(population: &Population) -> Population {
    let Population { name, size, positions, .. } = population;
    Population { name: name.clone(), size: *size, positions: positions.clone(), ..Population::default() }
}

/// The library model of a population.
pub(super) fn model_of(population: &Population) -> Option<LibraryModel> {
    library::library(population.model.as_ref()?).ok()
}

/// The preset of that model.
pub(super) fn preset_of(population: &Population) -> Option<Preset> {
    model_of(population)?.presets.get(population.preset.as_ref()?).cloned()
}

/// The population with equations of its own in place of a library model, and the same parameters and initial values.
pub(super) fn own(population: &Population) -> Population {
    let Some(model) = model_of(population) else { return population.clone() };
    let Ok(text) = model.text() else { return population.clone() };
    let tidy = |text: String| text.trim_end().to_owned();
    let mut own = nameless(population);
    let equations = match &population.equations {
        Some(added) => library::extended(&text.equations, added),
        None => text.equations,
    };
    own.equations = Some(tidy(equations));
    (own.update, own.threshold) = (text.update.map(tidy), text.threshold.map(tidy));
    (own.reset, own.refractory) = (text.reset.map(tidy), text.refractory.map(tidy));
    own.method = text.method.map(|method| method.name().to_owned());
    let preset = preset_of(population);
    let of_preset = |name: &String| preset.as_ref().and_then(|preset| preset.parameters.get(name));
    let value =
        |(name, of): (&String, &library::Parameter)| (name.clone(), of_preset(name).unwrap_or(&of.default).as_str().into());
    own.parameters = model.parameters.iter().map(value).collect();
    own.parameters.extend(population.parameters.clone());
    let initial = model.initial.iter().chain(preset.iter().flat_map(|preset| &preset.initial));
    own.initial = initial.map(|(name, text)| (name.clone(), quantity(text))).collect();
    own.initial.extend(population.initial.clone());
    own
}

/// Equations as far as they can be read: those of the lines without a mistake, where others have one.
pub(crate) fn equations_of(text: &str) -> Vec<Equation> {
    let line_by_line = || text.lines().filter_map(|line| syntax::parse_equations("", line).ok()).flatten().collect();
    syntax::parse_equations("", text).unwrap_or_else(|_| line_by_line())
}

/// The variables that have a value at t = 0: those with a differential equation, and those that a statement writes.
pub(crate) fn variables(texts: &Texts) -> Vec<String> {
    let statements = [&texts.update, &texts.reset].into_iter().flat_map(|text| syntax::parse_statements("", text)).flatten();
    let written: Vec<String> = statements.map(|statement| statement.target).collect();
    let is_state = |equation: &Equation| match equation.kind {
        EquationKind::Differential(_) => true,
        EquationKind::Parameter => written.contains(&equation.name),
        EquationKind::Subexpression(_) => false,
    };
    equations_of(&texts.equations).into_iter().filter(is_state).map(|equation| equation.name).collect()
}
