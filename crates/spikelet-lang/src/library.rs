//! The built-in models, one text file each in `models/`. Sliders, lists, documentation and tests derive from these; the file name is the
//! name of the model.

mod extended;

use std::fmt;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Span, suggestion};
use crate::model::{Method, NeuronModel, NeuronText, SynapseText};
use crate::syntax::{self, EquationKind};
use crate::{Diagnostic, Kind, Quantities, check_neuron, quantity};

pub use extended::extended;

/// Name and content of every file of `models/`, in alphabetical order; the build script lists them, and makes JSON of TOML.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// What a library model describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// Neurons with input.
    #[default]
    Neuron,
    /// Sources of spikes or currents.
    Source,
    /// Synapses.
    Synapse,
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ModelKind::Neuron => "neuron",
            ModelKind::Source => "source",
            ModelKind::Synapse => "synapse",
        })
    }
}

/// A model of the library.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryModel {
    /// Its name in networks.
    pub name: String,
    /// Its title in menus.
    pub title: String,
    /// What it does, in one or two sentences.
    pub about: String,
    /// Its publication.
    pub citation: String,
    /// Whether it is a neuron, a source or a synapse.
    #[serde(default)]
    pub kind: ModelKind,
    #[serde(default)]
    equations: String,
    update: Option<String>,
    threshold: Option<String>,
    reset: Option<String>,
    refractory: Option<String>,
    method: Option<String>,
    on_pre: Option<String>,
    on_post: Option<String>,
    post: Option<String>,
    /// Its parameters, in the order of menus.
    #[serde(default)]
    pub parameters: IndexMap<String, Parameter>,
    /// Initial values that a network may replace, as expressions.
    #[serde(default)]
    pub initial: IndexMap<String, String>,
    /// Named sets of values, in the order of menus.
    #[serde(default)]
    pub presets: IndexMap<String, Preset>,
    /// Published results for one neuron, which the tests verify on every device.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// A parameter of a library model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its default.
    pub default: String,
    /// Its usual range, for sliders.
    pub range: [String; 2],
    /// What it means.
    pub about: String,
}

/// Values of some parameters and initial values of a library model: a firing pattern, a cell type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Its description.
    pub about: String,
    /// The publication of its values, if not that of the model.
    pub citation: Option<String>,
    /// Parameters and their values, as a network writes them: `"20 ms"`, `"14*int(t > 10*ms)"`.
    #[serde(default)]
    pub parameters: IndexMap<String, String>,
    /// Initial values, as expressions.
    #[serde(default)]
    pub initial: IndexMap<String, String>,
}

/// The published number of spikes of one neuron in a time.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its description.
    pub about: String,
    /// Its publication, if not that of the model.
    pub citation: Option<String>,
    /// Its preset.
    pub preset: Option<String>,
    /// Its parameters.
    #[serde(default)]
    pub parameters: IndexMap<String, String>,
    /// Time step in ms.
    pub dt_ms: f64,
    /// Duration in ms.
    pub duration_ms: f64,
    /// Minimum and maximum number of spikes.
    pub spikes: [usize; 2],
}

impl Parameter {
    /// The unit of the default: the part after the number, `1` if there is none.
    pub fn unit(&self) -> &str {
        self.default.split_once(' ').map_or("1", |(_, unit)| unit)
    }

    /// The default in inner units.
    pub fn default_value(&self, name: &str) -> Result<f64, Diagnostic> {
        quantity::constant(name, &self.default).map(|(value, _)| value)
    }
}

impl LibraryModel {
    /// Reads the content of a model's file, which is called `name`, as JSON.
    ///
    /// # Errors
    /// The error of the file: an unknown key, another name, a text of another kind.
    pub fn read(name: &str, json: &str) -> Result<LibraryModel, String> {
        let model: LibraryModel = serde_json::from_str(json).map_err(|error| format!("models/{name}.toml: {error}"))?;
        let broken = |what: String| Err(format!("models/{name}.toml: {what}"));
        if model.name != name {
            return broken(format!("name is `{}`; expected `{name}`, the name of the file.", model.name));
        }
        let of_cells = [("update", &model.update), ("threshold", &model.threshold), ("reset", &model.reset)];
        let of_synapses = [("on_pre", &model.on_pre), ("on_post", &model.on_post), ("post", &model.post)];
        let (foreign, owner) = match model.kind {
            ModelKind::Synapse => (of_cells, "a cell"),
            ModelKind::Neuron | ModelKind::Source => (of_synapses, "a synapse"),
        };
        if let Some((key, _)) = foreign.iter().find(|(_, text)| text.is_some()) {
            return broken(format!("`{key}` belongs to {owner}, but kind is `{}`.", model.kind));
        }
        if model.equations.is_empty() && model.on_pre.is_none() && model.threshold.is_none() {
            return broken("it has no effect: there are neither `equations` nor `threshold` nor `on_pre`.".into());
        }
        for (preset, Preset { parameters, .. }) in &model.presets {
            if let Some(unknown) = parameters.keys().find(|key| !model.parameters.contains_key(*key)) {
                let near = suggestion(unknown, model.parameters.keys().map(String::as_str));
                let help = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
                return broken(format!("preset `{preset}` sets `{unknown}`, which is not a parameter.{help}"));
            }
        }
        Ok(model)
    }

