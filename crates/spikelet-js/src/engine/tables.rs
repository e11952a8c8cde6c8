//! Tables that need no network.

use spikelet::catalogue::{self, Scaling};
use spikelet::lang::library::{self, LibraryModel};
use spikelet::lang::quantity::constant;
use spikelet::lang::syntax::{Equation, EquationKind, parse_equations, parse_unit};

use super::summary::shown;
use crate::protocol::{CatalogueEntry, Model, ModelKind, ModelParameter, ModelPreset, ModelVariable};

/// The built-in networks.
pub(super) fn networks() -> Vec<CatalogueEntry> {
    let entry = |entry: &catalogue::CatalogueEntry| CatalogueEntry {
        name: entry.name.into(),
        title: entry.title.into(),
        about: entry.about.into(),
        citation: entry.citation.into(),
        scaling: match entry.scaling {
            Scaling::Neurons => "factor of the number of neurons, with as many synapses each as published".into(),
            Scaling::Synapses(makes_up) => format!("factor of the number of neurons and of their synapses; {makes_up}"),
        },
        small: entry.small,
    };
    catalogue::entries().iter().map(entry).collect()
}

/// The models of the library.
pub(super) fn models() -> Vec<Model> {
    library::models().map(device_entry).collect()
}

fn device_entry(model: &LibraryModel) -> Model {
    let parameter = |(symbol, of): (&String, &library::Parameter)| {
        let unit = of.unit();
        let factor = parse_unit(unit).map_or(1.0, |unit| unit.factor);
        let number = |text: &str| constant(symbol, text).ok().map(|(value, _)| value / factor);
        ModelParameter {
            symbol: symbol.clone(),
            about: of.about.clone(),
            unit: shown(unit),
            value: number(&of.default),
            text: of.default.clone(),
            min: number(&of.range[0]).unwrap_or(f64::NAN),
            max: number(&of.range[1]).unwrap_or(f64::NAN),
        }
    };
    Model {
        name: model.name.clone(),
        title: model.title.clone(),
        about: model.about.clone(),
        citation: model.citation.clone(),
        kind: match model.kind {
            library::ModelKind::Neuron => ModelKind::Neuron,
            library::ModelKind::Source => ModelKind::Source,
            library::ModelKind::Synapse => ModelKind::Synapse,
        },
        parameters: model.parameters.iter().map(parameter).collect(),
        variables: variables(model),
        presets: model.presets.iter().map(|(name, of)| ModelPreset { name: name.clone(), about: of.about.clone() }).collect(),
    }
}

/// The variables of its equations and statements.
fn variables(model: &LibraryModel) -> Vec<ModelVariable> {
    let lines = parse_equations("equations", model.equations()).unwrap_or_default();
    let is_constant = |line: &Equation| line.flags.iter().any(|(flag, _)| flag == "constant");
    let moves = |line: &&Equation| {
        let computed = matches!(line.kind, EquationKind::Subexpression(_));
        !computed && !is_constant(line) && !model.parameters.contains_key(&line.name)
    };
    let variable = |line: &Equation| ModelVariable { symbol: line.name.clone(), unit: shown(&line.unit.dimension.inner_unit()) };
    lines.iter().filter(moves).map(variable).collect()
}
