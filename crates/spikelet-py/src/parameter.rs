//! Values that all neurons of a population, or all synapses of a projection, share.

use pyo3::prelude::*;
use spikelet::lang::library;
use spikelet::lang::quantity::constant;
use spikelet::{Network, Quantity, SourceKind};

use crate::failure::Failure;

/// A shared value of a network by its path, and its unit. `None` if there is none, or if it is not a constant.
pub(crate) fn parameter(network: &Network, path: &str) -> Option<(f64, String)> {
    let (object, name) = path.split_once('.')?;
    let of_population = network.population(object).map(|of| (&of.model, &of.preset, &of.parameters));
    let of_projection =
        || network.projections.iter().find(|of| of.name == object).map(|of| (&of.model, &of.preset, &of.parameters));
    let given = match (of_population.or_else(of_projection), network.source(object)) {
        (Some((model, preset, own)), _) => own.get(name).cloned().or_else(|| {
            let model = library(model.as_deref()?).ok()?;
            let preset = preset.as_ref().and_then(|preset| model.presets.get(preset)?.parameters.get(name));
            let described = preset.or_else(|| Some(&model.parameters.get(name)?.default))?;
            Some(Quantity::from(described.as_str()))
        })?,
        (None, Some(source)) => match &source.kind {
            SourceKind::Poisson { rate, .. } if name == "rate" => rate.clone(),
            _ => return None,
        },
        (None, None) => return None,
    };
    let (value, dimension) = constant(name, &given.text()?).ok()?;
    Some((value, dimension.inner_unit()))
}

/// A network as JSON, with other values.
#[pyfunction]
pub(crate) fn network_with(text: &str, values: Vec<(String, String)>) -> Result<String, Failure> {
    let mut network = Network::from_json_unchecked(text)?;
    values.iter().try_for_each(|(path, value)| network.set(path, value))?;
    Ok(network.to_json())
}

/// The unit of a shared value of a network; `None` if there is no such value.
#[pyfunction]
pub(crate) fn parameter_unit(text: &str, path: &str) -> Result<Option<String>, Failure> {
    Ok(parameter(&Network::from_json_unchecked(text)?, path).map(|(_, unit)| unit))
}