    /// The texts of a neuron or source, ready to be checked.
    ///
    /// # Errors
    /// It is a synapse.
    pub fn text(&self) -> Result<NeuronText, Diagnostic> {
        if self.kind == ModelKind::Synapse {
            let message = format!("`{}` is a synapse model; expected a neuron or a source.", self.name);
            let help = "Use it as the `model` of a projection.";
            return Err(Diagnostic::new(Kind::Unsupported, "model", "", Span::default(), message).help(help));
        }
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

    /// The texts of a synapse, ready to be checked.
    ///
    /// # Errors
    /// It is a neuron or a source.
    pub fn synapse_text(&self) -> Result<SynapseText, Diagnostic> {
        if self.kind != ModelKind::Synapse {
            let message = format!("`{}` is a {} model; expected a synapse.", self.name, self.kind);
            let help = "Use it as the `model` of a population.";
            return Err(Diagnostic::new(Kind::Unsupported, "model", "", Span::default(), message).help(help));
        }
        Ok(SynapseText {
            equations: self.equations.clone(),
            on_pre: self.on_pre.iter().map(|text| ("pre".into(), text.clone())).collect(),
            on_post: self.on_post.iter().map(|text| ("post".into(), text.clone())).collect(),
            method: self.method.as_deref().map(Method::parse).transpose()?,
            each: IndexMap::new(),
            ..SynapseText::default()
        })
    }

    /// Its equations, a line each.
    pub fn equations(&self) -> &str {
        &self.equations
    }

    /// The statements of a synapse for presynaptic spikes.
    pub fn on_pre(&self) -> Option<&str> {
        self.on_pre.as_deref()
    }

    /// The statements of a synapse for postsynaptic spikes.
    pub fn on_post(&self) -> Option<&str> {
        self.on_post.as_deref()
    }

    /// The integration method, if it is set.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// The lines that a synapse needs in the equations of its postsynaptic neuron.
    pub fn post(&self) -> Option<&str> {
        self.post.as_deref()
    }

    /// The parameters in the [`post`](Self::post) lines of a synapse, which are those of the postsynaptic neuron.
    pub fn post_parameters(&self) -> impl Iterator<Item = (&str, &Parameter)> {
        let lines = syntax::parse_equations("post", self.post().unwrap_or("")).unwrap_or_default();
        let named = move |name: &str| {
            lines.iter().any(|line| match &line.kind {
                EquationKind::Differential(value) | EquationKind::Subexpression(value) => value.mentions(name),
                EquationKind::Parameter => line.name == name,
            })
        };
        self.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter)).filter(move |(name, _)| named(name))
    }

    /// A simple neuron for a synapse: a leaky membrane with the lines that it needs.
    ///
    /// # Errors
    /// The lines do not fit a leaky membrane.
    pub fn partner(&self) -> Result<NeuronModel, Vec<Diagnostic>> {
        let mut given = Quantities::default();
        let own = Quantities::from_texts(self.parameters.iter().map(|(name, of)| (name.as_str(), of.default.as_str())));
        let cell = own.and_then(|own| {
            let cell = library("lif")
                .map_err(|_| Diagnostic::new(Kind::Unsupported, "model", "", Span::default(), "the library has no `lif`."))?;
            let defaults = cell.parameters.iter().map(|(name, of)| (name.as_str(), of.default.as_str()));
            given.0.extend(Quantities::from_texts(defaults)?.0);
            given.0.extend(own.0);
            cell.text()
        });
        let text = cell.map_err(|diagnostic| vec![diagnostic])?;
        // Its current is a variable, for the synapses that read or write one.
        let equations = extended(&extended(&text.equations, "I : amp"), self.post().unwrap_or(""));
        check_neuron(&NeuronText { equations, ..text }, &given.dimensions())
    }
}

/// Names of the library's models.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// All of the library's models.
pub fn models() -> impl Iterator<Item = &'static LibraryModel> {
    names().filter_map(|name| library(name).ok())
}

/// The library model named `name`, whose file is read once; the error is the most similar name, if there is one.
///
/// # Errors
/// There is no such model.
pub fn library(name: &str) -> Result<&'static LibraryModel, Option<&'static str>> {
    static MODELS: [OnceLock<Option<LibraryModel>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let Some(place) = FILES.iter().position(|(known, _)| *known == name) else { return Err(suggestion(name, names())) };
    // The files are part of this crate and tested.
    MODELS[place].get_or_init(|| LibraryModel::read(name, FILES[place].1).ok()).as_ref().ok_or(None)
}

#[cfg(test)]
mod tests;
