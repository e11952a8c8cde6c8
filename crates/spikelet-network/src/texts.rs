//! The texts of a population: its own, or those of its library model.

pub mod infer;
mod place;

use indexmap::IndexMap;
use spikelet_lang::library::{self, LibraryModel, Preset};
use spikelet_lang::syntax::{self, Equation, EquationKind, Statement};
use spikelet_lang::{Dimension, unit};

use crate::{Population, Quantity, RunRegularly};
pub use place::PopulationPath;

/// The texts of a population, empty if absent. Their names are those in files and in diagnostics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Texts {
    /// The equations.
    pub equations: String,
    /// Statements of every step.
    pub update: String,
    /// The condition of a spike.
    pub threshold: String,
    /// Statements after a spike.
    pub reset: String,
    /// The refractory time or condition.
    pub refractory: String,
    /// The method of integration.
    pub method: String,
    /// Statements of regular times.
    pub regular: Vec<RunRegularly>,
}

/// One of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// `equations`
    Equations,
    /// `update`
    Update,
    /// `threshold`
    Threshold,
    /// `reset`
    Reset,
    /// `refractory`
    Refractory,
}

impl Field {
    /// In the order shown.
    pub const ALL: [Field; 5] = [Field::Equations, Field::Update, Field::Threshold, Field::Reset, Field::Refractory];

    /// As in files and diagnostics.
    pub fn name(self) -> &'static str {
        match self {
            Field::Equations => "equations",
            Field::Update => "update",
            Field::Threshold => "threshold",
            Field::Reset => "reset",
            Field::Refractory => "refractory",
        }
    }

    /// The field of that name.
    pub fn named(name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Its text.
    pub fn of(self, texts: &Texts) -> &str {
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
    /// All statements, as far as they can be parsed.
    pub(super) fn statements(&self) -> impl Iterator<Item = Statement> {
        let regular = self.regular.iter().map(|of| &of.statements);
        let texts = [&self.update, &self.reset].into_iter().chain(regular);
        texts.flat_map(|text| syntax::parse_statements("", text)).flatten()
    }

    /// The texts of a population: its own, or those of its library model.
    pub fn of(population: &Population) -> Texts {
        let own = own(population);
        Texts {
            equations: own.equations.unwrap_or_default(),
            update: own.update.unwrap_or_default(),
            threshold: own.threshold.unwrap_or_default(),
            reset: own.reset.unwrap_or_default(),
            refractory: own.refractory.unwrap_or_default(),
            method: own.method.unwrap_or_default(),
            regular: own.run_regularly,
        }
    }
}

/// Fields of a population outside of its model: name, size and positions.
pub fn nameless(population: &Population) -> Population {
    let Population { name, size, positions, .. } = population;
    Population { name: name.clone(), size: *size, positions: positions.clone(), ..Population::default() }
}

/// The library model of a population.
pub fn model_of(population: &Population) -> Option<&'static LibraryModel> {
    library::library(population.model.as_ref()?).ok()
}

/// The preset of that model.
pub fn preset_of(population: &Population) -> Option<Preset> {
    model_of(population)?.presets.get(population.preset.as_ref()?).cloned()
}

/// The population with its own equations instead of a library model, and the same parameters and initial values.
pub fn own(population: &Population) -> Population {
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
    (own.winners, own.units, own.linked) = (population.winners.clone(), population.units.clone(), population.linked.clone());
    own.run_regularly.clone_from(&population.run_regularly);
    own
}

/// Equations as far as they can be parsed: the lines without errors.
pub fn equations_of(text: &str) -> Vec<Equation> {
    let line_by_line = || text.lines().filter_map(|line| syntax::parse_equations("", line).ok()).flatten().collect();
    syntax::parse_equations("", text).unwrap_or_else(|_| line_by_line())
}

/// The variables with a value at t = 0: those with a differential equation, and those that a statement assigns.
pub fn variables(texts: &Texts) -> Vec<String> {
    let written: Vec<String> = texts.statements().map(|statement| statement.target).collect();
    let is_state = |equation: &Equation| match equation.kind {
        EquationKind::Differential(_) => true,
        EquationKind::Parameter => written.contains(&equation.name),
        EquationKind::Subexpression(_) => false,
    };
    equations_of(&texts.equations).into_iter().filter(is_state).map(|equation| equation.name).collect()
}

/// A text as a value. A random one is drawn for each neuron.
pub fn quantity(text: &str) -> Quantity {
    let draws = ["rand(", "randn(", "poisson(", "binomial("].iter().any(|function| text.contains(function));
    if draws { Quantity::expr(text) } else { text.into() }
}

/// A value as written; `None` for lists.
pub fn written(quantity: &Quantity) -> Option<String> {
    match quantity {
        Quantity::Number(number) => Some(number.to_string()),
        Quantity::Text(text) | Quantity::Expr(text) => Some(text.clone()),
        _ => None,
    }
}

/// Whether it is empty.
pub fn is_blank(value: &Quantity) -> bool {
    matches!(value, Quantity::Text(text) if text.trim().is_empty())
}

/// Every name in the texts, the initial values and the other values, in the order of their first use.
pub fn words(texts: &Texts, population: &Population) -> Vec<String> {
    let code =
        |text: &str| text.lines().map(|line| line.split('#').next().unwrap_or("").to_owned()).collect::<Vec<_>>().join("\n");
    let values = population.initial.values().chain(population.parameters.values()).filter_map(written);
    let regular = texts.regular.iter().map(|of| code(&of.statements));
    let texts = Field::ALL.into_iter().map(|field| code(field.of(texts))).chain(regular).chain(values);
    let mut words: Vec<String> = Vec::new();
    for text in texts {
        let new = words_of(&text).filter(|word| unit::lookup(word).is_none());
        for word in new {
            if !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words
}

/// The names in a text.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Names that texts declare as parameters and never assign, with their dimensions.
pub fn declared(texts: &Texts) -> IndexMap<String, Dimension> {
    let variables = variables(texts);
    let all = equations_of(&texts.equations).into_iter();
    let is_linked = |of: &syntax::Equation| of.flags.iter().any(|(flag, _)| flag == "linked");
    let is_parameter = |of: &syntax::Equation| matches!(of.kind, EquationKind::Parameter) && !is_linked(of);
    let declared = all.filter(|of| is_parameter(of) && !variables.contains(&of.name));
    declared.map(|of| (of.name, of.unit.dimension)).collect()
}
