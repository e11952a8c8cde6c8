//! The model library.

use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use spikelet::Error;
use spikelet::lang::library::{self, LibraryModel};

use crate::failure::Failure;

/// Name, kind and title of each model.
#[pyfunction]
pub(crate) fn library_models() -> Vec<(String, String, String)> {
    library::models().map(|model| (model.name.clone(), model.kind.to_string(), model.title.clone())).collect()
}

/// A model with its texts, parameters and presets, as JSON.
#[pyfunction]
pub(crate) fn library_model(name: &str) -> Result<String, Failure> {
    let model = library::library(name).map_err(|_| Error::unknown_name("", "model", name, library::names()))?;
    Ok(described(model).to_string())
}

fn described(model: &LibraryModel) -> Value {
    let neuron = model.text().unwrap_or_default();
    let texts = [
        ("equations", Some(model.equations().trim().to_owned())),
        ("update", neuron.update),
        ("threshold", neuron.threshold),
        ("reset", neuron.reset),
        ("refractory", neuron.refractory),
        ("method", model.method().map(str::to_owned)),
        ("on_pre", model.on_pre().map(str::to_owned)),
        ("on_post", model.on_post().map(str::to_owned)),
        ("post", model.post().map(str::to_owned)),
    ];
    let given = texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into())));
    let parameters: Map<String, Value> = model
        .parameters
        .iter()
        .map(|(name, of)| (name.clone(), json!({"default": of.default, "range": of.range, "about": of.about})))
        .collect();
    let presets: Map<String, Value> = model
        .presets
        .iter()
        .map(|(name, of)| (name.clone(), json!({"about": of.about, "parameters": of.parameters, "initial": of.initial})))
        .collect();
    let mut all = Map::from_iter(given);
    all.insert("parameters".into(), parameters.into());
    all.insert("initial".into(), json!(model.initial));
    all.insert("presets".into(), presets.into());
    let head = [("name", &model.name), ("title", &model.title), ("about", &model.about), ("citation", &model.citation)];
    let mut whole: Map<String, Value> = head.into_iter().map(|(key, text)| (key.to_owned(), text.clone().into())).collect();
    whole.insert("kind".into(), model.kind.to_string().into());
    whole.append(&mut all);
    whole.into()
}
