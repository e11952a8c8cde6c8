//! The built-in models: one text file each in `models/`. Sliders, lists and documentation derive from these.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::diagnostic::suggestion;
use crate::model::{Method, NeuronText};
use crate::{Diagnostic, quantity};

const FILES: &[(&str, &str)] = &[
    ("lif_exp", include_str!("../models/lif_exp.toml")),
    ("lif_cond_exp", include_str!("../models/lif_cond_exp.toml")),
    ("izhikevich_2003", include_str!("../models/izhikevich_2003.toml")),
];

/// A model of the library.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryModel {
    /// What a network calls it.
    pub name: String,
    /// What a menu calls it.
    pub title: String,
    /// What it does, in a sentence or two.
    pub about: String,
    /// Where it was published.
    pub citation: String,
    equations: String,
    update: Option<String>,
    threshold: Option<String>,
    reset: Option<String>,
    refractory: Option<String>,
    method: Option<String>,
    /// Its parameters, in the order to show them.
    #[serde(default)]
    pub parameters: IndexMap<String, Parameter>,
    /// Initial values that a network may replace, as expressions.
    #[serde(default)]
    pub initial: IndexMap<String, String>,
}

/// A parameter of a library model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its value unless a network gives another.
    pub default: String,
    /// The values that make sense on a slider.
    pub range: [String; 2],
    /// What it means.
    pub about: String,
}

impl Parameter {
    /// The unit as written in the default: the part after the number, `1` where there is none.
    pub fn unit(&self) -> &str {
        self.default.split_once(' ').map_or("1", |(_, unit)| unit)
    }

    /// The default in inner units.
    pub fn default_value(&self, name: &str) -> Result<f64, Diagnostic> {
        quantity::constant(name, &self.default).map(|(value, _)| value)
    }
}

impl LibraryModel {
    /// Its equations, ready to be checked.
    pub fn text(&self) -> Result<NeuronText, Diagnostic> {
        Ok(NeuronText {
            equations: self.equations.clone(),
            update: self.update.clone(),
            threshold: self.threshold.clone(),
            reset: self.reset.clone(),
            refractory: self.refractory.clone(),
            method: self.method.as_deref().map(Method::parse).transpose()?,
            ..NeuronText::default()
        })
    }
}

/// Names of the library's models.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The library's model called `name`; the error is the nearest known name, if one is near.
///
/// # Errors
/// There is no such model.
pub fn library(name: &str) -> Result<LibraryModel, Option<&'static str>> {
    let file = FILES.iter().find(|(known, _)| *known == name);
    let Some((_, text)) = file else { return Err(suggestion(name, names())) };
    // The files are part of this crate and tested: a broken one never leaves the workshop.
    toml::from_str(text).map_err(|_| None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Quantities, check_neuron};

    #[test]
    fn every_model_reads_checks_and_compiles() {
        for (name, text) in FILES {
            let model: LibraryModel = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(model.name, *name);
            let defaults = model.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.default.as_str()));
            let given = Quantities::from_texts(defaults).unwrap_or_else(|error| panic!("{error}"));
            for (parameter, Parameter { range, default, .. }) in &model.parameters {
                let values = [&range[0], default, &range[1]]
                    .map(|text| quantity::constant(parameter, text).unwrap_or_else(|error| panic!("{error}")));
                assert!(
                    values[0].0 <= values[1].0 && values[1].0 <= values[2].0,
                    "{name}.{parameter}: default outside its range"
                );
                assert!(
                    values.iter().all(|(_, dimension)| *dimension == values[1].1),
                    "{name}.{parameter}: range of another dimension"
                );
            }
            let text = model.text().unwrap_or_else(|error| panic!("{error}"));
            let checked = check_neuron(&text, &given.dimensions()).unwrap_or_else(|found| panic!("{name}: {}", found[0]));
            checked.compile(&Layout::uniform()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        assert_eq!(library("lif_ext").err(), Some(Some("lif_exp")));
        assert_eq!(library("zebra").err(), Some(None));
    }
}
